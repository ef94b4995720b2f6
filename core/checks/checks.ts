import { privateFamily } from '#ports/api/families/private';
import { area } from '#ports/api/area';
import { checkOperations } from '#ports/api/checks';

/** The gate has done all the work by then. */
export const checksArea = area({
  name: 'checks',
  family: privateFamily,
  table: checkOperations,
  needs: {},
  handlers: () => ({
    checkAccess: async () => undefined,
    showAccessWorkspace: async ({ workspace }) => ({ workspace_name: workspace.name }),
  }),
});
