import { area } from '#ports/api/area';
import type { Call } from '#ports/api/operation';
import { evaluationOperations } from '#ports/api/evaluations';
import { privateFamily } from '#ports/api/families/private';
import type { Evaluation } from '#ports/model/evaluations';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope } from '#ports/model/projects';
import { readTags, retagged } from '../datasets/rules.js';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readId, readIds } from '../private-wire/ids.js';
import { emptyStream, lineStream, readLimit } from '../private-wire/line-stream.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { reachedIds } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import { selectionOf } from './selecting.js';
import { groupHandlers } from './group-handlers.js';
import { itemHandlers } from './item-handlers.js';
import { uploadHandlers } from './upload-handlers.js';
import { comparedHandlers } from './compared-handlers.js';
import { finisher } from './offers.js';
import { evaluatedPrompts } from './prompts.js';
import { evaluationItemKind, evaluationKind } from './kinds.js';
import {
  evaluationOrders,
  inventName,
  readIdList,
  readMethod,
  isBlank,
  absentEvaluation,
  textOf,
  withValues,
} from './rules.js';
import { showEvaluations } from './showing.js';
import { findByName, datasetOf } from './finding.js';
import { evaluationNeeds } from './needs.js';

interface SentChange {
  readonly name?: string | undefined;
  readonly metadata?: unknown;
  readonly tags?: readonly string[] | undefined;
  readonly tags_to_add?: readonly string[] | undefined;
  readonly tags_to_remove?: readonly string[] | undefined;
  readonly type?: Evaluation['type'] | undefined;
  readonly status?: Evaluation['status'];
  readonly experiment_scores?:
    readonly { readonly name: string; readonly value?: number | undefined }[] | undefined;
  readonly prompt_version?: { readonly id: string } | undefined;
  readonly prompt_versions?: readonly { readonly id: string }[] | undefined;
}

export const evaluationsArea = area({
  name: 'evaluations',
  summary: 'Evaluations of LLM applications over datasets; this wire calls them experiments.',
  family: privateFamily,
  table: evaluationOperations,
  kinds: [evaluationKind, evaluationItemKind],
  needs: evaluationNeeds,
  handlers: (needs) => {
    const { storage, clock, ids } = needs;
    const { stores } = storage;
    const finish = finisher({ storage, clock, ids, settings: needs.alertSettings });
    const { evaluations, datasetItems, libraryPrompts } = stores;

    const changeOf = async (
      workspaceId: string,
      before: Evaluation,
      sent: SentChange,
      caller: Caller,
      mergeTags = false,
    ) => ({
      ...given({
        name: isBlank(sent.name) ? undefined : sent.name,
        metadata: textOf(sent.metadata),
        tags: retagged(before.tags, sent, mergeTags),
        type: sent.type,
        status: sent.status,
        scores: sent.experiment_scores && withValues(sent.experiment_scores),
        prompts: await evaluatedPrompts(libraryPrompts, workspaceId, sent, caller),
      }),
    });

    const setStatus = async (
      body: { readonly ids: readonly string[] },
      scope: ProjectScope,
      status: 'completed' | 'cancelled',
      caller: Caller,
    ): Promise<undefined> => {
      const wanted = await reachedIds(scope, readIds(body.ids), evaluations.findMany);
      await finish(scope.workspace.id, wanted, status, caller);
      return undefined;
    };

    const listEvaluations = async ({
      query,
      projectScope,
    }: Pick<Call<typeof evaluationOperations.listEvaluations>, 'query' | 'projectScope'>) => {
      const page = readPage(query);
      const selection = {
        ...selectionOf(query, projectScope),
        ...given({
          datasetId: query.datasetId && readAnyId(query.datasetId, 'datasetId'),
          optimizationId:
            query.optimization_id && readAnyId(query.optimization_id, 'optimization_id'),
          promptId: query.prompt_id && readAnyId(query.prompt_id, 'prompt_id'),
          ids: isBlank(query.experiment_ids)
            ? undefined
            : readIdList(query.experiment_ids, 'experiment_ids'),
          datasetDeleted: query.dataset_deleted === true ? true : undefined,
        }),
      };
      const found = await evaluations.list({
        ...selection,
        orders: readSorting(query.sorting, evaluationOrders),
        offset: (page.page - 1) * page.size,
        limit: page.size,
      });
      const content = await showEvaluations(stores, selection.workspaceId, found);
      return showPage(
        page,
        { total: await evaluations.count(selection), content },
        evaluationOrders,
      );
    };

    return {
      async createEvaluation({ body, projectTarget, caller }) {
        const workspaceId = projectTarget.workspace.id;
        const id = body.id === undefined ? ids.next() : readId(body.id, 'experiment');
        const optimizationId =
          body.optimization_id === undefined
            ? undefined
            : readId(body.optimization_id, 'optimization');
        const prompts = (await evaluatedPrompts(libraryPrompts, workspaceId, body, caller)) ?? [];
        const ofProject = isOfProject(body, caller);
        const project = ofProject
          ? await requireTarget(storage, { clock, ids }, projectTarget, caller)
          : undefined;
        const target = { ...projectTarget, project };
        const dataset = await datasetOf(needs, body.dataset_name, {
          target,
          projectId: project?.id,
          caller,
        });
        const newest =
          dataset === undefined
            ? undefined
            : await datasetItems.findVersion(workspaceId, dataset.id, 'newest');
        await evaluations.insert({
          workspaceId,
          id,
          projectId: project?.id,
          datasetId: dataset?.id,
          datasetVersionId:
            body.dataset_version_id === undefined
              ? newest?.id
              : readAnyId(body.dataset_version_id, 'dataset_version_id'),
          optimizationId,
          name: body.name === undefined || isBlank(body.name) ? inventName(id) : body.name,
          metadata: textOf(body.metadata),
          tags: body.tags && readTags(body.tags),
          type: body.type ?? 'regular',
          method: readMethod(body.evaluation_method),
          status: body.status,
          scores: body.experiment_scores && withValues(body.experiment_scores),
          finishedAt: undefined,
          prompts,
          ...madeBy(clock, caller),
        });
        return { body: undefined, madeAt: `/v1/private/experiments/${id}` };
      },
      listEvaluations,
      listProjectEvaluations: listEvaluations,
      async streamEvaluations({ body, projectScope, caller }) {
        readLimit(body.limit);
        const { workspace, project, named: ofProject } = projectScope;
        if (ofProject && project === undefined) return emptyStream;
        // Clients take the first of a stream, so that one of just this name must not stand behind others that hold it.
        const exact = await findByName(stores, projectScope, body.name, caller);
        const selection = {
          workspaceId: workspace.id,
          ...given({ projectId: project?.id }),
          ...(exact.length > 0 ? { workspaceId: workspace.id, ids: exact } : { name: body.name }),
        };
        const { projectId: _, ...anywhere } = selection;
        return lineStream(
          { limit: body.limit, after: body.last_retrieved_id },
          {
            list: (page) =>
              evaluations.list({
                ...(exact.length > 0 ? anywhere : selection),
                ...page,
                filters: [],
                orders: [],
              }),
            idOf: ({ id }) => id,
            show: (rows) => showEvaluations(stores, workspace.id, rows),
          },
        );
      },
      async showEvaluation({ evaluation }) {
        const [shown] = await showEvaluations(stores, evaluation.workspaceId, [evaluation]);
        if (shown === undefined) throw absentEvaluation(evaluation.id);
        return shown;
      },
      async updateEvaluation({ body, evaluation, caller }) {
        const { workspaceId, id } = evaluation;
        const change = {
          ...(await changeOf(workspaceId, evaluation, body, caller)),
          ...touchedBy(clock, caller),
        };
        if (!(await evaluations.update(workspaceId, id, change))) throw absentEvaluation(id);
        return undefined;
      },
      async updateEvaluations({ body, reach, caller }) {
        const { workspace } = reach;
        const touch = touchedBy(clock, caller);
        const wanted = await reachedIds(reach, readIds(body.ids), evaluations.findMany);
        const found = await evaluations.findMany(workspace.id, wanted);
        const changes = await Promise.all(
          found.map(async (one) => ({
            id: one.id,
            change: await changeOf(workspace.id, one, body.update, caller, body.merge_tags),
          })),
        );
        await storage.transaction(async (inside) => {
          for (const { id, change } of changes)
            await inside.evaluations.update(workspace.id, id, { ...change, ...touch });
        });
        return undefined;
      },
      finishEvaluations: ({ body, reach, caller }) => setStatus(body, reach, 'completed', caller),
      cancelEvaluations: ({ body, reach, caller }) => setStatus(body, reach, 'cancelled', caller),
      async deleteEvaluations({ body, reach }) {
        const wanted = await reachedIds(reach, readIds(body.ids), evaluations.findMany);
        await evaluations.remove(reach.workspace.id, wanted, clock.now());
        return undefined;
      },
      async listEvaluationScoreNames({ query, projectScope: { workspace, project } }) {
        const names = await evaluations.listScoreNames(
          workspace.id,
          given({
            projectId: project?.id,
            ids: isBlank(query.experiment_ids)
              ? undefined
              : readIdList(query.experiment_ids, 'experiment_ids'),
          }),
        );
        return { scores: names.map((name) => ({ name })) };
      },
      ...groupHandlers(needs),
      ...itemHandlers(needs),
      ...uploadHandlers(needs),
      ...comparedHandlers(needs),
    };
  },
});
