// What stands behind the addresses that clients print.
import { expect } from 'chai';
import { startServer, type StartedServer } from '#test/clients/server';

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly to: string | null;
}

describe('an address that a client prints', () => {
  let server: StartedServer;
  let key: string;
  let projectId: string;
  before(async () => {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    key = String(
      (
        await post('/api/rest/v2/write/experiment/create', {
          workspaceName: server.workspace,
          projectName: 'shown <b>',
          experimentName: 'a & b',
        })
      )['experimentKey'],
    );
    const metadata = await fetch(
      `${server.url}/api/rest/v2/experiment/metadata?experimentKey=${key}`,
      { headers: { authorization: server.apiKey } },
    );
    projectId = String(((await metadata.json()) as Record<string, unknown>)['projectId']); // an object, as every reply of the API
  });
  after(() => server?.stop());

  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const reply = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: server.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await reply.json()) as Record<string, unknown>; // as above
  };
  const open = async (path: string, signedIn = true): Promise<Reply> => {
    const reply = await fetch(server.url + path, {
      redirect: 'manual',
      headers: signedIn ? { authorization: server.apiKey } : {},
    });
    return { status: reply.status, text: await reply.text(), to: reply.headers.get('location') };
  };
  const there = () => [
    `/${server.workspace}/${encodeURIComponent('shown <b>')}/${key}`,
    `/experiment/${key}`,
    `/project/${projectId}`,
    `/${server.workspace}/${encodeURIComponent('shown <b>')}/`,
  ];
  const missing = () => [
    `/${server.workspace}/none/${'f'.repeat(32)}`,
    `/experiment/${'f'.repeat(32)}`,
    '/project/00000000-0000-7000-8000-000000000000',
    `/${server.workspace}/none/`,
    '/none-of-this-name',
    `/${server.workspace}/model-registry/none/1.0.0`,
    `/${server.workspace}/artifacts/none/1.0.0`,
  ];

  it('shows a page of the thing that it names, with its names as text', async () => {
    for (const path of there()) {
      const { status, text } = await open(path);
      expect([path, status]).to.deep.equal([path, 200]);
      expect(text).to.contain('shown &lt;b&gt;').and.not.contain('<b>');
    }
    expect((await open(there()[0] ?? '')).text)
      .to.contain('a &amp; b')
      .and.contain(key);
  });

  it('is 404 where there is nothing', async () => {
    for (const path of missing())
      expect([path, (await open(path)).status]).to.deep.equal([path, 404]);
  });

  it('leads to sign-in who has no session, whether there is something or not', async () => {
    for (const path of [...there(), ...missing()]) {
      const { status, to } = await open(path, false);
      expect([path, status, to]).to.deep.equal([
        path,
        303,
        `/login?returnTo=${encodeURIComponent(path)}`,
      ]);
    }
  });

  it('tells of experiments and models, and promises nothing that this release does not have', async () => {
    for (const path of ['/', '/login'])
      expect((await open(path, false)).text).to.not.match(/trace/i);
  });
});
