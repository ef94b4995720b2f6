// The bytes of curves, and what is drawn from them. Pure.

interface Placed {
  readonly columns: readonly string[];
  readonly length: number;
  readonly offset: number;
}
interface CurveHead extends Placed {
  readonly run: string;
  readonly metric: string;
  readonly points: number;
  readonly total: number;
  readonly unplaced: number;
  readonly skipped: number;
}
interface GroupHead extends Placed {
  readonly name: string | null;
  readonly metric: string;
  readonly runs: readonly string[];
}
interface Head {
  readonly from: number | null;
  readonly to: number | null;
  readonly buckets: number;
  readonly x0: number;
  readonly series: readonly CurveHead[];
  readonly groups: readonly GroupHead[];
}

export interface Curve {
  readonly run: string;
  readonly metric: string;
  /** Finite points in the range, how many there are at all, those without a place on the axis, and those that are no numbers. */
  readonly points: number;
  readonly total: number;
  readonly unplaced: number;
  readonly skipped: number;
  /** Which of several lines of the run it is, and what that is called. */
  readonly line?: { readonly at: number; readonly text: string };
  readonly x: Float64Array;
  /** By name: `last`, `min`, `max`, `mean`, `smooth`, … */
  readonly columns: Readonly<Record<string, Float32Array>>;
}

/** Many runs as one: the mean of their means in each place, and how far they lie from it. */
export interface GroupCurve {
  /** `null` for runs without a value to group by. */
  readonly name: string | null;
  readonly metric: string;
  readonly runs: readonly string[];
  readonly x: Float64Array;
  /** By name: `mean`, `deviation`, `min`, `max`, `count`. */
  readonly columns: Readonly<Record<string, Float32Array>>;
}
export interface Curves {
  /** Into how many places the axis was cut; fewer than were asked for where there was too much to read. */
  readonly buckets: number;
  readonly curves: readonly Curve[];
  readonly groups: readonly GroupCurve[];
}

/** Reads what `series/binary` answers: the length of the head, the head, then the columns of every curve and group. */
export const readCurves = (bytes: ArrayBuffer): Curves => {
  const length = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Head; // the row documents it
  const begin = Math.ceil((4 + length) / 4) * 4;
  const columnsOf = ({ columns, offset, length: size }: Placed) => {
    const named = Object.fromEntries(
      columns.map((name, at) => [
        name,
        new Float32Array(bytes, begin + 4 * (offset + at * size), size),
      ]),
    );
    return { x: Float64Array.from(named['x'] ?? [], (value) => value + head.x0), columns: named };
  };
  return {
    buckets: head.buckets,
    curves: head.series.map((one) => {
      const { run, metric, points, total, unplaced, skipped } = one;
      return { run, metric, points, total, unplaced, skipped, ...columnsOf(one) };
    }),
    groups: head.groups.map((one) => {
      const { name, metric, runs } = one;
      return { name, metric, runs, ...columnsOf(one) };
    }),
  };
};

/** Values over one shared axis, as a chart draws them: `null` where a curve has no point. */
export interface Joined {
  readonly x: number[];
  readonly lines: (number | null)[][];
}

/** Joins columns over the union of their places. Curves of other lengths end where they end; between own points nothing is made up. */
export const joinColumns = (
  columns: readonly { readonly x: Float64Array; readonly y: Float32Array }[],
): Joined => {
  const x = [...new Set(columns.flatMap((one) => [...one.x]))].sort((a, b) => a - b);
  const at = new Map(x.map((value, place) => [value, place]));
  const lines = columns.map((one) => {
    const line = new Array<number | null>(x.length).fill(null);
    one.x.forEach((value, place) => {
      line[at.get(value) ?? 0] = one.y[place] ?? null;
    });
    return line;
  });
  return { x, lines };
};

/** Repetitions of an expression at most, and letters of a name that it is tried on: more would hold the page up. */
const most = { repeated: 2, letters: 300 } as const;

/** Whether an expression is done in time: it repeats little, and no group. */
const isQuick = (part: string): boolean =>
  !/\)[*+?{]/.test(part) && (part.match(/[*+{]/g) ?? []).length <= most.repeated;

/** Whether a name has this in it: a regular expression where it is one that is done in time, whatever the case. */
export const matcherOf = (part: string): ((name: string) => boolean) => {
  const text = part.toLowerCase();
  if (!isQuick(part)) return (name) => name.toLowerCase().includes(text);
  try {
    const pattern = new RegExp(part, 'i');
    return (name) => pattern.test(name.slice(0, most.letters)) || name.toLowerCase().includes(text);
  } catch {
    return (name) => name.toLowerCase().includes(text);
  }
};

/** The longest text of an expression that a name must hold as it stands; nothing where there may be none. */
export const literalOf = (part: string): string =>
  /[|()[\]{}]/.test(part)
    ? ''
    : part
        .replaceAll(/\\.|.[?*]/g, '.')
        .split(/[.^$+?*\\]/)
        .reduce((longest, one) => (one.length > longest.length ? one : longest), '');

/** The metrics in sections by what stands before their first slash, names in order; those without one come first, the system's own last. */
export const sectionsOf = (
  metrics: readonly string[],
): readonly { readonly name: string; readonly metrics: readonly string[] }[] => {
  const sections = new Map<string, string[]>();
  for (const metric of [...metrics].sort()) {
    const slash = metric.indexOf('/');
    const name = metric.startsWith('sys.') ? 'system' : slash < 1 ? '' : metric.slice(0, slash);
    const inside = sections.get(name);
    if (inside === undefined) sections.set(name, [metric]);
    else inside.push(metric);
  }
  const place = (name: string) => (name === '' ? 0 : name === 'system' ? 2 : 1);
  return [...sections]
    .map(([name, inside]) => ({ name, metrics: inside }))
    .sort((a, b) => place(a.name) - place(b.name) || (a.name < b.name ? -1 : 1));
};
