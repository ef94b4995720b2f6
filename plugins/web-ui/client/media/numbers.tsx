// Pictures of numbers: a confusion matrix.
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../pure/format.js';
import { fieldOutlines, readConfusion, readJson, type Confusion } from '../../pure/media.js';
import { sequential } from '../../pure/plots.js';
import { SavePlot } from '../plots/sheet.js';
import { isDark } from '../state.js';
import { type Media } from './files.js';
import { Odd, useText, Wait } from './waiting.js';

interface Under {
  readonly row: number;
  readonly column: number;
}

const [left, mostWide] = [90, 420];

/** Counts as fields of colour; with `shares`, each row as parts of its whole. */
const Fields = ({
  of,
  shares,
  onUnder,
}: {
  of: Confusion;
  shares: boolean;
  onUnder: (under: Under | undefined) => void;
}) => {
  const { matrix, labels } = of;
  const side = Math.max(3, Math.min(34, Math.floor(mostWide / matrix.length)));
  const size = left + side * matrix.length;
  const dark = isDark.value;
  const { values, outlines, most } = useMemo(() => {
    const parts = matrix.map((row) => {
      const sum = row.reduce((so, one) => so + one, 0);
      return row.map((count) => count / (shares ? sum || 1 : 1));
    });
    const top = parts.reduce((so, row) => row.reduce((a, b) => Math.max(a, b), so), 0);
    return { values: parts, most: top, outlines: fieldOutlines(parts, top, { side, left }) };
  }, [of, shares, side]);
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect(); // the picture itself
    const away = (place: number, length: number) => Math.floor(((place / length) * size) / side);
    const row = away(event.clientY - box.top, box.height);
    const column = away(event.clientX - box.left - (left / size) * box.width, box.width);
    onUnder(matrix[row]?.[column] === undefined ? undefined : { row, column });
  };
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={size}
      height={size}
      role="img"
      aria-label={of.title}
      onPointerMove={point}
      onPointerLeave={() => onUnder(undefined)}
    >
      {outlines.map(({ part, d }) => (
        <path key={part} class="field" fill={sequential(dark ? part : 1 - part, dark)} d={d} />
      ))}
      {side < 28
        ? null
        : matrix.flatMap((row, at) =>
            row.map((count, column) => (
              <text
                key={`${at} ${column}`}
                x={left + column * side + side / 2}
                y={at * side + side / 2 + 4}
                text-anchor="middle"
                fill={(values[at]?.[column] ?? 0) / (most || 1) > 0.5 === dark ? '#111' : '#fff'}
              >
                {shares ? (values[at]?.[column] ?? 0).toFixed(2) : formatNumber(count)}
              </text>
            )),
          )}
      {side < 12
        ? null
        : labels.map((label, at) => (
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
          ))}
    </svg>
  );
};

const saysUnder = ({ labels, matrix }: Confusion, { row, column }: Under): string =>
  `${labels[row]} as ${labels[column] ?? column}: ${formatCount(matrix[row]?.[column] ?? 0)}`;

export const ConfusionView = ({ of }: { of: Media }) => {
  const { value, fault } = useText(of);
  const [shares, setShares] = useState(false);
  const [under, setUnder] = useState<Under>();
  const found = useMemo(() => {
    const json = value === undefined ? undefined : readJson(value);
    return json === undefined ? undefined : readConfusion(json);
  }, [value]);
  if (value === undefined) return <Wait fault={fault} />;
  if (found === undefined) return <Odd of={of} />;
  return (
    <section class="scroll">
      <label class="slide">
        <input
          type="checkbox"
          checked={shares}
          onChange={({ currentTarget }) => setShares(currentTarget.checked)}
        />
        as parts of each row · rows {found.rowLabel}, columns {found.columnLabel}
      </label>
      <SavePlot name={of.name} />
      <Fields of={found} shares={shares} onUnder={setUnder} />
      <p class="faint">
        {under === undefined
          ? `${formatCount(found.labels.length)} classes; point at a field`
          : saysUnder(found, under)}
      </p>
    </section>
  );
};
