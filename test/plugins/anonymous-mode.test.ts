// Logging without an account, from the key to the claim or the end, against a running server.
import { expect } from 'chai';
import { systemSecrets } from '#adapters/system/secrets';
import { openStorage } from '#config/compose';
import { loadSettings } from '#config/load';
import { neverStored } from '#test/clients/secrets';
import { startServer, type StartedServer } from '#test/clients/server';
import { makeSecret } from '#test/servers/launch';
import { expire } from '#plugins/anonymous-mode/expiring';
import { tables as changes } from '#plugins/anonymous-mode/needs';
import { pluginTables } from '#adapters/storage/sql/plugin-tables';
import type { Operations } from '#ports/operations';

type Json = Record<string, unknown>;

const startWith = async (env: Readonly<Record<string, string>>): Promise<StartedServer> => {
  const started = await startServer({ storage: 'embedded', env });
  if ('missing' in started) throw new Error(started.missing);
  return started;
};
const asking = (server: () => StartedServer) => async (key: string, path: string, body?: unknown) => {
  const reply = await fetch(server().url + path, { method: body === undefined ? 'GET' : 'POST', headers: { ...(key === '' ? {} : { authorization: key }), 'content-type': 'application/json' }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { status: reply.status, body: await reply.json() as Json }; // every reply of the API is an object
};

describe('anonymous mode, switched off', () => {
  let server: StartedServer;
  before(async () => { server = await startWith({}); });
  after(() => server?.stop());
  const ask = asking(() => server);

  it('says so with the code that clients know, under both roots', async () => {
    for (const root of ['/api/auth', '/api/rest/v2']) {
      expect((await ask('', `${root}/anonymous-user`, {})).body).to.deep.include({ code: 400, sdk_error_code: 7000007 });
      expect((await ask('', `${root}/anonymous/is-active?apiKey=${server.apiKey}`)).body).to.deep.equal({ active: null });
    }
  });
});

describe('anonymous mode', () => {
  let server: StartedServer;
  before(async () => { server = await startWith({ ORRERY_TOGGLE_ANONYMOUS_MODE: 'on', ORRERY_CHECK_REPLIES: '1', ORRERY_TRUSTED_PROXIES: '127.0.0.1' }); });
  after(() => server?.stop());
  const ask = asking(() => server);
  let hosts = 0;
  /** A guest from an address of its own. */
  const begin = async () => {
    const reply = await fetch(`${server.url}/api/auth/anonymous-user`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${++hosts}` }, body: '{}' });
    const { apiKey, claimUrl } = await reply.json() as { apiKey: string; claimUrl: string }; // the row's reply
    return { apiKey: neverStored(apiKey), token: neverStored(claimUrl.split('/').at(-1) ?? ''), claimUrl };
  };
  const log = async (apiKey: string) => (await ask(apiKey, '/api/rest/v2/write/experiment/create', {})).body;

  it('gives a key whose runs go to a public project that anybody with a key may read', async () => {
    const { apiKey, claimUrl } = await begin();
    const run = await log(apiKey);

    expect(run['projectName']).to.equal('general');
    expect(claimUrl.startsWith(`${server.url}/claim/`)).to.equal(true);
    expect((await ask(server.apiKey, `/api/rest/v2/experiment/metadata?experimentKey=${String(run['experimentKey'])}`)).status).to.equal(200);
    expect((await ask(apiKey, `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(apiKey)}`)).body).to.deep.equal({ active: true });
    expect((await ask('', `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(server.apiKey)}`)).body).to.deep.equal({ active: null });
  });

  it('gives an address five keys in an hour', async () => {
    const from = (host: string) => fetch(`${server.url}/api/rest/v2/anonymous-user`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': host }, body: '{}' });
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await from('198.51.100.7')).status);

    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429]);
    expect((await from('198.51.100.8')).status).to.equal(200);
  });

  it('holds a guest to twenty experiments', async () => {
    const { apiKey } = await begin();
    for (let i = 0; i < 20; i++) expect(await log(apiKey)).to.have.property('experimentKey');

    expect(await log(apiKey)).to.deep.include({ code: 400, sdk_error_code: 7000020 });
  });

  it('lets somebody with an account claim it: private, in his workspace, under the same keys; the guest\'s key ends', async () => {
    const { apiKey, token } = await begin();
    const { experimentKey } = await log(apiKey);
    await ask(apiKey, '/api/rest/v2/write/experiment/metric', { experimentKey, metricName: 'loss', metricValue: '0.5' });
    expect((await ask('', `/api/rest/v2/anonymous/${token}`)).body).to.deep.equal({ projects: 1, experiments: 1, daysLeft: 30 });

    const claimed = await ask(server.apiKey, '/api/rest/v2/anonymous/claim', { token, workspaceName: server.workspace, projectName: 'mine' });

    expect(claimed.body).to.deep.include({ msg: 'Claimed', projects: 1 });
    const { body: project } = await ask(server.apiKey, `/api/rest/v2/project?workspaceName=${server.workspace}&projectName=mine`);
    expect(project).to.deep.include({ public: false, numberOfExperiments: 1 });
    expect((await ask(server.apiKey, `/api/rest/v2/experiment/metadata?experimentKey=${String(experimentKey)}`)).body).to.deep.include({ workspaceName: server.workspace, projectName: 'mine' });
    expect((await ask(server.apiKey, `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${String(experimentKey)}&metricName=loss`)).body['metrics']).to.have.length(1);
    expect((await ask(apiKey, '/api/rest/v2/workspaces')).status).to.equal(401);
    expect((await ask('', `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(apiKey)}`)).body).to.deep.equal({ active: false });
    expect((await ask(server.apiKey, '/api/rest/v2/anonymous/claim', { token, workspaceName: server.workspace })).status).to.equal(400);
  });

  it('finds a free name for what is claimed', async () => {
    const [a, b] = [await begin(), await begin()];
    for (const { apiKey, token } of [a, b]) {
      await log(apiKey);
      expect((await ask(server.apiKey, '/api/rest/v2/anonymous/claim', { token, workspaceName: server.workspace, projectName: 'same' })).status).to.equal(200);
    }

    const { projects } = (await ask(server.apiKey, `/api/rest/v2/projects?workspaceName=${server.workspace}`)).body as { projects: Json[] }; // the row's reply
    expect(projects.map((one) => one['projectName'])).to.include.members(['same', 'same-2']);
  });

  it('is claimed on a page, by somebody who administers a workspace', async () => {
    const { apiKey, token } = await begin();
    await log(apiKey);
    const password = `Tulip-ocean-${makeSecret().slice(0, 6)}`;
    await ask(server.apiKey, '/api/admin/users', { userName: 'claimer', password, workspaceName: 'claims' });
    const page = async (cookie = '') => (await fetch(`${server.url}/claim/${token}`, { headers: { cookie } })).text();
    expect(await page()).to.include('1 experiment in 1 project').and.include('/login?returnTo=');

    const signedIn = await fetch(`${server.url}/api/auth/sign-in`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name: 'claimer', password }) });
    const cookie = signedIn.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ');
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page(cookie))?.[1] ?? '';
    const send = (given: string) => fetch(`${server.url}/claim/${token}`, { method: 'POST', redirect: 'manual', headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams({ csrf: given, workspaceName: 'claims' }) });

    expect((await send('wrong')).status).to.equal(403);
    expect((await send(csrf)).status).to.equal(303);
    expect((await ask(server.apiKey, '/api/rest/v2/projects?workspaceName=claims')).body['projects']).to.have.length(1);
    expect((await fetch(`${server.url}/claim/${token}`)).status).to.equal(404);
  });

  it('deletes what nobody claimed in time, and only that', async () => {
    const [late, fresh] = [await begin(), await begin()];
    const [old, kept] = [await log(late.apiKey), await log(fresh.apiKey)];
    const loaded = loadSettings(server.settings);
    const opened = await openStorage(loaded, false);
    try {
      const own = pluginTables(opened.storage.connection, 'anonymous-mode', changes);
      const hash = systemSecrets.hash(late.token);
      const row = await own.find('guests', { token_hash: hash });
      if (row === undefined) throw new Error('the guest was not written down');
      await own.upsert('guests', { ...row, made_at: 1 });
      const operations: Operations = { call: async (id, input) => call(id, input) };
      const call = async (id: string, { params = {}, query = {}, body }: Parameters<Operations['call']>[1]): Promise<unknown> => {
        const [method, path] = ({ listProjects: ['GET', `/api/rest/v2/projects?workspaceName=${String(query['workspaceName'])}`], deleteProject: ['POST', '/api/rest/v2/write/project/delete'], deleteUser: ['DELETE', `/api/admin/users/${String(params['userName'])}`], deleteWorkspace: ['POST', '/api/admin/workspace/delete'] } as Readonly<Record<string, readonly [string, string]>>)[id] ?? ['', ''];
        const reply = await fetch(server.url + path, { method, headers: { authorization: server.apiKey, 'content-type': 'application/json' }, ...(method === 'POST' ? { body: JSON.stringify(body) } : {}) });
        expect(reply.status, id).to.equal(200);
        return reply.json();
      };
      const { settings } = { settings: { ...loaded.values, baseUrl: server.url, version: '' } };
      const ended = await expire({
        tables: own, operations, secrets: systemSecrets, settings, clock: { now: () => Date.now() }, limits: { startsPerHour: 5, experiments: 20, storageMb: 1 }, audit: { note: async () => '', settle: async () => undefined }, auth: { revokeKey: async () => true } as never, // the one method that is called
      }, new AbortController().signal);

      expect(ended).to.equal(1);
    } finally {
      await opened.storage.close();
      await opened.stop();
    }
    expect((await ask(server.apiKey, `/api/rest/v2/experiment/metadata?experimentKey=${String(old['experimentKey'])}`)).status).to.equal(400);
    expect((await ask(server.apiKey, `/api/rest/v2/experiment/metadata?experimentKey=${String(kept['experimentKey'])}`)).status).to.equal(200);
    expect((await ask('', `/api/rest/v2/anonymous/${late.token}`)).status).to.equal(400);
    expect((await ask('', `/api/auth/anonymous/is-active?apiKey=${encodeURIComponent(late.apiKey)}`)).body).to.deep.equal({ active: false });
  });

  it('keeps neither token nor key in the clear', async () => {
    const { apiKey, token } = await begin();
    const loaded = loadSettings(server.settings);
    const opened = await openStorage(loaded, false);
    try {
      const tables = (await opened.storage.connection.db.raw("select table_name from information_schema.tables where table_schema = 'public'") as { rows: { table_name: string }[] }).rows; // one column of text
      for (const { table_name: name } of tables) {
        const text = JSON.stringify(await opened.storage.connection.db(name).select());
        for (const secret of [token, apiKey.split('*')[0] ?? '']) expect(text.includes(secret), name).to.equal(false);
      }
    } finally {
      await opened.storage.close();
      await opened.stop();
    }
  });
});
