// The commands `orrery export` and `orrery import`.
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { systemZip } from '#adapters/system/zip';
import { importAll, type Carried, type Progress } from '#core/transfer/transfer';
import type { Blob } from '#ports/blob';
import { Failure } from '#ports/failure';
import { migratePlugin } from './compose.js';
import type { OpenedStorage } from './drivers.js';
import { exportThrough } from './exporting.js';
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

export interface TransferNeeds {
  readonly opened: Pick<OpenedStorage, 'storage'>;
  /** Those whose tables an import makes first. */
  readonly plugins: readonly ImportedPlugin[];
  readonly blob: Blob;
  /** Told of progress, a line at a time. */
  readonly tell: (line: string) => void;
}

const fileOf = (positionals: readonly string[], command: string): string => {
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Failure('invalid', `${command} takes the name of a file`);
  return file;
};

const sum = (did: string, { rows, blobs, missing }: Carried): string =>
  `${rows} rows and ${blobs} files ${did}${missing.length === 0 ? '' : `; ${missing.length} files that rows name were not in the bucket: ${missing.slice(0, 3).join(', ')}`}`;

/** Writes everything into a new file, beside a running server too. Answers what to say of it. */
export const exportTo = async (words: readonly string[], { opened, blob, tell }: TransferNeeds): Promise<string> => {
  const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options: { 'without-bytes': { type: 'boolean', default: false } } });
  const file = fileOf(positionals, 'export');
  if (await access(file).then(() => true, () => false)) throw new Failure('conflict', `there is a file ${file} already`);
  const part = `${file}.part`;
  try {
    const carried = await exportThrough({ opened, blob }, { withBytes: !values['without-bytes'], progress: showProgress(tell), write: (archive) => pipeline(Readable.from(archive, { objectMode: false }), createWriteStream(part, { flush: true })) });
    await rename(part, file);
    return sum('exported', carried);
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
};

/** Brings the schema of an empty storage up to date and everything of a file into it. Answers what to say of it. */
export const importFrom = async (words: readonly string[], { opened, plugins, blob, tell }: TransferNeeds): Promise<string> => {
  const { storage } = opened;
  const archive = await systemZip.openFile(fileOf(parseArgs({ args: [...words], allowPositionals: true }).positionals, 'import'));
  try {
    await storage.migrations.up();
    for (const plugin of plugins) await migratePlugin(opened, plugin);
    return sum('imported', await importAll({ transfer: storage.transfer, blob, archive, progress: showProgress(tell) }));
  } finally {
    await archive.close();
  }
};
