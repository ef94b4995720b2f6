// What clients send, read into entries. Pure.
import { Failure } from '#ports/failure';
import { jsonTextOf } from '#ports/json-text';
import type { KeptJson } from '#ports/kept-json';
import type { Span, Trace, TraceEntry } from '#ports/model/traces';
import { readId } from '../private-wire/ids.js';
import { readInstant } from '../private-wire/instants.js';
import type { PriceList } from './prices.js';
import type { Change } from './merging.js';

export const mostTags = 50;

/** Members that both a create and an update may bring, as they come. */
interface SentMembers {
  readonly name?: string | undefined;
  readonly end_time?: string | undefined;
  readonly input?: KeptJson | undefined;
  readonly output?: KeptJson | undefined;
  readonly metadata?: KeptJson | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly error_info?: unknown;
  readonly ttft?: number | undefined;
  readonly source?: string | undefined;
  readonly environment?: string | undefined;
}
export interface SentTraceMembers extends SentMembers {
  readonly thread_id?: string | undefined;
}
export interface SentSpanMembers extends SentMembers {
  readonly parent_span_id?: string | undefined;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
  readonly total_estimated_cost?: number | undefined;
}

/** A value as JSON text that every engine reads; nothing of null. */
export const jsonOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : jsonTextOf(value);

/** Counts by name; what is no count is left out. */
export const usageOf = (
  sent: Readonly<Record<string, unknown>> | undefined,
): string | undefined => {
  if (sent === undefined) return undefined;
  let counts = '';
  for (const name of Object.keys(sent)) {
    const value = sent[name];
    if (typeof value === 'number' && Number.isFinite(value))
      counts += `${counts === '' ? '{' : ','}${jsonTextOf(name)}:${Math.round(value)}`;
  }
  return counts === '' ? undefined : `${counts}}`;
};

/** Tags are a set. Rejects with `unprocessable` beyond their number. */
export const readTags = (tags: readonly string[]): readonly string[] => {
  const some = [...new Set(tags.map((tag) => tag.toWellFormed()))];
  if (some.length > mostTags)
    throw new Failure(
      'unprocessable',
      `tags must be at most ${mostTags}, and here are ${some.length}`,
    );
  return some;
};

/** Sums of what is below it stay numbers. */
export const mostCost = 1e26;
const requireCost = (cost: number | undefined): void => {
  if (cost !== undefined && !(cost >= 0 && cost < mostCost))
    throw new Failure(
      'unprocessable',
      'total_estimated_cost must be at least 0 and have at most 26 digits before the point',
    );
};

const endOf = ({ end_time: end }: SentMembers): number | undefined =>
  end === undefined ? undefined : readInstant(end, 'end_time');
const tagsOf = ({ tags }: SentMembers): readonly string[] | undefined =>
  tags === undefined ? undefined : readTags(tags);
const parentOf = ({ parent_span_id: parent }: SentSpanMembers): string | undefined =>
  parent === undefined ? undefined : readId(parent, 'parent span');
/** Beside a cost that the client told stands no version of a list. */
const ownCost = '';

// Objects are written out member by member: putting two into one takes longer than all else that is done to a span.

const readTraceMembers = (sent: SentTraceMembers) => ({
  name: sent.name,
  endTime: endOf(sent),
  input: sent.input?.json,
  output: sent.output?.json,
  metadata: sent.metadata?.json,
  tags: tagsOf(sent),
  errorInfo: jsonOf(sent.error_info),
  ttft: sent.ttft,
  source: sent.source,
  environment: sent.environment,
  threadId: sent.thread_id === '' ? undefined : sent.thread_id,
});
const readSpanMembers = (sent: SentSpanMembers) => {
  requireCost(sent.total_estimated_cost);
  return {
    name: sent.name,
    endTime: endOf(sent),
    input: sent.input?.json,
    output: sent.output?.json,
    metadata: sent.metadata?.json,
    tags: tagsOf(sent),
    errorInfo: jsonOf(sent.error_info),
    ttft: sent.ttft,
    source: sent.source,
    environment: sent.environment,
    type: sent.type,
    model: sent.model,
    provider: sent.provider,
    usage: usageOf(sent.usage),
    cost: sent.total_estimated_cost,
    costVersion: sent.total_estimated_cost === undefined ? undefined : ownCost,
  };
};

/** Who writes, when, and by which prices. */
export interface Writing {
  readonly now: number;
  readonly by: string;
  readonly newId: () => string;
  readonly prices: PriceList;
}

/** A span with what it cost by the list of prices, where its client did not tell. */
export const withCost = (span: Span, prices: PriceList): Span => {
  if (span.costVersion === ownCost || span.model === undefined || span.usage === undefined)
    return span;
  const cost = prices.costOf(
    span.provider,
    span.model,
    JSON.parse(span.usage) as Readonly<Record<string, number>>, // written from counts
  );
  return cost === undefined ? span : { ...span, cost, costVersion: prices.version };
};
/** What a create says of itself besides. */
interface SentCreate {
  readonly id?: string | undefined;
  readonly start_time: string;
  readonly last_updated_at?: string | undefined;
}

const idOf = ({ id }: SentCreate, what: string, { newId }: Writing): string =>
  id === undefined ? newId() : readId(id, what);
const lastUpdateOf = ({ last_updated_at: at }: SentCreate, { now }: Writing): number =>
  at === undefined ? now : readInstant(at, 'last_updated_at');

export const readTrace = (
  sent: SentTraceMembers & SentCreate,
  projectId: string,
  writing: Writing,
): Trace => ({
  id: idOf(sent, 'trace', writing),
  projectId,
  name: sent.name,
  startTime: readInstant(sent.start_time, 'start_time'),
  endTime: endOf(sent),
  input: sent.input?.json,
  output: sent.output?.json,
  metadata: sent.metadata?.json,
  tags: tagsOf(sent),
  errorInfo: jsonOf(sent.error_info),
  ttft: sent.ttft,
  source: sent.source,
  environment: sent.environment,
  createdAt: writing.now,
  createdBy: writing.by,
  lastUpdatedAt: lastUpdateOf(sent, writing),
  lastUpdatedBy: writing.by,
  partial: false,
  threadId: sent.thread_id === '' ? undefined : sent.thread_id,
});

export const readSpan = (
  sent: SentSpanMembers & SentCreate & { readonly trace_id?: string | undefined },
  projectId: string,
  writing: Writing,
): Span => {
  requireCost(sent.total_estimated_cost);
  return {
    id: idOf(sent, 'span', writing),
    projectId,
    name: sent.name,
    startTime: readInstant(sent.start_time, 'start_time'),
    endTime: endOf(sent),
    input: sent.input?.json,
    output: sent.output?.json,
    metadata: sent.metadata?.json,
    tags: tagsOf(sent),
    errorInfo: jsonOf(sent.error_info),
    ttft: sent.ttft,
    source: sent.source,
    environment: sent.environment,
    createdAt: writing.now,
    createdBy: writing.by,
    lastUpdatedAt: lastUpdateOf(sent, writing),
    lastUpdatedBy: writing.by,
    partial: false,
    traceId: sent.trace_id === undefined ? writing.newId() : readId(sent.trace_id, 'trace'),
    parentSpanId: parentOf(sent),
    type: sent.type,
    model: sent.model,
    provider: sent.provider,
    usage: usageOf(sent.usage),
    cost: sent.total_estimated_cost,
    costVersion: sent.total_estimated_cost === undefined ? undefined : ownCost,
  };
};

export const readTraceChange = (sent: SentTraceMembers, { now, by }: Writing): Change<Trace> => ({
  ...readTraceMembers(sent),
  lastUpdatedAt: now,
  lastUpdatedBy: by,
});
export const readSpanChange = (sent: SentSpanMembers, { now, by }: Writing): Change<Span> => ({
  ...readSpanMembers(sent),
  lastUpdatedAt: now,
  lastUpdatedBy: by,
});

/** The tags of an entry after some were added and others removed. */
export const retag = (
  { tags = [] }: Pick<TraceEntry, 'tags'>,
  { tags_to_add: added = [], tags_to_remove: removed = [] }: Retagging,
): readonly string[] => readTags([...tags, ...added].filter((tag) => !removed.includes(tag)));
export interface Retagging {
  readonly tags_to_add?: readonly string[] | undefined;
  readonly tags_to_remove?: readonly string[] | undefined;
}
export const retags = ({ tags_to_add, tags_to_remove }: Retagging): boolean =>
  tags_to_add !== undefined || tags_to_remove !== undefined;
