// One chart with its head and the line below that says how much of the data it shows.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { signal, useSignal, type Signal } from '@preact/signals';
import { pointsChanged } from '../live.js';
import { useTurn } from '../loading.js';
import { saysFault } from '../request.js';
import { AskAgain } from '../shell/wait.js';
import { save } from '../save.js';
import { useSeen } from '../seen.js';
import { isDark, isTyping } from '../state.js';
import { attempt } from '../attempt.js';
import { AsTable } from './table-later.js';
import { chosenStroke, colourOf, coloursChanged, dashOf } from './colours.js';
import { drawnColumns, type Axis, type RunGroup } from '../../pure/axis.js';
import type { Curves } from '../../pure/curves.js';
import { csvLine } from '../../pure/format.js';
import { loadCurves } from './curves.js';
import { lineChart, type LineChart } from './line-chart.js';
import {
  curvesHead,
  curvesLines,
  drawingOf,
  sharesOf,
  type Drawn,
  type PanelLook,
} from '../../pure/panel-drawing.js';
import { pngOf } from './picture.js';
import { lazy } from '../lazy.js';
import type { RawPointsProps } from './raw-points.js';
import { toldOf, Under, type Told } from './under.js';

const RawPoints = lazy<RawPointsProps>(async () => (await import('./raw-points.js')).RawPoints);

/** The run under the pointer, in whichever chart or table it is. */
export const hovered = signal<string | undefined>(undefined);

export interface PanelProps extends Omit<PanelLook, 'dark' | 'colourOf' | 'dashOf' | 'strokeOf'> {
  readonly metric: string;
  readonly runs: readonly string[];
  /** Runs that are drawn as one; each for itself without them. */
  readonly groups?: readonly RunGroup[] | undefined;
  /** What is said of a run beside its name where the pointer is: the parameters that are shown. */
  readonly moreOf: (run: string) => string;
  readonly onZoom: (range: readonly [number, number] | undefined) => void;
  /** Where its curves come from, if they are not those of the metric. */
  readonly load?: (axis: Axis) => Promise<Curves>;
  /** What can be done to it besides. */
  readonly acts?: ComponentChildren;
}

interface Shown {
  readonly curves: Curves;
  /** The axis that they were asked for with. */
  readonly axis: Axis;
  readonly tookMs: number;
  readonly at: number;
}

/** How much is shown, how fresh it is and how long it took. */
const saysOf = (
  { curves, tookMs, at }: Shown,
  outside: number,
  spread: PanelLook['spread'],
): string =>
  [
    ...sharesOf(curves, outside, spread),
    `at ${new Date(at).toLocaleTimeString('en-GB')}`,
    `${Math.round(tookMs)} ms`,
  ].join(' · ');

const csvOf = (metric: string, { axis }: PanelLook, drawing: Drawn['drawing']): Blob =>
  new Blob([`${csvLine(curvesHead(axis))}\n`, ...curvesLines(metric, drawing)]);

/** The curves of the panel once it is seen: anew when they, the axis or the points change. */
const useCurves = ({ metric, runs, groups, axis, band, load }: PanelProps, seen: boolean) => {
  const columns = groups === undefined && load === undefined ? drawnColumns(axis, band) : undefined;
  const [shown, setShown] = useState<Shown>();
  const [fault, setFault] = useState('');
  const turn = useTurn(fault !== '');
  const tick = pointsChanged.value;
  useLayoutEffect(() => {
    if (!seen || runs.length === 0) return undefined;
    let wanted = true;
    const began = performance.now();
    (load?.(axis) ?? loadCurves(runs, metric, axis, { groups, columns })).then(
      (curves) => {
        if (!wanted) return;
        setShown({ curves, axis, tookMs: performance.now() - began, at: Date.now() });
        setFault('');
      },
      (thrown: unknown) => {
        if (wanted) setFault(saysFault(thrown));
      },
    );
    return () => {
      wanted = false;
    };
  }, [seen, metric, runs.join(), JSON.stringify([axis, groups, columns]), tick, turn]);
  return { shown, fault };
};

interface Pointed {
  readonly told: Told;
  readonly kept: boolean;
}

/** A chart in the element, and what is under the pointer there; a run that is pointed at anywhere is lit here too. */
const useChart = (props: PanelProps, drawn: Drawn | undefined) => {
  const sheet = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | undefined>(undefined);
  // Read by what shows it alone: a move of the pointer draws nothing else anew.
  const under = useSignal<Pointed | undefined>(undefined);
  const latest = useRef({ props, drawn });
  latest.current = { props, drawn };
  useLayoutEffect(() => {
    const at = sheet.current;
    if (at === null) return undefined;
    const made = lineChart(at, {
      onZoom: (range) => latest.current.props.onZoom(range),
      onPointer: (pointer) => {
        const now = latest.current.drawn;
        const told =
          pointer === undefined || now === undefined ? undefined : toldOf(now.drawing, pointer);
        hovered.value = told?.key;
        if (under.value?.kept === true) return;
        under.value = told === undefined ? undefined : { told, kept: false };
      },
      onPress: () => {
        const now = under.value;
        under.value = now === undefined || now.kept ? undefined : { ...now, kept: true };
      },
    });
    chart.current = made;
    const size = new ResizeObserver(() => made.resize(at.clientWidth));
    size.observe(at);
    const leave = hovered.subscribe((key) => made.highlight(key));
    return () => {
      leave();
      size.disconnect();
      made.remove();
    };
  }, []);
  useLayoutEffect(() => {
    if (drawn !== undefined) chart.current?.draw(drawn.drawing);
  }, [drawn]);
  return { sheet, under };
};

/** What is under the pointer, where something is. */
const AtPointer = ({
  of,
  title,
  moreOf,
  onPoints,
}: {
  of: Signal<Pointed | undefined>;
  title: string;
  moreOf: (run: string) => string;
  onPoints: ((told: Told) => void) | undefined;
}) => {
  const now = of.value;
  return now === undefined ? null : (
    <Under
      title={title}
      of={now.told}
      kept={now.kept}
      moreOf={moreOf}
      onPoints={onPoints && (() => onPoints(now.told))}
      onClose={() => {
        of.value = undefined;
      }}
    />
  );
};

const Acts = ({
  metric,
  drawn,
  look,
  says,
  onTable,
}: {
  metric: string;
  drawn: Drawn;
  look: PanelLook;
  says: string;
  onTable: () => void;
}) => {
  // Fetched when it is asked for: few charts are saved.
  const svg = async () =>
    (await import('../../pure/drawing.js')).svgOf(drawn.drawing, metric, says);
  const acts = {
    PNG: () =>
      attempt(
        svg()
          .then(pngOf)
          .then((blob) => save(`${metric}.png`, blob)),
      ),
    SVG: () =>
      attempt(
        svg().then((text) => save(`${metric}.svg`, new Blob([text], { type: 'image/svg+xml' }))),
      ),
    CSV: () => save(`${metric}.csv`, csvOf(metric, look, drawn.drawing)),
  };
  return (
    <span class="acts">
      <button type="button" title="The values as a table (t)" onClick={onTable}>
        table
      </button>
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

/** Opens by `t` while the pointer or the focus is in the panel. */
const useTable = (box: { readonly current: HTMLElement | null }) => {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 't' || event.metaKey || event.ctrlKey || isTyping(event.target)) return;
      if (box.current?.matches(':hover, :focus-within') === true) setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return { open, setOpen };
};

/** A metric of some runs. It asks for curves once it is seen, and draws again when they, the axis, the colours or the theme change. */
export const Panel = (props: PanelProps) => {
  const { metric, axis, logY, band, clip, nameOf, moreOf, spread, acts } = props;
  const box = useRef<HTMLElement>(null);
  const { shown, fault } = useCurves(props, useSeen(box));
  const dark = isDark.value;
  const look = {
    ...{ axis, logY, band, clip, dark, nameOf, colourOf, dashOf, spread },
    strokeOf: chosenStroke,
  };
  const drawn = useMemo(
    () =>
      shown === undefined ? undefined : drawingOf(shown.curves, { ...look, axis: shown.axis }),
    [shown, dark, logY, band, clip, spread, coloursChanged.value],
  );
  const { sheet, under } = useChart(props, drawn);
  const [raw, setRaw] = useState<Told>();
  // Points of groups, expressions and shifted axes are those of no request.
  const asked = props.groups === undefined && props.load === undefined;
  const table = useTable(box);
  const says =
    shown === undefined || drawn === undefined ? '' : saysOf(shown, drawn.outside, spread);
  const lines = drawn?.drawing.lines.length ?? 0;
  return (
    <section class="panel" ref={box} tabIndex={-1}>
      <header>
        <h2 title={metric}>{metric}</h2>
        {drawn === undefined || lines === 0 ? null : (
          <Acts
            metric={metric}
            drawn={drawn}
            look={look}
            says={says}
            onTable={() => table.setOpen(true)}
          />
        )}
        {acts === undefined ? null : <span class="acts">{acts}</span>}
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
      <AtPointer
        of={under}
        title={metric}
        moreOf={moreOf}
        onPoints={asked && axis.x !== 'relative step' ? setRaw : undefined}
      />
      <footer>
        {fault !== '' ? (
          <>
            {fault} <AskAgain />
          </>
        ) : drawn === undefined ? (
          'loading …'
        ) : lines === 0 ? (
          'none of these runs has points'
        ) : (
          says
        )}
      </footer>
      {raw === undefined || shown === undefined || drawn === undefined ? null : (
        <RawPoints
          metric={metric}
          axis={shown.axis}
          drawing={drawn.drawing}
          told={raw}
          onClose={() => setRaw(undefined)}
        />
      )}
      {table.open && drawn !== undefined ? (
        <AsTable
          title={metric}
          axis={axis.xMetric ?? axis.x}
          of={drawn.drawing}
          onClose={() => table.setOpen(false)}
        />
      ) : null}
    </section>
  );
};
