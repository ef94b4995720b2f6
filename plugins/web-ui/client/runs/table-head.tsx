// The head of the table: order, which value of a metric, and what can be done to a column.
import { useRef, useState } from 'preact/hooks';
import {
  labelOf,
  sameColumn,
  usualDirection,
  withValue,
  writeColumn,
  type RunColumn,
} from '../../pure/columns.js';
import { nameColumn } from '../../pure/run-page.js';
import { Menu } from '../shell/menu.js';
import { keepDirection, keptDirection } from './kept.js';
import { isNumeric } from './table-row.js';
import type { TableProps } from './table-props.js';

/** An edge that is dragged, or moved by the arrow keys, to make a column wider. */
const Grip = ({
  label,
  width,
  onWidth,
}: {
  label: string;
  width: number;
  onWidth: (width: number) => void;
}) => {
  const from = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  const moved = (event: PointerEvent) =>
    Math.max(40, (from.current?.width ?? width) + event.clientX - (from.current?.x ?? 0));
  return (
    <span
      class="grip"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={width}
      aria-valuemin={40}
      aria-valuemax={1000}
      tabIndex={0}
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onKeyDown={({ key }) => {
        const step = { ArrowLeft: -16, ArrowRight: 16 }[key];
        if (step !== undefined) onWidth(Math.max(40, width + step));
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        from.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerUp={(event) => {
        if (from.current !== undefined) onWidth(moved(event));
        from.current = undefined;
      }}
    />
  );
};

const ends = { minimize: 'lowest', maximize: 'highest' } as const;

const ColumnMenu = ({
  column,
  at,
  props,
  onClose,
}: {
  column: RunColumn;
  at: Element;
  props: TableProps;
  onClose: () => void;
}) => {
  const { acts, shown } = props;
  const place = shown.indexOf(column);
  const [before, after] = [shown[place - 1], shown[place + 1]];
  const entries: readonly (readonly [string, (() => void) | undefined])[] = [
    [acts.isPinned(column) ? 'Unpin' : 'Pin to the left', () => acts.pin(column)],
    ['Move left', before === undefined ? undefined : () => acts.place(column, before)],
    ['Move right', after === undefined ? undefined : () => acts.place(column, after)],
    ['Hide', () => acts.hide(column)],
    ...(column.kind === 'metric' ? [bestOf(column, props)] : []),
    ['Group by this', column.kind === 'metric' ? undefined : () => props.onGroup(column)],
  ];
  return <Menu at={at} label={`Column ${column.name}`} entries={entries} onClose={onClose} />;
};

/** Shows the best value; where it is shown, says that the other end is the better. */
const bestOf = (column: RunColumn, { onValue }: TableProps): readonly [string, () => void] => {
  const { name, direction } = column;
  const next =
    direction === undefined
      ? (keptDirection(name) ?? usualDirection(name))
      : direction === 'minimize'
        ? 'maximize'
        : 'minimize';
  return [
    direction === undefined ? 'Show the best' : `Best is the ${ends[next]}`,
    () => {
      if (direction !== undefined) keepDirection(name, next);
      onValue(column, withValue(column, 'best', next));
    },
  ];
};

export const TableHead = (props: TableProps) => {
  const { shown, columns, rows, sort, pins, onSort, onValue, acts, widthOf } = props;
  const [menu, setMenu] = useState<{ readonly column: RunColumn; readonly at: Element }>();
  const dragged = useRef<RunColumn | undefined>(undefined);
  const order = (column: RunColumn) =>
    sort === undefined || writeColumn(sort.column) !== writeColumn(column)
      ? 'none'
      : sort.descending
        ? 'descending'
        : 'ascending';
  const arrow = (column: RunColumn) =>
    ({ none: '', descending: ' ↓', ascending: ' ↑' })[order(column)];
  const numeric = (column: RunColumn) =>
    isNumeric(
      column,
      rows?.values[columns.indexOf(column)]?.find((one) => one !== null),
    );
  return (
    <div class="row head" role="row">
      <div class="name" role="columnheader" aria-sort={order(nameColumn)}>
        <input
          type="checkbox"
          aria-label="Select all runs of this query"
          checked={props.all}
          onChange={props.onAll}
        />
        <button type="button" onClick={() => onSort(nameColumn)}>
          name{arrow(nameColumn)}
        </button>
      </div>
      {shown.map((column, at) => (
        <div
          key={writeColumn(column)}
          class={`${numeric(column) ? 'number' : ''} ${pins[at] === undefined ? '' : 'pinned'}`}
          style={pins[at] === undefined ? {} : { left: `${pins[at]}px` }}
          role="columnheader"
          aria-sort={order(column)}
          draggable
          onDragStart={() => {
            dragged.current = column;
          }}
          onDragOver={(event) => event.preventDefault()}
          onDrop={() => {
            const moved = dragged.current;
            dragged.current = undefined;
            if (moved !== undefined && !sameColumn(moved)(column)) acts.place(moved, column);
          }}
        >
          <button type="button" title={`Sort by ${labelOf(column)}`} onClick={() => onSort(column)}>
            {column.name}
            {arrow(column)}
          </button>
          {column.kind === 'metric' ? (
            <button
              type="button"
              class="which"
              title={`Last, best, smallest or largest value${
                column.direction === undefined ? '' : `; the best is the ${ends[column.direction]}`
              }`}
              onClick={() => onValue(column)}
            >
              {column.value ?? 'last'}
            </button>
          ) : null}
          <button
            type="button"
            class="more"
            aria-label={`What can be done to ${column.name}`}
            onClick={({ currentTarget }) => setMenu({ column, at: currentTarget })}
          >
            ⋮
          </button>
          <Grip
            label={column.name}
            width={widthOf(column)}
            onWidth={(width) => acts.resize(column, width)}
          />
        </div>
      ))}
      {menu === undefined ? null : (
        <ColumnMenu {...menu} props={props} onClose={() => setMenu(undefined)} />
      )}
    </div>
  );
};
