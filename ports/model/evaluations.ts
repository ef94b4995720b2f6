import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

export const evaluationTypes = ['regular', 'trial', 'mini-batch', 'mutation'] as const;
export type EvaluationType = (typeof evaluationTypes)[number];
export const evaluationStatuses = ['running', 'completed', 'cancelled', 'failed'] as const;
export type EvaluationStatus = (typeof evaluationStatuses)[number];
export type EvaluationMethod = 'dataset' | 'evaluation_suite';

/** A score that is the whole evaluation's, as it was sent. */
export interface EvaluationScore {
  readonly name: string;
  readonly value: number;
}

/** A version of a prompt that was evaluated. */
export interface EvaluatedPrompt {
  readonly versionId: string;
  readonly promptId: string;
}

/** A run of an application over the items of a dataset, which the wire calls an experiment. `metadata` holds JSON text. */
export interface Evaluation extends Authorship {
  readonly workspaceId: string;
  /** Made by the client; another workspace may have the same one. */
  readonly id: string;
  readonly projectId: string | undefined;
  /** It may be gone. */
  readonly datasetId: string | undefined;
  readonly datasetVersionId: string | undefined;
  readonly optimizationId: string | undefined;
  readonly name: string;
  readonly metadata: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly type: EvaluationType;
  readonly method: EvaluationMethod;
  readonly status: EvaluationStatus | undefined;
  readonly scores: readonly EvaluationScore[] | undefined;
  readonly finishedAt: number | undefined;
  readonly prompts: readonly EvaluatedPrompt[];
}
export const evaluation = kind<Evaluation>()('evaluation');

/** One item of a dataset as the application answered it: several of one item are runs of it. None of what it names need be there. */
export interface EvaluationItem extends Authorship {
  readonly workspaceId: string;
  readonly id: string;
  readonly evaluationId: string;
  readonly datasetItemId: string;
  readonly traceId: string;
  readonly projectId: string | undefined;
  /** JSON text. */
  readonly executionPolicy: string | undefined;
}
export const evaluationItem = kind<EvaluationItem>()('evaluationItem');

/** Whether a trace or span did what a sentence asks of it. */
export interface AssertionResult extends Authorship {
  readonly projectId: string;
  readonly entityKind: 'trace' | 'span';
  readonly entityId: string;
  readonly name: string;
  readonly passed: boolean;
  readonly reason: string | undefined;
  readonly source: string;
}
