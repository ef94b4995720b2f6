import { bytes, detailed, operations } from '#ports/api/operation';
import { anything, list, object, optional, text, word } from '#ports/api/schema';

const project = '/w/{workspace}/p/{project}';
/** Every path at which the app shows something; it reads from the address what. */
export const appPaths = [
  '/w',
  '/w/{workspace}',
  '/settings',
  '/settings/{part}',
  '/w/{workspace}/members',
  '/w/{workspace}/notifications',
  '/w/{workspace}/experiments',
  '/w/{workspace}/experiments/{key}',
  '/w/{workspace}/datasets',
  '/w/{workspace}/datasets/{key}',
  '/w/{workspace}/prompts',
  '/w/{workspace}/prompts/{key}',
  '/w/{workspace}/queues',
  '/w/{workspace}/queues/{key}',
  '/w/{workspace}/evaluators',
  '/w/{workspace}/evaluators/{key}',
  '/w/{workspace}/alerts',
  '/w/{workspace}/alerts/{key}',
  '/w/{workspace}/playground',
  '/w/{workspace}/providers',
  '/w/{workspace}/models',
  '/w/{workspace}/model/{name}',
  '/w/{workspace}/model/{name}/{version}',
  '/w/{workspace}/artifacts',
  '/w/{workspace}/artifact/{name}',
  '/w/{workspace}/artifact/{name}/{version}',
  '/w/{workspace}/boards',
  '/w/{workspace}/boards/{key}',
  '/w/{workspace}/sql',
  '/w/{workspace}/x/{plugin}/{page}',
  `${project}/x/{plugin}/{page}`,
  `${project}/compare`,
  `${project}/about`,
  `${project}/traces`,
  `${project}/trace/{key}`,
  `${project}/insights`,
  `${project}/threads`,
  `${project}/thread/{key}`,
  `${project}/run/{key}`,
  `${project}/run/{key}/{tab}`,
] as const;

const shared = `/s/{code}${project}` as const;
const sharedPaths = [
  shared,
  `${shared}/runs`,
  `${shared}/compare`,
  `${shared}/run/{key}`,
  `${shared}/run/{key}/{tab}`,
] as const;

export const appOperations = operations({
  showApp: {
    method: 'GET',
    path: appPaths,
    access: { needs: 'caller', about: 'caller' },
    summary: 'The web UI; who has no session signs in first',
    wire: { refusals: { unauthenticated: { status: 303 } } },
    params: object({
      part: optional(text()),
      workspace: optional(text()),
      name: optional(text()),
      version: optional(text()),
      project: optional(text()),
      key: optional(text()),
      tab: optional(text()),
      plugin: optional(text()),
      page: optional(text()),
    }),
    replies: { 200: bytes('text/html') },
  },
  showRuns: {
    method: 'GET',
    path: [project, `${project}/runs`],
    access: { needs: 'caller', about: 'caller' },
    summary:
      'The web UI at the runs of a project, with the first of them where who asks may see them',
    wire: { refusals: { unauthenticated: { status: 303 } } },
    params: object({ workspace: text(), project: text() }),
    query: object({
      q: optional(anything()),
      cols: optional(anything()),
      group: optional(anything()),
      colour: optional(anything()),
      archived: optional(anything()),
      sort: optional(anything()),
    }),
    replies: { 200: bytes('text/html') },
  },
  showShared: {
    method: 'GET',
    path: sharedPaths,
    access: { needs: 'public' },
    summary: 'The web UI at a project that is shared; it holds nothing, and reads by the code',
    params: object({
      code: text({ max: 100 }),
      workspace: text(),
      project: text(),
      key: optional(text()),
      tab: optional(text()),
    }),
    replies: { 200: bytes('text/html') },
  },
  showAppFile: {
    method: 'GET',
    path: '/app/{file}',
    access: { needs: 'public' },
    summary: 'Script and style of the web UI; a new name for each content',
    params: object({ file: text({ max: 100 }) }),
    replies: { 200: detailed(bytes('text/javascript')) },
    fails: ['absent'],
  },
});

const element = {
  plugin: text(),
  name: text(),
  title: text(),
  element: text(),
  /** The address of the module that defines the element. */
  script: text(),
};

/** What plugins add, for the app. */
export const additionOperations = operations({
  listUiAdditions: {
    method: 'GET',
    path: '/v1/private/ui/additions',
    access: { needs: 'caller', about: 'caller' },
    summary: 'Pages and panels that plugins add to the web UI',
    replies: {
      200: object({
        pages: list(object({ ...element, of: word('workspace', 'project') })),
        panels: list(object(element)),
      }),
    },
  },
});

export const additionFileOperations = operations({
  showUiAdditionFile: {
    method: 'GET',
    path: '/app/plugins/{plugin}/{file}',
    access: { needs: 'public' },
    summary: 'A script, style or other file that a plugin adds to the web UI',
    params: object({ plugin: text({ max: 100 }), file: text({ max: 100 }) }),
    replies: { 200: bytes('text/javascript') },
    fails: ['absent'],
  },
});
