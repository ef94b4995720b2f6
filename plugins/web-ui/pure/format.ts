// How numbers, times and names look. Pure.

/** A number in as few characters as tell it: five digits, an exponent where it is far from one. */
export const formatNumber = (value: number): string => {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return String(value);
  if (size >= 1e6 || size < 1e-4)
    return value
      .toExponential(2)
      .replace(/\.?0{1,2}e/, 'e')
      .replace('e+', 'e');
  return String(Number(value.toPrecision(5)));
};

/** A count with spaces between thousands. */
export const formatCount = (count: number): string =>
  count.toLocaleString('en').replaceAll(',', '\u202f');

/** A span of time by its two largest units; milliseconds below a second. */
export const formatSpan = (ms: number): string => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ];
  const seconds = Math.floor(ms / 1000);
  const first = units.findIndex(([, length]) => seconds >= length);
  return units
    .slice(first, first + 2)
    .map(([unit, length], at) => {
      const above = units[first + at - 1];
      const left = at === 0 || above === undefined ? seconds : seconds % above[1];
      return [Math.floor(left / length), unit] as const;
    })
    .filter(([count], at) => at === 0 || count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
};

/** How long ago, of the largest unit. */
export const formatAgo = (at: number, now: number): string =>
  now - at < 60_000 ? 'just now' : `${formatSpan(now - at).split(' ')[0] ?? ''} ago`;

/** Bytes by the unit in which they are below a thousand. */
export const formatBytes = (bytes: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${formatNumber(Number((bytes / 1000 ** power).toPrecision(3)))} ${units[power] ?? ''}`;
};

/** A text in so many letters, of which it gives way in the middle: how names begin and how they end tells them apart. */
export const shortened = (text: string, letters: number): string => {
  if (text.length <= letters || letters < 5) return text;
  const end = Math.floor((letters - 1) / 2);
  return `${text.slice(0, letters - 1 - end)}…${text.slice(-end)}`;
};

/** A value of any kind as a cell shows it. */
export const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.map(String).join(', ');
  return String(value);
};

/** One line of CSV; a text that a spreadsheet would run as a formula is marked as text. */
export const csvLine = (cells: readonly unknown[]): string =>
  cells
    .map((cell) => {
      const text = typeof cell === 'number' ? String(cell) : formatValue(cell);
      const safe = typeof cell !== 'number' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    })
    .join(',');
