import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { nameSearchOperations } from '#ports/api/name-search';
import { storageOf } from '#ports/storage/storage';
import { findWithin, reachOf } from './reach.js';

const needs = { storage: storageOf('names', 'workspaces') };
const thingsAtOnce = 10;

export const nameSearchArea = area({
  name: 'name-search',
  summary: 'Things of every kind by part of their name.',
  family: privateFamily,
  table: nameSearchOperations,
  needs,
  handlers: ({ storage: { stores } }) => ({
    async searchNames({ query, caller, signal }) {
      const within =
        query.workspace === undefined
          ? undefined
          : await findWithin(stores, caller, query.workspace);
      const { things, more } = await stores.names.find({
        text: query.q,
        reach: { ...reachOf(caller), within },
        limit: query.limit ?? thingsAtOnce,
        signal,
      });
      return {
        things: things.map(({ kind, id, name, key, workspaceName, projectId, projectName }) => ({
          kind,
          id,
          name,
          key: key ?? null,
          workspace: workspaceName,
          projectId: projectId ?? null,
          projectName: projectName ?? null,
        })),
        more,
      };
    },
  }),
});
