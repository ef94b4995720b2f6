// The commands `orrery export` and `orrery import`.
import { createWriteStream } from 'node:fs';
import { access, rename, rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemZip } from '#adapters/system/zip';
import { pluginChanges } from '#adapters/storage/sql/plugin-tables';
import {
  importAll,
  readContents,
  requireCoreSchema,
  verifyExport,
  type Carried,
  type ExportContents,
  type Progress,
} from '#core/transfer/transfer';
import type { Blob } from '#ports/blob';
import type { ByteStream } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { OpenedStorage } from './drivers.js';
import { exportThrough } from './exporting.js';
import { withFile } from './file-faults.js';
import type { ImportedPlugin } from './plugins.js';

const everyMs = 1000;

/** Tells how far something has come, at most once a second and at the end of each part. */
export const showProgress = (say: (line: string) => void): Progress => {
  let toldAt = 0;
  return (what, done, of) => {
    if (done < of && performance.now() - toldAt < everyMs) return;
    toldAt = performance.now();
    if (of > 0) say(`${what}: ${done} of ${of}`);
  };
};

/** What was carried, and a sentence that says so. */
export interface Transferred extends Carried {
  readonly sentence: string;
}

export interface TransferNeeds {
  readonly opened: Pick<OpenedStorage, 'storage'>;
  /** Those that are installed, whether switched on or not: an import makes the tables that the file holds rows of. */
  readonly plugins: readonly ImportedPlugin[];
  readonly blob: Blob;
  /** Told of progress, a line at a time. */
  readonly tell: (line: string) => void;
}

const describe = (did: string, { rows, blobs, missing }: Carried): string =>
  `${rows} rows and ${blobs} files ${did}${missing.length === 0 ? '' : `; ${missing.length} files that rows name were not in the bucket: ${missing.slice(0, 3).join(', ')}`}`;

/** Writes everything into a new file, beside a running server too. */
export const exportTo = async (
  file: string,
  { withBytes }: { readonly withBytes: boolean },
  { opened, blob, tell }: Omit<TransferNeeds, 'plugins'>,
): Promise<Transferred> => {
  if (
    await access(file).then(
      () => true,
      () => false,
    )
  )
    throw new Failure('conflict', `there is a file ${file} already`);
  const part = `${file}.part`;
  try {
    await withFile('written', file, () => writeFile(part, '')); // before anything is read, so that no fault of reading stands in front of it
    const write = (archive: ByteStream): Promise<void> =>
      pipeline(
        Readable.from(archive, { objectMode: false }),
        createWriteStream(part, { flush: true }),
      );
    const carried = await withFile('written', file, async () => {
      const done = await exportThrough(
        { opened, blob },
        { withBytes, progress: showProgress(tell), write },
      );
      await rename(part, file);
      return done;
    });
    return { ...carried, sentence: describe('exported', carried) };
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
};

/** Reads an exported file to its end and rejects with `invalid`, naming what is wrong with it; touches no storage. */
export const verifyFile = async (
  file: string,
  tell: TransferNeeds['tell'],
): Promise<Transferred> => {
  const archive = await systemZip.openFile(file);
  try {
    const carried = await verifyExport(archive, showProgress(tell));
    return { ...carried, sentence: describe('read and found whole', carried) };
  } finally {
    await archive.close();
  }
};

/** The tables that a file holds rows of are of this release and of plugins that are installed, or it is refused. */
const requireFit = async (
  { opened: { storage }, plugins }: TransferNeeds,
  contents: ExportContents,
): Promise<readonly ImportedPlugin[]> => {
  requireCoreSchema(
    contents,
    (await storage.migrations.status()).filter(({ known }) => known).map(({ number }) => number),
  );
  const used = new Set<ImportedPlugin>();
  for (const [owner, numbers] of contents.changes) {
    if (owner === 'core') continue;
    const rows = contents.tables
      .filter(({ name }) => name.startsWith(storage.migrations.prefixOf(owner)))
      .reduce((sum, table) => sum + table.rows, 0);
    if (rows === 0) continue;
    const found = plugins.find(({ plugin }) => plugin.name === owner);
    if (found === undefined)
      throw new Failure(
        'invalid',
        `the file holds ${rows} rows of the plugin ${owner}, which is not listed here: install and list it, and import again`,
      );
    if (numbers.some((number) => number > (found.plugin.tables ?? []).length))
      throw new Failure(
        'invalid',
        `the file holds rows of a newer version of the plugin ${owner}: install that one, and import again`,
      );
    used.add(found);
  }
  return [...used];
};

/**
 * Brings everything of a file into an empty storage, whose schema it makes. A file or a storage that does not fit is refused before anything is
 * changed.
 */
export const importFrom = async (file: string, needs: TransferNeeds): Promise<Transferred> => {
  const { opened, blob, tell } = needs;
  const { storage } = opened;
  const archive = await systemZip.openFile(file);
  try {
    const contents = await readContents(archive);
    if (!(await storage.transfer.isEmpty()))
      throw new Failure(
        'conflict',
        'the storage is not empty: import into a new database, before its first start',
      );
    const plugins = await requireFit(needs, contents);
    await storage.migrations.up();
    for (const plugin of plugins)
      await storage.migrations.up(
        plugin.plugin.name,
        pluginChanges(plugin.plugin.name, plugin.plugin.tables ?? []),
      );
    const carried = await importAll({
      transfer: storage.transfer,
      blob,
      archive,
      progress: showProgress(tell),
    });
    return { ...carried, sentence: describe('imported', carried) };
  } finally {
    await archive.close();
  }
};
