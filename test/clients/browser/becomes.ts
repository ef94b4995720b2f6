// What a page comes to: looked at again and again, since nothing that was done shows at once.
import type { Locator } from 'playwright-core';

type Place = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

const [everyMs, mostMs] = [100, 15_000];

/** Resolves with what `look` gives once it is so; fails with what it gave last where that takes too long. */
export const becomes = async <T>(
  look: () => Promise<T>,
  isSo: (value: T) => boolean,
): Promise<T> => {
  const deadline = performance.now() + mostMs;
  for (;;) {
    const value = await look();
    if (isSo(value)) return value;
    if (performance.now() > deadline)
      throw new Error(`this did not become so: ${JSON.stringify(value)?.slice(0, 500)}`);
    await new Promise((wake) => setTimeout(wake, everyMs));
  }
};

/**
 * Resolves once `check` no longer throws; fails with what it threw last where that takes too long. What a page shows comes part by part, and is drawn
 * after the address has changed: what is read of it once, right after something else has come, may be of the moment before.
 */
export const holds = async (check: () => unknown): Promise<void> => {
  const deadline = performance.now() + mostMs;
  for (;;)
    try {
      await check();
      return;
    } catch (thrown) {
      if (performance.now() > deadline) throw thrown;
      await new Promise((wake) => setTimeout(wake, everyMs));
    }
};

/** Where an element is once it rests: what comes above it moves it, and a pointer that goes to where it was misses it. */
export const placeAtRest = async (of: Locator): Promise<Place> => {
  let before = '';
  const place = await becomes(
    async () => {
      const now = await of.boundingBox();
      const rests = now !== null && JSON.stringify(now) === before;
      before = JSON.stringify(now);
      return rests ? now : undefined;
    },
    (one) => one !== undefined,
  );
  if (place === undefined) throw new Error('it never rests');
  return place;
};
