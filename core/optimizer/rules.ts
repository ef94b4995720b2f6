// What a search has left, and what it learns from. Pure.
import { Failure } from '#ports/failure';
import type { Optimizer, Trial } from '#ports/model/optimizer';
import {
  countGrid,
  proposeAtRandom,
  proposeByResults,
  proposeOnGrid,
  type Observation,
  type ParameterSet,
} from './propose.js';
import { mostGridSize, readSpec, type Spec } from './spec.js';
import type { Dimension } from './space.js';

/** Sets for each parameter, where nobody said how many to try. */
const setsPerParameter = 10;
/** Results before learning begins. */
const firstResults = 8;

/** How many sets a search tries. */
export const countSets = (
  { algorithm }: Pick<Optimizer, 'algorithm'>,
  spec: Spec,
  space: readonly Dimension[],
): number => {
  if (algorithm !== 'grid')
    return spec.maxCombo > 0 ? spec.maxCombo : setsPerParameter * space.length;
  const all = countGrid(space, spec.gridSize);
  return spec.maxCombo > 0 ? Math.min(all, spec.maxCombo) : all;
};

const mostGridValues = 100_000;

/** Throws `invalid` for a grid that nobody could go through: its values are listed and its sets counted for each one that is given out. */
export const checkGrid = (
  asked: Readonly<Record<string, unknown>>,
  space: readonly Dimension[],
): void => {
  const size = asked['gridSize'];
  if (typeof size === 'number' && size > mostGridSize)
    throw new Failure('invalid', `gridSize must be at most ${mostGridSize}`);
  const { gridSize } = readSpec(asked);
  const values = space.reduce((sum, { choices }) => sum + (choices?.length ?? gridSize), 0);
  if (values > mostGridValues)
    throw new Failure(
      'invalid',
      `the parameters of a grid have at most ${mostGridValues} values together: choose a smaller gridSize`,
    );
  if (!Number.isSafeInteger(countGrid(space, gridSize)))
    throw new Failure(
      'invalid',
      'a grid has fewer than 2^53 sets: choose a smaller gridSize, or the algorithm random',
    );
};

/** One observation a set: the mean of its trials' scores, turned so that smaller is better. */
export const observe = (trials: readonly Trial[], minimize: boolean): readonly Observation[] => {
  const sets = new Map<string, { readonly parameters: string; readonly scores: number[] }>();
  for (const { pid, parameters, score } of trials) {
    const set = sets.get(pid) ?? { parameters, scores: [] };
    if (score !== undefined) set.scores.push(minimize ? score : -score);
    sets.set(pid, set);
  }
  return [...sets.values()].map(({ parameters, scores }) => ({
    parameters: JSON.parse(parameters) as Record<string, unknown>, // stored by the search, or brought as an object
    score:
      scores.length === 0
        ? undefined
        : scores.reduce((sum, score) => sum + score, 0) / scores.length,
  }));
};

/** The set at a place of the search, counted from 0. `tried` is read by the algorithm that learns, and may be empty for the others. */
export const propose = (
  optimizer: Pick<Optimizer, 'algorithm' | 'seed'>,
  spec: Spec,
  space: readonly Dimension[],
  place: number,
  tried: readonly Trial[],
): ParameterSet => {
  if (optimizer.algorithm === 'grid')
    return proposeOnGrid(space, spec.gridSize, place, spec.randomize ? optimizer.seed : undefined);
  if (optimizer.algorithm === 'random') return proposeAtRandom(space, optimizer.seed, place);
  return proposeByResults(
    space,
    optimizer.seed,
    place,
    observe(tried, spec.minimize),
    firstResults,
  );
};

/** How far a search has come, in the members that clients print. */
export const progressOf = (
  optimizer: Pick<Optimizer, 'algorithm' | 'assigned' | 'trials'>,
  spec: Spec,
  space: readonly Dimension[],
) => {
  const sets = countSets(optimizer, spec, space);
  return {
    comboCount: sets,
    maxCombo: spec.maxCombo,
    retryCount: 0,
    configSpaceSize: spec.gridSize,
    state: {
      sequence_i: Math.floor(optimizer.assigned / optimizer.trials),
      sequence_retry: 0,
      sequence_trial: optimizer.assigned % optimizer.trials,
      total: sets,
    },
  };
};

const openStatuses = ['assigned', 'running', 'processing'] as const;

/** Whether nothing is left to give out or to wait for. */
export const isOver = (
  assigned: number,
  total: number,
  counts: ReadonlyMap<string, number>,
): boolean => assigned >= total && openStatuses.every((status) => (counts.get(status) ?? 0) === 0);
