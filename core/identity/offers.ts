import type { Clock } from '#ports/clock';
import type { Stores } from '#ports/storage/storage';
import { backOffs } from './rules.js';

const atOnce = 1000;
const longest = Math.max(...Object.values(backOffs).map(({ forgetMs }) => forgetMs));

/** Forgets sessions and one-time tickets that ended, and tries that count no more. */
export const sweepIdentity = async ({ stores: { sessions, tickets, attempts }, clock, signal }: { readonly stores: Pick<Stores, 'sessions' | 'tickets' | 'attempts'>; readonly clock: Clock; readonly signal: AbortSignal }): Promise<void> => {
  const now = clock.now();
  const sweeps = [() => sessions.removeEnded(now, atOnce), () => tickets.removeExpired(now, atOnce), () => attempts.removeBefore(now - longest, atOnce)];
  for (const sweep of sweeps) while (!signal.aborted && (await sweep()) === atOnce);
};
