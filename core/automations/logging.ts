// Lines of the logs of rules, stored together with what they tell of.
import type { AutomationLog, AutomationRun } from '#ports/model/automations';
import type { RunningNeeds } from './needs.js';

export const longestMessage = 2000;
/** The marker of a line about a thing of a kind. */
export const markerOf = { trace: 'trace_id', span: 'span_id', thread: 'thread_id' } as const;

/** What is told of a thing that a program was to score. */
export const skipsPython = ({ kind, entityId }: AutomationRun, rule: string): string =>
  `The ${kind} ${entityId} was skipped by rule '${rule}': this server runs no Python metrics`;

export type RuleLog = (level: AutomationLog['level'], message: string) => void;

/** Lines about a run, gathered while it is worked on: they are stored with what becomes of it. */
export interface RunLines {
  /** What adds to the log of a rule. */
  of(ruleId: string): RuleLog;
  readonly all: readonly AutomationLog[];
}

export const linesAbout = (
  { clock, ids }: Pick<RunningNeeds, 'clock' | 'ids'>,
  { kind, entityId }: AutomationRun,
): RunLines => {
  const all: AutomationLog[] = [];
  return {
    all,
    of: (ruleId) => (level, message) => {
      all.push({
        ...{ ruleId, id: ids.next(), at: clock.now() * 1000, level },
        // No database keeps that character in a text.
        message: message.slice(0, longestMessage).replaceAll('\0', '\uFFFD'),
        markers: { [markerOf[kind]]: entityId },
      });
    },
  };
};
