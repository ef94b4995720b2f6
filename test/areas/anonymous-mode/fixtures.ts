import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['anonymous-off'],
  rows: {
    refuseAnonymous: { open: 'refuses everybody', refusesEverybody: true, insteadOfPlugin: true },
    isAnonymousOff: { open: 'says the same to everybody', insteadOfPlugin: true },
    startAnonymous: { open: 'is how somebody without an account begins' },
    isAnonymousActive: { open: 'is told the key that it tells of' },
    previewClaim: { open: 'the ticket proves it' },
    showClaim: { open: 'the ticket proves it' },
  },
};
