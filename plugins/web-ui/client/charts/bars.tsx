// Bars of one or several series over places of a kind.
import { useState } from 'preact/hooks';
import { paletteColour, placesOf } from '../../pure/colours.js';
import { formatNumber } from '../../pure/format.js';
import { isDark } from '../state.js';
import { AsTable } from './table-later.js';
import type { DrawnLine } from './lines.js';

const high = 100;
/** As wide as so many bars is the sheet at least: one bar alone is no wall. */
const fewestPlaces = 7;

/** Values of a place stand on each other. What is below zero has no bar, and is in the table. */
export const Bars = ({
  title,
  axis,
  x,
  labels,
  lines,
  times,
}: {
  title: string;
  axis: string;
  x: readonly number[];
  /** What each place is called. */
  labels: readonly string[];
  lines: readonly DrawnLine[];
  times: boolean;
}) => {
  const [open, setOpen] = useState(false);
  const dark = isDark.value;
  // In an order of its own, so that a name keeps its colour when others come before it.
  const places = placesOf(lines.map(({ name }) => name).sort());
  const colourOf = (name: string) =>
    lines.length === 1 ? 'var(--accent)' : paletteColour(places.get(name) ?? 0, dark);
  const sums = x.map((_, at) => lines.reduce((sum, { y }) => sum + Math.max(0, y[at] ?? 0), 0));
  const most = Math.max(0, ...sums);
  const drawing = {
    ...{ x, dark, times, logX: false, logY: false },
    lines: lines.map(({ name, y }) => ({ key: name, name, y, colour: colourOf(name) })),
  };
  return (
    <div class="lines">
      <svg
        class="sheet bars"
        role="img"
        aria-label={`${title}, ${x.length} bars, up to ${formatNumber(most)}`}
        viewBox={`0 0 ${Math.max(fewestPlaces, x.length)} ${high}`}
        preserveAspectRatio="none"
      >
        {x.map((_, at) => {
          let top = high;
          return (
            <g key={at}>
              <title>
                {[
                  labels[at],
                  ...lines.map(({ name, y }) => {
                    const value = y[at] ?? null;
                    return `${name}: ${value === null ? '–' : formatNumber(value)}`;
                  }),
                ].join('\n')}
              </title>
              <rect x={at} y={0} width={1} height={high} fill="transparent" />
              {lines.map(({ name, y }) => {
                const tall = most === 0 ? 0 : (Math.max(0, y[at] ?? 0) / most) * high;
                top -= tall;
                return (
                  <rect
                    key={name}
                    x={at + 0.1}
                    y={top}
                    width={0.8}
                    height={tall}
                    fill={colourOf(name)}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <footer>
        <span class="faint">up to {formatNumber(most)}</span>
        {lines.length < 2 ? null : (
          <ul class="line-names" aria-label="Bars">
            {lines.slice(0, 8).map(({ name }) => (
              <li key={name} title={name} dir="auto">
                <svg viewBox="0 0 10 10" aria-hidden="true">
                  <rect width="10" height="10" rx="2" fill={colourOf(name)} />
                </svg>
                {name}
              </li>
            ))}
          </ul>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={`${title} as a table`}
          onClick={() => setOpen(true)}
        >
          table
        </button>
      </footer>
      {open ? (
        <AsTable title={title} axis={axis} of={drawing} onClose={() => setOpen(false)} />
      ) : null}
    </div>
  );
};
