// What clients log as pictures of numbers, read from the files in which they send it. Pure; what is not as it should be is nothing.

export type Json = Readonly<Record<string, unknown>>;

/** The object of a JSON text. */
export const readJson = (text: string): Json | undefined => {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? (found as Json) : undefined; // its members are looked at one by one
  } catch {
    return undefined;
  }
};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numbers = (value: unknown): readonly number[] =>
  list(value).map((one) => (typeof one === 'number' ? one : Number.NaN));

export interface Confusion {
  readonly title: string;
  readonly labels: readonly string[];
  readonly rowLabel: string;
  readonly columnLabel: string;
  /** Counts, row after row. */
  readonly matrix: readonly (readonly number[])[];
}
export const readConfusion = (json: Json): Confusion | undefined => {
  const matrix = list(json['matrix']).map(numbers);
  if (matrix.length === 0) return undefined;
  const labels = list(json['labels']).map(String);
  const text = (name: string, usual: string) => {
    const value = json[name];
    return typeof value === 'string' ? value : usual;
  };
  return {
    title: text('title', 'Confusion matrix'),
    labels: matrix.map((_, at) => labels[at] ?? String(at)),
    rowLabel: text('rowLabel', 'actual'),
    columnLabel: text('columnLabel', 'predicted'),
    matrix,
  };
};

/** Shades that fields of a matrix are drawn in at most. */
const shades = 48;

/** The fields of a matrix as outlines, one for each shade of those that look alike: ten thousand fields are few outlines. */
export const fieldOutlines = (
  values: readonly (readonly number[])[],
  most: number,
  { side, left }: { readonly side: number; readonly left: number },
): readonly { readonly part: number; readonly d: string }[] => {
  const outlines = new Map<number, string[]>();
  const inner = side - (side > 4 ? 1 : 0);
  values.forEach((row, at) => {
    row.forEach((value, column) => {
      const shade = most === 0 ? 0 : Math.round((value / most) * shades);
      const some = outlines.get(shade) ?? [];
      some.push(`M${left + column * side} ${at * side}h${inner}v${inner}h-${inner}z`);
      outlines.set(shade, some);
    });
  });
  return [...outlines].map(([shade, some]) => ({ part: shade / shades, d: some.join('') }));
};

export interface Points {
  readonly x: readonly number[];
  readonly y: readonly number[];
}
/** A curve, such as precision over recall. */
export const readPoints = (json: Json): Points | undefined => {
  const [x, y] = [numbers(json['x']), numbers(json['y'])];
  return x.length === 0 || x.length !== y.length ? undefined : { x, y };
};

export interface Bins {
  /** Where each bin that is not empty begins, smallest first, and how many are in it. */
  readonly from: readonly number[];
  readonly counts: readonly number[];
}
/** A histogram whose bins grow by a factor on both sides of its middle. */
export const readBins = (json: Json): Bins | undefined => {
  const [start, stop, step, offset] = ['start', 'stop', 'step', 'offset'].map((name) =>
    Number(json[name]),
  );
  if (start === undefined || stop === undefined || step === undefined || offset === undefined)
    return undefined;
  if (!(start > 0 && stop > start && step > 1)) return undefined;
  const side = Math.floor(Math.log(stop / start) / Math.log(step)) + 1;
  const placeOf = (bin: number): number => {
    const away = bin - (side + 1);
    return away === 0 ? offset : offset + Math.sign(away) * start * step ** (Math.abs(away) - 1);
  };
  const pairs = list(json['index_values'])
    .map(numbers)
    .filter(([bin, count]) => Number.isInteger(bin) && (count ?? 0) > 0)
    .sort(([a], [b]) => (a ?? 0) - (b ?? 0));
  return {
    from: pairs.map(([bin]) => placeOf(bin ?? 0)),
    counts: pairs.map(([, count]) => count ?? 0),
  };
};

/** The counts of a histogram in rows of equal width between two ends. */
export const rebinned = (
  { from, counts }: Bins,
  low: number,
  high: number,
  rows: number,
): readonly number[] => {
  const all = new Array<number>(rows).fill(0);
  from.forEach((place, at) => {
    const row = Math.floor(((place - low) / (high - low || 1)) * rows);
    const to = Math.max(0, Math.min(rows - 1, row));
    all[to] = (all[to] ?? 0) + (counts[at] ?? 0);
  });
  return all;
};

/** At most so many of them, evenly apart, the first and the last among them. */
export const evenly = <T>(of: readonly T[], most: number): readonly T[] =>
  of.length <= most
    ? of
    : Array.from({ length: most }, (_, at) =>
        Math.round((at * (of.length - 1)) / (most - 1)),
      ).flatMap((place) => of[place] ?? []);

/** Histograms in the same rows, each as parts of its whole, and the largest part; nothing where none has a value. */
export const overlaid = (
  of: readonly { readonly key: string; readonly bins: Bins }[],
  rows = 60,
):
  | {
      readonly low: number;
      readonly high: number;
      readonly rows: number;
      readonly top: number;
      readonly lines: readonly { readonly key: string; readonly parts: readonly number[] }[];
    }
  | undefined => {
  const some = of.filter(({ bins }) => bins.from.length > 0);
  const places = some.flatMap(({ bins }) => [...bins.from]);
  if (places.length === 0) return undefined;
  const [low, high] = places.reduce(
    ([least, most], one) => [Math.min(least, one), Math.max(most, one)],
    [Infinity, -Infinity],
  );
  const lines = some.map(({ key, bins }) => {
    const whole = bins.counts.reduce((sum, one) => sum + one, 0);
    return { key, parts: rebinned(bins, low, high, rows).map((count) => count / whole) };
  });
  const top = lines.reduce((most, { parts }) => Math.max(most, ...parts), 0);
  return { low, high, rows, top, lines };
};

/** Two matrices of the same labels, as counts or as parts of each row, and where they differ most; labels that only one has come last. */
export const matricesOf = (
  one: Confusion,
  other: Confusion,
  shares: boolean,
): {
  readonly labels: readonly string[];
  readonly both: readonly [readonly (readonly number[])[], readonly (readonly number[])[]];
  readonly top: number;
  /** The largest differences first. */
  readonly differences: readonly {
    readonly row: string;
    readonly column: string;
    readonly values: readonly [number, number];
  }[];
} => {
  const labels = [...new Set([...one.labels, ...other.labels])];
  const spread = ({ matrix, labels: own }: Confusion) => {
    const at = new Map(own.map((label, place) => [label, place]));
    return labels.map((row) => {
      const counts = labels.map((column) => {
        const [from, to] = [at.get(row), at.get(column)];
        return from === undefined || to === undefined ? 0 : (matrix[from]?.[to] ?? 0);
      });
      const sum = counts.reduce((all, count) => all + count, 0);
      return shares ? counts.map((count) => count / (sum || 1)) : counts;
    });
  };
  const both = [spread(one), spread(other)] as const;
  const top = both.flat(2).reduce((most, value) => Math.max(most, value), 0);
  const differences = labels
    .flatMap((row, at) =>
      labels.map((column, place) => ({
        row,
        column,
        values: [both[0][at]?.[place] ?? 0, both[1][at]?.[place] ?? 0] as const,
      })),
    )
    .filter(({ values: [a, b] }) => a !== b)
    .sort((a, b) => Math.abs(b.values[1] - b.values[0]) - Math.abs(a.values[1] - a.values[0]));
  return { labels, both, top, differences };
};

/** Lines of a table with commas or tabs between cells, of which any may be in quotes. */
export const readCells = (
  text: string,
  between: string,
  most: number,
): readonly (readonly string[])[] => {
  const rows: string[][] = [];
  let [row, cell, quoted] = [[] as string[], '', false];
  for (let at = 0; at < text.length && rows.length < most; at++) {
    const one = text.charAt(at);
    if (quoted) {
      if (one !== '"') cell += one;
      else if (text.charAt(at + 1) === '"') {
        cell += one;
        at++;
      } else quoted = false;
    } else if (one === '"' && cell === '') quoted = true;
    else if (one === between) {
      row.push(cell);
      cell = '';
    } else if (one === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')]);
      [row, cell] = [[], ''];
    } else cell += one;
  }
  if (rows.length < most && (cell !== '' || row.length > 0)) rows.push([...row, cell]);
  return rows;
};

/** The two directions in which points lie farthest apart, and where each of them is along those. */
export const project = (
  points: readonly (readonly number[])[],
): readonly (readonly [number, number])[] => {
  const width = points[0]?.length ?? 0;
  const mean = Array.from(
    { length: width },
    (_, at) => points.reduce((sum, one) => sum + (one[at] ?? 0), 0) / points.length,
  );
  let rest = points.map((one) => mean.map((middle, at) => (one[at] ?? 0) - middle));
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, one, at) => sum + one * (b[at] ?? 0), 0);
  const places = [0, 1].map((turn) => {
    let axis = mean.map((_, at) => Math.sin(at + 1 + turn));
    for (let round = 0; round < 24; round++) {
      const next = new Array<number>(width).fill(0);
      for (const one of rest) {
        const along = dot(one, axis);
        one.forEach((value, at) => {
          next[at] = (next[at] ?? 0) + along * value;
        });
      }
      const size = Math.sqrt(dot(next, next)) || 1;
      axis = next.map((value) => value / size);
    }
    const along = rest.map((one) => dot(one, axis));
    rest = rest.map((one, row) =>
      one.map((value, at) => value - (along[row] ?? 0) * (axis[at] ?? 0)),
    );
    return along;
  });
  return points.map((_, row) => [places[0]?.[row] ?? 0, places[1]?.[row] ?? 0]);
};

const kinds: Readonly<Record<string, MediaKind>> = {
  'confusion-matrix': 'confusion',
  curve: 'curve',
  histogram3d: 'histogram',
  histogram_combined_3d: 'histogram',
  dataframe: 'table',
  embeddings: 'embeddings',
  '3d-image': 'space',
  'text-sample': 'text',
  audio: 'audio',
  video: 'video',
  image: 'image',
};
export type MediaKind =
  | 'image'
  | 'audio'
  | 'video'
  | 'text'
  | 'table'
  | 'curve'
  | 'confusion'
  | 'histogram'
  | 'embeddings'
  | 'space';

/** As what a file is looked at; nothing for one that is only fetched. */
export const kindOf = ({
  type,
  fileName,
  image,
}: {
  readonly type: string;
  readonly fileName: string;
  readonly image: boolean;
}): MediaKind | undefined => {
  if (image) return 'image';
  const known = kinds[type];
  if (known !== undefined) return known;
  if (/\.(csv|tsv)$/i.test(fileName)) return 'table';
  if (/\.(wav|mp3|ogg|flac)$/i.test(fileName)) return 'audio';
  if (/\.(mp4|webm|mov)$/i.test(fileName)) return 'video';
  return undefined;
};

/** The last of those at or before a step; where all come later, the first. Those without a step are at none. */
export const atStep = <T extends { readonly step: number | null }>(
  some: readonly T[],
  step: number,
): T | undefined => {
  const placeOf = (one: T) => one.step ?? -1;
  let last: T | undefined;
  let first: T | undefined;
  for (const one of some) {
    const place = placeOf(one);
    if (place <= step && (last === undefined || place >= placeOf(last))) last = one;
    if (first === undefined || place < placeOf(first)) first = one;
  }
  return last ?? first;
};
