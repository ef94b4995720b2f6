// Small charts of traces over time; a stretch that is dragged over becomes the time that is looked at.
import { useRef, useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../pure/format.js';
import { sentFilters } from '../../pure/trace-filters.js';
import { chartedTime, type WantedTraces } from '../../pure/trace-list.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { useLoaded } from '../loading.js';
import { setQuery } from '../state.js';
import { tracesServer } from '../traces-server.js';
import { Fault } from '../shell/wait.js';

const charts = [
  { title: 'Traces', metric: 'TRACE_COUNT', result: 'traces', show: formatCount },
  {
    title: 'Failed, %',
    metric: 'TRACE_ERROR_RATE',
    result: 'error_rate',
    show: (value: number) => `${formatNumber(Number(value.toFixed(1)))} %`,
  },
  {
    title: 'p95 duration',
    metric: 'TRACE_P95_DURATION',
    result: 'p95_duration',
    show: formatDuration,
  },
  { title: 'Cost', metric: 'COST', result: 'cost', show: formatCost },
] as const;
type Chart = (typeof charts)[number];

interface Bucket {
  readonly at: number;
  readonly value: number | null;
}
const stepMs = { HOURLY: 3_600_000, DAILY: 86_400_000, WEEKLY: 604_800_000 } as const;

const loadChart = async (
  projectId: string,
  { filters }: WantedTraces,
  time: ReturnType<typeof chartedTime>,
  { metric, result }: Chart,
  signal: AbortSignal,
): Promise<readonly Bucket[]> => {
  const { results } = await tracesServer.metrics(
    {
      params: { id: projectId },
      body: {
        metric_type: metric,
        interval: time.interval,
        interval_start: new Date(time.from).toISOString(),
        interval_end: new Date(time.to).toISOString(),
        trace_filters: sentFilters(filters),
      },
    },
    signal,
  );
  const found = results.find(({ name }) => name === result)?.data ?? [];
  return found.map(({ time: at, value }) => ({ at: Date.parse(at), value }));
};

const high = 44;
const Bars = ({
  of,
  title,
  show,
  lastsMs,
}: {
  of: readonly Bucket[];
  title: string;
  show: (value: number) => string;
  lastsMs: number;
}) => {
  const from = useRef<number | undefined>(undefined);
  const [upTo, setUpTo] = useState<number>();
  const most = Math.max(...of.map(({ value }) => value ?? 0), 0);
  const placeOf = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / width) * of.length);
    return Math.min(of.length - 1, Math.max(0, place));
  };
  const zoom = (to: number) => {
    const [a, b] = [Math.min(from.current ?? to, to), Math.max(from.current ?? to, to)];
    const [first, last] = [of[a], of[b]];
    from.current = undefined;
    setUpTo(undefined);
    if (first === undefined || last === undefined) return;
    const iso = (at: number) => new Date(at).toISOString();
    setQuery({ from: iso(first.at), to: iso(last.at + lastsMs), range: undefined }, true);
  };
  const marked = (at: number) =>
    from.current !== undefined &&
    upTo !== undefined &&
    at >= Math.min(from.current, upTo) &&
    at <= Math.max(from.current, upTo);
  return (
    <figure class="small-chart">
      <figcaption>
        {title} <span class="faint">{most === 0 ? '' : `up to ${show(most)}`}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${title} over time`}
        viewBox={`0 0 ${Math.max(1, of.length)} ${high}`}
        preserveAspectRatio="none"
        onPointerDown={(event) => {
          from.current = placeOf(event);
          setUpTo(from.current);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => from.current !== undefined && setUpTo(placeOf(event))}
        onPointerUp={(event) => zoom(placeOf(event))}
      >
        {of.map(({ at, value }, place) => {
          const height =
            most === 0 || value === null || value === 0 ? 0 : Math.max(1, (value / most) * high);
          return (
            <g key={at} class={marked(place) ? 'marked' : ''}>
              <title>{`${new Date(at).toLocaleString()}: ${value === null ? 'none' : show(value)}`}</title>
              <rect class="all" x={place} y={0} width={1} height={high} />
              <rect x={place + 0.1} y={high - height} width={0.8} height={height} />
            </g>
          );
        })}
      </svg>
    </figure>
  );
};

const AsTable = ({ of }: { of: readonly (readonly Bucket[])[] }) => (
  <details>
    <summary>As a table</summary>
    <div class="scroll" role="region" aria-label="Charts as a table" tabIndex={0}>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">from</th>
            {charts.map(({ title }) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of[0]?.map(({ at }, place) => (
            <tr key={at}>
              <th scope="row">{new Date(at).toLocaleString()}</th>
              {charts.map(({ title, show }, column) => {
                const value = of[column]?.[place]?.value ?? null;
                return (
                  <td key={title} class="number">
                    {value === null ? '–' : show(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

export const TraceCharts = ({
  projectId,
  wanted,
  tick,
}: {
  projectId: string;
  wanted: WantedTraces;
  tick: number;
}) => {
  const time = chartedTime(wanted, Date.now());
  const { value, fault } = useLoaded(
    (signal) => Promise.all(charts.map((one) => loadChart(projectId, wanted, time, one, signal))),
    [projectId, JSON.stringify([wanted.filters, wanted.from, wanted.to]), tick],
  );
  if (fault !== undefined) return <Fault of={fault} />;
  if (value === undefined) return <p class="faint small-charts">loading …</p>;
  return (
    <div class="small-charts">
      {charts.map(({ title, show }, at) => (
        <Bars
          key={title}
          title={title}
          show={show}
          of={value[at] ?? []}
          lastsMs={stepMs[time.interval]}
        />
      ))}
      <AsTable of={value} />
      {wanted.search.trim() === '' ? null : (
        <p class="faint">The charts do not know the search, only the filters.</p>
      )}
    </div>
  );
};
