import { thing } from '#test/api/fixtures';
import { projects } from '#test/areas/workspaces/things';

export const experiments = thing(async ({ ask, of, owner }) => {
  const { projectName } = await of(projects);
  const { experimentKey = '' } = await ask('/api/rest/v2/write/experiment/create', {
    workspaceName: owner.workspace,
    projectName,
  });
  return { experimentKey };
});
