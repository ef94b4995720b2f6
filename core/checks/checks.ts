import { area } from '#ports/api/area';
import { checkOperations } from '#ports/api/checks';

/** The gate has done all the work by then. */
export const checksArea = area({
  name: 'checks',
  family: 'private',
  table: checkOperations,
  needs: {},
  handlers: () => ({
    checkAccess: async () => undefined,
    showAccessWorkspace: async ({ workspace }) => ({ workspace_name: workspace.name }),
  }),
});
