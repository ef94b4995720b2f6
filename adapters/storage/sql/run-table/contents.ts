// What a few runs logged, all of it, to be held against each other.
import { Failure } from '#ports/failure';
import type { RunContent, RunContents } from '#ports/storage/run-table';
import { keyOf, type Connection } from '../connection.js';
import { textKinds } from '../text-pieces.js';
import { valueKeyOf, valueKinds } from '../value-kinds.js';

const longest = 500;
const kinds = ['parameter', 'other', 'environment'] as const;
const kindsByNumber = new Map<number, (typeof kinds)[number]>(
  kinds.map((kind) => [valueKinds[kind], kind]),
);

interface ValueRow {
  readonly experiment_id: string;
  readonly kind: unknown;
  readonly name: string;
  readonly text: string;
  readonly digest: string | null;
}
interface FileRow {
  readonly experiment_id: string;
  readonly name: string;
  readonly digest: string | null;
  readonly remote: string | null;
  readonly bytes: unknown;
}
interface PieceRow {
  readonly experiment_id: string;
  readonly kind: unknown;
  readonly digest: string;
  readonly bytes: unknown;
}

const readValues = async (
  { db, dialect }: Connection,
  runIds: readonly string[],
  limit: number,
): Promise<readonly RunContent[]> => {
  const numbers = [...kindsByNumber.keys()].join(', ');
  const rows = (await dialect.run(
    db,
    `select experiment_id, kind, name, left(text, ${longest}) as text, case when char_length(text) > ${longest} then md5(text) end as digest from experiment_values where kind in (${numbers}) and ${dialect.anyOf('experiment_id', 'id')} limit ${limit + 1}`,
    [runIds],
  )) as readonly ValueRow[]; // the columns named above
  return rows.map((row) => ({
    runId: row.experiment_id,
    kind: kindsByNumber.get(Number(row.kind)) ?? 'other',
    name: row.name,
    text: row.text,
    digest: row.digest ?? undefined,
    bytes: undefined,
  }));
};

const readFiles = async (
  { db, dialect }: Connection,
  runIds: readonly string[],
  limit: number,
): Promise<readonly RunContent[]> => {
  const rows = (await dialect.run(
    db,
    `select experiment_id, file_name as name, sha256 as digest, remote_link as remote, file_size as bytes from assets where type = 'source_code' and ${dialect.anyOf('experiment_id', 'id')} order by experiment_id, row_id limit ${limit + 1}`,
    [runIds],
  )) as readonly FileRow[]; // the columns named above
  return rows.map((row) => ({
    runId: row.experiment_id,
    kind: 'code',
    name: row.name,
    text: undefined,
    digest: row.digest ?? row.remote ?? '',
    bytes: Number(row.bytes),
  }));
};

/** Code and patch that were logged as a text: replaced as a whole, so that equal ones are in equal pieces. */
const readTexts = async (
  { db, dialect }: Connection,
  runIds: readonly string[],
): Promise<readonly RunContent[]> => {
  const rows = (await dialect.run(
    db,
    `select experiment_id, kind, md5(content) as digest, octet_length(content) as bytes from text_pieces where kind in (${textKinds.code}, ${textKinds.patch}) and ${dialect.anyOf('experiment_id', 'id')} order by experiment_id, kind, position`,
    [runIds],
  )) as readonly PieceRow[]; // the columns named above
  const found = new Map<string, readonly PieceRow[]>();
  for (const row of rows) {
    const key = `${row.experiment_id}${String(row.kind)}`;
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found.values()].flatMap((pieces) => {
    const [first] = pieces;
    if (first === undefined) return [];
    return [
      {
        runId: first.experiment_id,
        kind: Number(first.kind) === textKinds.code ? ('code' as const) : ('patch' as const),
        name: '',
        text: undefined,
        digest: keyOf(...pieces.map(({ digest }) => digest)),
        bytes: pieces.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      },
    ];
  });
};

const readPackages = async (
  { db, dialect }: Connection,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = (await dialect.run(
    db,
    `select experiment_id, text from experiment_values where kind = ${valueKinds.noted} and name_key = ? and ${dialect.anyOf('experiment_id', 'id')}`,
    [valueKeyOf('installed_packages'), runIds],
  )) as readonly { readonly experiment_id: string; readonly text: string }[]; // the columns named above
  return new Map(rows.map((row) => [row.experiment_id, row.text]));
};

export const readContents = async (
  connection: Connection,
  runIds: readonly string[],
  limit: number,
): Promise<RunContents> => {
  if (runIds.length === 0) return { contents: [], packages: new Map() };
  const contents: RunContent[] = [];
  for (const read of [readValues, readFiles, readTexts])
    contents.push(...(await read(connection, runIds, limit)));
  if (contents.length > limit)
    throw new Failure(
      'invalid',
      `these runs hold more than ${limit} values and files together; compare fewer runs`,
    );
  return { contents, packages: await readPackages(connection, runIds) };
};
