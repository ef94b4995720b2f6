// The messages of OpenTelemetry's trace service, in protobuf and in JSON (opentelemetry-proto 1.x, trace_service.proto and trace.proto).
import { createHash } from 'node:crypto';
import { PbfReader, PbfWriter } from 'pbf';
import { Failure } from '#ports/failure';
import type { Otlp, OtlpEvent, OtlpLink, OtlpSpan, OtlpValue } from '#ports/otlp';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
/** Nanoseconds are beyond what a number holds exactly; microseconds are not. */
const microsOf = (nanos: bigint): number => Number(nanos / 1000n);

interface SpanDraft {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  startTime: number;
  endTime: number;
  attributes: Map<string, OtlpValue>;
  events: OtlpEvent[];
  links: OtlpLink[];
  failed: boolean;
  statusMessage: string;
}
const emptySpan = (): SpanDraft => ({
  traceId: '',
  spanId: '',
  parentSpanId: '',
  name: '',
  startTime: 0,
  endTime: 0,
  attributes: new Map(),
  events: [],
  links: [],
  failed: false,
  statusMessage: '',
});

/** Values may hold values; a request that nests them deeper is refused. */
const mostDepth = 64;
const tooDeep = () => new Failure('invalid', 'an attribute is nested too deeply');

const readFixed = (pbf: PbfReader): number => {
  const bytes = pbf.buf.subarray(pbf.pos, pbf.pos + 8);
  pbf.pos += 8;
  return microsOf(Buffer.from(bytes).readBigUInt64LE(0));
};

interface Held<T> {
  value: T;
}
const readValue = (pbf: PbfReader, depth: number): OtlpValue => {
  if (depth === 0) throw tooDeep();
  const held: Held<OtlpValue> = { value: null };
  pbf.readMessage((tag, into: Held<OtlpValue>, from) => {
    if (tag === 1) into.value = from.readString();
    else if (tag === 2) into.value = from.readBoolean();
    else if (tag === 3) into.value = from.readVarint(true);
    else if (tag === 4) into.value = from.readDouble();
    else if (tag === 5) into.value = readList(from, depth - 1);
    else if (tag === 6) into.value = readMap(from, depth - 1);
    else if (tag === 7) into.value = base64Of(from.readBytes());
  }, held);
  return held.value;
};
const readList = (pbf: PbfReader, depth: number): OtlpValue =>
  pbf.readMessage((tag, into: OtlpValue[], from) => {
    if (tag === 1) into.push(readValue(from, depth));
  }, []);
const readMap = (pbf: PbfReader, depth: number): OtlpValue =>
  toObject(
    pbf.readMessage((tag, into: Map<string, OtlpValue>, from) => {
      if (tag === 1) readPair(from, into, depth);
    }, new Map()),
  );
/** An object whose members may have any name, `__proto__` too. */
const toObject = (pairs: ReadonlyMap<string, OtlpValue>): OtlpValue =>
  Object.assign(Object.create(null) as Record<string, OtlpValue>, Object.fromEntries(pairs));

const readPair = (pbf: PbfReader, into: Map<string, OtlpValue>, depth: number): void => {
  const pair = { key: '', value: null as OtlpValue };
  pbf.readMessage((tag, one: typeof pair, from) => {
    if (tag === 1) one.key = from.readString();
    else if (tag === 2) one.value = readValue(from, depth);
  }, pair);
  into.set(pair.key, pair.value);
};

const readEvent = (pbf: PbfReader): OtlpEvent =>
  pbf.readMessage(
    (tag, into: { time: number; name: string; attributes: Map<string, OtlpValue> }, from) => {
      if (tag === 1) into.time = readFixed(from);
      else if (tag === 2) into.name = from.readString();
      else if (tag === 3) readPair(from, into.attributes, mostDepth);
    },
    { time: 0, name: '', attributes: new Map() },
  );

const readLink = (pbf: PbfReader): OtlpLink =>
  pbf.readMessage(
    (tag, into: { traceId: string; spanId: string; attributes: Map<string, OtlpValue> }, from) => {
      if (tag === 1) into.traceId = hexOf(from.readBytes());
      else if (tag === 2) into.spanId = hexOf(from.readBytes());
      else if (tag === 4) readPair(from, into.attributes, mostDepth);
    },
    { traceId: '', spanId: '', attributes: new Map() },
  );

const readStatus = (pbf: PbfReader, span: SpanDraft): void => {
  pbf.readMessage((tag, into: SpanDraft, from) => {
    if (tag === 2) into.statusMessage = from.readString();
    else if (tag === 3) into.failed = from.readVarint() === 2;
  }, span);
};

const readSpan = (pbf: PbfReader): SpanDraft =>
  pbf.readMessage((tag, into: SpanDraft, from) => {
    if (tag === 1) into.traceId = hexOf(from.readBytes());
    else if (tag === 2) into.spanId = hexOf(from.readBytes());
    else if (tag === 4) into.parentSpanId = hexOf(from.readBytes());
    else if (tag === 5) into.name = from.readString();
    else if (tag === 7) into.startTime = readFixed(from);
    else if (tag === 8) into.endTime = readFixed(from);
    else if (tag === 9) readPair(from, into.attributes, mostDepth);
    else if (tag === 11) into.events.push(readEvent(from));
    else if (tag === 13) into.links.push(readLink(from));
    else if (tag === 15) readStatus(from, into);
  }, emptySpan());

interface Scoped {
  scope: string;
  readonly spans: SpanDraft[];
}
const readScoped = (pbf: PbfReader): Scoped =>
  pbf.readMessage(
    (tag, into: Scoped, from) => {
      if (tag === 1)
        from.readMessage((inner, named: Scoped, source) => {
          if (inner === 1) named.scope = source.readString();
        }, into);
      else if (tag === 2) into.spans.push(readSpan(from));
    },
    { scope: '', spans: [] },
  );

interface Grouped {
  readonly resource: Map<string, OtlpValue>;
  readonly scopes: Scoped[];
}
const gather = (groups: readonly Grouped[]): readonly OtlpSpan[] =>
  groups.flatMap(({ resource, scopes }) =>
    scopes.flatMap(({ scope, spans }) => spans.map((span) => ({ ...span, scope, resource }))),
  );

const readProtobuf = (bytes: Uint8Array): readonly OtlpSpan[] =>
  gather(
    new PbfReader(bytes).readFields((tag, groups: Grouped[], pbf) => {
      if (tag !== 1) return;
      groups.push(
        pbf.readMessage(
          (inner, into: Grouped, from) => {
            if (inner === 1)
              from.readMessage((deep, attributes: Map<string, OtlpValue>, source) => {
                if (deep === 1) readPair(source, attributes, mostDepth);
              }, into.resource);
            else if (inner === 2) into.scopes.push(readScoped(from));
          },
          { resource: new Map(), scopes: [] },
        ),
      );
    }, []),
  );

type Json = Readonly<Record<string, unknown>>;
const objectIn = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}; // an object can be read by name
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Lists in which spans stand: what is there and no list would be acknowledged and lost. */
const spansOf = (of: Json, camel: string): readonly unknown[] => {
  const value = member(of, camel) ?? [];
  if (!Array.isArray(value)) throw new TypeError(`${camel} is no list`);
  return value;
};
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Names of members are those of the proto, or their camel case. */
const member = (of: Json, camel: string): unknown =>
  of[camel] ?? of[camel.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)];

/** Ids are hexadecimal in JSON; some exporters send base64, as protobuf's own mapping has it. */
const idIn = (value: unknown, bytes: number): string => {
  const text = textIn(value);
  if (text.length === bytes * 2 && /^[0-9a-fA-F]+$/.test(text)) return text.toLowerCase();
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes ? decoded.toString('hex') : '';
};
const timeIn = (value: unknown): number => {
  const text = String(value ?? 0);
  return /^\d{1,20}$/.test(text) ? microsOf(BigInt(text)) : Math.trunc(Number(text) / 1000) || 0;
};

const valueIn = (value: unknown, depth = mostDepth): OtlpValue => {
  if (depth === 0) throw tooDeep();
  const of = objectIn(value);
  const [text, flag, whole, real, bytes] = (
    ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'bytesValue'] as const
  ).map((name) => member(of, name));
  if (text !== undefined) return textIn(text);
  if (flag !== undefined) return flag === true || flag === 'true';
  if (whole !== undefined) return Number(whole);
  if (real !== undefined) return Number(real);
  if (bytes !== undefined) return textIn(bytes);
  const list = member(of, 'arrayValue');
  if (list !== undefined)
    return listIn(objectIn(list)['values']).map((one) => valueIn(one, depth - 1));
  const map = member(of, 'kvlistValue');
  return map === undefined ? null : toObject(attributesIn(objectIn(map)['values'], depth - 1));
};
const attributesIn = (value: unknown, depth = mostDepth): Map<string, OtlpValue> =>
  new Map(
    listIn(value).map((one) => {
      const { key, value: of } = objectIn(one);
      return [textIn(key), valueIn(of, depth)] as const;
    }),
  );

const spanIn = (value: unknown): SpanDraft => {
  const of = objectIn(value);
  const status = objectIn(of['status']);
  return {
    traceId: idIn(member(of, 'traceId'), 16),
    spanId: idIn(member(of, 'spanId'), 8),
    parentSpanId: idIn(member(of, 'parentSpanId'), 8),
    name: textIn(of['name']),
    startTime: timeIn(member(of, 'startTimeUnixNano')),
    endTime: timeIn(member(of, 'endTimeUnixNano')),
    attributes: attributesIn(of['attributes']),
    events: listIn(of['events']).map((event) => ({
      name: textIn(objectIn(event)['name']),
      time: timeIn(member(objectIn(event), 'timeUnixNano')),
      attributes: attributesIn(objectIn(event)['attributes']),
    })),
    links: listIn(of['links']).map((link) => ({
      traceId: idIn(member(objectIn(link), 'traceId'), 16),
      spanId: idIn(member(objectIn(link), 'spanId'), 8),
      attributes: attributesIn(objectIn(link)['attributes']),
    })),
    failed: status['code'] === 2 || status['code'] === 'STATUS_CODE_ERROR',
    statusMessage: textIn(status['message']),
  };
};

const requestIn = (bytes: Uint8Array): Json => {
  const request: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  if (objectIn(request) !== request) throw new TypeError('the request is no object');
  return objectIn(request);
};

const readJson = (bytes: Uint8Array): readonly OtlpSpan[] =>
  gather(
    spansOf(requestIn(bytes), 'resourceSpans').map((group) => ({
      resource: attributesIn(objectIn(objectIn(group)['resource'])['attributes']),
      scopes: spansOf(objectIn(group), 'scopeSpans').map((scoped) => ({
        scope: textIn(objectIn(objectIn(scoped)['scope'])['name']),
        spans: spansOf(objectIn(scoped), 'spans').map(spanIn),
      })),
    })),
  );

/** The messages of one field, each gone through by what counts within it. */
const counting =
  (field: number, within?: (pbf: PbfReader) => number) =>
  (pbf: PbfReader): number =>
    pbf.readMessage(
      (tag, sum: { count: number }, from) => {
        if (tag === field) sum.count += within === undefined ? 1 : within(from);
      },
      { count: 0 },
    ).count;
const countProtobuf = (bytes: Uint8Array): number =>
  new PbfReader(bytes).readFields(
    (tag, sum: { count: number }, pbf) => {
      if (tag === 1) sum.count += counting(2, counting(2))(pbf);
    },
    { count: 0 },
  ).count;

const countJson = (bytes: Uint8Array): number => {
  let count = 0;
  for (const group of spansOf(requestIn(bytes), 'resourceSpans'))
    for (const scoped of spansOf(objectIn(group), 'scopeSpans'))
      count += spansOf(objectIn(scoped), 'spans').length;
  return count;
};

/** Does something with a body, and says that it is no such request where that fails. */
const reading = <T>(work: () => T): T => {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('invalid', 'the body is no request of an OpenTelemetry exporter', { cause });
  }
};

const writeProtobuf = (rejected: number, message: string): Uint8Array => {
  const pbf = new PbfWriter();
  if (rejected > 0)
    pbf.writeMessage(
      1,
      (_, into) => {
        into.writeVarintField(1, rejected);
        into.writeStringField(2, message);
      },
      undefined,
    );
  return pbf.finish();
};

export const systemOtlp: Otlp = {
  count: (bytes, form) => reading(() => (form === 'json' ? countJson : countProtobuf)(bytes)),
  read: (bytes, form) => reading(() => (form === 'json' ? readJson : readProtobuf)(bytes)),
  digest: (id) => createHash('sha256').update(Buffer.from(id, 'hex')).digest('hex'),
  answer(rejected, message, form) {
    if (form === 'protobuf') return writeProtobuf(rejected, message);
    const partialSuccess = { rejectedSpans: String(rejected), errorMessage: message };
    return Buffer.from(JSON.stringify(rejected > 0 ? { partialSuccess } : {}));
  },
};
