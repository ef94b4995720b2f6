// Tries a rule on one thing and tells what would come of it. Nothing is stored.
import { Failure } from '#ports/failure';
import type { JudgeCode, MetricCode, RuleCode } from '#ports/model/automations';
import { chatsWith } from '../chat-completions/offers.js';
import { askJudge, findJudged } from './asking.js';
import { findMeasured, isFit, metricLimits } from './measuring.js';
import type { AskingNeeds } from './needs.js';
import { renderMessages } from './rendering.js';
import { readReply } from './replies.js';
import { isJudge } from './rules.js';
import type { GivenScore } from './storing.js';
import type { Looked } from './subjects.js';

interface Previewed {
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly answer?: string;
  readonly scores: readonly GivenScore[];
  /** Names of scores that were asked for and not given. */
  readonly left: readonly string[];
  /** Why there is no answer. */
  readonly fault?: string;
}

const absent = ({ kind, entityId }: Looked): Failure =>
  new Failure('absent', `${kind} ${entityId} not found`);

const previewJudge = async (
  needs: AskingNeeds,
  workspaceId: string,
  code: JudgeCode,
  looked: Looked,
  signal: AbortSignal,
): Promise<Previewed> => {
  const subject = await findJudged(needs, code, looked);
  if (subject === undefined) throw absent(looked);
  const messages = renderMessages(code.messages, subject.values);
  const shown = messages.map(({ role, content }) => ({ role: String(role), content }));
  const answer = await askJudge(needs, workspaceId, code, messages, signal);
  const names = code.schema.map(({ name }) => name);
  if ('fault' in answer)
    return { messages: shown, scores: [], left: names, fault: answer.fault.message };
  const said = answer.completion.choices[0]?.message.content ?? '';
  const scores = readReply(said, code.schema);
  const left = names.filter((name) => !scores.some((score) => score.name === name));
  return { messages: shown, answer: said, scores, left };
};

const previewMetric = async (
  needs: AskingNeeds,
  code: MetricCode,
  looked: Looked,
  signal: AbortSignal,
): Promise<Previewed> => {
  const subject = await findMeasured(needs, code, looked);
  if (subject === undefined) throw absent(looked);
  if (!needs.metrics.isOn)
    return { scores: [], left: [], fault: 'this server runs no Python metrics' };
  const { author: _, ...given } = subject;
  const answer = await needs.metrics.run({ source: code.metric, ...given }, metricLimits, signal);
  return 'fault' in answer
    ? { scores: [], left: [], fault: `the metric ${answer.fault.message}` }
    : { scores: answer.scores.filter(isFit), left: answer.failed };
};

/**
 * What a rule would give a thing. Rejects with `absent` where that is not there, with `invalid` for a model without a key, with `tooLarge` for messages
 * that are too long, and with `throttled` while too many models are asked.
 */
export const preview = async (
  needs: AskingNeeds,
  workspaceId: string,
  code: RuleCode,
  looked: Looked,
  signal: AbortSignal,
): Promise<Previewed> => {
  const end = chatsWith(needs.models).begin(workspaceId);
  try {
    return isJudge(code)
      ? await previewJudge(needs, workspaceId, code, looked, signal)
      : await previewMetric(needs, code, looked, signal);
  } finally {
    end();
  }
};
