// The settings of a search: what each algorithm has, and how those that were sent are read. Pure.
import type { OptimizerAlgorithm } from '#ports/model/optimizer';

interface Setting {
  readonly name: string;
  readonly default: string | number | boolean | null;
  readonly type: 'integer' | 'string' | 'boolean';
  readonly doc: string;
}

const shared: readonly Setting[] = [
  { name: 'metric', default: 'loss', type: 'string', doc: 'Metric that is looked at' },
  {
    name: 'maxCombo',
    default: 0,
    type: 'integer',
    doc: 'Sets to try; 0 is as many as the algorithm finds useful',
  },
  { name: 'objective', default: 'minimize', type: 'string', doc: 'minimize or maximize' },
  {
    name: 'seed',
    default: null,
    type: 'integer',
    doc: 'Makes the search repeatable; one is chosen when there is none',
  },
  { name: 'gridSize', default: 10, type: 'integer', doc: 'Values taken from each range by a grid' },
  {
    name: 'minSampleSize',
    default: 100,
    type: 'integer',
    doc: 'Sets considered before one is chosen',
  },
  {
    name: 'retryLimit',
    default: 20,
    type: 'integer',
    doc: 'How often a set that was aborted is given out again',
  },
  {
    name: 'retryAssignLimit',
    default: 0,
    type: 'integer',
    doc: 'How often a set that never reported is given out again',
  },
];
const ofGrid: readonly Setting[] = [
  { name: 'randomize', default: false, type: 'boolean', doc: 'Take the grid in a random order' },
];

/** What a client may set for an algorithm, with the values it sends otherwise. */
export const settingsOf = (algorithm: OptimizerAlgorithm): readonly Setting[] =>
  algorithm === 'grid' ? [...shared, ...ofGrid] : shared;

/** Values that a grid takes from a range at most. */
export const mostGridSize = 10_000;

export interface Spec {
  readonly metric: string;
  readonly maxCombo: number;
  readonly minimize: boolean;
  readonly gridSize: number;
  readonly retryLimit: number;
  readonly retryAssignLimit: number;
  readonly randomize: boolean;
  readonly seed: string | undefined;
}

const whole = (value: unknown, fallback: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : fallback;

/** The settings in force; what was not sent has its default. */
export const readSpec = (spec: Readonly<Record<string, unknown>>): Spec => ({
  metric: typeof spec['metric'] === 'string' ? spec['metric'] : 'loss',
  maxCombo: whole(spec['maxCombo'], 0),
  minimize: String(spec['objective'] ?? 'minimize')
    .toLowerCase()
    .startsWith('min'),
  gridSize: Math.min(mostGridSize, Math.max(1, whole(spec['gridSize'], 10))),
  retryLimit: whole(spec['retryLimit'], 20),
  retryAssignLimit: whole(spec['retryAssignLimit'], 0),
  randomize: spec['randomize'] === true,
  seed: spec['seed'] === undefined || spec['seed'] === null ? undefined : String(spec['seed']),
});
