// Asks for curves: all panels that become visible together ask in one request.
import { readCurves, type Curves } from '../../pure/curves.js';
import { seriesBody, type Axis, type RunGroup } from '../../pure/axis.js';
import { runsServer } from '../server.js';

interface Waiting {
  readonly metric: string;
  readonly resolve: (curves: Curves) => void;
  readonly reject: (thrown: unknown) => void;
}

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
  for (let at = 0; at < all.length; at += metricsAtOnce) {
    const some = all.slice(at, at + metricsAtOnce);
    try {
      const {
        buckets,
        curves,
        groups: drawn,
      } = readCurves(
        await runsServer.series({
          body: seriesBody({ runs, metrics: some.map(({ metric }) => metric), groups }, axis),
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
