// What rules look at: an entry with its sections, the spans of a trace, the turns of a thread.
import type { AutomationRun } from '#ports/model/automations';
import type { Trace } from '#ports/model/traces';
import { parseJson } from '../json-text.js';
import type { SubjectNeeds } from './needs.js';
import type { Sections } from './rendering.js';

/** What a rule looks at. */
export type Looked = Pick<AutomationRun, 'projectId' | 'entityId' | 'kind'>;

/** How much is read of what was logged: of each member, of a thread's and of a trace's rows, and of all of them. */
const longestMember = 1_000_000;
const [mostTraces, mostSpans, mostBytes] = [200, 200, 8_000_000];
const longestOfMany = 50_000;

/** JSON text as a value; where it was cut, as a text. */
const valueOf = (json: string | undefined): unknown =>
  json === undefined ? undefined : (parseJson(json) ?? json);

/** The spans of a trace in the order in which they were logged, as JSON values. */
export const listSpans = async (
  { storage: { stores } }: SubjectNeeds,
  { projectId, entityId }: Looked,
): Promise<readonly object[]> => {
  const spans = await stores.traces.listSpans({
    ...{ projectId, traceId: entityId, filters: [], limit: mostSpans },
    ...{ characters: longestOfMany, mostBytes },
  });
  return [...spans].reverse().map((span) => ({
    ...{ id: span.id, parent_span_id: span.parentSpanId, name: span.name, type: span.type },
    ...{ input: valueOf(span.input), output: valueOf(span.output) },
    ...{ metadata: valueOf(span.metadata), error_info: valueOf(span.errorInfo) },
    ...{ model: span.model, provider: span.provider, usage: valueOf(span.usage) },
  }));
};

/** A trace or a span: who logged it, and what. */
export const findEntry = async (
  { storage: { stores } }: SubjectNeeds,
  { projectId, entityId, kind }: Looked,
): Promise<{ readonly author: string; readonly sections: Sections } | undefined> => {
  const listing = {
    ...{ projectId, fromId: entityId, toId: entityId, filters: [], limit: 1 },
    characters: longestMember,
  };
  const [entry] =
    kind === 'trace'
      ? await stores.traces.listTraces(listing)
      : await stores.traces.listSpans(listing);
  return entry && { author: entry.createdBy, sections: entry };
};

const turnsOf = ({ input, output }: Trace) => [
  ...(input === undefined ? [] : [{ role: 'user', content: valueOf(input) }]),
  ...(output === undefined ? [] : [{ role: 'assistant', content: valueOf(output) }]),
];

/** A thread: who logged it, and what was said, the first turn first. */
export const findConversation = async (
  { storage: { stores } }: SubjectNeeds,
  { projectId, entityId }: Looked,
): Promise<
  | {
      readonly author: string;
      readonly turns: readonly { readonly role: string; readonly content: unknown }[];
    }
  | undefined
> => {
  const [thread] = await stores.threads.list({
    ...{ projectId, fromId: entityId, toId: entityId, filters: [], limit: 1, activeSince: 0 },
  });
  if (thread === undefined) return undefined;
  const { threadId } = thread;
  const traces = await stores.traces.listTraces({
    ...{ projectId, threadId, filters: [], limit: mostTraces },
    ...{ characters: longestOfMany, mostBytes },
  });
  return { author: thread.createdBy, turns: [...traces].reverse().flatMap(turnsOf) };
};
