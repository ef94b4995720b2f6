// Evaluations in groups.
import {
  groupEvaluations,
  mostGrouped,
  readLevels,
  sortingOf,
  sumEvaluations,
  type Level,
} from './grouping.js';
import { labelsOf } from './showing.js';
import { selectionOf } from './selecting.js';
import type { EvaluationHandlers, EvaluationNeeds } from './needs.js';

/** The groups of the evaluations that are selected. */
const grouped = async (
  stores: EvaluationNeeds['storage']['stores'],
  selection: ReturnType<typeof selectionOf>,
  levels: readonly Level[],
  withSums: boolean,
) => {
  const { workspaceId } = selection;
  const found = await stores.evaluations.list({ ...selection, orders: [], limit: mostGrouped });
  const figures = withSums
    ? await stores.evaluations.figures(
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

export const groupHandlers = ({
  storage: { stores },
}: EvaluationNeeds): EvaluationHandlers<'groupEvaluations' | 'sumEvaluationGroups'> => ({
  async groupEvaluations({ query, projectScope }) {
    const levels = readLevels(query.groups);
    const content = await grouped(stores, selectionOf(query, projectScope), levels, false);
    const sorting = sortingOf(content, levels.length).map(({ group_sorting }) => ({
      group_sorting: [...group_sorting],
    }));
    return { content, details: { groups_details: sorting } };
  },
  async sumEvaluationGroups({ query, projectScope }) {
    const levels = readLevels(query.groups);
    return { content: await grouped(stores, selectionOf(query, projectScope), levels, true) };
  },
});
