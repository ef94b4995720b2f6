// Ends what was begun, in reverse.
import type { Log } from '#ports/log';

export type Stop = () => Promise<void>;

/** Stops what was begun, the last one first; one that fails keeps no other from it. */
export const stopAll = async (stops: readonly Stop[], log: Log): Promise<void> => {
  for (const stop of [...stops].reverse())
    await stop().catch((error: unknown) => {
      log.error('a part of the server did not stop in order', { error });
    });
};
