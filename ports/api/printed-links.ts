// Addresses that the Python SDK of LLM observability puts together by itself and prints. Each leads a browser to where the web UI shows what it names.
import { linkedDataset } from '../model/links.js';
import { project } from '../model/projects.js';
import { one, operations, redirect } from './operation.js';
import { object, text } from './schema.js';

/** The SDK takes `/api` off the address that it is given, so that what it prints may stand below `/opik`. */
const below = <const P extends string>(path: P) => [path, `/opik${path}`] as const;
/** Who has no session signs in first. */
const led = {
  method: 'GET',
  wire: { refusals: { unauthenticated: { status: 303 }, absent: { status: 404 } } },
  replies: { 302: redirect },
  fails: ['invalid', 'absent'],
} as const;
const ofDataset = {
  needs: 'read',
  about: one(linkedDataset, 'params.workspace/params.datasetId'),
} as const;
const ofProject = { needs: 'read', about: one(project, 'params.projectId') } as const;

export const printedLinkOperations = operations({
  openEvaluations: {
    ...led,
    path: below('/{workspace}/experiments/{datasetId}/compare'),
    access: ofDataset,
    summary: 'Lead to where experiments over a dataset are shown',
    params: object({ workspace: text(), datasetId: text() }),
    query: object({ experiments: text({ min: 1, max: 5000 }) }),
  },
  openDataset: {
    ...led,
    path: [
      ...below('/{workspace}/projects/{projectId}/datasets/{datasetId}/items'),
      ...below('/{workspace}/projects/{projectId}/test-suites/{datasetId}/items'),
    ],
    access: ofDataset,
    summary: 'Lead to where the items of a dataset are shown',
    params: object({ workspace: text(), projectId: text(), datasetId: text() }),
  },
  openPlayground: {
    ...led,
    path: below('/{workspace}/projects/{projectId}/agent-playground'),
    access: ofProject,
    summary: 'Lead to the playground of the workspace of a project',
    params: object({ workspace: text(), projectId: text() }),
  },
  openProject: {
    ...led,
    path: ['/{workspace}/projects/{projectId}/', '/opik/{workspace}/projects/{projectId}/'],
    access: ofProject,
    summary: 'Lead to where the traces of a project are shown',
    params: object({ workspace: text(), projectId: text() }),
  },
  openProjectByName: {
    ...led,
    path: below('/{workspace}/redirect/projects'),
    access: { needs: 'read', about: one(project, 'params.workspace/query.name') },
    summary: 'Lead to where the traces of a project are shown, by its name',
    params: object({ workspace: text() }),
    query: object({ name: text({ min: 1 }) }),
  },
});
