// Texts of any length in pieces that every engine takes, with one head row each. Callers hold the experiment's lock.
import type { Knex } from 'knex';
import type { Connection } from './connection.js';

/** What a text is, as its rows keep it. */
export const textKinds = {
  html: 1,
  code: 2,
  graph: 3,
  patch: 4,
  output: 5,
  system: 6,
  git: 7,
  cloud: 8,
  dependencies: 9,
  notes: 10,
  error: 11,
} as const;
export type PieceKind = keyof typeof textKinds;

export const pieceBytes = 1024 * 1024;
/** Rows of at most this many bytes go into one statement; one engine doubles them on the way. */
export const statementBytes = 2 * pieceBytes;

export interface TextHead {
  readonly bytes: number;
  readonly pieces: number;
  readonly run: number;
  readonly lastOffset: number | undefined;
  /** Of output only: rows that are not packed. */
  readonly loose: number;
}
interface HeadRow {
  readonly bytes: unknown;
  readonly pieces: unknown;
  readonly run: unknown;
  readonly last_offset: unknown;
  readonly loose: unknown;
}

export const readHead = async (
  db: Knex,
  experimentId: string,
  kind: PieceKind,
): Promise<TextHead | undefined> => {
  const row = await db('texts')
    .select('bytes', 'pieces', 'run', 'last_offset', 'loose')
    .where({ experiment_id: experimentId, kind: textKinds[kind] })
    .first<HeadRow | undefined>();
  return row === undefined
    ? undefined
    : {
        bytes: Number(row.bytes),
        pieces: Number(row.pieces),
        run: Number(row.run),
        lastOffset: row.last_offset === null ? undefined : Number(row.last_offset),
        loose: Number(row.loose ?? row.pieces),
      };
};

export const writeHead = async (
  { db, clock }: Connection,
  experimentId: string,
  kind: PieceKind,
  head: TextHead,
): Promise<void> => {
  await db('texts')
    .insert({
      experiment_id: experimentId,
      kind: textKinds[kind],
      bytes: head.bytes,
      pieces: head.pieces,
      run: head.run,
      last_offset: head.lastOffset ?? null,
      loose: head.loose,
      updated_at: clock.now(),
    })
    .onConflict(['experiment_id', 'kind'])
    .merge(['bytes', 'pieces', 'run', 'last_offset', 'loose', 'updated_at']);
};

export const cutBytes = (bytes: Buffer): readonly Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, i) =>
    bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes),
  );

/** Lists of rows that each fit into one statement. */
export function* cutStatements<R extends { readonly content: Buffer }>(
  rows: readonly R[],
): Iterable<readonly R[]> {
  let piece: R[] = [];
  let size = 0;
  for (const row of rows) {
    if (piece.length > 0 && (size + row.content.length > statementBytes || piece.length === 5000)) {
      yield piece;
      [piece, size] = [[], 0];
    }
    piece.push(row);
    size += row.content.length;
  }
  if (piece.length > 0) yield piece;
}

const insertPieces = async (
  { db, dialect }: Connection,
  experimentId: string,
  kind: PieceKind,
  content: Buffer,
  first: number,
): Promise<number> => {
  const rows = cutBytes(content).map((bytes, i) => ({ position: first + i, content: bytes }));
  for (const some of cutStatements(rows))
    await dialect.insertColumns(db, 'text_pieces', [
      { name: 'experiment_id', kind: 'id', values: some.map(() => experimentId) },
      { name: 'kind', kind: 'whole', values: some.map(() => textKinds[kind]) },
      { name: 'position', kind: 'whole', values: some.map((row) => row.position) },
      { name: 'content', kind: 'bytes', values: some.map((row) => row.content) },
    ]);
  return rows.length;
};

export const replacePieces = async (
  inside: Connection,
  experimentId: string,
  kind: PieceKind,
  content: Buffer,
): Promise<void> => {
  await inside
    .db('text_pieces')
    .where({ experiment_id: experimentId, kind: textKinds[kind] })
    .delete();
  const pieces = await insertPieces(inside, experimentId, kind, content, 0);
  await writeHead(inside, experimentId, kind, {
    bytes: content.length,
    pieces,
    run: 0,
    lastOffset: undefined,
    loose: 0,
  });
};

export const appendPieces = async (
  inside: Connection,
  experimentId: string,
  kind: PieceKind,
  content: Buffer,
  head: TextHead | undefined,
): Promise<void> => {
  const pieces = await insertPieces(inside, experimentId, kind, content, head?.pieces ?? 0);
  await writeHead(inside, experimentId, kind, {
    bytes: (head?.bytes ?? 0) + content.length,
    pieces: (head?.pieces ?? 0) + pieces,
    run: 0,
    lastOffset: undefined,
    loose: 0,
  });
};

/** All pieces in one statement, so that they are of one moment; `undefined` when the text was never stored. */
export const readPieces = async (
  db: Knex,
  experimentId: string,
  kind: PieceKind,
): Promise<readonly Buffer[] | undefined> => {
  const rows = (await db('texts')
    .leftJoin('text_pieces', (on) => {
      on.on('text_pieces.experiment_id', 'texts.experiment_id').andOn(
        'text_pieces.kind',
        'texts.kind',
      );
    })
    .where({ 'texts.experiment_id': experimentId, 'texts.kind': textKinds[kind] })
    .orderBy('text_pieces.position')
    .select('text_pieces.content')) as readonly { readonly content: Buffer | null }[]; // the column named above
  return rows.length === 0
    ? undefined
    : rows.flatMap((row) => (row.content === null ? [] : [row.content]));
};
