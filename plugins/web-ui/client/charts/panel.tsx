// One chart with its head and the line below that says how much of the data it shows.
import { useEffect, useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { joinColumns, type Curve } from '../../pure/curves.js';
import { csvLine, formatCount } from '../../pure/format.js';
import { pointsChanged } from '../live.js';
import { save } from '../save.js';
import { saysFault } from '../server.js';
import { isDark } from '../state.js';
import { lineChart, type Drawing, type Line, type LineChart } from './line-chart.js';
import { loadCurves, type Axis } from './curves.js';

/** The run under the pointer, in whichever chart or table it is. */
export const hovered = signal<string | undefined>(undefined);

export interface PanelProps {
  readonly metric: string;
  readonly runs: readonly string[];
  readonly nameOf: (run: string) => string;
  readonly axis: Axis;
  readonly logY: boolean;
  readonly band: boolean;
  readonly onZoom: (range: readonly [number, number] | undefined) => void;
}

interface Shown {
  readonly curves: readonly Curve[];
  readonly tookMs: number;
}

const linesOf = (
  curves: readonly Curve[],
  { band, axis, nameOf }: PanelProps,
): Pick<Drawing, 'x' | 'lines'> => {
  const names = [
    'last',
    ...(band ? ['min', 'max'] : []),
    ...(axis.smoothing > 0 ? ['smooth'] : []),
  ];
  const columns = curves.flatMap((curve) =>
    names.map((name) => ({ x: curve.x, y: curve.columns[name] ?? new Float32Array() })),
  );
  const joined = joinColumns(columns);
  const lines = curves.map((curve, at): Line => {
    const of = (name: string) => joined.lines[at * names.length + names.indexOf(name)] ?? [];
    return {
      key: curve.run,
      name: nameOf(curve.run),
      y: of(axis.smoothing > 0 ? 'smooth' : 'last'),
      ...(band ? { low: of('min'), high: of('max') } : {}),
      ...(axis.smoothing > 0 ? { raw: of('last') } : {}),
    };
  });
  return { x: joined.x, lines };
};

const saysOf = ({ curves, tookMs }: Shown): string => {
  const sum = (of: (curve: Curve) => number) => curves.reduce((all, one) => all + of(one), 0);
  const [points, total, drawn] = [
    sum(({ points: n }) => n),
    sum(({ total: n }) => n),
    sum(({ x }) => x.length),
  ];
  const [skipped, unplaced] = [sum(({ skipped: n }) => n), sum(({ unplaced: n }) => n)];
  return [
    drawn < points
      ? `${formatCount(drawn)} places for ${formatCount(points)} points, min to max kept`
      : `all ${formatCount(points)} points`,
    ...(points + skipped + unplaced < total ? [`of ${formatCount(total)}`] : []),
    ...(skipped > 0 ? [`${formatCount(skipped)} not finite`] : []),
    ...(unplaced > 0 ? [`${formatCount(unplaced)} without a place`] : []),
    `${Math.round(tookMs)} ms`,
  ].join(' · ');
};

/** Whether the element is, or is about to be, on the screen. */
const useSeen = (at: { readonly current: HTMLElement | null }): boolean => {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (at.current === null) return undefined;
    const watch = new IntersectionObserver(
      (entries) => setSeen(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '300px' },
    );
    watch.observe(at.current);
    return () => watch.disconnect();
  }, []);
  return seen;
};

/** A metric of some runs. It asks for curves once it is seen, and draws again when they, the axis or the theme change. */
export const Panel = (props: PanelProps) => {
  const { metric, runs, axis, logY, band } = props;
  const box = useRef<HTMLElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [shown, setShown] = useState<Shown>();
  const [fault, setFault] = useState('');
  const [under, setUnder] = useState('');
  const seen = useSeen(box);
  const dark = isDark.value;
  const tick = pointsChanged.value;

  useEffect(() => {
    if (!seen || runs.length === 0) return undefined;
    let wanted = true;
    const began = performance.now();
    loadCurves(runs, metric, axis).then(
      (curves) => {
        if (!wanted) return;
        setShown({ curves, tookMs: performance.now() - began });
        setFault('');
      },
      (thrown: unknown) => {
        if (wanted) setFault(saysFault(thrown));
      },
    );
    return () => {
      wanted = false;
    };
  }, [seen, metric, runs.join(), JSON.stringify(axis), tick]);

  useEffect(() => {
    const at = sheet.current;
    if (at === null) return undefined;
    const made = lineChart(at, {
      onZoom: (range) => latest.current.onZoom(range),
      onHover: (key, says) => {
        hovered.value = key;
        setUnder(says);
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

  useEffect(() => {
    if (shown === undefined) return;
    chart.current?.draw({
      ...linesOf(shown.curves, props),
      dark,
      logX: axis.logX,
      logY,
      times: axis.x === 'wall',
      range: axis.range,
    });
  }, [shown, dark, logY, band]);

  const values = shown?.curves.flatMap(({ columns }) => [...(columns['last'] ?? [])]) ?? [];
  const says =
    shown === undefined
      ? `${metric}, loading`
      : `${metric}, ${shown.curves.length} runs, lowest ${Math.min(...values)}`;
  return (
    <section class="panel" ref={box}>
      <header>
        <h2 title={metric}>{metric}</h2>
        <span class="under">{under}</span>
        <span class="acts">
          <button
            type="button"
            title="Save as a picture"
            onClick={() =>
              void chart.current?.toPng().then((blob) => blob && save(`${metric}.png`, blob))
            }
          >
            PNG
          </button>
          <button
            type="button"
            title="Save what is drawn as a table"
            onClick={() => shown !== undefined && save(`${metric}.csv`, csvOf(shown.curves, props))}
          >
            CSV
          </button>
        </span>
      </header>
      <div class="sheet" ref={sheet} role="img" aria-label={says} />
      <footer>
        {fault !== ''
          ? fault
          : shown === undefined
            ? 'loading …'
            : shown.curves.length === 0
              ? 'none of these runs has points'
              : saysOf(shown)}
      </footer>
    </section>
  );
};

const csvOf = (curves: readonly Curve[], { nameOf, axis }: PanelProps): Blob =>
  new Blob([
    ['run', 'name', 'metric', axis.x, 'last', 'min', 'max', 'mean'].join(','),
    '\n',
    ...curves.flatMap(({ run, metric, x, columns }) =>
      [...x].map(
        (place, at) =>
          `${csvLine([run, nameOf(run), metric, place, ...['last', 'min', 'max', 'mean'].map((name) => columns[name]?.[at])])}\n`,
      ),
    ),
  ]);
