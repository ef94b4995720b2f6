import type { Authorship } from './authorship.js';

/** What the clients of LLM observability can check a text for. */
export const guardTypes = [
  'TOPIC',
  'PII',
  'LLM_JUDGE',
  'PROMPT_INJECTION',
  'CUSTOM_CLASSIFIER',
] as const;
export type GuardType = (typeof guardTypes)[number];

/** A check and what it is set to, by its type. */
export interface Guard {
  readonly type: GuardType;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Whether those programs get a policy that ask for it, or every one. */
export const executionModes = ['ON_REQUEST', 'ALWAYS'] as const;
export type ExecutionMode = (typeof executionModes)[number];

/** Checks that programs fetch by a name of the workspace instead of having them in their code. */
export interface GuardrailPolicy extends Authorship {
  readonly workspaceId: string;
  readonly id: string;
  /** Unique in the workspace. */
  readonly name: string;
  readonly executionMode: ExecutionMode;
  readonly guards: readonly Guard[];
}
