// Pages of spans: the statistics of up to 512 full chunks that follow each other from the first point of a series on, one row a page.
// Compaction writes them with the chunks that it fills, which never change afterwards; a chart of any length reads these.
import type { Knex } from 'knex';
import type { Dialect } from '#ports/sql-dialect';
import { chunkPoints, type ChunkRow } from './chunks.js';
import { decodeColumns } from './codec.js';
import type { Slice } from './points.js';
import {
  decodeSpans,
  encodeSpans,
  measureSpan,
  spanAt,
  spanAxes,
  type Span,
  type SpanAxis,
} from './spans.js';

/** Most chunks that one page tells of. */
export const pageSpans = 512;
export const pagePoints = pageSpans * chunkPoints;

/** A full, packed chunk as a rollup knows it. */
export interface Measured {
  readonly firstIndex: number;
  readonly check: number;
  readonly spans: Readonly<Record<SpanAxis, Span>>;
}

/** The checksum that ends a packed chunk. */
const checkOf = (bytes: Buffer): number => bytes.readUInt32LE(bytes.length - 4);

export const measureChunk = (
  firstIndex: number,
  bytes: Buffer,
  slices: readonly Slice[],
): Measured => ({
  firstIndex,
  check: checkOf(bytes),
  spans: {
    time: measureSpan(slices, 'time'),
    step: measureSpan(slices, 'step'),
    epoch: measureSpan(slices, 'epoch'),
  },
});

/** The same of a chunk that was stored before. */
export const measureStored = (firstIndex: number, bytes: Buffer): Measured => {
  const columns = decodeColumns(bytes);
  return measureChunk(firstIndex, bytes, [{ columns, from: 0, to: columns.values.length }]);
};

export interface PageRow extends Readonly<Record<`${SpanAxis}_numbers`, Buffer>> {
  readonly first_index: unknown;
  readonly spans: unknown;
  readonly checks: Buffer;
}

/** Where the first chunk begins that no page tells of. */
export const coveredBy = (newest: Pick<PageRow, 'first_index' | 'spans'> | undefined): number =>
  newest === undefined ? 0 : Number(newest.first_index) + Number(newest.spans) * chunkPoints;

export const readChecks = (bytes: Buffer): Uint32Array =>
  Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4));

const unpackPage = (row: PageRow): readonly Measured[] => {
  const checks = readChecks(row.checks);
  const [time, step, epoch] = [row.time_numbers, row.step_numbers, row.epoch_numbers].map(
    decodeSpans,
  ) as [
    ReturnType<typeof decodeSpans>,
    ReturnType<typeof decodeSpans>,
    ReturnType<typeof decodeSpans>,
  ]; // three, as listed
  return Array.from(checks, (check, at) => ({
    firstIndex: Number(row.first_index) + at * chunkPoints,
    check,
    spans: { time: spanAt(time, at), step: spanAt(step, at), epoch: spanAt(epoch, at) },
  }));
};

const axisColumns = (axis: SpanAxis, pages: readonly (readonly Measured[])[]) => {
  const of = (page: readonly Measured[]) => page.map(({ spans }) => spans[axis]);
  const edge = (name: 'low' | 'high', pick: (...numbers: number[]) => number) =>
    pages.map((page) => {
      const some = of(page)
        .map((span) => span[name])
        .filter((place) => !Number.isNaN(place));
      return some.length === 0 ? null : pick(...some);
    });
  const sum = (pick: (span: Span) => number) =>
    pages.map((page) => of(page).reduce((total, span) => total + pick(span), 0));
  return [
    { name: `${axis}_low`, kind: 'whole', values: edge('low', Math.min) },
    { name: `${axis}_high`, kind: 'whole', values: edge('high', Math.max) },
    {
      name: `${axis}_placed`,
      kind: 'whole',
      values: sum(({ count, skipped }) => count + skipped),
    },
    { name: `${axis}_skipped`, kind: 'whole', values: sum(({ skipped }) => skipped) },
    {
      name: `${axis}_numbers`,
      kind: 'bytes',
      values: pages.map((page) => encodeSpans(of(page))),
    },
  ] as const;
};

const packChecks = (page: readonly Measured[]): Buffer => {
  const bytes = Buffer.alloc(page.length * 4);
  page.forEach(({ check }, at) => bytes.writeUInt32LE(check, at * 4));
  return bytes;
};

const insertPages = (
  db: Knex,
  dialect: Dialect,
  { experimentId, seriesId }: Pick<ChunkRow, 'experimentId' | 'seriesId'>,
  pages: readonly (readonly Measured[])[],
): Promise<void> =>
  dialect.insertColumns(db, 'rollups', [
    { name: 'experiment_id', kind: 'id', values: pages.map(() => experimentId) },
    { name: 'series_id', kind: 'id', values: pages.map(() => seriesId) },
    { name: 'span_points', kind: 'whole', values: pages.map(() => chunkPoints) },
    { name: 'first_index', kind: 'whole', values: pages.map((page) => page[0]?.firstIndex) },
    { name: 'spans', kind: 'whole', values: pages.map((page) => page.length) },
    ...spanAxes.flatMap((axis) => axisColumns(axis, pages)),
    { name: 'checks', kind: 'bytes', values: pages.map(packChecks) },
  ]);

const pageOf = (firstIndex: number): number => Math.floor(firstIndex / pagePoints);

/** Adds chunks that follow those of the pages without a gap; in the transaction that holds the series. */
export const extendRollups = async (
  db: Knex,
  dialect: Dialect,
  series: Pick<ChunkRow, 'experimentId' | 'seriesId'>,
  chunks: readonly Measured[],
): Promise<void> => {
  const first = chunks[0];
  if (first === undefined) return;
  const key = {
    experiment_id: series.experimentId,
    series_id: series.seriesId,
    span_points: chunkPoints,
  };
  const begun = pageOf(first.firstIndex) * pagePoints;
  const row = (await db('rollups')
    .select('first_index', 'spans', 'checks', ...spanAxes.map((axis) => `${axis}_numbers`))
    .where(key)
    .where('first_index', begun)
    .first()) as PageRow | undefined; // the columns named
  const pages = new Map<number, Measured[]>();
  for (const chunk of [...(row === undefined ? [] : unpackPage(row)), ...chunks]) {
    const page = pageOf(chunk.firstIndex);
    const found = pages.get(page);
    if (found === undefined) pages.set(page, [chunk]);
    else found.push(chunk);
  }
  if (row !== undefined) await db('rollups').where(key).where('first_index', begun).delete();
  await insertPages(db, dialect, series, [...pages.values()]);
};
