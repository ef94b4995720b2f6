// Starts the server and stops it again, in an order that loses nothing.
import cluster from 'node:cluster';
import { createServer, type AddressInfo } from 'node:net';
import { createHttpServer } from '#adapters/http/server';
import { baseUrlOf } from './base-url.js';
import { compose, openAuth, openStorage } from './compose.js';
import { requireAdministrator, requireSchema, type FirstAdministrator } from './first-start.js';
import { startJobs } from './jobs.js';
import type { Loaded } from './load.js';
import type { Log } from '#ports/log';
import { blobDrivers, openBlobs, type DriverNeeds, type OpenedStorage } from './drivers.js';

const stopMs = 25_000;

type Begun = DriverNeeds['begun'];

const say = (line: string) => { process.stdout.write(`${line}\n`); };

const welcome = (baseUrl: string, administrator: FirstAdministrator | undefined): void => {
  say(`Orrery is at ${baseUrl}`);
  if (administrator === undefined) return;
  const { user, workspace, password = 'as set by ORRERY_ADMIN_PASSWORD', apiKey } = administrator;
  say(`\n  user       ${user}\n  password   ${password}\n  API key    ${apiKey ?? 'as set by ORRERY_ADMIN_API_KEY'}\n\nTo log here from Python:\n`);
  say(`  export COMET_URL_OVERRIDE=${baseUrl}/clientlib/\n  export COMET_API_KEY=${apiKey === undefined ? '"$ORRERY_ADMIN_API_KEY"' : `'${apiKey}'`}\n  export COMET_WORKSPACE='${workspace}'\n`);
  if (administrator.password !== undefined || apiKey !== undefined) say('They are not shown again. Sign in and make others at /account.');
};

const onStop = (stop: () => Promise<void>): void => {
  let stopping: Promise<void> | undefined;
  const end = (signal: string) => {
    if (stopping !== undefined) return;
    setTimeout(() => process.exit(1), stopMs + 3000).unref();
    stopping = stop().then(() => process.exit(0), (thrown: unknown) => { process.stderr.write(`stopping after ${signal} failed: ${String(thrown)}\n`); process.exit(1); });
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
  /** Answers what was begun, and ends. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** Whether it starts, and ends, the embedded database, and makes the first administrator. */
  readonly owns: boolean;
  readonly begun?: Begun;
  /** Standard error when left out. */
  readonly log?: Log;
}

/** A server in this process, which listens; signals are nothing to it. Rejects with a `Failure` whose sentence says what keeps it from starting. */
export const serveHere = async (loaded: Loaded, { owns, begun, log: given }: ServeOptions): Promise<Serving> => {
  const { values } = loaded;
  const composed = await compose({ loaded, baseUrl: baseUrlOf(loaded, values.ORRERY_PORT), owns, begun, log: given });
  const { opened, log, readiness } = composed;
  for (const warning of loaded.warnings) log.warn(warning);
  let administrator: FirstAdministrator | undefined;
  try {
    administrator = owns || values.ORRERY_WORKERS === 1 ? await requireAdministrator(opened, composed.auth, values) : undefined;
  } catch (thrown) {
    await opened.storage.close();
    await opened.stop();
    throw thrown;
  }
  const server = createHttpServer(composed.app);
  await new Promise<void>((resolve, reject) => { server.once('error', reject); server.listen(values.ORRERY_PORT, values.ORRERY_HOST, () => { server.off('error', reject); resolve(); }); });
  const jobs = startJobs(composed.jobs, { leases: composed.storage.stores.leases, ids: composed.ids, log });
  const beats = composed.beats.map(({ everyMs, beat }) => { void beat().catch(() => undefined); return setInterval(() => { beat().catch((error: unknown) => { log.debug('a beat failed', { error }); }); }, everyMs).unref(); });
  const stop = async (): Promise<void> => {
    readiness.stopping();
    const closed = new Promise<void>((resolve) => { server.close(() => { resolve(); }); });
    server.closeIdleConnections();
    const idle = setInterval(() => { server.closeIdleConnections(); }, 100);
    const late = setTimeout(() => { server.closeAllConnections(); }, stopMs - 10_000);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    for (const beat of beats) clearInterval(beat);
    await jobs.stop();
    await composed.stopPlugins();
    await opened.storage.close();
    await opened.stop();
  };
  return { url: baseUrlOf(loaded, (server.address() as AddressInfo).port), administrator, stop }; // a TCP server's address has this form
};

/** The supervisor of several serving processes: it owns the embedded database, and losing it ends them. */
const superviseWorkers = async (loaded: Loaded, begun: Begun): Promise<void> => {
  const { values } = loaded;
  const opened: OpenedStorage = await openStorage(loaded, true, begun);
  try {
    await requireSchema(opened, values);
    // A bucket that cannot be used stops the start here, once; a driver of a plugin is known to the workers only.
    if (Object.hasOwn(blobDrivers, values.ORRERY_BLOB)) await openBlobs(values);
  } catch (thrown) {
    await opened.storage.close();
    await opened.stop();
    throw thrown;
  }
  const baseUrl = baseUrlOf(loaded, values.ORRERY_PORT);
  const administrator = await requireAdministrator(opened, openAuth(opened.storage, values, baseUrl), values);
  let ending = false;
  for (let i = 0; i < values.ORRERY_WORKERS; i++) cluster.fork({ ORRERY_PORT: String(values.ORRERY_PORT) });
  cluster.on('exit', () => { if (!ending) setTimeout(() => { if (!ending) cluster.fork({ ORRERY_PORT: String(values.ORRERY_PORT) }); }, 1000); });
  await new Promise<void>((resolve) => { cluster.once('listening', () => { resolve(); }); });
  welcome(baseUrl, administrator);
  onStop(async () => {
    ending = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => new Promise<void>((resolve) => { worker.once('exit', () => { resolve(); }); worker.process.kill('SIGTERM'); })));
    await opened.storage.close();
    await opened.stop();
  });
};

/** A port that is free now. Links, keys and the issuer name it before anybody listens there. */
const freePort = (host: string): Promise<number> => new Promise((resolve, reject) => {
  const probe = createServer();
  probe.once('error', reject);
  probe.listen(0, host, () => { const { port } = probe.address() as AddressInfo; probe.close(() => { resolve(port); }); }); // a TCP server's address has this form
});

/** Runs until a signal, over the embedded database that was begun, if any. Rejects with a `Failure` whose sentence says what keeps it from starting. */
export const serve = async (given: Loaded, begun: Begun): Promise<void> => {
  const loaded = given.values.ORRERY_PORT === 0 ? { ...given, values: { ...given.values, ORRERY_PORT: await freePort(given.values.ORRERY_HOST) } } : given;
  if (loaded.values.ORRERY_WORKERS > 1 && cluster.isPrimary) { await superviseWorkers(loaded, begun); return; }
  if (cluster.isWorker) process.on('disconnect', () => process.exit(1));
  const { url, administrator, stop } = await serveHere(loaded, { owns: !cluster.isWorker, begun });
  if (!cluster.isWorker) welcome(url, administrator);
  onStop(stop);
};
