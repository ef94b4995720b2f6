import type { Touch } from '../model/authorship.js';
import type { GuardrailResult } from '../model/feedback-definitions.js';
import type { GuardrailPolicy } from '../model/guardrail-policies.js';
import { once, reads, sets, type Methods } from './methods.js';

export type GuardrailPolicyChange = Touch &
  Pick<GuardrailPolicy, 'name' | 'executionMode' | 'guards'>;

/** Most policies of a workspace; one more is refused with `conflict`. */
export const mostGuardrailPolicies = 200;

/** What guardrails found in traces of projects, and what they check in a workspace. */
export interface GuardrailStore {
  /** Stores results; of several of one span by one name the last one stays. */
  put(results: readonly GuardrailResult[]): Promise<void>;
  /** Of these traces of a project, by trace, span and name. */
  list(projectId: string, traceIds: readonly string[]): Promise<readonly GuardrailResult[]>;
  /** Rejects with `conflict` when the workspace has one of that name, or too many. */
  insertPolicy(policy: GuardrailPolicy): Promise<void>;
  /** Tells whether it was there. Rejects with `conflict` when another one has the name. */
  updatePolicy(workspaceId: string, id: string, change: GuardrailPolicyChange): Promise<boolean>;
  /** All policies of a workspace, by name. */
  listPolicies(workspaceId: string): Promise<readonly GuardrailPolicy[]>;
  /** Removes those of these ids that are there. */
  removePolicies(workspaceId: string, ids: readonly string[]): Promise<void>;
}

export const guardrailMethods: Methods<GuardrailStore> = {
  put: sets,
  list: reads,
  insertPolicy: once,
  updatePolicy: sets,
  listPolicies: reads,
  removePolicies: sets,
};
