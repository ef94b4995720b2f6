// What a judge is asked about, and the question itself. Nothing is stored here.
import type { ChatAnswer, ChatMessage } from '#ports/chat-model';
import type { JudgeCode } from '#ports/model/automations';
import { askModel } from '../chat-completions/offers.js';
import type { AskingNeeds, SubjectNeeds } from './needs.js';
import { asksFor, valuesOf } from './rendering.js';
import { responseFormat } from './replies.js';
import { findConversation, findEntry, listSpans, type Looked } from './subjects.js';

/** What is judged: by whom it was logged, and what placeholders stand for. */
interface Subject {
  readonly author: string;
  readonly values: ReadonlyMap<string, string>;
}

const findEntrySubject = async (
  needs: SubjectNeeds,
  { variables = {}, messages }: JudgeCode,
  run: Looked,
): Promise<Subject | undefined> => {
  const entry = await findEntry(needs, run);
  if (entry === undefined) return undefined;
  const wantsSpans =
    run.kind === 'trace' && Object.hasOwn(variables, 'spans') && asksFor(messages, 'spans');
  const spans = wantsSpans ? JSON.stringify(await listSpans(needs, run)) : undefined;
  return { author: entry.author, values: valuesOf(variables, entry.sections, spans) };
};

/** What a judge looks at; `undefined` where it is not there any more. */
export const findJudged = async (
  needs: SubjectNeeds,
  code: JudgeCode,
  run: Looked,
): Promise<Subject | undefined> => {
  if (run.kind !== 'thread') return findEntrySubject(needs, code, run);
  const conversation = await findConversation(needs, run);
  return (
    conversation && {
      author: conversation.author,
      values: new Map([['context', JSON.stringify(conversation.turns)]]),
    }
  );
};

/** Asks the model of a judge for its scores. Rejects with `invalid` for a model without a key, and with `unavailable` where that cannot be opened. */
export const askJudge = (
  needs: AskingNeeds,
  workspaceId: string,
  { model, schema }: JudgeCode,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<ChatAnswer> => {
  const custom = model.custom_parameters;
  return askModel(
    { ...needs, providerKeys: needs.storage.stores.providerKeys },
    workspaceId,
    {
      model: model.name,
      messages,
      temperature: model.temperature,
      seed: model.seed,
      response_format: responseFormat(schema),
      ...(typeof custom === 'object' && custom !== null && !Array.isArray(custom)
        ? { extra_body: custom as Readonly<Record<string, unknown>> } // any object can be read by name
        : {}),
    },
    signal,
  );
};
