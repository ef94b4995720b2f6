// Has a model judge what was logged, or a program score it, and stores the scores that they give.
import { isFailure, type FailureKind } from '#ports/failure';
import type { AutomationRule, AutomationRun, JudgeCode } from '#ports/model/automations';
import { askJudge, findJudged } from './asking.js';
import { linesAbout, type RunLines } from './logging.js';
import { measure } from './measuring.js';
import { mostTries, type RunningNeeds } from './needs.js';
import { renderMessages } from './rendering.js';
import { readReply } from './replies.js';
import { isJudge } from './rules.js';
import { pauseMs, storedSentence, storeScores, type Outcome, type Trying } from './storing.js';

const ask = async (
  needs: RunningNeeds,
  rule: AutomationRule & { readonly code: JudgeCode },
  run: AutomationRun,
  { log, signal }: Trying,
): Promise<Outcome> => {
  const { code, name, workspaceId } = rule;
  const subject = await findJudged(needs, code, run);
  const what = `${run.kind} ${run.entityId}`;
  if (subject === undefined) {
    log('WARN', `The ${what} was skipped by rule '${name}': it is not there any more`);
    return 'done';
  }
  const { model, schema } = code;
  const messages = renderMessages(code.messages, subject.values);
  const answer = await askJudge(needs, workspaceId, code, messages, signal);
  log('INFO', `Rule '${name}' sent the ${what} to the model ${model.name}`);
  if ('fault' in answer) {
    const { message, retry, retryAfter } = answer.fault;
    // What ends with the process is no fault of the model's.
    const again = signal.aborted || (retry && run.tries < mostTries);
    log(
      again ? 'WARN' : 'ERROR',
      `The model ${model.name} did not judge the ${what} for rule '${name}'${again ? ', and is asked again later' : ''}: ${message}`,
    );
    return again ? { againMs: pauseMs(needs.retryMs, run.tries, retryAfter) } : 'done';
  }
  const said = answer.completion.choices[0]?.message.content ?? '';
  log('INFO', `The model ${model.name} answered for the ${what}: ${said}`);
  const judged = readReply(said, schema);
  const left = schema.filter((output) => !judged.some((score) => score.name === output.name));
  if (left.length > 0)
    log(
      'WARN',
      `The answer for the ${what} has no score for ${left.map((output) => `'${output.name}'`).join(', ')}`,
    );
  if (judged.length > 0) {
    await storeScores(needs, run, subject.author, judged);
    log('INFO', storedSentence(run, judged));
  }
  return 'done';
};

const tryToJudge = async (
  needs: RunningNeeds,
  rule: AutomationRule,
  run: AutomationRun,
  asking: Trying,
): Promise<Outcome> => {
  const { code, enabled, name } = rule;
  if (!enabled && !run.asked) {
    asking.log(
      'INFO',
      `The ${run.kind} ${run.entityId} was skipped by rule '${name}': the rule is disabled`,
    );
    return 'done';
  }
  try {
    return isJudge(code)
      ? await ask(needs, { ...rule, code }, run, asking)
      : await measure(needs, { ...rule, code }, run, asking);
  } catch (thrown) {
    if (!isFailure(thrown) || !toldKinds.includes(thrown.kind)) throw thrown;
    const again = thrown.kind === 'unavailable' && run.tries < mostTries;
    asking.log(
      again ? 'WARN' : 'ERROR',
      `Rule '${name}' could not judge the ${run.kind} ${run.entityId}${again ? ', and tries again later' : ''}: ${thrown.message}`,
    );
    return again ? { againMs: pauseMs(needs.retryMs, run.tries) } : 'done';
  }
};

/** What a person can put right is told in the rule's log: a model without a key, messages that are too long. */
const toldKinds: readonly FailureKind[] = ['invalid', 'tooLarge', 'unavailable'];

/**
 * Lets a rule score something that was claimed: what it comes to is stored before the claim ends, so that a crash between them repeats it, and the
 * scores with it. What is told of it is stored as the claim ends.
 */
export const judgeBy = async (
  needs: RunningNeeds,
  rule: AutomationRule,
  run: AutomationRun,
  lines: RunLines,
  signal: AbortSignal,
): Promise<void> => {
  const { automationRuns } = needs.storage.stores;
  const { holder } = needs;
  const outcome = await tryToJudge(needs, rule, run, { log: lines.of(rule.id), signal });
  if (outcome === 'done') await automationRuns.finish(holder, run.id, lines.all);
  // What ends with the process is taken up by another one, which tells of it then.
  else if (signal.aborted) await automationRuns.postpone(holder, run.id, 0, false);
  else await automationRuns.postpone(holder, run.id, outcome.againMs, true, lines.all);
};

/** Works on one rule's run. */
export const judge = async (
  needs: RunningNeeds,
  run: AutomationRun & { readonly ruleId: string },
  signal: AbortSignal,
): Promise<void> => {
  const { automationRuns, automations } = needs.storage.stores;
  const rules = await automations.listOfProject(run.projectId, run.kind);
  const rule = rules.find(({ id }) => id === run.ruleId);
  if (rule === undefined) return automationRuns.finish(needs.holder, run.id);
  await judgeBy(needs, rule, run, linesAbout(needs, run), signal);
};
