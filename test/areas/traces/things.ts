import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';

/** A trace in a thread with a span, and what was said about each. */
export const traces = thing(async ({ ask, read }) => {
  const [traceId, spanId] = [v7(), v7()];
  const start_time = '2026-05-01T10:00:00.123456Z';
  const threadId = `thread ${traceId}`;
  const input = { question: 'why?' };
  await ask('/v1/private/traces', { id: traceId, start_time, input, thread_id: threadId });
  await ask('/v1/private/spans', { id: spanId, trace_id: traceId, start_time, type: 'llm' });
  const { project_id: projectId } = await read(`/v1/private/traces/${traceId}`);
  const thread = await ask('/v1/private/traces/threads/retrieve', {
    project_id: projectId,
    thread_id: threadId,
  });
  const threadModelId = thread['thread_model_id'] ?? '';
  const comment = async (path: string): Promise<string> =>
    (await ask(`/v1/private/${path}/comments`, { text: 'seen' }))['id'] ?? '';
  return {
    ...{ traceId, spanId, threadId, threadModelId, projectId: String(projectId) },
    traceCommentId: await comment(`traces/${traceId}`),
    spanCommentId: await comment(`spans/${spanId}`),
    threadCommentId: await comment(`traces/threads/${threadModelId}`),
  };
});
