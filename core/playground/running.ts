// Works through prompts that run over datasets, some items at a time: what was answered is stored before it is noted as done, under ids that follow from
// the evaluation and the item, so that a process that dies in between has the next one ask again and store nothing twice.
import type { ChatAnswer, ChatRequest } from '#ports/chat-model';
import { isFailure } from '#ports/failure';
import type { Job } from '#ports/jobs';
import type { DatasetItem } from '#ports/model/datasets';
import type { ClaimedPromptRun, PromptRun } from '#ports/model/prompt-runs';
import { askModel } from '../chat-completions/offers.js';
import { finisher, derivedIds, readUpload, storeUpload } from '../evaluations/offers.js';
import { parseJson } from '../json-text.js';
import { given } from '../private-wire/given.js';
import { writingWith } from '../traces/rules.js';
import { recordOf, type Answered } from './answers.js';
import { messagesFor, settingsOf } from './messages.js';
import type { PlaygroundNeeds } from './needs.js';

/** Runs that one process works on at once, and items of each that are asked for at once. */
const [mostRuns, itemsAtOnce] = [4, 8];
/** Longer than a model is waited for, with all its attempts. */
const claimMs = 10 * 60_000;
const everyMs = 1000;
/** How often a run is claimed by processes that die of it. */
const mostTries = 3;
/** Bytes of the data of items that are read at once. */
const mostBytes = 8_000_000;

const dataOf = ({ data }: DatasetItem): Readonly<Record<string, unknown>> => {
  const value = parseJson(data);
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>) // any object can be read by name
    : {};
};

/** Asks the model; what cannot even be asked, such as messages that are too long, is answered as a fault as well. */
const ask = async (
  needs: PlaygroundNeeds,
  workspaceId: string,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatAnswer & { readonly provider?: string }> => {
  try {
    return await askModel(
      { ...needs, providerKeys: needs.storage.stores.providerKeys },
      workspaceId,
      request,
      signal,
    );
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown;
    return { fault: { status: undefined, message: thrown.message, retry: false } };
  }
};

const answer = async (
  needs: PlaygroundNeeds,
  { workspaceId, prompt }: PromptRun,
  item: DatasetItem,
  signal: AbortSignal,
): Promise<Answered> => {
  const startedAt = needs.clock.now() * 1000;
  const done = (messages: Answered['messages'], came: ChatAnswer, provider?: string): Answered => ({
    ...{ item, messages, provider, answer: came, startedAt },
    endedAt: needs.clock.now() * 1000,
  });
  let messages: Answered['messages'];
  try {
    messages = messagesFor(prompt.messages, dataOf(item));
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown;
    const { message } = thrown;
    return done(prompt.messages, { fault: { status: undefined, message, retry: false } });
  }
  const request = { model: prompt.model, messages, ...settingsOf(prompt.configs) };
  const { provider, ...came } = await ask(needs, workspaceId, request, signal);
  return done(messages, came, provider);
};

const store = async (
  needs: PlaygroundNeeds,
  run: PromptRun,
  answered: readonly Answered[],
): Promise<void> => {
  const { workspaceId, evaluationId, projectId, userName, ruleIds } = run;
  const now = needs.clock.now() * 1000;
  const uploads = answered.map((one) => {
    const digest = needs.ids.digest(`${evaluationId} ${one.item.id}`);
    const newId = derivedIds(evaluationId, digest);
    const writing = writingWith(needs.prices)({ now, by: userName, newId });
    const of = { workspaceId, evaluationId, projectId };
    const read = readUpload([recordOf(run, one)], of, writing, { userName });
    const items = read.items.map((item) => ({
      ...item,
      executionPolicy: one.item.executionPolicy,
    }));
    return { ...read, items };
  });
  await storeUpload(needs.storage.stores, projectId, {
    traces: uploads.flatMap(({ traces }) => traces),
    spans: uploads.flatMap(({ spans }) => spans),
    scores: [],
    items: uploads.flatMap(({ items }) => items),
  });
  const traceIds = uploads.flatMap(({ traces }) => traces.map(({ id }) => id));
  if (ruleIds.length > 0)
    await needs.storage.stores.automationRuns.enqueueFor(projectId, 'trace', traceIds, ruleIds);
};

/** Works on the next items of a run, or ends it. Then others have their turn, so that no long run keeps short ones waiting. */
const workOn = async (
  needs: PlaygroundNeeds,
  claimed: ClaimedPromptRun,
  signal: AbortSignal,
): Promise<void> => {
  const { datasetItems, evaluations, projects, promptRuns } = needs.storage.stores;
  const { holder } = needs;
  const { workspaceId, evaluationId, datasetId, projectId, version, filters, userName } = claimed;
  const end = async (status: 'completed' | 'failed'): Promise<void> => {
    const finish = finisher({ ...needs, settings: needs.alerts });
    await finish(workspaceId, [evaluationId], status, { userName });
    await promptRuns.finish(holder, claimed);
  };
  const evaluation = await evaluations.find(workspaceId, evaluationId);
  if (evaluation?.status !== 'running') return promptRuns.finish(holder, claimed);
  const hasProject = (await projects.findById(projectId)) !== undefined;
  if (claimed.tries > mostTries || !hasProject) return end('failed');
  const items = await datasetItems.list({
    ...{ workspaceId, datasetId, version, filters, limit: itemsAtOnce, mostBytes },
    ...given({ beforeId: claimed.doneId }),
  });
  const last = items.at(-1);
  if (last === undefined) return end('completed');
  const answered = await Promise.all(items.map((item) => answer(needs, claimed, item, signal)));
  // What ends with the process is no fault of the model's.
  if (signal.aborted) return promptRuns.postpone(holder, claimed, 0);
  await store(needs, claimed, answered);
  await promptRuns.advance(holder, claimed, last.id);
};

/** Works on all that is due. May go on in several processes at once: each run is claimed by one. */
export const runPromptsDue = async (needs: PlaygroundNeeds, signal: AbortSignal): Promise<void> => {
  const { promptRuns } = needs.storage.stores;
  const going = new Set<Promise<void>>();
  const start = (run: ClaimedPromptRun): void => {
    const work: Promise<void> = workOn(needs, run, signal)
      .catch((fault: unknown) => {
        needs.log.warn('a prompt failed to run over a dataset', {
          ...{ experiment: run.evaluationId, tries: run.tries, fault: String(fault) },
        });
        // The claim runs out, and it is tried again then.
      })
      .finally(() => going.delete(work));
    going.add(work);
  };
  try {
    for (;;) {
      const room = signal.aborted ? 0 : mostRuns - going.size;
      const claimed = room > 0 ? await promptRuns.claim(needs.holder, room, claimMs) : [];
      claimed.forEach(start);
      if (going.size === 0) return;
      await Promise.race(going);
    }
  } finally {
    await Promise.all(going);
  }
};

export const playgroundJobs = (needs: PlaygroundNeeds): readonly Job[] => [
  {
    name: 'run-prompts',
    everyMs,
    run: (signal) => runPromptsDue(needs, signal),
  },
];
