// Pictures of numbers: a confusion matrix, and points laid out by where they lie farthest apart.
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../pure/format.js';
import { project, readCells, readConfusion, readJson, type Confusion } from '../../pure/media.js';
import { sequential } from '../../pure/plots.js';
import { colourOf, useColours } from '../charts/colours.js';
import { Swatch } from '../charts/swatch.js';
import { useLoaded } from '../loading.js';
import { isDark } from '../state.js';
import { loadText, type Media } from './files.js';
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

const mostPoints = 2000;

/** A file that an embedding names by its address on the server that it was logged to. */
const namedFile = (of: Media, text: string, member: string): Media | undefined => {
  const [first] = (readJson(text)?.['embeddings'] ?? []) as readonly Readonly<
    Record<string, unknown>
  >[]; // each member is looked at
  const path = first?.[member];
  const id = typeof path === 'string' ? /[?&]assetId=([^&]+)/.exec(path)?.[1] : undefined;
  return id === undefined ? undefined : { ...of, id: decodeURIComponent(id), size: 0 };
};

/** What each point is called: the first column; with several columns, the first line says what they are. */
const labelsOf = (text: string): readonly string[] => {
  const rows = readCells(text, '\t', mostPoints + 1);
  const body = (rows[0]?.length ?? 0) > 1 ? rows.slice(1) : rows;
  return body.slice(0, mostPoints).map(([first = '']) => first);
};

const useEmbedding = (of: Media) => {
  const { value, fault } = useLoaded(
    async (signal) => {
      const text = await loadText(of, signal);
      const [tensor, labels] = ['tensorPath', 'metadataPath'].map((member) =>
        namedFile(of, text, member),
      );
      return {
        tensor: tensor === undefined ? '' : await loadText(tensor, signal),
        labels: labels === undefined ? [] : labelsOf(await loadText(labels, signal)),
      };
    },
    [of.run, of.id],
  );
  const places = useMemo(
    () =>
      project(
        readCells(value?.tensor ?? '', '\t', mostPoints)
          .map((row) => row.slice(0, 256).map(Number))
          .filter((row) => row.every(Number.isFinite)),
      ),
    [value],
  );
  return { labels: value?.labels ?? [], places, waits: value === undefined, fault };
};

/** With more labels than these, colours would not tell them apart. */
const mostLabels = 12;

export const Embeddings = ({ of }: { of: Media }) => {
  const { labels, places, waits, fault } = useEmbedding(of);
  const names = [...new Set(labels)];
  const told = names.length > 0 && names.length <= mostLabels;
  useColours(told ? names.map((name) => `value ${name}`) : []);
  if (waits) return <Wait fault={fault} />;
  if (places.length < 3) return <Odd of={of} />;
  const most = Math.max(...places.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y)))) || 1;
  const inkOf = (label: string | undefined) =>
    told && label !== undefined ? colourOf(`value ${label}`, isDark.value) : 'currentColor';
  return (
    <>
      <svg
        viewBox="0 0 420 420"
        width={420}
        height={420}
        role="img"
        aria-label={`${places.length} points of ${of.name}${names.length === 0 ? '' : `, ${names.length} labels`}`}
      >
        {places.map(([x, y], at) => (
          <circle
            key={at}
            cx={210 + (x / most) * 200}
            cy={210 - (y / most) * 200}
            r={told ? 3 : 2.5}
            fill={inkOf(labels[at])}
            fill-opacity="0.6"
          >
            {labels[at] === undefined ? null : <title>{labels[at]}</title>}
          </circle>
        ))}
        <text x={6} y={414} fill="currentColor" fill-opacity="0.75">
          {`${places.length} points, first two principal directions`}
        </text>
      </svg>
      {told ? (
        <p class="legend">
          {names.map((name) => (
            <span key={name}>
              <Swatch of={`value ${name}`} /> {name}
            </span>
          ))}
        </p>
      ) : null}
    </>
  );
};
