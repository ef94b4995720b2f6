import type { AreaFixtures, RowFixture } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';

/** No key of anybody is the internal token. */
const guarded: RowFixture = {
  open: 'asks for the internal token, which is no key of anybody',
  refusesEverybody: true,
};
const byToken = 'are of any workspace, for who brings the internal token';

export const fixtures: AreaFixtures = {
  areas: ['internal-usage'],
  rows: {
    enrolInsightsProjects: {
      ...guarded,
      with: () => ({ 'body.enrolled': true, 'body.project_ids': [unknownId] }),
      notOurs: { 'body.project_ids': byToken },
    },
    findUsageProjects: {
      ...guarded,
      with: () => ({ 'body.workspace_ids': [unknownId] }),
      notOurs: { 'body.workspace_ids': byToken, 'body.project_ids': byToken },
      ownNames: ['body.name'],
    },
    countMadeDatasets: guarded,
    countMadeEvaluations: guarded,
    countMadeSpans: guarded,
    countMadeTraces: guarded,
    breakDownSpans: guarded,
    countSpansOfWorkspaces: guarded,
    countTracesOfWorkspaces: guarded,
  },
};
