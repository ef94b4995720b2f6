// The virtual table of runs.
import { useEffect, useRef } from 'preact/hooks';
import { colourOf, formatAgo, formatNumber, formatSpan, formatValue } from '../../pure/format.js';
import { pathOf } from '../../pure/address.js';
import { writeColumn, type RunColumn } from '../../pure/columns.js';
import { hovered } from '../charts/panel.js';
import { isDark } from '../state.js';
import { rowPool, type RowPool } from './row-pool.js';
import type { RunRows, Sort } from './rows.js';

export interface TableProps {
  readonly workspace: string;
  readonly project: string;
  /** All columns that were asked for, and which of them are shown. */
  readonly columns: readonly RunColumn[];
  readonly shown: readonly RunColumn[];
  readonly rows: RunRows | undefined;
  readonly sort: Sort | undefined;
  readonly picked: ReadonlySet<string>;
  readonly onSort: (column: RunColumn) => void;
  readonly onPick: (key: string, upTo: boolean) => void;
  readonly onValue: (column: RunColumn) => void;
  readonly onFilter: (column: RunColumn, value: unknown) => void;
  readonly onMore: () => void;
}

const factWidths: Readonly<Record<string, number>> = {
  state: 92,
  start: 76,
  duration: 84,
  tags: 104,
};
const widthOf = ({ kind, name }: RunColumn): number =>
  kind === 'metadata'
    ? (factWidths[name] ?? 110)
    : Math.min(190, Math.max(84, 7 * name.length + (kind === 'metric' ? 54 : 24)));
const isNumeric = ({ kind }: RunColumn, value: unknown): boolean =>
  kind !== 'metadata' && typeof value === 'number';
export const labelOf = ({ name, value, kind }: RunColumn): string =>
  kind === 'metric' && value !== undefined && value !== 'last' ? `${name} (${value})` : name;

/** A value as its column shows it. */
export const showCell = ({ kind, name }: RunColumn, value: unknown, now: number): string => {
  if (value === null || value === undefined) return '';
  if (kind === 'metadata' && typeof value === 'number') {
    if (name === 'duration') return formatSpan(value);
    if (['start', 'end', 'lastSeen'].includes(name)) return formatAgo(value, now);
  }
  return typeof value === 'number' ? formatNumber(value) : formatValue(value);
};

const stateSigns: Readonly<Record<string, string>> = {
  running: '● ',
  finished: '✓ ',
  crashed: '✗ ',
};

const makeRow = (): HTMLElement => {
  const row = document.createElement('div');
  row.className = 'row';
  row.setAttribute('role', 'row');
  return row;
};

const cellAt = (row: HTMLElement, at: number): HTMLElement => {
  const there = row.children[at];
  if (there instanceof HTMLElement) return there;
  const cell = document.createElement('div');
  cell.setAttribute('role', 'cell');
  if (at === 0) {
    const box = document.createElement('input');
    box.type = 'checkbox';
    const link = document.createElement('a');
    cell.className = 'name';
    cell.append(box, document.createElement('i'), link);
  }
  row.append(cell);
  return cell;
};

/** Fills a row's elements; stored names become text only. */
const fillRow = (row: HTMLElement, place: number, props: TableProps): void => {
  const { rows, columns, shown, workspace, project, picked } = props;
  const key = rows?.keys[place];
  if (rows === undefined || key === undefined) return;
  const valueOf = (column: RunColumn) => rows.values[columns.indexOf(column)]?.[place];
  const now = Date.now();
  const first = cellAt(row, 0);
  const [box, dot, link] = first.children;
  const name = String(rows.values[0]?.[place] ?? key);
  row.dataset['key'] = key;
  row.classList.toggle('picked', picked.has(key));
  row.classList.toggle('hovered', hovered.peek() === key);
  if (box instanceof HTMLInputElement) {
    box.checked = picked.has(key);
    box.ariaLabel = `Select ${name}`;
  }
  if (dot instanceof HTMLElement) dot.style.background = colourOf(key, isDark.peek());
  if (link instanceof HTMLAnchorElement) {
    link.textContent = name;
    link.title = name;
    link.href = pathOf('w', workspace, 'p', project, 'run', key);
  }
  shown.forEach((column, at) => {
    const cell = cellAt(row, at + 1);
    const value = valueOf(column);
    const text = showCell(column, value, now);
    const sign = column.name === 'state' ? (stateSigns[text] ?? '') : '';
    cell.textContent = sign + text;
    cell.title = typeof value === 'number' ? String(value) : text;
    cell.className = isNumeric(column, value) ? 'number' : column.name === 'state' ? text : '';
    cell.dataset['at'] = String(at);
  });
  while (row.children.length > shown.length + 1) row.lastElementChild?.remove();
};

const Head = ({ shown, columns, rows, sort, onSort, onValue }: TableProps) => {
  const by = sort === undefined ? '' : writeColumn(sort.column);
  const arrow = (column: RunColumn) =>
    by === writeColumn(column) ? (sort?.descending === true ? ' ↓' : ' ↑') : '';
  const kindOf = (column: RunColumn) =>
    isNumeric(
      column,
      rows?.values[columns.indexOf(column)]?.find((one) => one !== null),
    )
      ? 'number'
      : '';
  const order = (column: RunColumn) =>
    by === writeColumn(column) ? (sort?.descending === true ? 'descending' : 'ascending') : 'none';
  const name: RunColumn = { kind: 'metadata', name: 'name' };
  return (
    <div class="row head" role="row">
      <div class="name" role="columnheader" aria-sort={order(name)}>
        <button type="button" onClick={() => onSort(name)}>
          name{arrow(name)}
        </button>
      </div>
      {shown.map((column) => (
        <div
          key={writeColumn(column)}
          class={kindOf(column)}
          role="columnheader"
          aria-sort={order(column)}
        >
          <button type="button" title={`Sort by ${labelOf(column)}`} onClick={() => onSort(column)}>
            {labelOf(column)}
            {arrow(column)}
          </button>
          {column.kind === 'metric' ? (
            <button
              type="button"
              class="which"
              title="Last, smallest or largest value"
              onClick={() => onValue(column)}
            >
              {column.value ?? 'last'}
            </button>
          ) : null}
        </div>
      ))}
    </div>
  );
};

export const RunTable = (props: TableProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const pool = useRef<RowPool | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const [at, inside] = [scroller.current, body.current];
    if (at === null || inside === null) return undefined;
    const made = rowPool(
      at,
      inside,
      makeRow,
      (row, place) => fillRow(row, place, latest.current),
      () => latest.current.onMore(),
    );
    pool.current = made;
    const leave = hovered.subscribe(() => made.refresh(latest.current.rows?.keys.length ?? 0));
    return () => {
      leave();
      made.remove();
    };
  }, []);
  const dark = isDark.value;
  useEffect(
    () => pool.current?.refresh(props.rows?.keys.length ?? 0),
    [props.rows, props.shown, props.picked, dark],
  );
  const keyOf = (event: Event) =>
    event.target instanceof Element
      ? event.target.closest<HTMLElement>('[data-key]')?.dataset['key']
      : undefined;
  const click = (event: MouseEvent) => {
    const [key, { target }] = [keyOf(event), event];
    if (key === undefined || !(target instanceof HTMLElement)) return;
    if (target instanceof HTMLInputElement) {
      event.preventDefault();
      props.onPick(key, event.shiftKey);
    } else if (event.altKey && target.dataset['at'] !== undefined) {
      const column = props.shown[Number(target.dataset['at'])];
      const place = props.rows?.keys.indexOf(key) ?? -1;
      if (column !== undefined)
        props.onFilter(column, props.rows?.values[props.columns.indexOf(column)]?.[place]);
    }
  };
  const widths = ['minmax(164px, 1.4fr)', ...props.shown.map((one) => `${widthOf(one)}px`)];
  const least = 164 + props.shown.reduce((sum, one) => sum + widthOf(one), 0);
  return (
    <div
      class="runs"
      ref={scroller}
      role="table"
      aria-label="Runs"
      aria-rowcount={(props.rows?.total ?? 0) + 1}
      tabIndex={0}
      style={{ '--columns': widths.join(' '), '--least': `${least}px` }}
    >
      <Head {...props} />
      <div
        class="body"
        ref={body}
        role="rowgroup"
        onClick={click}
        onMouseOver={(event) => {
          hovered.value = keyOf(event);
        }}
        onMouseLeave={() => {
          hovered.value = undefined;
        }}
      />
    </div>
  );
};
