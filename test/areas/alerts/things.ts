import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName, nowhere } from '#test/api/fresh';

export const alerts = thing(async ({ ask }) => {
  const alertId = v7();
  await ask('/v1/private/alerts', {
    id: alertId,
    name: freshName('alert'),
    webhook: { url: nowhere, secret_token: 'a-token-of-some-length' },
    triggers: [{ event_type: 'trace:errors' }],
  });
  return { alertId };
});
