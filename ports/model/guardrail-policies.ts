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

/** Checks that programs fetch by a name of the workspace instead of having them in their code. */
export interface GuardrailPolicy extends Authorship {
  readonly workspaceId: string;
  readonly name: string;
  /** Whether every program gets it, whatever it asks for. */
  readonly always: boolean;
  readonly guards: readonly Guard[];
}
