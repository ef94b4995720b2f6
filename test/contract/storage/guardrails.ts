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

  it('keeps the last policy of a name, and who made it first, in its workspace alone', async () => {
    const workspaceId = freshId();
    const policy = (name: string, given: Partial<GuardrailPolicy> = {}): GuardrailPolicy => ({
      ...{ workspaceId, name, always: false, ...byAnn },
      guards: [
        { type: 'PII', config: { blocked_entities: ['n\u00e4me \u{1f600}'], threshold: 0.5 } },
      ],
      ...given,
    });
    const [upper, lower, blank] = [policy('No names'), policy('no names'), policy('no names ')];
    for (const one of [lower, blank, upper]) await guardrails().putPolicy(one);
    await guardrails().putPolicy(policy('no names', { workspaceId: freshId() }));
    const judge = { type: 'LLM_JUDGE', config: { instructions: 'Be kind', model: 'm' } } as const;
    await guardrails().putPolicy(policy('no names', { always: true, guards: [judge], ...byBob }));

    const { lastUpdatedAt, lastUpdatedBy } = byBob;
    const changed = { ...lower, always: true, guards: [judge], lastUpdatedAt, lastUpdatedBy };
    expect(await guardrails().listPolicies(workspaceId)).to.deep.equal([upper, changed, blank]);
    await guardrails().removePolicies(workspaceId, ['no names ', 'nothing']);
    expect(await guardrails().listPolicies(workspaceId)).to.deep.equal([upper, changed]);
  });

  it('keeps as many policies of a workspace as it may have', async () => {
    const workspaceId = freshId();
    const put = (name: string) =>
      guardrails().putPolicy({ workspaceId, name, always: false, guards: [], ...byAnn });
    for (let n = 0; n < mostGuardrailPolicies; n++) await put(`policy ${n}`);

    expect(await rejection(put('one more'))).to.include({ kind: 'conflict' });
    await put('policy 7');
    expect(await guardrails().listPolicies(workspaceId)).to.have.length(mostGuardrailPolicies);
  });
};
