// Has a model judge what was logged, and stores the scores that it gives.
import { isFailure, type FailureKind } from '#ports/failure';
import type { AutomationRule, AutomationRun, JudgeCode } from '#ports/model/automations';
import type { Score, Trace } from '#ports/model/traces';
import { scored } from '../annotation-queues/offers.js';
import { askModel } from '../chat-completions/offers.js';
import { parseJson } from '../json-text.js';
import { skipsPython, withLog, type RuleLog } from './logging.js';
import { asksFor, renderMessages, valuesOf, type Sections } from './rendering.js';
import { readReply, responseFormat, type JudgedScore } from './replies.js';
import { isJudge } from './rules.js';
import { mostTries, type RunningNeeds } from './needs.js';

/** How much is read of what was logged: of each member, of a thread's and of a trace's rows, and of all of them. */
const longestMember = 1_000_000;
const [mostTraces, mostSpans, mostBytes] = [200, 200, 8_000_000];
const longestOfMany = 50_000;
/** The slower the oftener it failed. */
const pauseMs = (retryMs: number, tries: number, asked = 0): number =>
  Math.min(15 * 60_000, Math.max(retryMs * 4 ** (tries - 1), asked * 1000));

/** What is judged: by whom it was logged, and what placeholders stand for. */
interface Subject {
  readonly author: string;
  readonly values: ReadonlyMap<string, string>;
}

/** JSON text as a value; where it was cut, as a text. */
const valueOf = (json: string | undefined): unknown =>
  json === undefined ? undefined : (parseJson(json) ?? json);

const spansOf = async (
  { storage: { stores } }: RunningNeeds,
  { projectId, entityId }: AutomationRun,
): Promise<string> => {
  const spans = await stores.traces.listSpans({
    ...{ projectId, traceId: entityId, filters: [], limit: mostSpans },
    ...{ characters: longestOfMany, mostBytes },
  });
  return JSON.stringify(
    [...spans].reverse().map((span) => ({
      ...{ id: span.id, parent_span_id: span.parentSpanId, name: span.name, type: span.type },
      ...{ input: valueOf(span.input), output: valueOf(span.output) },
      ...{ metadata: valueOf(span.metadata), error_info: valueOf(span.errorInfo) },
      ...{ model: span.model, provider: span.provider, usage: valueOf(span.usage) },
    })),
  );
};

const findEntry = async (
  needs: RunningNeeds,
  { variables = {}, messages }: JudgeCode,
  run: AutomationRun & { readonly kind: 'trace' | 'span' },
): Promise<Subject | undefined> => {
  const { projectId, entityId, kind } = run;
  const { traces } = needs.storage.stores;
  const listing = {
    ...{ projectId, fromId: entityId, toId: entityId, filters: [], limit: 1 },
    characters: longestMember,
  };
  const [entry] =
    kind === 'trace' ? await traces.listTraces(listing) : await traces.listSpans(listing);
  if (entry === undefined) return undefined;
  const sections: Sections = entry;
  const wantsSpans =
    kind === 'trace' && Object.hasOwn(variables, 'spans') && asksFor(messages, 'spans');
  const spans = wantsSpans ? await spansOf(needs, run) : undefined;
  return { author: entry.createdBy, values: valuesOf(variables, sections, spans) };
};

const turnsOf = ({ input, output }: Trace) => [
  ...(input === undefined ? [] : [{ role: 'user', content: valueOf(input) }]),
  ...(output === undefined ? [] : [{ role: 'assistant', content: valueOf(output) }]),
];

const findConversation = async (
  { storage: { stores } }: RunningNeeds,
  { projectId, entityId }: AutomationRun,
): Promise<Subject | undefined> => {
  const [thread] = await stores.threads.list({
    ...{ projectId, fromId: entityId, toId: entityId, filters: [], limit: 1, activeSince: 0 },
  });
  if (thread === undefined) return undefined;
  const { threadId } = thread;
  const traces = await stores.traces.listTraces({
    ...{ projectId, threadId, filters: [], limit: mostTraces },
    ...{ characters: longestOfMany, mostBytes },
  });
  const turns = [...traces].reverse().flatMap(turnsOf);
  return {
    author: thread.createdBy,
    values: new Map([['context', JSON.stringify(turns)]]),
  };
};

const store = async (
  { storage: { stores }, clock }: RunningNeeds,
  { projectId, kind, entityId }: AutomationRun,
  author: string,
  judged: readonly JudgedScore[],
): Promise<void> => {
  const at = clock.now() * 1000;
  const scores = judged.map(({ name, value, reason }): Score => ({
    ...{ projectId, kind, entityId, name, author, value: Math.round(value * 1e9) / 1e9, reason },
    ...{ categoryName: undefined, source: 'online_scoring' },
    ...{ createdAt: at, lastUpdatedAt: at, lastUpdatedBy: author },
  }));
  // A score is one row by its thing, name and author: after a crash it is replaced by the next one, never joined.
  await stores.feedback.putScores(scores);
  // Nobody's lock ends, since nobody has looked at it.
  await scored(stores, scores, '');
};

/** What became of a try: it is over, or another one may go better after a while. */
type Outcome = 'done' | { readonly againMs: number };

const ask = async (
  needs: RunningNeeds,
  rule: AutomationRule & { readonly code: JudgeCode },
  run: AutomationRun,
  { log, signal }: { readonly log: RuleLog; readonly signal: AbortSignal },
): Promise<Outcome> => {
  const { kind } = run;
  const { code, name, workspaceId } = rule;
  const subject =
    kind === 'thread'
      ? await findConversation(needs, run)
      : await findEntry(needs, code, { ...run, kind });
  const what = `${kind} ${run.entityId}`;
  if (subject === undefined) {
    log('WARN', `The ${what} was skipped by rule '${name}': it is not there any more`);
    return 'done';
  }
  const { model, schema } = code;
  const custom = model.custom_parameters;
  const answer = await askModel(
    { ...needs, providerKeys: needs.storage.stores.providerKeys },
    workspaceId,
    {
      model: model.name,
      messages: renderMessages(code.messages, subject.values),
      temperature: model.temperature,
      seed: model.seed,
      response_format: responseFormat(schema),
      ...(typeof custom === 'object' && custom !== null && !Array.isArray(custom)
        ? { extra_body: custom as Readonly<Record<string, unknown>> } // any object can be read by name
        : {}),
    },
    signal,
  );
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
    await store(needs, run, subject.author, judged);
    log(
      'INFO',
      `Scores of the ${what} were stored: ${judged.map((score) => `${score.name} = ${score.value}`).join(', ')}`,
    );
  }
  return 'done';
};

const tryToJudge = async (
  needs: RunningNeeds,
  rule: AutomationRule,
  run: AutomationRun,
  asking: { readonly log: RuleLog; readonly signal: AbortSignal },
): Promise<Outcome> => {
  const { code, enabled, name } = rule;
  if (!enabled && !run.asked) {
    asking.log(
      'INFO',
      `The ${run.kind} ${run.entityId} was skipped by rule '${name}': the rule is disabled`,
    );
    return 'done';
  }
  if (!isJudge(code)) {
    asking.log('WARN', skipsPython(run, name));
    return 'done';
  }
  try {
    return await ask(needs, { ...rule, code }, run, asking);
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

/** Works on one rule's run: what it comes to is stored before the run ends, so that a crash between them repeats it, and the scores with it. */
export const judge = async (
  needs: RunningNeeds,
  run: AutomationRun & { readonly ruleId: string },
  signal: AbortSignal,
): Promise<void> => {
  const { automationRuns, automations } = needs.storage.stores;
  const { holder } = needs;
  const rules = await automations.listOfProject(run.projectId, run.kind);
  const rule = rules.find(({ id }) => id === run.ruleId);
  if (rule === undefined) return automationRuns.finish(holder, run.id);
  await withLog(needs, run, async (logOf) => {
    const outcome = await tryToJudge(needs, rule, run, { log: logOf(rule.id), signal });
    if (signal.aborted && outcome !== 'done') {
      await automationRuns.postpone(holder, run.id, 0, false);
      return false;
    }
    if (outcome === 'done') await automationRuns.finish(holder, run.id);
    else await automationRuns.postpone(holder, run.id, outcome.againMs, true);
    return true;
  });
};

/** Ends a run of which processes died, so that it does not end every one. */
export const giveUp = (needs: RunningNeeds, run: AutomationRun): Promise<void> =>
  withLog(needs, run, async (logOf) => {
    const { ruleId } = run;
    if (ruleId !== undefined)
      logOf(ruleId)(
        'ERROR',
        `The ${run.kind} ${run.entityId} was given up after ${mostTries} tries`,
      );
    await needs.storage.stores.automationRuns.finish(needs.holder, run.id);
    return true;
  });
