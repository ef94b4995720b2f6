import { rm } from 'node:fs/promises';
import { Failure } from '#ports/failure';
import type { Log } from '#ports/log';
import { findPrograms } from './binaries.js';
import { prepareCluster, readPassword, user } from './cluster.js';
import { chooseIdentity, type Identity } from './identity.js';
import { takeLock, type FolderLock } from './lock.js';
import { openRunner } from './runner.js';
import { readPidFile } from './pid-file.js';
import { locate, makeFolder, makeSocketFolder, port, type Places } from './places.js';
import type { Launch } from './postmaster.js';
import { isAnswering, requireDatabase, type Connection } from './session.js';
import { dropBallast, measureRoom, neededToStart } from './space.js';
import { bringUp, findRunning, type Connect } from './start.js';
import { supervise } from './supervise.js';

/** A database server of this process's own. */
export interface EmbeddedPostgres {
  /** How a client of the `pg` library connects; the host is the folder of a unix socket. It stays the same over restarts. */
  readonly connection: Connection;
  /** Whether this call started the server; `false` when it found one running. */
  readonly started: boolean;
  /** `running`, `restarting`, `disk full` (refuse writes; reads may work) or `stopped`. */
  state(): string;
  /** Ends the server cleanly within seconds, if this process serves it; the last thing to do, and repeatable. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Everything of the database lies here. */
  readonly folder: string;
  readonly log: Log;
  /** Connect to the server that runs, and neither start nor own one. */
  readonly attachOnly?: boolean;
  /** A folder with a system's own `postgres` and `initdb`, of the cluster's major version. */
  readonly binDir?: string;
}

const database = 'orrery';

/**
 * A running Postgres on a folder, made on the first call. A server left behind by a killed process is taken over.
 * Rejects with `conflict` when another process serves the folder or it belongs to another major version, `unavailable` when the disk
 * is too full, the server does not come up, or `attachOnly` finds none, `forbidden` when the folder belongs to somebody else.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  if (process.platform === 'win32')
    throw new Failure(
      'unsupported',
      'the embedded database runs on Linux and macOS: use a database server',
    );
  const places = locate(options.folder);
  if (options.attachOnly === true) return attach(places);
  const identity = await chooseIdentity(places.cluster);
  await makeFolder(places, identity);
  const lock = await takeLock(places.lock, {
    onWait: (holder, ms) => {
      options.log.warn(
        'the data folder was last used elsewhere: waiting whether that server still lives',
        { holder, seconds: Math.ceil(ms / 1000) },
      );
    },
  });
  try {
    return await startOwned(places, identity, options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
};

const startOwned = async (
  places: Places,
  identity: Identity | undefined,
  { log, binDir }: EmbeddedOptions,
  lock: FolderLock,
): Promise<EmbeddedPostgres> => {
  const runner = await openRunner(places, identity);
  try {
    const programs = await findPrograms({ places, binDir, runner });
    await prepareCluster(places, programs, runner);
    const server = await serve({ places, programs, runner, log });
    const stop = async () => {
      await server.stop();
      await runner.close();
      await lock.release();
    };
    let stopped: Promise<void> | undefined;
    const stopOnce = () => (stopped ??= stop());
    void lock.lost.then(() => {
      log.error('another process has taken over the data folder: the database of this one ends', {
        folder: places.folder,
      });
      return stopOnce();
    });
    return { ...server, stop: stopOnce };
  } catch (error) {
    await runner.close();
    throw error;
  }
};

const serve = async (prepared: Omit<Launch, 'sockets'>): Promise<EmbeddedPostgres> => {
  const { places, log } = prepared;
  const connect = await readConnect(places);
  const running = await findRunning(places.cluster, connect);
  const launch: Launch = {
    ...prepared,
    sockets: running?.sockets ?? (await makeSocketFolder(places, prepared.runner)),
  };
  if ((await measureRoom(places.folder)).free < neededToStart) await dropBallast(places);
  const postmaster = running ?? (await bringUp(launch, connect, new AbortController().signal));
  log.info(postmaster.adopted ? 'took over a running database server' : 'database server is up', {
    pid: postmaster.pid,
  });
  const connection = connect(postmaster.sockets);
  await requireDatabase(connection).catch(async (error: unknown) => {
    await postmaster.stop();
    throw error;
  });
  const supervision = supervise(launch, connect, postmaster);
  const stop = async () => {
    await supervision.stop();
    await rm(launch.sockets, { recursive: true, force: true });
  };
  return { connection, started: !postmaster.adopted, state: () => supervision.state(), stop };
};

const readConnect = async (places: Places): Promise<Connect> => {
  const password = await readPassword(places);
  if (password === undefined)
    throw new Failure(
      'absent',
      `${places.password}, the password of the database in ${places.cluster}, is missing`,
    );
  return (host) => ({ host, port, user, password, database });
};

const attach = async (places: Places): Promise<EmbeddedPostgres> => {
  const none = () =>
    new Failure('unavailable', `no database server runs in ${places.folder}: start Orrery first`);
  const file = await readPidFile(places.cluster).catch((cause: unknown) => {
    throw new Failure('forbidden', `${places.cluster} belongs to another user`, { cause });
  });
  if (file === undefined || file === 'empty' || file.sockets === undefined) throw none();
  const connection = (await readConnect(places))(file.sockets);
  if (!(await isAnswering(connection))) throw none();
  return { connection, started: false, state: () => 'running', stop: () => Promise.resolve() };
};
