// What the runs of a demo tried, and how each of them ended: image classifiers of four families, trained with other settings.
import { chances } from './chances.js';

export type Outcome = 'finished' | 'crashed' | 'diverged' | 'running';

export interface Plan {
  readonly name: string;
  readonly seed: number;
  readonly family: Family;
  readonly outcome: Outcome;
  /** The share of the training that was done, 0 to 1. */
  readonly done: number;
  readonly lr: number;
  readonly schedule: 'cosine' | 'step' | 'constant';
  readonly warmup: number;
  readonly batchSize: number;
  readonly optimizer: string;
  readonly weightDecay: number;
  readonly dropout: number;
  readonly augment: string;
  readonly imageSize: number;
  /** How well the learning rate suits the family, 0 to 1. */
  readonly suits: number;
  /** How much is done against learning the training data by heart, 0 to 1. */
  readonly regularized: number;
}

interface Family {
  readonly name: string;
  /** The learning rate that suits it best, as a power of ten. */
  readonly bestRate: number;
  readonly accuracy: number;
  readonly pace: number;
  readonly millions: number;
  readonly secondsAStep: number;
}

const family = (
  name: string,
  [bestRate, accuracy, pace]: readonly [number, number, number],
  [millions, secondsAStep]: readonly [number, number],
): Family => ({ name, bestRate, accuracy, pace, millions, secondsAStep });

const families = [
  family('vit-small', [-3.6, 0.93, 0.8], [22.1, 0.62]),
  family('resnet50', [-2.9, 0.9, 1.1], [25.6, 0.41]),
  family('convnext-tiny', [-3.3, 0.945, 0.95], [28.6, 0.55]),
  family('efficientnet-b2', [-2.7, 0.915, 1.25], [9.1, 0.38]),
] as const;

/** Runs that are still going: the newest few. */
const runningAtLast = 3;

const outcomeOf = (at: number, count: number): Outcome => {
  if (at >= count - runningAtLast) return 'running';
  if (at % 23 === 7) return 'diverged';
  return at % 29 === 11 ? 'crashed' : 'finished';
};

const shareDone = (outcome: Outcome, chance: number): number =>
  outcome === 'finished' ? 1 : outcome === 'diverged' ? 0.3 + chance * 0.2 : 0.25 + chance * 0.5;

const onePlan = (at: number, count: number): Plan => {
  const chance = chances(at);
  const of = families[at % families.length] ?? families[0];
  const outcome = outcomeOf(at, count);
  const rate = outcome === 'diverged' ? -1.9 : -4.6 + 2.4 * chance.next();
  const weightDecay = chance.pick([0, 0.01, 0.05, 0.1]);
  const dropout = chance.pick([0, 0.1, 0.2]);
  const augment = chance.pick(['none', 'flip', 'randaugment', 'mixup']);
  const regularized =
    (augment === 'none' ? 0 : augment === 'flip' ? 0.25 : 0.5) +
    (dropout > 0 ? 0.25 : 0) +
    (weightDecay >= 0.05 ? 0.25 : 0);
  return {
    name: `${of.name}-${String(at + 1).padStart(3, '0')}`,
    seed: at,
    family: of,
    outcome,
    done: shareDone(outcome, chance.next()),
    lr: Number((10 ** rate).toPrecision(2)),
    schedule: outcome === 'diverged' ? 'constant' : chance.pick(['cosine', 'cosine', 'step']),
    warmup: outcome === 'diverged' ? 0 : chance.pick([0, 0.05, 0.1]),
    batchSize: outcome === 'crashed' ? 512 : chance.pick([64, 128, 256]),
    optimizer: chance.pick(['adamw', 'adamw', 'sgd', 'lion']),
    weightDecay,
    dropout,
    augment,
    imageSize: chance.pick([192, 224, 256]),
    suits: Math.exp(-(((rate - of.bestRate) / 0.8) ** 2)),
    regularized,
  };
};

/** The plans of so many runs, the oldest first. */
export const plansOf = (count: number): readonly Plan[] =>
  Array.from({ length: count }, (_, at) => onePlan(at, count));
