// The axis of charts as it stands in an address, and what the server is asked for to draw along it. Pure.
import { smoothings, type Smoothing } from './smoothing.js';

export interface Axis {
  /** `metric` is the value of `xMetric` at the same step; `relative step` counts from the first step of each run. */
  readonly x: 'step' | 'relative step' | 'epoch' | 'relative' | 'wall' | 'metric';
  readonly xMetric?: string | undefined;
  readonly logX: boolean;
  readonly smoothing: number;
  readonly smoothBy: Smoothing;
  readonly range: readonly [number, number] | undefined;
}
/** Runs that are drawn together, as the mean of them. */
export interface RunGroup {
  readonly name: string;
  readonly runs: readonly string[];
}

export const axes = ['step', 'relative step', 'epoch', 'relative', 'wall'] as const;
/** Before the name of the metric that is the axis. */
export const overMetric = 'metric:';

/** Into how many places the axis of a chart is cut, and the most that the server cuts it into. */
export const [placesAsked, mostPlaces] = [400, 2000];

const readRange = (text: string | null): readonly [number, number] | undefined => {
  const [from, to] = (text ?? '').split('_').map(Number);
  return text !== null && from !== undefined && to !== undefined && from < to
    ? [from, to]
    : undefined;
};

export const readAxis = (of: URLSearchParams): Axis => {
  const named = of.get('x') ?? '';
  const xMetric = named.startsWith(overMetric) ? named.slice(overMetric.length) : undefined;
  return {
    x: xMetric !== undefined ? 'metric' : (axes.find((one) => one === named) ?? 'step'),
    ...(xMetric === undefined ? {} : { xMetric }),
    logX: of.get('logx') === '1',
    smoothing: Math.min(0.99, Math.max(0, Number(of.get('smooth') ?? 0) || 0)),
    smoothBy: smoothings.find((one) => one === of.get('smoothby')) ?? 'exponential',
    range: readRange(of.get('zoom')),
  };
};

export type CurveColumn = 'last' | 'min' | 'max' | 'mean' | 'count' | 'smooth';

/** The columns of the curve of a run that are drawn: with the smallest and largest of each place for its band. */
export const drawnColumns = (
  { smoothing, smoothBy }: Axis,
  band: boolean,
): readonly CurveColumn[] => [
  'last',
  ...(band ? (['min', 'max'] as const) : []),
  ...(smoothing === 0
    ? []
    : smoothBy === 'exponential'
      ? (['smooth'] as const)
      : (['mean', 'count'] as const)),
];

/** The body of a request for the curves of these metrics. */
export const seriesBody = (
  {
    runs,
    metrics,
    groups,
    columns,
  }: {
    readonly runs: readonly string[];
    readonly metrics: readonly string[];
    readonly groups?: readonly RunGroup[] | undefined;
    /** All of them where nothing is said. */
    readonly columns?: readonly CurveColumn[] | undefined;
  },
  axis: Axis,
) => {
  // Steps that begin anew with each run are not those that the server knows: then the whole axis is asked for, finer where a part of it is looked at.
  const shifted = axis.x === 'relative step';
  const range = shifted ? undefined : axis.range;
  return {
    runs: [...runs],
    metrics: [...new Set(metrics)],
    x: axis.x === 'relative step' ? ('step' as const) : axis.x,
    buckets: shifted && axis.range !== undefined ? mostPlaces : placesAsked,
    ...(axis.x === 'metric' ? { xMetric: axis.xMetric } : {}),
    ...(groups === undefined
      ? {}
      : { groups: groups.map(({ name, runs: inside }) => ({ name, runs: [...inside] })) }),
    ...(columns === undefined ? {} : { columns: [...columns] }),
    ...(axis.logX ? { scale: 'logarithmic' as const } : {}),
    ...(axis.smoothing > 0 && axis.smoothBy === 'exponential' ? { smoothing: axis.smoothing } : {}),
    ...(range === undefined ? {} : { from: range[0], to: range[1] }),
  };
};
