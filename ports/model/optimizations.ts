import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

export const optimizationStatuses = [
  'running',
  'completed',
  'cancelled',
  'initialized',
  'error',
] as const;
export type OptimizationStatus = (typeof optimizationStatuses)[number];

/** A search for a better prompt, whose trials are evaluations. `metadata` and `studioConfig` hold JSON text. */
export interface Optimization extends Authorship {
  readonly workspaceId: string;
  /** Made by the client; another workspace may have the same one. */
  readonly id: string;
  readonly projectId: string | undefined;
  /** It may be gone. */
  readonly datasetId: string;
  readonly name: string | undefined;
  readonly objectiveName: string;
  readonly status: OptimizationStatus;
  readonly metadata: string | undefined;
  readonly studioConfig: string | undefined;
  /** Why it failed, as JSON text. */
  readonly errorInfo: string | undefined;
}
export const optimization = kind<Optimization>()('optimization');
