// Where the values of each group lie: a box around its middle half, lines to its ends, and a dot for each run.
import { formatNumber } from '../../pure/format.js';
import { groupKey } from '../../pure/panel-drawing.js';
import { axisOf } from '../../pure/plots.js';
import { boxOf, type Box } from '../../pure/statistics.js';
import { colourOf } from '../charts/colours.js';
import { hovered } from '../charts/panel.js';
import { groupsBy } from '../runs/grouped.js';
import { query, visit } from '../state.js';
import type { PlotProps } from './props.js';
import { chosenColumn, ColumnChoice, LogToggle, PlotFrame, SavePlot, useWidth } from './sheet.js';

const most = 40;
const [step, left, top] = [34, 170, 22];

interface Drawn {
  readonly name: string;
  readonly box: Box;
  readonly runs: readonly { readonly key: string; readonly value: number }[];
}

const saysOf = ({ name, box, runs }: Drawn): string =>
  `${name}: ${runs.length} runs, middle ${formatNumber(box.middle)}, half between ${formatNumber(box.first)} and ${formatNumber(box.third)}`;

export const Boxes = ({ rows, columns, by, dark, nameOf, addressOf }: PlotProps) => {
  const { at, width } = useWidth();
  const numeric = columns.filter(({ kind }) => kind === 'metric');
  const y = chosenColumn('py', numeric, numeric[0]);
  const values = y === undefined ? [] : (rows?.values[columns.indexOf(y)] ?? []);
  const place = new Map(rows?.keys.map((key, row) => [key, row]));
  const numberOf = (key: string) => values[place.get(key) ?? -1];
  const keys = (rows?.keys ?? []).filter((key) => typeof numberOf(key) === 'number');
  const groups = (rows === undefined ? undefined : groupsBy({ rows, columns, by }, keys)) ?? [
    { name: 'all runs', runs: keys },
  ];
  const drawn = groups.slice(0, most).flatMap(({ name, runs }): readonly Drawn[] => {
    const inside = runs.map((key) => ({ key, value: Number(numberOf(key)) }));
    const box = boxOf(inside.map(({ value }) => value));
    return box === undefined ? [] : [{ name, box, runs: inside }];
  });
  const axis = axisOf(
    drawn.flatMap(({ runs }) => runs.map(({ value }) => value)),
    formatNumber,
    query.value.get('logx') === '1',
  );
  const toX = (value: number) => left + (axis.place(value) ?? 0) * (width - left - 30);
  const height = top + drawn.length * step + 8;
  return (
    <section class="panel plot">
      <header>
        <h2>Boxes</h2>
        <SavePlot name="boxes" />
      </header>
      <div class="controls">
        <ColumnChoice label="value" name="py" value={y} columns={numeric} />
        <LogToggle name="logx" label="log" />
      </div>
      <PlotFrame
        {...{ at, width, height }}
        label={`${y?.name ?? 'no metric'}. ${drawn.map(saysOf).join('. ')}`}
      >
        {axis.ticks.map(({ at: part, label }) => (
          <g key={part} fill="currentColor">
            <path
              stroke="currentColor"
              stroke-opacity="0.12"
              d={`M${left + part * (width - left - 30)} ${top - 4}V${height}`}
            />
            <text
              x={left + part * (width - left - 30)}
              y={top - 8}
              text-anchor="middle"
              fill-opacity="0.75"
            >
              {label.slice(0, 10)}
            </text>
          </g>
        ))}
        {drawn.map((one, row) => {
          const { name, box, runs } = one;
          const middle = top + row * step + step / 2;
          const ink = colourOf(by.length === 0 ? name : groupKey(name), dark);
          return (
            <g key={name}>
              <title>{saysOf(one)}</title>
              <text x={left - 8} y={middle + 4} text-anchor="end" fill="currentColor">
                {name.length > 24 ? `${name.slice(0, 10)}…${name.slice(-13)}` : name}
              </text>
              <path
                stroke="currentColor"
                d={`M${toX(box.low)} ${middle}H${toX(box.first)}M${toX(box.third)} ${middle}H${toX(box.high)}`}
              />
              <rect
                x={toX(box.first)}
                y={middle - 10}
                width={Math.max(1, toX(box.third) - toX(box.first))}
                height={20}
                fill={ink}
                fill-opacity="0.25"
                stroke={ink}
              />
              <path
                stroke="currentColor"
                stroke-width="2"
                d={`M${toX(box.middle)} ${middle - 10}v20`}
              />
              {runs.map(({ key, value }) => (
                <circle
                  key={key}
                  cx={toX(value)}
                  cy={middle}
                  r={hovered.value === key ? 6 : 3}
                  fill={ink}
                  onPointerEnter={() => {
                    hovered.value = key;
                  }}
                  onClick={() => visit(addressOf(key))}
                >
                  <title>{`${nameOf(key)} ${formatNumber(value)}`}</title>
                </circle>
              ))}
            </g>
          );
        })}
      </PlotFrame>
      <footer>
        {`${keys.length} of ${rows?.total ?? 0} runs in ${drawn.length}${groups.length > most ? ` of ${groups.length}` : ''} ${by.length === 0 ? 'box; group them for more' : 'groups'} · half of the runs within a box, its line at the middle`}
      </footer>
    </section>
  );
};
