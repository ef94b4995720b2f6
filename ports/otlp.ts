import { port } from './port.js';

/** A value of an attribute: lists and maps hold values again, bytes come as base64. */
export type OtlpValue =
  string | number | boolean | null | readonly OtlpValue[] | { readonly [name: string]: OtlpValue };
export type OtlpAttributes = ReadonlyMap<string, OtlpValue>;

/** Something that happened in a span; the time is microseconds since 1970, 0 where none was sent. */
export interface OtlpEvent {
  readonly name: string;
  readonly time: number;
  readonly attributes: OtlpAttributes;
}

/** Another span that a span has to do with, as in a batch that comes of several requests. */
export interface OtlpLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: OtlpAttributes;
}

/** A span as an exporter of OpenTelemetry sends it. Ids are hexadecimal; times are microseconds since 1970. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly attributes: OtlpAttributes;
  readonly events: readonly OtlpEvent[];
  readonly links: readonly OtlpLink[];
  readonly failed: boolean;
  readonly statusMessage: string;
  /** The name of the instrumentation that made it. */
  readonly scope: string;
  readonly resource: OtlpAttributes;
}

/** The forms in which exporters send: protobuf, and JSON. */
export type OtlpForm = 'protobuf' | 'json';

/** The form that a content type names, protobuf where there is none; `undefined` for any other. */
export const otlpFormOf = (type: string): OtlpForm | undefined => {
  if (type === 'application/json') return 'json';
  return ['application/x-protobuf', 'application/protobuf', ''].includes(type)
    ? 'protobuf'
    : undefined;
};

/** Reads and answers requests of OpenTelemetry exporters (OTLP 1.x, `ExportTraceServiceRequest`). */
export interface Otlp {
  /** How many spans a request has, looking into none of them. Rejects with `invalid` as `read` does, where it comes so far. */
  count(bytes: Uint8Array, form: OtlpForm): number;
  /** The spans of a request, in their order. Rejects with `invalid` for what is no such request. */
  read(bytes: Uint8Array, form: OtlpForm): readonly OtlpSpan[];
  /** SHA-256 of the bytes of a hexadecimal id, in hexadecimal. */
  digest(id: string): string;
  /** The answer to a request of which some spans were not taken; an empty one where all were. */
  answer(rejected: number, message: string, form: OtlpForm): Uint8Array;
}
export const Otlp = port<Otlp>('otlp');
