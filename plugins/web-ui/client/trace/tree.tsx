// The spans of a trace as a tree and as bars over time, of which only rows on the screen have elements.
import { useLayoutEffect } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { barOf, isSlow, marksOf, type TimeScale, type TreeRow } from '../../pure/trace-tree.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { useRowPool } from '../runs/use-row-pool.js';

export interface TreeProps {
  readonly rows: readonly TreeRow[];
  readonly folded: ReadonlySet<string>;
  readonly scale: TimeScale;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly onFold: (id: string) => void;
}

const signs: Readonly<Record<string, string>> = {
  trace: '◆',
  llm: '✦',
  tool: '⚒',
  guardrail: '⛨',
  general: '·',
};

const make = (tag: 'div' | 'span' | 'i', className: string): HTMLElement => {
  const made = document.createElement(tag);
  made.className = className;
  return made;
};

const makeRow = (): HTMLElement => {
  const row = make('div', 'row span-row');
  row.setAttribute('role', 'row');
  const cells = ['name', 'bars', 'number', 'number', 'number'].map((one) => {
    const cell = make('div', one);
    cell.setAttribute('role', 'gridcell');
    row.append(cell);
    return cell;
  });
  cells[0]?.append(
    make('span', 'fold'),
    make('span', 'sign'),
    make('span', 'says'),
    make('span', 'faint'),
  );
  cells[1]?.append(make('i', 'time'));
  return row;
};

const durationOf = ({ span }: TreeRow): string =>
  span.end === undefined ? 'running' : formatDuration(Math.max(0, span.end - span.start));

const textsOf = (row: TreeRow): readonly string[] => [
  durationOf(row),
  row.tokens === 0 ? '' : formatCount(row.tokens),
  row.cost === 0 ? '' : formatCost(row.cost),
];

const markRow = (element: HTMLElement, { chosen }: TreeProps) => {
  const here = element.dataset['key'] === chosen;
  element.classList.toggle('cursor', here);
  element.classList.toggle('picked', here);
  element.ariaSelected = String(here);
};

const fillName = (cell: Element | undefined, row: TreeRow, folded: boolean) => {
  const [fold, sign, says, more] = [...(cell?.children ?? [])];
  if (!(cell instanceof HTMLElement) || !fold || !sign || !says || !more) return;
  // What lies very deep would have no room for its name.
  cell.style.paddingLeft = `${6 + Math.min(row.depth, 40) * 14}px`;
  fold.textContent = row.children === 0 ? '' : folded ? '▸' : '▾';
  sign.textContent = signs[row.span.type] ?? '·';
  says.textContent = row.span.name;
  more.textContent = [
    row.lost ? 'its parent is not here' : '',
    row.span.model ?? '',
    row.depth > 40 ? `level ${row.depth}` : '',
    row.errorsBelow > 0 && folded ? `✗ ${row.errorsBelow} below` : '',
  ]
    .filter((one) => one !== '')
    .join(' · ');
  cell.title = row.span.name;
};

const fillRow = (element: HTMLElement, place: number, props: TreeProps) => {
  const row = props.rows[place];
  if (row === undefined) return;
  const folded = props.folded.has(row.span.id);
  element.dataset['key'] = row.span.id;
  element.id = `span-${row.span.id}`;
  element.ariaLevel = String(row.depth + 1);
  element.ariaExpanded = row.children === 0 ? null : String(!folded);
  const [name, bars, ...numbers] = [...element.children];
  fillName(name, row, folded);
  const time = bars?.firstElementChild;
  if (time instanceof HTMLElement) {
    const { left, width } = barOf(props.scale, row.span);
    time.style.left = `${left}%`;
    time.style.width = `max(2px, ${width}%)`;
    time.className = `time ${row.span.type}`;
  }
  const failed = row.span.error !== undefined;
  element.classList.toggle('slow', row.span.type !== 'trace' && isSlow(row, props.scale));
  element.classList.toggle('failed', failed);
  const texts = textsOf(row);
  numbers.forEach((cell, at) => {
    cell.textContent = (at === 0 && failed ? '✗ ' : '') + (texts[at] ?? '');
  });
  markRow(element, props);
};

const press = (event: MouseEvent, { onChoose, onFold }: TreeProps) => {
  if (!(event.target instanceof Element)) return;
  const id = event.target.closest<HTMLElement>('[data-key]')?.dataset['key'];
  if (id === undefined) return;
  if (event.target.classList.contains('fold')) onFold(id);
  else onChoose(id);
};

const usePool = (props: TreeProps) => {
  const { scroller, body, pool, latest } = useRowPool(props, makeRow, fillRow);
  useLayoutEffect(
    () => pool.current?.refresh(props.rows.length),
    [props.rows, props.folded, props.scale.from, props.scale.lastsMs],
  );
  useLayoutEffect(() => {
    pool.current?.each((row) => markRow(row, latest.current));
    const place = props.rows.findIndex(({ span }) => span.id === props.chosen);
    if (place >= 0) pool.current?.show(place);
  }, [props.chosen, props.rows.length === 0]);
  return { scroller, body };
};

const Head = ({ scale }: { scale: TimeScale }) => (
  <div class="row head span-row" role="row">
    <div class="name" role="columnheader">
      span
    </div>
    <div class="bars" role="columnheader" aria-label="Time">
      {marksOf(scale).map((ms) => (
        <span
          key={ms}
          class="mark-at"
          style={{ left: `${barOf(scale, { start: scale.from, end: scale.from + ms }).width}%` }}
        >
          {formatDuration(ms)}
        </span>
      ))}
    </div>
    {['duration', 'tokens', 'cost'].map((name) => (
      <div key={name} class="number" role="columnheader">
        {name}
      </div>
    ))}
  </div>
);

export const SpanTree = (props: TreeProps) => {
  const { scroller, body } = usePool(props);
  return (
    <div
      class="runs spans"
      ref={scroller}
      role="treegrid"
      aria-label="Spans"
      aria-rowcount={props.rows.length + 1}
      tabIndex={0}
    >
      <div role="rowgroup" class="head-group">
        <Head scale={props.scale} />
      </div>
      <div class="body" ref={body} role="rowgroup" onClick={(event) => press(event, props)} />
    </div>
  );
};
