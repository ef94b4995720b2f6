// One chart with its head and the line below that says how much of the data it shows.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { svgOf } from '../../pure/drawing.js';
import { pointsChanged } from '../live.js';
import { saysFault } from '../request.js';
import { save } from '../save.js';
import { useSeen } from '../seen.js';
import { isDark, tell } from '../state.js';
import { loadCurves, type RunGroup } from './curves.js';
import { lineChart, type LineChart } from './line-chart.js';
import {
  csvOf,
  drawingOf,
  saysOf,
  type Drawn,
  type PanelLook,
  type Shown,
} from './panel-drawing.js';
import { pngOf } from './picture.js';

/** The run under the pointer, in whichever chart or table it is. */
export const hovered = signal<string | undefined>(undefined);

export interface PanelProps extends Omit<PanelLook, 'dark'> {
  readonly metric: string;
  readonly runs: readonly string[];
  /** Runs that are drawn as one; each for itself without them. */
  readonly groups?: readonly RunGroup[] | undefined;
  readonly onZoom: (range: readonly [number, number] | undefined) => void;
}

/** The curves of the panel once it is seen: anew when they, the axis or the points change. */
const useCurves = ({ metric, runs, groups, axis }: PanelProps, seen: boolean) => {
  const [shown, setShown] = useState<Shown>();
  const [fault, setFault] = useState('');
  const tick = pointsChanged.value;
  useEffect(() => {
    if (!seen || runs.length === 0) return undefined;
    let wanted = true;
    const began = performance.now();
    loadCurves(runs, metric, axis, groups).then(
      (curves) => {
        if (!wanted) return;
        setShown({ curves, tookMs: performance.now() - began, at: Date.now() });
        setFault('');
      },
      (thrown: unknown) => {
        if (wanted) setFault(saysFault(thrown));
      },
    );
    return () => {
      wanted = false;
    };
  }, [seen, metric, runs.join(), JSON.stringify([axis, groups]), tick]);
  return { shown, fault };
};

/** A chart in the element, which tells what is under the pointer. */
const useChart = (props: PanelProps, onUnder: (says: string) => void) => {
  const sheet = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const at = sheet.current;
    if (at === null) return undefined;
    const made = lineChart(at, {
      onZoom: (range) => latest.current.onZoom(range),
      onHover: (key, says) => {
        hovered.value = key;
        onUnder(says);
      },
    });
    chart.current = made;
    const size = new ResizeObserver(() => made.resize(at.clientWidth));
    size.observe(at);
    return () => {
      size.disconnect();
      made.remove();
    };
  }, []);
  return { sheet, chart };
};

const Saves = ({
  metric,
  drawn,
  look,
  says,
}: {
  metric: string;
  drawn: Drawn;
  look: PanelLook;
  says: string;
}) => {
  const svg = () => svgOf(drawn.drawing, metric, says);
  const acts = {
    PNG: () =>
      void pngOf(svg()).then(
        (blob) => save(`${metric}.png`, blob),
        (thrown: unknown) => tell(saysFault(thrown)),
      ),
    SVG: () => save(`${metric}.svg`, new Blob([svg()], { type: 'image/svg+xml' })),
    CSV: () => save(`${metric}.csv`, csvOf(metric, look, drawn.drawing)),
  };
  return (
    <span class="acts">
      {Object.entries(acts).map(([name, act]) => (
        <button key={name} type="button" title={`Save what is drawn as ${name}`} onClick={act}>
          {name}
        </button>
      ))}
    </span>
  );
};

const lowest = ({ drawing }: Drawn): number => {
  let least = Infinity;
  for (const { y } of drawing.lines)
    for (const one of y) if (one !== null && one < least) least = one;
  return least;
};

/** A metric of some runs. It asks for curves once it is seen, and draws again when they, the axis or the theme change. */
export const Panel = (props: PanelProps) => {
  const { metric, axis, logY, band, clip, nameOf } = props;
  const box = useRef<HTMLElement>(null);
  const [under, setUnder] = useState('');
  const { shown, fault } = useCurves(props, useSeen(box));
  const { sheet, chart } = useChart(props, setUnder);
  const dark = isDark.value;
  const look = { axis, logY, band, clip, dark, nameOf };
  const drawn = useMemo(
    () => (shown === undefined ? undefined : drawingOf(shown.curves, look)),
    [shown, dark, logY, band, clip],
  );
  useEffect(() => {
    if (drawn !== undefined) chart.current?.draw(drawn.drawing);
  }, [drawn]);
  const says = shown === undefined || drawn === undefined ? '' : saysOf(shown, drawn.outside);
  const lines = drawn?.drawing.lines.length ?? 0;
  return (
    <section class="panel" ref={box}>
      <header>
        <h2 title={metric}>{metric}</h2>
        <span class="under">{under}</span>
        {drawn === undefined || lines === 0 ? null : (
          <Saves metric={metric} drawn={drawn} look={look} says={says} />
        )}
      </header>
      <div
        class="sheet"
        ref={sheet}
        role="img"
        aria-label={
          drawn === undefined
            ? `${metric}, loading`
            : `${metric}, ${lines} lines, lowest ${lowest(drawn)}`
        }
      />
      <footer>
        {fault !== ''
          ? fault
          : drawn === undefined
            ? 'loading …'
            : lines === 0
              ? 'none of these runs has points'
              : says}
      </footer>
    </section>
  );
};
