// Reads output in the order of its lines, from packed rows and from those that are not packed yet. Rows may be packed while they are read.
import type { MeasuredOutput, OutputPiece, OutputPlace, OutputSpan } from '#ports/storage/texts';
import { isTrue, type Connection } from './connection.js';
import { countLines, decodePlaces, inflatePack } from './output-packs.js';

/** Who reads from the middle often needs no more, and a piece may be a MiB. */
const firstRows = 2;
const pageRows = 8;
const smallRows = 500;

interface ReadRow {
  readonly run: unknown;
  readonly first_offset: unknown;
  readonly part: number;
  readonly last_place: unknown;
  readonly pieces: number | null;
  readonly bytes: number | null;
  readonly newlines: number | null;
  readonly ends_line: unknown;
  readonly stderr: unknown;
  readonly places: Buffer | null;
  readonly content: Buffer | null;
}
/** Which rows give their content, and which say where their pieces lie: only what is not packed, or is read from its middle, when output is measured. */
type Columns = 'all' | 'measures';

const beginning: OutputPlace = { run: -1, offset: 0, part: 0 };

/**
 * Rows behind a place: of its run, then of those after it, each by a range of its own, since of both at once an engine reads a run from its
 * beginning. The packed row that the place lies in comes too when it has something behind it. All of a run in one statement, since between two the
 * rows may be packed.
 */
const readPage = async (
  { db }: Connection,
  experimentId: string,
  { run, offset, part }: OutputPlace,
  limit: number,
  columns: Columns,
): Promise<readonly ReadRow[]> => {
  const select = (most: number) =>
    db('output_lines')
      .where({ experiment_id: experimentId })
      .orderBy(['run', 'first_offset', 'part'])
      .limit(most)
      .select(
        ...[
          'run',
          'first_offset',
          'part',
          'last_place',
          'pieces',
          'bytes',
          'newlines',
          'ends_line',
          'stderr',
        ],
        // What is read from its middle is unpacked where it is measured, too.
        columns === 'all'
          ? 'places'
          : db.raw('case when run = ? and first_offset <= ? then places end as places', [
              run,
              offset,
            ]),
        columns === 'all'
          ? 'content'
          : db.raw(
              'case when last_place is null or (run = ? and first_offset <= ?) then content end as content',
              [run, offset],
            ),
      );
  const same =
    run < 0
      ? []
      : ((await select(limit)
          .where({ run })
          .where(
            'first_offset',
            '>=',
            db.raw(
              'coalesce((select max(b.first_offset) from output_lines as b where b.experiment_id = ? and b.run = ? and b.first_offset <= ?), 0)',
              [experimentId, run, offset],
            ),
          )
          .where((rest) =>
            rest
              .where('first_offset', '>', offset)
              .orWhere((there) => there.where('first_offset', offset).where('part', '>', part))
              .orWhere('last_place', '>', offset),
          )) as unknown as readonly ReadRow[]); // the columns named above
  if (same.length === limit) return same;
  const later = (await select(limit - same.length).where(
    'run',
    '>',
    run,
  )) as unknown as readonly ReadRow[]; // the same
  return [...same, ...later];
};

const placeOf = ({ run, first_offset, part, last_place }: ReadRow): OutputPlace => ({
  run: Number(run),
  offset: Number(last_place ?? first_offset),
  part: Number(part),
});

const spanned = (
  pieces: readonly { readonly bytes: number; readonly stderr: boolean }[],
): readonly OutputSpan[] => {
  const spans: { bytes: number; readonly stderr: boolean }[] = [];
  for (const { bytes, stderr } of pieces) {
    const last = spans.at(-1);
    if (last?.stderr === stderr) last.bytes += bytes;
    else if (bytes > 0) spans.push({ bytes, stderr });
  }
  return spans;
};

/** The part of an unpacked row that lies behind a place, with its streams, and of how many pieces it is. */
const cutBehind = (
  { run, first_offset, last_place, places, pieces, stderr }: ReadRow,
  content: Buffer,
  after: OutputPlace,
): Pick<OutputPiece, 'content' | 'spans' | 'pieces'> => {
  const around =
    Number(run) === after.run &&
    Number(first_offset) <= after.offset &&
    Number(last_place) > after.offset;
  const whole = { bytes: content.length, stderr: isTrue(stderr) };
  if (places === null || (whole.stderr && !around))
    return { content, spans: spanned([whole]), pieces: pieces ?? 1 };
  const all = decodePlaces(places, Number(first_offset));
  const behind = around ? all.filter(({ first }) => first > after.offset) : all;
  const bytes = behind.reduce((sum, one) => sum + one.bytes, 0);
  return {
    content: content.subarray(content.length - bytes),
    spans: spanned(behind),
    pieces: around ? behind.length : (pieces ?? 1),
  };
};

const toPiece = async (row: ReadRow, after: OutputPlace): Promise<OutputPiece> => {
  const stored = row.content ?? Buffer.alloc(0);
  const place = placeOf(row);
  const content = row.last_place === null ? stored : await inflatePack(stored, row.bytes ?? 0);
  return { place, ...cutBehind(row, content, after) };
};

const toMeasured = async (row: ReadRow, after: OutputPlace): Promise<MeasuredOutput> => {
  if (row.content === null)
    return {
      place: placeOf(row),
      pieces: row.pieces ?? 1,
      bytes: row.bytes ?? 0,
      newlines: row.newlines ?? 0,
      endsLine: row.ends_line === null ? undefined : isTrue(row.ends_line),
    };
  const { place, content, pieces } = await toPiece(row, after);
  return { place, pieces, bytes: content.length, ...countLines(Buffer.from(content)) };
};

async function* readRowsFrom<T extends { readonly place: OutputPlace }>(
  connection: Connection,
  experimentId: string,
  after: OutputPlace | undefined,
  columns: Columns,
  convert: (row: ReadRow, after: OutputPlace) => Promise<T>,
): AsyncIterable<readonly T[]> {
  let last = after ?? beginning;
  let limit = firstRows;
  for (;;) {
    const rows = await readPage(connection, experimentId, last, limit, columns);
    const behind = last;
    const some = await Promise.all(rows.map((row) => convert(row, behind)));
    if (some.length > 0) yield some;
    if (rows.length < limit) return;
    last = some.at(-1)?.place ?? last;
    const sizeOf = ({ content, bytes }: ReadRow) =>
      content === null ? 0 : (bytes ?? content.length);
    limit =
      rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length > 16 * 1024
        ? pageRows
        : smallRows;
  }
}

/** The lines in their order behind a place, a few pieces at a time; small pieces come many at once. */
export const readPiecesFrom = (
  connection: Connection,
  experimentId: string,
  after: OutputPlace | undefined,
): AsyncIterable<readonly OutputPiece[]> =>
  readRowsFrom(connection, experimentId, after, 'all', toPiece);

/** The same, counted. */
export const measureFrom = (
  connection: Connection,
  experimentId: string,
  after: OutputPlace | undefined,
): AsyncIterable<readonly MeasuredOutput[]> =>
  readRowsFrom(connection, experimentId, after, 'measures', toMeasured);

/** All lines in their order, joined. */
export async function* readLines(
  connection: Connection,
  experimentId: string,
): AsyncIterable<Uint8Array> {
  for await (const pieces of readPiecesFrom(connection, experimentId, undefined))
    yield Buffer.concat(pieces.map(({ content }) => content));
}
