import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';

export const retentionRules = thing(async ({ ask }) => {
  const ruleId = v7();
  await ask('/v1/private/retention/rules', { id: ruleId, retention: 'extended_400d' });
  return { ruleId };
});
