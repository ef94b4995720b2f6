// Traces, spans and threads as the private wire shows them. Pure.
import { KeptJson } from '#ports/kept-json';
import type { Score, Span, Thread, Trace, TraceComment, TraceEntry } from '#ports/model/traces';
import { mostSearched, type SpanSums, type TracePage } from '#ports/storage/traces';
import type { TraceEvaluation } from '#ports/storage/evaluation-items';
import type { GuardrailResult } from '#ports/model/feedback-definitions';
import { showInstant } from '../private-wire/instants.js';
import { rowForm } from '../private-wire/row-form.js';

/** A long member that was cut comes as the beginning of its JSON text. */
const shownCharacters = 10_001;
const embeddedImage = /data:image\/[\w.+-]{1,40};base64,[A-Za-z0-9+/=]+/g;

export interface Showing {
  readonly truncate: boolean;
  /** Files that were cut out of members stay so. */
  readonly stripped?: boolean | undefined;
  readonly excluded: ReadonlySet<string>;
}
export const wholly: Showing = { truncate: false, excluded: new Set() };

/** Characters of a member that are read where it is shown cut: pictures in it count for nothing. */
const readCharacters = 200_000;
/** Bytes of the long members of a page, and of rows of a stream that are read at once. */
export const [mostPageBytes, mostStreamedBytes] = [64 * 1024 * 1024, 8 * 1024 * 1024];
/** Rows of a stream that are read at once, as long as they are not too much together. */
export const rowsAtOnce = 500;
/** How much of rows is read so that they can be shown. */
export const extentOf = ({ truncate, excluded }: Showing, mostBytes: number) => ({
  omitted: excluded,
  characters: truncate ? readCharacters : undefined,
  mostBytes,
});

const valueOf = (json: string | undefined, truncate: boolean): unknown => {
  if (json === undefined) return undefined;
  if (!truncate || json.length <= shownCharacters) return new KeptJson(json);
  const short = json.replaceAll(embeddedImage, '[image]');
  return short.length > shownCharacters || json.length >= readCharacters
    ? short.slice(0, shownCharacters)
    : new KeptJson(short);
};

/** What a page says of rows beyond those that it counted or looked through; nothing where there are none. */
export const showBounds = ({ atLeast, cut }: Pick<TracePage<unknown>, 'atLeast' | 'cut'>) => ({
  total_at_least: atLeast ? true : undefined,
  searched_newest: cut ? mostSearched : undefined,
});

type Counts = Readonly<Record<string, number>>;
/** What went wrong in an entry. */
export interface ErrorInfo {
  readonly exception_type: string;
  readonly message?: string;
  readonly traceback: string;
}

const mean = (values: readonly number[]): number =>
  values.length === 1
    ? (values[0] ?? 0)
    : Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1e9) / 1e9;

const groupBy = <T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
};

/** A score of a span, shown with its trace. */
type SpanScore = Score & { readonly spanType?: string | undefined };

const joinTexts = (texts: readonly (string | undefined)[], none: string): string | undefined =>
  texts.every((one) => one === undefined)
    ? undefined
    : texts.map((one) => (one === undefined || one === '' ? none : one)).join(', ');

const showScore = (name: string, scores: readonly SpanScore[], ofSpans: boolean) => {
  const [first] = scores;
  const several = scores.length > 1;
  const authors = [...new Set(scores.map(({ author }) => author))];
  return {
    name,
    value: mean(scores.map(({ value }) => value)),
    reason: several
      ? joinTexts(
          scores.map(({ reason }) => reason),
          '<no reason>',
        )
      : first?.reason,
    category_name: several
      ? joinTexts(
          scores.map(({ categoryName }) => categoryName),
          '',
        )
      : first?.categoryName,
    source: first?.source ?? 'sdk',
    created_at: showInstant(Math.min(...scores.map(({ createdAt }) => createdAt))),
    created_by: authors.join(', '),
    last_updated_at: showInstant(Math.max(...scores.map(({ lastUpdatedAt }) => lastUpdatedAt))),
    last_updated_by: authors.join(', '),
    value_by_author: Object.fromEntries(
      scores.map((score) => [
        ofSpans ? `${score.author}_${score.entityId}` : score.author,
        {
          value: score.value,
          reason: score.reason,
          category_name: score.categoryName,
          source: score.source,
          last_updated_at: showInstant(score.lastUpdatedAt),
          ...(ofSpans ? { span_type: score.spanType ?? 'general', span_id: score.entityId } : {}),
        },
      ]),
    ),
  };
};

/** One element for each name, in their order; nothing where there are none. */
export const showScores = (scores: readonly SpanScore[], ofSpans = false) =>
  scores.length === 0
    ? undefined
    : [...groupBy(scores, ({ name }) => name)].map(([name, of]) => showScore(name, of, ofSpans));

export const showComment = (comment: TraceComment) => ({
  id: comment.id,
  text: comment.text,
  created_at: showInstant(comment.createdAt),
  created_by: comment.createdBy,
  last_updated_at: showInstant(comment.lastUpdatedAt),
  last_updated_by: comment.lastUpdatedBy,
});
const showComments = (comments: readonly TraceComment[]) =>
  comments.length === 0 ? undefined : comments.map(showComment);

/** What is known of an entry besides its row. */
export interface Beside {
  readonly scores: readonly Score[];
  readonly comments: readonly TraceComment[];
}
/** The annotation queues that something is in. */
export type QueueNames = readonly { readonly id: string; readonly name: string }[];
const showQueues = (queues: QueueNames) => (queues.length === 0 ? undefined : [...queues]);

export interface BesideTrace extends Beside {
  readonly guardrails: readonly GuardrailResult[];
  readonly evaluation: TraceEvaluation | undefined;
  readonly queues: QueueNames;
  readonly sums: SpanSums | undefined;
  readonly spanScores: readonly SpanScore[];
}

/** What is known of one entry. */
interface Known<T extends TraceEntry, B extends Beside> {
  readonly entry: T;
  readonly beside: B;
  readonly truncate: boolean;
}

type KnownEntry = Known<TraceEntry, Beside>;

/** Counts of one span, which go out as they were written. */
const keptCounts = (json: string | undefined): Counts | undefined =>
  json === undefined ? undefined : (new KeptJson(json) as unknown as Counts); // its text is one of whole numbers by their names

/** What there is nothing of is left out, as SDKs expect it. */
const entryMembers = {
  id: ({ entry }: KnownEntry) => entry.id,
  project_id: ({ entry }: KnownEntry) => entry.projectId,
  name: ({ entry }: KnownEntry) => entry.name,
  start_time: ({ entry }: KnownEntry) => showInstant(entry.startTime),
  end_time: ({ entry }: KnownEntry) =>
    entry.endTime === undefined ? undefined : showInstant(entry.endTime),
  input: ({ entry, truncate }: KnownEntry) => valueOf(entry.input, truncate),
  output: ({ entry, truncate }: KnownEntry) => valueOf(entry.output, truncate),
  metadata: ({ entry, truncate }: KnownEntry) => valueOf(entry.metadata, truncate),
  tags: ({ entry }: KnownEntry) => entry.tags,
  error_info: ({ entry }: KnownEntry) =>
    entry.errorInfo === undefined ? undefined : (JSON.parse(entry.errorInfo) as ErrorInfo), // what the row's shape let through
  duration: ({ entry }: KnownEntry) =>
    entry.endTime === undefined ? undefined : (entry.endTime - entry.startTime) / 1000,
  ttft: ({ entry }: KnownEntry) => entry.ttft,
  // The JavaScript SDK drops rows of a source that it does not know.
  source: ({ entry }: KnownEntry) => (entry.source === 'evaluator' ? undefined : entry.source),
  environment: ({ entry }: KnownEntry) => entry.environment,
  feedback_scores: ({ beside }: KnownEntry) => showScores(beside.scores),
  comments: ({ beside }: KnownEntry) => showComments(beside.comments),
  created_at: ({ entry }: KnownEntry) => showInstant(entry.createdAt),
  created_by: ({ entry }: KnownEntry) => entry.createdBy,
  last_updated_at: ({ entry }: KnownEntry) => showInstant(entry.lastUpdatedAt),
  last_updated_by: ({ entry }: KnownEntry) => entry.lastUpdatedBy,
} as const;

/** What guardrails found, span by span. */
const showGuardrails = (results: readonly GuardrailResult[]) =>
  results.length === 0
    ? undefined
    : [...groupBy(results, ({ spanId }) => spanId)].map(([span_id, of]) => ({
        span_id,
        checks: of.map(({ name, passed }) => ({ name, result: passed ? 'passed' : 'failed' })),
      }));

/** What a trace is a run of; SDKs know none whose dataset is gone. */
const showEvaluation = (of: TraceEvaluation | undefined) =>
  of?.datasetId === undefined
    ? undefined
    : {
        id: of.id,
        name: of.name,
        dataset_id: of.datasetId,
        dataset_item_id: of.datasetItemId,
      };

/** A trace with what its spans add up to. */
export const traceForm = rowForm<Known<Trace, BesideTrace>>()({
  ...entryMembers,
  thread_id: ({ entry }) => entry.threadId,
  visibility_mode: () => 'default',
  usage: ({ beside: { sums } }) => sums?.usage,
  total_estimated_cost: ({ beside: { sums } }) => sums?.cost,
  span_count: ({ beside: { sums } }) => sums?.spans ?? 0,
  llm_span_count: ({ beside: { sums } }) => sums?.llmSpans ?? 0,
  has_tool_spans: ({ beside: { sums } }) => sums?.hasTool ?? false,
  providers: ({ beside: { sums } }) =>
    sums === undefined || sums.providers.length === 0 ? undefined : [...sums.providers],
  span_feedback_scores: ({ beside }) => showScores(beside.spanScores, true),
  guardrails_validations: ({ beside }) => showGuardrails(beside.guardrails),
  experiment: ({ beside }) => showEvaluation(beside.evaluation),
  annotation_queues: ({ beside }) => showQueues(beside.queues),
});

export const spanForm = rowForm<Known<Span, Beside>>()({
  ...entryMembers,
  trace_id: ({ entry }) => entry.traceId,
  parent_span_id: ({ entry }) => entry.parentSpanId,
  type: ({ entry }) => entry.type ?? 'general',
  model: ({ entry }) => entry.model,
  provider: ({ entry }) => entry.provider,
  usage: ({ entry }) => keptCounts(entry.usage),
  total_estimated_cost: ({ entry }) => entry.cost,
  total_estimated_cost_version: ({ entry }) => entry.costVersion,
});

/** Members that may be left out: an entry is always known by its id. */
export const leftOut = ({ excluded }: Showing): ReadonlySet<string> =>
  new Set([...excluded].filter((name) => name !== 'id'));

export const showThread = (
  thread: Thread,
  beside: Beside & { readonly queues: QueueNames },
  { truncate, activeSince }: { readonly truncate: boolean; readonly activeSince: number },
) => ({
  id: thread.threadId,
  project_id: thread.projectId,
  thread_model_id: thread.id,
  start_time: thread.startTime === undefined ? undefined : showInstant(thread.startTime),
  end_time: thread.endTime === undefined ? undefined : showInstant(thread.endTime),
  duration:
    thread.startTime === undefined || thread.endTime === undefined
      ? undefined
      : (thread.endTime - thread.startTime) / 1000,
  first_message: valueOf(thread.firstMessage, truncate),
  last_message: valueOf(thread.lastMessage, truncate),
  feedback_scores: showScores(beside.scores),
  status: thread.closed || thread.lastActivityAt < activeSince ? 'inactive' : 'active',
  number_of_messages: thread.traces * 2,
  total_estimated_cost: thread.cost,
  usage: thread.usage,
  comments: showComments(beside.comments),
  tags: thread.tags === undefined ? undefined : [...thread.tags],
  environment: thread.environment,
  annotation_queues: showQueues(beside.queues),
  created_at: showInstant(thread.createdAt),
  created_by: thread.createdBy,
  last_updated_at: showInstant(thread.lastUpdatedAt),
  last_updated_by: thread.lastUpdatedBy,
});
