// Pictures of many runs in a grid: in which column each of them stands, by its step or by something else. Pure.

export interface GridPicture {
  readonly run: string;
  readonly name: string;
  readonly step: number | null;
  /** What its metadata holds under the key that forms columns. */
  readonly value: string | null;
}

/** What the columns are formed by. */
export type ColumnKey =
  | { readonly by: 'step' | 'index' }
  | { readonly by: 'metric' | 'metadata' | 'name'; readonly of: string };

/** The key of a text such as `index`, `metric:epoch`, `metadata:scene` or `name:sample_*.png`; steps for anything else. */
export const readColumnKey = (text: string | null | undefined): ColumnKey => {
  if (text === 'index') return { by: 'index' };
  const [, by, of = ''] = /^(metric|metadata|name):(.*)$/s.exec(text ?? '') ?? [];
  if (by === 'name' || ((by === 'metric' || by === 'metadata') && of !== '')) return { by, of };
  return { by: 'step' };
};
export const writeColumnKey = (key: ColumnKey): string | undefined =>
  key.by === 'step' ? undefined : 'of' in key ? `${key.by}:${key.of}` : key.by;

/** The part of a name where the pattern has its `*`; without one, the last number in the name. A whole number is given as one. */
export const partOfName = (name: string, pattern: string): string | number | undefined => {
  const star = pattern.indexOf('*');
  const [start, end] = [pattern.slice(0, Math.max(0, star)), pattern.slice(star + 1)];
  const file = name.slice(name.lastIndexOf('/') + 1);
  const part =
    star === -1
      ? file.match(/\d+/g)?.at(-1)
      : file.length > start.length + end.length && file.startsWith(start) && file.endsWith(end)
        ? file.slice(start.length, file.length - end.length)
        : undefined;
  return part !== undefined && /^\d{1,15}$/.test(part) ? Number(part) : part;
};

/** A number where the text is one as it would be written, so that columns stand in the order of numbers. */
const numberIn = (text: string): string | number =>
  text.length < 16 && String(Number(text)) === text ? Number(text) : text;

export interface Held<T> {
  readonly picture: T;
  /** Others that stand in the same place, before it. */
  readonly before: number;
}
export interface ImageGrid<T> {
  /** Numbers by size, then texts. */
  readonly columns: readonly (number | string)[];
  /** What a run has in the column of that place. */
  at(run: string, place: number): Held<T> | undefined;
  /** Pictures that have no column, such as those without a step. */
  readonly left: number;
}

const compareColumns = (one: number | string, other: number | string): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : typeof one === 'number'
      ? -1
      : typeof other === 'number'
        ? 1
        : one < other
          ? -1
          : 1;

/** The grid of pictures, which come in the order of steps; of several in one place the last is shown. `valueAt` gives the value of the metric that forms columns. */
export const imageGrid = <T extends GridPicture>(
  pictures: readonly T[],
  key: ColumnKey,
  valueAt: (run: string, step: number) => number | undefined = () => undefined,
): ImageGrid<T> => {
  const counts = new Map<string, number>();
  const columnOf = (one: T): number | string | undefined => {
    if (key.by === 'name') return partOfName(one.name, key.of);
    if (key.by === 'metadata') return one.value === null ? undefined : numberIn(one.value);
    if (key.by === 'index') {
      const count = (counts.get(one.run) ?? 0) + 1;
      counts.set(one.run, count);
      return count;
    }
    if (one.step === null) return undefined;
    return key.by === 'step' ? one.step : valueAt(one.run, one.step);
  };
  const held = new Map<number | string, Map<string, Held<T>>>();
  let left = 0;
  for (const picture of pictures) {
    const column = columnOf(picture);
    if (column === undefined) {
      left++;
      continue;
    }
    const runs = held.get(column) ?? new Map<string, Held<T>>();
    const known = runs.get(picture.run);
    runs.set(picture.run, { picture, before: known === undefined ? 0 : known.before + 1 });
    held.set(column, runs);
  }
  const columns = [...held.keys()].sort(compareColumns);
  return { columns, left, at: (run, place) => held.get(columns[place] ?? '')?.get(run) };
};

/** The last value at or before a step, of places in their order; as precise as the curve that it comes from. */
export const valueBefore = (
  x: ArrayLike<number>,
  values: ArrayLike<number>,
  step: number,
): number | undefined => {
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  const value = values[low - 1];
  return value === undefined || !Number.isFinite(value) ? undefined : Number(value.toPrecision(6));
};
