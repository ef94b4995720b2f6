// Results of statements over rows that have not changed since: charts of a dashboard ask the same again and again.
import type { AnalyticsLimits, AnalyticsResult, AnalyticsScope } from '#ports/analytics';

interface Asked {
  readonly statement: string;
  readonly scope: AnalyticsScope;
  readonly limits: AnalyticsLimits;
}

export interface Results {
  find(asked: Asked): AnalyticsResult | undefined;
  /** Keeps a result, unless it depends on when it is asked for or is too long. */
  keep(asked: Asked, result: AnalyticsResult): void;
  /** Forgets all of them, as rows have changed. */
  clear(): void;
}

/** Results that are kept, and characters of one and of all. */
const [mostKept, mostOfOne, mostCharacters] = [200, 512 * 1024, 8 * 1024 * 1024];
/** Parts of names of functions that answer differently each time; in a text or a name they do no harm. */
const differsByItself =
  /now|random|sample|uuid|today|yesterday|current|localtime|transaction_timestamp|\bage\b/i;

const keyOf = ({ statement, scope, limits: { rows, bytes } }: Asked): string =>
  JSON.stringify([statement, scope.workspaceId, scope.projectId, scope.tables, rows, bytes]);

const charactersIn = ({ rows }: AnalyticsResult): number =>
  rows.reduce((sum, row) => sum + row.reduce((of, text) => of + (text?.length ?? 0), 0), 0);

export const createResults = (): Results => {
  const kept = new Map<string, { readonly result: AnalyticsResult; readonly characters: number }>();
  let characters = 0;
  const forget = (key: string): void => {
    characters -= kept.get(key)?.characters ?? 0;
    kept.delete(key);
  };
  return {
    find: (asked) => kept.get(keyOf(asked))?.result,
    keep(asked, result) {
      const own = charactersIn(result);
      if (own > mostOfOne || differsByItself.test(asked.statement)) return;
      const key = keyOf(asked);
      forget(key);
      kept.set(key, { result, characters: own });
      characters += own;
      while (kept.size > mostKept || characters > mostCharacters)
        for (const oldest of kept.keys()) {
          forget(oldest);
          break;
        }
    },
    clear() {
      kept.clear();
      characters = 0;
    },
  };
};
