// What rules may be, and how they are shown. Pure.
import { Failure } from '#ports/failure';
import {
  scopeOfType,
  type AutomationLog,
  type AutomationRule,
  type JudgeCode,
  type JudgeMessage,
  type MetricCode,
  type RuleCode,
  type RuleFilter,
  type RuleType,
} from '#ports/model/automations';
import { showAuthorship } from '../private-wire/authorship.js';
import { readFilters, type FilterTypes } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readAnyId } from '../private-wire/ids.js';
import { showInstant } from '../private-wire/instants.js';
import { entryFiltersOf } from '../traces/offers.js';

/** What a list of rules is filtered by. */
export const ruleFilters: FilterTypes = {
  id: 'text',
  name: 'text',
  type: 'word',
  enabled: 'word',
  sampling_rate: 'number',
  created_at: 'instant',
  last_updated_at: 'instant',
  created_by: 'text',
  last_updated_by: 'text',
};

export const isJudge = (code: RuleCode): code is JudgeCode => 'model' in code;

const unfit = (message: string): Failure => new Failure('unprocessable', message);

type Absent<T> = { readonly [M in keyof T]?: T[M] | undefined };
type SentMessage = Pick<JudgeMessage, 'role'> & {
  readonly content?: string | undefined;
  readonly content_array?: readonly SentContent[] | undefined;
};
interface SentContent {
  readonly type: string;
  readonly text?: string | undefined;
  readonly image_url?: { readonly url: string; readonly detail?: string | undefined } | undefined;
  readonly video_url?: { readonly url: string } | undefined;
  readonly audio_url?: { readonly url: string } | undefined;
}
export interface SentCode {
  readonly model?:
    (Absent<Omit<JudgeCode['model'], 'name'>> & { readonly name: string }) | undefined;
  readonly messages?: readonly SentMessage[] | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly schema?: JudgeCode['schema'] | undefined;
  readonly metric?: string | undefined;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
}
export type SentFilter = Pick<RuleFilter, 'field' | 'operator'> &
  Absent<Pick<RuleFilter, 'key' | 'value'>>;
export interface SentRule {
  readonly type: RuleType;
  readonly name: string;
  readonly project_id?: string | undefined;
  readonly project_ids?: readonly string[] | undefined;
  readonly sampling_rate?: number | undefined;
  readonly enabled?: boolean | undefined;
  readonly filters?: readonly SentFilter[] | undefined;
  readonly code: SentCode;
}

const mostProjects = 100;
/** The projects that are sent, each once. Rejects with `invalid` for what is no id, and with `unprocessable` for none and for too many. */
export const readProjectIds = ({
  project_id: one,
  project_ids: many = [],
}: Pick<SentRule, 'project_id' | 'project_ids'>): readonly string[] => {
  const sent = [
    ...(one === undefined || one.trim() === '' ? [] : [readAnyId(one, 'project_id')]),
    ...many.map((id) => readAnyId(id, 'project_ids')),
  ];
  const ids = [...new Set(sent)];
  if (ids.length === 0) throw unfit('project_ids must name at least one project');
  if (ids.length > mostProjects)
    throw unfit(`project_ids must name at most ${mostProjects} projects`);
  return ids;
};

const requireMember = <T>(member: T | undefined, name: string): T => {
  if (member === undefined) throw unfit(`code.${name} must not be null`);
  return member;
};
const mostEntries = 100;
const readPaths = (
  sent: Readonly<Record<string, string>> | undefined,
  name: string,
): Readonly<Record<string, string>> => {
  const paths = requireMember(sent, name);
  if (Object.keys(paths).length > mostEntries)
    throw unfit(`code.${name} size must be at most ${mostEntries}`);
  return paths;
};

const readMessage = ({ role, content, content_array: parts }: SentMessage): JudgeMessage => {
  if (content === undefined && parts === undefined)
    throw unfit('code.messages must each have content or content_array');
  return {
    role,
    ...given({
      content,
      content_array: parts?.map(({ type, text, image_url: image, video_url, audio_url }) => ({
        type,
        ...given({
          text,
          image_url: image && { url: image.url, ...given({ detail: image.detail }) },
          video_url: video_url && { url: video_url.url },
          audio_url: audio_url && { url: audio_url.url },
        }),
      })),
    }),
  };
};

const readJudge = (type: RuleType, sent: SentCode): JudgeCode => {
  const { name, temperature, seed, custom_parameters } = requireMember(sent.model, 'model');
  const messages = requireMember(sent.messages, 'messages').map(readMessage);
  if (messages.length === 0) throw unfit('code.messages must not be empty');
  const schema = requireMember(sent.schema, 'schema').map((output) => ({
    name: output.name,
    type: output.type,
    description: output.description,
  }));
  if (schema.length === 0) throw unfit('code.schema must not be empty');
  if (new Set(schema.map((output) => output.name)).size < schema.length)
    throw unfit('names of code.schema must differ');
  return {
    model: { name, ...given({ temperature, seed, custom_parameters }) },
    messages,
    ...(scopeOfType[type] === 'thread'
      ? {}
      : { variables: readPaths(sent.variables, 'variables') }),
    schema,
  };
};
const readMetric = (type: RuleType, sent: SentCode): MetricCode => {
  const metric = requireMember(sent.metric, 'metric');
  if (metric.trim() === '') throw unfit('code.metric must not be blank');
  return {
    metric,
    ...(scopeOfType[type] === 'thread'
      ? {}
      : { arguments: readPaths(sent.arguments, 'arguments') }),
  };
};

const mostCode = 200_000;

/** What is kept of a rule that was sent. Rejects with `unprocessable`, and with `invalid` for filters that are none of what it is about. */
export const readRule = (sent: SentRule) => {
  const { type, name, sampling_rate: samplingRate = 1 } = sent;
  if (!(samplingRate >= 0 && samplingRate <= 1))
    throw unfit('sampling_rate must be between 0 and 1');
  const code = type.endsWith('_python') ? readMetric(type, sent.code) : readJudge(type, sent.code);
  if (JSON.stringify(code).length > mostCode)
    throw unfit(`code must have at most ${mostCode} characters`);
  const filters = (sent.filters ?? []).map(({ field, operator, key, value }) => ({
    field,
    operator,
    ...given({ key: key === '' ? undefined : key, value }),
  }));
  readFilters(filters, entryFiltersOf[scopeOfType[type]]);
  return { type, name, samplingRate, enabled: sent.enabled ?? true, filters, code };
};

const showCode = (code: RuleCode) =>
  isJudge(code)
    ? {
        model: code.model as Omit<JudgeCode['model'], 'custom_parameters'> & {
          readonly custom_parameters?: Readonly<Record<string, unknown>>; // as it was read
        },
        messages: code.messages.map((message) => ({
          ...message,
          ...(message.content_array && { content_array: [...message.content_array] }),
          string_content: message.content !== undefined,
          structured_content: message.content_array !== undefined,
        })),
        variables: code.variables && { ...code.variables },
        schema: [...code.schema],
      }
    : { metric: code.metric, arguments: code.arguments && { ...code.arguments } };

export const showRule = (rule: AutomationRule) => {
  const [first] = rule.projects;
  return {
    id: rule.id,
    type: rule.type,
    action: 'evaluator' as const,
    name: rule.name,
    project_id: first?.id ?? '',
    project_name: first?.name ?? '',
    projects: rule.projects.map(({ id, name }) => ({ project_id: id, project_name: name })),
    sampling_rate: rule.samplingRate,
    enabled: rule.enabled,
    filters: [...rule.filters],
    code: showCode(rule.code),
    ...showAuthorship(rule),
  };
};

export const showLog = ({ at, ruleId, level, message, markers }: AutomationLog) => ({
  timestamp: showInstant(at),
  rule_id: ruleId,
  level,
  message,
  markers: { ...markers },
});
