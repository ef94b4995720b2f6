// How the assistant is watched: a queue of answers for people to look at, a board, an alert that is muted, and what went wrong day by day.
import { v7 } from 'uuid';
import type { DemoClient } from '../client.js';
import type { Where } from '../runs.js';
import { wire, type Answered } from './answers.js';

const dayMs = 86_400_000;
const [queued, reviewed] = [12, 3] as const;

const definitions = [
  ['Helpful', 'categorical', { categories: { no: 0, partly: 0.5, yes: 1 } }],
  ['Right', 'boolean', { trueLabel: 'it is', falseLabel: 'it is not' }],
] as const;

/** Those that people did not like, and others; some of them are reviewed already. */
const logQueue = async (
  client: DemoClient,
  projectId: string,
  project: string,
  answers: readonly Answered[],
): Promise<void> => {
  for (const [name, type, details] of definitions)
    await client
      .ask('POST', `${wire}/feedback-definitions`, { name, type, details })
      .catch(() => undefined); // it may be there already
  const id = v7();
  await client.ask('POST', `${wire}/annotation-queues`, {
    ...{ id, project_id: projectId, name: `${project}: not helpful`, scope: 'trace' },
    description: 'answers that people marked down',
    instructions:
      'Read the **question** first. An answer is *right* where it agrees with the page of the city, and *helpful* where nothing more has to be asked.',
    feedback_definition_names: definitions.map(([name]) => name),
  });
  const ids = answers
    .filter(({ helpful, failed }) => helpful === 0 && !failed)
    .slice(0, queued)
    .map(({ traceId }) => traceId);
  await client.ask('POST', `${wire}/annotation-queues/${id}/items/add`, { ids });
  await client.ask('PUT', `${wire}/traces/feedback-scores`, {
    scores: ids.slice(0, reviewed).flatMap((trace) =>
      definitions.map(([name]) => ({
        ...{ id: trace, project_name: project, name, value: 0, source: 'ui' },
      })),
    ),
  });
};

type Widget = Readonly<Record<string, unknown>>;
const widget = (type: string, title: string, config: Widget) => ({
  ...{ id: v7(), type, title, subtitle: '', config },
});
type Placed = readonly [ReturnType<typeof widget>, number, number, number, number];
const section = (title: string, of: readonly Placed[]) => ({
  ...{ id: v7(), title },
  widgets: of.map(([one]) => one),
  layout: of.map(([{ id: i }, x, y, w, h]) => ({ i, x, y, w, h })),
});

const logBoard = async (
  client: DemoClient,
  name: string,
  projects: { readonly traces: string; readonly runs: string },
): Promise<void> => {
  const figure = (title: string, metric: string, source = 'traces') =>
    widget('project_stats_card', title, { projectId: projects.traces, source, metric });
  const lines = (title: string, metricType: string, chartType = 'line', broken = 'none') =>
    widget('project_metrics', title, {
      ...{ projectId: projects.traces, metricType, chartType, breakdown: { field: broken } },
    });
  const runs = (metric: string) =>
    widget('orrery_run_metric', metric, {
      ...{ projectId: projects.runs, metric, x: 'step', count: 8 },
    });
  await client.ask('POST', `${wire}/dashboards`, {
    ...{ name, type: 'multi_project', description: 'What is answered, and what is trained for it' },
    config: {
      version: 4,
      lastModified: 0,
      sections: [
        section('Answers', [
          [figure('Answers', 'trace_count'), 0, 0, 1, 2],
          [figure('p90 duration', 'duration.p90'), 0, 2, 1, 2],
          [figure('Cost', 'total_estimated_cost_sum'), 0, 4, 1, 2],
          [lines('Answers over time', 'TRACE_COUNT', 'bar'), 1, 0, 3, 6],
          [
            widget('text_markdown', 'Who to ask', {
              content:
                '**On call:** the team of the city hall, *8 to 18 h*.\n\n- permits are slow at noon\n- release 2.4.0 since Monday',
            }),
            ...([4, 0, 2, 6] as const),
          ],
        ]),
        section('Models', [
          [runs('val/accuracy'), 0, 0, 3, 5],
          [runs('val/loss'), 3, 0, 3, 5],
        ]),
      ],
    },
  });
};

/** It is muted, and its address leads nowhere: a demo tells nobody of anything. */
const logAlert = (client: DemoClient, projectId: string, project: string) =>
  client.ask('POST', `${wire}/alerts`, {
    ...{ id: v7(), name: `${project}: answers fail`, enabled: false, alert_type: 'general' },
    project_id: projectId,
    webhook: { url: 'https://alerts.example.org/street-assistant' },
    triggers: [
      {
        event_type: 'trace:errors',
        trigger_configs: [
          { type: 'threshold:errors', config_value: { threshold: '5', window: '3600' } },
        ],
      },
      {
        event_type: 'trace:latency',
        trigger_configs: [
          { type: 'threshold:latency', config_value: { threshold: '6', window: '3600' } },
        ],
      },
    ],
  });

const logInsights = async (
  client: DemoClient,
  projectId: string,
  answers: readonly Answered[],
  now: number,
): Promise<void> => {
  const some = (wanted: (one: Answered) => boolean) =>
    answers
      .filter(wanted)
      .slice(0, 4)
      .map(({ traceId }) => traceId);
  const [permits, bins] = [v7(), v7()];
  for (let ago = 4; ago >= 0; ago--)
    await client.ask('POST', `${wire}/agent-insights/issues`, {
      project_id: projectId,
      report_day: new Date(now - ago * dayMs).toISOString().slice(0, 10),
      issues: [
        {
          ...{
            id: permits,
            name: 'The search of permits times out',
            severity: 'high',
            count: 6 + 2 * (4 - ago),
          },
          ...{ total_count: 52, users_impacted: 5, total_users: 41 },
          description:
            'Questions about permits end without an answer: the search gives up after 8 s.',
          cause: 'the index of permits is rebuilt at noon',
          suggested_fix: 'search the index of the day before while it is rebuilt',
          traces_query: JSON.stringify([
            { field: 'tags', operator: 'contains', key: '', value: 'permits' },
          ]),
          metadata: { trace_ids: some(({ failed }) => failed) },
        },
        {
          ...{ id: bins, name: 'People ask again when their bin is emptied', severity: 'medium' },
          count: 4,
          ...{ total_count: 52, users_impacted: 4, total_users: 41 },
          description: 'The answer names a rule and not a day.',
          cause: 'the calendar of collections is not looked up',
          suggested_fix: 'give the assistant the calendar as a tool',
          metadata: {
            trace_ids: some(({ question, helpful }) => question.topic === 'bins' && helpful === 0),
          },
        },
      ],
    });
};

/** Logs all of it. */
export const logWatched = async (
  client: DemoClient,
  { project: runs, now }: Where,
  project: string,
  answers: readonly Answered[],
): Promise<void> => {
  const idOf = async (name: string): Promise<string> =>
    String((await client.ask('POST', `${wire}/projects/retrieve`, { name }))['id']);
  const projectId = await idOf(project);
  await logQueue(client, projectId, project, answers);
  await logBoard(client, `${project}: how it goes`, { traces: projectId, runs: await idOf(runs) });
  await logAlert(client, projectId, project);
  await logInsights(client, projectId, answers, now);
};
