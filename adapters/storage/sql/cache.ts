// What was read or made lately, in bounded memory.
export interface Cache<T> {
  find(key: string): T | undefined;
  keep(key: string, item: T): void;
}

/** Forgets what was not asked for the longest once it holds more than so many bytes. */
export const createCache = <T>(bytes: number, sizeOf: (item: T) => number): Cache<T> => {
  const kept = new Map<string, T>();
  let held = 0;
  return {
    find(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found;
    },
    keep(key, item) {
      if (kept.has(key)) return;
      kept.set(key, item);
      held += sizeOf(item);
      for (const [oldest, other] of kept) {
        if (held <= bytes) return;
        kept.delete(oldest);
        held -= sizeOf(other);
      }
    },
  };
};
