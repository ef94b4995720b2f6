import { expect } from 'chai';
import { startServer, type StartedServer } from '#test/clients/server';

type Json = Record<string, unknown>;

describe('an installation without authentication', () => {
  let server: StartedServer;
  before(async function () {
    const started = await startServer({
      storage: 'embedded',
      env: { ORRERY_AUTHENTICATION: 'off' },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server.stop());

  const call = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: unknown,
  ) => {
    const reply = await fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    const json = reply.headers.get('Content-Type')?.includes('json') === true;
    return { status: reply.status, body: (json ? JSON.parse(text) : {}) as Json };
  };
  const whoAmI = '/api/auth/session';
  const projects = '/api/v1/private/projects';

  it('takes whoever shows no credential, or none that is known, as its administrator', async () => {
    for (const headers of [
      {},
      { Authorization: '' },
      { Authorization: 'no-such-key' },
      { Authorization: 'Bearer no-such-token' },
      { Cookie: 'sessionToken=os_none' },
    ])
      expect(await call(whoAmI, headers), JSON.stringify(headers)).to.deep.include({ status: 200 });
    const { body } = await call(whoAmI);
    expect(body).to.deep.include({ userName: 'admin', admin: true, via: 'none', csrfToken: null });
  });

  it('takes who shows a key of somebody as that user', async () => {
    const { body } = await call(whoAmI, { Authorization: server.apiKey });
    expect(body).to.deep.include({ userName: 'admin', via: 'key' });
  });

  it('takes any name of a workspace as that of the administrator, unless there is one of that name', async () => {
    await call('/api/rest/v2/write/workspace/new', {}, { name: 'second' });
    for (const [workspace, name] of [
      [undefined, 'usual'],
      ['default', 'by-default'],
      ['whatever the client was told', 'by-any'],
    ] as const) {
      const headers = workspace === undefined ? {} : { 'Comet-Workspace': workspace };
      expect(await call(projects, headers, { name })).to.deep.include({ status: 201 });
    }
    expect(
      await call(projects, { 'Comet-Workspace': 'second' }, { name: 'elsewhere' }),
    ).to.deep.include({ status: 201 });
    const namesIn = async (workspace: string) =>
      ((await call(projects, { 'Comet-Workspace': workspace })).body['content'] as readonly Json[])
        .map(({ name }) => name)
        .sort();
    expect(await namesIn(server.workspace)).to.deep.equal(['by-any', 'by-default', 'usual']);
    expect(await namesIn('second')).to.deep.equal(['elsewhere']);
    const traced = await call(
      '/opik/api/v1/private/traces/batch',
      { 'Comet-Workspace': 'any' },
      {
        traces: [
          {
            id: '019ac0de-0000-7000-8000-000000000001',
            project_name: 'by-any',
            start_time: new Date().toISOString(),
          },
        ],
      },
    );
    expect(traced.status).to.equal(204);
  });

  it('does nothing for pages of other sites, nor for one that calls the server by its own name', async () => {
    const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
    for (const headers of [
      { ...browser, 'Sec-Fetch-Site': 'cross-site' },
      { ...browser, 'Sec-Fetch-Site': 'same-site' },
      { ...browser, Origin: 'http://elsewhere.example' },
      { ...browser, Origin: 'null' },
    ])
      expect(
        await call(projects, headers, { name: 'foreign' }),
        JSON.stringify(headers),
      ).to.include({ status: 401 });
    expect(await call(projects, { ...browser, Origin: server.url })).to.include({ status: 200 });
    expect(await call(projects, { ...browser, 'Sec-Fetch-Site': 'same-origin' })).to.include({
      status: 200,
    });
  });

  it('keeps what a share code opens to that', async () => {
    const { status } = await call('/api/rest/v2/projects?shareCode=no-such-code');
    expect(status).to.equal(401);
  });

  it('writes down who did what as done without a credential', async () => {
    const { body } = await call('/api/admin/audit?action=createWorkspace');
    expect(JSON.stringify(body)).to.match(/"via":"none"/);
  });
});
