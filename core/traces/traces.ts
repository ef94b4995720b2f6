import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { traceOperations } from '#ports/api/traces';
import { BlobStore } from '#ports/blob-store';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Project } from '#ports/model/projects';
import type { TracedRef, Trace } from '#ports/model/traces';
import { Readiness } from '#ports/readiness';
import { Settings } from '#ports/settings';
import { storageOf, type StorageOf } from '#ports/storage/storage';
import { readId, readIds } from '../private-wire/ids.js';
import { emptyStream, lineStream } from '../private-wire/line-stream.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { showTraces } from './besides.js';
import { entryWriter, mergeTags, type EntryNeeds } from './entries.js';
import { feedbackOf } from './feedback.js';
import { traceKinds } from './kinds.js';
import { partialTrace } from './merging.js';
import { pricesFrom } from './prices.js';
import { readTags, readTrace, readTraceChange } from './reading.js';
import { scorer } from './scoring.js';
import {
  readEntrySorting,
  readExcluded,
  readSelection,
  traceFilters,
  traceSorts,
} from './selecting.js';
import { traceSettings } from './settings.js';
import {
  extentOf,
  rowsAtOnce,
  mostPageBytes,
  mostStreamedBytes,
  showBounds,
  wholly,
} from './showing.js';
import { showStatistics } from './statistics.js';

const root = '/v1/private/traces';

const emptyPage = { total: 0, content: [] } as const;

const handlersOf = (
  needs: Omit<EntryNeeds, 'storage'> & {
    readonly storage: StorageOf<
      | 'annotationQueues'
      | 'automationRuns'
      | 'feedback'
      | 'projects'
      | 'threads'
      | 'traces'
      | 'workspaces'
    >;
  },
  keepAssertions: Parameters<typeof scorer>[2],
) => {
  const { storage } = needs;
  const { traces } = storage.stores;
  const writer = entryWriter<Trace>(needs, {
    kind: 'trace',
    noun: 'Trace',
    change: traces.changeTraces,
    partial: (id, projectId, { now, by }) => partialTrace(id, projectId, now, by),
  });
  const feedback = feedbackOf(needs, 'trace');
  const scores = scorer(needs, 'trace', keepAssertions);
  const requireRow = async ({ id, project }: TracedRef): Promise<Trace> => {
    const [found] = await traces.readTraces(project.id, [id]);
    if (found === undefined) throw new Failure('absent', `trace ${id} not found`);
    return found;
  };
  return { writer, feedback, scores, requireRow };
};

export const tracesArea = area({
  name: 'traces',
  summary: 'Traces of LLM applications, as SDKs write and read them.',
  family: privateFamily,
  table: traceOperations,
  kinds: traceKinds,
  settings: traceSettings,
  needs: {
    storage: storageOf(
      'annotationQueues',
      'attachments',
      'automationRuns',
      'evaluationItems',
      'feedback',
      'guardrails',
      'projects',
      'threads',
      'traceStatistics',
      'traces',
      'workspaces',
    ),
    store: BlobStore,
    clock: Clock,
    ids: Ids,
    readiness: Readiness,
    settings: Settings,
    prices: traceSettings.port,
  },
  handlers: ({ storage, store: { blob }, clock, ids, readiness, settings, prices }) => {
    const { traces } = storage.stores;
    const shown = { storage, blob };
    const { writer, feedback, scores, requireRow } = handlersOf(
      { storage, clock, ids, prices: pricesFrom(prices.ORRERY_MODEL_PRICES) },
      storage.stores.evaluationItems.putResults,
    );
    const remove = (project: Project | undefined, workspaceId: string, wanted: readonly string[]) =>
      traces.removeTraces(workspaceId, wanted, project?.id);

    return {
      async createTraces({ body, projectTargets, caller }) {
        await writer.storeBatch(body.traces, readTrace, projectTargets, caller);
        return undefined;
      },
      async createTrace({ body, projectTarget, caller }) {
        const read = readTrace(body, '', writer.writingOf(caller));
        await writer.storeFresh(read, projectTarget, caller);
        return { body: undefined, madeAt: `${root}/${read.id}` };
      },
      async updateTrace({ params, body, projectTarget, caller }) {
        const id = readId(params.id, 'trace');
        const writing = writer.writingOf(caller);
        const change = readTraceChange(body, writing);
        readTags([...(body.tags_to_add ?? [])]);
        const projectId = await writer.projectFor(id, projectTarget, caller);
        await traces.changeTraces(projectId, [id], (_, stored) =>
          writer.updated(id, projectId, stored, { change, sent: body, writing }),
        );
        return undefined;
      },
      async updateTraces({ body, reach, caller }) {
        const wanted = readIds(body.ids);
        const writing = writer.writingOf(caller);
        const { tags: _, ...change } = readTraceChange(body.update, writing);
        for (const [projectId, some] of await writer.placesIn(wanted, reach))
          await traces.changeTraces(
            projectId,
            some,
            (id, stored) =>
              stored && {
                ...writer.updated(id, projectId, stored, { change, sent: {}, writing }),
                tags: mergeTags(stored.tags, body.update, body.merge_tags === true),
              },
          );
        return undefined;
      },
      async pageTraces({ query, projectTarget: { project } }) {
        const page = readPage(query);
        const orders = readEntrySorting(query.sorting, traceSorts);
        const showing = {
          truncate: query.truncate ?? false,
          excluded: readExcluded(query.exclude),
          stripped: query.strip_attachments,
        };
        const selection = readSelection(project?.id ?? '', query, traceFilters);
        if (project === undefined) return showPage(page, emptyPage, traceSorts);
        const found = await traces.pageTraces({
          ...{ ...selection, ...page, orders },
          ...extentOf(showing, mostPageBytes),
        });
        const content = await showTraces(shown, found.content, showing);
        return {
          ...showPage(page, { total: found.total, content }, traceSorts),
          ...showBounds(found),
        };
      },
      async tracesExist({ query, projectTarget: { project } }) {
        if (project === undefined) return { exists: false };
        const { source, thread_only: inThreads } = query;
        return {
          exists: await traces.exist('trace', {
            projectId: project.id,
            filters: [
              ...(source === undefined
                ? []
                : [{ field: 'source', is: 'words', operator: 'in', value: [source] } as const]),
              ...(inThreads === true
                ? [{ field: 'thread_id', is: 'presence', operator: 'isNotEmpty' } as const]
                : []),
            ],
          }),
        };
      },
      async traceStatistics({ query, projectTarget: { project } }) {
        const selection = readSelection(project?.id ?? '', query, traceFilters);
        const { traceStatistics } = storage.stores;
        const found =
          project === undefined
            ? undefined
            : await traceStatistics.ofTraces(selection, clock.now());
        return showStatistics('trace', found);
      },
      async showTrace({ query, trace }) {
        const [found] = await showTraces(shown, [await requireRow(trace)], {
          ...wholly,
          stripped: query.strip_attachments,
        });
        if (found === undefined) throw new Failure('absent', `trace ${trace.id} not found`);
        return found;
      },
      async searchTraces({ body, projectTarget: { project } }) {
        const showing = {
          truncate: body.truncate ?? true,
          excluded: readExcluded(body.exclude),
          stripped: body.strip_attachments,
        };
        const selection = readSelection(project?.id ?? '', body, traceFilters);
        const stream = lineStream<Trace>(
          { limit: body.limit, after: body.last_retrieved_id },
          {
            atOnce: rowsAtOnce,
            list: (page) =>
              traces.listTraces({ ...selection, ...page, ...extentOf(showing, mostStreamedBytes) }),
            idOf: ({ id }) => id,
            show: (rows) => showTraces(shown, rows, showing, 'write'),
          },
        );
        return project === undefined ? emptyStream : stream;
      },
      async deleteTrace({ params, reach }) {
        await remove(reach.project, reach.workspace.id, readIds([params.id], 'id'));
        return undefined;
      },
      async deleteTraces({ body, projectScope: { workspace, project, named } }) {
        const wanted = readIds(body.ids);
        if (!named || project !== undefined) await remove(project, workspace.id, wanted);
        return undefined;
      },
      scoreTrace: ({ body, trace, caller }) => feedback.scoreOne(body, trace, caller),
      scoreTraces: ({ body, projectTargets, caller }) =>
        scores.scoreMany(body.scores, projectTargets, caller),
      unscoreTrace: ({ params, body, reach }) => scores.unscore(params.id, body, reach),
      listTraceScoreNames: ({ query, projectScope }) => feedback.scoreNames(query, projectScope),
      commentTrace: ({ body, trace, caller }) => feedback.comment(root, body, trace, caller),
      async showTraceComment({ params, traceComment }) {
        return feedback.showComment(traceComment, params['traceId']);
      },
      updateTraceComment: ({ body, traceComment, caller }) =>
        feedback.changeComment(body, traceComment, caller),
      deleteTraceComments: ({ body, reach }) => feedback.deleteComments(body.ids, reach),
      async isAlive() {
        return (await readiness.fault()) === undefined
          ? ({ status: 200, body: { message: 'Healthy Server', healthy: true } } as const)
          : ({ status: 500, body: { message: 'Not Healthy', healthy: false } } as const);
      },
      showServerVersion: async () => ({ version: settings.version }),
    };
  },
});
