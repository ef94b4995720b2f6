// Webhooks of the registry as GitHub takes them: to dispatch a repository's event or one of its workflows.
import { object } from '#ports/api/schema';
import { plugin } from '#ports/plugin';
import { githubForm } from './form.js';

export default plugin({
  name: 'webhooks-github',
  api: 1,
  toggle: {
    name: 'model-registry-webhooks-github',
    default: true,
    says: 'CI-workflow form of registry webhooks',
  },
  settings: object({}),
  needs: {},
  contribute: () => ({ webhookForms: [githubForm] }),
});
