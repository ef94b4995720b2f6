// How many processes serve from one database: each holds a lease of its own while it lives.
import type { Ids } from '#ports/ids';
import type { LeaseStore } from '#ports/storage/leases';

const prefix = 'process:';
const leaseMs = 15_000;

export interface ProcessCount {
  /** Renews this process's own lease and counts the others. */
  beat(): Promise<void>;
  /** As of the last beat; at least this one. */
  count(): number;
  /** Gives this process's lease back when it stops serving. */
  leave(): Promise<void>;
}

export const countProcesses = (leases: LeaseStore, ids: Ids): ProcessCount => {
  const name = `${prefix}${ids.next()}`;
  let alive = 1;
  return {
    async beat() {
      await leases.take(name, name, leaseMs);
      alive = Math.max(1, await leases.count(prefix));
    },
    count: () => alive,
    leave: () => leases.release(name, name),
  };
};
