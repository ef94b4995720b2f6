// What becomes of a try to score something: scores are stored, or it is tried again.
import type { AutomationRun } from '#ports/model/automations';
import type { Score } from '#ports/model/traces';
import { scored } from '../annotation-queues/offers.js';
import type { RuleLog } from './logging.js';
import type { RunningNeeds } from './needs.js';

/** What a try is handed. */
export interface Trying {
  readonly log: RuleLog;
  readonly signal: AbortSignal;
}
/** What became of a try: it is over, or another one may go better after a while. */
export type Outcome = 'done' | { readonly againMs: number };

/** The slower the oftener it failed. */
export const pauseMs = (retryMs: number, tries: number, asked = 0): number =>
  Math.min(15 * 60_000, Math.max(retryMs * 4 ** (tries - 1), asked * 1000));

/** A score as a model or a program gives it. */
export interface GivenScore {
  readonly name: string;
  readonly value: number;
  readonly reason: string | undefined;
}

/** No database keeps this character in a text. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

export const storeScores = async (
  { storage: { stores }, clock }: RunningNeeds,
  { projectId, kind, entityId }: AutomationRun,
  author: string,
  given: readonly GivenScore[],
): Promise<void> => {
  const at = clock.now() * 1000;
  const scores = given.map(({ name, value, reason }): Score => ({
    ...{ projectId, kind, entityId, name: withoutNul(name), author },
    ...{ value: Math.round(value * 1e9) / 1e9, reason: reason && withoutNul(reason) },
    ...{ categoryName: undefined, source: 'online_scoring' },
    ...{ createdAt: at, lastUpdatedAt: at, lastUpdatedBy: author },
  }));
  // A score is one row by its thing, name and author: after a crash it is replaced by the next one, never joined.
  await stores.feedback.putScores(scores);
  // Nobody's lock ends, since nobody has looked at it.
  await scored(stores, scores, '');
};

/** The line of a log that says what was stored. */
export const storedSentence = (
  { kind, entityId }: AutomationRun,
  given: readonly GivenScore[],
): string =>
  `Scores of the ${kind} ${entityId} were stored: ${given.map(({ name, value }) => `${name} = ${value}`).join(', ')}`;
