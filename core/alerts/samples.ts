// What each type of event looks like, for examples and tests. Pure.
import type { AlertEventType } from '#ports/model/alerts';
import type { AlertNotice, Told } from './payloads.js';

const id = (last: number): string => `01890000-0000-7000-8000-${String(last).padStart(12, '0')}`;
const at = '2025-01-01T12:00:00.000000Z';
const author = 'sample-user';
const made = { created_at: at, created_by: author } as const;
const authorship = { ...made, last_updated_at: at, last_updated_by: author } as const;

const metric = (
  eventType: AlertEventType,
  event_type: string,
  metric_value: string,
  threshold: string,
): readonly Told[] => [
  {
    event_type,
    metric_name: eventType,
    metric_value,
    threshold,
    window_seconds: '3600',
    project_ids: id(1),
    project_names: 'Sample project',
  },
];
const prompt = {
  id: id(2),
  name: 'Sample prompt',
  description: 'a sample',
  tags: ['sample'],
  ...authorship,
} as const;
const version = {
  id: id(3),
  commit: 'abcd1234',
  template: 'Hello, {{name}}',
  type: 'mustache',
  ...made,
} as const;

const samples: Readonly<Record<AlertEventType, AlertNotice['metadata']>> = {
  'trace:errors': metric('trace:errors', 'TRACE_ERRORS', '15', '10'),
  'trace:feedback_score': metric('trace:feedback_score', 'TRACE_FEEDBACK_SCORE', '0.75', '0.8'),
  'trace_thread:feedback_score': metric(
    'trace_thread:feedback_score',
    'TRACE_THREAD_FEEDBACK_SCORE',
    '0.75',
    '0.8',
  ),
  'trace:cost': metric('trace:cost', 'TRACE_COST', '150.75', '100'),
  'trace:latency': metric('trace:latency', 'TRACE_LATENCY', '5250', '5'),
  'trace:guardrails_triggered': [
    [
      {
        id: id(4),
        entity_id: id(5),
        project_id: id(1),
        project_name: 'Sample project',
        name: 'PII',
        result: 'failed',
        details: { detected_entities: ['EMAIL'] },
      },
    ],
  ],
  'prompt:created': [prompt],
  'prompt:committed': [{ ...version, prompt_id: prompt.id, metadata: {} }],
  'prompt:deleted': [[{ ...prompt, latest_version: version }]],
  'experiment:finished': [
    [
      {
        id: id(6),
        name: 'Sample experiment',
        dataset_id: id(7),
        metadata: {},
        type: 'regular',
        ...made,
        feedback_scores: [{ name: 'accuracy', value: 0.9 }],
      },
    ],
  ],
};

/** An event of this type that never happened. */
export const sampleNotice = (
  eventType: AlertEventType,
  of: Pick<AlertNotice, 'id' | 'at' | 'alertId' | 'alertName' | 'workspaceId' | 'workspaceName'>,
): AlertNotice => ({
  ...of,
  eventType,
  eventIds: [id(8)],
  userNames: [author],
  metadata: samples[eventType],
});
