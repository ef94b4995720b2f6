import { area } from '#ports/api/area';
import type { Call } from '#ports/api/operation';
import { evaluationOperations } from '#ports/api/evaluations';
import { privateFamily } from '#ports/api/families/private';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Evaluation, EvaluationItem } from '#ports/model/evaluations';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope, ProjectTarget } from '#ports/model/projects';
import { storageOf } from '#ports/storage/storage';
import { alertSettings } from '../alerts/settings.js';
import { membersOf, showColumns } from '../dataset-items/rules.js';
import type { Dataset } from '#ports/model/datasets';
import { requireDataset } from '../datasets/offers.js';
import { readTags, retagged } from '../datasets/rules.js';
import { roleOf } from '../permissions.js';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { readFilters } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readId, readIds, requireSome } from '../private-wire/ids.js';
import { emptyStream, lineStream, readLimit } from '../private-wire/line-stream.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { findNamed, oneByOne, reachedIds } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { isOfProject, namingOf, requireTarget } from '../private-wire/targets.js';
import { writingWith } from '../traces/rules.js';
import { traceSettings } from '../traces/settings.js';
import { comparePage } from './comparing.js';
import { finisher } from './offers.js';
import { evaluatedPrompts } from './prompts.js';
import { showRunStatistics } from './statistics.js';
import {
  groupEvaluations,
  mostGrouped,
  readLevels,
  sortingOf,
  sumEvaluations,
  type Level,
} from './grouping.js';
import { evaluationItemKind, evaluationKind } from './kinds.js';
import {
  comparedOrders,
  evaluationFields,
  evaluationOrders,
  inventName,
  readComparedFilters,
  readIdList,
  readMethod,
  readTexts,
} from './rules.js';
import { labelsOf, showEvaluations, showRuns } from './showing.js';
import { scored } from '../annotation-queues/offers.js';
import { derivedIds, goesWith, readUpload, storeUpload } from './uploading.js';
import { showPlainItem } from './wire.js';

/** How many evaluations, and how many of their newest runs, are looked at for what their outputs hold. */
const [mostOfColumns, runsOfColumns] = [50, 500];

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';
const absentEvaluation = (id: string) => new Failure('absent', `experiment ${id} not found`);

interface SentChange {
  readonly name?: string | undefined;
  readonly metadata?: unknown;
  readonly tags?: readonly string[] | undefined;
  readonly tags_to_add?: readonly string[] | undefined;
  readonly tags_to_remove?: readonly string[] | undefined;
  readonly type?: Evaluation['type'] | undefined;
  readonly status?: Evaluation['status'];
  readonly experiment_scores?: Evaluation['scores'];
  readonly prompt_version?: { readonly id: string } | undefined;
  readonly prompt_versions?: readonly { readonly id: string }[] | undefined;
}

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

export const evaluationsArea = area({
  name: 'evaluations',
  summary: 'Evaluations of LLM applications over datasets; this wire calls them experiments.',
  family: privateFamily,
  table: evaluationOperations,
  kinds: [evaluationKind, evaluationItemKind],
  needs: {
    storage: storageOf(
      'alertFirings',
      'alerts',
      'annotationQueues',
      'automationRuns',
      'datasetItems',
      'datasets',
      'evaluationItems',
      'evaluations',
      'feedback',
      'libraryPrompts',
      'projects',
      'traces',
      'workspaces',
    ),
    clock: Clock,
    ids: Ids,
    traceSettings: traceSettings.port,
    alertSettings: alertSettings.port,
  },
  handlers: ({
    storage,
    clock,
    ids,
    traceSettings: { ORRERY_MODEL_PRICES },
    alertSettings: settings,
  }) => {
    const writingOf = writingWith(ORRERY_MODEL_PRICES);
    const { stores } = storage;
    const finish = finisher({ storage, clock, ids, settings });
    const { evaluations, evaluationItems, datasets, datasetItems, libraryPrompts } = stores;

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
        scores: sent.experiment_scores,
        prompts: await evaluatedPrompts(libraryPrompts, workspaceId, sent, caller),
      }),
    });

    const datasetOf = async (
      name: string | undefined,
      target: ProjectTarget,
      projectId: string | undefined,
      caller: Caller,
    ) => {
      if (name === undefined || isBlank(name)) return undefined;
      const { workspace, project } = target;
      const scope = { workspace, project, named: projectId !== undefined };
      return (
        (await findNamed(stores, datasets, scope, name, caller)) ??
        requireDataset(
          stores,
          { clock, ids },
          { workspaceId: workspace.id, projectId, name, caller },
        )
      );
    };

    /** Ids of those of a name: in the project that is named, else anywhere that the caller reaches. */
    const named = async (
      { workspace, project, named: ofProject }: ProjectScope,
      name: string,
      caller: Caller,
    ): Promise<readonly string[]> => {
      const own =
        ofProject && project !== undefined
          ? await evaluations.findByName(workspace.id, name, project.id)
          : [];
      if (own.length > 0) return own;
      const isMember =
        roleOf(caller, workspace.id) !== undefined && caller.scope?.projectId === undefined;
      if (!isMember) return [];
      const anywhere = await evaluations.findByName(workspace.id, name);
      if (!ofProject) return anywhere;
      return (await evaluations.findMany(workspace.id, anywhere))
        .filter(({ projectId }) => projectId === undefined)
        .map(({ id }) => id);
    };

    const selectionOf = (
      query: {
        readonly types?: string | undefined;
        readonly name?: string | undefined;
        readonly project_deleted?: boolean | undefined;
        readonly filters?: string | undefined;
      },
      { workspace, project }: ProjectScope,
    ) => ({
      workspaceId: workspace.id,
      ...given({
        projectId: project?.id,
        name: query.name,
        types: isBlank(query.types) ? undefined : readTexts(query.types, 'types'),
        projectDeleted: query.project_deleted === true ? true : undefined,
      }),
      filters: readFilters(query.filters, evaluationFields),
    });

    /** The groups of the evaluations that are selected. */
    const grouped = async (
      selection: ReturnType<typeof selectionOf>,
      levels: readonly Level[],
      withSums: boolean,
    ) => {
      const { workspaceId } = selection;
      const found = await evaluations.list({ ...selection, orders: [], limit: mostGrouped });
      const figures = withSums
        ? await evaluations.figures(
            workspaceId,
            found.map(({ id }) => id),
          )
        : new Map<string, never>();
      const labels = await labelsOf(stores, workspaceId, found);
      return groupEvaluations(
        found,
        levels,
        ({ field }, value) =>
          field === 'dataset_id' || field === 'project_id' ? (labels.get(value) ?? value) : value,
        withSums ? (of) => sumEvaluations(of, (id) => figures.get(id)) : undefined,
      );
    };

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

    /** The evaluations that are compared: of a key of one project those there alone. Rejects with `invalid` where none is named. */
    const comparedBy = async (
      { scope }: Caller,
      { workspaceId }: Dataset,
      sent: string | undefined,
    ): Promise<readonly string[]> => {
      const named = readIdList(sent, 'experiment_ids');
      if (named.length === 0)
        throw new Failure('invalid', 'query param experiment_ids must not be empty');
      if (scope?.projectId === undefined) return named;
      return (await evaluations.findMany(workspaceId, named))
        .filter(({ projectId }) => projectId === scope.projectId)
        .map(({ id }) => id);
    };

    /** The evaluation that an upload is of, made where it is missing. Rejects with `conflict` where the id is another one's. */
    const uploadedTo = async (
      made: Omit<Evaluation, 'id'>,
      id: string | undefined,
      { scope }: Caller,
    ): Promise<string> => {
      const { workspaceId, name, datasetId = '' } = made;
      const fits = (one: Evaluation | undefined) =>
        one !== undefined &&
        goesWith(one, { id: datasetId }, name) &&
        (scope?.projectId === undefined || scope.projectId === one.projectId);
      if (id === undefined) {
        const named = await evaluations.findMany(
          workspaceId,
          await evaluations.findByName(workspaceId, name),
        );
        const found = named.find((one) => fits(one) && one.projectId === made.projectId);
        if (found !== undefined) return found.id;
      }
      const chosen = id ?? ids.next();
      if (
        !(await evaluations.insert({ ...made, id: chosen })) &&
        !fits(await evaluations.find(workspaceId, chosen))
      )
        throw new Failure(
          'conflict',
          `experiment ${chosen} belongs to another dataset or has another name`,
        );
      return chosen;
    };

    /** Policies in force for items of datasets that were sent without one: the item's own, else that of the version that is evaluated. */
    const policiesFor = async (
      workspaceId: string,
      items: readonly EvaluationItem[],
    ): Promise<(item: EvaluationItem) => string | undefined> => {
      const bare = items.filter(({ executionPolicy }) => executionPolicy === undefined);
      if (bare.length === 0) return () => undefined;
      const own = new Map(
        (
          await datasetItems.findMany(workspaceId, [
            ...new Set(bare.map(({ datasetItemId }) => datasetItemId)),
          ])
        ).map(({ id, executionPolicy }) => [id, executionPolicy]),
      );
      const of = await evaluations.findMany(workspaceId, [
        ...new Set(bare.map(({ evaluationId }) => evaluationId)),
      ]);
      const versions = new Map(
        (
          await datasetItems.findVersions(
            workspaceId,
            of.flatMap(({ datasetVersionId }) => datasetVersionId ?? []),
          )
        ).map(({ id, executionPolicy }) => [id, executionPolicy]),
      );
      const byEvaluation = new Map(
        of.map(({ id, datasetVersionId }) => [id, versions.get(datasetVersionId ?? '')]),
      );
      return ({ datasetItemId, evaluationId }) =>
        own.get(datasetItemId) ?? byEvaluation.get(evaluationId);
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
        const dataset = await datasetOf(body.dataset_name, target, project?.id, caller);
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
          scores: body.experiment_scores,
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
        const exact = await named(projectScope, body.name, caller);
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
      async groupEvaluations({ query, projectScope }) {
        const levels = readLevels(query.groups);
        const content = await grouped(selectionOf(query, projectScope), levels, false);
        const sorting = sortingOf(content, levels.length).map(({ group_sorting }) => ({
          group_sorting: [...group_sorting],
        }));
        return { content, details: { groups_details: sorting } };
      },
      async sumEvaluationGroups({ query, projectScope }) {
        const levels = readLevels(query.groups);
        return { content: await grouped(selectionOf(query, projectScope), levels, true) };
      },
      async addEvaluationItems({ body, projectTargets, caller }) {
        requireSome('experiment_items', body.experiment_items);
        const made = madeBy(clock, caller);
        const [first] = projectTargets;
        if (first === undefined) return undefined;
        const workspaceId = first.workspace.id;
        const read = body.experiment_items.map((sent) => ({
          naming:
            isBlank(sent.project_name) && sent.project_id === undefined
              ? undefined
              : namingOf(sent),
          item: {
            workspaceId,
            id: sent.id === undefined ? ids.next() : readId(sent.id, 'experiment item'),
            evaluationId: readId(sent.experiment_id, 'experiment'),
            datasetItemId: readId(sent.dataset_item_id, 'dataset item'),
            traceId: readId(sent.trace_id, 'trace'),
            projectId: undefined,
            executionPolicy: textOf(sent.execution_policy),
            ...made,
          } satisfies EvaluationItem,
        }));
        const only = caller.scope?.projectId;
        if (only !== undefined)
          for (const one of await evaluations.findMany(
            workspaceId,
            read.map(({ item }) => item.evaluationId),
          ))
            if (one.projectId !== only) throw absentEvaluation(one.id);
        const projectIds = new Map<string, string>();
        for (const target of projectTargets)
          if (read.some(({ naming }) => naming === target.naming))
            projectIds.set(
              target.naming,
              (await requireTarget(storage, { clock, ids }, target, caller)).id,
            );
        const items = read.map(({ naming, item }) => ({
          ...item,
          projectId: naming === undefined ? undefined : projectIds.get(naming),
        }));
        const policyOf = await policiesFor(workspaceId, items);
        await evaluationItems.add(
          items.map((item) => ({
            ...item,
            executionPolicy: item.executionPolicy ?? policyOf(item),
          })),
        );
        return undefined;
      },
      async streamEvaluationItems({ body, projectScope, caller }) {
        readLimit(body.limit);
        const { workspace, project, named: ofProject } = projectScope;
        if (ofProject && project === undefined) return emptyStream;
        const evaluationIds = await named(projectScope, body.experiment_name, caller);
        if (evaluationIds.length === 0) return emptyStream;
        return lineStream(
          { limit: body.limit, after: body.last_retrieved_id },
          {
            list: (page) =>
              evaluationItems.list({ workspaceId: workspace.id, evaluationIds, ...page }),
            idOf: ({ id }) => id,
            show: (rows) => showRuns(stores, workspace.id, rows, caller, body.truncate ?? true),
          },
        );
      },
      async uploadEvaluation({ body, projectTarget, caller, digest }) {
        requireSome('items', body.items);
        const ofProject = isOfProject({ project_name: body.project_name }, caller);
        const id =
          body.experiment_id === undefined ? undefined : readId(body.experiment_id, 'experiment');
        const made = madeBy(clock, caller);
        const writing = (newId: () => string) =>
          writingOf({ now: made.createdAt, by: caller.userName, newId });
        const { workspace } = projectTarget;
        const draft = { workspaceId: workspace.id, evaluationId: ids.next(), projectId: '' };
        // Nothing is made for a request that cannot be read.
        readUpload(
          body.items,
          draft,
          writing(() => ids.next()),
          caller,
        );
        const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
        const projectId = ofProject ? project.id : undefined;
        const target = { ...projectTarget, project };
        const dataset = await datasetOf(body.dataset_name, target, projectId, caller);
        if (dataset === undefined)
          throw new Failure('unprocessable', 'dataset_name must not be blank');
        const newest = await datasetItems.findVersion(workspace.id, dataset.id, 'newest');
        const evaluationId = await uploadedTo(
          {
            workspaceId: workspace.id,
            projectId,
            datasetId: dataset.id,
            datasetVersionId: newest?.id,
            optimizationId: undefined,
            name: body.experiment_name,
            metadata: undefined,
            tags: undefined,
            type: 'regular',
            method: 'dataset',
            status: undefined,
            scores: undefined,
            finishedAt: undefined,
            prompts: [],
            ...made,
          },
          id,
          caller,
        );
        const upload = readUpload(
          body.items,
          { workspaceId: workspace.id, evaluationId, projectId: project.id },
          writing(derivedIds(evaluationId, digest())),
          caller,
        );
        await storage.transaction((inside) => storeUpload(inside, project.id, upload));
        await scored(stores, upload.scores, caller.userName);
        return undefined;
      },
      showEvaluationItem: async ({ evaluationItem }) => showPlainItem(evaluationItem),
      async deleteEvaluationItems({ body, reach }) {
        const wanted = await reachedIds(reach, readIds(body.ids), oneByOne(evaluationItems.find));
        await evaluationItems.remove(reach.workspace.id, wanted);
        return undefined;
      },
      async summarizeComparedItems({ query, dataset, caller }) {
        const evaluationIds = await comparedBy(caller, dataset, query.experiment_ids);
        return showRunStatistics(
          await evaluationItems.sumRuns({
            workspaceId: dataset.workspaceId,
            datasetId: dataset.id,
            evaluationIds,
            filters: readComparedFilters(query.filters),
          }),
        );
      },
      async listOutputColumns({ query, dataset: { workspaceId, id: datasetId }, caller }) {
        const named = readIdList(query.experiment_ids, 'experiment_ids');
        const of = await evaluations.list({
          ...{ workspaceId, datasetId, filters: [], orders: [] },
          ...(named.length === 0 ? {} : { ids: named }),
          ...given({ projectId: caller.scope?.projectId }),
          limit: mostOfColumns + 1,
        });
        const { outputs, cut } = await evaluationItems.listOutputs(
          workspaceId,
          of.slice(0, mostOfColumns).map(({ id }) => id),
          runsOfColumns,
        );
        return {
          columns: showColumns(membersOf(outputs), 'output'),
          searched_newest: cut || of.length > mostOfColumns ? runsOfColumns : undefined,
        };
      },
      async compareEvaluations({ query, dataset, caller }) {
        const page = readPage(query);
        const evaluationIds = await comparedBy(caller, dataset, query.experiment_ids);
        const { total, content, columns } = await comparePage(
          stores,
          dataset,
          {
            workspaceId: dataset.workspaceId,
            datasetId: dataset.id,
            evaluationIds,
            ...given({ search: query.search }),
            filters: readComparedFilters(query.filters),
            orders: readSorting(query.sorting, comparedOrders),
          },
          page,
          caller,
          query.truncate ?? false,
        );
        return { ...showPage(page, { total, content }, comparedOrders), columns };
      },
    };
  },
});
