// How times and browsers are told to people. Pure.

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const counted = (ms: number): string | undefined => {
  for (const [unit, length] of units)
    if (ms >= length) {
      const n = Math.floor(ms / length);
      return `${n} ${unit}${n === 1 ? '' : 's'}`;
    }
  return undefined;
};
/** How long ago a time was, or how far off it is. */
export const fromNow = (at: number, now: number): string => {
  const length = counted(Math.abs(at - now));
  return length === undefined
    ? at > now
      ? 'in a moment'
      : 'just now'
    : at > now
      ? `in ${length}`
      : `${length} ago`;
};

const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
  ['python', 'Python'],
  ['curl', 'curl'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** What a browser says it is, in two words. */
export const browserOf = (agent: string): string => {
  const [browser, system] = [browsers, systems].map(
    (names) => names.find(([sign]) => agent.toLowerCase().includes(sign.toLowerCase()))?.[1],
  );
  return [browser ?? 'Another browser', ...(system === undefined ? [] : [`on ${system}`])].join(
    ' ',
  );
};
