// The curves that such a training would draw: falling losses, rising accuracy, a learning rate that is warmed up and decays.
import { chances, type Chances } from './chances.js';
import type { Plan } from './plans.js';

export interface Point {
  readonly metric: string;
  readonly value: number;
  readonly step: number;
  readonly epoch: number;
}

export const totalSteps = 3000;
const [every, epochs] = [25, 30];
const labels = 6;
const lossAtFirst = Math.log(labels);

/** The factor of the learning rate at a share of the training. */
const scheduled = ({ schedule, warmup }: Plan, at: number): number => {
  if (at < warmup) return at / warmup;
  if (schedule === 'cosine') return (1 + Math.cos((Math.PI * (at - warmup)) / (1 - warmup))) / 2;
  if (schedule === 'step') return at < 0.5 ? 1 : at < 0.75 ? 0.1 : 0.01;
  return 1;
};

/** How much worse the loss is than it may become: what is left until the rate falls. */
const beforeDrop = ({ schedule }: Plan, at: number): number =>
  schedule !== 'step' || at > 0.75 ? 1 : at > 0.5 ? 1.1 : 1.4;

const speedOf = ({ family: { pace }, suits }: Plan): number => pace * (0.25 + 0.75 * suits);

/** The loss on the training data, before noise. */
const learned = (plan: Plan, at: number): number => {
  const floor = (0.06 + 0.35 * (1 - plan.suits) + 0.12 * plan.regularized) * beforeDrop(plan, at);
  return floor + (lossAtFirst - floor) * Math.exp(-7 * speedOf(plan) * at);
};

/** What learning by heart adds to the loss on other data. */
const byHeart = ({ regularized, suits }: Plan, at: number): number =>
  (1 - regularized) * suits * 0.9 * Math.max(0, at - 0.3) ** 1.4;

const accuracyAt = (plan: Plan, at: number): number => {
  const { family, suits, regularized } = plan;
  const best = family.accuracy * (0.72 + 0.28 * suits) + 0.03 * regularized;
  const gained = (best - 1 / labels) * (1 - Math.exp(-6 * speedOf(plan) * at));
  return 1 / labels + gained - 0.08 * byHeart(plan, at);
};

/** A run that diverges: fine until `from`, then up within some steps, then not a number. */
const diverging = (plan: Plan, at: number, value: number): number => {
  const from = plan.done * 0.7;
  if (plan.outcome !== 'diverged' || at < from) return value;
  return at > from + 0.05 ? NaN : value * Math.exp((at - from) * 60);
};

const trainingAt = (plan: Plan, chance: Chances, step: number): readonly Point[] => {
  const at = step / totalSteps;
  const epoch = Math.floor(at * epochs);
  const loss = learned(plan, at) * (1 + chance.around(0.22)) + Math.abs(chance.around(0.04));
  const norm = (0.3 + 2.6 * Math.exp(-9 * speedOf(plan) * at)) * (1 + chance.around(0.3));
  const point = (metric: string, value: number): Point => ({ metric, value, step, epoch });
  const right = accuracyAt(plan, at) + 0.02 + 0.15 * byHeart(plan, at) + chance.around(0.03);
  return [
    point('train/loss', diverging(plan, at, loss)),
    point(
      'train/accuracy',
      Number.isNaN(diverging(plan, at, 1)) ? 1 / labels : Math.min(0.999, right),
    ),
    point('train/grad_norm', diverging(plan, at, norm)),
    point('train/lr', plan.lr * scheduled(plan, at)),
  ];
};

const validationAt = (plan: Plan, chance: Chances, epoch: number): readonly Point[] => {
  const at = epoch / epochs;
  const step = at * totalSteps;
  const loss = learned(plan, at) * 1.1 + 0.05 + byHeart(plan, at) + chance.around(0.05);
  const accuracy = Math.min(0.985, accuracyAt(plan, at) + chance.around(0.012));
  const point = (metric: string, value: number): Point => ({ metric, value, step, epoch });
  return [
    point('val/loss', diverging(plan, at, loss)),
    point('val/accuracy', Number.isNaN(diverging(plan, at, 1)) ? 1 / labels : accuracy),
  ];
};

const machineAt = (plan: Plan, chance: Chances, step: number): readonly Point[] => {
  const epoch = Math.floor((step / totalSteps) * epochs);
  const share = 0.35 + plan.batchSize / 700 + plan.family.millions / 300;
  const point = (metric: string, value: number): Point => ({ metric, value, step, epoch });
  return [
    point('sys.gpu.0.gpu_utilization', step % 500 === 0 ? 31 : 93 + chance.around(9)),
    point('sys.gpu.0.used_memory', Math.min(0.99, share) * 24e9 + chance.around(2e8)),
    point('sys.cpu.percent.avg', 38 + chance.around(14)),
  ];
};

/** Every point of a run, in the order of its steps. */
export const curvesOf = (plan: Plan): readonly Point[] => {
  const chance = chances(plan.seed + 10_000);
  const last = plan.done * totalSteps;
  const points: Point[] = [];
  for (let step = 0; step <= last; step += every) {
    points.push(...trainingAt(plan, chance, step));
    if (step % 100 === 0) points.push(...validationAt(plan, chance, step / 100));
    if (step % 50 === 0) points.push(...machineAt(plan, chance, step));
  }
  return points;
};

/** The best accuracy on validation data that a run reached. */
export const bestAccuracy = (points: readonly Point[]): number =>
  Math.max(0, ...points.filter(({ metric }) => metric === 'val/accuracy').map((one) => one.value));
