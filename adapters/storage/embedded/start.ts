// Brings a server up on a cluster whose lock this process holds: adopts the one that runs, or spawns one, for ten seconds.
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '#ports/failure';
import { readPidFile, removePidFile, type PidFile } from './pid-file.js';
import { adoptPostmaster, spawnPostmaster, type Launch, type Postmaster } from './postmaster.js';
import { servesCluster } from './processes.js';
import { isAnswering, type Connection } from './session.js';

const longestStartMs = 10_000;
const pollMs = 10;
/** A server writes its file in one go; under our lock nobody else starts one. */
const emptyFileMs = 1_000;

/** How to connect to a socket in a folder. */
export type Connect = (sockets: string) => Connection;

/**
 * Answers with a server that takes connections. Rejects with `conflict` when a live Postgres holds the cluster and does not answer,
 * `unavailable`, with the server's own last sentence, when it does not come up.
 */
export const bringUp = async (
  launch: Launch,
  connect: Connect,
  signal: AbortSignal,
): Promise<Postmaster> => {
  const deadline = performance.now() + longestStartMs;
  for (let waitMs = 50; ; waitMs *= 2) {
    const running = await findRunning(launch.places.cluster, connect);
    if (running) return running;
    const spawned = await spawnPostmaster(launch);
    if (await becomesReady(spawned, connect(launch.sockets))) return spawned;
    if (signal.aborted || performance.now() + waitMs > deadline || ranOutOfRoom(spawned)) {
      throw new Failure(
        'unavailable',
        `the database in ${launch.places.folder} did not start: ${lastSentence(spawned)}`,
      );
    }
    await pause(waitMs);
  }
};

/** The server that runs on the cluster already, once it answers; `undefined` when the way is free. */
export const findRunning = async (
  cluster: string,
  connect: Connect,
  patienceMs = longestStartMs,
): Promise<Postmaster | undefined> => {
  const begun = performance.now();
  for (;;) {
    const file = await readPidFile(cluster);
    if (file === undefined) return undefined;
    const waitedMs = performance.now() - begun;
    if (file === 'empty') {
      if (waitedMs > emptyFileMs) return removePidFile(cluster);
    } else {
      if (!(await servesCluster(file.pid, cluster))) return clear(cluster, file, connect);
      if (file.sockets !== undefined && (await isAnswering(connect(file.sockets))))
        return adoptPostmaster(file.pid, file.sockets);
      if (waitedMs > patienceMs)
        throw new Failure(
          'conflict',
          `Postgres (pid ${String(file.pid)}) holds ${cluster} and does not answer`,
        );
    }
    await pause(pollMs);
  }
};

/** The file names nobody who serves this cluster. Postgres itself would refuse when that pid is another program of the same user. */
const clear = async (cluster: string, file: PidFile, connect: Connect): Promise<undefined> => {
  if (file.sockets !== undefined && (await isAnswering(connect(file.sockets)))) {
    throw new Failure(
      'conflict',
      `a server answers for ${cluster} that its postmaster.pid does not name`,
    );
  }
  await removePidFile(cluster);
};

const becomesReady = async (postmaster: Postmaster, connection: Connection): Promise<boolean> => {
  let over = false;
  void postmaster.ended.then(() => (over = true));
  while (!over) {
    if (await isAnswering(connection)) return true;
    await pause(pollMs);
  }
  return false;
};

/** Whether it ended for want of room; whoever supervises knows what to give up then. */
export const ranOutOfRoom = (postmaster: Postmaster): boolean =>
  postmaster.lastWords().some((line) => /No space left on device|Disk quota exceeded/.test(line));

const lastSentence = (postmaster: Postmaster): string => {
  const words = postmaster.lastWords();
  return (
    words.findLast((line) => /FATAL|PANIC|error/.test(line)) ??
    words.at(-1) ??
    'it ended without a word'
  );
};
