// What is under the pointer: the lines that come nearest to it, by value, with what their runs were given. A click keeps it, to be read and copied.
import type { Drawing, Line } from '../../pure/drawing.js';
import { formatNumber } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { tell } from '../state.js';
import type { Pointer } from './line-chart.js';

/** How far it stands to the right of where the pointer is on the sheet: behind the axis, and where a second click does not fall on it. */
const besidePx = 78;

/** Lines that are told of, and how near one has to be to be meant, in pixels. */
const [mostTold, near] = [8, 24];

export interface Told {
  /** Which place of the axis it is. */
  readonly at: number;
  readonly left: number;
  readonly top: number;
  readonly place: string;
  readonly lines: readonly { readonly line: Line; readonly y: number; readonly raw: string }[];
  /** The line that is meant. */
  readonly key: string | undefined;
}

/** The value of a line at a place, or where it has none there the next before or after. */
const valueAt = ({ y }: Line, at: number): number | undefined => {
  for (let away = 0; away < 12; away++)
    for (const place of [at - away, at + away]) {
      const value = y[place];
      if (value !== null && value !== undefined) return value;
    }
  return undefined;
};

export const toldOf = ({ x, lines, times }: Drawing, pointer: Pointer): Told => {
  const found = lines
    .flatMap((line) => {
      const y = valueAt(line, pointer.at);
      return y === undefined ? [] : [{ line, y, away: Math.abs(pointer.topOf(y) - pointer.top) }];
    })
    .sort((a, b) => a.away - b.away)
    .slice(0, mostTold);
  const first = found[0];
  const place = x[pointer.at] ?? 0;
  return {
    at: pointer.at,
    left: pointer.left,
    top: pointer.top,
    place: times ? new Date(place).toLocaleString('en-GB') : formatNumber(place),
    lines: [...found].sort((a, b) => b.y - a.y).map(({ line, y }) => ({ line, y, raw: String(y) })),
    key: first !== undefined && first.away <= near ? first.line.key : undefined,
  };
};

const asText = (title: string, { place, lines }: Told, more: (key: string) => string): string =>
  [
    `${title} at ${place}`,
    ...lines.map(({ line, raw }) => [line.name, raw, more(line.key)].join('\t').trimEnd()),
  ].join('\n');

export const Under = ({
  title,
  of,
  kept,
  moreOf,
  onPoints,
  onClose,
}: {
  title: string;
  of: Told;
  /** Whether it stays when the pointer leaves. */
  kept: boolean;
  /** What is said of a run beside its name. */
  moreOf: (key: string) => string;
  /** Shows every point that is drawn as one here. */
  onPoints?: (() => void) | undefined;
  onClose: () => void;
}) => (
  <div
    class={`tip ${kept ? 'kept' : ''}`}
    style={{ left: `${of.left + besidePx}px`, top: `${Math.min(of.top, 110) + 12}px` }}
  >
    <p>
      <b>{of.place}</b>
      {kept ? (
        <>
          <button
            type="button"
            onClick={() =>
              attempt(
                navigator.clipboard
                  .writeText(asText(title, of, moreOf))
                  .then(() => tell('Values copied')),
              )
            }
          >
            Copy
          </button>
          {onPoints === undefined ? null : (
            <button type="button" title="Every point of this place" onClick={onPoints}>
              Points
            </button>
          )}
          <button type="button" aria-label="Close the values" onClick={onClose}>
            ×
          </button>
        </>
      ) : null}
    </p>
    <ul>
      {of.lines.map(({ line, y }) => (
        <li key={`${line.key} ${line.name}`} class={line.key === of.key ? 'meant' : ''}>
          <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
            <circle cx="4" cy="4" r="4" fill={line.colour} />
          </svg>
          <span class="value">{formatNumber(y)}</span>
          <span class="who">
            {line.name} <span class="faint">{moreOf(line.key)}</span>
          </span>
        </li>
      ))}
    </ul>
  </div>
);
