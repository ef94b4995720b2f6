// What `orrery check` looks at: one line each.
import { randomUUID } from 'node:crypto';
import { compiles } from '#adapters/http/input';
import { openPythonMetrics } from '#adapters/metric-runner/python/python-metrics';
import { areas } from '#core/areas';
import type { BlobStore } from '#ports/blob-store';
import type { Opened } from '#ports/drivers';
import { isFailure } from '#ports/failure';
import { serviceArea, swaggerArea, versionArea } from '#adapters/http/service';
import type { OpenedStorage } from './drivers.js';
import type { Loaded } from './load.js';
import { schemasOf } from './schemas.js';

export interface CheckResult {
  readonly what: string;
  /** What works but is likely not meant. */
  readonly warning?: string;
  /** What is wrong, in one sentence; absent when nothing is. */
  readonly fault?: string;
}

export interface CheckTools {
  withStorage<T>(loaded: Loaded, work: (opened: OpenedStorage) => Promise<T>): Promise<T>;
  isWritable(): Promise<void>;
  openBlobs(): Promise<Opened<BlobStore>>;
  /** Rejects where a way of signing in is named that nobody brings. */
  requireWays(): void;
}

const tell = (thrown: unknown): string =>
  isFailure(thrown) || thrown instanceof Error ? thrown.message : String(thrown);

const look = async (
  what: string,
  work: () => Promise<string | undefined>,
): Promise<CheckResult> => {
  try {
    const fault = await work();
    return fault === undefined ? { what } : { what, fault };
  } catch (thrown) {
    return { what, fault: tell(thrown) };
  }
};

/** Compiles every row's schemas; they are otherwise compiled on first use. */
export const compileAll = (): void => {
  for (const area of [...areas, versionArea, serviceArea, swaggerArea])
    for (const schema of schemasOf(area.table)) compiles(schema);
};

/** Everything about the database over one connection to it. */
const lookAtStorage = async (
  loaded: Loaded,
  withStorage: CheckTools['withStorage'],
): Promise<readonly CheckResult[]> => {
  const looked = await withStorage(loaded, async ({ storage }) => {
    const reached = await look('the database can be reached', async () => {
      await storage.check();
      return undefined;
    });
    const current = await look('the schema is current', async () => {
      const status = await storage.migrations.status();
      const [waiting, unknown] = [
        status.filter((change) => change.at === undefined).length,
        status.filter((change) => !change.known).length,
      ];
      return unknown > 0
        ? `${unknown} changes were made by a newer release`
        : waiting > 0
          ? `${waiting} ${waiting === 1 ? 'change waits' : 'changes wait'} for "orrery migrate up"`
          : undefined;
    });
    if (reached.fault !== undefined || current.fault !== undefined) return [reached, current];
    return [
      reached,
      current,
      await look('metric chunks add up', async () => {
        const wrong = await storage.countBrokenSeries();
        return wrong === 0
          ? undefined
          : `${wrong} series hold another number of points than their chunks`;
      }),
      await look('projects know how many experiments they hold', async () => {
        const wrong = await storage.countBrokenFigures();
        return wrong === 0
          ? undefined
          : `${wrong} ${wrong === 1 ? 'project counts' : 'projects count'} another number of experiments than there are`;
      }),
    ];
  }).catch((thrown: unknown) => [{ what: 'the database can be reached', fault: tell(thrown) }]);
  return looked;
};

async function* probe(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('orrery check');
}

const readBack = async (stream: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const bytes of stream) text += Buffer.from(bytes).toString();
  return text;
};

/** Writes, reads, lists and removes a blob of its own, so that a missing permission shows; and follows a link where they are signed. */
const lookAtBlobs = async (openBlobs: CheckTools['openBlobs']): Promise<readonly CheckResult[]> => {
  let place: Opened<BlobStore> | undefined;
  const opened = await look('the place of blobs can be reached and listed', async () => {
    place = await openBlobs();
    await place.made.blob.list({ prefix: '', limit: 1 });
    return undefined;
  });
  if (place === undefined) return [opened];
  try {
    return [opened, ...(await lookInto(place.made))];
  } finally {
    await place.stop();
  }
};

const lookInto = async ({ blob, links }: BlobStore): Promise<readonly CheckResult[]> => {
  const key = `orrery-check/${randomUUID()}`;
  const written = await look('blobs can be written', async () => {
    await blob.put(key, probe());
    return undefined;
  });
  if (written.fault !== undefined) return [written];
  const read = await look('blobs can be read', async () =>
    (await readBack((await blob.open(key)).stream)) === 'orrery check'
      ? undefined
      : 'other bytes came back than were written',
  );
  const linked =
    links === undefined
      ? []
      : [
          await look('a signed link opens', async () => {
            const reply = await fetch(await links.signGet(key, { seconds: 60 }), {
              signal: AbortSignal.timeout(30_000),
            });
            return (await reply.text()) === 'orrery check'
              ? undefined
              : `it is answered with ${reply.status}`;
          }),
        ];
  return [
    written,
    read,
    ...linked,
    await look('blobs can be removed', async () => {
      await blob.remove([key]);
      return undefined;
    }),
  ];
};

/** Runs a metric with the interpreter that is named, as a start does. */
const lookAtMetrics = async (python: string): Promise<readonly CheckResult[]> =>
  python === ''
    ? []
    : [
        await look('metrics in Python can be run', async () => {
          const { stop } = await openPythonMetrics(python);
          await stop();
          return undefined;
        }),
      ];

/** Looks at everything and answers one result each, faults and all; without its data folder nothing else is looked at. */
export const check = async (
  loaded: Loaded,
  { withStorage, isWritable, openBlobs, requireWays }: CheckTools,
): Promise<readonly CheckResult[]> => {
  const folder = await look('the data folder can be written', async () => {
    await isWritable();
    return undefined;
  });
  if (folder.fault !== undefined) return [folder];
  const { ORRERY_BLOB: blob, ORRERY_STORAGE: storage, ORRERY_SEAL_KEY: sealKey } = loaded.values;
  return [
    folder,
    ...(await lookAtStorage(loaded, withStorage)),
    ...(await lookAtBlobs(openBlobs)),
    await look('the ways of signing in are known', () => {
      requireWays();
      return Promise.resolve(undefined);
    }),
    ...(await lookAtMetrics(loaded.values.ORRERY_PYTHON_METRICS)),
    ...(blob === 'filesystem' && storage !== 'embedded'
      ? [
          {
            what: 'the bucket',
            warning: 'a folder of blobs behind a shared database serves one machine only',
          },
        ]
      : []),
    ...(sealKey === '' && storage !== 'embedded'
      ? [
          {
            what: 'the key of sealed secrets',
            warning:
              'it lies in the data folder of one machine; others need the same by ORRERY_SEAL_KEY',
          },
        ]
      : []),
    await look('the validators compile', async () => {
      compileAll();
      return undefined;
    }),
  ];
};
