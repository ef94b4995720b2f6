// The charts of some runs: sections by the prefix of the metric, one bar of controls, one zoom for all.
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { matcherOf, sectionsOf } from '../../pure/curves.js';
import { readSpread } from '../../pure/spread.js';
import { smoothings } from '../../pure/smoothing.js';
import { formatCount } from '../../pure/format.js';
import { lazy } from '../lazy.js';
import { useSeen } from '../seen.js';
import { query, setQuery } from '../state.js';
import { axes, overMetric, readAxis, type Axis, type RunGroup } from '../../pure/axis.js';
import { useColours, type Painted } from './colours.js';
import type { FormulasProps } from './formulas.js';
import { groupKey } from '../../pure/panel-drawing.js';
import { Panel, type PanelProps } from './panel.js';

const Formulas = lazy<FormulasProps>(async () => (await import('./formulas.js')).Formulas);

const panelsAtFirst = 12;

const mostOffered = 200;

/** The axes, and metrics to draw over; of very many metrics the first, and the one that is drawn over. */
const AxisChoice = ({ axis, metrics }: { axis: Axis; metrics: readonly string[] }) => (
  <select
    aria-label="Axis"
    value={axis.xMetric === undefined ? axis.x : overMetric + axis.xMetric}
    onChange={({ currentTarget }) => setQuery({ x: currentTarget.value, zoom: undefined })}
  >
    {axes.map((one) => (
      <option key={one} value={one}>
        {one}
      </option>
    ))}
    <optgroup label="over a metric">
      {metrics
        .filter((one, at) => at < mostOffered || one === axis.xMetric)
        .map((one) => (
          <option key={one} value={overMetric + one}>
            {one}
          </option>
        ))}
      {metrics.length > mostOffered ? (
        <option disabled>
          {formatCount(metrics.length - mostOffered)} more; filter charts to find them
        </option>
      ) : null}
    </optgroup>
  </select>
);

const SmoothingChoice = ({ axis }: { axis: Axis }) => (
  <>
    <label class="slide">
      smooth
      <input
        type="range"
        min="0"
        max="0.99"
        step="0.01"
        value={axis.smoothing}
        onChange={({ currentTarget }) =>
          setQuery({ smooth: currentTarget.value === '0' ? undefined : currentTarget.value })
        }
      />
    </label>
    {axis.smoothing === 0 ? null : (
      <select
        aria-label="Way of smoothing"
        value={axis.smoothBy}
        onChange={({ currentTarget }) =>
          setQuery({
            smoothby: currentTarget.value === 'exponential' ? undefined : currentTarget.value,
          })
        }
      >
        {smoothings.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    )}
  </>
);

/** Twice as much of the axis, around the same middle. */
const zoomedOut = ({ range, logX }: Axis): readonly [number, number] | undefined => {
  if (range === undefined) return undefined;
  const [low, high] = range;
  if (logX) return [low / Math.sqrt(high / low), high * Math.sqrt(high / low)];
  return [low - (high - low) / 2, high + (high - low) / 2];
};

const Controls = ({
  axis,
  metrics,
  onZoom,
  adding,
  onAdding,
}: {
  axis: Axis;
  metrics: readonly string[];
  onZoom: (range: readonly [number, number] | undefined) => void;
  adding: boolean;
  onAdding: () => void;
}) => {
  const flag = (name: string) => query.value.get(name) === '1';
  const Toggle = ({ name, label, hint }: { name: string; label: string; hint: string }) => (
    <button
      type="button"
      title={hint}
      aria-pressed={flag(name)}
      onClick={() => setQuery({ [name]: flag(name) ? undefined : '1' })}
    >
      {label}
    </button>
  );
  return (
    <div class="controls">
      <AxisChoice axis={axis} metrics={metrics} />
      <SmoothingChoice axis={axis} />
      <Toggle name="logx" label="log x" hint="Logarithmic axis below" />
      <Toggle name="logy" label="log y" hint="Logarithmic values (l)" />
      <Toggle name="band" label="band" hint="Smallest to largest of each place" />
      <Toggle name="clip" label="clip" hint="Leave out values beyond the 1st and 99th percentile" />
      {axis.range === undefined ? null : (
        <>
          <button type="button" onClick={() => onZoom(zoomedOut(axis))}>
            zoom out
          </button>
          <button type="button" onClick={() => onZoom(undefined)}>
            reset zoom
          </button>
        </>
      )}
      <button
        type="button"
        title="A chart of several metrics, or of an expression over them"
        aria-expanded={adding}
        onClick={onAdding}
      >
        + chart
      </button>
      <input
        type="search"
        placeholder="filter charts"
        title="Part of a name, or a regular expression"
        aria-label="Filter charts"
        defaultValue={query.value.get('charts') ?? ''}
        onInput={({ currentTarget }) => setQuery({ charts: currentTarget.value })}
      />
    </div>
  );
};

/** How high a panel is, about, for the room of those that are not there yet. */
const panelPx = 240;

/** Charts of one prefix. They are made once the section comes near the screen: of thousands, most never do. */
const Section = ({
  name,
  metrics,
  alone,
  ...shared
}: Omit<PanelProps, 'metric'> & {
  readonly name: string;
  readonly metrics: readonly string[];
  /** Whether there is no other section: then it is what one came for. */
  readonly alone: boolean;
}) => {
  const box = useRef<HTMLDetailsElement>(null);
  const near = useSeen(box);
  const [seen, setSeen] = useState(near);
  const [open, setOpen] = useState(name !== 'system' || alone);
  const [whole, setWhole] = useState(false);
  const [count, setCount] = useState(panelsAtFirst);
  const shown = metrics.slice(0, count);
  // Those that are there are not looked at anew while others come.
  const made = useMemo(() => new Map<string, VNode>(), Object.values(shared));
  const panelOf = (metric: string) => {
    const panel = made.get(metric) ?? <Panel key={metric} metric={metric} {...shared} />;
    made.set(metric, panel);
    return panel;
  };
  useEffect(() => {
    if (near) setSeen(true);
  }, [near]);
  // As many in a frame as are not felt.
  useEffect(() => {
    if (!whole || count >= metrics.length) return undefined;
    const next = requestAnimationFrame(() => setCount(count + panelsAtFirst));
    return () => cancelAnimationFrame(next);
  }, [whole, count, metrics.length]);
  return (
    <details ref={box} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name === '' ? 'metrics' : name} <span class="faint">{formatCount(metrics.length)}</span>
      </summary>
      {open && seen ? (
        <div class="grid">{shown.map(panelOf)}</div>
      ) : open ? (
        <div style={{ height: `${Math.ceil(shown.length / 2) * panelPx}px` }} />
      ) : null}
      {metrics.length > panelsAtFirst && !whole ? (
        <button type="button" onClick={() => setWhole(true)}>
          show the other {formatCount(metrics.length - panelsAtFirst)}
        </button>
      ) : null}
    </details>
  );
};

/** The charts of these metrics of these runs; twelve of a section at first, each asked for when it is seen. */
export const Panels = ({
  metrics,
  runs,
  groups,
  nameOf,
  moreOf = () => '',
  by,
  note,
}: {
  metrics: readonly string[];
  runs: readonly string[];
  groups?: readonly RunGroup[] | undefined;
  nameOf: (run: string) => string;
  moreOf?: (run: string) => string;
  /** What runs are coloured by; each for itself without it. */
  by?: ReadonlyMap<string, Painted> | undefined;
  /** What is to be said of metrics that are not here. */
  note?: string | undefined;
}) => {
  const axis = readAxis(query.value);
  const zoom = (range: readonly [number, number] | undefined) =>
    setQuery({ zoom: range?.map((end) => Number(end.toPrecision(12))).join('_') }, true);
  useColours(
    groups?.map(({ name }) => groupKey(name)) ?? runs,
    groups === undefined ? by : undefined,
  );
  const found = metrics.filter(matcherOf(query.value.get('charts') ?? ''));
  const sections = sectionsOf(found);
  const own = query.value.has('panels');
  const [adding, setAdding] = useState(false);
  const shared = {
    ...{ runs, groups, nameOf, moreOf, axis },
    logY: query.value.get('logy') === '1',
    band: query.value.get('band') === '1',
    clip: query.value.get('clip') === '1',
    spread: readSpread(query.value.get('spread')),
    onZoom: zoom,
  };
  return (
    <div class="panels">
      <Controls
        axis={axis}
        metrics={[...new Set([...found, ...metrics])]}
        onZoom={zoom}
        adding={adding}
        onAdding={() => setAdding(!adding)}
      />
      {own || adding ? <Formulas {...shared} metrics={metrics} /> : null}
      {metrics.length === 0 ? <p class="empty">Nothing has logged a metric here yet.</p> : null}
      {note === undefined ? null : <p class="faint">{note}</p>}
      {metrics.length > 0 && found.length === 0 ? (
        <p class="empty">No metric has this in its name.</p>
      ) : null}
      {sections.map(({ name, metrics: inside }) => (
        <Section
          key={name}
          name={name}
          metrics={inside}
          alone={sections.length === 1}
          {...shared}
        />
      ))}
    </div>
  );
};
