// What a process remembers of which projects have rules that are enabled, so that logging to those without any asks nothing of the database.
import type { TracedKind } from '#ports/model/traces';
import { rulesHeardMs, type QueuedRule } from '#ports/storage/automations';

/** A rule with the kind of things that it is about. */
export type KnownRule = QueuedRule & { readonly kind: TracedKind };

export interface RuleMemory {
  /** The rules of a project that are enabled: as they were found up to `rulesHeardMs` ago, or as they are found now. */
  rulesOf(
    projectId: string,
    find: () => Promise<readonly KnownRule[]>,
  ): Promise<readonly KnownRule[]>;
  /** Whether the log of a rule may be told of what was left out: once a second. */
  mayTell(ruleId: string): boolean;
  /** Whether a log that so many lines are added to is to make room now: seldom enough that it costs little, and often enough that it is about as long as it may be. */
  mayTrim(ruleId: string, lines: number): boolean;
  /** After a change of rules in this process, which hears of it at once. */
  forget(): void;
}

/** Projects that are remembered. */
const mostProjects = 10_000;

interface Remembered {
  readonly until: number;
  readonly rules: Promise<readonly KnownRule[]>;
}

const tellMs = 1000;
/** Rules of which it is remembered when they were told last, and how long their logs have grown. */
const mostTold = 10_000;
/** Lines that a log may have over its bound before it makes room. */
const spareLines = 100;

export const createRuleMemory = (): RuleMemory => {
  let known = new Map<string, Remembered>();
  const told = new Map<string, number>();
  const grown = new Map<string, number>();
  return {
    rulesOf(projectId, find) {
      const now = performance.now();
      const before = known.get(projectId);
      if (before !== undefined && before.until > now) return before.rules;
      if (known.size >= mostProjects) known = new Map();
      const among = known;
      // Requests that come at once share one question; what was asked before a change is not remembered after it, since the map is another one.
      const rules = find();
      among.set(projectId, { until: now + rulesHeardMs, rules });
      rules.catch(() => among.delete(projectId));
      return rules;
    },
    mayTell(ruleId) {
      const now = performance.now();
      if ((told.get(ruleId) ?? -Infinity) > now - tellMs) return false;
      if (told.size >= mostTold) told.clear();
      told.set(ruleId, now);
      return true;
    },
    mayTrim(ruleId, lines) {
      // What a process before this one left is not known.
      const total = (grown.get(ruleId) ?? spareLines) + lines;
      if (grown.size >= mostTold) grown.clear();
      grown.set(ruleId, total >= spareLines ? 0 : total);
      return total >= spareLines;
    },
    forget() {
      known = new Map();
    },
  };
};
