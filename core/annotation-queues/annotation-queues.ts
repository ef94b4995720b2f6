import { area } from '#ports/api/area';
import { annotationQueueOperations } from '#ports/api/annotation-queues';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import {
  annotationQueue,
  type AnnotationQueue,
  type FoundQueue,
  type QueueScope,
} from '#ports/model/annotation-queues';
import type { Caller } from '#ports/model/identity';
import type { ProjectTarget } from '#ports/model/projects';
import { queueOrders } from '#ports/storage/annotation-queues';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { readFilters } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readId, readIds, requireSome } from '../private-wire/ids.js';
import { showInstant } from '../private-wire/instants.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { reachedIds, recordRules } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { namingOf } from '../private-wire/targets.js';
import {
  checkSettings,
  isSameQueue,
  queueFilters,
  readAutomation,
  readItemIds,
  settingsOf,
  showLocks,
  showQueue,
  type SentAutomation,
  type SentSettings,
} from './rules.js';

const annotationQueueKind = defineKind(annotationQueue, {
  needs: { storage: storageOf('annotationQueues', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'annotation queue', stores.annotationQueues.find),
});

interface SentQueue extends SentSettings {
  readonly id?: string | undefined;
  readonly project_id: string;
  readonly name: string;
  readonly scope: QueueScope;
  readonly automation?: SentAutomation | undefined;
}

export const annotationQueuesArea = area({
  name: 'annotation-queues',
  summary: 'Queues of traces and threads that people look through and score.',
  family: privateFamily,
  table: annotationQueueOperations,
  kinds: [annotationQueueKind],
  needs: {
    storage: storageOf('annotationQueues', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => {
    const { annotationQueues: queues } = storage.stores;

    const readQueue = (
      sent: SentQueue,
      { workspace, project }: ProjectTarget,
      caller: Caller,
    ): AnnotationQueue => ({
      workspaceId: workspace.id,
      id: sent.id === undefined ? ids.next() : readId(sent.id, 'annotation queue'),
      projectId: project?.id ?? '',
      name: sent.name,
      scope: sent.scope,
      ...settingsOf(sent),
      automation: readAutomation(undefined, sent.automation),
      ...madeBy(clock, caller),
    });
    const showMany = async (found: readonly FoundQueue[]) => {
      const progress = await queues.progress(found);
      return found.map((queue) => showQueue(queue, progress.get(queue.id)));
    };
    const absentQueue = (id: string) => new Failure('absent', `annotation queue ${id} not found`);

    return {
      async listAnnotationQueues({ query, reach: { workspace, project } }) {
        const page = readPage(query);
        const { total, content } = await queues.list({
          workspaceId: workspace.id,
          ...given({ projectId: project?.id, name: query.name?.trim() }),
          filters: readFilters(query.filters, queueFilters),
          orders: readSorting(query.sorting, queueOrders),
          offset: (page.page - 1) * page.size,
          limit: page.size,
        });
        return showPage(page, { total, content: await showMany(content) }, queueOrders);
      },
      async createAnnotationQueue({ body, projectTarget, caller }) {
        const queue = readQueue(body, projectTarget, caller);
        try {
          await queues.insert([queue]);
        } catch (thrown) {
          // A client that did not hear the reply sends the same again.
          const stored =
            isFailure(thrown) && thrown.kind === 'conflict'
              ? await queues.find(queue.workspaceId, queue.id)
              : undefined;
          if (stored === undefined || !isSameQueue(stored, queue)) throw thrown;
        }
        return { body: undefined, madeAt: `/v1/private/annotation-queues/${queue.id}` };
      },
      async createAnnotationQueues({ body, projectTargets, caller }) {
        const targets = new Map(projectTargets.map((target) => [target.naming, target]));
        const made = body.annotation_queues.flatMap((sent) => {
          const target = targets.get(namingOf(sent));
          return target === undefined ? [] : [readQueue(sent, target, caller)];
        });
        if (new Set(made.map(({ id }) => id)).size < made.length)
          throw new Failure('invalid', 'annotation queue ids of a batch must differ');
        await queues.insert(made);
        return undefined;
      },
      async deleteAnnotationQueues({ body, reach }) {
        const wanted = await reachedIds(reach, readIds(body.ids), queues.findMany);
        await queues.remove(reach.workspace.id, wanted);
        return undefined;
      },
      async showAnnotationQueue(call) {
        const [shown] = await showMany([call.annotationQueue]);
        if (shown === undefined) throw absentQueue(call.annotationQueue.id);
        return shown;
      },
      async updateAnnotationQueue({ body, annotationQueue: { workspaceId, id }, caller }) {
        checkSettings(body);
        const { description, instructions, name } = body;
        const changed = given({
          ...{ name, description, instructions },
          commentsEnabled: body.comments_enabled,
          definitionNames: body.feedback_definition_names && [
            ...new Set(body.feedback_definition_names),
          ],
          annotatorsPerItem: body.annotators_per_item,
          lockTimeoutSeconds: body.lock_timeout_seconds,
          annotatorView:
            body.annotator_view === undefined ? undefined : JSON.stringify(body.annotator_view),
        });
        const found = await queues.change(workspaceId, id, ({ automation }) => ({
          ...changed,
          ...given({ automation: body.automation && readAutomation(automation, body.automation) }),
          ...touchedBy(clock, caller),
        }));
        if (!found) throw absentQueue(id);
        return undefined;
      },
      async addQueueItems({ body, annotationQueue: queue }) {
        requireSome('ids', body.ids);
        const now = clock.now();
        await queues.addItems(queue, [...new Set(readItemIds(body.ids, now))], now * 1000);
        return undefined;
      },
      async removeQueueItems({ body, annotationQueue: queue }) {
        await queues.removeItems(queue, readIds(body.ids));
        return undefined;
      },
      async findQueueItems({ body, annotationQueue: queue }) {
        const found = await queues.findItems(queue, readIds(body.ids));
        return { content: found.map(({ id, source }) => ({ id, source })) };
      },
      async listQueueLocks({ params, reach: { workspace, project } }) {
        const queue = await queues.find(workspace.id, params.queueId.toLowerCase());
        const isReached =
          queue !== undefined && (project === undefined || project.id === queue.projectId);
        return { locks: isReached ? showLocks(await queues.listLocks(queue)) : {} };
      },
      async lockQueueItem({ params, annotationQueue: queue, caller }) {
        const itemId = params.itemId.toLowerCase();
        const outcome = await queues.lock(queue, itemId, caller.userName);
        if (outcome === undefined)
          throw new Failure(
            'absent',
            `item ${params.itemId.slice(0, 100)} of the annotation queue not found`,
          );
        return {
          acquired: outcome.acquired,
          item_id: itemId,
          locked_by: caller.userName,
          expires_at: outcome.acquired ? showInstant(outcome.expiresAt * 1000) : undefined,
        };
      },
      async releaseQueueItem({ params, annotationQueue: { projectId }, caller }) {
        await queues.release(projectId, [params.itemId.toLowerCase()], caller.userName);
        return undefined;
      },
    };
  },
});
