// Keeps one server up: what happens between its start and its stop.
import { setTimeout as pause } from 'node:timers/promises';
import { ranOutOfRoom, bringUp, type Connect } from './start.js';
import type { Launch, Postmaster } from './postmaster.js';
import { dropBallast, isFull, layBallast, measureRoom, neededToStart } from './space.js';

/** `disk full`: writes are to be refused; reads may work. `restarting`: nothing is answered for a moment. */
export type ServerState = 'running' | 'restarting' | 'disk full' | 'stopped';

export interface Supervision {
  state(): ServerState;
  /** Ends the server and the watch over it; may be repeated. */
  stop(): Promise<void>;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;
/** A server that lived this long has earned a prompt restart. */
const settledMs = 30_000;
const roomEveryMs = 1_000;

/** Watches over a running server: restarts it, ever more slowly, when it dies, and follows the room on its disk. */
export const supervise = (launch: Launch, connect: Connect, first: Postmaster): Supervision => {
  const { log, places } = launch;
  const ending = new AbortController();
  let postmaster: Postmaster | undefined = first;
  let full = false;

  /** Says whether to go on. */
  const wait = async (ms: number): Promise<boolean> => {
    await pause(ms, undefined, { ref: false, signal: ending.signal }).catch(() => undefined);
    return !ending.signal.aborted;
  };

  const measure = async (): Promise<void> => {
    const before = full;
    full = isFull(await measureRoom(places.folder));
    if (full && !before)
      log.error('the disk of the database is full: writes are refused', { folder: places.folder });
    if (before && !full)
      log.info('the disk of the database has room again', { folder: places.folder });
  };

  const followRoom = async (): Promise<void> => {
    do
      await measure().catch((error: unknown) => {
        log.warn('the room on the disk of the database cannot be measured', { error });
      });
    while (await wait(roomEveryMs));
  };

  /** Held back only once the server has lived a moment: a first start is not to wait for it, nor a stop. */
  const keepBallast = async (): Promise<void> => {
    while (await wait(roomEveryMs)) if (!full) await layBallast(places, ending.signal);
  };

  const revive = async (): Promise<void> => {
    if ((await measureRoom(places.folder)).free < neededToStart) await dropBallast(places);
    postmaster = await bringUp(launch, connect, ending.signal);
    log.info('database server is back', { pid: postmaster.pid });
  };

  /** Answers when the server has ended, with how long it lived. */
  const outlive = async (server: Postmaster): Promise<number> => {
    const since = performance.now();
    await server.ended;
    postmaster = ending.signal.aborted ? server : undefined;
    full ||= ranOutOfRoom(server);
    return performance.now() - since;
  };

  const watch = async (): Promise<void> => {
    for (
      let waitMs = firstWaitMs;
      !ending.signal.aborted;
      waitMs = Math.min(2 * waitMs, longestWaitMs)
    ) {
      if (postmaster) {
        const { pid } = postmaster;
        if ((await outlive(postmaster)) > settledMs) waitMs = firstWaitMs;
        if (ending.signal.aborted) return;
        log.error('database server ended by itself', { pid, full });
      }
      if (await wait(waitMs))
        await revive().catch((error: unknown) => {
          log.warn('database server does not start yet', { error });
        });
    }
  };

  const watching = Promise.all([watch(), followRoom(), keepBallast()]);
  return {
    state: () => {
      if (ending.signal.aborted) return 'stopped';
      if (full) return 'disk full';
      return postmaster ? 'running' : 'restarting';
    },
    stop: async () => {
      ending.abort();
      await postmaster?.stop();
      await watching;
      await postmaster?.stop(); // one that was just coming up
    },
  };
};
