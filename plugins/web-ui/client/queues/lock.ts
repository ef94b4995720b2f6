// The lock of the item that is looked at: taken, kept while one looks, and released when one goes on.
import { useEffect, useState } from 'preact/hooks';
import { saysFault } from '../request.js';
import { queuesServer } from '../reviewing-server.js';

export type LockState =
  | { readonly is: 'asking' | 'none' }
  | { readonly is: 'held'; readonly until: number }
  | { readonly is: 'refused' }
  | { readonly is: 'fault'; readonly says: string };

/** Extended when half of its time is over; not more often than this. */
const leastMs = 2000;

/** Locks an item while `wanted`, and says what came of it; `again` tries once more. */
export const useLock = (queueId: string, itemId: string | undefined, wanted: boolean) => {
  const [state, setState] = useState<LockState>({ is: 'none' });
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (itemId === undefined || !wanted) {
      setState({ is: 'none' });
      return undefined;
    }
    const params = { queueId, itemId };
    let [isOver, isHeld] = [false, false];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const take = async () => {
      const found = await queuesServer.lock({ params });
      isHeld = found.acquired;
      if (isOver) return;
      if (!found.acquired) {
        setState({ is: 'refused' });
        return;
      }
      const until = Date.parse(found.expires_at ?? '');
      setState({ is: 'held', until });
      timer = setTimeout(keep, Math.max(leastMs, (until - Date.now()) / 2));
    };
    // A page that nobody sees lets the lock lapse.
    const keep = () => {
      if (document.hidden) timer = setTimeout(keep, leastMs);
      else tryTo(take);
    };
    const tryTo = (work: () => Promise<void>) =>
      work().catch((thrown: unknown) => {
        if (!isOver) setState({ is: 'fault', says: saysFault(thrown) });
      });
    setState({ is: 'asking' });
    const taking = tryTo(take);
    return () => {
      isOver = true;
      clearTimeout(timer);
      void taking.then(() => {
        // One that cannot be released lapses by itself.
        if (isHeld) queuesServer.release({ params }).catch(() => undefined);
      });
    };
  }, [queueId, itemId, wanted, tick]);
  return { state, again: () => setTick((now) => now + 1) };
};
