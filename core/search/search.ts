import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { searchOperations } from '#ports/api/search';
import { storageOf } from '#ports/storage/storage';
import { translatePredicates, translateRulesTree } from '../experiments/query/translate.js';
import { offerColumns } from './columns.js';

const needs = { storage: storageOf('search') };
const pageSize = 100;

export const searchArea = area({
  name: 'search',
  summary: 'Finding experiments by conditions on what they logged.',
  family: trackingFamily,
  table: searchOperations,
  needs,
  handlers: ({ storage }) => {
    const { search } = storage.stores;
    return {
      async queryExperiments({ body, project, signal }) {
        const found = await search.find(project.id, translatePredicates(body.predicates ?? []), {
          archived: body.archived ?? false,
          signal,
        });
        return { experimentKeys: found.map(({ key }) => key) };
      },
      async searchExperiments({ body, project, signal }) {
        const limit = body.limit ?? pageSize;
        const found = await search.find(project.id, translateRulesTree(body.rulesTree), {
          archived: body.deleted ?? false,
          limit,
          offset: ((body.page ?? 1) - 1) * limit,
          signal,
        });
        return {
          experiments: found.map(({ key, startTimeMillis }) => ({
            experimentKey: key,
            server_timestamp: startTimeMillis,
          })),
        };
      },
      async listColumns({ project }) {
        return { columns: offerColumns(await search.columns(project.id)) };
      },
    };
  },
});
