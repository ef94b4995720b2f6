// What is asked of how values are counted before a baseline and a span are compared.
import { Failure } from '#ports/failure';
import {
  binsOf,
  isOfValues,
  smoothingOf,
  type Algorithm,
  type Binning,
  type binnings,
  type Counting,
  type Smoothing,
} from './measures.js';
import type { Sketch } from './sketches.js';

export interface AskedCounting {
  readonly algorithmType?: string | undefined;
  readonly smoothing?: Exclude<Smoothing, 'none'> | undefined;
  readonly binning?: (typeof binnings)[number] | undefined;
  /** Of binning by edges. */
  readonly edges?: readonly number[] | undefined;
  readonly includeMissing?: boolean | undefined;
}

export interface DriftCounting {
  readonly smoothing: Smoothing;
  readonly withMissing: boolean;
  /** How numbers are cut into bins; null where they are not. */
  readonly binning: (typeof binnings)[number] | null;
  /** The same of any two that count alike, whatever the measure. */
  readonly name: string;
  against(baseline: Sketch): Counting;
}

const mostEdges = 100;

const binningOf = ({ binning, edges = [] }: AskedCounting): Binning => {
  const by = binning ?? (edges.length > 0 ? 'EDGES' : 'QUANTILE');
  if (by !== 'EDGES') {
    if (edges.length > 0) throw new Failure('invalid', 'edges go with binning EDGES alone');
    return { by };
  }
  if (edges.length === 0 || edges.length > mostEdges)
    throw new Failure('invalid', `edges must be 1 to ${mostEdges} numbers`);
  for (let at = 1; at < edges.length; at++)
    if ((edges[at] ?? 0) <= (edges[at - 1] ?? 0)) throw new Failure('invalid', 'edges must ascend');
  return { by, edges };
};

/** How values are counted for a measure. Throws `invalid` for what does not go together. */
export const countingOf = (
  asked: AskedCounting,
  algorithm: Algorithm,
  of: { readonly isNumeric: boolean; readonly isOfAll: boolean },
): DriftCounting => {
  const binning = binningOf(asked);
  const withMissing = asked.includeMissing === true;
  const isBinned = of.isNumeric && !isOfValues(algorithm);
  if (withMissing && of.isNumeric && !isBinned)
    throw new Failure(
      'invalid',
      `includeMissing takes a measure of bins, which ${algorithm} of numbers is not`,
    );
  if (withMissing && !of.isOfAll)
    throw new Failure('invalid', 'includeMissing goes without filters and segments');
  const smoothing = smoothingOf(algorithm, asked.smoothing);
  return {
    smoothing,
    withMissing,
    binning: isBinned ? binning.by : null,
    name: JSON.stringify([binning, withMissing]),
    against: (baseline) => ({ bins: binsOf(baseline, binning), smoothing, withMissing }),
  };
};
