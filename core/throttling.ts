// Rates and counts that data is held to, for every area that takes data in.
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { ExperimentStore } from '#ports/storage/experiments';
import type { ThrottleKind } from '#ports/api/operation';
import type { Throttle } from '#ports/throttle';

const reasons: Readonly<Record<ThrottleKind, string>> = {
  metrics: 'METRIC_RATE',
  systemMetrics: 'SYSTEM_METRIC_RATE',
  parameters: 'PARAMETER_RATE',
  output: 'OUTPUT_RATE',
  assets: 'ASSET_RATE',
};
const words: Readonly<Record<ThrottleKind, string>> = {
  metrics: 'metric points',
  systemMetrics: 'system metric points',
  parameters: 'parameters',
  output: 'lines of output',
  assets: 'assets',
};

export interface LimitNeeds {
  readonly experiments: ExperimentStore;
  readonly throttle: Throttle;
}

/** Sets the experiment's throttle flag and adds this reason and sentence to it. */
export const flagThrottled = async (
  { experiments }: Pick<LimitNeeds, 'experiments'>,
  experiment: Experiment,
  reason: string,
  message: string,
): Promise<void> => {
  if (experiment.throttle && experiment.throttleReasons.includes(reason)) return;
  await experiments.flagThrottled(experiment.id, reason, message);
};

/** Takes events from an experiment's allowance. Rejects with `throttled` and the time to wait, and sets the experiment's throttle flag. */
export const takeAllowance = async (
  needs: LimitNeeds,
  experiment: Experiment,
  kind: ThrottleKind,
  amount: number,
): Promise<void> => {
  if (amount === 0) return;
  const verdict = needs.throttle.take(kind, experiment.id, amount);
  if (verdict.allowed) return;
  const message = `at most ${verdict.perMinute} ${words[kind]} a minute are allowed`;
  await flagThrottled(needs, experiment, reasons[kind], message);
  throw new Failure('throttled', message, { retryAfter: Math.ceil(verdict.retryAfter * 10) / 10 });
};
