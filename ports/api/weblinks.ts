// Addresses that stand inside data and in what clients print. Each leads to a page of what it names, for whoever may read it.
import { artifact } from '../model/artifacts.js';
import { experiment } from '../model/experiments.js';
import { project } from '../model/projects.js';
import { registryModel } from '../model/registry.js';
import { workspace } from '../model/workspaces.js';
import { one, operations, page, redirect } from './operation.js';
import { object, optional, text } from './schema.js';

/** A page of one thing: who has no session signs in first, and what is not there or not the caller's to read is 404. */
const shown = {
  access: { needs: 'read' },
  wire: { refusals: { unauthenticated: { status: 303 }, absent: { status: 404 } } },
  replies: { 200: page },
  fails: ['invalid', 'absent'],
} as const;
/** What the web UI shows too: who came with a browser is sent there where it is on. */
const shownOrLed = { ...shown, replies: { 200: page, 302: redirect } } as const;

/** The part of the page that clients name. */
const tab = { 'experiment-tab': optional(text({ max: 100 })) } as const;

export const weblinkOperations = operations({
  showSettings: {
    method: 'GET',
    path: ['/api/my/settings/', '/api/my/settings'],
    access: { needs: 'public' },
    summary: 'Where a person finds own settings',
    replies: { 302: redirect },
  },
  redirectToExperiment: {
    method: 'GET',
    path: '/api/experiment/redirect',
    access: { needs: 'public' },
    summary: 'Where an experiment is shown',
    query: object({ experimentKey: text({ min: 1 }) }),
    replies: { 302: redirect },
    fails: ['invalid'],
  },
  redirectToProject: {
    method: 'GET',
    path: '/api/projects/redirect',
    access: { needs: 'public' },
    summary: 'Where a project is shown',
    query: object({ projectId: text({ min: 1 }) }),
    replies: { 302: redirect },
    fails: ['invalid'],
  },
  showExperimentByKey: {
    method: 'GET',
    path: '/experiment/{experimentKey}',
    ...shownOrLed,
    access: { ...shown.access, about: one(experiment, 'params.experimentKey') },
    summary: 'Page of an experiment',
    params: object({ experimentKey: text() }),
    query: object(tab),
  },
  showProjectById: {
    method: 'GET',
    path: '/project/{projectId}',
    ...shownOrLed,
    access: { ...shown.access, about: one(project, 'params.projectId') },
    summary: 'Page of a project',
    params: object({ projectId: text() }),
  },
  showRegistryVersion: {
    method: 'GET',
    path: ['/{workspace}/model-registry/{name}', '/{workspace}/model-registry/{name}/{version}'],
    ...shownOrLed,
    access: { ...shown.access, about: one(registryModel, 'params.workspace/params.name') },
    summary: 'Page of a registered model',
    params: object({ workspace: text(), name: text(), version: optional(text()) }),
  },
  showArtifactVersion: {
    method: 'GET',
    path: ['/{workspace}/artifacts/{name}', '/{workspace}/artifacts/{name}/{version}'],
    ...shownOrLed,
    access: { ...shown.access, about: one(artifact, 'params.workspace/params.name') },
    summary: 'Page of an artifact',
    params: object({ workspace: text(), name: text(), version: optional(text()) }),
  },
  showExperiment: {
    method: 'GET',
    path: [
      '/{workspace}/{project}/{experimentKey}',
      '/{workspace}/{project}/archive/{experimentKey}',
    ],
    ...shownOrLed,
    access: { ...shown.access, about: one(experiment, 'params.experimentKey') },
    summary: 'Page of an experiment, by the address that clients print',
    params: object({ workspace: text(), project: text(), experimentKey: text() }),
    query: object(tab),
  },
  showProject: {
    method: 'GET',
    path: '/{workspace}/{project}/',
    ...shownOrLed,
    access: { ...shown.access, about: one(project, 'params.workspace/params.project') },
    summary: 'Page of a project, by the address that clients print',
    params: object({ workspace: text(), project: text() }),
  },
  showWorkspace: {
    method: 'GET',
    path: '/{workspace}',
    ...shownOrLed,
    access: { ...shown.access, about: one(workspace, 'params.workspace') },
    summary: 'Page of a workspace, by the address that clients print',
    params: object({ workspace: text() }),
  },
});
