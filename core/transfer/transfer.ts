// Carries everything from one storage and bucket to another through a file: a zip with a manifest, a file of JSON lines for each table, and the bytes.
import type { Blob } from '#ports/blob';
import type { ByteStream } from '#ports/bytes';
import { Failure, isFailure } from '#ports/failure';
import type { Cell, ColumnShape, Snapshot, TableShape, Transfer } from '#ports/storage/transfer';
import type { OpenedArchive, Zip, ZipEntry } from '#ports/zip';

const format = 1;
const manifestName = 'manifest.json';
const rowsName = (table: string) => `rows/${table}.jsonl`;
const bytesFolder = 'bytes/';

/** What a file says of itself, written last. */
interface Manifest {
  readonly format: number;
  readonly at: number;
  readonly schema: readonly string[];
  readonly tables: readonly (TableShape & { readonly rows: number })[];
  /** Whether the bytes of assets are in the file. */
  readonly withBytes: boolean;
  /** Blobs in the file. */
  readonly blobs: number;
  /** Keys that rows name and the bucket did not have. */
  readonly missing: readonly string[];
}

/** Told of every step: what is being carried, how much of it, and of how many. */
export type Progress = (what: string, done: number, of: number) => void;

export interface Carried {
  readonly rows: number;
  readonly blobs: number;
  readonly missing: readonly string[];
}

/** Cells as JSON has them: bytes in base64, and the one number that JSON has no sign for as a text. */
const toJson = (cell: Cell): unknown =>
  cell instanceof Uint8Array
    ? Buffer.from(cell).toString('base64')
    : Object.is(cell, -0)
      ? '-0'
      : cell;
const fromJson = (kind: ColumnShape['kind'], read: unknown): Cell => {
  if (read === null) return null;
  if (kind === 'bytes') return Buffer.from(String(read), 'base64');
  return kind === 'real' || kind === 'whole' ? Number(read) : (read as string | boolean); // what `toJson` wrote for texts and flags
};

const text = new TextEncoder();

async function* once(content: string): ByteStream {
  yield text.encode(content);
}

/** The rows of a table as lines; notes the keys of blobs that they name. */
async function* toLines(
  snapshot: Snapshot,
  table: TableShape,
  keys: Set<string>,
  counted: (rows: number) => void,
): ByteStream {
  const keyAt = table.columns.findIndex(({ name }) => name === 'blob_key');
  for await (const page of snapshot.rows(table.name)) {
    for (const row of page) {
      const key = row[keyAt];
      if (typeof key === 'string') keys.add(key);
    }
    yield text.encode(page.map((row) => `${JSON.stringify(row.map(toJson))}\n`).join(''));
    counted(page.length);
  }
}

export interface ExportNeeds {
  readonly transfer: Transfer;
  readonly blob: Blob;
  readonly zip: Pick<Zip, 'pack'>;
  readonly at: number;
  readonly withBytes: boolean;
  readonly progress: Progress;
  /** Takes the finished archive, piece by piece. */
  readonly write: (archive: ByteStream) => Promise<void>;
}

/** Writes everything as of one moment. Bytes must not be removed meanwhile. */
export const exportAll = ({
  transfer,
  blob,
  zip,
  at,
  withBytes,
  progress,
  write,
}: ExportNeeds): Promise<Carried> =>
  transfer.read(async (snapshot) => {
    const keys = new Set<string>();
    const missing: string[] = [];
    const tables: (TableShape & { readonly rows: number })[] = [];
    let blobs = 0;
    async function* entries(): AsyncIterable<ZipEntry> {
      for (const table of snapshot.tables) {
        const of = await snapshot.count(table.name);
        let rows = 0;
        progress(table.name, 0, of);
        yield {
          name: rowsName(table.name),
          changedAt: at,
          open: () =>
            toLines(snapshot, table, keys, (some) => {
              rows += some;
              progress(table.name, rows, of);
            }),
        };
        tables.push({ ...table, rows });
      }
      for (const key of withBytes ? keys : []) {
        const opened = await blob.open(key).catch((thrown: unknown) => {
          if (isFailure(thrown) && thrown.kind === 'absent') return undefined;
          throw thrown;
        });
        if (opened === undefined) {
          missing.push(key);
          continue;
        }
        yield { name: bytesFolder + key, changedAt: at, open: () => opened.stream };
        blobs++;
        progress('bytes', blobs, keys.size);
      }
      const manifest: Manifest = {
        format,
        at,
        schema: snapshot.schema,
        tables,
        withBytes,
        blobs,
        missing,
      };
      yield { name: manifestName, changedAt: at, open: () => once(JSON.stringify(manifest)) };
    }
    await write(zip.pack(entries()));
    return { rows: tables.reduce((sum, table) => sum + table.rows, 0), blobs, missing };
  });

/** What must be so in a file that is whole. */
const whole = <T>(name: string, read: () => T): T => {
  try {
    return read();
  } catch (cause) {
    throw new Failure('invalid', `${name} in the file is damaged`, { cause });
  }
};

const readText = async (stream: ByteStream): Promise<string> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
};

/** Lines of a stream, those of one piece at a time. */
async function* readLines(name: string, stream: ByteStream): AsyncIterable<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let left = '';
  for await (const piece of stream) {
    const lines = (left + whole(name, () => decoder.decode(piece, { stream: true }))).split('\n');
    left = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  if (left !== '') yield [left];
}

async function* toRows(
  table: TableShape,
  stream: ByteStream,
  counted: (rows: number) => void,
): AsyncIterable<readonly (readonly Cell[])[]> {
  const name = rowsName(table.name);
  for await (const lines of readLines(name, stream)) {
    yield whole(name, () =>
      lines.map((line) =>
        (JSON.parse(line) as readonly unknown[]).map((cell, at) =>
          fromJson(table.columns[at]?.kind ?? 'text', cell),
        ),
      ),
    ); // `toLines` wrote lists
    counted(lines.length);
  }
}

const readManifest = async (archive: OpenedArchive): Promise<Manifest> => {
  const entry = archive.entries.get(manifestName);
  if (entry === undefined)
    throw new Failure('invalid', 'the file is no export, or its writing was broken off');
  const content = await readText(await entry.open());
  const manifest = whole(manifestName, () => JSON.parse(content) as Manifest); // `exportAll` wrote it
  if (manifest.format !== format)
    throw new Failure(
      'invalid',
      `the file is of form ${String(manifest.format)}, and this release reads form ${format}`,
    );
  return manifest;
};

/** What a file holds, before anything of it is brought anywhere. */
export interface ExportContents {
  readonly at: number;
  readonly withBytes: boolean;
  readonly blobs: number;
  /** The numbers of the changes that its schema was made by, for each owner. */
  readonly changes: ReadonlyMap<string, readonly number[]>;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

/** Reads what a file says of itself. Rejects with `invalid` for what is no export, or one of another format. */
export const readContents = async (archive: OpenedArchive): Promise<ExportContents> => {
  const { at, withBytes, blobs, tables, schema } = await readManifest(archive);
  const changes = new Map<string, number[]>();
  for (const change of schema) {
    const [, owner = '', number = ''] = /^(.*) (\d+)$/s.exec(change) ?? [];
    changes.set(owner, [...(changes.get(owner) ?? []), Number(number)]);
  }
  return {
    at,
    withBytes,
    blobs,
    changes,
    tables: tables.map(({ name, rows }) => ({ name, rows })),
  };
};

/** Refuses a file whose core schema is not the one of this release. */
export const requireCoreSchema = ({ changes }: ExportContents, known: readonly number[]): void => {
  const inFile = changes.get('core') ?? [];
  const [unknown, lacking] = [
    inFile.filter((number) => !known.includes(number)),
    known.filter((number) => !inFile.includes(number)),
  ];
  if (unknown.length > 0)
    throw new Failure(
      'invalid',
      `the file was exported by a newer release (its schema has the changes ${unknown.slice(0, 5).join(', ')}): import it with that release`,
    );
  if (lacking.length > 0)
    throw new Failure(
      'invalid',
      `the file was exported by an older release (its schema lacks the changes ${lacking.slice(0, 5).join(', ')}): import it with that release, and upgrade then`,
    );
};

/**
 * Reads a file to its end: each row, each blob and every count. Rejects with `invalid`, naming the first part that is damaged, missing or not as
 * the rows say. Answers what it holds.
 */
export const verifyExport = async (
  archive: OpenedArchive,
  progress: Progress,
): Promise<Carried> => {
  const manifest = await readManifest(archive);
  const sizes = new Map<string, number | undefined>();
  let rows = 0;
  for (const table of manifest.tables) {
    const entry = archive.entries.get(rowsName(table.name));
    if (entry === undefined)
      throw new Failure('invalid', `the file lacks the rows of ${table.name}`);
    const [keyAt, sizeAt] = ['blob_key', 'file_size'].map((column) =>
      table.columns.findIndex(({ name }) => name === column),
    );
    let done = 0;
    for await (const page of toRows(table, await entry.open(), (some) => {
      done += some;
      progress(table.name, done, table.rows);
    }))
      for (const row of page) {
        if (row.length !== table.columns.length)
          throw new Failure('invalid', `${rowsName(table.name)} in the file is damaged`);
        const [key, size] = [row[keyAt ?? -1], row[sizeAt ?? -1]];
        if (typeof key === 'string')
          sizes.set(key, typeof size === 'number' ? size : sizes.get(key));
      }
    if (done !== table.rows)
      throw new Failure(
        'invalid',
        `the file holds ${done} rows of ${table.name} and should hold ${table.rows}`,
      );
    rows += done;
  }
  const blobs = await verifyBytes(archive, manifest, sizes, progress);
  return { rows, blobs, missing: manifest.missing };
};

const verifyBytes = async (
  archive: OpenedArchive,
  manifest: Manifest,
  sizes: ReadonlyMap<string, number | undefined>,
  progress: Progress,
): Promise<number> => {
  if (manifest.withBytes) {
    const known = new Set(manifest.missing);
    for (const key of sizes.keys())
      if (!known.has(key) && !archive.entries.has(bytesFolder + key))
        throw new Failure('invalid', `the file lacks the bytes ${key}, which its rows name`);
  }
  let blobs = 0;
  for (const [name, entry] of archive.entries) {
    if (!name.startsWith(bytesFolder)) continue;
    let bytes = 0;
    for await (const piece of await entry.open()) bytes += piece.length;
    const expected = sizes.get(name.slice(bytesFolder.length));
    if (expected !== undefined && expected !== bytes)
      throw new Failure(
        'invalid',
        `${name} in the file has ${bytes} bytes and its row says ${expected}`,
      );
    progress('bytes', ++blobs, manifest.blobs);
  }
  if (blobs !== manifest.blobs)
    throw new Failure('invalid', `the file holds ${blobs} blobs and should hold ${manifest.blobs}`);
  return blobs;
};

export interface ImportNeeds {
  readonly transfer: Transfer;
  readonly blob: Blob;
  readonly archive: OpenedArchive;
  readonly progress: Progress;
}

/**
 * Brings everything of a file into an empty storage that has its tables; tables that hold nothing need not be there. When it fails, the storage and
 * the bucket are left empty again.
 */
export const importAll = async ({
  transfer,
  blob,
  archive,
  progress,
}: ImportNeeds): Promise<Carried> => {
  const manifest = await readManifest(archive);
  if (!(await transfer.isEmpty()))
    throw new Failure(
      'conflict',
      'the storage is not empty: import into a new database, before its first start',
    );
  const put: string[] = [];
  try {
    await transfer.clear();
    for (const [name, entry] of archive.entries) {
      if (!name.startsWith(bytesFolder)) continue;
      const key = name.slice(bytesFolder.length);
      put.push(key);
      await blob.put(key, await entry.open());
      progress('bytes', put.length, manifest.blobs);
    }
    if (put.length !== manifest.blobs)
      throw new Failure(
        'invalid',
        `the file holds ${put.length} blobs and should hold ${manifest.blobs}`,
      );
    let rows = 0;
    const filled = manifest.tables.filter((table) => table.rows > 0);
    for (const table of filled) {
      const entry = archive.entries.get(rowsName(table.name));
      if (entry === undefined)
        throw new Failure('invalid', `the file lacks the rows of ${table.name}`);
      let done = 0;
      const written = await transfer.write(
        table,
        toRows(table, await entry.open(), (some) => {
          done += some;
          progress(table.name, done, table.rows);
        }),
      );
      if (written !== table.rows)
        throw new Failure(
          'invalid',
          `the file holds ${written} rows of ${table.name} and should hold ${table.rows}`,
        );
      rows += written;
    }
    const found = await transfer.read(async (snapshot) =>
      Promise.all(
        filled.map(async ({ name, rows: expected }) => ({
          name,
          expected,
          here: await snapshot.count(name),
        })),
      ),
    );
    const wrong = found.find(({ expected, here }) => expected !== here);
    if (wrong !== undefined)
      throw new Failure(
        'invalid',
        `${wrong.name} holds ${wrong.here} rows and should hold ${wrong.expected}`,
      );
    return { rows, blobs: put.length, missing: manifest.missing };
  } catch (thrown) {
    await transfer.clear();
    await blob.remove(put);
    throw thrown;
  }
};
