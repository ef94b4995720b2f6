import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { threadOperations } from '#ports/api/threads';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { ProjectTarget } from '#ports/model/projects';
import type { Thread } from '#ports/model/traces';
import type { Workspace } from '#ports/model/workspaces';
import { storageOf, type StorageOf } from '#ports/storage/storage';
import { awaitRules } from '../automations/offers.js';
import { scored } from '../annotation-queues/offers.js';
import { readIds, requireSome } from '../private-wire/ids.js';
import { emptyStream, lineStream } from '../private-wire/line-stream.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { readSorting } from '../private-wire/sorting.js';
import { namingOf, requireTarget } from '../private-wire/targets.js';
import { threadInactivityMs } from '../workspace-configuration/rules.js';
import { groupBy, mergeTags } from './entries.js';
import { feedbackOf, toScore } from './feedback.js';
import { readSelection, threadFilters, threadSorts } from './selecting.js';
import { showThread } from './showing.js';
import { showStatistics } from './statistics.js';

const root = '/v1/private/traces/threads';
const emptyPage = { total: 0, content: [] } as const;

const requireNamed = (named: boolean): void => {
  if (!named)
    throw new Failure('unprocessable', 'either project_id or project_name must be provided');
};
const absentThread = (id: string) => new Failure('absent', `thread ${id.slice(0, 100)} not found`);

/** Threads of one project as they are shown. */
const showThreads = async (
  { stores: { annotationQueues, feedback } }: StorageOf<'annotationQueues' | 'feedback'>,
  page: readonly Thread[],
  showing: { readonly truncate: boolean; readonly activeSince: number },
) => {
  const [first] = page;
  if (first === undefined) return [];
  const ids = page.map(({ id }) => id);
  const [scores, comments, queues] = await Promise.all([
    feedback.listScores(first.projectId, 'thread', ids),
    feedback.listComments(first.projectId, 'thread', ids),
    annotationQueues.listQueuesOf(first.projectId, ids),
  ]);
  const scoresOf = groupBy(scores, ({ entityId }) => entityId);
  const commentsOf = groupBy(comments, ({ entityId }) => entityId);
  return page.map((one) =>
    showThread(
      one,
      {
        scores: scoresOf.get(one.id) ?? [],
        comments: commentsOf.get(one.id) ?? [],
        queues: queues.get(one.id) ?? [],
      },
      showing,
    ),
  );
};

export const threadsArea = area({
  name: 'threads',
  summary: 'Threads: traces that belong to one conversation.',
  family: privateFamily,
  table: threadOperations,
  needs: {
    storage: storageOf(
      'annotationQueues',
      'automationRuns',
      'feedback',
      'projects',
      'threads',
      'traceStatistics',
      'workspaceConfigurations',
      'workspaces',
    ),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => {
    const { feedback, threads, traceStatistics, workspaceConfigurations } = storage.stores;
    const rows = feedbackOf({ storage, clock, ids }, 'thread');
    const activeSince = async ({ id }: Workspace): Promise<number> => {
      const configuration = await workspaceConfigurations.find(id);
      return (clock.now() - threadInactivityMs(configuration)) * 1000;
    };
    const changeBy = ({ userName }: Caller) => ({ at: clock.now() * 1000, by: userName });
    const select = async (
      { workspace, project }: ProjectTarget,
      asked: Parameters<typeof readSelection>[1],
    ) => ({
      ...readSelection(project?.id ?? '', asked, threadFilters),
      activeSince: await activeSince(workspace),
    });

    return {
      async openThread({ body, projectTarget, caller }) {
        const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
        const change = changeBy(caller);
        const made = await threads.require(project.id, [body.thread_id], change);
        await threads.setClosed([...made.values()], false, change);
        return undefined;
      },
      async closeThreads({ body, projectTarget: { project }, caller }) {
        const wanted = [...new Set(body.thread_ids ?? (body.thread_id ? [body.thread_id] : []))];
        requireSome('thread_ids', wanted);
        const found = project === undefined ? [] : await threads.find(project.id, wanted);
        const known = new Set(found.map(({ threadId }) => threadId));
        for (const one of wanted) if (!known.has(one)) throw absentThread(one);
        const closing = found.map(({ id }) => id);
        await storage.transaction(async (stores) => {
          if (project !== undefined) await awaitRules(stores, project.id, 'thread', closing);
          await stores.threads.setClosed(closing, true, changeBy(caller));
        });
        return undefined;
      },
      async retrieveThread({ body, projectTarget: { project, workspace } }) {
        const found = project === undefined ? [] : await threads.find(project.id, [body.thread_id]);
        const [shown] = await showThreads(storage, found, {
          truncate: body.truncate ?? false,
          activeSince: await activeSince(workspace),
        });
        if (shown === undefined) throw absentThread(body.thread_id);
        return shown;
      },
      async pageThreads({ query, projectTarget }) {
        const { project } = projectTarget;
        const page = readPage(query);
        const orders = readSorting(query.sorting, threadSorts);
        const selection = await select(projectTarget, query);
        if (project === undefined) return showPage(page, emptyPage, threadSorts);
        const found = await threads.page({ ...selection, ...page, orders });
        const content = await showThreads(storage, found.content, {
          truncate: query.truncate ?? false,
          activeSince: selection.activeSince,
        });
        return showPage(page, { total: found.total, content }, threadSorts);
      },
      async searchThreads({ body, projectTarget }) {
        const { project } = projectTarget;
        const selection = await select(projectTarget, body);
        const stream = lineStream<Thread>(
          { limit: body.limit, after: body.last_retrieved_thread_model_id },
          {
            list: (page) => threads.list({ ...selection, ...page }),
            idOf: ({ id }) => id,
            show: (some) =>
              showThreads(storage, some, {
                truncate: body.truncate ?? true,
                activeSince: selection.activeSince,
              }),
          },
        );
        return project === undefined ? emptyStream : stream;
      },
      async threadStatistics({ query, projectTarget }) {
        const { project } = projectTarget;
        const selection = await select(projectTarget, query);
        const found =
          project === undefined
            ? undefined
            : await traceStatistics.ofThreads(selection, clock.now());
        return showStatistics('thread', found);
      },
      async deleteThreads({ body, projectTarget: { project, named } }) {
        requireNamed(named);
        requireSome('thread_ids', body.thread_ids);
        if (project !== undefined) await threads.remove(project.id, body.thread_ids);
        return undefined;
      },
      async tagThreads({ body, reach, caller }) {
        const places = await threads.findPlaces(reach.workspace.id, readIds(body.ids));
        const own = places.filter(
          ({ projectId }) => reach.project === undefined || projectId === reach.project.id,
        );
        await threads.changeTags(
          own.map(({ id }) => id),
          (tags) => mergeTags(tags, body.update, body.merge_tags === true) ?? tags,
          changeBy(caller),
        );
        return undefined;
      },
      async tagThread({ body, thread, caller }) {
        await threads.changeTags(
          [thread.id],
          (tags) => mergeTags(tags, body, false) ?? tags,
          changeBy(caller),
        );
        return undefined;
      },
      async scoreThreads({ body, projectTargets, caller }) {
        const change = changeBy(caller);
        for (const target of projectTargets) {
          const own = body.scores.filter(
            (item) => item.value !== undefined && namingOf(item) === target.naming,
          );
          const scoring = { kind: 'thread', by: change.by, at: change.at } as const;
          const read = own.map((item) =>
            toScore(item, { ...scoring, projectId: '', entityId: item.thread_id }),
          );
          if (read.length === 0) continue;
          const { id: projectId } = await requireTarget(storage, { clock, ids }, target, caller);
          const known = await threads.require(
            projectId,
            read.map(({ entityId }) => entityId),
            change,
          );
          const scores = read.map((score) => ({
            ...score,
            projectId,
            entityId: known.get(score.entityId) ?? '',
          }));
          await feedback.putScores(scores);
          await scored(storage.stores, scores, caller.userName);
        }
        return undefined;
      },
      async unscoreThread({ body, projectTarget: { project, named } }) {
        requireNamed(named);
        requireSome('names', body.names);
        const [found] =
          project === undefined ? [] : await threads.find(project.id, [body.thread_id]);
        if (found !== undefined)
          await feedback.removeScores(
            found.projectId,
            { kind: 'thread', entityId: found.id },
            body.names,
            body.author,
          );
        return undefined;
      },
      listThreadScoreNames: ({ query, projectScope }) => rows.scoreNames(query, projectScope),
      commentThread: ({ body, thread, caller }) => rows.comment(root, body, thread, caller),
      async showThreadComment({ params, threadComment }) {
        return rows.showComment(threadComment, params['threadId']);
      },
      updateThreadComment: ({ body, threadComment, caller }) =>
        rows.changeComment(body, threadComment, caller),
      deleteThreadComments: ({ body, reach }) => rows.deleteComments(body.ids, reach),
    };
  },
});
