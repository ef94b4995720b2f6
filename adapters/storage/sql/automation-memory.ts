// What a process remembers of which projects have rules that are enabled, so that logging to those without any asks nothing of the database.
import type { TracedKind } from '#ports/model/traces';
import { rulesHeardMs } from '#ports/storage/automations';

export interface RuleMemory {
  /** For which kinds of things a project has rules that are enabled: as it was found up to `rulesHeardMs` ago, or as it is found now. */
  kindsOf(
    projectId: string,
    find: () => Promise<ReadonlySet<TracedKind>>,
  ): Promise<ReadonlySet<TracedKind>>;
  /** After a change of rules in this process, which hears of it at once. */
  forget(): void;
}

/** Projects that are remembered. */
const mostProjects = 10_000;

interface Remembered {
  readonly until: number;
  readonly kinds: Promise<ReadonlySet<TracedKind>>;
}

export const createRuleMemory = (): RuleMemory => {
  let known = new Map<string, Remembered>();
  return {
    kindsOf(projectId, find) {
      const now = performance.now();
      const before = known.get(projectId);
      if (before !== undefined && before.until > now) return before.kinds;
      if (known.size >= mostProjects) known = new Map();
      const among = known;
      // Requests that come at once share one question; what was asked before a change is not remembered after it, since the map is another one.
      const kinds = find();
      among.set(projectId, { until: now + rulesHeardMs, kinds });
      kinds.catch(() => among.delete(projectId));
      return kinds;
    },
    forget() {
      known = new Map();
    },
  };
};
