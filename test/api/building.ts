// Valid input for a row, from its schema, its subjects and a world.
import type { Kind } from '#ports/api/kind';
import { subjectsOf, type Operation, type Subject } from '#ports/api/operation';
import { shapeOf, type Shape } from './rows.js';
import type { Input, SentPart } from './sending.js';
import { freshKey, freshName, freshPassword, freshVersion, nowhere, type World } from './world.js';

/** What the schema alone cannot tell, by operation and place. */
const particulars: Readonly<Record<string, (world: World) => Readonly<Record<string, unknown>>>> = {
  createWorkspace: () => ({ 'body.name': freshName('space') }),
  createProject: () => ({ 'body.projectName': freshName('project') }),
  linkExperiment: ({ otherProject }) => ({ 'query.projectName': otherProject }),
  linkRun: ({ otherProject }) => ({ 'query.projectName': otherProject }),
  setProjectOwner: ({ owner }) => ({ 'body.userName': owner.name }),
  addMember: ({ owner }) => ({ 'body.userName': owner.newcomers?.pop() ?? 'nobody' }),
  setMember: ({ owner }) => ({ 'body.userName': owner.members?.[0], 'body.role': 'member' }),
  removeMember: ({ owner }) => ({ 'body.userName': owner.members?.pop() }),
  setWorkspaceOwner: ({ owner }) => ({ 'body.userName': owner.name }),
  createUser: () => ({ 'body.userName': freshName('user') }),
  changeUserName: ({ owner }) => ({
    'body.oldUserName': owner.newcomers?.pop(),
    'body.newUserName': freshName('user'),
  }),
  deleteUser: ({ owner }) => ({ 'params.userName': owner.newcomers?.pop() }),
  resetPassword: () => ({ 'body.newPassword': freshPassword() }),
  renameWorkspace: ({ workspace }) => ({ 'body.newWorkspaceName': workspace }),
  renameOwnWorkspace: ({ workspace }) => ({ 'body.newWorkspaceName': workspace }),
  deleteWorkspace: ({ owner }) => ({ 'body.workspaceName': owner.spaces?.pop() }),
  moveWorkspaceContents: ({ owner, workspace }) => ({
    'body.workspaceName': owner.spaces?.[0],
    'body.targetWorkspaceName': workspace,
  }),
  retryQueue: () => ({ 'body.item': undefined }),
  createServiceAccount: () => ({ 'body.name': freshName('robot') }),
  rotateServiceAccountKey: ({ owner }) => ({ 'body.name': owner.services?.[0] }),
  rotateServiceAccountKeyByName: ({ owner }) => ({ 'params.name': owner.services?.[0] }),
  updateServiceAccount: ({ owner }) => ({ 'params.name': owner.services?.[0] }),
  deleteServiceAccount: ({ owner }) => ({ 'params.name': owner.services?.pop() }),
  signIn: ({ owner }) => ({ 'body.name': owner.name, 'body.password': owner.password }),
  endSession: ({ owner }) => ({ 'params.sessionId': owner.sessions?.pop() }),
  endMySession: ({ owner }) => ({ 'body.sessionId': owner.sessions?.pop() }),
  endProgram: ({ owner }) => ({ 'params.clientId': owner.programs?.pop() }),
  endMyProgram: ({ owner }) => ({ 'body.clientId': owner.programs?.pop() }),
  endUserProgram: ({ owner }) => ({
    'params.userName': owner.name,
    'params.clientId': owner.programs?.pop(),
  }),
  disableProgram: ({ owner }) => ({ 'params.clientId': owner.programs?.pop() }),
  changePassword: ({ owner }) => ({
    'body.password': owner.password,
    'body.newPassword': owner.password,
  }),
  changeMyPassword: ({ owner }) => ({
    'body.password': owner.password,
    'body.newPassword': owner.password,
  }),
  setByReset: ({ owner }) => ({
    'body.ticket': owner.resets?.pop(),
    'body.newPassword': owner.password,
  }),
  showReset: ({ owner }) => ({ 'params.ticket': owner.resets?.[0] }),
  setByForm: ({ owner }) => ({ 'params.ticket': owner.resets?.[0] }),
  invite: () => ({ 'body.email': `${freshName('guest')}@people.example` }),
  acceptInvitation: ({ owner }) => ({
    'body.ticket': owner.invitations?.pop(),
    'body.userName': freshName('guest'),
    'body.password': owner.password,
  }),
  showInvitation: ({ owner }) => ({ 'params.ticket': owner.invitations?.[0] }),
  enter: ({ owner }) => ({ 'params.ticket': owner.invitations?.[0] }),
  signUp: () => ({
    'body.email': `${freshName('new')}@people.example`,
    'body.userName': freshName('new'),
  }),
  makeMyKey: () => ({ 'body.name': 'by a form' }),
  revokeMyKey: ({ keyId }) => ({ 'body.keyId': keyId }),
  registerClient: ({ owner }) => ({ 'body.redirect_uris': [owner.oauth?.redirectUri] }),
  authorize: ({ owner }) => ({
    'query.client_id': owner.oauth?.clientId,
    'query.redirect_uri': owner.oauth?.redirectUri,
  }),
  readAuthorizeContext: ({ owner }) => ({
    'query.client_id': owner.oauth?.clientId,
    'query.redirect_uri': owner.oauth?.redirectUri,
  }),
  consent: ({ owner, workspace }) => ({
    'body.client_id': owner.oauth?.clientId,
    'body.redirect_uri': owner.oauth?.redirectUri,
    'body.code_challenge': 'c'.repeat(43),
    'body.code_challenge_method': 'S256',
    'body.workspace_name': workspace,
    'body.csrf': owner.oauth?.csrf,
    'header.cookie': `orrery_oauth_csrf=${owner.oauth?.csrf ?? ''}`,
  }),
  showConsent: ({ owner }) => ({
    'query.client_id': owner.oauth?.clientId,
    'query.redirect_uri': owner.oauth?.redirectUri,
  }),
  answerConsent: ({ owner }) => ({
    'body.client_id': owner.oauth?.clientId,
    'body.redirect_uri': owner.oauth?.redirectUri,
  }),
  issueToken: ({ owner }) => ({
    'body.grant_type': 'refresh_token',
    'body.client_id': owner.oauth?.clientId,
    'body.refresh_token': owner.oauth?.refreshTokens.pop(),
  }),
  logMetric: () => ({ 'body.metricValue': '0.5' }),
  showRegistryVersion: () => ({ 'params.version': '1.0.0' }),
  showArtifactVersion: () => ({ 'params.version': '1.0.0' }),
  deleteDashboard: ({ viewId }) => ({ 'body.template_id': viewId }),
  deleteView: ({ viewId }) => ({ 'body.templateId': viewId }),
  searchAssetNames: () => ({ 'body.phrase': 'weights' }),
  completeUpload: () => ({ 'body.succeed': false }),
  downloadModel: () => ({ 'query.modelName': 'net' }),
  upload3dItem: ({ pictureId }) => ({ 'part.requestParams.assetId': pictureId }),
  upload3dThumbnail: ({ pictureId }) => ({ 'params.assetId': pictureId }),
  getSpec: () => ({ 'query.algorithmName': 'random' }),
  registerModel: () => ({ 'body.registryModelName': freshName('model') }),
  promoteModel: ({ registryModelName }) => ({
    'body.registryModelName': registryModelName,
    'body.version': freshVersion(),
  }),
  registerByName: ({ registryModelName }) => ({
    'body.experimentModelName': 'net',
    'body.registryModelName': registryModelName,
    'body.version': freshVersion(),
  }),
  addStage: () => ({ 'query.stage': freshName('stage') }),
  deleteStage: ({ stage }) => ({ 'query.stage': stage }),
  getModelVersion: () => ({ 'query.version': '1.0.0' }),
  setStatuses: () => ({
    'body.statuses': ['None', 'Development', 'Staging', 'QA', 'Production', 'Archived'].map(
      (name) => ({ name, colour: '#888', requiresApproval: true, exclusive: false }),
    ),
  }),
  setModelStatus: () => ({ 'body.status': 'QA' }),
  requestModelStatus: () => ({ 'body.status': 'Staging' }),
  updateStatusConfiguration: () => ({ 'body.status': 'QA' }),
  rejectStatusRequest: () => ({ 'body.comment': 'not yet' }),
  updateWebhooks: ({ workspace }) => ({
    'body.webhookConfigs': [
      { workspaceName: workspace, webhookUrls: [{ url: `${nowhere}/${freshName('hook')}` }] },
    ],
  }),
  overrideWebhooks: ({ workspace, registryModelName }) => ({
    'body.webhookConfigs': [
      { workspaceName: workspace, modelName: registryModelName, webhookUrls: [] },
    ],
  }),
  testWebhook: ({ workspace }) => ({
    'body.workspaceName': workspace,
    'body.webhook': { url: nowhere },
  }),
  createChannel: () => ({ 'body.kind': 'slack', 'body.target': nowhere }),
  createOptimizer: () => ({
    'body.algorithm': 'random',
    'body.parameters': { x: { type: 'float', min: 0, max: 1 } },
  }),
  saveResult: ({ callId }) => ({ 'body.callId': callId }),
  changeToggle: () => ({ 'body.name': 'video-panel' }),
  upsertArtifact: () => ({ 'body.artifactName': freshName('artifact') }),
  getAsset: () => ({ 'query.artifactVersionId': undefined }),
  setArtifactState: () => ({ 'body.state': 'OPEN' }),
  showSwaggerFile: () => ({ 'params.file': 'index.html' }),
};
const contents: Readonly<Record<string, readonly SentPart[]>> = {
  upload3dItem: [{ name: 'assetItemContent', fileName: 'points', content: '{}' }],
  upload3dThumbnail: [{ name: 'thumbnail', fileName: 'small.png', content: 'png' }],
};
const file: readonly SentPart[] = [{ name: 'file', fileName: 'a.txt', content: 'text' }];

/** A value that a schema accepts. */
export const sampleOf = (shape: Shape): unknown => {
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.type === 'array') return shape.items === undefined ? [] : [sampleOf(shape.items)];
  if (shape.type === 'object')
    return Object.fromEntries(
      (shape.required ?? []).map((name) => [name, sampleOf(shape.properties?.[name] ?? {})]),
    );
  const samples: Readonly<Record<string, unknown>> = {
    text: shape.pattern === undefined ? 'x' : freshKey(),
    integer: Math.max(1, shape.minimum ?? 1),
    number: 1.5,
    flag: true,
    literal: '0.5',
    texts: ['a'],
    objects: [{ name: 'a', key: 'a', value: '1' }],
    object: { a: 1 },
  };
  return samples[shape.lenient ?? ''] ?? {};
};

/** What names a thing of a kind in a world. */
export const nameIn = (world: World, { name }: Kind): string => {
  const names: Readonly<Record<string, string>> = {
    workspace: world.workspace,
    project: world.projectId,
    experiment: world.experimentKey,
    asset: world.assetId,
    upload: world.requestId,
    panel: world.panelId,
    optimizer: world.optimizerId,
    artifact: world.artifactId,
    artifactVersion: world.artifactVersionId,
    experimentModel: world.experimentModelId,
    registryModel: world.registryModelId,
    modelVersion: world.modelVersionId,
    statusRequest: world.statusRequestId,
    channel: world.channelId,
    delivery: world.deliveryId,
    invitation: world.invitationId,
    account: world.accountName,
    apiKey: world.keyId,
    ...world.things,
  };
  const found = names[name];
  if (found === undefined) throw new Error(`the world has nothing of the kind ${name}`);
  return found;
};

/** What a thing of a kind is called in its workspace. */
export const ownNameIn = (world: World, { name }: Kind): string =>
  name === 'registryModel'
    ? world.registryModelName
    : name === 'artifact'
      ? world.artifactName
      : world.projectName;

/** The places and values by which an input names a subject, in its way number `choice`. */
export const namingOf = (
  subject: Subject,
  world: World,
  choice = 0,
): Readonly<Record<string, unknown>> => {
  if ('each' in subject)
    return {
      [subject.path]: subject.path.includes('*')
        ? nameIn(world, subject.each)
        : [nameIn(world, subject.each)],
    };
  if ('creates' in subject) return { [subject.paths[0] ?? '']: freshKey() };
  const path = subject.paths[Math.min(choice, subject.paths.length - 1)] ?? '';
  const [first = '', second] = path.split('/');
  return second === undefined
    ? { [first]: nameIn(world, subject.one) }
    : { [first]: world.workspace, [second]: ownNameIn(world, subject.one) };
};

interface Draft {
  readonly query: Record<string, unknown>;
  readonly params: Record<string, unknown>;
  readonly part: Record<string, Record<string, unknown>>;
  readonly header: Record<string, string>;
  body: unknown;
}

/** Puts a value at a place of the row's own words; `*` is the first item of a list, which the sample has made. */
const put = (draft: Draft, place: string, value: unknown): void => {
  const [where = '', ...path] = place.split('.');
  const names = path.map((name) => (name === '*' ? '0' : name)); // a sample of a list has one item
  let into = (
    where === 'body'
      ? (draft.body ??= {})
      : where === 'part'
        ? draft.part
        : where === 'header'
          ? draft.header
          : where === 'params'
            ? draft.params
            : draft.query
  ) as Record<string, unknown>; // each is an object
  for (const name of names.slice(0, -1)) into = (into[name] ??= {}) as Record<string, unknown>; // made here, or by a sample of an object
  if (value === undefined) Reflect.deleteProperty(into, names.at(-1) ?? '');
  else into[names.at(-1) ?? ''] = value;
};

export interface Wish {
  /** Which of several ways of naming its subjects it uses. */
  readonly choice?: number;
  /** Values by place that win over all others; `undefined` leaves the member out. */
  readonly with?: Readonly<Record<string, unknown>>;
}

/** Input that the row accepts from the owner of a world. */
export const inputFor = (
  id: string,
  operation: Operation,
  world: World,
  { choice = 0, with: own = {} }: Wish = {},
): Input => {
  const sample = (where: 'query' | 'params') => ({
    ...(sampleOf({ type: 'object', ...shapeOf(operation, where) }) as Record<string, unknown>),
  }); // a sample of an object
  const bodyShape = shapeOf(operation, 'body');
  const draft: Draft = {
    query: sample('query'),
    params: sample('params'),
    part: {},
    header: {},
    body: bodyShape === undefined ? undefined : sampleOf(bodyShape),
  };
  for (const subject of subjectsOf(operation))
    for (const [place, value] of Object.entries(namingOf(subject, world, choice)))
      put(draft, place, value);
  for (const [place, value] of Object.entries({ ...particulars[id]?.(world), ...own }))
    put(draft, place, value);
  const takesParts = operation.body !== undefined && 'multipart' in operation.body;
  const lead = draft.part['requestParams'];
  return {
    query: draft.query,
    params: draft.params,
    headers: draft.header,
    ...(takesParts
      ? {
          parts:
            id === 'uploadPanel'
              ? [{ name: 'file', fileName: 'panel.zip', content: world.panel }]
              : (contents[id] ?? file),
          ...(lead === undefined ? {} : { lead }),
        }
      : {
          body: draft.body,
          ...(operation.body !== undefined && 'form' in operation.body ? { form: true } : {}),
        }),
  };
};
