// Spans of OpenTelemetry as spans and traces of ours. Pure but for the hash that is given.
import type { OtlpSpan } from '#ports/otlp';
import {
  completeUsage,
  placeOf,
  textOf,
  typeOfKind,
  unfolded,
  usageName,
  type Place,
  providerName,
} from './attributes.js';
import { spanIdOf, type Hash } from './identity.js';

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** What an entry of ours is made from, in the words of the private wire. */
export interface MappedSpan {
  readonly id: string;
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  /** Whether it makes the trace as well. */
  readonly root: boolean;
  readonly name: string;
  /** Microseconds. */
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly type: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly usage: Readonly<Record<string, number>> | undefined;
  readonly cost: number | undefined;
  readonly input: unknown;
  readonly output: unknown;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly tags: readonly string[] | undefined;
  readonly threadId: string | undefined;
  readonly error: unknown;
}

/** What the attributes of a span come to. */
interface Gathered {
  readonly by: ReadonlyMap<Place, Map<string, unknown>>;
  readonly usage: Map<string, number>;
  type: string | undefined;
}

const gather = ({ attributes, events }: OtlpSpan): Gathered => {
  const by = new Map<Place, Map<string, unknown>>();
  const put = (place: Place, key: string, value: unknown): void => {
    const of = by.get(place) ?? new Map<string, unknown>();
    by.set(place, of.set(key, value));
  };
  const found: Gathered = { by, usage: new Map(), type: undefined };
  for (const [key, value] of attributes) {
    const { to, type } = placeOf(key);
    if (type !== undefined) found.type = type === 'tool' ? 'tool' : (found.type ?? 'llm');
    if (to === 'usage') {
      const count = Number(value);
      if (Number.isFinite(count)) found.usage.set(usageName(key), count);
    } else if (to !== 'drop') put(to, key, unfolded(value));
  }
  for (const { name, attributes: said } of events) {
    if (name === 'exception') continue;
    const place = name.startsWith('gen_ai.choice') ? 'output' : 'input';
    if (!name.startsWith('gen_ai.')) continue;
    const of = Object.fromEntries([...said].map(([key, value]) => [key, unfolded(value)]));
    const before = by.get(place)?.get(name);
    put(place, name, before === undefined ? [of] : [...(before as readonly unknown[]), of]); // a list, as was put before
  }
  return found;
};

const toObject = (
  values: ReadonlyMap<string, unknown> | undefined,
): Record<string, unknown> | undefined =>
  values === undefined || values.size === 0 ? undefined : Object.fromEntries(values);

const firstText = (
  values: ReadonlyMap<string, unknown> | undefined,
  ...names: readonly string[]
): string | undefined => {
  for (const name of [...names, ...(values?.keys() ?? [])]) {
    const value = values?.get(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
};

const errorOf = ({ failed, statusMessage, events }: OtlpSpan): unknown => {
  const thrown = events.find(({ name }) => name === 'exception')?.attributes;
  if (!failed && thrown === undefined) return undefined;
  const said = (name: string) => (thrown === undefined ? undefined : textOf(thrown, name));
  const message = said('exception.message') ?? (statusMessage === '' ? undefined : statusMessage);
  return {
    exception_type: said('exception.type') ?? 'Error',
    ...(message === undefined ? {} : { message }),
    traceback: said('exception.stacktrace') ?? message ?? 'no traceback was sent',
  };
};

const ownId = (span: OtlpSpan, name: string): string | undefined => {
  const text = textOf(span.attributes, name);
  return text !== undefined && version7.test(text) ? text.toLowerCase() : undefined;
};

const tagsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : undefined;

const toMapped = (span: OtlpSpan, otelTraceId: string, hash: Hash): MappedSpan => {
  const { by, usage, type } = gather(span);
  const joined = ownId(span, 'opik.trace_id');
  const traceId = joined ?? otelTraceId;
  const idOf = (id: string): string => spanIdOf(id, otelTraceId, hash);
  const metadata = {
    ...toObject(by.get('metadata')),
    ...(span.scope === '' ? {} : { integration: span.scope }),
  };
  const kind = firstText(by.get('kind'));
  const provider = firstText(by.get('provider'), 'gen_ai.system');
  const { thread_id: inMetadata } = metadata as { readonly thread_id?: unknown }; // any member may be there
  const cost = [...(by.get('cost')?.values() ?? [])].map(Number).find((one) => one >= 0);
  return {
    id: ownId(span, 'opik.span_id') ?? idOf(span.spanId),
    traceId,
    parentSpanId:
      ownId(span, 'opik.parent_span_id') ??
      (span.parentSpanId === '' ? undefined : idOf(span.parentSpanId)),
    root: span.parentSpanId === '' && joined === undefined,
    name: span.name,
    startTime: span.startTime,
    endTime: span.endTime === 0 ? undefined : span.endTime,
    type: (kind === undefined ? undefined : typeOfKind(kind)) ?? type,
    model: firstText(by.get('model'), 'gen_ai.response.model', 'gen_ai.request.model'),
    provider: provider === undefined ? undefined : providerName(provider),
    usage: completeUsage(usage),
    cost,
    input: toObject(by.get('input')),
    output: toObject(by.get('output')),
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    tags: tagsOf([...(by.get('tags')?.values() ?? [])][0]),
    threadId:
      firstText(by.get('thread'), 'gen_ai.conversation.id', 'ai.telemetry.metadata.threadId') ??
      (typeof inMetadata === 'string' ? inMetadata : undefined),
    error: errorOf(span),
  };
};

const sameUsage = (
  one: Readonly<Record<string, number>>,
  other: ReadonlyMap<string, number>,
): boolean =>
  Object.keys(one).length === other.size &&
  Object.entries(one).every(([name, count]) => other.get(name) === count);

/** Frameworks repeat at a parent what its children have used: that would count twice. */
const withoutRepeatedUsage = (spans: readonly MappedSpan[]): readonly MappedSpan[] => {
  const children = new Map<string, Map<string, number>>();
  for (const { parentSpanId, usage } of spans)
    if (parentSpanId !== undefined && usage !== undefined) {
      const sums = children.get(parentSpanId) ?? new Map<string, number>();
      for (const [name, count] of Object.entries(usage))
        sums.set(name, (sums.get(name) ?? 0) + count);
      children.set(parentSpanId, sums);
    }
  return spans.map((span) => {
    const sums = children.get(span.id);
    return span.usage !== undefined && sums !== undefined && sameUsage(span.usage, sums)
      ? { ...span, usage: undefined }
      : span;
  });
};

/** The spans of a request, with the ids that their traces are kept under. */
export const mapSpans = (
  spans: readonly OtlpSpan[],
  traceIds: ReadonlyMap<string, string>,
  hash: Hash,
): readonly MappedSpan[] =>
  withoutRepeatedUsage(spans.map((span) => toMapped(span, traceIds.get(span.traceId) ?? '', hash)));
