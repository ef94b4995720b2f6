import { expect } from 'chai';
import { pathsOf, rows } from './rows.js';

/** The operations of the internal and the private API that clients rely on, each with the statuses of success. */
const told = `
  POST /v1/internal/agent-insights/enrollment 200
  POST /v1/internal/analytics-queries/projects/{projectId} 200
  POST /v1/internal/analytics-queries 200
  POST /v1/internal/dashboard-saved-queries 201
  GET /v1/internal/dashboard-saved-queries/{id} 200
  POST /v1/internal/usage/projects 200
  GET /v1/internal/usage/bi-datasets 200
  GET /v1/internal/usage/bi-experiments 200
  GET /v1/internal/usage/bi-spans 200
  GET /v1/internal/usage/bi-traces 200
  GET /v1/internal/usage/workspace-span-counts-breakdown 200
  GET /v1/internal/usage/workspace-span-counts 200
  GET /v1/internal/usage/workspace-trace-counts 200
  POST /v1/private/agent-configs/blueprints 201
  PATCH /v1/private/agent-configs/blueprints 201
  POST /v1/private/agent-configs/blueprints/projects/{project_id}/masks/{mask_id} 201
  POST /v1/private/agent-configs/blueprints/environments 204
  GET /v1/private/agent-configs/blueprints/environments/{env_name}/projects/{project_id} 200
  PUT /v1/private/agent-configs/blueprints/environments/{env_name}/projects/{project_id} 204
  DELETE /v1/private/agent-configs/blueprints/environments/{env_name}/projects/{project_id} 204
  GET /v1/private/agent-configs/blueprints/{blueprint_id} 200
  GET /v1/private/agent-configs/blueprints/projects/{project_id}/names/{name} 200
  GET /v1/private/agent-configs/blueprints/history/projects/{project_id} 200
  GET /v1/private/agent-configs/blueprints/{blueprint_id}/deltas 200
  GET /v1/private/agent-configs/blueprints/latest/projects/{project_id} 200
  POST /v1/private/agent-configs/blueprints/remove-keys 201 204
  GET /v1/private/agent-insights/jobs/{projectId} 200
  POST /v1/private/agent-insights/jobs/{projectId} 201
  PATCH /v1/private/agent-insights/jobs/{projectId} 200
  POST /v1/private/agent-insights/jobs/{projectId}/trigger 202
  PUT /v1/private/agent-insights/jobs/{projectId}/guidance 200
  GET /v1/private/agent-insights/issues 200
  POST /v1/private/agent-insights/issues 204
  GET /v1/private/agent-insights/issues/{issue_id} 200
  PATCH /v1/private/agent-insights/issues/{issue_id} 204
  GET /v1/private/alerts 200
  POST /v1/private/alerts 201
  POST /v1/private/alerts/delete 204
  GET /v1/private/alerts/{id} 200
  PUT /v1/private/alerts/{id} 204
  GET /v1/private/alerts/webhooks/examples 200
  POST /v1/private/alerts/webhooks/tests 200
  GET /v1/private/annotation-queues 200
  POST /v1/private/annotation-queues 201
  POST /v1/private/annotation-queues/batch 204
  POST /v1/private/annotation-queues/delete 204
  GET /v1/private/annotation-queues/{id} 200
  PATCH /v1/private/annotation-queues/{id} 204
  POST /v1/private/annotation-queues/{id}/items/add 204
  POST /v1/private/annotation-queues/{id}/items/delete 204
  POST /v1/private/annotation-queues/{id}/items/search 200
  GET /v1/private/annotation-queues/{queueId}/locks 200
  PUT /v1/private/annotation-queues/{queueId}/items/{itemId}/lock 200
  PUT /v1/private/assertion-results 204
  GET /v1/private/attachment/list 200
  POST /v1/private/attachment/upload-start 200
  POST /v1/private/attachment/upload-complete 204
  POST /v1/private/attachment/delete 204
  PUT /v1/private/attachment/upload 204
  GET /v1/private/attachment/download 200
  POST /v1/private/auth 204
  GET /v1/private/auth/workspace 200
  GET /v1/private/automations/evaluators 200
  POST /v1/private/automations/evaluators 201
  POST /v1/private/automations/evaluators/delete 204
  GET /v1/private/automations/evaluators/{id} 200
  PATCH /v1/private/automations/evaluators/{id} 204
  GET /v1/private/automations/evaluators/{id}/logs 200
  POST /v1/private/chat/completions 200
  GET /v1/private/dashboards 200
  POST /v1/private/dashboards 201
  GET /v1/private/dashboards/{dashboardId} 200
  DELETE /v1/private/dashboards/{dashboardId} 204
`;
const operations = told
  .trim()
  .split('\n')
  .map((line) => {
    const [method = '', path = '', ...statuses] = line.trim().split(' ');
    return { method, path, statuses };
  });
/** Names of parts are the server's own. */
const withoutNames = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

describe('the internal and the private API', () => {
  it('have a row for each operation, which replies with the status of it', () => {
    const served = new Map(
      rows.flatMap(({ operation }) =>
        pathsOf(operation).map((path) => [
          `${operation.method} ${withoutNames(path)}`,
          Object.keys(operation.replies),
        ]),
      ),
    );

    expect(operations).to.have.length(73);
    for (const { method, path, statuses } of operations)
      expect(served.get(`${method} ${withoutNames(path)}`), `${method} ${path}`).to.include.members(
        statuses,
      );
  });
});
