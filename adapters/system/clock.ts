import type { Clock } from '#ports/clock';

/** The clock of this machine. */
export const systemClock: Clock = { now: () => Date.now() };
