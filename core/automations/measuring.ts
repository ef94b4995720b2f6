// Has a program score what was logged, where such programs are run, and stores the scores that it gives.
import type { MetricCall } from '#ports/metric-runner';
import type { AutomationRule, AutomationRun, MetricCode } from '#ports/model/automations';
import { skipsPython } from './logging.js';
import { mostTries, type RunningNeeds, type SubjectNeeds } from './needs.js';
import { argumentsOf, asksForSpans } from './rendering.js';
import { mostValue } from './replies.js';
import {
  pauseMs,
  storedSentence,
  storeScores,
  type GivenScore,
  type Outcome,
  type Trying,
} from './storing.js';
import { findConversation, findEntry, listSpans, type Looked } from './subjects.js';

export const metricLimits = {
  timeMs: 10_000,
  memoryBytes: 256 * 1024 * 1024,
  outputBytes: 256 * 1024,
} as const;

/** What is scored: by whom it was logged, and what the program is called with. */
interface Subject extends Pick<MetricCall, 'arguments' | 'first'> {
  readonly author: string;
}

/** What a program is called with; `undefined` where it is not there any more. */
export const findMeasured = async (
  needs: SubjectNeeds,
  { arguments: paths = {} }: MetricCode,
  run: Looked,
): Promise<Subject | undefined> => {
  if (run.kind === 'thread') {
    const conversation = await findConversation(needs, run);
    return (
      conversation && { author: conversation.author, arguments: {}, first: conversation.turns }
    );
  }
  const entry = await findEntry(needs, run);
  if (entry === undefined) return undefined;
  const spans =
    run.kind === 'trace' && asksForSpans(paths) ? await listSpans(needs, run) : undefined;
  return { author: entry.author, arguments: argumentsOf(paths, entry.sections, spans) };
};

/** Whether a score can be stored; other ones are told of. */
export const isFit = ({ name, value }: GivenScore): boolean =>
  name.trim() !== '' && Math.abs(value) < mostValue;

const store = async (
  needs: RunningNeeds,
  run: AutomationRun,
  author: string,
  {
    scores,
    failed,
    log,
  }: Pick<Trying, 'log'> & {
    readonly scores: readonly GivenScore[];
    readonly failed: readonly string[];
  },
): Promise<void> => {
  const what = `${run.kind} ${run.entityId}`;
  const fit = scores.filter(isFit);
  const left = scores.filter((score) => !isFit(score));
  if (left.length > 0)
    log(
      'WARN',
      `Scores of the ${what} were left out, since they have no name or are not between -${mostValue} and ${mostValue}: ${left.map(({ name, value }) => `${name} = ${value}`).join(', ')}`,
    );
  if (failed.length > 0)
    log('WARN', `The metric could not score the ${what} for ${failed.join(', ')}`);
  if (scores.length === 0 && failed.length === 0)
    log('WARN', `The metric gave no scores of the ${what}`);
  if (fit.length === 0) return;
  await storeScores(needs, run, author, fit);
  log('INFO', storedSentence(run, fit));
};

/** Runs the program of a rule over what was logged. Rejects as the stores do. */
export const measure = async (
  needs: RunningNeeds,
  { code, name }: AutomationRule & { readonly code: MetricCode },
  run: AutomationRun,
  { log, signal }: Trying,
): Promise<Outcome> => {
  if (!needs.metrics.isOn) {
    log('WARN', skipsPython(run, name));
    return 'done';
  }
  const what = `${run.kind} ${run.entityId}`;
  const subject = await findMeasured(needs, code, run);
  if (subject === undefined) {
    log('WARN', `The ${what} was skipped by rule '${name}': it is not there any more`);
    return 'done';
  }
  const { author, ...given } = subject;
  log('INFO', `Rule '${name}' sent the ${what} to its metric`);
  const answer = await needs.metrics.run({ source: code.metric, ...given }, metricLimits, signal);
  if ('fault' in answer) {
    const { message, retry } = answer.fault;
    // What ends with the process is no fault of the metric's.
    const again = signal.aborted || (retry && run.tries < mostTries);
    log(
      again ? 'WARN' : 'ERROR',
      `The ${what} was not scored by rule '${name}'${again ? ', and is tried again later' : ''}: its metric ${message}`,
    );
    return again ? { againMs: pauseMs(needs.retryMs, run.tries) } : 'done';
  }
  await store(needs, run, author, { ...answer, log });
  return 'done';
};
