import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

export const definitionTypes = ['numerical', 'categorical', 'boolean'] as const;
export type DefinitionType = (typeof definitionTypes)[number];

/** What a score of a name may be, for pages that ask people for one; scores that programs send are not held against it. */
export interface FeedbackDefinition extends Authorship {
  readonly workspaceId: string;
  /** Made by the client; another workspace may have the same one. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly type: DefinitionType;
  /** JSON text, by its type. */
  readonly details: string | undefined;
}
export const feedbackDefinition = kind<FeedbackDefinition>()('feedbackDefinition');

/** What a guardrail found in a trace. `config` and `details` hold JSON text. */
export interface GuardrailResult {
  readonly projectId: string;
  readonly id: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly passed: boolean;
  readonly config: string | undefined;
  readonly details: string | undefined;
  /** Microseconds. */
  readonly createdAt: number;
  readonly createdBy: string;
}
