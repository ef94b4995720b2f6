// Rules that score what is logged, as they are written in a form, and as they are sent. Pure.
import { variablesOf } from './prompts.js';
import { sentFilters, traceFields, type TraceFilter } from './trace-filters.js';

export const ruleTypes = {
  llm_as_judge: { scope: 'trace', says: 'a model judges traces' },
  trace_thread_llm_as_judge: { scope: 'thread', says: 'a model judges threads' },
  span_llm_as_judge: { scope: 'span', says: 'a model judges spans' },
  user_defined_metric_python: { scope: 'trace', says: 'Python scores traces' },
  trace_thread_user_defined_metric_python: { scope: 'thread', says: 'Python scores threads' },
  span_user_defined_metric_python: { scope: 'span', says: 'Python scores spans' },
} as const;
export type RuleType = keyof typeof ruleTypes;
export type RuleScope = 'trace' | 'thread' | 'span';
export const isRuleType = (name: string): name is RuleType => Object.hasOwn(ruleTypes, name);
export const isPython = (type: RuleType): boolean => type.endsWith('_python');

export const judgeRoles = ['SYSTEM', 'USER', 'AI'] as const;
const otherRoles = ['TOOL_EXECUTION_RESULT', 'CUSTOM'] as const;
type Role = (typeof judgeRoles)[number] | (typeof otherRoles)[number];
const roleOf = (name: string): Role =>
  [...judgeRoles, ...otherRoles].find((one) => one === name) ?? 'USER';

export const outputTypes = ['DOUBLE', 'INTEGER', 'BOOLEAN'] as const;
export type OutputType = (typeof outputTypes)[number];
export const outputWords: Readonly<Record<OutputType, string>> = {
  DOUBLE: 'a number',
  INTEGER: 'a whole number',
  BOOLEAN: 'yes or no',
};

export interface JudgeMessage {
  readonly role: string;
  /** Of one with parts, these as JSON. */
  readonly text: string;
  readonly hasParts: boolean;
}
export interface JudgeOutput {
  readonly name: string;
  readonly type: OutputType;
  readonly description: string;
}
export interface RuleDraft {
  readonly type: RuleType;
  readonly name: string;
  readonly projectIds: readonly string[];
  /** Per cent, as it was written. */
  readonly sampling: string;
  readonly enabled: boolean;
  readonly filters: readonly TraceFilter[];
  readonly model: string;
  readonly temperature: string;
  readonly seed: string;
  /** Settings of the model that the form has no field for. */
  readonly custom: Readonly<Record<string, unknown>> | undefined;
  readonly messages: readonly JudgeMessage[];
  /** Paths by names of variables, or of parameters of a metric. */
  readonly paths: Readonly<Record<string, string>>;
  readonly outputs: readonly JudgeOutput[];
  readonly metric: string;
}

const usualMetric = `from opik.evaluation.metrics import base_metric, score_result


class Short(base_metric.BaseMetric):
    def score(self, output, **ignored):
        return score_result.ScoreResult(name="Short", value=float(len(str(output)) < 200))
`;
const usualText: Readonly<Record<RuleScope, string>> = {
  trace:
    'Judge how well the answer fits the question.\n\nQuestion: {{input}}\n\nAnswer: {{output}}',
  span: 'Judge how well this step did its work.\n\nGiven: {{input}}\n\nMade: {{output}}',
  thread: 'Judge how well the assistant helped in this conversation.\n\n{{context}}',
};

/** What a new rule of a type begins as. */
export const usualRule = (type: RuleType, projectId: string | undefined): RuleDraft => {
  const { scope } = ruleTypes[type];
  return {
    ...{ type, name: '', projectIds: projectId === undefined ? [] : [projectId] },
    ...{ sampling: '100', enabled: true, filters: [] },
    ...{ model: '', temperature: '', seed: '', custom: undefined },
    messages: [{ role: 'USER', text: usualText[scope], hasParts: false }],
    paths: scope === 'thread' ? {} : { input: 'input', output: 'output' },
    outputs: [{ name: 'Quality', type: 'DOUBLE', description: 'How good it is, from 0 to 1' }],
    metric: usualMetric,
  };
};

interface ShownFilter {
  readonly field: string;
  readonly operator: string;
  readonly key?: string | undefined;
  readonly value?: string | undefined;
}
/** A rule as the server shows it. */
export interface ShownRule {
  readonly type: RuleType;
  readonly name: string;
  readonly projects: readonly { readonly project_id: string }[];
  readonly sampling_rate: number;
  readonly enabled: boolean;
  readonly filters: readonly ShownFilter[];
  readonly code: {
    readonly model?:
      | {
          readonly name: string;
          readonly temperature?: number | undefined;
          readonly seed?: number | undefined;
          readonly custom_parameters?: Readonly<Record<string, unknown>> | undefined;
        }
      | undefined;
    readonly messages?:
      | readonly {
          readonly role: string;
          readonly content?: string | undefined;
          readonly content_array?: readonly unknown[] | undefined;
        }[]
      | undefined;
    readonly variables?: Readonly<Record<string, string>> | undefined;
    readonly schema?: readonly JudgeOutput[] | undefined;
    readonly metric?: string | undefined;
    readonly arguments?: Readonly<Record<string, string>> | undefined;
  };
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));
/** Without the noise of binary fractions: 0.07 is 7 per cent. */
const percentOf = (rate: number): string => String(Number((rate * 100).toPrecision(9)));

/** A rule in the form in which it is changed. */
export const draftOf = (rule: ShownRule): RuleDraft => {
  const { code } = rule;
  return {
    ...{ type: rule.type, name: rule.name, enabled: rule.enabled },
    projectIds: rule.projects.map(({ project_id: id }) => id),
    sampling: percentOf(rule.sampling_rate),
    filters: rule.filters.map(({ field, operator, key = '', value = '' }) => ({
      ...{ field, operator, key, value },
    })),
    model: code.model?.name ?? '',
    temperature: textOf(code.model?.temperature),
    seed: textOf(code.model?.seed),
    custom: code.model?.custom_parameters,
    messages: (code.messages ?? []).map(({ role, content, content_array: parts }) => ({
      role,
      text: content ?? JSON.stringify(parts ?? [], null, 1),
      hasParts: content === undefined,
    })),
    paths: code.variables ?? code.arguments ?? {},
    outputs: code.schema ?? [],
    metric: code.metric ?? '',
  };
};

/** The names that the messages of a judge ask for; a thread is asked for by one that needs no path. */
export const askedNames = ({ type, messages }: RuleDraft): readonly string[] =>
  ruleTypes[type].scope === 'thread' ? [] : variablesOf(messages.map(({ text }) => text));

const numberIn = (name: string, text: string): number | undefined => {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`${name} is a number`);
  return value;
};
const member = <N extends string, V>(name: N, value: V | undefined) =>
  value === undefined ? {} : ({ [name]: value } as Readonly<Record<N, V>>); // the one member

interface Part {
  readonly type: string;
}
const partsIn = (text: string): Part[] => {
  try {
    const parts: unknown = JSON.parse(text);
    if (Array.isArray(parts)) return parts as Part[]; // the server says what is wrong with one
  } catch {
    // told below, as what is no list is
  }
  throw new Error('the parts of a message are a JSON list');
};
const messageOf = ({ role, text, hasParts }: JudgeMessage) =>
  hasParts
    ? { role: roleOf(role), content_array: partsIn(text) }
    : { role: roleOf(role), content: text };

const filledPaths = (paths: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const path = (Object.hasOwn(paths, name) ? paths[name] : undefined)?.trim() ?? '';
      return path === '' ? [] : [[name, path] as const];
    }),
  );

/** What the rule does, as it is sent. Throws, in a sentence, for what cannot be. */
export const sentCode = (draft: RuleDraft) => {
  const isOfThreads = ruleTypes[draft.type].scope === 'thread';
  if (isPython(draft.type)) {
    if (draft.metric.trim() === '') throw new Error('write the metric');
    const paths = filledPaths(draft.paths, Object.keys(draft.paths));
    return { metric: draft.metric, ...(isOfThreads ? {} : { arguments: paths }) };
  }
  if (draft.model.trim() === '') throw new Error('choose a model');
  const messages = draft.messages.filter(({ text }) => text.trim() !== '');
  if (messages.length === 0) throw new Error('write a message');
  if (draft.outputs.length === 0) throw new Error('say which scores are asked for');
  if (draft.outputs.some(({ name }) => name.trim() === ''))
    throw new Error('each score has a name');
  return {
    model: {
      name: draft.model.trim(),
      ...member('temperature', numberIn('temperature', draft.temperature)),
      ...member('seed', numberIn('seed', draft.seed)),
      ...member('custom_parameters', draft.custom),
    },
    messages: messages.map(messageOf),
    ...(isOfThreads ? {} : { variables: filledPaths(draft.paths, askedNames(draft)) }),
    schema: draft.outputs.map(({ name, type, description }) => ({
      ...{ name: name.trim(), type, description },
    })),
  };
};

/** The whole rule, as it is sent. Throws, in a sentence, for what cannot be. */
export const sentRule = (draft: RuleDraft) => {
  if (draft.name.trim() === '') throw new Error('give the rule a name');
  if (draft.projectIds.length === 0) throw new Error('choose a project');
  const percent = numberIn('the share', draft.sampling);
  if (percent === undefined || percent < 0 || percent > 100)
    throw new Error('the share is a number from 0 to 100');
  return {
    ...{ type: draft.type, action: 'evaluator' as const, name: draft.name.trim() },
    ...{ project_ids: [...draft.projectIds], enabled: draft.enabled },
    sampling_rate: percent / 100,
    filters: sentFilters(draft.filters),
    code: sentCode(draft),
  };
};

const ofThreads = [
  'duration',
  'start_time',
  'end_time',
  'created_at',
  'last_updated_at',
  'feedback_scores',
  'environment',
  'source',
  'tags',
];
const notOfSpans = [
  'thread_id',
  'guardrails',
  'experiment_id',
  'experiment_ids',
  'llm_span_count',
  'span_feedback_scores',
  'visibility_mode',
  'annotation_queue_ids',
];
/** What a rule may filter by. */
export const filterFields = (scope: RuleScope): readonly string[] => {
  const all = Object.keys(traceFields);
  if (scope === 'trace') return all;
  return scope === 'thread'
    ? all.filter((name) => ofThreads.includes(name))
    : all.filter((name) => !notOfSpans.includes(name));
};
