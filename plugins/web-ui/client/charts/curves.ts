// Asks for curves: all panels that become visible together ask in one request.
import { readCurves, type Curves } from '../../pure/curves.js';
import type { Smoothing } from '../../pure/smoothing.js';
import { runsServer } from '../server.js';

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
/** Into how many places the axis of a chart is cut. */
export const placesAsked = 400;

interface Waiting {
  readonly metric: string;
  readonly resolve: (curves: Curves) => void;
  readonly reject: (thrown: unknown) => void;
}

/** The most that the server cuts it into. */
const mostPlaces = 2000;
const metricsAtOnce = 20;
/** Panels that come onto the screen in one frame ask within it. */
const togetherMs = 4;
const waiting = new Map<string, Waiting[]>();

const ask = async (
  runs: readonly string[],
  groups: readonly RunGroup[] | undefined,
  axis: Axis,
  all: readonly Waiting[],
) => {
  // Steps that begin anew with each run are not those that the server knows: then the whole axis is asked for, finer where a part of it is looked at.
  const shifted = axis.x === 'relative step';
  const range = shifted ? undefined : axis.range;
  for (let at = 0; at < all.length; at += metricsAtOnce) {
    const some = all.slice(at, at + metricsAtOnce);
    try {
      const {
        buckets,
        curves,
        groups: drawn,
      } = readCurves(
        await runsServer.series({
          body: {
            runs: [...runs],
            metrics: [...new Set(some.map(({ metric }) => metric))],
            x: axis.x === 'relative step' ? 'step' : axis.x,
            buckets: shifted && axis.range !== undefined ? mostPlaces : placesAsked,
            ...(axis.x === 'metric' ? { xMetric: axis.xMetric } : {}),
            ...(groups === undefined
              ? {}
              : { groups: groups.map(({ name, runs: inside }) => ({ name, runs: [...inside] })) }),
            ...(axis.logX ? { scale: 'logarithmic' as const } : {}),
            ...(axis.smoothing > 0 && axis.smoothBy === 'exponential'
              ? { smoothing: axis.smoothing }
              : {}),
            ...(range === undefined ? {} : { from: range[0], to: range[1] }),
          },
        }),
      );
      for (const { metric, resolve } of some)
        resolve({
          buckets,
          curves: curves.filter((curve) => curve.metric === metric),
          groups: drawn.filter((group) => group.metric === metric),
        });
    } catch (thrown) {
      for (const { reject } of some) reject(thrown);
    }
  }
};

/** The curves of a metric of these runs, or of groups of them. */
export const loadCurves = (
  runs: readonly string[],
  metric: string,
  axis: Axis,
  groups?: readonly RunGroup[],
): Promise<Curves> =>
  new Promise((resolve, reject) => {
    const key = JSON.stringify([runs, axis, groups]);
    const others = waiting.get(key);
    if (others !== undefined) {
      others.push({ metric, resolve, reject });
      return;
    }
    const all: Waiting[] = [{ metric, resolve, reject }];
    waiting.set(key, all);
    setTimeout(() => {
      waiting.delete(key);
      void ask(runs, groups, axis, all);
    }, togetherMs);
  });
