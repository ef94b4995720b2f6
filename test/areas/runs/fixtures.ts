import type { AreaFixtures } from '#test/api/fixtures';
import { projects } from '#test/areas/workspaces/things';

export const fixtures: AreaFixtures = {
  areas: ['runs'],
  rows: {
    openRun: { ownNames: ['body.projectName'] },
    copyRun: { consumes: true },
    reportStatus: { notOurs: { 'body.projectId': 'not read: the experiment says it' } },
    linkRun: {
      with: (world) => ({ 'query.projectName': world.of(projects).otherProject }),
      ownNames: ['query.projectName'],
    },
    notifyEnd: { ownNames: ['body.experiment_name'] },
    addLog: { aboutCaller: 'stores nothing' },
  },
};
