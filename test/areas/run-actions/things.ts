import { thing } from '#test/api/fixtures';
import { projects } from '#test/areas/workspaces/things';

/** An action on no runs, which is through at once. */
export const runActions = thing(async ({ ask, of }) => {
  const { projectId } = await of(projects);
  const { begun } = (await ask('/v1/private/ui/actions', {
    project: projectId,
    runs: [],
    action: 'archive',
  })) as unknown as { readonly begun: { readonly id: string } }; // as the row replies
  return { actionId: begun.id };
});
