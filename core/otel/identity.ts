// Ids of OpenTelemetry as UUIDs of version 7: a time in ms, then a hash of the id, so that later requests find the same ones. Pure but for the hash that is given.

/** SHA-256 in hexadecimal. */
export type Hash = (text: string) => string;

const stampOf = (micros: number): string => {
  const ms = Math.max(0, Math.min(Math.floor(micros / 1000), 2 ** 48 - 1));
  return ms.toString(16).padStart(12, '0');
};

/** A UUID of version 7 out of a stamp of twelve digits and a hash. */
const join = (stamp: string, hashed: string): string => {
  const version = `7${hashed.slice(1, 4)}`;
  const variant = ((Number.parseInt(hashed.slice(4, 5), 16) & 0x3) | 0x8).toString(16);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-${version}-${variant}${hashed.slice(5, 8)}-${hashed.slice(8, 20)}`;
};

/** The id of a trace that began at that moment. */
export const traceIdOf = (otelId: string, startMicros: number, hash: Hash): string =>
  join(stampOf(startMicros), hash(otelId));

/** The id of a span, by the time that its trace's id carries. */
export const spanIdOf = (otelId: string, traceId: string, hash: Hash): string =>
  join(traceId.replaceAll('-', '').slice(0, 12), hash(otelId));
