// A virtual table of rows that are all there: elements for those on the screen alone. Stored text becomes text and nothing else.
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { useRowPool } from '../runs/use-row-pool.js';
import { addressIn } from '../../pure/address.js';

export interface GridColumn {
  readonly label: string;
  /** How wide it is at least, in pixels; those that grow share what is left. */
  readonly width: number;
  readonly grows?: boolean;
  /** Whether it holds figures. */
  readonly numeric?: boolean;
}
export interface GridCell {
  readonly text: string;
  /** Classes that say what it is. */
  readonly kind?: string;
}
export interface GridRow {
  readonly key: string;
  /** Where it leads. */
  readonly address: string;
  /** By column, the first of them its name. */
  readonly cells: readonly GridCell[];
}

export interface GridProps {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  /** How many rows there are. */
  readonly count: number;
  /** The row at a place; nothing while it is on its way. */
  readonly at: (place: number) => GridRow | undefined;
  /** Changes when the rows do. */
  readonly of: unknown;
  /** The place of the row one is at. */
  readonly cursor: number | undefined;
  readonly onOpen: (key: string) => void;
}

const cell = (role: string): HTMLElement => {
  const made = document.createElement('div');
  made.setAttribute('role', role);
  made.dir = 'auto';
  return made;
};

const makeRow = (): HTMLElement => {
  const row = document.createElement('div');
  row.className = 'row';
  row.setAttribute('role', 'row');
  const name = cell('cell');
  name.className = 'name';
  const link = document.createElement('a');
  link.append(document.createElement('span'));
  name.append(link);
  row.append(name);
  return row;
};

const fillRow = (row: HTMLElement, place: number, { at, columns, cursor }: GridProps) => {
  const found = at(place);
  row.dataset['key'] = found?.key ?? '';
  row.dataset['place'] = String(place);
  row.classList.toggle('cursor', place === cursor);
  const link = row.querySelector('a');
  if (link?.firstElementChild) {
    link.href = addressIn(found?.address ?? '');
    link.firstElementChild.textContent = found?.cells[0]?.text ?? '…';
    link.title = found?.cells[0]?.text ?? '';
  }
  while (row.childElementCount > columns.length) row.lastElementChild?.remove();
  while (row.childElementCount < columns.length) row.append(cell('cell'));
  for (let column = 1; column < columns.length; column++) {
    const element = row.children[column];
    const shown = found?.cells[column];
    if (!(element instanceof HTMLElement)) continue;
    element.className = shown?.kind ?? '';
    element.textContent = shown?.text ?? '';
    element.title = shown?.text ?? '';
  }
};

/** The rows on the screen, filled again when what they show changes. */
const usePool = (props: GridProps) => {
  const { scroller, body, pool } = useRowPool(props, makeRow, fillRow);
  useLayoutEffect(
    () => pool.current?.refresh(props.count),
    [props.of, props.count, props.columns.map(({ label }) => label).join('\n')],
  );
  useEffect(() => {
    pool.current?.each((row) =>
      row.classList.toggle('cursor', row.dataset['place'] === String(props.cursor)),
    );
    if (props.cursor !== undefined) pool.current?.show(props.cursor);
  }, [props.cursor]);
  return { scroller, body };
};

export const Grid = (props: GridProps) => {
  const { scroller, body } = usePool(props);
  const { label, columns, count, onOpen } = props;
  const widths = columns.map(({ width, grows }) =>
    grows === true ? `minmax(${width}px, ${width}fr)` : `${width}px`,
  );
  const least = columns.reduce((sum, { width }) => sum + width, 0);
  const open = (event: MouseEvent) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(target instanceof Element)) return;
    const key = target.closest<HTMLElement>('[data-key]')?.dataset['key'] ?? '';
    if (key === '') return;
    event.preventDefault();
    onOpen(key);
  };
  return (
    <div
      class="runs"
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={count + 1}
      tabIndex={0}
      style={{ '--columns': widths.join(' '), '--least': `${least}px` }}
    >
      <div role="rowgroup">
        <div class="row head" role="row">
          {columns.map(({ label: column, numeric }, at) => (
            <div
              key={at}
              role="columnheader"
              class={at === 0 ? 'name' : numeric === true ? 'number' : ''}
              title={column}
            >
              {column}
            </div>
          ))}
        </div>
      </div>
      <div class="body" ref={body} role="rowgroup" onClick={open} />
    </div>
  );
};
