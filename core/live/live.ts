import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { liveOperations, type liveEvents } from '#ports/api/live';
import type { StreamedEvent } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import { Live, type LiveMessage } from '#ports/live';
import type { HeardChange } from '#ports/model/changes';
import type { Caller } from '#ports/model/identity';
import { liveSettings } from './settings.js';

const mostRuns = 500;

type Event = StreamedEvent<typeof liveEvents>;

const changed = (id: string, change: HeardChange): Event => {
  const { kind, experimentKey: run, at, gone, modelId = '', subjectId } = change;
  if (kind === 'points') return { event: 'points', id, data: { run, at, cursor: String(at) } };
  if (kind === 'model')
    return { event: 'model', id, data: { run, model: modelId, version: subjectId, at } };
  return { event: kind, id, data: { run, at, gone } };
};

/** Every listener of a project is told of the same change: its data is made once. */
const made = new WeakMap<HeardChange, Event>();
const toEvent = (message: LiveMessage): Event => {
  if (message.is !== 'change')
    return { event: message.is, id: message.id, data: { cursor: message.id } };
  const known = made.get(message.change) ?? changed(message.id, message.change);
  made.set(message.change, known);
  return known.id === message.id ? known : { ...known, id: message.id };
};

async function* toEvents(
  told: AsyncIterable<readonly LiveMessage[]>,
): AsyncIterable<readonly Event[]> {
  for await (const some of told) yield some.map(toEvent);
}

/** Registered models are the workspace's: not for readers of a public project, nor for a key of one project. */
const hearsModels = ({ everywhere, roles, scope }: Caller, workspaceId: string): boolean =>
  (everywhere || roles.has(workspaceId)) && scope?.projectId === undefined;

export const liveArea = area({
  name: 'live',
  summary: 'Changes as they happen, for pages that stay open.',
  family: privateFamily,
  table: liveOperations,
  settings: liveSettings,
  needs: { live: Live },
  handlers: ({ live }) => ({
    async listenToProject({ query, headers, project, experiments, caller, signal }) {
      if (experiments.length > mostRuns)
        throw new Failure('invalid', `runs must be at most ${mostRuns}; leave them out for all`);
      const after = headers['last-event-id'] ?? query.after;
      const told = await live.listen({
        userId: caller.userId,
        projectId: project.id,
        models: hearsModels(caller, project.workspaceId),
        signal,
        ...(query.runs === undefined ? {} : { runs: new Set(experiments.map(({ key }) => key)) }),
        ...(after === undefined ? {} : { after }),
        ...(query.forSeconds === undefined ? {} : { forMs: query.forSeconds * 1000 }),
      });
      return { stream: toEvents(told) };
    },
  }),
});
