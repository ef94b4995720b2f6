import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { ExperimentStore } from '#ports/storage/experiments';
import type { MetricPoint } from '#ports/storage/metrics';
import type { ThrottleKind } from '#ports/api/operation';
import type { Throttle } from '#ports/throttle';

const reasons: Readonly<Record<ThrottleKind, string>> = { metrics: 'METRIC_RATE', systemMetrics: 'SYSTEM_METRIC_RATE', parameters: 'PARAMETER_RATE', output: 'OUTPUT_RATE', assets: 'ASSET_RATE' };
const words: Readonly<Record<ThrottleKind, string>> = { metrics: 'metric points', systemMetrics: 'system metric points', parameters: 'parameters', output: 'lines of output', assets: 'assets' };

export interface LimitNeeds {
  readonly experiments: ExperimentStore;
  readonly throttle: Throttle;
}

const flag = async ({ experiments }: LimitNeeds, experiment: Experiment, reason: string, message: string): Promise<void> => {
  if (experiment.throttle && experiment.throttleReasons.includes(reason)) return;
  await experiments.update(experiment.id, { throttle: true, throttleMessage: message, throttleReasons: [...new Set([...experiment.throttleReasons, reason])] });
};

/** Takes events from an experiment's allowance. Rejects with `throttled` and the time to wait, and sets the experiment's throttle flag. */
export const takeAllowance = async (needs: LimitNeeds, experiment: Experiment, kind: ThrottleKind, amount: number): Promise<void> => {
  if (amount === 0) return;
  const verdict = needs.throttle.take(kind, experiment.id, amount);
  if (verdict.allowed) return;
  const message = `at most ${verdict.perMinute} ${words[kind]} a minute are allowed`;
  await flag(needs, experiment, reasons[kind], message);
  throw new Failure('throttled', message, { retryAfter: Math.ceil(verdict.retryAfter * 10) / 10 });
};

const isSystem = (point: MetricPoint) => point.name.startsWith('sys.');

/** The rates and counts that metrics are held to; system metrics count apart. */
export const limitMetrics = (needs: LimitNeeds) => ({
  async rate(experiment: Experiment, points: readonly MetricPoint[]): Promise<void> {
    const system = points.filter(isSystem).length;
    await takeAllowance(needs, experiment, 'systemMetrics', system);
    await takeAllowance(needs, experiment, 'metrics', points.length - system);
  },
  async noteCount(experiment: Experiment, limit: number): Promise<void> {
    await flag(needs, experiment, 'METRIC_COUNT', `an experiment may hold at most ${limit} metrics`);
  },
});
