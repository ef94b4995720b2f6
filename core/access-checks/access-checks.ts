import { privateFamily } from '#ports/api/families/private';
import { area } from '#ports/api/area';
import { accessCheckOperations } from '#ports/api/access-checks';

/** The gate has done all the work by then. */
export const accessChecksArea = area({
  name: 'access-checks',
  summary: 'Whether a credential reaches a workspace, for programs of the private wire.',
  family: privateFamily,
  table: accessCheckOperations,
  needs: {},
  handlers: () => ({
    checkAccess: async () => undefined,
    showAccessWorkspace: async ({ workspace }) => ({ workspace_name: workspace.name }),
  }),
});
