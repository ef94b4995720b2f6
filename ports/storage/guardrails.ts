import type { GuardrailResult } from '../model/feedback-definitions.js';
import type { GuardrailPolicy } from '../model/guardrail-policies.js';
import { reads, sets, type Methods } from './methods.js';

/** Most policies of a workspace; one more is refused with `conflict`. */
export const mostGuardrailPolicies = 200;

/** What guardrails found in traces of projects, and what they check in a workspace. */
export interface GuardrailStore {
  /** Stores results; of several of one span by one name the last one stays. */
  put(results: readonly GuardrailResult[]): Promise<void>;
  /** Of these traces of a project, by trace, span and name. */
  list(projectId: string, traceIds: readonly string[]): Promise<readonly GuardrailResult[]>;
  /** Stores a policy in place of that of its name, if there is one, who made which and when stay. Rejects with `conflict` when the workspace has too many. */
  putPolicy(policy: GuardrailPolicy): Promise<void>;
  /** All policies of a workspace, by name. */
  listPolicies(workspaceId: string): Promise<readonly GuardrailPolicy[]>;
  /** Removes those of these names that are there. */
  removePolicies(workspaceId: string, names: readonly string[]): Promise<void>;
}

export const guardrailMethods: Methods<GuardrailStore> = {
  put: sets,
  list: reads,
  putPolicy: sets,
  listPolicies: reads,
  removePolicies: sets,
};
