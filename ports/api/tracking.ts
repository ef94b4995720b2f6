// What the rows of the tracking wire share: its roots and its envelope.
import {
  envelope,
  flag,
  integer,
  millis,
  nullable,
  object,
  optional,
  text,
  shape,
  type Properties,
} from './schema.js';

/** A read is served under both mounts of the REST wire. */
export const read = (path: string) => [`/api/rest/v2${path}`, `/clientlib/rest/v2${path}`] as const;
/** A write is served under both mounts of the REST wire. */
export const write = (path: string) =>
  [`/api/rest/v2/write${path}`, `/clientlib/rest/v2/write${path}`] as const;
/** What administrators ask is served under both mounts too. */
export const admin = (path: string) =>
  [`/api/admin${path}`, `/clientlib/api/admin${path}`] as const;
/** A call of the Python client's live channel. */
export const live = (path: string) => `/clientlib${path}`;

/** A success envelope: the family adds `msg` (this one unless the handler returns its own), `code`, `data` and `sdk_error_code` beside these members. */
export const saved = <const P extends Properties = Record<never, never>>(
  beside?: P,
  msg = 'Saved',
) => envelope(msg, beside ?? ({} as P)); // an absent argument is the empty table

/** The envelope of every failure. */
export const failureEnvelope = object({
  msg: text(),
  code: integer(),
  data: nullable(text()),
  sdk_error_code: integer(),
});

/** Largest and smallest value ever logged under a name, and the newest one; texts are those that were logged. */
export const summaryValue = shape('ValueSummary', 'Largest, smallest and newest value of a name.', {
  name: text(),
  valueMax: text(),
  valueMin: text(),
  valueCurrent: text(),
  timestampMax: millis(),
  timestampMin: millis(),
  timestampCurrent: millis(),
  runContextMax: nullable(text()),
  runContextMin: nullable(text()),
  runContextCurrent: nullable(text()),
  stepMax: nullable(integer()),
  stepMin: nullable(integer()),
  stepCurrent: nullable(integer()),
  editable: optional(flag()),
});
