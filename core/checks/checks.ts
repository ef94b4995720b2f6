import { area } from '#ports/api/area';
import { checkOperations } from '#ports/api/checks';

/** The gate has done all the work by then. */
export const checksArea = area({
  name: 'checks',
  summary: 'Whether a credential reaches a workspace, for programs of the private wire.',
  family: 'private',
  table: checkOperations,
  needs: {},
  handlers: () => ({
    checkAccess: async () => undefined,
    showAccessWorkspace: async ({ workspace }) => ({ workspace_name: workspace.name }),
  }),
});
