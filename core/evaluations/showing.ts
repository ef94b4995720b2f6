// What evaluations and their runs are shown with: gathered for a whole page, in as many questions as for one.
import type { EvaluationItem, Evaluation } from '#ports/model/evaluations';
import type { Score, TraceComment } from '#ports/model/traces';
import type { Caller } from '#ports/model/identity';
import type { TraceFacts } from '#ports/storage/evaluation-items';
import type { Stores } from '#ports/storage/storage';
import { showFeedback } from '../traces/rules.js';
import { showEvaluation, showRun, type RunFacts } from './wire.js';

export type EvaluationStores = Pick<
  Stores,
  | 'datasetItems'
  | 'datasets'
  | 'evaluationItems'
  | 'evaluations'
  | 'feedback'
  | 'libraryPrompts'
  | 'projects'
>;

const present = (ids: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(ids.filter((id) => id !== undefined)),
];
const byId = <T extends { readonly id: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((one) => [one.id, one]));

const projectNames = async (
  { projects }: Pick<Stores, 'projects'>,
  ids: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, string>> => {
  const found = await Promise.all(present(ids).map((id) => projects.findById(id)));
  return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.id, one.name] as const])));
};

/** Names of the datasets and projects of evaluations, by their ids. */
export const labelsOf = async (
  stores: Pick<Stores, 'datasets' | 'projects'>,
  workspaceId: string,
  found: readonly Evaluation[],
): Promise<ReadonlyMap<string, string>> => {
  const datasets = await stores.datasets.findMany(
    workspaceId,
    present(found.map(({ datasetId }) => datasetId)),
  );
  const projects = await projectNames(
    stores,
    found.map(({ projectId }) => projectId),
  );
  return new Map([...datasets.map(({ id, name }) => [id, name] as const), ...projects]);
};

/** Evaluations of one workspace as they are shown. */
export const showEvaluations = async (
  stores: EvaluationStores,
  workspaceId: string,
  found: readonly Evaluation[],
) => {
  const figures = await stores.evaluations.figures(
    workspaceId,
    found.map(({ id }) => id),
  );
  const datasets = byId(
    await stores.datasets.findMany(workspaceId, present(found.map((one) => one.datasetId))),
  );
  const versions = byId(
    await stores.datasetItems.findVersions(
      workspaceId,
      present(found.map((one) => one.datasetVersionId)),
    ),
  );
  const links = found.flatMap(({ prompts }) => prompts);
  const promptVersions = byId(
    await stores.libraryPrompts.findVersions(
      workspaceId,
      present(links.map((one) => one.versionId)),
    ),
  );
  const prompts = byId(
    await stores.libraryPrompts.findMany(workspaceId, present(links.map((one) => one.promptId))),
  );
  const projects = await projectNames(
    stores,
    found.map(({ projectId }) => projectId),
  );
  return found.flatMap((one) => {
    const sums = figures.get(one.id);
    if (sums === undefined) return [];
    return [
      showEvaluation(one, sums, {
        datasetName: datasets.get(one.datasetId ?? '')?.name,
        projectName: projects.get(one.projectId ?? ''),
        version: versions.get(one.datasetVersionId ?? ''),
        versionOf: (id) => promptVersions.get(id),
        promptOf: (id) => prompts.get(id),
      }),
    ];
  });
};

/** Scores and comments about traces, by the ids of those. */
const readFeedback = async (
  { feedback }: Pick<Stores, 'feedback'>,
  traces: readonly TraceFacts[],
) => {
  const byProject = new Map<string, string[]>();
  for (const { projectId, traceId } of traces)
    byProject.set(projectId, [...(byProject.get(projectId) ?? []), traceId]);
  const scores: Score[] = [];
  const comments: TraceComment[] = [];
  for (const [projectId, ids] of byProject) {
    scores.push(...(await feedback.listScores(projectId, 'trace', ids)));
    comments.push(...(await feedback.listComments(projectId, 'trace', ids)));
  }
  const [scored, commented] = [byEntity(scores), byEntity(comments)];
  return (id: string) => showFeedback(scored.get(id) ?? [], commented.get(id) ?? []);
};
const byEntity = <T extends { readonly entityId: string }>(
  all: readonly T[],
): ReadonlyMap<string, readonly T[]> => {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const list = found.get(one.entityId);
    if (list === undefined) found.set(one.entityId, [one]);
    else list.push(one);
  }
  return found;
};

/** What is known of the traces of items, and of the items of datasets that they are of: where a key is of one project, of traces there alone. */
export const runFacts = async (
  stores: EvaluationStores,
  workspaceId: string,
  items: readonly EvaluationItem[],
  { scope }: Pick<Caller, 'scope'>,
): Promise<(item: EvaluationItem) => RunFacts> => {
  const traceIds = present(items.map(({ traceId }) => traceId));
  const reaches = ({ projectId }: { readonly projectId: string }) =>
    scope?.projectId === undefined || scope.projectId === projectId;
  const traces = new Map(
    [...(await stores.evaluationItems.traceFacts(workspaceId, traceIds))].filter(([, one]) =>
      reaches(one),
    ),
  );
  const results = (await stores.evaluationItems.listResults(workspaceId, 'trace', traceIds)).filter(
    reaches,
  );
  const projects = await projectNames(
    stores,
    [...traces.values()].map(({ projectId }) => projectId),
  );
  const feedbackOf = await readFeedback(stores, [...traces.values()]);
  const descriptions = await stores.datasetItems.findDescriptions(
    workspaceId,
    present(items.map(({ datasetItemId }) => datasetItemId)),
  );
  const byTrace = new Map<string, (typeof results)[number][]>();
  for (const result of results) {
    const list = byTrace.get(result.entityId);
    if (list === undefined) byTrace.set(result.entityId, [result]);
    else list.push(result);
  }
  return ({ traceId, datasetItemId }) => {
    const trace = traces.get(traceId);
    return {
      trace,
      results: byTrace.get(traceId) ?? [],
      ...feedbackOf(traceId),
      projectName: projects.get(trace?.projectId ?? ''),
      description: descriptions.get(datasetItemId),
    };
  };
};

/** Items of evaluations of one workspace as they are shown with their traces. */
export const showRuns = async (
  stores: EvaluationStores,
  workspaceId: string,
  items: readonly EvaluationItem[],
  caller: Caller,
  truncate: boolean,
) => {
  const factsOf = await runFacts(stores, workspaceId, items, caller);
  return items.map((item) => showRun(item, factsOf(item), truncate));
};
