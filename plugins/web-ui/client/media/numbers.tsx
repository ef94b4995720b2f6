// Pictures of numbers: a confusion matrix.
import { useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../pure/format.js';
import { readConfusion, readJson, type Confusion } from '../../pure/media.js';
import { sequential } from '../../pure/plots.js';
import { isDark } from '../state.js';
import { type Media } from './files.js';
import { Odd, useText, Wait } from './waiting.js';

/** Counts as fields of colour; with `shares`, each row as parts of its whole. */
const Fields = ({ of, shares }: { of: Confusion; shares: boolean }) => {
  const { matrix, labels } = of;
  const side = Math.max(3, Math.min(34, Math.floor(420 / matrix.length)));
  const left = 90;
  const size = left + side * matrix.length;
  const sums = matrix.map((row) => row.reduce((sum, one) => sum + one, 0));
  const valueOf = (row: number, column: number) =>
    (matrix[row]?.[column] ?? 0) / (shares ? sums[row] || 1 : 1);
  const most = Math.max(
    ...matrix.map((row, at) => Math.max(...row.map((_, column) => valueOf(at, column)))),
  );
  const dark = isDark.value;
  const named = side >= 12;
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={size}
      height={size}
      role="img"
      aria-label={of.title}
    >
      {matrix.flatMap((row, at) =>
        row.map((count, column) => {
          const value = valueOf(at, column);
          const part = most === 0 ? 0 : value / most;
          return (
            <g key={`${at} ${column}`}>
              <rect
                x={left + column * side}
                y={at * side}
                width={side - 1}
                height={side - 1}
                fill={sequential(dark ? part : 1 - part, dark)}
              >
                <title>{`${labels[at]} as ${labels[column]}: ${formatCount(count)}`}</title>
              </rect>
              {side >= 28 ? (
                <text
                  x={left + column * side + side / 2}
                  y={at * side + side / 2 + 4}
                  text-anchor="middle"
                  fill={part > 0.5 === dark ? '#111' : '#fff'}
                >
                  {shares ? value.toFixed(2) : formatNumber(count)}
                </text>
              ) : null}
            </g>
          );
        }),
      )}
      {named
        ? labels.map((label, at) => (
            <g key={label + at} fill="currentColor">
              <text x={left - 6} y={at * side + side / 2 + 4} text-anchor="end">
                {label.slice(0, 12)}
              </text>
              <text
                transform={`translate(${left + at * side + side / 2 + 4} ${side * matrix.length + 6}) rotate(90)`}
              >
                {label.slice(0, 12)}
              </text>
            </g>
          ))
        : null}
    </svg>
  );
};

export const ConfusionView = ({ of }: { of: Media }) => {
  const { value, fault } = useText(of);
  const [shares, setShares] = useState(false);
  if (value === undefined) return <Wait fault={fault} />;
  const json = readJson(value);
  const found = json === undefined ? undefined : readConfusion(json);
  if (found === undefined) return <Odd of={of} />;
  return (
    <div class="scroll">
      <label class="slide">
        <input
          type="checkbox"
          checked={shares}
          onChange={({ currentTarget }) => setShares(currentTarget.checked)}
        />
        as parts of each row · rows {found.rowLabel}, columns {found.columnLabel}
      </label>
      <Fields of={found} shares={shares} />
    </div>
  );
};
