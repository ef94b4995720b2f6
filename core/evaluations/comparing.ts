// Items of a dataset with what evaluations made of them.
import type { Dataset } from '#ports/model/datasets';
import type { Caller } from '#ports/model/identity';
import type { PageRequest } from '#ports/page';
import type { ComparedListing } from '#ports/storage/evaluation-items';
import { showColumns, showItem } from '../dataset-items/rules.js';
import { runFacts, type EvaluationStores } from './showing.js';
import { showRun, summarizeRuns } from './wire.js';

/** One page of them. An item is shown as the version has it that the evaluations are of; one that is gone since, as it was. */
export const comparePage = async (
  stores: EvaluationStores,
  { workspaceId, id: datasetId }: Dataset,
  listing: ComparedListing,
  { page, size }: PageRequest,
  caller: Caller,
  truncate: boolean,
) => {
  const { evaluationItems, evaluations, datasetItems } = stores;
  const wanted = await evaluationItems.listCompared({
    ...listing,
    offset: (page - 1) * size,
    limit: size,
  });
  const of = await evaluations.findMany(workspaceId, listing.evaluationIds);
  const versionId = of.find((one) => one.datasetVersionId !== undefined)?.datasetVersionId;
  const [version] =
    versionId === undefined ? [] : await datasetItems.findVersions(workspaceId, [versionId]);
  const items = new Map(
    (await datasetItems.findAsOf(workspaceId, datasetId, wanted, version?.number)).map((item) => [
      item.id,
      item,
    ]),
  );
  const runs = await evaluationItems.listRuns(workspaceId, listing.evaluationIds, wanted);
  const factsOf = await runFacts(stores, workspaceId, runs, caller);
  const content = wanted.flatMap((id) => {
    const item = items.get(id);
    if (item === undefined) return [];
    const own = runs.filter(({ datasetItemId }) => datasetItemId === id);
    return [
      {
        ...showItem(item),
        experiment_items: own.map((run) => showRun(run, factsOf(run), truncate)),
        run_summaries_by_experiment: summarizeRuns(
          own.map((run) => ({ item: run, results: factsOf(run).results })),
        ),
      },
    ];
  });
  return {
    total: await evaluationItems.countCompared(listing),
    content,
    columns: showColumns(await datasetItems.listColumns(workspaceId, datasetId)),
  };
};
