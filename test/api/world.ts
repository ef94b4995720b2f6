// Two workspaces that know nothing of each other, with one of everything in each, and who may do what there.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { v7 } from 'uuid';
import { systemSecrets } from '#adapters/system/secrets';
import { systemZip } from '#adapters/system/zip';
import type { Storage } from '#ports/storage/storage';
import { neverStored } from '#test/clients/secrets';
import { openBeside, type StartedServer } from '#test/clients/server';
import { encodeParts } from './sending.js';

export interface Member {
  readonly name: string;
  readonly apiKey: string;
  /** Names of users who belong to nothing of it yet. */
  readonly newcomers?: string[];
  /** Names of ordinary members, who may be taken out. */
  readonly members?: string[];
  /** Names of service accounts. */
  readonly services?: string[];
  /** Names of workspaces that hold nothing. */
  readonly spaces?: string[];
  /** Those that this member administers. */
  readonly ownSpaces?: string[];
  readonly password?: string;
  /** Ids of sessions that go on. */
  readonly sessions?: string[];
  /** Secrets of one-time links that set a password of somebody else's. */
  readonly resets?: string[];
  /** Secrets of invitations to the workspace. */
  readonly invitations?: string[];
  /** Programs that may act for this member. */
  readonly programs?: string[];
  /** A program that is registered, what it may renew, and the token of a consent page that this member opened with the key. */
  readonly oauth?: {
    readonly clientId: string;
    readonly redirectUri: string;
    readonly csrf: string;
    readonly refreshTokens: string[];
  };
}

/** One of everything that a request may name, all in one workspace. */
export interface World {
  readonly workspace: string;
  readonly owner: Member;
  readonly projectId: string;
  readonly projectName: string;
  /** A second project of the workspace, to link to. */
  readonly otherProject: string;
  readonly experimentKey: string;
  readonly assetId: string;
  /** A 3D picture, whose parts are still to come. */
  readonly pictureId: string;
  readonly requestId: string;
  readonly panelId: string;
  /** The archive that it was uploaded as. */
  readonly panel: Buffer;
  /** A dashboard of the project, which is a view of it too. */
  readonly viewId: string;
  readonly optimizerId: string;
  readonly artifactId: string;
  readonly artifactName: string;
  /** An open version of it. */
  readonly artifactVersionId: string;
  /** A call into the experiment's run. */
  readonly callId: string;
  readonly experimentModelId: string;
  readonly registryModelId: string;
  readonly registryModelName: string;
  readonly modelVersionId: string;
  /** A stage that the version has. */
  readonly stage: string;
  readonly statusRequestId: string;
  readonly channelId: string;
  /** A delivery to a webhook of the workspace; empty where none was asked for. */
  readonly deliveryId: string;
  /** Somebody who belongs to nothing of it. */
  readonly accountName: string;
  /** A key of its owner's, which nothing else uses. */
  readonly keyId: string;
  readonly invitationId: string;
  /** What names one of each further kind, which an area of a test brings. */
  readonly things?: Readonly<Record<string, string>>;
}

/** The archive of a panel. */
const panelArchive = async (): Promise<Buffer> => {
  const text = JSON.stringify({ templateName: 'panel', code: { code: '1', type: 'js' } });
  const pieces: Uint8Array[] = [];
  for await (const piece of systemZip.pack([
    {
      name: 'tempVisualizationTemplate.json',
      changedAt: 0,
      open: async function* () {
        yield Buffer.from(text);
      },
    },
  ]))
    pieces.push(piece);
  return Buffer.concat(pieces);
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
export const freshKey = (): string => randomBytes(16).toString('hex');
export const freshName = (start: string): string => `${start}-${randomBytes(5).toString('hex')}`;

/** A password that keeps to every rule: no two of its random letters stand beside each other. */
export const freshPassword = (): string =>
  neverStored(`Tulip ${[...randomBytes(6).toString('hex')].join('-')}`);

/** A semantic version that was not given before. */
export const freshVersion = (): string =>
  `9.${randomBytes(3).readUIntBE(0, 3)}.${randomBytes(3).readUIntBE(0, 3)}`;

export interface People {
  readonly home: Member & { readonly workspace: string };
  readonly stranger: Member & { readonly workspace: string };
  /** A view-only member of `home`'s workspace. */
  readonly viewer: Member;
  /** An ordinary member of it. */
  readonly member: Member;
  /** Somebody whose sessions may end. */
  readonly keeper: Member;
  /** Keys of members of it who may go. */
  readonly leavers: string[];
}

/** Makes the people that the product has no call for yet, in the running server's database. */
export const makePeople = async (server: StartedServer): Promise<People> => {
  const { storage, auth, close } = await openBeside(server);
  try {
    const add = async (start: string) => {
      const name = freshName(start);
      const { apiKey, workspace } = await auth.addUser({
        name,
        workspace: freshName(`${start}-space`),
      });
      return { name, apiKey: neverStored(apiKey), workspace };
    };
    const [home, stranger, viewer, member, keeper] = [
      await add('home'),
      await add('stranger'),
      await add('viewer'),
      await add('member'),
      await add('keeper'),
    ];
    const { identity, workspaces } = storage.stores;
    const [space, user, other] = [
      await workspaces.findByName(home.workspace),
      await identity.findUser({ name: viewer.name }),
      await identity.findUser({ name: member.name }),
    ];
    if (space === undefined || user === undefined || other === undefined)
      throw new Error('the people were not stored');
    await identity.setRole(space.id, user.id, 'view-only', []);
    await identity.setRole(space.id, other.id, 'member', []);
    const [newcomers, spaces, members, services, leavers]: string[][] = [[], [], [], [], []];
    for (let i = 0; i < 60; i++) {
      const made = await add('newcomer');
      newcomers?.push(made.name);
      spaces?.push(made.workspace);
    }
    for (let i = 0; i < 12; i++) {
      const [gone, leaver] = [
        await auth.addUser({ name: freshName('member') }),
        await auth.addUser({ name: freshName('leaver') }),
      ];
      for (const one of [gone, leaver]) await identity.setRole(space.id, one.user.id, 'member', []);
      members?.push(gone.user.name);
      leavers?.push(neverStored(leaver.apiKey));
      services?.push(
        (await auth.addUser({ name: freshName('sa-robot'), kind: 'service', workspace: null })).user
          .name,
      );
    }
    const [password, sessions, resets, invitations]: [string, string[], string[], string[]] = [
      neverStored('velvet-Harbor-91-quill'),
      [],
      [],
      [],
    ];
    const [owner, kept] = [
      await identity.findUser({ name: home.name }),
      await identity.findUser({ name: keeper.name }),
    ];
    for (const one of [owner, kept]) await auth.setPassword(one?.id ?? '', password);
    for (let i = 0; i < 12; i++) {
      const { sessionId, token } = await auth.openSession(owner?.id ?? '', {
        address: '192.0.2.1',
        agent: 'a test',
        way: 'password',
      });
      neverStored(token);
      sessions.push(sessionId);
      const [reset, invitation] = [
        neverStored(`orrery_ot_${freshKey()}`),
        neverStored(`orrery_ot_${freshKey()}`),
      ];
      const ticket = {
        email: undefined,
        mailed: false,
        role: undefined,
        workspaceId: undefined,
        permissions: [],
        madeBy: undefined,
        createdAt: Date.now(),
        expiresAt: Date.now() + 3_600_000,
      };
      await storage.stores.tickets.insert({
        ...ticket,
        id: v7(),
        kind: 'reset',
        userId: other.id,
        hash: hashOf(reset),
      });
      await storage.stores.tickets.insert({
        ...ticket,
        id: v7(),
        kind: 'invitation',
        userId: undefined,
        email: `${freshName('guest')}@people.example`,
        workspaceId: space.id,
        role: 'member',
        hash: hashOf(invitation),
      });
      resets.push(reset);
      invitations.push(invitation);
    }
    const ownSpaces: string[] = [];
    for (let i = 0; i < 4; i++) {
      const empty = {
        id: v7(),
        name: freshName('spare'),
        ownerId: owner?.id ?? '',
        createdAt: Date.now(),
      };
      await workspaces.insert(empty);
      await identity.setRole(empty.id, empty.ownerId, 'admin', []);
      ownSpaces.push(empty.name);
    }
    const programs: string[] = [];
    for (let i = 0; i < 40; i++)
      programs.push(
        (
          await makeProgram(storage, {
            userId: owner?.id ?? '',
            workspaceId: space.id,
            keyId: '',
            tokens: 1,
          })
        ).clientId,
      );
    const oauth = await makeProgram(storage, {
      userId: user.id,
      workspaceId: space.id,
      tokens: 12,
      keyId: (await identity.listKeys(owner?.id ?? ''))[0]?.id ?? '',
    });
    return {
      home: {
        ...home,
        ...{
          newcomers,
          spaces,
          ownSpaces,
          members,
          services,
          password,
          sessions,
          resets,
          invitations,
          programs,
          oauth,
        },
      } as People['home'],
      stranger,
      viewer,
      member,
      keeper: { ...keeper, password },
      leavers: leavers ?? [],
    }; // the lists made above
  } finally {
    await close();
  }
};

/** A program with a family of refresh tokens of somebody who is left alone, and the CSRF token of whoever holds the key. */
const makeProgram = async (
  { stores: { oauth } }: Storage,
  {
    userId,
    workspaceId,
    keyId,
    tokens,
  }: {
    readonly userId: string;
    readonly workspaceId: string;
    readonly keyId: string;
    readonly tokens: number;
  },
): Promise<NonNullable<Member['oauth']>> => {
  const [clientId, familyId, redirectUri, createdAt] = [
    v7(),
    v7(),
    'https://program.example/cb',
    Date.now(),
  ];
  const [expiresAt, going] = [createdAt + 3_600_000, { revokedAt: undefined, reason: undefined }];
  await oauth.insertClient({
    id: clientId,
    name: 'Program',
    redirectUris: [redirectUri],
    logoUri: undefined,
    clientUri: undefined,
    softwareId: undefined,
    softwareVersion: undefined,
    createdAt,
    disabledAt: undefined,
  });
  await oauth.insertCode({
    id: v7(),
    hash: hashOf(familyId),
    clientId,
    userId: userId,
    workspaceId: workspaceId,
    workspaceName: 'w',
    challenge: 'c',
    redirectUri: 'x',
    resource: 'x',
    createdAt,
    expiresAt,
  });
  await oauth.insertFamily(
    {
      id: familyId,
      clientId,
      userId,
      workspaceId,
      resource: 'https://program.example',
      createdAt,
      usedAt: createdAt,
      expiresAt,
      codeHash: hashOf(familyId),
      ...going,
    },
    [],
  );
  const refreshTokens = Array.from({ length: tokens }, () =>
    neverStored(`orrery_rt_${freshKey()}`),
  );
  await oauth.insertTokens(
    refreshTokens.map((token) => ({
      id: v7(),
      familyId,
      kind: 'refresh',
      hash: hashOf(token),
      rotatedFrom: undefined,
      pairs: 0,
      createdAt,
      expiresAt,
      ...going,
    })),
  );
  const body = `${expiresAt}.${freshKey()}`;
  return {
    clientId,
    redirectUri,
    refreshTokens,
    csrf: `${body}.${systemSecrets.sign(keyId, `consent.${body}`)}`,
  };
};

/** An address of this machine at which nobody answers. */
export const nowhere = 'http://127.0.0.1:9/hook';
/** What a server needs to be told to call it. */
export const mayCallNowhere = { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } as const;

/** A delivery to a webhook that nobody answers, once the change it tells of was fanned out. */
const makeDelivery = async (
  url: string,
  owner: Member & { readonly workspace: string },
  { registryModelName, modelVersionId }: Pick<World, 'registryModelName' | 'modelVersionId'>,
): Promise<string> => {
  const headers = { Authorization: owner.apiKey, 'Content-Type': 'application/json' };
  const webhookConfigs = [
    {
      workspaceName: owner.workspace,
      modelName: registryModelName,
      webhookUrls: [{ url: nowhere }],
    },
  ];
  await fetch(`${url}/api/rest/v2/webhooks/config`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ webhookConfigs }),
  });
  await fetch(
    `${url}/api/rest/v2/write/registry-model/item/stage?modelItemId=${modelVersionId}&stage=${freshName('told')}`,
    { headers },
  );
  for (let tries = 0; tries < 200; tries++) {
    const { content } = (await (
      await fetch(
        `${url}/api/rest/v2/webhooks/deliveries?workspaceName=${owner.workspace}&modelName=${registryModelName}`,
        { headers },
      )
    ).json()) as { content: { deliveryId: string }[] }; // the row's reply
    if (content[0] !== undefined) return content[0].deliveryId;
    await wait(50);
  }
  throw new Error('no delivery was made');
};

/** Makes one of everything in a member's workspace, through the API; a delivery only where it is `told`, since it is waited for. */
export const makeWorld = async (
  url: string,
  owner: Member & { readonly workspace: string },
  { told = true }: { readonly told?: boolean } = {},
): Promise<World> => {
  const ask = async (
    path: string,
    body: unknown,
    type = 'application/json',
  ): Promise<Record<string, string>> => {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { Authorization: owner.apiKey, 'Content-Type': type },
      body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
    });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${text}`);
    return JSON.parse(text) as Record<string, string>; // every reply below is an object whose members read here are texts
  };
  const write = '/api/rest/v2/write';
  const [projectName, otherProject] = [freshName('project'), freshName('other')];
  const { projectId = '' } = await ask(`${write}/project/create`, {
    workspaceName: owner.workspace,
    projectName,
  });
  await ask(`${write}/project/create`, {
    workspaceName: owner.workspace,
    projectName: otherProject,
  });
  const { experimentKey = '' } = await ask(`${write}/experiment/create`, {
    workspaceName: owner.workspace,
    projectName,
  });
  const file = encodeParts([{ name: 'file', fileName: 'weights.bin', content: 'weights' }]);
  const { assetId = '' } = await ask(
    `${write}/experiment/upload-asset?experimentKey=${experimentKey}&type=model-element&groupingName=net&fileName=weights.bin`,
    file.body,
    file.type,
  );
  const { assetId: pictureId = '' } = await ask('/clientlib/asset', {
    experimentKey,
    userFileName: 'scene',
  });
  const { requestId = '' } = await ask('/clientlib/asset/upload-start', {
    experimentKey,
    fileName: 'large',
    startUploadParams: { numOfFileParts: 1 },
  });
  const panel = await panelArchive();
  const archive = encodeParts([{ name: 'file', fileName: 'panel.zip', content: panel }]);
  const { templateId: panelId = '' } = await ask(
    `${write}/template/upload?teamName=${owner.workspace}`,
    archive.body,
    archive.type,
  );
  const { template_id: viewId = '' } = await ask(`${write}/dashboard-template/create`, {
    project_id: projectId,
    template_name: 'dashboard',
  });
  const { id: optimizerId = '' } = await ask('/optimizer/create', {
    algorithm: 'random',
    parameters: { x: { type: 'float', min: 0, max: 1 } },
  });
  const artifactName = freshName('artifact');
  const { artifactId = '', artifactVersionId: closed = '' } = await ask(
    `${write}/artifacts/upsert`,
    { experimentKey, artifactName, artifactType: 'data' },
  );
  await ask(`${write}/artifacts/state`, {
    experimentKey,
    artifactVersionId: closed,
    state: 'CLOSED',
  });
  const { artifactVersionId = '' } = await ask(`${write}/artifacts/upsert`, {
    experimentKey,
    artifactName,
    artifactType: 'data',
  });
  await ask('/clientlib/rpc/register-rpc', { experimentKey, functionName: 'x' });
  const { callId = '' } = await ask(`${write}/experiment/rpc`, {
    experimentKey,
    functionName: 'x',
  });
  const listed = await fetch(`${url}/api/rest/v2/experiment/model?experimentKey=${experimentKey}`, {
    headers: { Authorization: owner.apiKey },
  });
  const experimentModelId =
    ((await listed.json()) as { models: { experimentModelId: string }[] }).models[0]
      ?.experimentModelId ?? ''; // the model of the upload above
  const [registryModelName, stage] = [freshName('Net'), 'staging'];
  const { registryModelId = '', registryModelItemId: modelVersionId = '' } = await ask(
    `${write}/registry-model`,
    { experimentModelId, registryModelName, stages: [stage] },
  );
  const { requestId: statusRequestId = '' } = await ask(
    `${write}/registry-model/item/status-request`,
    { modelItemId: modelVersionId, status: 'Production' },
  );
  const { channelId = '' } = await ask(`${write}/channels`, {
    workspaceName: owner.workspace,
    kind: 'slack',
    name: 'room',
    target: nowhere,
  });
  const { keyId = '', apiKey: spare = '' } = await ask('/api/auth/keys', { name: 'spare' });
  neverStored(spare);
  const { invitationId = '' } = await ask('/api/auth/invitations', {
    workspaceName: owner.workspace,
    email: `${freshName('guest')}@people.example`,
  });
  const deliveryId = told
    ? await makeDelivery(url, owner, { registryModelName, modelVersionId })
    : '';
  return {
    keyId,
    invitationId,
    accountName: owner.newcomers?.[0] ?? owner.name,
    artifactId,
    artifactName,
    artifactVersionId,
    channelId,
    deliveryId,
    experimentModelId,
    registryModelId,
    registryModelName,
    modelVersionId,
    stage,
    statusRequestId,
    panel,
    panelId,
    viewId,
    optimizerId,
    callId,
    workspace: owner.workspace,
    owner,
    projectId,
    projectName,
    otherProject,
    experimentKey,
    assetId,
    pictureId,
    requestId,
  };
};
