// Spans of OpenTelemetry as spans and traces of ours. Pure but for the hash that is given.
import type { OtlpEvent, OtlpSpan, OtlpValue } from '#ports/otlp';
import {
  completeUsage,
  placeOf,
  textOf,
  typeOfKind,
  typeOfOperation,
  unfolded,
  usageName,
  type Place,
  providerName,
} from './attributes.js';
import { mostCost } from '../traces/offers.js';
import { spanIdOf, type Hash } from './identity.js';
import { showInstant } from '../private-wire/instants.js';

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

/** Where the whole of an event of the conventions belongs; `attributes` where it only carries them, and nothing where it is none of theirs. */
const placeOfEvent = (name: string): Place | 'attributes' | undefined => {
  if (!name.startsWith('gen_ai.')) return undefined;
  if (name.startsWith('gen_ai.choice')) return 'output';
  if (name.startsWith('gen_ai.evaluation.')) return 'metadata';
  return name.endsWith('.message') ? 'input' : 'attributes';
};

const unfoldedIn = (attributes: OtlpEvent['attributes']): Record<string, unknown> =>
  Object.fromEntries([...attributes].map(([key, value]) => [key, unfolded(value)]));

/** What else happened in a span, and which others it has to do with. */
const toldBeside = ({ events, links }: OtlpSpan): Record<string, unknown> => {
  const others = events.filter(
    ({ name }) => name !== 'exception' && placeOfEvent(name) === undefined,
  );
  return {
    ...(others.length === 0 ? {} : { events: others.map(showEvent) }),
    ...(links.length === 0
      ? {}
      : {
          links: links.map(({ traceId, spanId, attributes }) => ({
            ...{ trace_id: traceId, span_id: spanId },
            ...(attributes.size === 0 ? {} : { attributes: unfoldedIn(attributes) }),
          })),
        }),
  };
};
const showEvent = ({ name, time, attributes }: OtlpEvent) => ({
  name,
  ...(time === 0 ? {} : { time: showInstant(time) }),
  ...(attributes.size === 0 ? {} : { attributes: unfoldedIn(attributes) }),
});

const gather = ({ attributes, events }: OtlpSpan): Gathered => {
  const by = new Map<Place, Map<string, unknown>>();
  const put = (place: Place, key: string, value: unknown): void => {
    const of = by.get(place) ?? new Map<string, unknown>();
    by.set(place, of.set(key, value));
  };
  const found: Gathered = { by, usage: new Map(), type: undefined };
  const place = (key: string, value: OtlpValue): void => {
    const { to, type } = placeOf(key);
    if (type !== undefined) found.type = type === 'tool' ? 'tool' : (found.type ?? 'llm');
    if (to === 'usage') {
      const count = Number(value);
      if (Number.isFinite(count)) found.usage.set(usageName(key), count);
    } else if (to !== 'drop') put(to, key, unfolded(value));
  };
  for (const [key, value] of attributes) place(key, value);
  for (const { name, attributes: said } of events) {
    const to = placeOfEvent(name);
    if (to === 'attributes') {
      for (const [key, value] of said) if (!attributes.has(key)) place(key, value);
    } else if (to !== undefined) {
      const before = (by.get(to)?.get(name) ?? []) as readonly unknown[]; // a list, as is put here
      put(to, name, [...before, unfoldedIn(said)]);
    }
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

/** A thread that is told among metadata: OpenInference has all of them in one attribute. */
const threadInMetadata = (
  metadata: ReadonlyMap<string, unknown> | undefined,
): string | undefined => {
  const whole = metadata?.get('metadata');
  const inside =
    typeof whole === 'object' && whole !== null && 'thread_id' in whole
      ? whole.thread_id
      : undefined;
  return [inside, metadata?.get('metadata.thread_id')].find(
    (one): one is string => typeof one === 'string' && one !== '',
  );
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
    ...toldBeside(span),
    ...(span.scope === '' ? {} : { integration: span.scope }),
  };
  const kind = firstText(by.get('kind'));
  const provider = firstText(by.get('provider'), 'gen_ai.system');
  const operation = by.get('metadata')?.get('gen_ai.operation.name');
  const cost = [...(by.get('cost')?.values() ?? [])]
    .map(Number)
    .find((one) => one >= 0 && one < mostCost);
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
    type: (kind === undefined ? undefined : typeOfKind(kind)) ?? type ?? typeOfOperation(operation),
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
      threadInMetadata(by.get('metadata')),
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
