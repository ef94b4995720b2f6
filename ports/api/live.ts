// What tells pages and programs that something changed.
import { experiment } from '../model/experiments.js';
import { project } from '../model/projects.js';
import { eachNamed, events, one, operations } from './operation.js';
import { flag, integer, millis, object, optional, shape, text, texts } from './schema.js';

const runChange = shape('RunChange', 'Something of a run changed.', {
  run: text(),
  at: millis(),
  gone: flag(),
});
const pointsChange = shape('PointsChange', 'A run has new points, or lost some.', {
  run: text(),
  at: millis(),
  cursor: text(),
});
const modelChange = shape('ModelChange', 'A version of a registered model changed.', {
  run: text(),
  model: text(),
  version: text(),
  at: millis(),
});
const cursor = shape('EventCursor', 'Where a listener stands.', { cursor: text() });

export const liveEvents = {
  ready: cursor,
  resync: cursor,
  run: runChange,
  values: runChange,
  points: pointsChange,
  output: runChange,
  assets: runChange,
  model: modelChange,
};

export const liveOperations = operations({
  listenToProject: {
    method: 'GET',
    path: '/v1/private/ui/events',
    access: {
      needs: 'read',
      about: [one(project, 'query.project'), eachNamed(experiment, 'query.runs')],
    },
    summary:
      'Hear of changes in a project within a second, as server-sent events: `ready` at first, then `run`, `values`, `points`, `output`, `assets` and `model`, and `resync` where more was missed than the last hour holds',
    query: object({
      project: text(),
      runs: optional(texts()),
      after: optional(text()),
      forSeconds: optional(integer({ minimum: 0, maximum: 86_400 })),
    }),
    replies: { 200: events(liveEvents) },
    fails: ['invalid', 'absent', 'throttled'],
  },
});
