import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { traces } from '#test/areas/traces/things';
import { freshName } from '#test/api/fresh';

/** A queue with a trace in it. */
export const annotationQueues = thing(async ({ ask, of }) => {
  const annotationQueueId = v7();
  const { projectId, traceId } = await of(traces);
  await ask('/v1/private/annotation-queues', {
    id: annotationQueueId,
    project_id: projectId,
    name: freshName('queue'),
    scope: 'trace',
    annotators_per_item: 1000,
  });
  await ask(`/v1/private/annotation-queues/${annotationQueueId}/items/add`, { ids: [traceId] });
  return { annotationQueueId, traceId };
});
