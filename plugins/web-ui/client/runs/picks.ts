// Which runs are selected: some by hand, or all that satisfy the query.
import { useState } from 'preact/hooks';
import type { RuleGroup } from '../../pure/query.js';
import type { Those } from './acting.js';
import type { RunRows } from './rows.js';

export interface Picks {
  readonly keys: ReadonlySet<string>;
  readonly all: boolean;
  readonly count: number;
  readonly those: Those;
  /** Selects a run or takes it back; with `upTo`, all from the one before to it. */
  pick(key: string, upTo: boolean): void;
  toggleAll(): void;
  clear(): void;
}

export const usePicks = (
  rows: RunRows | undefined,
  { rules, archived }: { readonly rules: RuleGroup | undefined; readonly archived: boolean },
): Picks => {
  const [some, setSome] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const [anchor, setAnchor] = useState<string>();
  const loaded = rows?.keys ?? [];
  const keys = all ? new Set(loaded) : some;
  return {
    keys,
    all,
    count: all ? (rows?.total ?? 0) : some.size,
    those: all ? { query: rules, archived } : { runs: [...some] },
    pick(key, upTo) {
      const [a, b] = [loaded.indexOf(anchor ?? key), loaded.indexOf(key)];
      const meant = upTo && a >= 0 ? loaded.slice(Math.min(a, b), Math.max(a, b) + 1) : [key];
      const now = new Set(keys);
      for (const one of meant)
        if (keys.has(key)) now.delete(one);
        else now.add(one);
      setAll(false);
      setSome(now);
      setAnchor(key);
    },
    toggleAll() {
      setSome(new Set());
      setAll(!all);
    },
    clear() {
      setSome(new Set());
      setAll(false);
    },
  };
};
