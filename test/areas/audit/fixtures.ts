import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['audit'],
  rows: {
    listAudit: {
      aboutCaller: 'is about the installation',
      notOurs: {
        'query.workspaceName': 'an administrator of the installation reaches every workspace',
      },
    },
    exportAudit: {
      aboutCaller: 'is about the installation',
      notOurs: {
        'query.workspaceName': 'an administrator of the installation reaches every workspace',
      },
    },
  },
};
