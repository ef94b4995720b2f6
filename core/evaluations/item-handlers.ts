// Items of evaluations: which trace an evaluation has for which item of its dataset.
import type { EvaluationItem } from '#ports/model/evaluations';
import { madeBy } from '../private-wire/authorship.js';
import { readId, readIds, requireSome } from '../private-wire/ids.js';
import { emptyStream, lineStream, readLimit } from '../private-wire/line-stream.js';
import { oneByOne, reachedIds } from '../private-wire/records.js';
import { namingOf, requireTarget } from '../private-wire/targets.js';
import { showRuns } from './showing.js';
import { showPlainItem } from './wire.js';
import { isBlank, absentEvaluation, textOf } from './rules.js';
import { findByName } from './finding.js';
import type { EvaluationHandlers, EvaluationNeeds } from './needs.js';

/** Policies in force for items of datasets that were sent without one: the item's own, else that of the version that is evaluated. */
const policiesFor = async (
  { evaluations, datasetItems }: EvaluationNeeds['storage']['stores'],
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

export const itemHandlers = (
  needs: EvaluationNeeds,
): EvaluationHandlers<
  'addEvaluationItems' | 'streamEvaluationItems' | 'showEvaluationItem' | 'deleteEvaluationItems'
> => {
  const { storage, clock, ids } = needs;
  const { stores } = storage;
  const { evaluations, evaluationItems } = stores;
  return {
    async addEvaluationItems({ body, projectTargets, caller }) {
      requireSome('experiment_items', body.experiment_items);
      const made = madeBy(clock, caller);
      const [first] = projectTargets;
      if (first === undefined) return undefined;
      const workspaceId = first.workspace.id;
      const read = body.experiment_items.map((sent) => ({
        naming:
          isBlank(sent.project_name) && sent.project_id === undefined ? undefined : namingOf(sent),
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
      const policyOf = await policiesFor(stores, workspaceId, items);
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
      const evaluationIds = await findByName(stores, projectScope, body.experiment_name, caller);
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
    showEvaluationItem: async ({ evaluationItem }) => showPlainItem(evaluationItem),
    async deleteEvaluationItems({ body, reach }) {
      const wanted = await reachedIds(reach, readIds(body.ids), oneByOne(evaluationItems.find));
      await evaluationItems.remove(reach.workspace.id, wanted);
      return undefined;
    },
  };
};
