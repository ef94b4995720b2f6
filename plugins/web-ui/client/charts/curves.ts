// Asks for curves: all panels that become visible together ask in one request.
import type { Curve } from '../../pure/curves.js';
import { readCurves } from '../../pure/curves.js';
import { server } from '../server.js';

export interface Axis {
  readonly x: 'step' | 'epoch' | 'relative' | 'wall';
  readonly logX: boolean;
  readonly smoothing: number;
  readonly range: readonly [number, number] | undefined;
}
interface Waiting {
  readonly metric: string;
  readonly resolve: (curves: readonly Curve[]) => void;
  readonly reject: (thrown: unknown) => void;
}

const metricsAtOnce = 20;
const waiting = new Map<string, Waiting[]>();

const ask = async (runs: readonly string[], axis: Axis, all: readonly Waiting[]) => {
  for (let at = 0; at < all.length; at += metricsAtOnce) {
    const some = all.slice(at, at + metricsAtOnce);
    try {
      const curves = readCurves(
        await server.querySeries({
          body: {
            runs: [...runs],
            metrics: [...new Set(some.map(({ metric }) => metric))],
            x: axis.x,
            buckets: 400,
            ...(axis.logX ? { scale: 'logarithmic' as const } : {}),
            ...(axis.smoothing > 0 ? { smoothing: axis.smoothing } : {}),
            ...(axis.range === undefined ? {} : { from: axis.range[0], to: axis.range[1] }),
          },
        }),
      );
      for (const { metric, resolve } of some)
        resolve(curves.filter((curve) => curve.metric === metric));
    } catch (thrown) {
      for (const { reject } of some) reject(thrown);
    }
  }
};

/** The curves of a metric of these runs. */
export const loadCurves = (
  runs: readonly string[],
  metric: string,
  axis: Axis,
): Promise<readonly Curve[]> =>
  new Promise((resolve, reject) => {
    const key = JSON.stringify([runs, axis]);
    const others = waiting.get(key);
    if (others !== undefined) {
      others.push({ metric, resolve, reject });
      return;
    }
    const all: Waiting[] = [{ metric, resolve, reject }];
    waiting.set(key, all);
    setTimeout(() => {
      waiting.delete(key);
      void ask(runs, axis, all);
    }, 20);
  });
