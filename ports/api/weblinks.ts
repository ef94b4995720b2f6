// Addresses that stand inside data and in what clients print. Anyone may open them: they repeat what the address says and no more.
import { operations, page, redirect } from './operation.js';
import { object, optional, text } from './schema.js';

export const weblinkOperations = operations({
  redirectToExperiment: {
    method: 'GET', path: '/api/experiment/redirect', access: 'public', summary: 'Where an experiment is shown', query: object({ experimentKey: text({ min: 1 }) }), replies: { 302: redirect }, fails: ['invalid'],
  },
  redirectToProject: {
    method: 'GET', path: '/api/projects/redirect', access: 'public', summary: 'Where a project is shown', query: object({ projectId: text({ min: 1 }) }), replies: { 302: redirect }, fails: ['invalid'],
  },
  showSettings: { method: 'GET', path: ['/api/my/settings/', '/api/my/settings'], access: 'public', summary: 'Where a person finds own settings', replies: { 200: page } },
  showExperimentByKey: { method: 'GET', path: '/experiment/{experimentKey}', access: 'public', summary: 'Page of an experiment', params: object({ experimentKey: text() }), replies: { 200: page } },
  showProjectById: { method: 'GET', path: '/project/{projectId}', access: 'public', summary: 'Page of a project', params: object({ projectId: text() }), replies: { 200: page } },
  showRegistryVersion: {
    method: 'GET', path: ['/{workspace}/model-registry/{name}', '/{workspace}/model-registry/{name}/{version}'], access: 'public', summary: 'Page of a registered model',
    params: object({ workspace: text(), name: text(), version: optional(text()) }), replies: { 200: page },
  },
  showArtifactVersion: {
    method: 'GET', path: ['/{workspace}/artifacts/{name}', '/{workspace}/artifacts/{name}/{version}'], access: 'public', summary: 'Page of an artifact',
    params: object({ workspace: text(), name: text(), version: optional(text()) }), replies: { 200: page },
  },
  showExperiment: {
    method: 'GET', path: ['/{workspace}/{project}/{experimentKey}', '/{workspace}/{project}/archive/{experimentKey}'], access: 'public', summary: 'Page of an experiment, by the address that clients print',
    params: object({ workspace: text(), project: text(), experimentKey: text() }), replies: { 200: page },
  },
});
