// From a request to curves: which series are read, over what, and how runs are grouped.
import { seriesBounds } from '#ports/api/series';
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { Curve, CurveAxis, CurveOf, CurvesQuery } from '#ports/storage/curves';
import type { Stores } from '#ports/storage/storage';
import type { Drawn } from './forms.js';
import { groupCurves, joinCurves, type Group, type RunCurve } from './rules.js';

export interface SeriesRequest {
  readonly runs: readonly string[];
  readonly metrics: readonly string[];
  readonly x?: CurveAxis | 'metric' | undefined;
  readonly xMetric?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly buckets?: number | undefined;
  readonly scale?: CurvesQuery['scale'] | undefined;
  readonly smoothing?: number | undefined;
  readonly groupBy?: string | undefined;
  readonly groups?: readonly Group[] | undefined;
}

type SeriesStores = Pick<Stores, 'curves' | 'values'>;

const refuse = (sentence: string): never => {
  throw new Failure('invalid', sentence);
};

const checkRequest = (request: SeriesRequest): void => {
  const { runs, metrics, x, xMetric, smoothing, groupBy, groups, from, to, scale } = request;
  if (runs.length * metrics.length > seriesBounds.series)
    refuse(`runs times metrics must be at most ${seriesBounds.series}`);
  if (smoothing !== undefined && !(smoothing >= 0 && smoothing < 1))
    refuse('smoothing must be at least 0 and below 1');
  if ((x === 'metric') !== (xMetric !== undefined))
    refuse('xMetric is given where x is metric, and only there');
  if (from !== undefined && to !== undefined && to < from)
    refuse(`the range ends before it begins: from ${from} to ${to}`);
  if (scale === 'logarithmic' && Math.min(from ?? 1, to ?? 1) <= 0)
    refuse('from and to must be above 0 on a logarithmic scale');
  if (groupBy !== undefined && groups !== undefined)
    refuse('runs are grouped by groupBy or by groups, not by both');
  const known = new Set(runs);
  for (const run of groups?.flatMap((group) => group.runs) ?? [])
    if (!known.has(run)) refuse(`groups name the run ${run}, which is not among the runs`);
};

/** Runs whose parameters are read side by side. */
const runsAtOnce = 10;

const groupByParameter = async (
  { values }: SeriesStores,
  experiments: readonly Experiment[],
  parameter: string,
): Promise<readonly Group[]> => {
  const groups = new Map<string | undefined, string[]>();
  for (let at = 0; at < experiments.length; at += runsAtOnce) {
    const some = experiments.slice(at, at + runsAtOnce);
    const found = await Promise.all(
      some.map(({ id }) => values.list(id, 'parameter', [parameter])),
    );
    some.forEach(({ key }, i) => {
      const name = found[i]?.[0]?.last.text;
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [key]);
      else group.push(key);
    });
  }
  return [...groups].map(([name, runs]) => ({ name, runs }));
};

/** What a request comes to before any curve is read. */
export interface Asked {
  readonly request: SeriesRequest;
  readonly experiments: readonly Experiment[];
  readonly groups: readonly Group[] | undefined;
  readonly metrics: readonly string[];
  /** Every series that is looked at: of each run the metrics, and behind them what they are drawn over. */
  readonly series: readonly CurveOf[];
}

/** Rejects with `invalid` what contradicts itself or is more than one reply holds. */
export const prepare = async (
  stores: SeriesStores,
  request: SeriesRequest,
  reachable: readonly Experiment[],
): Promise<Asked> => {
  checkRequest(request);
  const experiments = [...new Map(reachable.map((one) => [one.key, one])).values()];
  const metrics = [...new Set(request.metrics)];
  const there = new Set(experiments.map(({ key }) => key));
  const groups =
    request.groupBy === undefined
      ? request.groups?.map(({ name, runs }) => ({
          name,
          runs: [...new Set(runs)].filter((run) => there.has(run)),
        }))
      : await groupByParameter(stores, experiments, request.groupBy);
  const names = request.xMetric === undefined ? metrics : [...metrics, request.xMetric];
  return {
    request,
    experiments,
    groups,
    metrics,
    series: experiments.flatMap(({ id, startTimeMillis }) =>
      names.map((name) => ({ experimentId: id, name, originAt: startTimeMillis })),
    ),
  };
};

/** Changes whenever the reply may. */
export const markOf = (
  { curves }: SeriesStores,
  { series, groups, experiments }: Asked,
): Promise<string> =>
  curves.mark(series, [
    JSON.stringify(groups ?? null),
    ...experiments.map(({ key, startTimeMillis }) => `${key} ${startTimeMillis}`),
  ]);

const toRunCurves = (
  { experiments, metrics, request: { xMetric } }: Asked,
  curves: readonly Curve[],
): { readonly series: readonly RunCurve[]; readonly over: ReadonlyMap<string, Curve> } => {
  const width = metrics.length + (xMetric === undefined ? 0 : 1);
  const [series, over]: [RunCurve[], Map<string, Curve>] = [[], new Map()];
  experiments.forEach(({ key }, run) => {
    metrics.forEach((metric, at) => {
      const curve = curves[run * width + at];
      if (curve !== undefined) series.push({ run: key, metric, curve });
    });
    const other = xMetric === undefined ? undefined : curves[run * width + metrics.length];
    if (other !== undefined) over.set(key, other);
  });
  return { series, over };
};

/** Reads and draws. Series that hold no point of the metric are curves without points. */
export const draw = async ({ curves }: SeriesStores, asked: Asked): Promise<Drawn> => {
  const { request, metrics, groups, series: of } = asked;
  const {
    x = 'step',
    from,
    to,
    buckets = seriesBounds.usualBuckets,
    scale = 'linear',
    smoothing,
  } = request;
  const range = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
  const isJoined = x === 'metric';
  // Over another metric, by as many steps as there may be: fewer of them are joined one by one.
  const read = await curves.read({
    series: of,
    ...(isJoined
      ? { axis: 'step', buckets: seriesBounds.buckets, scale: 'linear' }
      : { axis: x, buckets, scale, ...range }),
    ...(smoothing === undefined ? {} : { smoothing }),
  });
  const { series: found, over } = toRunCurves(asked, read.curves);
  const { grid, curves: drawn } = isJoined
    ? joinCurves(found, over, { ...range, buckets, scale })
    : { grid: read.grid, curves: found };
  return {
    x,
    scale,
    grid,
    series: groups === undefined ? drawn : [],
    groups: metrics.flatMap((metric) =>
      (groups ?? []).map((group) => groupCurves(drawn, group, metric, grid?.buckets ?? 0)),
    ),
  };
};
