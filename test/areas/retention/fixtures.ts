import { retentionRule } from '#ports/model/retention';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { retentionRules } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['retention'],
  kinds: [
    kindIn(retentionRule, retentionRules, {
      name: ({ ruleId }) => ruleId,
      unknown: () => unknownId,
    }),
  ],
  rows: { deleteRetentionRule: { consumes: true } },
};
