// Logging without an account, from the key to the claim or the end, against a running server.
import { expect } from 'chai';
import { Failure } from '#ports/failure';
import { systemLog } from '#adapters/system/log';
import { systemSecrets } from '#adapters/system/secrets';
import { neverStored } from '#test/clients/secrets';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { makeSecret } from '#test/servers/launch';
import { expire } from '#plugins/anonymous-mode/expiring';
import { tables as changes } from '#plugins/anonymous-mode/needs';
import { pluginTables } from '#adapters/storage/sql/plugin-tables';
import type { Caller } from '#ports/model/identity';
import type { Operations } from '#ports/operations';

type Json = Record<string, unknown>;

const startWith = async (env: Readonly<Record<string, string>>): Promise<StartedServer> => {
  const started = await startServer({ storage: 'embedded', env });
  if ('missing' in started) throw new Error(started.missing);
  return started;
};
const asking =
  (server: () => StartedServer) => async (key: string, path: string, body?: unknown) => {
    const reply = await fetch(server().url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(key === '' ? {} : { authorization: key }),
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Json }; // every reply of the API is an object
  };

/** Callers for operations that this test answers itself. */
const unchecked: Omit<Operations, 'call'> = {
  forInstallation: ({ id, name, kind }) => ({ userId: id, userName: name, kind }) as Caller, // nothing else is looked at here
  withRights: (caller) => caller,
};

describe('anonymous mode, switched off', () => {
  let server: StartedServer;
  before(async () => {
    server = await startWith({});
  });
  after(() => server?.stop());
  const ask = asking(() => server);

  it('says so with the code that clients know, under both roots', async () => {
    for (const root of ['/api/auth', '/api/rest/v2']) {
      expect((await ask('', `${root}/anonymous-user`, {})).body).to.deep.include({
        code: 400,
        sdk_error_code: 7000007,
      });
      expect(
        (await ask('', `${root}/anonymous/is-active?apiKey=${server.apiKey}`)).body,
      ).to.deep.equal({ active: null });
    }
  });
});

describe('anonymous mode', () => {
  let server: StartedServer;
  before(async () => {
    server = await startWith({
      ORRERY_TOGGLE_ANONYMOUS_MODE: 'on',
      ORRERY_CHECK_REPLIES: '1',
      ORRERY_TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  after(() => server?.stop());
  const ask = asking(() => server);
  let hosts = 0;
  /** A guest from an address of its own. */
  const begin = async () => {
    const reply = await fetch(`${server.url}/api/auth/anonymous-user`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${++hosts}` },
      body: '{}',
    });
    const { apiKey, claimUrl } = (await reply.json()) as { apiKey: string; claimUrl: string }; // the row's reply
    return {
      apiKey: neverStored(apiKey),
      token: neverStored(claimUrl.split('/').at(-1) ?? ''),
      claimUrl,
    };
  };
  const log = async (apiKey: string) =>
    (await ask(apiKey, '/api/rest/v2/write/experiment/create', {})).body;

  it('gives a key whose runs go to a public project that anybody with a key may read', async () => {
    const { apiKey, claimUrl } = await begin();
    const run = await log(apiKey);

    expect(run['projectName']).to.equal('general');
    expect(claimUrl.startsWith(`${server.url}/claim/`)).to.equal(true);
    expect(
      (
        await ask(
          server.apiKey,
          `/api/rest/v2/experiment/metadata?experimentKey=${String(run['experimentKey'])}`,
        )
      ).status,
    ).to.equal(200);
    expect(
      (await ask(apiKey, `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(apiKey)}`))
        .body,
    ).to.deep.equal({ active: true });
    expect(
      (await ask('', `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(server.apiKey)}`))
        .body,
    ).to.deep.equal({ active: null });
  });

  it('gives an address five keys in an hour', async () => {
    const from = (host: string) =>
      fetch(`${server.url}/api/rest/v2/anonymous-user`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': host },
        body: '{}',
      });
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await from('198.51.100.7')).status);

    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429]);
    expect((await from('198.51.100.8')).status).to.equal(200);
  });

  it('counts starts by the network of an IPv6 line, and by an IPv4 address however it is written', async () => {
    const from = async (host: string) =>
      (
        await fetch(`${server.url}/api/auth/anonymous-user`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': host },
          body: '{}',
        })
      ).status;
    const [wide, mapped] = [[], []] as number[][];
    for (let i = 1; i <= 6; i++) {
      wide?.push(await from(`2001:db8:7:9:${i}::${i}`));
      mapped?.push(await from(i % 2 === 0 ? '203.0.113.5' : '::ffff:203.0.113.5'));
    }

    expect([wide, mapped]).to.deep.equal([
      [200, 200, 200, 200, 200, 429],
      [200, 200, 200, 200, 200, 429],
    ]);
    expect(await from('2001:db8:7:a::1')).to.equal(200);
  });

  it('lets a guest make no workspace, member, invitation, key or link, and learn of nobody', async () => {
    const { apiKey } = await begin();
    const { workspaceNames } = (await ask(apiKey, '/api/rest/v2/workspaces')).body as {
      workspaceNames: string[];
    }; // the row's reply
    const { projects } = (await ask(apiKey, '/api/rest/v2/projects')).body as { projects: Json[] }; // the row's reply
    const [workspaceName, projectId] = [workspaceNames[0], String(projects[0]?.['projectId'])];
    await ask(server.apiKey, '/api/admin/users', {
      userName: 'somebody',
      email: 'somebody@people.example',
    });
    const write = '/api/rest/v2/write';

    const refused = [
      await ask(apiKey, `${write}/workspace/new`, { name: 'another' }),
      await ask(apiKey, '/api/auth/keys', { name: 'another' }),
      await ask(apiKey, '/api/auth/invitations', { workspaceName, email: 'x@people.example' }),
      await ask(apiKey, `${write}/project/add-share-link?projectId=${projectId}`),
      await ask(apiKey, `${write}/project/update`, { projectId, isPublic: false }),
      await ask(apiKey, `${write}/workspace/owner`, { workspaceName, userName: 'somebody' }),
    ];
    expect(refused.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403, 403, 403]);
    const adding = await Promise.all(
      ['somebody@people.example', 'nobody@people.example'].map((userEmail) =>
        ask(apiKey, `${write}/add-workspace-member`, { workspaceName, userEmail }),
      ),
    );
    expect(adding[0]).to.deep.equal(adding[1]);
    expect((await ask(apiKey, '/api/rest/v2/workspaces')).body).to.deep.equal({ workspaceNames });
  });

  it("shows a guest nothing public but the guest's own", async () => {
    const [guest, other] = [await begin(), await begin()];
    const [own, foreign] = [await log(guest.apiKey), await log(other.apiKey)];
    const read = async (key: unknown) =>
      (await ask(guest.apiKey, `/api/rest/v2/experiment/metadata?experimentKey=${String(key)}`))
        .status;

    expect([await read(own['experimentKey']), await read(foreign['experimentKey'])]).to.deep.equal([
      200, 400,
    ]);
  });

  it('holds a guest to twenty experiments', async () => {
    const { apiKey } = await begin();
    for (let i = 0; i < 20; i++) expect(await log(apiKey)).to.have.property('experimentKey');

    expect(await log(apiKey)).to.deep.include({ code: 400, sdk_error_code: 7000020 });
  });

  it("lets somebody with an account claim it: private, in his workspace, under the same keys; the guest's key ends", async () => {
    const { apiKey, token } = await begin();
    const { experimentKey } = await log(apiKey);
    await ask(apiKey, '/api/rest/v2/write/experiment/metric', {
      experimentKey,
      metricName: 'loss',
      metricValue: '0.5',
    });
    expect((await ask('', `/api/rest/v2/anonymous/${token}`)).body).to.deep.equal({
      projects: 1,
      experiments: 1,
      daysLeft: 30,
    });

    const claimed = await ask(server.apiKey, '/api/rest/v2/anonymous/claim', {
      token,
      workspaceName: server.workspace,
      projectName: 'mine',
    });

    expect(claimed.body).to.deep.include({ msg: 'Claimed', projects: 1 });
    const { body: project } = await ask(
      server.apiKey,
      `/api/rest/v2/project?workspaceName=${server.workspace}&projectName=mine`,
    );
    expect(project).to.deep.include({ public: false, numberOfExperiments: 1 });
    expect(
      (
        await ask(
          server.apiKey,
          `/api/rest/v2/experiment/metadata?experimentKey=${String(experimentKey)}`,
        )
      ).body,
    ).to.deep.include({ workspaceName: server.workspace, projectName: 'mine' });
    expect(
      (
        await ask(
          server.apiKey,
          `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${String(experimentKey)}&metricName=loss`,
        )
      ).body['metrics'],
    ).to.have.length(1);
    expect((await ask(apiKey, '/api/rest/v2/workspaces')).status).to.equal(401);
    expect(
      (await ask('', `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(apiKey)}`)).body,
    ).to.deep.equal({ active: false });
    expect(
      (
        await ask(server.apiKey, '/api/rest/v2/anonymous/claim', {
          token,
          workspaceName: server.workspace,
        })
      ).status,
    ).to.equal(400);
  });

  /** An artifact and a registered model of a guest. */
  const keep = async (apiKey: string, artifactName: string, registryModelName: string) => {
    const { experimentKey } = await log(apiKey);
    const made = await ask(apiKey, '/api/rest/v2/write/artifacts/upsert', {
      experimentKey,
      artifactName,
      artifactType: 'data',
    });
    const form = new FormData();
    form.append('file', new Blob(['weights']), 'weights.bin');
    await fetch(
      `${server.url}/api/rest/v2/write/experiment/upload-asset?experimentKey=${String(experimentKey)}&type=model-element&groupingName=net&fileName=weights.bin`,
      { method: 'POST', headers: { authorization: apiKey }, body: form },
    );
    const registered = await ask(apiKey, '/api/rest/v2/write/registry-model/item/create', {
      experimentKey,
      experimentModelName: 'net',
      registryModelName,
    });
    expect([made.status, registered.status]).to.deep.equal([200, 200]);
    return {
      artifactId: String(made.body['artifactId']),
      modelId: String(registered.body['registryModelId']),
    };
  };
  const artifactsOf = async (workspace: string) =>
    (
      (await ask(server.apiKey, `/api/rest/v2/artifacts/get-all?workspace=${workspace}`)).body[
        'artifacts'
      ] as readonly { readonly artifactId: string; readonly name: string }[]
    ).map(({ artifactId, name }) => [artifactId, name]); // the row's reply
  const modelsOf = async (workspace: string) =>
    (
      (await ask(server.apiKey, `/api/rest/v2/registry-model?workspaceName=${workspace}`)).body[
        'registryModels'
      ] as readonly { readonly registryModelId: string; readonly modelName: string }[]
    ).map(({ registryModelId, modelName }) => [registryModelId, modelName]); // the row's reply

  it('gives whoever claims it the artifacts and registered models too, under names that are free', async () => {
    const [a, b] = [await begin(), await begin()];
    const [first, second] = [
      await keep(a.apiKey, 'kept', 'Kept Net'),
      await keep(b.apiKey, 'kept', 'Kept Net'),
    ];

    for (const { token } of [a, b])
      expect(
        (
          await ask(server.apiKey, '/api/rest/v2/anonymous/claim', {
            token,
            workspaceName: server.workspace,
          })
        ).status,
      ).to.equal(200);

    expect(await artifactsOf(server.workspace)).to.deep.include.members([
      [first.artifactId, 'kept'],
      [second.artifactId, 'kept-2'],
    ]);
    expect(await modelsOf(server.workspace)).to.deep.include.members([
      [first.modelId, 'Kept Net'],
      [second.modelId, 'Kept Net-2'],
    ]);
  });

  it('finds a free name for what is claimed', async () => {
    const [a, b] = [await begin(), await begin()];
    for (const { apiKey, token } of [a, b]) {
      await log(apiKey);
      expect(
        (
          await ask(server.apiKey, '/api/rest/v2/anonymous/claim', {
            token,
            workspaceName: server.workspace,
            projectName: 'same',
          })
        ).status,
      ).to.equal(200);
    }

    const { projects } = (
      await ask(server.apiKey, `/api/rest/v2/projects?workspaceName=${server.workspace}`)
    ).body as { projects: Json[] }; // the row's reply
    expect(projects.map((one) => one['projectName'])).to.include.members(['same', 'same-2']);
  });

  it('is claimed on a page, by somebody who administers a workspace', async () => {
    const { apiKey, token } = await begin();
    await log(apiKey);
    const password = `Tulip-ocean-${makeSecret().slice(0, 6)}`;
    await ask(server.apiKey, '/api/admin/users', {
      userName: 'claimer',
      password,
      workspaceName: 'claims',
    });
    const page = async (cookie = '') =>
      (await fetch(`${server.url}/claim/${token}`, { headers: { cookie } })).text();
    expect(await page())
      .to.include('1 experiment in 1 project')
      .and.include('/login?returnTo=');

    const signedIn = await fetch(`${server.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'claimer', password }),
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page(cookie))?.[1] ?? '';
    const send = (given: string) =>
      fetch(`${server.url}/claim/${token}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrf: given, workspaceName: 'claims' }),
      });

    expect((await send('wrong')).status).to.equal(403);
    expect((await send(csrf)).status).to.equal(303);
    expect(
      (await ask(server.apiKey, '/api/rest/v2/projects?workspaceName=claims')).body['projects'],
    ).to.have.length(1);
    expect((await fetch(`${server.url}/claim/${token}`)).status).to.equal(404);
  });

  it('deletes what nobody claimed in time, and only that', async () => {
    const [late, fresh] = [await begin(), await begin()];
    const [old, kept] = [await log(late.apiKey), await log(fresh.apiKey)];
    const { artifactId, modelId } = await keep(late.apiKey, 'late', 'Late');
    const { storage, values, close } = await openBeside(server);
    try {
      const own = pluginTables(storage.connection, 'anonymous-mode', changes);
      const hash = systemSecrets.hash(late.token);
      const row = await own.find('guests', { token_hash: hash });
      if (row === undefined) throw new Error('the guest was not written down');
      await own.upsert('guests', { ...row, made_at: 1 });
      const operations: Operations = { ...unchecked, call: async (id, input) => call(id, input) };
      const call = async (
        id: string,
        { params = {}, query = {}, body }: Parameters<Operations['call']>[1],
      ): Promise<unknown> => {
        const [method, path] = (
          {
            listProjects: [
              'GET',
              `/api/rest/v2/projects?workspaceName=${String(query['workspaceName'])}`,
            ],
            deleteProject: ['POST', '/api/rest/v2/write/project/delete'],
            deleteUser: ['DELETE', `/api/admin/users/${String(params['userName'])}`],
            deleteWorkspace: ['POST', '/api/admin/workspace/delete'],
          } as Readonly<Record<string, readonly [string, string]>>
        )[id] ?? ['', ''];
        const reply = await fetch(server.url + path, {
          method,
          headers: { authorization: server.apiKey, 'content-type': 'application/json' },
          ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
        });
        expect(reply.status, id).to.equal(200);
        return reply.json();
      };
      const { settings } = { settings: { ...values, baseUrl: server.url, version: '' } };
      const ended = await expire(
        {
          tables: own,
          operations,
          secrets: systemSecrets,
          settings,
          clock: { now: () => Date.now() },
          limits: { startsPerHour: 5, experiments: 20, storageMb: 1 },
          log: systemLog('error'),
          audit: { note: async () => '', complete: async () => undefined },
          auth: { revokeKey: async () => true } as never, // the one method that is called
        },
        new AbortController().signal,
      );

      expect(ended).to.equal(1);
    } finally {
      await close();
    }
    expect(
      (
        await ask(
          server.apiKey,
          `/api/rest/v2/experiment/metadata?experimentKey=${String(old['experimentKey'])}`,
        )
      ).status,
    ).to.equal(400);
    expect(
      (
        await ask(
          server.apiKey,
          `/api/rest/v2/experiment/metadata?experimentKey=${String(kept['experimentKey'])}`,
        )
      ).status,
    ).to.equal(200);
    expect(
      (await ask(server.apiKey, `/api/rest/v2/artifacts/get?artifactId=${artifactId}`)).status,
    ).to.equal(400);
    expect(
      (await ask(server.apiKey, `/api/rest/v2/registry-model/details?registryModelId=${modelId}`))
        .status,
    ).to.not.equal(200);
    expect((await ask('', `/api/rest/v2/anonymous/${late.token}`)).status).to.equal(400);
    expect(
      (await ask('', `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(late.apiKey)}`))
        .body,
    ).to.deep.equal({ active: false });
  });

  it('ends every guest whose time is over, also where one of them cannot be ended, or was ended in part before', async () => {
    const guests = Array.from({ length: 120 }, (_, i) => ({
      token_hash: `hash-${String(i).padStart(3, '0')}`,
      key_hash: 'k',
      key_id: 'k',
      user_name: `guest-${i}`,
      user_id: 'u',
      workspace_id: 'w',
      workspace_name: `guest-${i}`,
      state: 'open',
      made_at: 1,
    }));
    const rows = new Map(guests.map((row) => [row.token_hash, row]));
    const list = async (
      table: string,
      _index: string,
      _equals: unknown,
      {
        limit,
        after,
      }: { readonly limit: number; readonly after?: Readonly<Record<string, unknown>> },
    ) =>
      table === 'guests'
        ? [...rows.values()]
            .filter(
              (row) =>
                row.state === 'open' &&
                (after === undefined || row.token_hash > String(after['token_hash'])),
            )
            .slice(0, limit)
        : [];
    const own = {
      list,
      find: async (_: string, key: Readonly<Record<string, string>>) =>
        rows.get(key['token_hash'] ?? ''),
      upsert: async (_: string, row: (typeof guests)[number]) => {
        rows.set(row.token_hash, row);
      },
      transaction: async (work: (tables: unknown) => unknown) => work(own),
    };
    const failing = new Set(['guest-0', 'guest-49', 'guest-70']);
    const operations: Operations = {
      ...unchecked,
      call: async (id, input) => {
        if (id === 'deleteUser' && failing.has(String(input.params?.['userName'])))
          throw new Error('the database is away');
        if (
          input.params?.['userName'] === 'guest-1' ||
          Reflect.get(input.body ?? {}, 'workspaceName') === 'guest-2'
        )
          throw new Failure('absent', 'there is none of that name');
        return { projects: [] };
      },
    };
    const faults: string[] = [];
    const needs = {
      tables: own,
      operations,
      secrets: systemSecrets,
      settings: { ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM: 30 },
      clock: { now: () => Date.now() },
      limits: { startsPerHour: 5, experiments: 20, storageMb: 1 },
      auth: { revokeKey: async () => true },
      log: {
        error: (_: string, { guest }: { readonly guest: string }) => {
          faults.push(guest);
        },
      },
      audit: { note: async () => '', complete: async () => undefined },
    } as never; // what is called of each

    expect(await expire(needs, new AbortController().signal)).to.equal(117);
    expect(faults).to.deep.equal(['guest-0', 'guest-49', 'guest-70']);
    failing.clear();
    expect(await expire(needs, new AbortController().signal)).to.equal(3);
    expect(await expire(needs, new AbortController().signal)).to.equal(0);
  });

  it('keeps neither token nor key in the clear', async () => {
    const { apiKey, token } = await begin();
    const { storage, close } = await openBeside(server);
    try {
      const tables = (
        (await storage.connection.db.raw(
          "select table_name from information_schema.tables where table_schema = 'public'",
        )) as { rows: { table_name: string }[] }
      ).rows; // one column of text
      for (const { table_name: name } of tables) {
        const text = JSON.stringify(await storage.connection.db(name).select());
        for (const secret of [token, apiKey.split('*')[0] ?? ''])
          expect(text.includes(secret), name).to.equal(false);
      }
    } finally {
      await close();
    }
  });
});
