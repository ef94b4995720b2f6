import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';

/** A trace with a span. */
export const traces = thing(async ({ ask }) => {
  const [traceId, spanId] = [v7(), v7()];
  const start_time = '2026-05-01T10:00:00.123456Z';
  await ask('/v1/private/traces', { id: traceId, start_time, input: { question: 'why?' } });
  await ask('/v1/private/spans', { id: spanId, trace_id: traceId, start_time, type: 'llm' });
  return { traceId, spanId };
});
