import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

const policies = '/v1/private/guardrails/policies';
export const guards = [{ type: 'PROMPT_INJECTION', config: { threshold: 0.5 } }];

export const guardrailPolicies = thing(async ({ ask, read }) => {
  const name = freshName('policy');
  await ask(policies, { name, guards });
  const all = (await read(policies))['policies'] as readonly Readonly<Record<string, string>>[]; // as the row has it
  return { policyId: all.find((one) => one['name'] === name)?.['id'] ?? '' };
});
