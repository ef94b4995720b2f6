// What the plots share: the room they have, the columns they show, and saving them.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { labelOf, readColumn, writeColumn, type RunColumn } from '../../pure/columns.js';
import { pngOf } from '../charts/picture.js';
import { attempt } from '../attempt.js';
import { save } from '../save.js';
import { query, setQuery } from '../state.js';

/** An element and how wide it is. */
export const useWidth = () => {
  const at = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = at.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(() => setWidth(Math.max(240, element.clientWidth)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return { at, width };
};

/** What a plot is drawn in, and what it says to whoever does not see it. */
export const PlotFrame = ({
  at,
  width,
  height,
  label,
  children,
}: {
  at: RefObject<HTMLDivElement | null>;
  width: number;
  height: number;
  label: string;
  children: ComponentChildren;
}) => (
  <div ref={at}>
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      {children}
    </svg>
  </div>
);

/** The column that the address names for a use, else the one that is usual. */
export const chosenColumn = (
  name: string,
  columns: readonly RunColumn[],
  usual: RunColumn | undefined,
): RunColumn | undefined => {
  const named = readColumn(query.value.get(name) ?? '');
  return (
    columns.find((one) => named !== undefined && writeColumn(one) === writeColumn(named)) ?? usual
  );
};

/** Chooses the column of a use, which the address then names. */
export const ColumnChoice = ({
  label,
  name,
  value,
  columns,
}: {
  label: string;
  name: string;
  value: RunColumn | undefined;
  columns: readonly RunColumn[];
}) => (
  <label class="slide">
    {label}
    <select
      value={value === undefined ? '' : writeColumn(value)}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      {columns.map((one) => (
        <option key={writeColumn(one)} value={writeColumn(one)}>
          {labelOf(one)}
        </option>
      ))}
    </select>
  </label>
);

/** Whether an axis is one of powers; the same member of the address as that of charts. */
export const LogToggle = ({ name, label }: { name: 'logx' | 'logy'; label: string }) => {
  const on = query.value.get(name) === '1';
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={() => setQuery({ [name]: on ? undefined : '1' })}
    >
      {label}
    </button>
  );
};

/** The plot as a file of its own, which has no style sheet. */
const alone = (svg: Element): string => {
  const style = getComputedStyle(svg);
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  const [, , width = '0', height = '0'] = svg.getAttribute('viewBox')?.split(' ') ?? [];
  const inner = svg.innerHTML.replaceAll(
    'class="over-lines"',
    `paint-order="stroke" stroke="${paper}" stroke-width="3"`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui" font-size="11" color="${style.color}"><rect width="${width}" height="${height}" fill="${paper}"/>${inner}</svg>`;
};

/** Saves the plot that stands in the same section. */
export const SavePlot = ({ name }: { name: string }) => {
  const drawn = (from: Element) => {
    const svg = from.closest('section')?.querySelector('svg');
    return svg === null || svg === undefined ? '' : alone(svg);
  };
  return (
    <span class="acts">
      <button
        type="button"
        onClick={({ currentTarget }) =>
          attempt(pngOf(drawn(currentTarget)).then((blob) => save(`${name}.png`, blob)))
        }
      >
        PNG
      </button>
      <button
        type="button"
        onClick={({ currentTarget }) =>
          save(`${name}.svg`, new Blob([drawn(currentTarget)], { type: 'image/svg+xml' }))
        }
      >
        SVG
      </button>
    </span>
  );
};
