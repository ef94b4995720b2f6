// Two confusion matrices side by side on one scale, what became more and less between them, and the largest differences in words.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatNumber } from '../../pure/format.js';
import { matricesOf, readConfusion, readJson } from '../../pure/media.js';
import { sequential } from '../../pure/plots.js';
import { useLoaded } from '../loading.js';
import { loadText, type Media } from '../media/files.js';
import { isDark } from '../state.js';
import { Wait } from '../shell/wait.js';

const [sheetPx, mostTold] = [320, 20];

interface Under {
  readonly row: number;
  readonly column: number;
}

/** Fields of colour on a canvas: a hundred classes are ten thousand of them. */
const Fields = ({
  label,
  values,
  inkOf,
  onUnder,
}: {
  label: string;
  values: readonly (readonly number[])[];
  inkOf: (value: number) => string;
  onUnder: (under: Under | undefined) => void;
}) => {
  const sheet = useRef<HTMLCanvasElement>(null);
  const count = Math.max(1, values.length);
  useEffect(() => {
    const canvas = sheet.current;
    const pen = canvas?.getContext('2d');
    if (canvas === null || pen === null || pen === undefined) return;
    const px = Math.round(sheetPx * devicePixelRatio);
    [canvas.width, canvas.height] = [px, px];
    const side = px / count;
    values.forEach((row, at) => {
      row.forEach((value, column) => {
        pen.fillStyle = inkOf(value);
        pen.fillRect(column * side, at * side, Math.ceil(side), Math.ceil(side));
      });
    });
  }, [values, inkOf]);
  return (
    <canvas
      ref={sheet}
      role="img"
      aria-label={label}
      style={{ width: `min(${sheetPx}px, 100%)`, 'aspect-ratio': '1' }}
      onPointerMove={({ currentTarget, offsetX, offsetY }) => {
        const place = (away: number) =>
          Math.max(0, Math.min(count - 1, Math.floor((away / currentTarget.clientWidth) * count)));
        onUnder({ row: place(offsetY), column: place(offsetX) });
      }}
      onPointerLeave={() => onUnder(undefined)}
    />
  );
};

/** More is one colour, less another, nothing the paper; told apart by every kind of eye. */
const between = (part: number, dark: boolean): string => {
  const strong = Math.min(1, Math.abs(part)) * 100;
  const ink = part > 0 ? (dark ? '#ffb454' : '#b35900') : dark ? '#7ab8ff' : '#0b4f9e';
  return `color-mix(in srgb, ${ink} ${strong.toFixed(1)}%, ${dark ? '#1b1d22' : '#f4f4f6'})`;
};

export const TwoConfusions = ({
  one,
  other,
  names,
}: {
  one: Media;
  other: Media;
  names: readonly [string, string];
}) => {
  const [shares, setShares] = useState(true);
  const [under, setUnder] = useState<Under>();
  const dark = isDark.value;
  const { value, fault } = useLoaded(
    (signal) => Promise.all([loadText(one, signal), loadText(other, signal)]),
    [one.id, other.id],
  );
  const found = useMemo(() => {
    const both = (value ?? []).map((text) => {
      const json = readJson(text);
      return json === undefined ? undefined : readConfusion(json);
    });
    const [first, second] = both;
    return first === undefined || second === undefined
      ? undefined
      : matricesOf(first, second, shares);
  }, [value, shares]);
  const change = useMemo(
    () =>
      found?.both[0].map((row, at) =>
        row.map((before, column) => (found.both[1][at]?.[column] ?? 0) - before),
      ),
    [found],
  );
  const most = Math.max(
    0,
    ...(found?.differences.slice(0, 1).map(({ values: [a, b] }) => Math.abs(b - a)) ?? []),
  );
  const inks = useMemo(
    () => ({
      count: (count: number) => {
        const part = found === undefined || found.top === 0 ? 0 : count / found.top;
        return sequential(dark ? part : 1 - part, dark);
      },
      change: (by: number) => between(most === 0 ? 0 : by / most, dark),
    }),
    [found, most, dark],
  );
  if (value === undefined) return <Wait fault={fault} />;
  if (found === undefined || change === undefined)
    return <p class="faint">One of these files is no confusion matrix that can be drawn.</p>;
  const short = (count: number) => formatNumber(Number(count.toPrecision(3)));
  const pointed =
    under === undefined
      ? undefined
      : {
          row: found.labels[under.row] ?? '',
          column: found.labels[under.column] ?? '',
          values: found.both.map((matrix) => matrix[under.row]?.[under.column] ?? 0),
        };
  return (
    <div class="confusions">
      <p class="controls">
        <label class="slide">
          <input
            type="checkbox"
            checked={shares}
            onChange={({ currentTarget }) => setShares(currentTarget.checked)}
          />
          as parts of each row
        </label>
        <span class="faint">
          {pointed === undefined
            ? `${found.labels.length} classes, both on one scale`
            : `${pointed.row} as ${pointed.column}: ${pointed.values.map(short).join(' → ')}`}
        </span>
      </p>
      <div class="media">
        {found.both.map((matrix, at) => (
          <figure key={at}>
            <Fields
              label={`Confusion matrix of ${names[at]}, ${found.labels.length} classes`}
              values={matrix}
              inkOf={inks.count}
              onUnder={setUnder}
            />
            <figcaption>{names[at]}</figcaption>
          </figure>
        ))}
        <figure>
          <Fields
            label={`What became more and less from ${names[0]} to ${names[1]}`}
            values={change}
            inkOf={inks.change}
            onUnder={setUnder}
          />
          <figcaption>more (orange) and less (blue) in {names[1]}</figcaption>
        </figure>
      </div>
      {found.differences.length === 0 ? (
        <p class="empty">Both are the same.</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th>Is</th>
              <th>Was taken for</th>
              <th class="number">{names[0]}</th>
              <th class="number">{names[1]}</th>
              <th class="number">Difference</th>
            </tr>
          </thead>
          <tbody>
            {found.differences.slice(0, mostTold).map(({ row, column, values: [a, b] }) => (
              <tr key={`${row} ${column}`}>
                <td>{row}</td>
                <td>{column}</td>
                <td class="number">{short(a)}</td>
                <td class="number">{short(b)}</td>
                <td class="number">{`${b > a ? '+' : '−'}${short(Math.abs(b - a))}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.differences.length > mostTold ? (
        <p class="faint">
          the {mostTold} largest of {found.differences.length} differences
        </p>
      ) : null}
    </div>
  );
};
