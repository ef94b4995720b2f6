// Ids of version 7 begin with when they were made, so that a span of time is a range of ids.

const mostMs = 2 ** 48 - 1;

const idOf = (ms: number, rest: '0' | 'f'): string => {
  const hex = Math.min(Math.max(ms, 0), mostMs).toString(16).padStart(12, '0');
  const variant = rest === '0' ? '8' : 'b';
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${rest.repeat(3)}-${variant}${rest.repeat(3)}-${rest.repeat(12)}`;
};

/** The smallest id that could be made at a moment, in microseconds since 1970: ids tell milliseconds. */
export const firstIdAt = (micros: number): string => idOf(Math.floor(micros / 1000), '0');
/** The greatest. */
export const lastIdAt = (micros: number): string => idOf(Math.floor(micros / 1000), 'f');
/** Bounds, both of the range, of the ids that are made from one moment on and before another, so that ranges that follow each other share none; until ever where `to` is infinite. */
export const idsBetween = (from: number, to: number) => ({
  fromId: idOf(Math.ceil(from / 1000), '0'),
  toId: idOf(Math.ceil(to / 1000) - 1, 'f'),
});
