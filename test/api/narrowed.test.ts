// Credentials that are narrowed, and guests: whatever they are let to do, who may do what is the same afterwards.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { reader } from '#adapters/http/input';
import { at, naming } from '#core/subject-paths';
import { checkPermission } from '#core/permissions';
import type { Auth } from '#ports/auth';
import type { Named } from '#ports/api/gate';
import { subjectsOf, changes, takesNarrowed, type Operation } from '#ports/api/operation';
import { isFailure } from '#ports/failure';
import { beginnings } from '#ports/model/credentials';
import type { Caller } from '#ports/model/identity';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { neverStored } from '#test/clients/secrets';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { projects, spareAccounts } from '#test/areas/workspaces/things';
import { artifacts } from '#test/areas/artifacts/things';
import { aMetric } from '#test/areas/automations/things';
import { agentConfigs } from '#test/areas/agent-configs/things';
import { experiments } from '#test/areas/experiments/things';
import { inputFor } from './building.js';
import { isRestricted, pathsOf, placesOf, rows, shapeOf } from './rows.js';
import { send } from './sending.js';
import { freshName, hashOf, mayCallNowhere } from './fresh.js';
import { makePeople, type People } from './people.js';
import { heldIn, makeWorld, type World } from './world.js';

describe('credentials that are narrowed', () => {
  let server: StartedServer;
  let people: People;
  let storage: SqlStorage;
  let auth: Auth;
  let close: () => Promise<void>;

  before(async () => {
    const started = await startServer({
      storage: 'embedded',
      env: { ...mayCallNowhere, ORRERY_LOG_LEVEL: 'error' },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    people = await makePeople(server);
    ({ storage, auth, close } = await openBeside(server));
  });
  after(async () => {
    await close?.();
    await server?.stop();
  });

  /** Everything that says who may do what, but for what is only a record of use. */
  const rights = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
    const { db } = storage.connection;
    const tables: Readonly<Record<string, readonly string[]>> = {
      users: [
        'id',
        'name',
        'email',
        'kind',
        'admin',
        'view_only',
        'restricted',
        'suspended_at',
        'default_workspace_id',
        'password',
      ],
      workspaces: ['id', 'name', 'owner_id', 'experiments_limit', 'storage_limit'],
      members: ['workspace_id', 'user_id', 'role', 'permissions'],
      api_keys: [
        'id',
        'user_id',
        'read_only',
        'only_workspace_id',
        'only_project_id',
        'revoked_at',
      ],
      tickets: ['id'],
      sessions: ['id'],
      oauth_codes: ['id'],
      oauth_families: ['id', 'revoked_at'],
      oauth_clients: ['id', 'disabled_at'],
      channels: ['id', 'workspace_id'],
      share_codes: ['project_id', 'code'],
      toggles: ['name', 'enabled'],
    };
    const read = await Promise.all(
      Object.entries(tables).map(
        async ([name, columns]) =>
          [
            name,
            (await db(name).select(...columns)).map((row) => JSON.stringify(row)).sort(),
          ] as const,
      ),
    );
    const projects = (await db('projects')
      .select('id', 'workspace_id', 'owner_id', 'public')
      .whereNull('deleted_at')
      .where((open) => open.where({ public: true }).orWhereIn('id', known))) as readonly Record<
      string,
      unknown
    >[];
    return {
      ...Object.fromEntries(read),
      projects: projects.map((row) => JSON.stringify(row)).sort(),
    };
  };
  let known: readonly string[] = [];

  /** An administrator of the workspace, and a world there of its own. */
  const administrator = async (): Promise<{
    readonly userId: string;
    readonly workspaceId: string;
    readonly world: World;
  }> => {
    const { user, apiKey, workspace } = await auth.addUser({ name: freshName('narrow') });
    const all = heldIn(people.supplies, spareAccounts);
    const workspaceId = user.defaultWorkspaceId ?? '';
    const spare = { ...structuredClone(all), members: all.members.slice(0, 2), ownSpaces: [] };
    for (const name of spare.members)
      await auth.setRole(
        workspaceId,
        (await storage.stores.users.findUser({ name }))?.id ?? '',
        'admin',
      );
    const owner = { name: user.name, apiKey, workspace };
    const supplies = new Map([[spareAccounts, spare]]);
    const world = await makeWorld(server.url, owner, { supplies, slow: false });
    return { userId: user.id, workspaceId, world };
  };
  const accessToken = async (userId: string, workspaceId: string): Promise<string> => {
    const { oauth } = storage.stores;
    const [token, code] = [
      neverStored(`${beginnings.access}${randomBytes(32).toString('base64url')}`),
      hashOf(randomBytes(9).toString('hex')),
    ];
    const [clientId, id, createdAt] = [v7(), v7(), Date.now()];
    const [expiresAt, going] = [createdAt + 600_000, { revokedAt: undefined, reason: undefined }];
    await oauth.insertClient({
      id: clientId,
      name: 'Editor',
      redirectUris: [],
      logoUri: undefined,
      clientUri: undefined,
      softwareId: undefined,
      softwareVersion: undefined,
      createdAt,
      disabledAt: undefined,
    });
    await oauth.insertCode({
      id: v7(),
      hash: code,
      clientId,
      userId,
      workspaceId,
      workspaceName: 'w',
      challenge: 'c',
      redirectUri: 'x',
      resource: 'x',
      createdAt,
      expiresAt,
    });
    await oauth.insertFamily(
      {
        id,
        clientId,
        userId,
        workspaceId,
        resource: 'x',
        createdAt,
        usedAt: createdAt,
        expiresAt,
        codeHash: code,
        ...going,
      },
      [
        {
          id: v7(),
          familyId: id,
          kind: 'access',
          hash: hashOf(token),
          rotatedFrom: undefined,
          pairs: 0,
          createdAt,
          expiresAt,
          ...going,
        },
      ],
    );
    return token;
  };
  const keyOf = async (
    userId: string,
    scope: {
      readonly readOnly?: boolean;
      readonly workspaceId?: string;
      readonly projectId?: string;
    },
  ) =>
    neverStored(
      (
        await auth.issueKey(userId, {
          name: 'narrow',
          scope: {
            readOnly: scope.readOnly ?? false,
            workspaceId: scope.workspaceId,
            projectId: scope.projectId,
          },
        })
      ).apiKey,
    );

  const wholeKeyOf = async (userId: string) =>
    neverStored((await auth.issueKey(userId, { name: 'whole' })).apiKey);

  type Asker = () => Promise<{ readonly credential: string; readonly world: World }>;
  const askers: Readonly<Record<string, Asker>> = {
    'a key that may only read': async () => {
      const { userId, world } = await administrator();
      return { world, credential: await keyOf(userId, { readOnly: true }) };
    },
    'a key of one workspace': async () => {
      const { userId, workspaceId, world } = await administrator();
      return { world, credential: await keyOf(userId, { workspaceId }) };
    },
    'a key of one project': async () => {
      const { userId, workspaceId, world } = await administrator();
      return {
        world,
        credential: await keyOf(userId, { workspaceId, projectId: world.of(projects).projectId }),
      };
    },
    'an access token of a program': async () => {
      const { userId, workspaceId, world } = await administrator();
      return { world, credential: await accessToken(userId, workspaceId) };
    },
    'a share code': async () => {
      const made = await administrator();
      return { world: made.world, credential: `${beginnings.share}${await shareCode(made)}` };
    },
    "a guest's key": async () => {
      const { userId, world } = await administrator();
      await storage.stores.users.updateUser(userId, { kind: 'guest' });
      return {
        world,
        credential: neverStored((await auth.issueKey(userId, { name: 'guest' })).apiKey),
      };
    },
  };
  const shareCode = async ({
    world,
    userId,
  }: {
    readonly world: World;
    readonly userId: string;
  }): Promise<string> =>
    String(
      (
        await send(
          server.url,
          'GET',
          '/api/rest/v2/write/project/add-share-link',
          { query: { projectId: world.of(projects).projectId }, params: {} },
          await wholeKeyOf(userId),
        )
      ).json['shareCode'],
    );
  /** What deletes or moves comes last, so that the rest still finds its things. */
  const inTurn = [...rows]
    .filter(({ operation }) => isRestricted(operation))
    .sort(
      (a, b) =>
        Number(/delete|move|archive/i.test(a.id)) - Number(/delete|move|archive/i.test(b.id)),
    );

  for (const [who, make] of Object.entries(askers)) {
    it(`${who} changes no rights, whatever it asks`, async () => {
      const { credential, world } = await make();
      known = [world.of(projects).projectId];
      const before = await rights();
      const strays: string[] = [];
      for (const { id, operation } of inTurn) {
        const input = inputFor(id, operation, world.copy());
        const { status } = await send(
          server.url,
          operation.method,
          pathsOf(operation)[0] ?? '',
          input,
          credential,
        );
        if (changes(operation) && !takesNarrowed(operation) && status < 400)
          strays.push(`${id} answers ${status}`);
      }
      const after = await rights();

      expect(strays).to.deep.equal([]);
      for (const [table, held] of Object.entries(before)) {
        const mayGo = table === 'projects' || table === 'share_codes'; // a project that was deleted takes its own along
        if (!mayGo)
          expect(
            held.filter((row) => after[table]?.includes(row) === false),
            `${table} lost`,
          ).to.deep.equal([]);
        expect(
          after[table]?.filter((row) => !held.includes(row)),
          `${table} gained`,
        ).to.deep.equal([]);
      }
    });
  }

  it('share one project for reading, without a key, until the code is taken back', async () => {
    const made = await administrator();
    const { world, userId } = made;
    const [code, owner] = [await shareCode(made), await wholeKeyOf(userId)];
    const get = async (path: string, query: Readonly<Record<string, string>>, key?: string) =>
      (await send(server.url, 'GET', `/api/rest/v2${path}`, { query, params: {} }, key)).status;
    const other =
      (await storage.stores.projects.findByName(made.workspaceId, world.of(projects).otherProject))
        ?.id ?? '';
    const shared = { shareCode: code };

    expect([
      await get('/project', { projectId: world.of(projects).projectId, ...shared }),
      await get('/experiment/metadata', {
        experimentKey: world.of(experiments).experimentKey,
        ...shared,
      }),
    ]).to.deep.equal([200, 200]);
    expect([
      await get('/project', { projectId: other, ...shared }),
      await get('/projects', { workspaceName: world.workspace, ...shared }),
      await get('/account-details', shared),
      await get('/workspaces', shared),
    ]).to.deep.equal([404, 403, 403, 403]);
    expect(
      await get('/write/experiment/delete', {
        experimentKey: world.of(experiments).experimentKey,
        ...shared,
      }),
    ).to.equal(403);
    expect([
      await get('/project', { projectId: world.of(projects).projectId }),
      await get('/project', { projectId: world.of(projects).projectId, shareCode: 'unknown' }),
    ]).to.deep.equal([401, 401]);
    expect(
      await get(
        '/write/project/delete-project-share-link',
        { projectId: world.of(projects).projectId, ...shared },
        owner,
      ),
    ).to.equal(200);
    expect(await get('/project', { projectId: world.of(projects).projectId, ...shared })).to.equal(
      401,
    );
  });

  it('publish no project, neither a new one nor one that there is', async () => {
    const { userId, workspaceId, world } = await administrator();
    const key = await keyOf(userId, { workspaceId });
    const post = (path: string, body: unknown) =>
      send(
        server.url,
        'POST',
        `/api/rest/v2/write/project/${path}`,
        { query: {}, params: {}, body },
        key,
      );

    expect(
      (await post('update', { projectId: world.of(projects).projectId, isPublic: true })).status,
    ).to.equal(403);
    expect(
      (
        await post('create', {
          workspaceName: world.workspace,
          projectName: freshName('p'),
          isPublic: true,
        })
      ).status,
    ).to.equal(403);
    expect(
      (
        await post('update', {
          projectId: world.of(projects).projectId,
          isPublic: false,
          newProjectDescription: 'mine',
        })
      ).status,
    ).to.equal(200);
    expect(await storage.stores.projects.findById(world.of(projects).projectId)).to.deep.include({
      public: false,
      description: 'mine',
    });
  });

  it('of one project change and delete records of that project alone', async () => {
    const { userId, workspaceId, world } = await administrator();
    const whole = await wholeKeyOf(userId);
    const projectId = world.of(projects).projectId;
    const key = await keyOf(userId, { workspaceId, projectId });
    const ask = async (method: string, path: string, body?: unknown, by = whole) => {
      const reply = await send(
        server.url,
        method,
        `/api/v1/private/${path}`,
        { query: {}, params: {}, ...(body === undefined ? {} : { body }) },
        by,
      );
      return { status: reply.status, json: reply.status === 200 ? reply.json : {} };
    };
    const make = async (path: string, body: object): Promise<string> => {
      const id = v7();
      expect((await ask('POST', path, { id, ...body })).status).to.equal(201);
      return id;
    };
    const inBoth = async (path: string, body: () => object): Promise<readonly string[]> => [
      await make(path, { project_id: projectId, ...body() }),
      await make(path, { project_name: freshName('other'), ...body() }),
    ];
    const statuses = async (path: string, ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await ask('GET', `${path}/${id}`)).status));
    const otherProject = async (): Promise<string> => {
      const id = await make('traces', {
        ...{ project_name: freshName('other'), start_time: '2026-05-01T10:00:00.123456Z' },
      });
      return String((await ask('GET', `traces/${id}`)).json['project_id']);
    };
    const dataset_name = freshName('dataset');
    const made = {
      experiments: await inBoth('experiments', () => ({ name: 'e', dataset_name })),
      optimizations: await inBoth('optimizations', () => ({
        ...{ dataset_name, objective_name: 'o', status: 'running' },
      })),
      prompts: await inBoth('prompts', () => ({ name: freshName('prompt'), template: 'a' })),
      datasets: await inBoth('datasets', () => ({ name: freshName('dataset') })),
    };
    const queueIds = [
      await make('annotation-queues', {
        ...{ project_id: projectId, name: freshName('queue'), scope: 'trace' },
      }),
      await make('annotation-queues', {
        ...{ project_id: await otherProject(), name: freshName('queue'), scope: 'trace' },
      }),
    ];

    const update = { name: 'changed' };
    const ids = made.experiments;
    for (const [method, path, body] of [
      ['PATCH', 'experiments/batch', { ids, update }],
      ['POST', 'experiments/finish', { ids }],
    ] as const)
      expect((await ask(method, path, body, key)).status, path).to.equal(204);
    const shown = await Promise.all(
      ids.map(async (id) => (await ask('GET', `experiments/${id}`)).json),
    );
    expect(shown.map(({ name, status }) => [name, status])).to.deep.equal([
      ['changed', 'completed'],
      ['e', undefined],
    ]);
    const versions = await Promise.all(
      made.prompts.map(
        async (id) =>
          ((await ask('GET', `prompts/${id}`)).json as Readonly<Record<string, unknown>>)[
            'latest_version'
          ] as { readonly id: string; readonly commit: string }, // as the wire has it
      ),
    );
    const tagged = { ids: versions.map(({ id }) => id), update: { tags: ['seen'] } };
    expect((await ask('PATCH', 'prompts/versions', tagged, key)).status).to.equal(204);
    expect(
      await Promise.all(
        versions.map(async ({ id }) => (await ask('GET', `prompts/versions/${id}`)).json['tags']),
      ),
    ).to.deep.equal([['seen'], undefined]);
    expect(
      await Promise.all(
        versions.map(
          async ({ commit }) =>
            (await ask('GET', `prompts/by-commit/${commit}`, undefined, key)).status,
        ),
      ),
    ).to.deep.equal([200, 404]);
    const [own = '', foreign = ''] = queueIds;
    expect((await ask('GET', 'annotation-queues', undefined, key)).json['total']).to.equal(1);
    for (const id of queueIds) {
      const item = v7();
      expect(
        (await ask('POST', `annotation-queues/${id}/items/add`, { ids: [item] })).status,
      ).to.equal(204);
      await ask('PUT', `annotation-queues/${id}/items/${item}/lock`);
    }
    const locksBy = async (id: string) =>
      Object.keys(
        (await ask('GET', `annotation-queues/${id}/locks`, undefined, key)).json['locks'] ?? {},
      ).length;
    expect([await locksBy(own), await locksBy(foreign)]).to.deep.equal([1, 0]);
    for (const [path, wanted, by] of [
      ['experiments', made.experiments, 'delete'],
      ['optimizations', made.optimizations, 'delete'],
      ['prompts', made.prompts, 'delete'],
      ['datasets', made.datasets, 'delete-batch'],
      ['annotation-queues', queueIds, 'delete'],
    ] as const) {
      expect((await ask('POST', `${path}/${by}`, { ids: wanted }, key)).status).to.equal(204);
      expect(await statuses(path, wanted), path).to.deep.equal([404, 200]);
    }
  });

  it('of one project change and delete dashboards, alerts and configurations of that project alone', async () => {
    const { userId, workspaceId, world } = await administrator();
    const [whole, projectId] = [await wholeKeyOf(userId), world.of(projects).projectId];
    const key = await keyOf(userId, { workspaceId, projectId });
    const ask = async (method: string, path: string, body?: unknown, by = whole) => {
      const reply = await send(
        server.url,
        method,
        `/api/v1/private/${path}`,
        { query: {}, params: {}, ...(body === undefined ? {} : { body }) },
        by,
      );
      return { status: reply.status, json: reply.text === '' ? {} : reply.json };
    };
    const names = [projectId, freshName('other')].map((id, at) =>
      at === 0 ? { project_id: id } : { project_name: id },
    );

    for (const path of ['dashboards', 'insights-views']) {
      const made: string[] = [];
      for (const of of [...names, {}]) {
        const { json } = await ask('POST', path, { name: freshName('d'), config: {}, ...of });
        made.push(String(json['id']));
      }
      const statuses = async (by?: string) =>
        Promise.all(
          made.map(async (id) => (await ask('GET', `${path}/${id}`, undefined, by)).status),
        );
      expect(await statuses(key), path).to.deep.equal([200, 404, 403]);
      expect((await ask('GET', path, undefined, key)).json['total'], path).to.equal(1);
      for (const [id = '', status] of [
        [made[1], 404],
        [made[2], 403],
      ] as const) {
        expect((await ask('PATCH', `${path}/${id}`, { name: 'x' }, key)).status).to.equal(status);
        expect((await ask('DELETE', `${path}/${id}`, undefined, key)).status).to.equal(204);
      }
      expect(await statuses(), path).to.deep.equal([200, 200, 200]);
      const deleted = await ask('POST', `${path}/delete-batch`, { ids: made }, key);
      expect(deleted.status, path).to.equal(204);
      expect(await statuses(), path).to.deep.equal([404, 200, 200]);
      const stranger = { name: 'x', config: {}, project_name: freshName('another') };
      expect((await ask('POST', path, stranger, key)).status).to.equal(403);
      const own = await ask('POST', path, { name: 'x', config: {} }, key);
      expect([own.status, own.json['project_id']]).to.deep.equal([201, projectId]);
    }

    const alertOf = (more: Record<string, unknown>) => ({
      ...{ name: freshName('a'), webhook: { url: 'https://hooks.example/a' }, ...more },
    });
    const projectIds: string[] = [projectId];
    for (const name of names.slice(1)) {
      const { json } = await ask('GET', `projects?name=${String(name.project_name)}`);
      projectIds.push(String((json['content'] as readonly { id: string }[])[0]?.id)); // as every page has it
    }
    const alertIds: string[] = [];
    for (const of of [...projectIds.map((id) => ({ project_id: id })), {}]) {
      const id = v7();
      expect((await ask('POST', 'alerts', alertOf({ id, ...of }))).status).to.equal(201);
      alertIds.push(id);
    }
    const alertStatuses = async (by?: string) =>
      Promise.all(
        alertIds.map(async (id) => (await ask('GET', `alerts/${id}`, undefined, by)).status),
      );
    expect(await alertStatuses(key)).to.deep.equal([200, 404, 403]);
    expect((await ask('GET', 'alerts', undefined, key)).json['total']).to.equal(1);
    for (const [id = '', status] of [
      [alertIds[1], 404],
      [alertIds[2], 403],
    ] as const)
      expect((await ask('PUT', `alerts/${id}`, alertOf({}), key)).status).to.equal(status);
    const [ownAlert = ''] = alertIds;
    const moved = alertOf({ project_id: projectIds[1] });
    expect((await ask('PUT', `alerts/${ownAlert}`, moved, key)).status).to.equal(404);
    const scope = (id: string | undefined) =>
      alertOf({
        triggers: [
          {
            event_type: 'trace:errors',
            trigger_configs: [
              { type: 'scope:project', config_value: { project_ids: JSON.stringify([id]) } },
            ],
          },
        ],
      });
    // The key's project narrows all of it.
    for (const id of projectIds)
      expect((await ask('POST', 'alerts', scope(id), key)).status).to.equal(400);
    expect((await ask('POST', 'alerts', moved, key)).status).to.equal(404);
    expect((await ask('PUT', `alerts/${ownAlert}`, alertOf({}), key)).status).to.equal(204);
    expect((await ask('GET', `alerts/${ownAlert}`)).json['project_id']).to.equal(projectId);
    const deletedAlerts = await ask('POST', 'alerts/delete', { ids: alertIds }, key);
    expect(deletedAlerts.status).to.equal(204);
    expect(await alertStatuses()).to.deep.equal([404, 200, 200]);

    const root = 'agent-configs/blueprints';
    const others = names[1];
    const ids = [world.of(agentConfigs).blueprintId, v7()];
    const values = [{ key: 'model', value: '1', type: 'string' }];
    const other = { ...others, blueprint: { id: ids[1], type: 'blueprint', values } };
    expect((await ask('POST', root, other)).status).to.equal(201);
    const shown = async (path: string, by = key) =>
      Promise.all(
        ids.map(async (id) => (await ask('GET', `${root}/${id}${path}`, undefined, by)).status),
      );
    expect(await shown('')).to.deep.equal([200, 404]);
    expect(await shown('/deltas')).to.deep.equal([200, 404]);
    const keys = { keys: ['model'] };
    expect((await ask('POST', `${root}/remove-keys`, { ...others, ...keys }, key)).status).to.equal(
      404,
    );
    expect(
      (await ask('POST', `${root}/remove-keys`, { project_id: projectId, ...keys }, key)).status,
    ).to.equal(201);
    expect(
      (await ask('DELETE', `${root}/environments/prod/projects/${projectId}`, undefined, key))
        .status,
    ).to.equal(204);
  });

  it('learn nothing of projects by deleting them, nor does anybody else', async () => {
    const { userId, workspaceId, world } = await administrator();
    const { projectId } = world.of(projects);
    const remove = async (id: string, by: string, workspace?: string) => {
      const path = `/api/v1/private/projects/${id}`;
      const headers = workspace === undefined ? {} : { 'Comet-Workspace': workspace };
      const input = { query: {}, params: {}, headers };
      const { status, text } = await send(server.url, 'DELETE', path, input, by);
      return [status, text.replaceAll(id, 'it')];
    };
    const { home, stranger, viewer, member } = people;
    const make = async (name: string, visibility: string) => {
      const input = { query: {}, params: {}, body: { name, visibility } };
      const made = await send(server.url, 'POST', '/api/v1/private/projects', input, home.apiKey);
      return String(made.headers.get('location')).split('/').at(-1) ?? '';
    };
    const theirs = await make(freshName('theirs'), 'private');
    const never = v7();

    const narrowed = await keyOf(userId, { workspaceId, projectId });
    const reading = await keyOf(userId, { workspaceId, readOnly: true });
    for (const by of [stranger.apiKey, narrowed, await wholeKeyOf(userId)])
      expect(await remove(theirs, by)).to.deep.equal([204, '']);
    for (const by of [stranger.apiKey, narrowed, home.apiKey, viewer.apiKey])
      expect(await remove(never, by)).to.deep.equal([204, '']);
    for (const [by, workspace] of [
      [reading, undefined],
      [viewer.apiKey, home.workspace],
      [stranger.apiKey, home.workspace],
      [stranger.apiKey, 'no-such-workspace'],
    ] as const) {
      const [status, text] = await remove(theirs, by, workspace);
      expect(status, text as string).to.equal(403);
      expect(await remove(never, by, workspace)).to.deep.equal([status, text]);
    }
    expect((await remove('none', home.apiKey))[0]).to.equal(404);
    // Whoever may read it, but asks for another workspace, is not told that it is gone.
    for (const by of [viewer.apiKey, member.apiKey])
      expect((await remove(theirs, by))[0]).to.equal(404);
    expect(await remove(theirs, member.apiKey, home.workspace)).to.deep.equal([204, '']);
    expect(await remove(theirs, home.apiKey)).to.deep.equal([204, '']);
    const gone = await send(
      ...([server.url, 'GET', `/api/v1/private/projects/${theirs}`] as const),
      { query: {}, params: {} },
      home.apiKey,
    );
    expect(gone.status).to.equal(404);
  });

  it('of one project make records there, named or not, and nothing for the workspace or for another project', async () => {
    const { userId, workspaceId, world } = await administrator();
    const [whole, projectId] = [await wholeKeyOf(userId), world.of(projects).projectId];
    const key = await keyOf(userId, { workspaceId, projectId });
    const ask = async (method: string, path: string, body?: unknown, by = key) => {
      const reply = await send(
        server.url,
        method,
        `/api/v1/private/${path}`,
        { query: {}, params: {}, ...(body === undefined ? {} : { body }) },
        by,
      );
      return { status: reply.status, text: reply.text, json: reply.text === '' ? {} : reply.json };
    };
    const statusOf = async (method: string, path: string, body?: unknown) =>
      (await ask(method, path, body)).status;
    const name = freshName('other');
    expect((await ask('POST', 'projects', { name }, whole)).status).to.equal(201);
    const { json } = await ask('POST', 'projects/retrieve', { name }, whole);
    const other = { name, id: String(json['id']) };
    const foreign = [{ project_id: other.id }, { project_name: other.name }];
    const newOne = { project_name: freshName('new') };
    // A project of others is as one that never was, and stays.
    for (const id of [other.id, v7()])
      expect((await ask('DELETE', `projects/${id}`)).text, id).to.equal('');
    expect((await ask('GET', `projects/${other.id}`, undefined, whole)).status).to.equal(200);

    /** A record that the key made without a project is of its own, and the key reads it. */
    const expectOwn = async (path: string, id: string) => {
      const [seen, all] = [await ask('GET', `${path}/${id}`), await ask('GET', path)];
      expect([seen.status, seen.json['project_id']], path).to.deep.equal([200, projectId]);
      expect(all.text, path).to.include(id);
    };
    const dataset_name = freshName('dataset');
    const makers: Readonly<Record<string, () => object>> = {
      prompts: () => ({ name: freshName('prompt'), template: 'a' }),
      datasets: () => ({ name: freshName('dataset') }),
      experiments: () => ({ name: freshName('experiment'), dataset_name }),
      optimizations: () => ({ dataset_name, objective_name: 'o', status: 'running' }),
    };
    for (const [path, body] of Object.entries(makers)) {
      const id = v7();
      expect(await statusOf('POST', path, { id, ...body() }), path).to.equal(201);
      await expectOwn(path, id);
      for (const of of foreign)
        expect(await statusOf('POST', path, { ...body(), ...of }), path).to.equal(404);
      expect(await statusOf('POST', path, { ...body(), ...newOne }), path).to.equal(403);
    }
    const put = { id: v7(), ...makers['optimizations']?.() };
    expect(await statusOf('PUT', 'optimizations', put)).to.equal(201);
    await expectOwn('optimizations', put.id);

    // By name, where the workspace and another project have records of the same one.
    const shared = freshName('shared');
    for (const of of [{}, ...foreign.slice(0, 1)]) {
      expect(
        (await ask('POST', 'prompts', { name: shared, template: 'w', ...of }, whole)).status,
      ).to.equal(201);
      expect((await ask('POST', 'datasets', { name: shared, ...of }, whole)).status).to.equal(201);
    }
    const version = { name: shared, version: { template: 'mine' } };
    const made = await ask('POST', 'prompts/versions', version);
    expect(made.status, made.text).to.equal(200);
    await expectOwn('prompts', String(made.json['prompt_id']));
    const retrieved = await ask('POST', 'prompts/versions/retrieve', { name: shared });
    expect([retrieved.status, retrieved.json['template']]).to.deep.equal([200, 'mine']);
    for (const of of foreign)
      expect(await statusOf('POST', 'prompts/versions', { ...version, ...of })).to.equal(404);

    const items = [{ source: 'manual', data: { question: 'mine' } }];
    expect(await statusOf('PUT', 'datasets/items', { dataset_name: shared, items })).to.equal(204);
    const found = await ask('POST', 'datasets/retrieve', { dataset_name: shared });
    expect([found.status, found.json['project_id']]).to.deep.equal([200, projectId]);
    const streamed = await ask('POST', 'datasets/items/stream', { dataset_name: shared });
    expect(streamed.text).to.include('mine');
    for (const of of foreign)
      expect(
        await statusOf('PUT', 'datasets/items', { dataset_name: shared, items, ...of }),
      ).to.equal(404);
    const experiment_name = freshName('upload');
    const upload = { experiment_name, dataset_name: shared, items: [] as unknown[] };
    const itemId = String((JSON.parse(streamed.text.split('\n')[0] ?? '') as { id: string }).id); // as the wire has it
    upload.items.push({ dataset_item_id: itemId, evaluate_task_result: { answer: 1 } });
    expect(await statusOf('PUT', 'experiments/items/bulk', upload)).to.equal(204);
    const runs = await ask('POST', 'experiments/items/stream', { experiment_name });
    expect(runs.text).to.include(itemId);
    const evaluations = await ask('POST', 'experiments/stream', { name: experiment_name });
    expect(evaluations.text).to.include(projectId);

    // What is of another project is no part of what the key makes.
    const theirs = (await ask('POST', 'prompts/versions', { ...version, ...foreign[0] }, whole))
      .json;
    const [versionId, traceId, ownExperiment] = [String(theirs['id']), v7(), v7()];
    const withPrompt = (id: string) => ({
      dataset_name: shared,
      prompt_versions: [{ id }],
    });
    expect(
      await statusOf('POST', 'experiments', {
        id: ownExperiment,
        ...withPrompt(String(made.json['id'])),
      }),
    ).to.equal(201);
    expect(await statusOf('POST', 'experiments', withPrompt(versionId))).to.equal(409);
    const repointed = { prompt_versions: [{ id: versionId }] };
    expect(await statusOf('PATCH', `experiments/${ownExperiment}`, repointed)).to.equal(409);
    const started = { start_time: new Date().toISOString(), name: 't' };
    const trace = { id: traceId, ...started, input: { secret: 'theirs' }, ...foreign[1] };
    expect((await ask('POST', 'traces', trace, whole)).status).to.equal(201);
    const linked = {
      experiment_items: [
        { experiment_id: ownExperiment, dataset_item_id: itemId, trace_id: traceId },
      ],
    };
    expect(await statusOf('POST', 'experiments/items', linked)).to.equal(204);
    const { json: experiment } = await ask('GET', `experiments/${ownExperiment}`);
    const experimentName = { experiment_name: String(experiment['name']) };
    const compared = `datasets/${String(found.json['id'])}/items/experiments/items`;
    const query = `?experiment_ids=${encodeURIComponent(JSON.stringify([ownExperiment]))}`;
    const shown = async (by?: string) => [
      (await ask('POST', 'experiments/items/stream', experimentName, by)).text,
      (await ask('GET', `${compared}${query}`, undefined, by)).text,
    ];
    for (const text of await shown(whole)) expect(text).to.include('theirs');
    for (const text of await shown()) expect(text).to.include(traceId).and.not.to.include('theirs');
    const foreignExperiment = v7();
    const otherRun = { ...withPrompt(versionId), id: foreignExperiment, ...foreign[1] };
    expect((await ask('POST', 'experiments', otherRun, whole)).status).to.equal(201);
    const foreignItems = [
      { experiment_id: foreignExperiment, dataset_item_id: itemId, trace_id: traceId },
    ];
    expect(
      (await ask('POST', 'experiments/items', { experiment_items: foreignItems }, whole)).status,
    ).to.equal(204);
    const others = `?experiment_ids=${encodeURIComponent(JSON.stringify([foreignExperiment]))}`;
    for (const end of ['', '/stats', '/output/columns']) {
      const seen = await ask('GET', `${compared}${end}${others}`);
      expect(seen.status, end).to.equal(200);
      expect(seen.text, end).to.not.include('secret').and.not.to.include(foreignExperiment);
    }

    // What is of the whole workspace.
    const ofWorkspace = {
      'feedback-definitions': {
        ...{ name: freshName('fd'), type: 'numerical', details: { min: 0, max: 1 } },
      },
      environments: { name: freshName('env') },
      'llm-provider-key': { provider: 'openai', api_key: 'k', provider_name: freshName('p') },
      'retention/rules': { retention: 'short_14d' },
    };
    for (const [path, body] of Object.entries(ofWorkspace))
      expect(await statusOf('POST', path, body), path).to.equal(403);
    expect(
      await statusOf('PUT', 'workspaces/configurations', { truncation_on_tables: true }),
    ).to.equal(403);
    expect(await statusOf('DELETE', 'workspaces/configurations')).to.equal(403);

    // Entries, scores and guardrails name a project by item.
    const own = { id: v7(), ...started };
    const span = { id: v7(), trace_id: own.id, type: 'general', ...started };
    const score = { name: 's', value: 1, source: 'sdk' };
    const guard = { entity_id: own.id, secondary_id: span.id, name: 'PII', result: 'passed' };
    const batches = [
      ['POST', 'traces/batch', 'traces', own],
      ['POST', 'spans/batch', 'spans', span],
      ['PUT', 'traces/feedback-scores', 'scores', { id: own.id, ...score }],
      ['PUT', 'spans/feedback-scores', 'scores', { id: span.id, ...score }],
      ['PUT', 'traces/threads/feedback-scores', 'scores', { thread_id: 'th', ...score }],
      ['POST', 'guardrails', 'guardrails', guard],
    ] as const;
    for (const [method, path, member, item] of batches) {
      expect(await statusOf(method, path, { [member]: [item] }), path).to.equal(204);
      expect(
        await statusOf(method, path, { [member]: [{ ...item, project_name: other.name }] }),
        path,
      ).to.equal(404);
      expect(await statusOf(method, path, { [member]: [{ ...item, ...newOne }] }), path).to.equal(
        403,
      );
    }
    for (const [path, id] of [
      ['traces', own.id],
      ['spans', span.id],
    ] as const)
      expect((await ask('GET', `${path}/${id}`)).json['project_id'], path).to.equal(projectId);
    expect(
      await statusOf('POST', 'traces', { ...own, id: v7(), project_name: other.name }),
    ).to.equal(404);
    const values = [{ key: 'model', value: '1', type: 'string' }];
    for (const of of [...foreign, newOne])
      expect(
        await statusOf('POST', 'agent-configs/blueprints', {
          ...of,
          blueprint: { type: 'blueprint', values },
        }),
      ).to.be.oneOf([403, 404]);
    for (const path of ['dashboards', 'insights-views'])
      for (const of of foreign)
        expect(await statusOf('POST', path, { name: 'x', config: {}, ...of }), path).to.equal(404);

    // The project that clients log to by themselves is another one than the key's.
    const listed = await ask('GET', 'projects', undefined, whole);
    expect(listed.text).not.to.include(newOne.project_name);
  });

  it('of one project reach automation rules of that project alone', async () => {
    const { userId, workspaceId, world } = await administrator();
    const [whole, { projectId, otherProject }] = [await wholeKeyOf(userId), world.of(projects)];
    const key = await keyOf(userId, { workspaceId, projectId });
    const root = 'automations/evaluators';
    const ask = (method: string, path: string, body?: unknown, by = whole) =>
      send(
        server.url,
        method,
        `/api/v1/private/${path}`,
        {
          ...{ query: {}, params: {}, headers: { 'Comet-Workspace': world.workspace } },
          ...(body === undefined ? {} : { body }),
        },
        by,
      );
    const idsIn = (json: Readonly<Record<string, unknown>>) =>
      (json['content'] as readonly { readonly id: string }[]).map(({ id }) => id); // as every page has it
    const found = await ask('GET', `projects?name=${otherProject}`);
    const [otherId = ''] = idsIn(found.json);
    const rule = (project_ids: readonly string[]) => ({
      ...{ ...aMetric, name: freshName('rule'), project_ids },
    });
    const made: string[] = [];
    for (const of of [[projectId], [otherId], [projectId, otherId]]) {
      const body = rule(of);
      expect((await ask('POST', root, body)).status).to.equal(201);
      made.push(...idsIn((await ask('GET', `${root}?name=${body.name}`)).json));
    }
    const statuses = (method: string, by: string, body?: unknown) =>
      Promise.all(made.map(async (id) => (await ask(method, `${root}/${id}`, body, by)).status));

    expect(await statuses('GET', key)).to.deep.equal([200, 404, 404]);
    expect(idsIn((await ask('GET', `${root}?size=100`, undefined, key)).json)).to.include(made[0]);
    const listed = await ask('GET', `${root}?size=100`, undefined, key);
    for (const id of made.slice(1)) {
      expect(idsIn(listed.json)).not.to.include(id);
      expect((await ask('GET', `${root}/${id}/logs`, undefined, key)).json['total']).to.equal(0);
    }
    expect(await statuses('PATCH', key, rule([projectId]))).to.deep.equal([204, 404, 404]);
    for (const of of [[otherId], [projectId, otherId]]) {
      expect((await ask('POST', root, rule(of), key)).status).to.equal(404);
      expect((await ask('PATCH', `${root}/${made[0]}`, rule(of), key)).status).to.equal(404);
    }
    expect((await ask('POST', root, rule([projectId]), key)).status).to.equal(201);
    expect((await ask('POST', `${root}/delete`, { ids: made }, key)).status).to.equal(204);
    expect(await statuses('GET', whole)).to.deep.equal([404, 200, 200]);
  });

  it('of another workspace see no alerts, not of a public project either', async () => {
    const [home, other] = [await administrator(), await administrator()];
    const [owner, stranger] = [await wholeKeyOf(other.userId), await wholeKeyOf(home.userId)];
    const { projectId } = other.world.of(projects);
    const ask = (key: string, method: string, path: string, body?: unknown) =>
      send(
        server.url,
        method,
        `/api/${path}`,
        {
          ...{ query: {}, params: {}, headers: { 'Comet-Workspace': other.world.workspace } },
          ...(body === undefined ? {} : { body }),
        },
        key,
      );
    const shared = { projectId, isPublic: true };
    expect((await ask(owner, 'POST', 'rest/v2/write/project/update', shared)).status).to.equal(200);
    const [id, unknown] = [v7(), v7()];
    const alert = { name: 'a', webhook: { url: 'https://hooks.example/a' }, project_id: projectId };
    expect((await ask(owner, 'POST', 'v1/private/alerts', { ...alert, id })).status).to.equal(201);
    const traces = `v1/private/traces?project_id=${projectId}`;
    expect((await ask(stranger, 'GET', traces)).status).to.equal(200);

    expect((await ask(owner, 'GET', `v1/private/alerts/${id}`)).status).to.equal(200);
    const below = (projectId: string) => `v1/private/projects/${projectId}/alerts`;
    expect((await ask(owner, 'GET', below(projectId))).json['total']).to.equal(1);
    for (const method of ['GET', 'PUT']) {
      const [foreign, absent] = [id, unknown].map((one) =>
        ask(stranger, method, `v1/private/alerts/${one}`, method === 'PUT' ? alert : undefined),
      );
      const replies = [await foreign, await absent];
      expect(replies[0]?.text.replaceAll(id, unknown), method).to.equal(replies[1]?.text);
      expect(replies[0]?.status, method).to.equal(replies[1]?.status).and.be.oneOf([403, 404]);
    }
    expect((await ask(stranger, 'GET', below(projectId))).status).to.equal(404);
    expect((await ask(stranger, 'POST', 'v1/private/alerts', alert)).status).to.be.oneOf([
      ...[403, 404],
    ]);
  });

  it('of another workspace or of one project see nothing of the lineage that they do not reach, and readers leave no use behind', async () => {
    const [home, other] = [await administrator(), await administrator()];
    const owner = await wholeKeyOf(other.userId);
    const ask = async (
      key: string,
      method: string,
      path: string,
      query: Readonly<Record<string, string>>,
      body?: unknown,
    ) => {
      const reply = await send(
        server.url,
        method,
        `/api/rest/v2${path}`,
        { query, params: {}, ...(body === undefined ? {} : { body }) },
        key,
      );
      return { status: reply.status, json: reply.json };
    };
    const made = (
      await ask(
        owner,
        'POST',
        '/write/artifacts/upsert',
        {},
        {
          experimentKey: other.world.of(experiments).experimentKey,
          artifactName: freshName('data'),
          artifactType: 'data',
          isPublic: true,
        },
      )
    ).json;
    const [artifactId, versionId] = [String(made['artifactId']), String(made['artifactVersionId'])];
    await ask(
      owner,
      'POST',
      '/write/artifacts/state',
      {},
      {
        experimentKey: other.world.of(experiments).experimentKey,
        artifactVersionId: versionId,
        state: 'CLOSED',
      },
    );
    const [whole, readOnly] = [
      await wholeKeyOf(home.userId),
      await keyOf(home.userId, { readOnly: true }),
    ];
    const use = (key: string) =>
      ask(key, 'GET', '/artifacts/version', {
        artifactId,
        versionId,
        consumerExperimentKey: home.world.of(experiments).experimentKey,
      });
    const inputs = async (key: string) =>
      (
        (
          await ask(key, 'GET', '/get/artifacts', {
            experimentKey: home.world.of(experiments).experimentKey,
          })
        ).json['inputArtifacts'] as unknown[]
      ).length;

    expect((await use(readOnly)).status).to.equal(200);
    expect(await inputs(whole)).to.equal(0);
    expect((await use(whole)).status).to.equal(200);
    expect(await inputs(whole)).to.equal(1);
    for (const scope of [
      { workspaceId: home.workspaceId },
      { workspaceId: home.workspaceId, projectId: home.world.of(projects).projectId },
    ])
      expect(await inputs(await keyOf(home.userId, scope)), JSON.stringify(scope)).to.equal(0);
  });

  it('of one project log assets there, where no artifact is named', async () => {
    const { userId, workspaceId, world } = await administrator();
    const key = await keyOf(userId, { workspaceId, projectId: world.of(projects).projectId });
    const upload = (query: Readonly<Record<string, string>>) =>
      send(
        server.url,
        'POST',
        '/api/rest/v2/write/experiment/upload-asset',
        {
          query: {
            experimentKey: world.of(experiments).experimentKey,
            type: 'asset',
            fileName: 'a.txt',
            ...query,
          },
          params: {},
          parts: [{ name: 'file', fileName: 'a.txt', content: 'text' }],
        },
        key,
      );

    expect((await upload({})).status).to.equal(200);
    expect(
      (await upload({ artifactVersionId: world.of(artifacts).artifactVersionId })).status,
    ).to.equal(403);
  });
});

/** Every value that some leniency reads as another, and what none reads. */
const forms: readonly unknown[] = [
  true,
  false,
  'true',
  'false',
  'True',
  'FALSE',
  '1',
  '0',
  '',
  1,
  0,
  2,
  -1,
  0.5,
  1e300,
  ' true',
  'yes',
  'on',
  null,
  undefined,
  [],
  [true],
  ['true'],
  {},
  'admin',
  'ADMIN',
  'member',
  'view-only',
  ['admin'],
  'x',
  7,
  '7',
  [7],
  [null],
  [['x']],
];

describe('what the gate sees of a request', () => {
  const withValue = (place: string, value: unknown): Named => {
    const [where = '', ...names] = place.split('.');
    const build = (path: readonly string[]): unknown => {
      const [name, ...rest] = path;
      return name === undefined ? value : name === '*' ? [build(rest)] : { [name]: build(rest) };
    };
    const given = build(names);
    return { query: {}, params: {}, part: {}, header: {}, body: undefined, ...{ [where]: given } };
  };
  /** The schema of one member alone, so that nothing else of the row must be given. */
  const schemaAt = (operation: Operation, place: string): unknown => {
    const [where = '', ...names] = place.split('.');
    let shape = shapeOf(operation, where as 'body' | 'query' | 'params') as
      Record<string, unknown> | undefined; // asked for these three only
    for (const name of names)
      shape = (
        name === '*'
          ? shape?.['items']
          : (shape?.['properties'] as Record<string, unknown> | undefined)?.[name]
      ) as Record<string, unknown> | undefined;
    const nest = (path: readonly string[]): unknown => {
      const [name, ...rest] = path;
      return name === undefined
        ? shape
        : name === '*'
          ? { type: 'array', items: nest(rest) }
          : { type: 'object', properties: { [name]: nest(rest) } };
    };
    return shape === undefined ? undefined : nest(names);
  };
  /** Gives the input in the reader's form; `undefined` where the reader refuses it. */
  const validating = (
    operation: Operation,
    place: string,
  ): ((value: unknown) => Named | undefined) => {
    const schema = schemaAt(operation, place);
    const read = schema === undefined ? undefined : reader(schema as never, 'it'); // JSON Schema, as the words of the rows make it
    const [where] = place.split('.') as ['body' | 'query' | 'params']; // asked for these three only
    return (value) => {
      const raw = structuredClone(withValue(place, value));
      try {
        return read === undefined ? undefined : { ...raw, [where]: read(raw[where]) };
      } catch (thrown) {
        if (isFailure(thrown)) return undefined;
        throw thrown;
      }
    };
  };

  it('is a thing of the same name as the handler sees, in every form that readers take', () => {
    const strays: string[] = [];
    let looked = 0;
    for (const { id, operation } of rows)
      for (const subject of subjectsOf(operation))
        for (const place of placesOf(subject)) {
          if (!/^(body|query|params)\./.test(place)) continue;
          const validated = validating(operation, place);
          for (const value of forms) {
            const read = validated(value);
            if (read === undefined) continue;
            looked++;
            const raw = withValue(place, value);
            const [before, after] =
              'each' in subject
                ? [raw, read].map((named) => {
                    const found = at(named, place);
                    return [found ?? []]
                      .flat()
                      .filter((one) => one !== undefined && one !== null)
                      .map(String);
                  })
                : [raw, read].map((named) => naming(named, [place])?.texts);
            if (JSON.stringify(before) !== JSON.stringify(after))
              strays.push(
                `${id} ${place} ${JSON.stringify(value)}: ${JSON.stringify(before)}, then ${JSON.stringify(after)}`,
              );
          }
        }
    expect(strays).to.deep.equal([]);
    expect(looked).to.be.greaterThan(500);
  });

  it('needs a permission for every form of a value that readers take for it', () => {
    const member: Caller = {
      userId: 'u',
      userName: 'u',
      kind: 'person',
      admin: false,
      everywhere: false,
      viewOnly: false,
      defaultWorkspaceId: 'w',
      via: 'key',
      keyId: 'k',
      scope: undefined,
      csrf: undefined,
      roles: new Map([['w', 'member']]),
      permissions: new Map(),
    };
    const refuses = (operation: Operation, named: Named): boolean => {
      try {
        checkPermission(operation.access, named, member, {
          workspaceId: 'w',
          role: 'member',
          before: false,
        });
        return false;
      } catch {
        return true;
      }
    };
    const harmless: readonly unknown[] = [undefined, false, 'member', 'view-only'];
    let looked = 0;
    for (const { id, operation } of rows)
      for (const place of [
        operation.access.permission?.when,
        operation.access.permission?.butNot,
      ].filter((one) => one !== undefined)) {
        const validated = validating(operation, place);
        for (const value of forms) {
          const read = validated(value);
          if (read === undefined) continue;
          looked++;
          expect(refuses(operation, read), `${id} ${place} ${JSON.stringify(value)}`).to.equal(
            !harmless.includes(at(read, place)),
          );
        }
      }
    expect(looked).to.be.greaterThan(20);
  });
});
