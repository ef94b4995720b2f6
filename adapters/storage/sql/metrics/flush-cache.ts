// What the flushes of this process met lately, so that the next one need not ask: it says what it expects instead, and is refused where that no longer holds.

import type { Home } from './writing.js';

const most = 500_000;

export interface FlushCache {
  /** Where each of these experiments is; nothing when one is not known. In the order in which rows are touched. */
  homesOf(experimentIds: readonly string[]): ReadonlyMap<string, Home> | undefined;
  /** Small chunks of a series as far as this process wrote them; nothing when the series is not known. */
  looseOf(key: string): number | undefined;
  /** Whether new series of an experiment are counted before they are stored: there may be no room for them. */
  isNearLimit(experimentId: string): boolean;
  noteNearLimit(experimentIds: Iterable<string>): void;
  note(
    homes: ReadonlyMap<string, Home>,
    series: readonly { readonly key: string; readonly loose: number }[],
  ): void;
  forget(): void;
}

export const createFlushCache = (): FlushCache => {
  const places = new Map<string, Home>();
  const loose = new Map<string, number>();
  const nearLimit = new Set<string>();
  return {
    homesOf(experimentIds) {
      const homes = new Map<string, Home>();
      for (const id of [...new Set(experimentIds)].sort()) {
        const home = places.get(id);
        if (home === undefined) return undefined;
        homes.set(id, home);
      }
      return homes;
    },
    looseOf: (key) => loose.get(key),
    isNearLimit: (experimentId) => nearLimit.has(experimentId),
    noteNearLimit(experimentIds) {
      if (nearLimit.size > most) nearLimit.clear();
      for (const id of experimentIds) nearLimit.add(id);
    },
    note(homes, series) {
      if (places.size > most) places.clear();
      if (loose.size > most) loose.clear();
      for (const [id, home] of homes) places.set(id, home);
      for (const one of series) loose.set(one.key, one.loose);
    },
    forget() {
      places.clear();
      loose.clear();
    },
  };
};
