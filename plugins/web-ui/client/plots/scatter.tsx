// A dot for each run: one column against another, coloured by a third.
import { useMemo } from 'preact/hooks';
import { labelOf, type RunColumn } from '../../pure/columns.js';
import { formatNumber } from '../../pure/format.js';
import { axisOf, sequential } from '../../pure/plots.js';
import { trendOf } from '../../pure/statistics.js';
import { hovered } from '../charts/panel.js';
import { query, setQuery, visit } from '../state.js';
import type { PlotProps } from './props.js';
import { chosenColumn, ColumnChoice, LogToggle, PlotFrame, SavePlot, useWidth } from './sheet.js';

const height = 380;
const [left, right, top, bottom] = [64, 16, 12, 34];

export const Scatter = ({ rows, columns, dark, nameOf, addressOf }: PlotProps) => {
  const { at, width } = useWidth();
  const usable = columns.filter(({ kind, name }) => kind !== 'metadata' || name === 'duration');
  const metrics = usable.filter(({ kind }) => kind === 'metric');
  const x = chosenColumn(
    'px',
    usable,
    usable.find(({ kind }) => kind === 'parameter') ?? metrics[1],
  );
  const y = chosenColumn('py', usable, metrics[0]);
  const colour = chosenColumn('pc', usable, metrics[1] ?? metrics[0]);
  const valuesOf = (column: RunColumn | undefined) =>
    column === undefined ? [] : (rows?.values[columns.indexOf(column)] ?? []);
  const flag = (name: string) => (query.value.get(name) === '1' ? true : undefined);
  const [xs, ys, cs] = [valuesOf(x), valuesOf(y), valuesOf(colour)];
  const [xAxis, yAxis, cAxis] = [
    axisOf(xs, formatNumber, flag('logx')),
    axisOf(ys, formatNumber, flag('logy') ?? false),
    axisOf(cs, formatNumber),
  ];
  const dots = useMemo(
    () =>
      (rows?.keys ?? []).flatMap((key, row) => {
        const [a, b, c] = [xAxis.place(xs[row]), yAxis.place(ys[row]), cAxis.place(cs[row])];
        return a === undefined || b === undefined
          ? []
          : [{ key, a, b, fill: c === undefined ? 'currentColor' : sequential(c, dark) }];
      }),
    [rows, x, y, colour, dark, query.value],
  );
  const trended = query.value.get('trend') === '1';
  const trend =
    trended && xAxis.numeric && yAxis.numeric
      ? trendOf(dots.map(({ a, b }) => [a, b] as const))
      : undefined;
  const toX = (part: number) => left + part * (width - left - right);
  const toY = (part: number) => height - bottom - part * (height - top - bottom);
  const under = dots.find(({ key }) => key === hovered.value);
  return (
    <section class="panel plot">
      <header>
        <h2>Scatter</h2>
        <span class="under">{under === undefined ? '' : nameOf(under.key)}</span>
        <SavePlot name="scatter" />
      </header>
      <div class="controls">
        <ColumnChoice label="x" name="px" value={x} columns={usable} />
        <ColumnChoice label="y" name="py" value={y} columns={usable} />
        <ColumnChoice label="colour" name="pc" value={colour} columns={usable} />
        <LogToggle name="logx" label="log x" />
        <LogToggle name="logy" label="log y" />
        <button
          type="button"
          title="The straight line that lies nearest to the dots"
          aria-pressed={trended}
          onClick={() => setQuery({ trend: trended ? undefined : '1' })}
        >
          trend
        </button>
      </div>
      <PlotFrame
        {...{ at, width, height }}
        label={`${dots.length} runs, ${x?.name ?? ''} against ${y?.name ?? ''}`}
      >
        {yAxis.ticks.map(({ at: place, label }) => (
          <g key={`y${label}${place}`} fill="currentColor">
            <path
              stroke="currentColor"
              stroke-opacity="0.12"
              d={`M${left} ${toY(place)}H${width - right}`}
            />
            <text x={left - 6} y={toY(place) + 4} text-anchor="end" fill-opacity="0.75">
              {label.slice(0, 10)}
            </text>
          </g>
        ))}
        {xAxis.ticks.map(({ at: place, label }) => (
          <text
            key={`x${label}${place}`}
            x={toX(place)}
            y={height - 18}
            text-anchor="middle"
            fill="currentColor"
            fill-opacity="0.75"
          >
            {label.slice(0, 12)}
          </text>
        ))}
        <text x={width / 2} y={height - 3} text-anchor="middle" fill="currentColor">
          {x?.name ?? ''}
        </text>
        {trend === undefined ? null : (
          <path
            stroke="currentColor"
            stroke-dasharray="6 4"
            d={`M${toX(0)} ${toY(trend.from)}L${toX(1)} ${toY(trend.from + trend.slope)}`}
          />
        )}
        {dots.map(({ key, a, b, fill }) => (
          <circle
            key={key}
            cx={toX(a)}
            cy={toY(b)}
            r={key === under?.key ? 7 : 4.5}
            fill={fill}
            fill-opacity="0.85"
            onPointerEnter={() => {
              hovered.value = key;
            }}
            onClick={() => visit(addressOf(key))}
          />
        ))}
      </PlotFrame>
      <footer>
        {`${dots.length} of ${rows?.total ?? 0} runs have both values · colour: ${colour === undefined ? '' : labelOf(colour)}`}
        {!trended
          ? ''
          : trend === undefined
            ? ' · no trend: three numbers of each are needed'
            : ` · trend ${trend.slope < 0 ? 'down' : 'up'}, r² ${trend.fit.toFixed(2)}`}
      </footer>
    </section>
  );
};
