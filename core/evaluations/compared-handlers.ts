// What is told of several evaluations of one dataset together.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Dataset } from '#ports/model/datasets';
import { given } from '../private-wire/given.js';
import { membersOf, showColumns } from '../dataset-items/rules.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { readSorting } from '../private-wire/sorting.js';
import { comparePage } from './comparing.js';
import { showRunStatistics } from './statistics.js';
import { comparedOrders, readComparedFilters, readIdList } from './rules.js';
import type { EvaluationHandlers, EvaluationNeeds } from './needs.js';

/** How many evaluations, and how many of their newest runs, are looked at for what their outputs hold. */
const [mostOfColumns, runsOfColumns] = [50, 500];

/** The evaluations that are compared: of a key of one project those there alone. Rejects with `invalid` where none is named. */
const comparedBy = async (
  { evaluations }: EvaluationNeeds['storage']['stores'],
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

export const comparedHandlers = ({
  storage: { stores },
}: EvaluationNeeds): EvaluationHandlers<
  'summarizeComparedItems' | 'listOutputColumns' | 'compareEvaluations'
> => {
  const { evaluations, evaluationItems } = stores;
  return {
    async summarizeComparedItems({ query, dataset, caller }) {
      const evaluationIds = await comparedBy(stores, caller, dataset, query.experiment_ids);
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
      const evaluationIds = await comparedBy(stores, caller, dataset, query.experiment_ids);
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
};
