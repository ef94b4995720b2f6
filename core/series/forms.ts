// The two forms of a reply: JSON with a list for each column, and bytes.
import type { ByteStream } from '#ports/bytes';
import type { CurveColumns, CurveGrid } from '#ports/storage/curves';
import type { GroupCurve, RunCurve } from './rules.js';

export interface Drawn {
  readonly x: string;
  readonly scale: CurveGrid['scale'];
  readonly grid: CurveGrid | undefined;
  readonly series: readonly RunCurve[];
  readonly groups: readonly GroupCurve[];
}

type Columns = CurveColumns | GroupCurve['columns'];

const headOf = ({ x, scale, grid }: Drawn) => ({
  x,
  scale,
  from: grid?.from ?? null,
  to: grid?.to ?? null,
  buckets: grid?.buckets ?? 0,
});
const seriesHead = ({ run, metric, curve }: RunCurve) => ({
  run,
  metric,
  points: curve.points,
  total: curve.total,
  unplaced: curve.unplaced,
  skipped: curve.skipped,
  spansCut: curve.spansCut,
});
const groupHead = ({ name, metric, runs }: GroupCurve) => ({ name: name ?? null, metric, runs });

/** The columns that there are, in their order. */
const listColumns = (columns: Columns): readonly (readonly [string, Float64Array])[] =>
  Object.entries<Float64Array | undefined>({ ...columns }).filter(
    (entry): entry is [string, Float64Array] => entry[1] !== undefined,
  );

const writeOne = (head: object, columns: Columns): string =>
  `${JSON.stringify(head).slice(0, -1)}${listColumns(columns)
    .map(([name, column]) => `,"${name}":[${column.join(',')}]`)
    .join('')}}`;

function* writeList<T>(
  name: string,
  items: readonly T[],
  write: (item: T) => string,
): Iterable<string> {
  yield `,"${name}":[`;
  let between = '';
  for (const item of items) {
    yield between + write(item);
    between = ',';
  }
  yield ']';
}

/** A curve at a time, so that no reply is one long text. */
export async function* writeJson(drawn: Drawn): AsyncIterable<string> {
  yield await Promise.resolve(JSON.stringify(headOf(drawn)).slice(0, -1));
  yield* writeList('series', drawn.series, (one) => writeOne(seriesHead(one), one.curve.columns));
  yield* writeList('groups', drawn.groups, (one) => writeOne(groupHead(one), one.columns));
  yield '}';
}

const align = (bytes: number): number => Math.ceil(bytes / 4) * 4;

/**
 * Four bytes that say how long the head is, the head in JSON, zeros up to a multiple of four, then every column as 32-bit floats, all little-endian.
 * Each curve's head has `columns`, their names, `length` and `offset`, the place of its first float behind the head. To `x` the head's `x0` is added,
 * so that times stay exact.
 */
export const writeBinary = (
  drawn: Drawn,
  /** Of curves of runs, `x` and these alone; all where nothing is said. */
  named?: readonly string[],
): { readonly size: number; open(): ByteStream } => {
  const ofRun = ({ curve }: RunCurve): Columns =>
    named === undefined
      ? curve.columns
      : (Object.fromEntries(
          listColumns(curve.columns).filter(([name]) => name === 'x' || named.includes(name)),
        ) as unknown as Columns); // some of them
  const x0 = drawn.grid?.from ?? 0;
  let floats = 0;
  const place = (columns: Columns) => {
    const listed = listColumns(columns);
    const length = listed[0]?.[1].length ?? 0;
    const offset = floats;
    floats += length * listed.length;
    return { columns: listed.map(([name]) => name), length, offset };
  };
  const head = new TextEncoder().encode(
    JSON.stringify({
      ...headOf(drawn),
      x0,
      series: drawn.series.map((one) => ({ ...seriesHead(one), ...place(ofRun(one)) })),
      groups: drawn.groups.map((one) => ({ ...groupHead(one), ...place(one.columns) })),
    }),
  );
  const begin = align(4 + head.length);
  const encode = (columns: Columns): Uint8Array => {
    const listed = listColumns(columns);
    const view = new DataView(new ArrayBuffer(4 * listed.length * (listed[0]?.[1].length ?? 0)));
    let at = 0;
    for (const [name, column] of listed) {
      const less = name === 'x' ? x0 : 0;
      for (const value of column) {
        view.setFloat32(at, value - less, true);
        at += 4;
      }
    }
    return new Uint8Array(view.buffer);
  };
  return {
    size: begin + floats * 4,
    async *open() {
      const first = new Uint8Array(begin);
      new DataView(first.buffer).setUint32(0, head.length, true);
      first.set(head, 4);
      yield await Promise.resolve(first);
      for (const one of drawn.series) yield encode(ofRun(one));
      for (const { columns } of drawn.groups) yield encode(columns);
    },
  };
};
