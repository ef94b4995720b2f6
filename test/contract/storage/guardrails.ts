import { expect } from 'chai';
import type { GuardrailResult } from '#ports/model/feedback-definitions';
import type { Storage } from '#ports/storage/storage';
import { mostGuardrailPolicies } from '#ports/storage/guardrails';
import type { GuardrailPolicy } from '#ports/model/guardrail-policies';
import { freshId, rejection, start } from './builders.js';
import { byAnn, byBob } from './environments.js';

/** What every store of guardrails keeps to. */
export const guardrailContract = (storage: () => Storage): void => {
  const guardrails = () => storage().stores.guardrails;

  it('keeps the last result of each guardrail about a span', async () => {
    const [projectId, traceId, spanId] = [freshId(), freshId(), freshId()];
    const result = (name: string, passed: boolean, more: Partial<GuardrailResult> = {}) => ({
      projectId,
      id: freshId(),
      traceId,
      spanId,
      name,
      passed,
      config: '{"topics":["a"]}',
      details: undefined,
      createdAt: start * 1000,
      createdBy: 'ann',
      ...more,
    });
    const [pii, topic] = [result('PII', true), result('TOPIC', true, { config: undefined })];
    await guardrails().put([pii, result('TOPIC', false), topic]);
    await guardrails().put([result('PII', false, { traceId: freshId() })]);
    await guardrails().put([result('PII', false, { projectId: freshId() })]);
    await guardrails().put([result('PII', false, { createdBy: 'bob' })]);
    await guardrails().put([]);

    expect(await guardrails().list(projectId, [traceId, freshId(), 'no-such-id'])).to.deep.equal([
      { ...pii, passed: false, createdBy: 'bob' },
      topic,
    ]);
  });

  const policy = (name: string, given: Partial<GuardrailPolicy> = {}): GuardrailPolicy => ({
    ...{ workspaceId: freshId(), id: freshId(), name, executionMode: 'ON_REQUEST', ...byAnn },
    guards: [
      { type: 'PII', config: { blocked_entities: ['n\u00e4me \u{1f600}'], threshold: 0.5 } },
    ],
    ...given,
  });

  it('keeps policies by their ids and names, in their workspace alone', async () => {
    const workspaceId = freshId();
    const [upper, lower, blank] = ['No names', 'no names', 'no names '].map((name) =>
      policy(name, { workspaceId }),
    ) as [GuardrailPolicy, GuardrailPolicy, GuardrailPolicy]; // one a name
    for (const one of [lower, blank, upper]) await guardrails().insertPolicy(one);
    const elsewhere = policy('no names', { id: lower.id });
    await guardrails().insertPolicy(elsewhere);
    const again = policy('no names', { workspaceId });
    expect(await rejection(guardrails().insertPolicy(again))).to.include({ kind: 'conflict' });
    expect(await guardrails().listPolicies(workspaceId)).to.deep.equal([upper, lower, blank]);

    const judge = { type: 'LLM_JUDGE', config: { instructions: 'Be kind', model: 'm' } } as const;
    const { lastUpdatedAt, lastUpdatedBy } = byBob;
    const change = {
      ...{ name: 'no names', executionMode: 'ALWAYS' as const, guards: [judge] },
      ...{ lastUpdatedAt, lastUpdatedBy },
    };
    expect([
      await guardrails().updatePolicy(workspaceId, lower.id, change),
      await guardrails().updatePolicy(workspaceId, lower.id, change),
      await guardrails().updatePolicy(workspaceId, freshId(), change),
      await guardrails().updatePolicy(workspaceId, 'no-such-id', change),
    ]).to.deep.equal([true, true, false, false]);
    const taken = guardrails().updatePolicy(workspaceId, upper.id, change);
    expect(await rejection(taken)).to.include({ kind: 'conflict' });
    const changed = { ...lower, ...change };
    expect(await guardrails().listPolicies(workspaceId)).to.deep.equal([upper, changed, blank]);
    await guardrails().removePolicies(workspaceId, [blank.id, freshId(), 'no-such-id']);
    expect(await guardrails().listPolicies(workspaceId)).to.deep.equal([upper, changed]);
    expect(await guardrails().listPolicies(elsewhere.workspaceId)).to.deep.equal([elsewhere]);
  });

  it('keeps as many policies of a workspace as it may have', async () => {
    const workspaceId = freshId();
    for (let n = 0; n < mostGuardrailPolicies; n++)
      await guardrails().insertPolicy(policy(`policy ${n}`, { workspaceId }));

    const more = policy('one more', { workspaceId });
    expect(await rejection(guardrails().insertPolicy(more))).to.include({ kind: 'conflict' });
    expect(await guardrails().listPolicies(workspaceId)).to.have.length(mostGuardrailPolicies);
  });
};
