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

  const followRoom = async (): Promise<void> => {
    const before = full;
    full = isFull(await measureRoom(places.folder));
    if (full !== before) log[full ? 'error' : 'info'](full ? 'the disk of the database is full: writes are refused' : 'the disk of the database has room again');
    if (!full) await layBallast(places);
  };
  const timer = setInterval(() => void followRoom().catch((error: unknown) => { log.warn('the room on the disk cannot be measured', { error }); }), roomEveryMs);
  timer.unref();

  const revive = async (): Promise<void> => {
    const { free } = await measureRoom(places.folder);
    if (free < neededToStart) await dropBallast(places);
    postmaster = await bringUp(launch, connect, ending.signal);
    log.info('database server is back', { pid: postmaster.pid });
  };

  const watch = async (): Promise<void> => {
    for (let waitMs = firstWaitMs; !ending.signal.aborted; ) {
      if (postmaster) {
        const since = performance.now();
        await postmaster.ended;
        if (ending.signal.aborted) return;
        full = ranOutOfRoom(postmaster) || isFull(await measureRoom(places.folder));
        log.error('database server ended by itself', { pid: postmaster.pid, full });
        if (performance.now() - since > settledMs) waitMs = firstWaitMs;
        postmaster = undefined;
      }
      await pause(waitMs, undefined, { ref: false, signal: ending.signal }).catch(() => undefined);
      waitMs = Math.min(2 * waitMs, longestWaitMs);
      if (!ending.signal.aborted) await revive().catch((error: unknown) => { log.warn('database server does not start yet', { error }); });
    }
  };
  const watching = watch();

  return {
    state: () => {
      if (ending.signal.aborted) return 'stopped';
      if (full) return 'disk full';
      return postmaster ? 'running' : 'restarting';
    },
    stop: async () => {
      ending.abort();
      clearInterval(timer);
      await postmaster?.stop();
      await watching;
      await postmaster?.stop(); // one that was just coming up
    },
  };
};
