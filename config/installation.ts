// What commands and operations ask of the installation as a whole.
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { auditBlobs } from '#core/upkeep/audit';
import type { BlobStore } from '#ports/blob-store';
import type { Clock } from '#ports/clock';
import type { Installation, SchemaChange } from '#ports/installation';
import { check } from './check.js';
import { probeFolder } from './data-folder.js';
import type { Drivers, OpenedStorage } from './drivers.js';
import { exportThrough } from './exporting.js';
import type { Loaded } from './load.js';

const findingsAtMost = 1000;

/** Changes of the product's schema and of every plugin's, by owner and number. */
export const readSchema = async ({
  storage,
}: Pick<OpenedStorage, 'storage'>): Promise<readonly SchemaChange[]> => {
  const changes: SchemaChange[] = [];
  for (const owner of new Set(['core', ...(await storage.migrations.owners())])) {
    const status = await storage.migrations.status(owner, owner === 'core' ? undefined : []);
    changes.push(
      ...status.map(({ number, name, at, known }) => ({
        owner,
        number,
        name,
        at,
        known: known || owner !== 'core',
      })),
    ); // what a plugin knows is its own matter
  }
  return changes;
};

export const installationOf = (
  loaded: Loaded,
  opened: OpenedStorage,
  store: BlobStore,
  drivers: Drivers,
  clock: Clock,
): Installation => ({
  schema: () => readSchema(opened),
  check: () =>
    check(loaded, {
      withStorage: (_, work) => work(opened),
      isWritable: () => probeFolder(loaded.values),
      openBlobs: () => drivers.openBlobs(),
      requireWays: () => {
        drivers.requireWays();
      },
    }),
  async auditBlobs(fix) {
    const findings: string[] = [];
    const counts = await auditBlobs(
      { stores: opened.storage.stores, store, clock },
      fix,
      ({ what }) => {
        if (findings.length < findingsAtMost) findings.push(what);
      },
    );
    return { ...counts, findings };
  },
  async *exportAll(withBytes) {
    const sent = new PassThrough();
    const done = exportThrough(
      { opened, blob: store.blob },
      {
        withBytes,
        progress: () => undefined,
        write: (archive) => pipeline(Readable.from(archive, { objectMode: false }), sent),
      },
    ).catch((thrown: unknown) => {
      sent.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
    try {
      yield* sent;
    } finally {
      sent.destroy();
      await done;
    }
  },
});
