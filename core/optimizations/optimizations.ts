import { area } from '#ports/api/area';
import type { Call } from '#ports/api/operation';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { optimizationOperations } from '#ports/api/optimizations';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { EvaluationScore } from '#ports/model/evaluations';
import type { Caller } from '#ports/model/identity';
import {
  optimization,
  type Optimization,
  type OptimizationStatus,
} from '#ports/model/optimizations';
import type { ProjectTarget } from '#ports/model/projects';
import type { EvaluationFigures } from '#ports/storage/evaluations';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { requireDataset } from '../datasets/offers.js';
import { madeBy, showAuthorship, touchedBy } from '../private-wire/authorship.js';
import { readFilters, type FilterTypes } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readId, readIds } from '../private-wire/ids.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { findNamed, oneByOne, reachedIds, recordRules } from '../private-wire/records.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';

const optimizationKind = defineKind(optimization, {
  needs: { storage: storageOf('optimizations', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'optimization', stores.optimizations.find),
});

const fields: FilterTypes = {
  metadata: 'json',
  dataset_id: 'text',
  project_id: 'text',
  status: 'word',
};

/** Trials that are looked at for one optimization. */
const mostTrials = 1000;

const parsed = (text: string | undefined): unknown =>
  text === undefined ? undefined : (JSON.parse(text) as unknown); // as it was written
const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/** The mean of each score over trials. */
const means = (lists: readonly (readonly EvaluationScore[])[]): EvaluationScore[] => {
  const sums = new Map<string, { sum: number; n: number }>();
  for (const { name, value } of lists.flat()) {
    const before = sums.get(name) ?? { sum: 0, n: 0 };
    sums.set(name, { sum: before.sum + value, n: before.n + 1 });
  }
  return [...sums].map(([name, { sum, n }]) => ({ name, value: sum / n }));
};

interface Trial {
  readonly scores: readonly EvaluationScore[];
  readonly figures: EvaluationFigures | undefined;
}

/** What trials came to, in the order they were made: the first is what the search began from. */
const sumTrials = (trials: readonly Trial[], objective: string) => {
  const scoreOf = ({ scores, figures }: Trial): number | undefined =>
    [...scores, ...(figures?.scores ?? [])].find(({ name }) => name === objective)?.value;
  const scored = trials.flatMap((trial) => {
    const score = scoreOf(trial);
    return score === undefined ? [] : [{ trial, score }];
  });
  const [first] = scored;
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (before, one) => (before === undefined || one.score > before.score ? one : before),
    undefined,
  );
  const costs = trials.flatMap(({ figures }) => figures?.cost ?? []);
  return {
    num_trials: trials.length,
    feedback_scores: means(trials.map(({ figures }) => figures?.scores ?? [])),
    experiment_scores: means(trials.map(({ scores }) => scores)),
    baseline_objective_score: first?.score,
    best_objective_score: best?.score,
    baseline_duration: first?.trial.figures?.durations?.p50,
    best_duration: best?.trial.figures?.durations?.p50,
    baseline_cost: first?.trial.figures?.cost,
    best_cost: best?.trial.figures?.cost,
    total_optimization_cost:
      costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
  };
};

interface Sent {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly dataset_name: string;
  readonly project_id?: string | undefined;
  readonly project_name?: string | undefined;
  readonly objective_name: string;
  readonly status: OptimizationStatus;
  readonly metadata?: unknown;
  readonly studio_config?: unknown;
  readonly error_info?: unknown;
}

export const optimizationsArea = area({
  name: 'optimizations',
  summary: 'Searches for better prompts, whose trials are evaluations.',
  family: privateFamily,
  table: optimizationOperations,
  kinds: [optimizationKind],
  needs: {
    storage: storageOf('datasets', 'evaluations', 'optimizations', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => {
    const { stores } = storage;
    const { optimizations, datasets, evaluations } = stores;

    const put = async ({
      body,
      projectTarget,
      caller,
    }: {
      readonly body: Sent;
      readonly projectTarget: ProjectTarget;
      readonly caller: Caller;
    }) => {
      const { workspace } = projectTarget;
      const id = body.id === undefined ? ids.next() : readId(body.id, 'optimization');
      const ofProject = isOfProject(body, caller);
      const project = ofProject
        ? await requireTarget(storage, { clock, ids }, projectTarget, caller)
        : undefined;
      const before = await optimizations.find(workspace.id, id);
      const only = caller.scope?.projectId;
      if (before !== undefined && only !== undefined && before.projectId !== only)
        throw new Failure('conflict', `optimization ${id} already exists`);
      const name = body.dataset_name;
      const dataset =
        (await findNamed(
          stores,
          datasets,
          { workspace, project, named: ofProject },
          name,
          caller,
        )) ??
        (await requireDataset(
          stores,
          { clock, ids },
          {
            workspaceId: workspace.id,
            projectId: project?.id,
            name,
            caller,
          },
        ));
      await optimizations.put({
        workspaceId: workspace.id,
        id,
        projectId: project?.id,
        datasetId: dataset.id,
        name: body.name,
        objectiveName: body.objective_name,
        status: body.status,
        metadata: textOf(body.metadata),
        studioConfig: textOf(body.studio_config),
        errorInfo: textOf(body.error_info),
        ...madeBy(clock, caller),
      });
      return { body: undefined, madeAt: `/v1/private/optimizations/${id}` };
    };

    const trialsOf = async ({ workspaceId, id }: Optimization): Promise<readonly Trial[]> => {
      const found = await evaluations.list({
        workspaceId,
        optimizationId: id,
        filters: [],
        orders: [{ field: 'id', descending: false }],
        limit: mostTrials,
      });
      const figures = await evaluations.figures(
        workspaceId,
        found.map((one) => one.id),
      );
      return found.map((one) => ({ scores: one.scores ?? [], figures: figures.get(one.id) }));
    };
    const showMany = async (workspaceId: string, found: readonly Optimization[]) => {
      const names = new Map(
        (await datasets.findMany(workspaceId, [...new Set(found.map((one) => one.datasetId))])).map(
          ({ id, name }) => [id, name],
        ),
      );
      return Promise.all(
        found.map(async (one) => ({
          id: one.id,
          name: one.name,
          dataset_name: names.get(one.datasetId) ?? '',
          dataset_id: one.datasetId,
          project_id: one.projectId,
          objective_name: one.objectiveName,
          status: one.status,
          metadata: parsed(one.metadata),
          studio_config: parsed(one.studioConfig),
          error_info: parsed(one.errorInfo),
          ...sumTrials(await trialsOf(one), one.objectiveName),
          ...showAuthorship(one),
        })),
      );
    };

    const listOptimizations = async ({
      query,
      projectScope: { workspace, project },
    }: Pick<Call<typeof optimizationOperations.listOptimizations>, 'query' | 'projectScope'>) => {
      const page = readPage(query);
      const { total, content } = await optimizations.list({
        workspaceId: workspace.id,
        ...given({
          projectId: project?.id,
          datasetId: query.dataset_id && readAnyId(query.dataset_id, 'dataset_id'),
          name: query.name,
          datasetName: query.dataset_name,
          datasetDeleted: query.dataset_deleted,
        }),
        filters: readFilters(query.filters, fields),
        offset: (page.page - 1) * page.size,
        limit: page.size,
      });
      return showPage(page, { total, content: await showMany(workspace.id, content) });
    };

    return {
      createOptimization: put,
      putOptimization: put,
      listOptimizations,
      listProjectOptimizations: listOptimizations,
      async showOptimization(call) {
        const [shown] = await showMany(call.optimization.workspaceId, [call.optimization]);
        if (shown === undefined) throw new Failure('absent', 'optimization not found');
        return shown;
      },
      async updateOptimization({ body, optimization: { workspaceId, id }, caller }) {
        const change = {
          ...given({
            name: body.name,
            status: body.status,
            metadata: textOf(body.metadata),
            errorInfo: textOf(body.error_info),
          }),
          ...touchedBy(clock, caller),
        };
        if (!(await optimizations.update(workspaceId, id, change)))
          throw new Failure('absent', `optimization ${id} not found`);
        return undefined;
      },
      async cancelStudioOptimization() {
        const message = 'no optimization runs on this server';
        return { code: 501, message, errors: [message] };
      },
      showStudioLog: async () => ({}),
      async deleteOptimizations({ body, reach }) {
        const wanted = await reachedIds(reach, readIds(body.ids), oneByOne(optimizations.find));
        await optimizations.remove(reach.workspace.id, wanted);
        return undefined;
      },
    };
  },
});
