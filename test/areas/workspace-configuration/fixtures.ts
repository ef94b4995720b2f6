import type { AreaFixtures } from '#test/api/fixtures';
import { thing } from '#test/api/fixtures';

/** A configuration of the workspace. */
const configurations = thing(async ({ url, owner }) => {
  const { status } = await fetch(`${url}/v1/private/workspaces/configurations`, {
    method: 'PUT',
    headers: { Authorization: owner.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ timeout_to_mark_thread_as_inactive: 'PT1H' }),
  });
  return { status: `${status}` };
});

export const fixtures: AreaFixtures = {
  areas: ['workspace-configuration'],
  things: [configurations],
  rows: {
    putWorkspaceConfiguration: {
      with: () => ({ 'body.timeout_to_mark_thread_as_inactive': 'PT30M' }),
    },
    deleteWorkspaceConfiguration: { consumes: true },
  },
};
