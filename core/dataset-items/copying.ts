// Items made of traces and spans: what went in and came out, and what else is asked for.
import { Failure } from '#ports/failure';
import type { Score, Span, Trace, TraceComment, TraceEntry } from '#ports/model/traces';
import type { Stores } from '#ports/storage/storage';
import { stepsOf, valueAlong, type JsonPath } from '../private-wire/json-path.js';
import { showFeedback } from '../traces/rules.js';

export interface Enrichment {
  readonly includeSpans?: boolean | undefined;
  readonly includeTags?: boolean | undefined;
  readonly includeFeedbackScores?: boolean | undefined;
  readonly includeComments?: boolean | undefined;
  readonly includeUsage?: boolean | undefined;
  readonly includeMetadata?: boolean | undefined;
}
/** Names of an item's fields, each with the way to its value in a trace or span. */
export type FieldPaths = readonly (readonly [field: string, path: JsonPath])[];

const mostFields = 100;

/** Rejects with `unprocessable` for a path that is none, and for too many of them. */
export const readFieldPaths = (mappings: Readonly<Record<string, string>> = {}): FieldPaths => {
  const all = Object.entries(mappings);
  if (all.length > mostFields)
    throw new Failure('unprocessable', `field_mappings may have at most ${mostFields} fields`);
  return all.map(([field, path]) => {
    const steps = stepsOf(path.trim().replace(/^\$\.?/, ''));
    if (steps === undefined)
      throw new Failure(
        'unprocessable',
        `field_mappings has no path for ${JSON.stringify(field.slice(0, 100))}: one is like input.messages[0].content`,
      );
    return [field, steps];
  });
};

/** What an item is to be made of. */
export interface Copying {
  readonly enrichment: Enrichment;
  /** They go before what is there otherwise; those that lead nowhere are left out. */
  readonly fields: FieldPaths;
}

/** An item as it is made of a trace or span. */
export interface Copied {
  readonly source: 'trace' | 'span';
  readonly trace_id: string;
  readonly span_id?: string;
  readonly data: Readonly<Record<string, unknown>>;
}
/** Where traces are looked for. */
interface Reach {
  readonly workspaceId: string;
  /** The only project that the caller reaches. */
  readonly projectId: string | undefined;
}
type CopyStores = Pick<Stores, 'feedback' | 'traces'>;

/** Spans that are looked at for one trace. */
const mostSpans = 1000;

const parsed = (text: string | undefined): unknown =>
  text === undefined ? undefined : (JSON.parse(text) as unknown); // as it was written
const byEntity = <T extends { readonly entityId: string }>(all: readonly T[], id: string) =>
  all.filter(({ entityId }) => entityId === id);

/** The ids of those that are there, by their projects; of one that is in several, where it was changed last. */
const placesOf = async (
  { traces }: Pick<Stores, 'traces'>,
  kind: 'trace' | 'span',
  { workspaceId, projectId }: Reach,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const seen = new Set<string>();
  const places = new Map<string, string[]>();
  for (const found of await traces.findPlaces(kind, workspaceId, ids, projectId)) {
    if (seen.has(found.id)) continue;
    seen.add(found.id);
    places.set(found.projectId, [...(places.get(found.projectId) ?? []), found.id]);
  }
  return places;
};

interface Beside {
  readonly scores: readonly Score[];
  readonly comments: readonly TraceComment[];
  readonly usage: Readonly<Record<string, number>> | undefined;
}

const dataOf = (
  entry: TraceEntry & Partial<Pick<Span, 'model' | 'provider' | 'type'>>,
  { enrichment: asked, fields }: Copying,
  beside: Beside,
) => {
  const feedback = showFeedback(
    byEntity(beside.scores, entry.id),
    byEntity(beside.comments, entry.id),
  );
  const [input, output] = [parsed(entry.input), parsed(entry.output)];
  const metadata = (): unknown => parsed(entry.metadata);
  const mapped = (): Readonly<Record<string, unknown>> => {
    const whole = {
      ...{ input, output, metadata: metadata(), error_info: parsed(entry.errorInfo) },
      ...{ id: entry.id, name: entry.name, tags: entry.tags },
      ...{ model: entry.model, provider: entry.provider, type: entry.type },
      ...{ feedback_scores: feedback.scores, comments: feedback.comments, usage: beside.usage },
    };
    return Object.fromEntries(
      fields.flatMap(([field, path]) => {
        const value = valueAlong(whole, path);
        return value === undefined ? [] : [[field, value] as const];
      }),
    );
  };
  return {
    input: input ?? null,
    expected_output: output ?? null,
    ...(asked.includeMetadata === true ? { metadata: metadata() } : {}),
    ...(asked.includeTags === true ? { tags: entry.tags ?? [] } : {}),
    ...(asked.includeFeedbackScores === true ? { feedback_scores: feedback.scores } : {}),
    ...(asked.includeComments === true ? { comments: feedback.comments } : {}),
    ...(asked.includeUsage === true ? { usage: beside.usage ?? {} } : {}),
    ...(fields.length === 0 ? {} : mapped()),
  };
};

const feedbackOf = async (
  { feedback }: Pick<Stores, 'feedback'>,
  projectId: string,
  kind: 'trace' | 'span',
  ids: readonly string[],
) => ({
  scores: await feedback.listScores(projectId, kind, ids),
  comments: await feedback.listComments(projectId, kind, ids),
});

const spanUsage = ({ usage }: Span) => parsed(usage) as Beside['usage']; // names and whole numbers

const showPart = (span: Span) => ({
  id: span.id,
  parent_span_id: span.parentSpanId,
  name: span.name,
  type: span.type,
  input: parsed(span.input),
  output: parsed(span.output),
  model: span.model,
  provider: span.provider,
  usage: spanUsage(span),
});

/** Items of those of these traces that are there. */
export const copyTraces = async (
  stores: CopyStores,
  reach: Reach,
  ids: readonly string[],
  asked: Copying,
): Promise<readonly Copied[]> => {
  const copies: Copied[] = [];
  for (const [projectId, own] of await placesOf(stores, 'trace', reach, ids)) {
    const found = await stores.traces.readTraces(projectId, own);
    const feedback = await feedbackOf(stores, projectId, 'trace', own);
    const sums = await stores.traces.sumSpans(projectId, own);
    for (const trace of found) {
      const data = dataOf(trace, asked, { ...feedback, usage: sums.get(trace.id)?.usage });
      const spans =
        asked.enrichment.includeSpans === true ? await spansOf(stores, trace) : undefined;
      copies.push({
        source: 'trace',
        trace_id: trace.id,
        data: spans === undefined ? data : { spans: spans.map(showPart), ...data },
      });
    }
  }
  return copies;
};

/** Oldest first. */
const spansOf = async (
  { traces }: Pick<Stores, 'traces'>,
  { projectId, id }: Trace,
): Promise<readonly Span[]> =>
  [
    ...(await traces.listSpans({ projectId, traceId: id, filters: [], limit: mostSpans })),
  ].reverse();

/** Items of those of these spans that are there. */
export const copySpans = async (
  stores: CopyStores,
  reach: Reach,
  ids: readonly string[],
  asked: Copying,
): Promise<readonly Copied[]> => {
  const copies: Copied[] = [];
  for (const [projectId, own] of await placesOf(stores, 'span', reach, ids)) {
    const feedback = await feedbackOf(stores, projectId, 'span', own);
    for (const span of await stores.traces.readSpans(projectId, own))
      copies.push({
        source: 'span',
        trace_id: span.traceId,
        span_id: span.id,
        data: dataOf(span, asked, { ...feedback, usage: spanUsage(span) }),
      });
  }
  return copies;
};
