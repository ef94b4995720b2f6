import { bytes, detailed, operations } from '#ports/api/operation';
import { faceEndings } from '#ports/api/faces';
import { anything, list, nullable, object, optional, text, word } from '#ports/api/schema';

const project = '/w/{workspace}/p/{project}';
/** Paths at which the app shows something, and nothing else is; it reads from the address what. */
const appPaths = [
  '/w',
  '/w/{workspace}',
  '/settings',
  '/settings/{part}',
  '/w/{workspace}/members',
  '/w/{workspace}/notifications',
  '/w/{workspace}/retention',
  '/w/{workspace}/experiments',
  '/w/{workspace}/experiments/{key}',
  '/w/{workspace}/datasets',
  '/w/{workspace}/datasets/{key}',
  '/w/{workspace}/optimizations',
  '/w/{workspace}/optimizations/{key}',
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
  '/w/{workspace}/artifacts',
  '/w/{workspace}/artifact/{name}',
  '/w/{workspace}/artifact/{name}/{version}',
  '/w/{workspace}/boards',
  '/w/{workspace}/boards/{key}',
  '/w/{workspace}/sql',
  '/w/{workspace}/x/{plugin}/{page}',
  `${project}/x/{plugin}/{page}`,
  `${project}/about`,
  `${project}/insights`,
  `${project}/seeds`,
  `${project}/threads`,
  `${project}/thread/{key}`,
] as const;

const anyText = optional(anything());
/** Members of an address, each any text: what it cannot mean is left out, as the page does. */
const members = <const N extends string>(...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, anyText])) as Record<N, typeof anyText>; // made of these names
const inProject = { workspace: text(), project: text() };
const ending = optional(word(...faceEndings));
/** The form that is asked for, wins over what the request takes; of a picture, whether it is for a dark ground. */
const asked = {
  ...members('format', 'of', 'dark', 'limit'),
};
const ofCharts = members(
  ...(['charts', 'x', 'logx', 'logy', 'smooth', 'smoothby', 'zoom', 'band', 'clip'] as const),
);
const ofRuns = {
  ...members('q', 'cols', 'pin', 'group', 'colour', 'archived', 'sort', 'differing'),
  ...ofCharts,
};
const ofTraces = members('q', 'filters', 'cols', 'sort', 'range', 'from', 'to');

/** Pages whose address answers in other forms too. */
const faced = {
  method: 'GET',
  access: { needs: 'caller', about: 'caller' },
  wire: {
    refusals: { unauthenticated: { status: 303 }, notInstalled: { status: 501 } },
  },
  fails: ['invalid', 'absent', 'unsupported', 'unprocessable', 'tooLarge'],
} as const;

/** The same pages of a project that is shared: by its code anybody reads them, and gets nothing where it is not known. */
const shared = {
  method: 'GET',
  access: { needs: 'visitor' },
  wire: { shareCode: 'code', refusals: { notInstalled: { status: 501 } } },
  fails: ['invalid', 'absent', 'unsupported', 'unprocessable', 'tooLarge'],
} as const;
const sharedProject = `/s/{code}${project}` as const;
const inShared = { code: text({ max: 100 }), ...inProject };

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
      plugin: optional(text()),
      page: optional(text()),
    }),
    replies: { 200: bytes('text/html') },
  },
  showRuns: {
    ...faced,
    path: [project, `${project}/runs`, `${project}/runs.{ending}`],
    summary:
      'The runs of a project: as a page with the first of them, as JSON, CSV, Markdown or text, or their charts as a picture',
    params: object({ ...inProject, ending }),
    query: object({ ...asked, ...ofRuns }),
    replies: { 200: bytes('text/html') },
  },
  showComparison: {
    ...faced,
    path: [`${project}/compare`, `${project}/compare.{ending}`],
    summary: 'Runs side by side, in the same forms',
    params: object({ ...inProject, ending }),
    query: object({ ...asked, ...ofCharts, runs: anyText }),
    replies: { 200: bytes('text/html') },
  },
  showRun: {
    ...faced,
    path: [`${project}/run/{key}`, `${project}/run/{key}/{tab}`],
    summary: 'A run, in the same forms; its key may end in one of them',
    params: object({ ...inProject, key: text(), tab: optional(text()) }),
    query: object({ ...asked, ...ofCharts }),
    replies: { 200: bytes('text/html') },
  },
  showTraces: {
    ...faced,
    path: [`${project}/traces`, `${project}/traces.{ending}`],
    summary: 'The traces of a project, in the same forms',
    params: object({ ...inProject, ending }),
    query: object({ ...asked, ...ofTraces }),
    replies: { 200: bytes('text/html') },
  },
  showTracePage: {
    ...faced,
    path: `${project}/trace/{key}`,
    summary: 'A trace with its spans, in the same forms; its id may end in one of them',
    params: object({ ...inProject, key: text() }),
    query: object(asked),
    replies: { 200: bytes('text/html') },
  },
  showModels: {
    ...faced,
    path: ['/w/{workspace}/models', '/w/{workspace}/models.{ending}'],
    summary: 'The registered models of a workspace, in the same forms',
    params: object({ workspace: text(), ending }),
    query: object(asked),
    replies: { 200: bytes('text/html') },
  },
  showModel: {
    ...faced,
    path: ['/w/{workspace}/model/{name}', '/w/{workspace}/model/{name}/{version}'],
    summary:
      'A registered model with its versions, in the same forms; its name or version may end in one of them, unless a model has that name',
    params: object({ workspace: text(), name: text(), version: optional(text()) }),
    query: object(asked),
    replies: { 200: bytes('text/html') },
  },
  showSharedRuns: {
    ...shared,
    path: [sharedProject, `${sharedProject}/runs`, `${sharedProject}/runs.{ending}`],
    summary:
      'The runs of a project that is shared, in the same forms; the page holds nothing, and reads by the code',
    params: object({ ...inShared, ending }),
    query: object({ ...asked, ...ofRuns }),
    replies: { 200: bytes('text/html') },
  },
  showSharedComparison: {
    ...shared,
    path: [`${sharedProject}/compare`, `${sharedProject}/compare.{ending}`],
    summary: 'Runs of a project that is shared side by side, in the same forms',
    params: object({ ...inShared, ending }),
    query: object({ ...asked, ...ofCharts, runs: anyText }),
    replies: { 200: bytes('text/html') },
  },
  showSharedRun: {
    ...shared,
    path: [`${sharedProject}/run/{key}`, `${sharedProject}/run/{key}/{tab}`],
    summary: 'A run of a project that is shared, in the same forms; its key may end in one of them',
    params: object({ ...inShared, key: text(), tab: optional(text()) }),
    query: object({ ...asked, ...ofCharts }),
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
        pages: list(
          object({ ...element, of: word('workspace', 'project'), anchor: nullable(text()) }),
        ),
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
