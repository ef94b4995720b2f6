import { expect } from 'chai';
import type { GuardrailResult } from '#ports/model/feedback-definitions';
import type { Storage } from '#ports/storage/storage';
import { freshId, start } from './builders.js';

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
};
