import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

/** A project with a job, and an issue that was reported. */
export const insights = thing(async ({ ask, read }) => {
  const name = freshName('insights');
  await ask('/v1/private/projects', { name });
  const page = await read(`/v1/private/projects?${new URLSearchParams({ name }).toString()}`);
  const [project] = page['content'] as readonly { readonly id: string }[]; // as every page has it
  const projectId = project?.id ?? '';
  const issueId = v7();
  await ask(`/v1/private/agent-insights/jobs/${projectId}`, {});
  await ask('/v1/private/agent-insights/issues', {
    project_id: projectId,
    report_day: '2026-05-01',
    issues: [
      { id: issueId, name: 'x', count: 1, total_count: 2, users_impacted: 0, total_users: 0 },
    ],
  });
  return { projectId, issueId };
});

/** A project without a job. */
export const plainProject = thing(async ({ ask, read }) => {
  const name = freshName('plain');
  await ask('/v1/private/projects', { name });
  const page = await read(`/v1/private/projects?${new URLSearchParams({ name }).toString()}`);
  const [project] = page['content'] as readonly { readonly id: string }[]; // as every page has it
  return { projectId: project?.id ?? '' };
});
