import type { AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';

const period = () => ({
  'body.interval_start': '2026-05-01T00:00:00Z',
  'body.interval_end': '2026-05-03T00:00:00Z',
});
const narrows = 'only narrows what is told of the workspace of the header';
const some = {
  own: () => ({ 'body.project_ids': undefined }),
  notOurs: { 'body.project_ids': narrows },
};

export const fixtures: AreaFixtures = {
  areas: ['project-metrics', 'workspace-metrics'],
  rows: {
    showProjectMetrics: {
      with: () => ({
        'body.metric_type': 'TRACE_COUNT',
        'body.interval': 'DAILY',
        ...period(),
      }),
    },
    showProjectCards: { with: () => ({ 'body.entity_type': 'traces', ...period() }) },
    listProjectScoreNames: {
      own: () => ({ 'query.project_ids': undefined }),
      notOurs: { 'query.project_ids': narrows },
    },
    listProjectStatistics: { ownNames: ['query.name'] },
    summarizeWorkspaceScores: { with: period, ...some },
    showWorkspaceScores: { with: period, ...some },
    showWorkspaceSpans: {
      // A workspace of the battery has more projects than are looked at in one request.
      with: () => ({
        'body.metric_type': 'SPAN_COUNT',
        'body.interval': 'DAILY',
        'body.project_ids': [unknownId],
        ...period(),
      }),
      notOurs: some.notOurs,
    },
    listWorkspaceUsageNames: some,
    summarizeWorkspaceCosts: { with: period, ...some },
    showWorkspaceCosts: { with: period, ...some },
  },
};
