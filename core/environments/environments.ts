import { area } from '#ports/api/area';
import { environmentOperations } from '#ports/api/environments';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { environment, type Environment } from '#ports/model/environments';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { madeBy, showAuthorship, touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readId, readIds } from '../private-wire/ids.js';
import { showPage } from '../private-wire/pages.js';
import { recordRules } from '../private-wire/records.js';

const mostEnvironments = 1000;

const environmentKind = defineKind(environment, {
  needs: { storage: storageOf('environments', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'environment', stores.environments.find),
});

const show = (one: Environment) => ({
  id: one.id,
  name: one.name,
  description: one.description,
  color: one.color,
  position: one.position,
  ...showAuthorship(one),
});

export const environmentsArea = area({
  name: 'environments',
  summary: 'Names under which LLM applications run; traces and prompts refer to them.',
  family: privateFamily,
  table: environmentOperations,
  kinds: [environmentKind],
  needs: { storage: storageOf('environments'), clock: Clock, ids: Ids },
  handlers: ({ storage, clock, ids }) => {
    const { environments } = storage.stores;
    return {
      async createEnvironment({ body, workspace, caller }) {
        const id = body.id === undefined ? ids.next() : readId(body.id, 'environment');
        if ((await environments.list(workspace.id)).length >= mostEnvironments)
          throw new Failure('conflict', `a workspace has at most ${mostEnvironments} environments`);
        await environments.insert({
          workspaceId: workspace.id,
          id,
          name: body.name,
          description: body.description,
          color: body.color,
          position: body.position,
          ...madeBy(clock, caller),
        });
        return { body: undefined, madeAt: `/v1/private/environments/${id}` };
      },
      async listEnvironments({ workspace }) {
        const found = await environments.list(workspace.id);
        return showPage({ page: 1 }, { total: found.length, content: found.map(show) });
      },
      showEnvironment: async (call) => show(call.environment),
      async updateEnvironment({ body, environment: { workspaceId, id }, caller }) {
        const { name, description, color, position } = body;
        const change = {
          ...given({ name, description, color, position }),
          ...touchedBy(clock, caller),
        };
        if (!(await environments.update(workspaceId, id, change)))
          throw new Failure('absent', `environment ${id} not found`);
        return undefined;
      },
      async deleteEnvironments({ body, workspace }) {
        await environments.remove(workspace.id, readIds(body.ids));
        return undefined;
      },
    };
  },
});
