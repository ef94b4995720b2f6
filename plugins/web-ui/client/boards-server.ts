// What the pages of boards, of queries and of agent insights ask: rows that SDKs of LLM observability ask too.
import type { agentInsightsOperations } from '#ports/api/agent-insights';
import type { analyticsOperations } from '#ports/api/analytics';
import type { dashboardOperations } from '#ports/api/dashboards';
import type { spanOperations } from '#ports/api/spans';
import type { KeptJson } from '#ports/kept-json';
import { Refused, row } from './request.js';

type Boards = typeof dashboardOperations;
type Insights = typeof agentInsightsOperations;
const boards = '/v1/private/dashboards';
const one = `${boards}/{dashboardId}` as const;
const job = '/v1/private/agent-insights/jobs/{projectId}';
const issues = '/v1/private/agent-insights/issues';

export const boardsServer = {
  list: row<Boards['listChartDashboards']>('GET', boards),
  create: row<Boards['createChartDashboard']>('POST', boards),
  show: row<Boards['showChartDashboard']>('GET', one),
  update: row<Boards['updateChartDashboard']>('PATCH', one),
  remove: row<Boards['deleteChartDashboard']>('DELETE', one),
  queryWidget: row<Boards['queryChartWidget']>('POST', `${one}/widgets/{widgetId}/query`),
  spanStatistics: row<(typeof spanOperations)['spanStatistics']>('GET', '/v1/private/spans/stats'),
} as const;

export const sqlServer = {
  run: row<(typeof analyticsOperations)['runWorkspaceQuery']>(
    'POST',
    '/v1/internal/analytics-queries',
  ),
} as const;

export const insightsServer = {
  job: row<Insights['showInsightsJob']>('GET', job),
  createJob: row<Insights['createInsightsJob']>('POST', job),
  updateJob: row<Insights['updateInsightsJob']>('PATCH', job),
  trigger: row<Insights['triggerInsightsJob']>('POST', `${job}/trigger`),
  setGuidance: row<Insights['setInsightsGuidance']>('PUT', `${job}/guidance`),
  issues: row<Insights['listInsightsIssues']>('GET', issues),
  issue: row<Insights['showInsightsIssue']>('GET', `${issues}/{issue_id}`),
  setStatus: row<Insights['setInsightsIssueStatus']>('PATCH', `${issues}/{issue_id}`),
} as const;

export type Board = Awaited<ReturnType<typeof boardsServer.show>>;
export type InsightsJob = Awaited<ReturnType<typeof insightsServer.job>>;
export type InsightsIssue = Awaited<ReturnType<typeof insightsServer.issues>>['content'][number];

/** JSON as it is sent: what the server keeps as a text comes and goes as values here. */
export const asJson = (value: unknown): KeptJson => value as KeptJson; // as was just said

/** What a query found, or why there is nothing, in words for whoever looks at a chart or a table. */
export const resultsOf = async (
  asked: Promise<{ readonly results: readonly unknown[] } | undefined>,
): Promise<readonly unknown[]> => {
  try {
    return (await asked)?.results ?? [];
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.status === 501)
      throw new Error(
        'Queries cannot be run on this server: they are switched off, or their engine is not installed.',
      );
    if (thrown instanceof Refused && thrown.message.includes('must be JSON text'))
      throw new Error(
        'The result holds a number that is not finite, such as one divided by zero; turn it into NULL, for example with nullif().',
      );
    throw thrown;
  }
};

/** A name for something new, unlike all others. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
