// Starts the server and stops it again, in an order that loses nothing.
import cluster from 'node:cluster';
import type { Server } from 'node:net';
import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { systemLog } from '#adapters/system/log';
import { createHttpServer } from '#adapters/http/server';
import { gatherFigures, tellFigures } from '#adapters/system/gathered-meters';
import { baseUrlOf } from './base-url.js';
import { compose } from './compose.js';
import { openAuth, openDrivers, openStorage } from './opening.js';
import { noteAddress } from './data-folder.js';
import {
  findUnused,
  requireAdministrator,
  requireSchema,
  type FirstAdministrator,
} from './first-start.js';
import { requireStorage } from './storage-faults.js';
import { Failure } from '#ports/failure';
import type { SettingValues } from './settings.js';
import { startJobs } from './jobs.js';
import type { Loaded } from './load.js';
import type { Clock } from '#ports/clock';
import type { Log } from '#ports/log';
import { ownDriverNames, type OpenedStorage } from './drivers.js';
import type { Begun } from './own-drivers.js';

const stopMs = 25_000;
/** How long a worker that ended by itself stays away, so that one that cannot start does not spin. */
const restartMs = 1000;

const say = (line: string) => {
  process.stdout.write(`${line}\n`);
};

/** What a start tells whoever started it. */
const welcome = (
  {
    url,
    administrator,
    unused,
    data,
  }: Pick<Serving, 'url' | 'administrator' | 'unused'> & { readonly data: string },
  json: boolean,
): void => {
  if (json) {
    say(JSON.stringify({ url, data, ...(administrator === undefined ? {} : { administrator }) }));
    return;
  }
  // In one piece: whoever waits for the first line finds the rest with it.
  say(
    [
      `Orrery is at ${url}`,
      ...(administrator === undefined
        ? unused === undefined
          ? []
          : [
              `\nNobody has used the account ${unused} yet. If its secrets were lost, "npx orrery user reset ${unused}" makes new ones.`,
            ]
        : administratorLines({ url, administrator, data })),
    ].join('\n'),
  );
};

const administratorLines = ({
  url,
  administrator,
  data,
}: {
  readonly url: string;
  readonly administrator: FirstAdministrator;
  readonly data: string;
}): readonly string[] => {
  const { user, workspace, password = 'as set by ORRERY_ADMIN_PASSWORD', apiKey } = administrator;
  return [
    `\n  user       ${user}\n  password   ${password}\n  API key    ${apiKey ?? 'as set by ORRERY_ADMIN_API_KEY'}\n  data       ${data}\n\nTo log here from Python:\n`,
    `  export COMET_URL_OVERRIDE=${url}/clientlib/\n  export COMET_API_KEY=${apiKey === undefined ? '"$ORRERY_ADMIN_API_KEY"' : `'${apiKey}'`}\n  export COMET_WORKSPACE='${workspace}'\n`,
    ...(administrator.password !== undefined || apiKey !== undefined
      ? ['They are not shown again. Sign in and make others at /account.']
      : []),
  ];
};

const onStop = (stop: () => Promise<void>): void => {
  let stopping: Promise<void> | undefined;
  const end = (signal: string) => {
    if (stopping !== undefined) return;
    setTimeout(() => process.exit(1), stopMs + 3000).unref();
    stopping = stop().then(
      () => process.exit(0),
      (thrown: unknown) => {
        process.stderr.write(`stopping after ${signal} failed: ${String(thrown)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
};

/** A server of this process. */
export interface Serving {
  /** The address it is reached at. */
  readonly url: string;
  /** The administrator, where this start made one. */
  readonly administrator: FirstAdministrator | undefined;
  /** The name of the only account, where an earlier start made it and nobody has used it since. */
  readonly unused: string | undefined;
  /** Answers what was begun, and ends. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** Whether it starts, and ends, the embedded database, and makes the first administrator. */
  readonly owns: boolean;
  readonly begun?: Begun;
  /** Standard error when left out. */
  readonly log?: Log;
  /** That of the system when left out. */
  readonly clock?: Clock | undefined;
}

const listenFaults: Readonly<Record<string, (values: SettingValues) => string>> = {
  EADDRINUSE: ({ ORRERY_PORT: port }) =>
    `ORRERY_PORT is ${port}, where another program listens already`,
  EACCES: ({ ORRERY_PORT: port }) => `ORRERY_PORT is ${port}, where this user may not listen`,
  EADDRNOTAVAIL: ({ ORRERY_HOST: host }) =>
    `ORRERY_HOST is ${host}, which is no address of this machine`,
  ENOTFOUND: ({ ORRERY_HOST: host }) => `ORRERY_HOST is ${host}, which is not known here`,
};

/** Listens where the settings say. Rejects with a `Failure` that names the setting when that cannot be. */
const listen = (server: Server, values: SettingValues): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (fault: NodeJS.ErrnoException): void => {
      const says = listenFaults[fault.code ?? ''];
      reject(says === undefined ? fault : new Failure('conflict', says(values), { cause: fault }));
    };
    server.once('error', fail);
    server.listen(values.ORRERY_PORT, values.ORRERY_HOST, () => {
      server.off('error', fail);
      resolve();
    });
  });

/** A server in this process, which listens; signals are nothing to it. Rejects with a `Failure` whose sentence says what keeps it from starting. */
export const serveHere = async (
  loaded: Loaded,
  { owns, begun, log: given, clock }: ServeOptions,
): Promise<Serving> => {
  const { values } = loaded;
  const composed = await compose({
    loaded,
    baseUrl: baseUrlOf(loaded, values.ORRERY_PORT),
    owns,
    begun,
    log: given,
    clock,
  });
  const { opened, log, readiness } = composed;
  for (const warning of loaded.warnings) log.warn(warning);
  const server = createHttpServer(composed.app, {
    graceMs: 20_000,
    bytesPerSecond: values.ORRERY_LEAST_BODY_BYTES_PER_SECOND,
    lookEveryMs: 2000,
  });
  let administrator: FirstAdministrator | undefined;
  let unused: string | undefined;
  try {
    await listen(server, values); // before secrets are made that a start which fails here would never show
    if (owns || values.ORRERY_WORKERS === 1) {
      administrator = await requireAdministrator(opened, composed.auth, values);
      if (administrator === undefined) unused = await findUnused(opened);
    }
  } catch (thrown) {
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await composed.stop();
    await opened.storage.close();
    await opened.stop();
    throw thrown;
  }
  readiness.started();
  const jobs = startJobs(composed.jobs, {
    leases: composed.storage.stores.leases,
    ids: composed.ids,
    log,
  });
  const beats = composed.beats.map(({ everyMs, beat }) => {
    void beat().catch(() => undefined);
    return setInterval(() => {
      beat().catch((error: unknown) => {
        log.debug('a beat failed', { error });
      });
    }, everyMs).unref();
  });
  const stop = async (): Promise<void> => {
    readiness.stopping();
    composed.endListening();
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    server.closeIdleConnections();
    const idle = setInterval(() => {
      server.closeIdleConnections();
    }, 100);
    const late = setTimeout(() => {
      server.closeAllConnections();
    }, stopMs - 10_000);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    for (const beat of beats) clearInterval(beat);
    await jobs.stop();
    await composed.leaveProcesses().catch(() => undefined); // it expires by itself
    await composed.stop();
    await opened.storage.close();
    await opened.stop();
  };
  const url = baseUrlOf(loaded, (server.address() as AddressInfo).port); // a TCP server's address has this form
  await noteAddress(values, url);
  return { url, administrator, unused, stop };
};

/** Does something while the port that the workers will take is held, so that it is known to be free. Rejects as `listen` does. */
const withPort = async <T>(values: SettingValues, work: () => Promise<T>): Promise<T> => {
  const holder = createServer((socket) => {
    socket.destroy();
  });
  await listen(holder, values);
  try {
    return await work();
  } finally {
    await new Promise((resolve) => {
      holder.close(resolve);
    });
  }
};

/** Starts the workers again that end by themselves; resolves when the first one serves, rejects when one ends before. */
const keepWorkers = (count: number, log: Log, isEnding: () => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    let serves = false;
    cluster.once('listening', () => {
      serves = true;
      resolve();
    });
    cluster.on('exit', (worker, code, signal) => {
      if (isEnding()) return;
      log.error('a serving process ended and is started again', {
        pid: worker.process.pid,
        code,
        signal,
      });
      if (!serves) {
        reject(
          new Failure('unavailable', 'a worker ended before it served; its own words stand above'),
        );
        return;
      }
      setTimeout(() => {
        if (!isEnding()) cluster.fork();
      }, restartMs);
    });
    for (let i = 0; i < count; i++) cluster.fork();
  });

const endWorkers = async (): Promise<void> => {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve) => {
          worker.once('exit', () => {
            resolve();
          });
          worker.process.kill('SIGTERM');
        }),
    ),
  );
};

/** The supervisor of several serving processes: it owns the embedded database, and losing it ends them. */
const superviseWorkers = async (loaded: Loaded, begun: Begun, json: boolean): Promise<void> => {
  const { values } = loaded;
  const opened: OpenedStorage = await openStorage(loaded, true, begun);
  const baseUrl = baseUrlOf(loaded, values.ORRERY_PORT);
  let ending = false;
  const stop = async (): Promise<void> => {
    ending = true;
    await endWorkers();
    await opened.storage.close();
    await opened.stop();
  };
  try {
    // No worker answers before there is an administrator, and none is made for a start that cannot listen and would never show its secrets.
    const administrator = await withPort(values, async () => {
      await requireStorage(opened, values);
      await requireSchema(opened, values);
      // A bucket that cannot be used stops the start here, once; a driver of a plugin is known to the workers only.
      if (ownDriverNames('blob').includes(values.ORRERY_BLOB))
        await openDrivers(loaded, []).openBlobs();
      return requireAdministrator(opened, openAuth(opened.storage, values, baseUrl), values);
    });
    const unused = administrator === undefined ? await findUnused(opened) : undefined;
    process.env['ORRERY_PORT'] = String(values.ORRERY_PORT); // workers read the settings again, and a free port was chosen here
    gatherFigures();
    const data = resolve(values.ORRERY_DATA);
    await keepWorkers(
      values.ORRERY_WORKERS,
      systemLog(values.ORRERY_LOG_LEVEL),
      () => ending,
    ).catch((thrown: unknown) => {
      if (administrator !== undefined && !json)
        say(administratorLines({ url: baseUrl, administrator, data }).join('\n')); // what was made is shown once, also when no worker can serve
      throw thrown;
    });
    welcome({ url: baseUrl, administrator, unused, data }, json);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  onStop(stop);
};

/** A port that is free now. Links, keys and the issuer name it before anybody listens there. */
const freePort = (host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(port);
      });
    }); // a TCP server's address has this form
  });

/** Runs until a signal, over the embedded database that was begun, if any. Rejects with a `Failure` whose sentence says what keeps it from starting. */
export const serve = async (
  given: Loaded,
  begun: Begun,
  { json = false }: { readonly json?: boolean } = {},
): Promise<void> => {
  const loaded =
    given.values.ORRERY_PORT === 0
      ? {
          ...given,
          values: { ...given.values, ORRERY_PORT: await freePort(given.values.ORRERY_HOST) },
        }
      : given;
  if (loaded.values.ORRERY_WORKERS > 1 && cluster.isPrimary) {
    await superviseWorkers(loaded, begun, json);
    return;
  }
  if (cluster.isWorker) process.on('disconnect', () => process.exit(1));
  tellFigures();
  const serving = await serveHere(loaded, { owns: !cluster.isWorker, begun });
  if (!cluster.isWorker) welcome({ ...serving, data: resolve(loaded.values.ORRERY_DATA) }, json);
  onStop(serving.stop);
};
