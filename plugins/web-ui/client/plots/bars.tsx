// A bar for each run, or, of groups, the mean of each with its deviation.
import { labelOf, readColumn, writeColumn } from '../../pure/columns.js';
import { formatNumber } from '../../pure/format.js';
import { colourOf } from '../charts/colours.js';
import { groupKey } from '../../pure/panel-drawing.js';
import { hovered } from '../charts/panel.js';
import { groupsBy } from '../runs/grouped.js';

import { query, setQuery } from '../state.js';
import type { PlotProps } from './props.js';
import { SavePlot, useWidth } from './sheet.js';

const most = 60;
const step = 22;

interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
  readonly deviation: number | undefined;
}

const meanOf = (key: string, name: string, values: readonly number[]): Bar => {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return {
    key,
    name: `${name} (${values.length})`,
    value: mean,
    deviation: values.length < 2 ? undefined : Math.sqrt(squares / (values.length - 1)),
  };
};

export const Bars = ({ rows, columns, by, dark, nameOf }: PlotProps) => {
  const { at, width } = useWidth();
  const numeric = columns.filter(({ kind }) => kind === 'metric');
  const named = readColumn(query.value.get('py') ?? '');
  const y =
    numeric.find((one) => named !== undefined && writeColumn(one) === writeColumn(named)) ??
    numeric[0];
  const values = y === undefined ? [] : (rows?.values[columns.indexOf(y)] ?? []);
  const place = new Map(rows?.keys.map((key, row) => [key, row]));
  const numberOf = (key: string) => values[place.get(key) ?? -1];
  const keys = (rows?.keys ?? []).filter((key) => typeof numberOf(key) === 'number');
  const groups = rows === undefined ? undefined : groupsBy({ rows, columns, by }, keys);
  const bars: readonly Bar[] = (
    groups === undefined
      ? keys.map((key) => ({
          key,
          name: nameOf(key),
          value: Number(numberOf(key)),
          deviation: undefined,
        }))
      : groups.map(({ name, runs }) =>
          meanOf(
            groupKey(name),
            name,
            runs.map((key) => Number(numberOf(key))),
          ),
        )
  ).slice(0, most);
  const [low, high] = [
    Math.min(0, ...bars.map(({ value, deviation = 0 }) => value - deviation)),
    Math.max(0, ...bars.map(({ value, deviation = 0 }) => value + deviation)),
  ];
  const toX = (value: number) => 170 + ((value - low) / (high - low || 1)) * (width - 290);
  const height = bars.length * step + 8;
  return (
    <section class="panel plot">
      <header>
        <h2>Bars</h2>
        <SavePlot name="bars" />
      </header>
      <div class="controls">
        <label class="slide">
          value
          <select
            value={y === undefined ? '' : writeColumn(y)}
            onChange={({ currentTarget }) => setQuery({ py: currentTarget.value })}
          >
            {numeric.map((one) => (
              <option key={writeColumn(one)} value={writeColumn(one)}>
                {labelOf(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div ref={at}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={`${y?.name ?? 'no metric'} of ${bars.length} ${by === undefined ? 'runs' : 'groups'}`}
        >
          {bars.map(({ key, name, value, deviation }, row) => {
            const y0 = row * step + 4;
            const [from, to] = [toX(Math.min(0, value)), toX(Math.max(0, value))];
            return (
              <g
                key={key}
                onPointerEnter={() => {
                  hovered.value = key;
                }}
              >
                <text x={162} y={y0 + 14} text-anchor="end" fill="currentColor">
                  {name.length > 24 ? `${name.slice(0, 10)}…${name.slice(-13)}` : name}
                </text>
                <rect
                  x={from}
                  y={y0 + 2}
                  width={Math.max(1, to - from)}
                  height={step - 7}
                  rx={2}
                  fill={colourOf(key, dark)}
                />
                {deviation === undefined ? null : (
                  <path
                    stroke="currentColor"
                    d={`M${toX(value - deviation)} ${y0 + 9}H${toX(value + deviation)}`}
                  />
                )}
                <text
                  x={toX(Math.max(value + (deviation ?? 0), 0)) + 6}
                  y={y0 + 14}
                  fill="currentColor"
                  fill-opacity="0.75"
                >
                  {formatNumber(Number(value.toPrecision(4)))}
                  {deviation === undefined
                    ? ''
                    : ` ± ${formatNumber(Number(deviation.toPrecision(2)))}`}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <footer>
        {by === undefined
          ? `${bars.length} of ${rows?.total ?? 0} runs, in the order of the table`
          : `mean ± deviation of ${keys.length} of ${rows?.total ?? 0} runs`}
      </footer>
    </section>
  );
};
