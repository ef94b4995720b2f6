// The virtual table of runs.
import { useEffect, useRef } from 'preact/hooks';
import { writeColumn, type RunColumn } from '../../pure/columns.js';
import { hovered } from '../charts/panel.js';
import { isDark } from '../state.js';
import { rowPool, type RowPool } from './row-pool.js';
import { TableHead } from './table-head.js';
import type { TableAsk, TableProps } from './table-props.js';
import { fillRow, makeRow } from './table-row.js';

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

const click = (event: MouseEvent, props: TableProps) => {
  const [key, { target }] = [keyOf(event), event];
  if (key === undefined || !(target instanceof HTMLElement)) return;
  if (target instanceof HTMLInputElement) {
    event.preventDefault();
    props.onPick(key, event.shiftKey);
    return;
  }
  if (target instanceof HTMLAnchorElement) return;
  const column = props.shown[Number(target.dataset['at'])];
  const place = props.rows?.keys.indexOf(key) ?? -1;
  if (event.altKey && column !== undefined)
    props.onFilter(column, props.rows?.values[props.columns.indexOf(column)]?.[place]);
  else props.onPeek(key);
};

/** The rows on the screen, filled again when what they show changes. */
const usePool = (props: TableProps) => {
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
    [props.rows, props.shown, props.picked, props.cursor, props.pins.join(), dark],
  );
  useEffect(() => {
    const place = props.rows?.keys.indexOf(props.cursor ?? '') ?? -1;
    if (place >= 0) pool.current?.show(place);
  }, [props.cursor]);
  return { scroller, body };
};

export const RunTable = (ask: TableAsk) => {
  const props = placed(ask);
  const { scroller, body } = usePool(props);
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
