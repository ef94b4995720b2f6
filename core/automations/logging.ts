// Lines of the logs of rules, written together once it is certain that what they tell came to be.
import type { AutomationLog, AutomationRun } from '#ports/model/automations';
import type { RunningNeeds } from './needs.js';

export const longestMessage = 2000;
/** The marker of a line about a thing of a kind. */
export const markerOf = { trace: 'trace_id', span: 'span_id', thread: 'thread_id' } as const;

/** What is told of a thing that a program was to score. */
export const skipsPython = ({ kind, entityId }: AutomationRun, rule: string): string =>
  `The ${kind} ${entityId} was skipped by rule '${rule}': this server runs no Python metrics`;

export type RuleLog = (level: AutomationLog['level'], message: string) => void;

/** Gathers lines about a run while it is worked on, and writes them where the work says that it still held the run, or fails. */
export const withLog = async (
  { storage: { stores }, clock, ids }: RunningNeeds,
  { kind, entityId }: AutomationRun,
  work: (logOf: (ruleId: string) => RuleLog) => Promise<boolean>,
): Promise<void> => {
  const lines: AutomationLog[] = [];
  const logOf =
    (ruleId: string): RuleLog =>
    (level, message) => {
      lines.push({
        ...{ ruleId, id: ids.next(), at: clock.now() * 1000, level },
        // No database keeps that character in a text.
        message: message.slice(0, longestMessage).replaceAll('\0', '\uFFFD'),
        markers: { [markerOf[kind]]: entityId },
      });
    };
  if (await work(logOf)) await stores.automationRuns.log(lines);
};
