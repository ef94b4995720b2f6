// The virtual table of runs.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { writeColumn, type RunColumn } from '../../pure/columns.js';
import { coloursChanged } from '../charts/colours.js';
import { hovered } from '../charts/panel.js';
import { isDark } from '../state.js';
import { usePageKeys } from '../page-keys.js';
import { lazy } from '../lazy.js';
import type { AtCell, AtRow, CellMenuProps, RowMenuProps } from './cell-menu.js';
import { useRowPool } from './use-row-pool.js';
import { useSparks } from './spark.js';
import { TableHead } from './table-head.js';
import type { TableAsk, TableProps } from './table-props.js';
import { fillRow, makeRow, markRow, tellWhole } from './table-row.js';

const RowMenu = lazy<RowMenuProps>(async () => (await import('./cell-menu.js')).RowMenu);
/** What can be done with a value; the menu for a row comes in the same file. */
export const CellMenu = lazy<CellMenuProps>(async () => (await import('./cell-menu.js')).CellMenu);

const factWidths: Readonly<Record<string, number>> = {
  state: 92,
  start: 76,
  duration: 98,
  tags: 104,
};
const nameWidth = 200;
const usualWidth = ({ kind, name }: RunColumn): number =>
  kind === 'metadata'
    ? (factWidths[name] ?? 110)
    : Math.min(190, Math.max(92, 7 * name.length + (kind === 'metric' ? 66 : 36)));

/** Props with the places of the columns. */
const placed = (ask: TableAsk): TableProps => {
  const { widths, shown, acts } = ask;
  const widthOf = (column: RunColumn) =>
    widths.get(writeColumn({ kind: column.kind, name: column.name })) ?? usualWidth(column);
  let left = nameWidth;
  const pins = shown.map((column) => {
    if (!acts.isPinned(column)) return undefined;
    const here = left;
    left += widthOf(column);
    return here;
  });
  return { ...ask, widthOf, pins };
};

const keyOf = (event: Event) =>
  event.target instanceof Element
    ? event.target.closest<HTMLElement>('[data-key]')?.dataset['key']
    : undefined;

/** The cell that an event is at. */
const cellOf = (event: Event, props: TableProps): AtCell | undefined => {
  const [key, { target }] = [keyOf(event), event];
  if (key === undefined || !(target instanceof HTMLElement)) return undefined;
  const column = props.shown[Number(target.dataset['at'])];
  const place = props.rows?.keys.indexOf(key) ?? -1;
  if (column === undefined) return undefined;
  return {
    at: target,
    column,
    value: props.rows?.values[props.columns.indexOf(column)]?.[place],
  };
};

const click = (event: MouseEvent, props: TableProps) => {
  const [key, { target }] = [keyOf(event), event];
  if (key === undefined || !(target instanceof HTMLElement)) return;
  if (target instanceof HTMLInputElement) {
    event.preventDefault();
    props.onPick(key, event.shiftKey);
    return;
  }
  if (target.closest('a') !== null) return;
  const cell = cellOf(event, props);
  if (event.altKey && cell !== undefined) props.onFilter(cell.column, cell.value, false);
  else props.onPeek(key);
};

const over = (event: MouseEvent, props: TableProps) => {
  const key = keyOf(event);
  hovered.value = key;
  const place = key === undefined ? -1 : (props.rows?.keys.indexOf(key) ?? -1);
  if (place < 0 || !(event.target instanceof HTMLElement)) return;
  if (event.target.dataset['at'] !== undefined) tellWhole(event.target, place, props);
  else event.target.closest('a')?.setAttribute('title', String(props.rows?.values[0]?.[place]));
};

/** The row that keys are at, with its values. */
const rowAt = (body: HTMLElement | null, props: TableProps): AtRow | undefined => {
  const { cursor, rows, columns, shown } = props;
  const at = body?.querySelector(`[data-key="${CSS.escape(cursor ?? '')}"]`);
  const place = rows?.keys.indexOf(cursor ?? '') ?? -1;
  if (at === null || at === undefined || place < 0) return undefined;
  const cells = shown.map((column) => ({
    column,
    value: rows?.values[columns.indexOf(column)]?.[place],
  }));
  return { at, cells };
};

/** The rows on the screen, filled again when what they show changes. */
const usePool = (props: TableProps) => {
  const { scroller, body, pool, latest } = useRowPool(props, makeRow, fillRow, ({ onMore }) =>
    onMore(),
  );
  useLayoutEffect(
    () => hovered.subscribe(() => pool.current?.each((row) => markRow(row, latest.current))),
    [],
  );
  const dark = isDark.value;
  useLayoutEffect(
    () => pool.current?.refresh(props.rows?.keys.length ?? 0),
    [
      props.rows,
      props.shown.map(writeColumn).join(),
      props.shown.map(props.widthOf).join(),
      props.pins.join(),
      props.picked,
      dark,
      coloursChanged.value,
    ],
  );
  useEffect(() => {
    pool.current?.each((row) => markRow(row, latest.current));
    const place = props.rows?.keys.indexOf(props.cursor ?? '') ?? -1;
    if (place >= 0) pool.current?.show(place);
  }, [props.cursor]);
  return { scroller, body };
};

export const RunTable = (ask: TableAsk) => {
  const props = placed(ask);
  const { scroller, body } = usePool(props);
  const [menu, setMenu] = useState<AtCell>();
  const [row, setRow] = useState<AtRow>();
  usePageKeys({
    f: () => setRow(rowAt(body.current, props)),
  });
  useSparks(
    body,
    props.shown.find(({ kind }) => kind === 'metric'),
  );
  const name = props.pins.some((one) => one !== undefined)
    ? `${nameWidth}px`
    : `minmax(${nameWidth}px, 1.4fr)`;
  const widths = [name, ...props.shown.map((one) => `${props.widthOf(one)}px`)];
  const least = nameWidth + props.shown.reduce((sum, one) => sum + props.widthOf(one), 0);
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
      <TableHead {...props} />
      <div
        class="body"
        ref={body}
        role="rowgroup"
        onClick={(event) => click(event, props)}
        onContextMenu={(event) => {
          const cell = cellOf(event, props);
          if (cell === undefined) return;
          event.preventDefault();
          setMenu(cell);
        }}
        onMouseOver={(event) => over(event, props)}
        onMouseLeave={() => {
          hovered.value = undefined;
        }}
      />
      {row === undefined ? null : (
        <RowMenu of={row} onFilter={props.onFilter} onClose={() => setRow(undefined)} />
      )}
      {menu === undefined ? null : (
        <CellMenu
          of={menu}
          onFilter={props.onFilter}
          onGroup={props.onGroup}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  );
};
