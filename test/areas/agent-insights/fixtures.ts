import { insightsProject } from '#ports/model/agent-insights';
import { kindIn, type AreaFixtures, type RowFixture } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { insights, plainProject } from './things.js';

const inProject = 'is looked for in the project of the request alone';
const days = { 'query.from_date': '2026-01-01', 'query.to_date': '2026-12-31' };
const issue = {
  ...{ name: 'x', count: 1, total_count: 1, users_impacted: 0, total_users: 0 },
  severity: 'high',
};

const ofIssue: RowFixture = {
  with: (world) => ({ 'params.issue_id': world.of(insights).issueId }),
  notOurs: { 'params.issue_id': inProject },
};

export const fixtures: AreaFixtures = {
  areas: ['agent-insights'],
  things: [plainProject],
  kinds: [
    kindIn(insightsProject, insights, {
      name: ({ projectId }) => projectId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    createInsightsJob: {
      consumes: true,
      with: (world) => ({ 'params.projectId': world.of(plainProject).projectId }),
    },
    updateInsightsJob: { with: () => ({ 'body.status': 'enabled' }) },
    setInsightsGuidance: { with: () => ({ 'body.guidance': 'look' }) },
    listInsightsIssues: { with: () => days },
    showInsightsIssue: {
      ...ofIssue,
      with: (world) => ({ ...ofIssue.with?.(world), ...days }),
    },
    reportInsightsIssues: {
      with: () => ({ 'body.report_day': '2026-05-02', 'body.issues': [issue] }),
      notOurs: { 'body.issues.*.id': 'is made by clients' },
      ownNames: ['body.issues.*.name'],
    },
    setInsightsIssueStatus: {
      ...ofIssue,
      with: (world) => ({ ...ofIssue.with?.(world), 'body.status': 'closed' }),
    },
  },
};
