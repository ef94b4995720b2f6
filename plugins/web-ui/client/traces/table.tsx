// The virtual list of traces.
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { addressIn, pathOf } from '../../pure/address.js';
import { scoreOf, sortFieldOf, type WantedTraces } from '../../pure/trace-list.js';
import { useRowPool } from '../runs/use-row-pool.js';
import { going, isGoing } from '../shell/delete-soon.js';
import { cellText, isNumeric, wholeText, widthOf } from './cells.js';
import type { TraceRows } from './rows.js';

export interface TraceTableProps {
  readonly base: readonly string[];
  readonly rows: TraceRows | undefined;
  readonly columns: readonly string[];
  readonly sort: WantedTraces['sort'];
  readonly picked: ReadonlySet<string>;
  readonly cursor: string | undefined;
  readonly need: (place: number) => void;
  readonly onSort: (column: string) => void;
  readonly onPick: (id: string, upTo: boolean) => void;
  readonly onPeek: (id: string) => void;
  /** A cell of a column was pressed with the alt key: only traces with its value. */
  readonly onFilter: (column: string, id: string) => void;
  /** Whether the top of the list is seen. */
  readonly onTop: (atTop: boolean) => void;
}

const nameWidth = 190;
const cell = (className: string): HTMLElement => {
  const made = document.createElement('div');
  made.setAttribute('role', 'cell');
  made.className = className;
  return made;
};

const makeRow = (): HTMLElement => {
  const row = document.createElement('div');
  row.className = 'row';
  row.setAttribute('role', 'row');
  const name = cell('name');
  const box = document.createElement('input');
  box.type = 'checkbox';
  const link = document.createElement('a');
  link.dir = 'auto';
  link.append(document.createElement('span'));
  name.append(box, link);
  row.append(name);
  return row;
};

const markRow = (row: HTMLElement, { picked, cursor }: TraceTableProps) => {
  const id = row.dataset['key'] ?? '';
  row.classList.toggle('picked', picked.has(id));
  row.classList.toggle('cursor', id !== '' && id === cursor);
  const goes = isGoing('trace', id);
  row.classList.toggle('goes', goes);
  row.ariaDescription = goes ? 'being deleted' : null;
  const box = row.querySelector('input');
  if (box !== null) box.checked = picked.has(id);
};

const fillCells = (row: HTMLElement, of: TraceRows, place: number, columns: readonly string[]) => {
  const trace = of.at(place);
  while (row.childElementCount > columns.length + 1) row.lastElementChild?.remove();
  while (row.childElementCount < columns.length + 1) row.append(cell(''));
  columns.forEach((column, at) => {
    const element = row.children[at + 1];
    if (!(element instanceof HTMLElement)) return;
    element.dataset['at'] = String(at);
    element.dir = 'auto';
    element.className = isNumeric(column) ? 'number' : column === 'error' ? 'fault' : '';
    element.textContent = trace === undefined ? '' : cellText(column, trace, Date.now());
  });
};

const fillRow = (row: HTMLElement, place: number, props: TraceTableProps) => {
  const { rows, base } = props;
  if (rows === undefined) return;
  const trace = rows.at(place);
  if (trace === undefined) props.need(place);
  row.dataset['key'] = trace?.id ?? '';
  const [box, link] = [row.querySelector('input'), row.querySelector('a')];
  const name = trace === undefined ? '…' : (trace.name ?? trace.id);
  if (box !== null) {
    box.disabled = trace === undefined;
    box.ariaLabel = `Select ${name}`;
  }
  if (link?.firstElementChild) {
    link.href = trace === undefined ? '' : addressIn(pathOf(...base, 'trace', trace.id));
    link.firstElementChild.textContent = name;
    link.title = name;
  }
  fillCells(row, rows, place, props.columns);
  markRow(row, props);
};

const keyOf = (target: EventTarget | null): string =>
  target instanceof Element
    ? (target.closest<HTMLElement>('[data-key]')?.dataset['key'] ?? '')
    : '';

const press = (event: MouseEvent, props: TraceTableProps) => {
  const id = keyOf(event.target);
  if (id === '' || !(event.target instanceof HTMLElement)) return;
  if (event.target instanceof HTMLInputElement) {
    event.preventDefault();
    props.onPick(id, event.shiftKey);
  } else if (event.target.closest('a') === null) {
    const column = props.columns[Number(event.target.dataset['at'])];
    if (event.altKey && column !== undefined) props.onFilter(column, id);
    else props.onPeek(id);
  }
};

const tellWhole = (event: MouseEvent, { rows, columns }: TraceTableProps) => {
  const trace = rows?.at(rows.placeOf(keyOf(event.target)));
  if (trace === undefined || !(event.target instanceof HTMLElement)) return;
  const column = columns[Number(event.target.dataset['at'])];
  if (column !== undefined) event.target.title = wholeText(column, trace);
};

const Head = ({ columns, sort, onSort }: TraceTableProps) => (
  <div class="row head" role="row">
    {['name', ...columns].map((column) => {
      const sorted = sort?.column === column;
      const label = scoreOf(column) ?? column;
      return (
        <div
          key={column}
          role="columnheader"
          class={column === 'name' ? 'name' : isNumeric(column) ? 'number' : ''}
          aria-sort={sorted ? (sort.descending ? 'descending' : 'ascending') : undefined}
        >
          {sortFieldOf(column) === undefined ? (
            label
          ) : (
            <button type="button" onClick={() => onSort(column)}>
              {label}
              {sorted ? (sort.descending ? ' ↓' : ' ↑') : ''}
            </button>
          )}
        </div>
      );
    })}
  </div>
);

/** The rows on the screen, filled again when what they show changes. */
const usePool = (props: TraceTableProps) => {
  const { scroller, body, pool, latest } = useRowPool(props, makeRow, fillRow);
  useLayoutEffect(
    () => pool.current?.refresh(props.rows?.count ?? 0),
    [props.rows, props.columns.join()],
  );
  useEffect(
    () => pool.current?.each((row) => markRow(row, latest.current)),
    [...[props.picked, going.value]],
  );
  useEffect(() => {
    pool.current?.each((row) => markRow(row, latest.current));
    const place = props.rows?.placeOf(props.cursor ?? '') ?? -1;
    if (place >= 0) pool.current?.show(place);
  }, [props.cursor]);
  return { scroller, body };
};

export const TraceTable = (props: TraceTableProps) => {
  const { scroller, body } = usePool(props);
  const { columns, rows } = props;
  const widths = [
    `minmax(${nameWidth}px, 1.2fr)`,
    ...columns.map((one) =>
      one === 'input' || one === 'output' ? `minmax(${widthOf(one)}px, 2fr)` : `${widthOf(one)}px`,
    ),
  ];
  const least = nameWidth + columns.reduce((sum, one) => sum + widthOf(one), 0);
  return (
    <div
      class="runs"
      ref={scroller}
      role="table"
      aria-label="Traces"
      aria-rowcount={(rows?.total ?? 0) + 1}
      tabIndex={0}
      style={{ '--columns': widths.join(' '), '--least': `${least}px` }}
      onScroll={({ currentTarget }) => props.onTop(currentTarget.scrollTop < 4)}
    >
      <div role="rowgroup">
        <Head {...props} />
      </div>
      <div
        class="body"
        ref={body}
        role="rowgroup"
        onClick={(event) => press(event, props)}
        onMouseOver={(event) => tellWhole(event, props)}
      />
    </div>
  );
};
