// A chart of lines that are all there: with the values under the pointer, and the same as a table.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fewStroke, paletteColour, placesOf } from '../../pure/colours.js';
import type { Drawing } from '../../pure/drawing.js';
import { isDark } from '../state.js';
import { lineChart, type LineChart } from './line-chart.js';
import { AsTable } from './table-later.js';
import { toldOf, Under, type Told } from './under.js';

export interface DrawnLine {
  readonly name: string;
  readonly y: readonly (number | null)[];
}

const mostNamed = 8;

const drawingOf = (
  x: readonly number[],
  lines: readonly DrawnLine[],
  times: boolean,
  dark: boolean,
): Drawing => {
  // In an order of its own, so that a name keeps its colour when others come before it.
  const places = placesOf(lines.map(({ name }) => name).sort());
  return {
    x,
    lines: lines.map(({ name, y }, at) => ({
      key: name,
      name,
      colour: paletteColour(places.get(name) ?? at, dark),
      dash: lines.length > 1 ? fewStroke(at) : undefined,
      y,
    })),
    dark,
    logX: false,
    logY: false,
    times,
  };
};

/** The names of the lines, each with its colour. */
const Names = ({ of: { lines } }: { of: Drawing }) =>
  lines.length < 2 ? null : (
    <ul class="line-names" aria-label="Lines">
      {lines.slice(0, mostNamed).map(({ key, name, colour }) => (
        <li key={key} title={name} dir="auto">
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect width="10" height="10" rx="2" fill={colour} />
          </svg>
          {name}
        </li>
      ))}
      {lines.length > mostNamed ? <li>and {lines.length - mostNamed} more</li> : null}
    </ul>
  );

/** Fills the element that it stands in. */
export const Lines = ({
  title,
  axis,
  x,
  lines,
  times,
  onZoom,
}: {
  title: string;
  /** What the places are of. */
  axis: string;
  x: readonly number[];
  lines: readonly DrawnLine[];
  times: boolean;
  onZoom?: ((range: readonly [number, number] | undefined) => void) | undefined;
}) => {
  const sheet = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | undefined>(undefined);
  const [told, setTold] = useState<Told>();
  const [open, setOpen] = useState(false);
  const dark = isDark.value;
  const drawing = useMemo(() => drawingOf(x, lines, times, dark), [x, lines, times, dark]);
  const latest = useRef({ drawing, onZoom });
  latest.current = { drawing, onZoom };
  useEffect(() => {
    const at = sheet.current;
    if (at === null) return undefined;
    const made = lineChart(at, {
      onZoom: (range) => latest.current.onZoom?.(range),
      onPointer: (pointer) =>
        setTold(pointer === undefined ? undefined : toldOf(latest.current.drawing, pointer)),
      onPress: () => undefined,
    });
    chart.current = made;
    const size = new ResizeObserver(() =>
      made.resize(at.clientWidth, Math.max(60, at.clientHeight)),
    );
    size.observe(at);
    return () => {
      size.disconnect();
      made.remove();
    };
  }, []);
  useEffect(() => {
    const at = sheet.current;
    if (at !== null) chart.current?.resize(at.clientWidth, Math.max(60, at.clientHeight));
    chart.current?.draw(drawing);
  }, [drawing]);
  return (
    <div class="lines">
      <div
        class="sheet"
        ref={sheet}
        role="img"
        aria-label={`${title}, ${lines.length} ${lines.length === 1 ? 'line' : 'lines'} of ${x.length} places`}
      />
      {told === undefined ? null : (
        <Under
          title={title}
          of={told}
          kept={false}
          moreOf={() => ''}
          onClose={() => setTold(undefined)}
        />
      )}
      <footer>
        <Names of={drawing} />
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
