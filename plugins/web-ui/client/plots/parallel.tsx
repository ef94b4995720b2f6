// Parallel coordinates: a line for each run across an axis for each column that differs. Dragging along an axis asks for the runs in between.
import { useMemo, useRef, useState } from 'preact/hooks';
import { readList, writeList } from '../../pure/address.js';
import { labelOf, differs, writeColumn, type RunColumn } from '../../pure/columns.js';
import { formatNumber, shortened } from '../../pure/format.js';
import { axisOf, sequential, type Axis } from '../../pure/plots.js';
import { hovered } from '../charts/panel.js';
import { query, setQuery } from '../state.js';

import { SavePlot, useWidth } from './sheet.js';
import type { PlotProps } from './props.js';

const height = 340;
const [top, bottom] = [34, 16];
const mostAxes = 12;
/** Axes that are nearer to each other cannot be read: the sheet is then wider than the screen, and scrolls. */
const leastApart = 84;
const letterPx = 7.5;
const yOf = (place: number) => height - bottom - place * (height - top - bottom);

/** Names of the axes that are logarithmic, and of those that are not, whatever is usual for their values. */
const [logMember, plainMember] = ['logaxes', 'plainaxes'] as const;
const namedBy = (member: string) => readList(query.value.get(member));

interface Drawn {
  readonly column: RunColumn;
  readonly values: readonly unknown[];
  readonly axis: Axis;
}

/** Axes in the order of the address, those that it does not name after them. */
const ordered = (axes: readonly Drawn[], names: readonly string[]): readonly Drawn[] => {
  const placeOf = ({ column }: Drawn) => {
    const at = names.indexOf(writeColumn(column));
    return at < 0 ? names.length : at;
  };
  return [...axes].sort((a, b) => placeOf(a) - placeOf(b));
};

const useAxes = ({ rows, columns }: PlotProps) => {
  const order = query.value.get('axes');
  const [logs, plains] = [namedBy(logMember), namedBy(plainMember)];
  return useMemo(() => {
    const found = columns
      .map((column) => ({ column, values: rows?.values[columns.indexOf(column)] ?? [] }))
      .filter(({ column, values }) => column.kind !== 'metadata' && differs(values));
    return {
      count: found.length,
      axes: ordered(
        found
          .slice(0, mostAxes)
          .sort((a, b) => Number(a.column.kind === 'metric') - Number(b.column.kind === 'metric'))
          .map((one): Drawn => {
            const name = writeColumn(one.column);
            const log = logs.includes(name) ? true : plains.includes(name) ? false : undefined;
            return { ...one, axis: axisOf(one.values, formatNumber, log) };
          }),
        readList(order),
      ),
    };
  }, [rows, columns, order, logs.join(), plains.join()]);
};

/** An axis on which a part can be chosen by dragging. */
const Rule = ({
  of: { column, axis },
  x,
  letters,
  onBrush,
}: {
  of: Drawn;
  x: number;
  /** For which there is room up to the next axis. */
  letters: number;
  onBrush: PlotProps['onBrush'];
}) => {
  const from = useRef<number | undefined>(undefined);
  const [part, setPart] = useState<readonly [number, number]>();
  const placeOf = (event: PointerEvent): number => {
    const box = (event.currentTarget as Element).getBoundingClientRect(); // the strip along the axis
    return Math.max(0, Math.min(1, 1 - (event.clientY - box.top) / box.height));
  };
  return (
    <g>
      <path stroke="currentColor" stroke-opacity="0.35" d={`M${x} ${yOf(0)}V${yOf(1)}`} />
      {axis.ticks.map(({ at, label }) => (
        <text
          key={label}
          class="over-lines"
          x={x + 5}
          y={yOf(at) + 4}
          font-size="10"
          fill="currentColor"
          fill-opacity="0.75"
        >
          {shortened(label, letters)}
        </text>
      ))}
      <text x={x} y={16} text-anchor="middle" font-weight="600" fill="currentColor">
        <title>{labelOf(column)}</title>
        {shortened(labelOf(column), letters)}
      </text>
      {part === undefined ? null : (
        <rect
          x={x - 7}
          width={14}
          y={yOf(Math.max(...part))}
          height={Math.abs(yOf(part[0]) - yOf(part[1]))}
          fill="currentColor"
          fill-opacity="0.2"
        />
      )}
      <rect
        class="brush"
        x={x - 9}
        y={yOf(1)}
        width={18}
        height={yOf(0) - yOf(1)}
        fill="transparent"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = placeOf(event);
        }}
        onPointerMove={(event) => {
          if (from.current !== undefined) setPart([from.current, placeOf(event)]);
        }}
        onPointerUp={(event) => {
          const [a, b] = [from.current ?? 0, placeOf(event)];
          from.current = undefined;
          setPart(undefined);
          if (!axis.numeric) onBrush(column, axis.valueAt(b), axis.valueAt(b));
          else if (Math.abs(a - b) > 0.01)
            onBrush(column, axis.valueAt(Math.min(a, b)), axis.valueAt(Math.max(a, b)));
        }}
      />
    </g>
  );
};

/** Makes an axis logarithmic, or one of equal steps again. */
const toggleLog = ({ column, axis }: Drawn) => {
  const name = writeColumn(column);
  const without = (member: string) => namedBy(member).filter((one) => one !== name);
  const list = (names: readonly string[]) => (names.length === 0 ? undefined : writeList(names));
  setQuery({
    [logMember]: list([...without(logMember), ...(axis.log ? [] : [name])]),
    [plainMember]: list([...without(plainMember), ...(axis.log ? [name] : [])]),
  });
};

/** The axes by their names; the arrow keys move one, a click moves it to the left. */
const Order = ({
  axes,
  onMove,
}: {
  axes: readonly Drawn[];
  onMove: (place: number, by: number) => void;
}) => (
  <div class="controls" role="group" aria-label="Order of the axes">
    {axes.map((of, place) => {
      const { column, axis } = of;
      return (
        <span key={writeColumn(column)}>
          <button
            type="button"
            class="quiet"
            title="← and → move the axis; a click moves it to the left"
            aria-label={`Axis ${labelOf(column)}, ${place + 1} of ${axes.length}`}
            onClick={() => onMove(place, -1)}
            onKeyDown={(event) => {
              const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
              if (by === undefined) return;
              event.preventDefault();
              onMove(place, by);
            }}
          >
            {labelOf(column).slice(-18)}
          </button>
          {axis.numeric && axis.positive ? (
            <button
              type="button"
              class="quiet"
              aria-label={`log axis ${labelOf(column)}`}
              aria-pressed={axis.log}
              onClick={() => toggleLog(of)}
            >
              log
            </button>
          ) : null}
        </span>
      );
    })}
  </div>
);

export const Parallel = (props: PlotProps) => {
  const { rows, dark, nameOf, onBrush } = props;
  const { at, width: room } = useWidth();
  const { axes, count } = useAxes(props);
  const width = Math.max(room, 110 + leastApart * (axes.length - 1));
  const apart = (width - 110) / Math.max(1, axes.length - 1);
  const colour = axes.at(-1);
  const move = (place: number, by: number) => {
    const names = axes.map(({ column }) => writeColumn(column));
    const [name] = names.splice(place, 1);
    if (name === undefined) return;
    names.splice(Math.max(0, Math.min(names.length, place + by)), 0, name);
    setQuery({ axes: writeList(names) });
  };
  const places = axes.map((_, place) => 40 + place * apart);
  const lines = useMemo(
    () =>
      (rows?.keys ?? []).map((key, row) => {
        const points = axes.flatMap(({ axis, values }, place) => {
          const part = axis.place(values[row]);
          return part === undefined ? [] : `${places[place]?.toFixed(1)} ${yOf(part).toFixed(1)}`;
        });
        const part = colour?.axis.place(colour.values[row]);
        return {
          key,
          d: points.length < 2 ? '' : `M${points.join('L')}`,
          stroke: part === undefined ? 'currentColor' : sequential(part, dark),
        };
      }),
    [rows, axes, width, dark],
  );
  const drawn = axes.length > 1;
  const under = lines.find(({ key }) => key === hovered.value);
  return (
    <section class="panel plot">
      <header>
        <h2>Parallel coordinates</h2>
        <span class="under">{under === undefined ? '' : nameOf(under.key)}</span>
        {drawn ? <SavePlot name="parallel" /> : null}
      </header>
      {drawn ? <Order axes={axes} onMove={move} /> : null}
      <div ref={at} class="scroll" tabIndex={0} role="group" aria-label="Axes side by side">
        {drawn ? (
          <svg
            viewBox={`0 0 ${width} ${height}`}
            width={width}
            height={height}
            role="img"
            aria-label={`${lines.length} runs across ${axes.map(({ column }) => column.name).join(', ')}`}
          >
            <g fill="none" stroke-opacity={under === undefined ? 0.65 : 0.2}>
              {lines.map(({ key, d, stroke }) => (
                <path
                  key={key}
                  d={d}
                  stroke={stroke}
                  onPointerEnter={() => {
                    hovered.value = key;
                  }}
                />
              ))}
            </g>
            {under === undefined ? null : (
              <path
                d={under.d}
                fill="none"
                stroke={under.stroke}
                stroke-width={3}
                pointer-events="none"
              />
            )}
            {axes.map((of, place) => (
              <Rule
                key={writeColumn(of.column)}
                of={of}
                x={places[place] ?? 0}
                letters={Math.min(18, Math.floor(apart / letterPx))}
                onBrush={onBrush}
              />
            ))}
          </svg>
        ) : null}
      </div>
      <footer>
        {!drawn
          ? 'at least two columns must differ; add some by “columns”'
          : `${lines.length} of ${rows?.total ?? 0} runs · ${count > axes.length ? `the first ${axes.length} of ${count} columns that differ · ` : ''}colour: ${colour === undefined ? '' : labelOf(colour.column)} · drag along an axis to filter`}
      </footer>
    </section>
  );
};
