// Lines of output: which run each belongs to, and how neighbours share a row.
import type { OutputBatch, OutputLine } from '#ports/storage/texts';
import type { Connection } from './connection.js';
import { decodePlaces, inflatePack } from './output-packs.js';
import { noteLoose } from './output-packing.js';
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
    .select('first_offset', 'last_offset', 'places')) as readonly {
    readonly first_offset: unknown;
    readonly last_offset: unknown;
    readonly places: Buffer | null;
  }[]; // the columns named above
  return rows.flatMap(({ first_offset, last_offset, places }): readonly Interval[] =>
    places === null
      ? [{ first: Number(first_offset), last: Number(last_offset) }]
      : decodePlaces(places, Number(first_offset)),
  );
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

/** Takes apart the packed rows between whose lines others come, so that rows still follow each other. Answers how many rows they are now. */
const openPacks = async (
  inside: Connection,
  experimentId: string,
  run: number,
  offsets: readonly number[],
): Promise<number> => {
  if (offsets.length === 0) return 0;
  const [low, high] = offsets.reduce(
    ([least, most], offset) => [Math.min(least, offset), Math.max(most, offset)],
    [Infinity, 0],
  );
  const around = (await inside
    .db('output_lines')
    .where({ experiment_id: experimentId, run })
    .whereNotNull('last_place')
    .where('first_offset', '<', high)
    .where('last_offset', '>', low)
    .orderBy('first_offset')
    .select('first_offset', 'last_offset')) as readonly {
    readonly first_offset: unknown;
    readonly last_offset: unknown;
  }[]; // the columns named
  let opened = 0;
  for (const { first_offset, last_offset } of around) {
    const [first, last] = [Number(first_offset), Number(last_offset)];
    if (offsets.some((offset) => offset > first && offset < last))
      opened += await openPack(inside, { experiment_id: experimentId, run, first_offset: first });
  }
  return opened;
};

const openPack = async (
  inside: Connection,
  key: { readonly experiment_id: string; readonly run: number; readonly first_offset: number },
): Promise<number> => {
  const of = () => inside.db('output_lines').where({ ...key, part: 0 });
  const row = await of().select('places', 'content', 'bytes').first<{
    readonly places: Buffer;
    readonly content: Buffer;
    readonly bytes: number;
  }>();
  const content = await inflatePack(row.content, row.bytes);
  await of().delete();
  let from = 0;
  const rows = decodePlaces(row.places, key.first_offset).map(({ first, last, stderr, bytes }) => {
    from += bytes;
    const piece = content.subarray(from - bytes, from);
    return { run: key.run, first, last, part: 0, stderr, content: piece };
  });
  await insertRows(inside, key.experiment_id, rows);
  return rows.length;
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
    loose: 0,
  };
  const { placed, head, full } = await place(inside, experimentId, lines, before, limitBytes);
  const rows = toSegments(placed).flatMap(toRows);
  if (rows.length === 0) return full;
  const late = placed
    .filter(({ run, offset }) => run === before.run && offset < (before.lastOffset ?? -1))
    .map(({ offset }) => offset);
  const opened = await openPacks(inside, experimentId, before.run, late);
  await insertRows(inside, experimentId, rows);
  const loose = before.loose + opened + rows.length;
  await writeHead(inside, experimentId, 'output', {
    ...head,
    pieces: before.pieces + rows.length,
    loose,
  });
  await noteLoose(inside, experimentId, before.loose, loose);
  return full;
};
