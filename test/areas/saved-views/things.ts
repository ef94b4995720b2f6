import { thing } from '#test/api/fixtures';
import { projects } from '#test/areas/workspaces/things';

/** A shared view of the project. */
export const savedViews = thing(async ({ ask, of }) => {
  const { projectId } = await of(projects);
  const { id = '' } = await ask('/v1/private/ui/views', {
    project: projectId,
    type: 'runs',
    name: 'shared view',
    shared: true,
    content: { columns: ['loss'] },
  });
  return { viewId: id };
});
