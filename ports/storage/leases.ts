import { reads, sets, type Methods } from './methods.js';

export interface LeaseStore {
  /**
   * Takes or renews a lease until `ms` from now on the database's clock. Says whether it is this holder's; of any number of takers at most
   * one gets it. Whoever does not renew in time loses it.
   */
  take(name: string, holder: string, ms: number): Promise<boolean>;
  /** Gives a lease back, if it is still this holder's. */
  release(name: string, holder: string): Promise<void>;
  /** Holders of live leases whose name begins like this. */
  count(prefix: string): Promise<number>;
}

export const leaseMethods: Methods<LeaseStore> = {
  take: sets,
  release: sets,
  count: reads,
};
