import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';
import type { TracedKind } from './traces.js';

/** What a rule asks, and about what. */
export const ruleTypes = [
  'llm_as_judge',
  'user_defined_metric_python',
  'trace_thread_llm_as_judge',
  'trace_thread_user_defined_metric_python',
  'span_llm_as_judge',
  'span_user_defined_metric_python',
] as const;
export type RuleType = (typeof ruleTypes)[number];

/** What rules of a type are about. */
export const scopeOfType: Readonly<Record<RuleType, TracedKind>> = {
  llm_as_judge: 'trace',
  user_defined_metric_python: 'trace',
  trace_thread_llm_as_judge: 'thread',
  trace_thread_user_defined_metric_python: 'thread',
  span_llm_as_judge: 'span',
  span_user_defined_metric_python: 'span',
};

export const judgeRoles = ['SYSTEM', 'USER', 'AI', 'TOOL_EXECUTION_RESULT', 'CUSTOM'] as const;
export type JudgeRole = (typeof judgeRoles)[number];
export const judgeOutputTypes = ['BOOLEAN', 'INTEGER', 'DOUBLE'] as const;
export type JudgeOutputType = (typeof judgeOutputTypes)[number];

/** A part of a message: a text, or where a picture, a film or a sound is. */
export interface JudgeContent {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string; readonly detail?: string };
  readonly video_url?: { readonly url: string };
  readonly audio_url?: { readonly url: string };
}
/** It has a text, or parts. */
export interface JudgeMessage {
  readonly role: JudgeRole;
  readonly content?: string;
  readonly content_array?: readonly JudgeContent[];
}
/** One score that a model is asked for. */
export interface JudgeOutput {
  readonly name: string;
  readonly type: JudgeOutputType;
  readonly description: string;
}

/** A model that judges. */
export interface JudgeCode {
  readonly model: {
    readonly name: string;
    readonly temperature?: number;
    readonly seed?: number;
    readonly custom_parameters?: unknown;
  };
  readonly messages: readonly JudgeMessage[];
  /** Paths by names of placeholders; none for threads. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly schema: readonly JudgeOutput[];
}
/** A program in Python, which is run where the installation runs such programs, and else kept. */
export interface MetricCode {
  /** Its source; see `MetricCall`. */
  readonly metric: string;
  /** Paths by names of parameters; none for threads. */
  readonly arguments?: Readonly<Record<string, string>>;
}
export type RuleCode = JudgeCode | MetricCode;

/** A filter as a client sends it. */
export interface RuleFilter {
  readonly field: string;
  readonly operator: string;
  readonly key?: string;
  readonly value?: string;
}

/** Scores what is logged to its projects. */
export interface AutomationRule extends Authorship {
  readonly workspaceId: string;
  /** Made by the server. */
  readonly id: string;
  /** At least one, by name. Deleted ones are left out. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly type: RuleType;
  readonly name: string;
  /** The share of what its filters let through that is scored: from 0 to 1. */
  readonly samplingRate: number;
  readonly enabled: boolean;
  /** All must hold; judged when they were stored. */
  readonly filters: readonly RuleFilter[];
  readonly code: RuleCode;
}
export const automationRule = kind<AutomationRule>()('automationRule');

/** Something that waits to be scored. */
export interface AutomationRun {
  readonly id: string;
  readonly projectId: string;
  readonly kind: 'trace' | 'span' | 'thread';
  readonly entityId: string;
  /** The rule that scores it; `undefined` as long as none was chosen. */
  readonly ruleId: string | undefined;
  /** Whether somebody asked for this thing to be scored by this rule, even if the rule is disabled. */
  readonly asked: boolean;
  /** How often it was claimed, this time too; not counting those after which it had only to wait. */
  readonly tries: number;
  /** For how long it has been in the queue, in ms. */
  readonly ageMs: number;
}

export const logLevels = ['INFO', 'WARN', 'ERROR', 'DEBUG', 'TRACE'] as const;
/** A line of a rule's log. */
export interface AutomationLog {
  readonly ruleId: string;
  /** Made in order of time. */
  readonly id: string;
  /** Microseconds. */
  readonly at: number;
  readonly level: (typeof logLevels)[number];
  readonly message: string;
  readonly markers: Readonly<Record<string, string>>;
}
