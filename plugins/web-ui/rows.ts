import { bytes, detailed, operations } from '#ports/api/operation';
import { object, optional, text } from '#ports/api/schema';

const project = '/w/{workspace}/p/{project}';
/** Every path at which the app shows something; it reads from the address what. */
export const appPaths = [
  '/w',
  '/w/{workspace}',
  '/settings',
  '/settings/{part}',
  '/w/{workspace}/members',
  '/w/{workspace}/notifications',
  '/w/{workspace}/models',
  '/w/{workspace}/model/{name}',
  '/w/{workspace}/model/{name}/{version}',
  '/w/{workspace}/artifacts',
  '/w/{workspace}/artifact/{name}',
  '/w/{workspace}/artifact/{name}/{version}',
  project,
  `${project}/runs`,
  `${project}/compare`,
  `${project}/run/{key}`,
  `${project}/run/{key}/{tab}`,
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
