import type { GuardrailResult } from '../model/feedback-definitions.js';
import { reads, sets, type Methods } from './methods.js';

/** What guardrails found in traces of projects. */
export interface GuardrailStore {
  /** Stores results; of several of one span by one name the last one stays. */
  put(results: readonly GuardrailResult[]): Promise<void>;
  /** Of these traces of a project, by trace, span and name. */
  list(projectId: string, traceIds: readonly string[]): Promise<readonly GuardrailResult[]>;
}

export const guardrailMethods: Methods<GuardrailStore> = { put: sets, list: reads };
