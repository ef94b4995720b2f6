// Lines of output: which run each belongs to, and how neighbours share a row.
import type { OutputBatch, OutputLine, OutputPiece, OutputPlace } from '#ports/storage/texts';
import type { Connection } from './connection.js';
import {
  cutBytes,
  cutStatements,
  pieceBytes,
  readHead,
  writeHead,
  type TextHead,
} from './text-pieces.js';

interface Interval {
  readonly first: number;
  readonly last: number;
}
interface PlacedLine {
  readonly run: number;
  readonly offset: number;
  readonly stderr: boolean;
  readonly bytes: Buffer;
}
interface Segment {
  readonly run: number;
  readonly first: number;
  last: number;
  readonly stderr: boolean;
  readonly lines: Buffer[];
  size: number;
}
interface SegmentRow {
  readonly run: number;
  readonly first: number;
  readonly last: number;
  readonly part: number;
  readonly stderr: boolean;
  readonly content: Buffer;
}

/** What the newest run holds between two offsets, in order. Intervals of one run never overlap. */
const readIntervals = async (
  { db }: Connection,
  experimentId: string,
  run: number,
  low: number,
  high: number,
): Promise<readonly Interval[]> => {
  const of = () => db('output_lines').where({ experiment_id: experimentId, run, part: 0 });
  const before = await of()
    .where('first_offset', '<=', low)
    .orderBy('first_offset', 'desc')
    .select('first_offset')
    .first<{ readonly first_offset: unknown } | undefined>();
  const rows = (await of()
    .where('first_offset', '>=', Number(before?.first_offset ?? low))
    .where('first_offset', '<=', high)
    .orderBy('first_offset')
    .select('first_offset', 'last_offset')) as readonly {
    readonly first_offset: unknown;
    readonly last_offset: unknown;
  }[]; // the columns named above
  return rows.map((row) => ({ first: Number(row.first_offset), last: Number(row.last_offset) }));
};

const holds = (intervals: readonly Interval[], offset: number): boolean => {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.first ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return (intervals[low - 1]?.last ?? -Infinity) >= offset;
};

/** Gives each line its run and offset, as long as there is room. */
const place = async (
  inside: Connection,
  experimentId: string,
  lines: readonly OutputLine[],
  head: TextHead,
  limitBytes: number,
) => {
  const offsets = lines.flatMap((line) => (line.offset === undefined ? [] : [line.offset]));
  const low = offsets.reduce((least, offset) => Math.min(least, offset), Infinity);
  let intervals =
    low > (head.lastOffset ?? -Infinity)
      ? []
      : await readIntervals(
          inside,
          experimentId,
          head.run,
          low,
          offsets.reduce((most, offset) => Math.max(most, offset), low),
        );
  let { run, lastOffset, bytes: size } = head;
  let own = new Set<number>();
  const placed: PlacedLine[] = [];
  for (const line of lines) {
    const bytes = Buffer.from(line.text, 'utf8');
    if (size + bytes.length > limitBytes)
      return { placed, head: { ...head, run, lastOffset, bytes: size }, full: true };
    let offset = line.offset ?? (lastOffset ?? -1) + 1;
    // A line after the largest offset there is starts a new run, as a line with a taken offset does.
    if (!Number.isSafeInteger(offset) || own.has(offset) || holds(intervals, offset)) {
      run += 1;
      [own, intervals, lastOffset] = [new Set(), [], undefined];
      offset = line.offset ?? 0;
    }
    own.add(offset);
    placed.push({ run, offset, stderr: line.stderr, bytes });
    lastOffset = Math.max(lastOffset ?? offset, offset);
    size += bytes.length;
  }
  return { placed, head: { ...head, run, lastOffset, bytes: size }, full: false };
};

/** Joins lines that follow each other, up to the size of a piece. */
const toSegments = (placed: readonly PlacedLine[]): readonly Segment[] => {
  const segments: Segment[] = [];
  for (const { run, offset, stderr, bytes } of [...placed].sort(
    (a, b) => a.run - b.run || a.offset - b.offset,
  )) {
    const newest = segments.at(-1);
    if (
      newest !== undefined &&
      newest.run === run &&
      newest.last + 1 === offset &&
      newest.stderr === stderr &&
      newest.size + bytes.length <= pieceBytes
    ) {
      newest.lines.push(bytes);
      newest.last = offset;
      newest.size += bytes.length;
    } else
      segments.push({
        run,
        first: offset,
        last: offset,
        stderr,
        lines: [bytes],
        size: bytes.length,
      });
  }
  return segments;
};

const toRows = ({ run, first, last, stderr, lines }: Segment): readonly SegmentRow[] => {
  const content = Buffer.concat(lines);
  const pieces = content.length === 0 ? [content] : cutBytes(content);
  return pieces.map((piece, part) => ({ run, first, last, part, stderr, content: piece }));
};

const insertRows = async (
  { db, dialect }: Connection,
  experimentId: string,
  rows: readonly SegmentRow[],
): Promise<void> => {
  for (const some of cutStatements(rows))
    await dialect.insertColumns(db, 'output_lines', [
      { name: 'experiment_id', kind: 'id', values: some.map(() => experimentId) },
      { name: 'run', kind: 'whole', values: some.map((row) => row.run) },
      { name: 'first_offset', kind: 'whole', values: some.map((row) => row.first) },
      { name: 'part', kind: 'whole', values: some.map((row) => row.part) },
      { name: 'last_offset', kind: 'whole', values: some.map((row) => row.last) },
      { name: 'stderr', kind: 'flag', values: some.map((row) => row.stderr) },
      { name: 'content', kind: 'bytes', values: some.map((row) => row.content) },
    ]);
};

/** Stores the lines under the experiment's lock. Says whether some were left out for want of room. */
export const appendLines = async (
  inside: Connection,
  { experimentId, lines, limitBytes }: OutputBatch,
): Promise<boolean> => {
  const before = (await readHead(inside.db, experimentId, 'output')) ?? {
    bytes: 0,
    pieces: 0,
    run: 0,
    lastOffset: undefined,
  };
  const { placed, head, full } = await place(inside, experimentId, lines, before, limitBytes);
  const rows = toSegments(placed).flatMap(toRows);
  if (rows.length === 0) return full;
  await insertRows(inside, experimentId, rows);
  await writeHead(inside, experimentId, 'output', { ...head, pieces: before.pieces + rows.length });
  return full;
};

/** Who reads from the middle often needs no more, and a piece may be a MiB. */
const firstRows = 2;
const pageRows = 8;
const smallRows = 500;

interface ReadRow {
  readonly run: unknown;
  readonly first_offset: unknown;
  readonly part: number;
  readonly content: Buffer;
}

/** Pieces behind a place: of its run, then of those after it, each by a range of its own, since of both at once an engine reads a run from its beginning. */
const readPage = async (
  { db }: Connection,
  experimentId: string,
  { run, offset, part }: OutputPlace,
  limit: number,
): Promise<readonly ReadRow[]> => {
  const select = (most: number) =>
    db('output_lines')
      .where({ experiment_id: experimentId })
      .orderBy(['run', 'first_offset', 'part'])
      .limit(most)
      .select('run', 'first_offset', 'part', 'content');
  const same = (await select(limit)
    .where({ run })
    .where('first_offset', '>=', offset)
    .where((rest) =>
      rest.where('first_offset', '>', offset).orWhere('part', '>', part),
    )) as readonly ReadRow[]; // the columns named above
  if (same.length === limit) return same;
  const later = (await select(limit - same.length).where('run', '>', run)) as readonly ReadRow[]; // the same
  return [...same, ...later];
};

/** The lines in their order behind a place, a few pieces at a time; small pieces come many at once. */
export async function* readPiecesFrom(
  connection: Connection,
  experimentId: string,
  after: OutputPlace | undefined,
): AsyncIterable<readonly OutputPiece[]> {
  let last: OutputPlace = after ?? { run: -1, offset: 0, part: 0 };
  let limit = firstRows;
  for (;;) {
    const rows = await readPage(connection, experimentId, last, limit);
    const pieces = rows.map((row) => ({
      place: { run: Number(row.run), offset: Number(row.first_offset), part: Number(row.part) },
      content: row.content,
    }));
    if (pieces.length > 0) yield pieces;
    if (rows.length < limit) return;
    last = pieces.at(-1)?.place ?? last;
    limit =
      rows.reduce((sum, row) => sum + row.content.length, 0) / rows.length > 16 * 1024
        ? pageRows
        : smallRows;
  }
}

/** All lines in their order, joined. */
export async function* readLines(
  connection: Connection,
  experimentId: string,
): AsyncIterable<Uint8Array> {
  for await (const pieces of readPiecesFrom(connection, experimentId, undefined))
    yield Buffer.concat(pieces.map(({ content }) => content));
}
