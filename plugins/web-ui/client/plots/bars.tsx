// A bar for each run, or, of groups, the mean of each with its deviation.
import { formatNumber } from '../../pure/format.js';
import {
  endsOf,
  figuresOf,
  meanText,
  readSpread,
  spreadText,
  spreadWords,
  type Spread,
} from '../../pure/spread.js';
import { colourOf } from '../charts/colours.js';
import { groupKey } from '../../pure/panel-drawing.js';
import { hovered } from '../charts/panel.js';
import { groupsBy } from '../runs/grouped.js';
import { query } from '../state.js';
import type { PlotProps } from './props.js';
import { chosenColumn, ColumnChoice, PlotFrame, SavePlot, useWidth } from './sheet.js';

const most = 60;
const step = 22;

interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
  /** From where to where the values of a group lie. */
  readonly ends: readonly [number, number] | undefined;
  readonly says: string;
}

const meanOf = (key: string, name: string, values: readonly number[], spread: Spread): Bar => {
  const figures = figuresOf(values);
  return {
    key,
    name: `${name} (${values.length})`,
    value: figures.mean ?? 0,
    ends: endsOf(figures, spread),
    says: `${meanText(figures)} ${spreadText(figures, spread)}`,
  };
};

export const Bars = ({ rows, columns, by, dark, nameOf }: PlotProps) => {
  const { at, width } = useWidth();
  const spread = readSpread(query.value.get('spread'));
  const numeric = columns.filter(({ kind }) => kind === 'metric');
  const y = chosenColumn('py', numeric, numeric[0]);
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
          ends: undefined,
          says: formatNumber(Number(Number(numberOf(key)).toPrecision(4))),
        }))
      : groups.map(({ name, runs }) =>
          meanOf(
            groupKey(name),
            name,
            runs.map((key) => Number(numberOf(key))),
            spread,
          ),
        )
  ).slice(0, most);
  const [low, high] = [
    Math.min(0, ...bars.map(({ value, ends }) => ends?.[0] ?? value)),
    Math.max(0, ...bars.map(({ value, ends }) => ends?.[1] ?? value)),
  ];
  // In halves: the largest numbers are further apart than numbers go.
  const toX = (value: number) =>
    170 + ((value / 2 - low / 2) / (high / 2 - low / 2 || 1)) * (width - 290);
  const height = bars.length * step + 8;
  return (
    <section class="panel plot">
      <header>
        <h2>Bars</h2>
        <SavePlot name="bars" />
      </header>
      <div class="controls">
        <ColumnChoice label="value" name="py" value={y} columns={numeric} />
      </div>
      <PlotFrame
        {...{ at, width, height }}
        label={`${y?.name ?? 'no metric'} of ${bars.length} ${groups === undefined ? 'runs' : 'groups'}`}
      >
        {bars.map(({ key, name, value, ends, says }, row) => {
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
              {ends === undefined ? null : (
                <path stroke="currentColor" d={`M${toX(ends[0])} ${y0 + 9}H${toX(ends[1])}`} />
              )}
              <text
                x={toX(Math.max(ends?.[1] ?? value, 0)) + 6}
                y={y0 + 14}
                fill="currentColor"
                fill-opacity="0.75"
              >
                {says}
              </text>
            </g>
          );
        })}
      </PlotFrame>
      <footer>
        {groups === undefined
          ? `${bars.length} of ${rows?.total ?? 0} runs, in the order of the table`
          : `${bars.length} of ${groups.length} groups, ${spreadWords[spread]} of ${keys.length} of ${rows?.total ?? 0} runs`}
      </footer>
    </section>
  );
};
