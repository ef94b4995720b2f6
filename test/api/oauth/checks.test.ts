// The access checks of the private wire: whose workspace, by which header, under which base.
import { expect } from 'chai';
import { ask, obtainPair, openWorld, type Page } from './browsing.js';

describe('the access checks of the private wire', () => {
  const world = openWorld();
  const paths = ['/v1/private/auth', '/api/v1/private/auth', '/opik/api/v1/private/auth'];
  const check = (
    path: string,
    key: string | undefined,
    workspace?: string,
    init: RequestInit = {},
  ): Promise<Page> =>
    ask(world().url + path, {
      ...init,
      headers: {
        ...(key === undefined ? {} : { Authorization: key }),
        ...(workspace === undefined ? {} : { 'Comet-Workspace': workspace }),
        ...(init.headers as Record<string, string> | undefined),
      },
    }); // only objects are handed in
  const nameAt = async (key: string, workspace?: string) =>
    (await check('/v1/private/auth/workspace', key, workspace)).json['workspace_name'];

  it('answer 204 for a workspace within reach, with any object or nothing as their body', async () => {
    const { home } = world().people;
    const headers = { 'Content-Type': 'application/json' };
    for (const path of paths)
      for (const body of ['', '{}', '{"project":{"id":"x"}}']) {
        const page = await check(path, home.apiKey, home.workspace, {
          method: 'POST',
          headers,
          body,
        });
        expect([page.status, page.text], `${path} ${body}`).to.deep.equal([204, '']);
      }
    expect(
      (await check('/v1/private/auth', home.apiKey, undefined, { method: 'POST' })).status,
    ).to.equal(204);
    expect(
      (
        await check('/v1/private/auth', home.apiKey, undefined, {
          method: 'POST',
          headers,
          body: '{',
        })
      ).status,
    ).to.equal(400);
  });

  it("name the workspace of the header, or the caller's own for none, a blank one and the word default", async () => {
    const { home } = world().people;
    for (const path of paths)
      expect((await check(`${path}/workspace`, home.apiKey, home.workspace)).json).to.deep.equal({
        workspace_name: home.workspace,
      });
    for (const header of [undefined, '', ' ', 'default'])
      expect(await nameAt(home.apiKey, header), String(header)).to.equal(home.workspace);
  });

  it('mean a workspace that is really called default by that word, for those who belong to it', async () => {
    const { home, stranger } = world().people;
    const made = await ask(`${world().url}/api/rest/v2/write/workspace/new`, {
      method: 'POST',
      headers: { Authorization: home.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'default' }),
    });
    expect(made.status, made.text).to.equal(200);

    expect([
      await nameAt(home.apiKey, 'default'),
      await nameAt(stranger.apiKey, 'default'),
    ]).to.deep.equal(['default', stranger.workspace]);
  });

  it('answer 401 without a credential and 403 for a workspace that is out of reach or not there, alike', async () => {
    const { home, stranger } = world().people;
    for (const path of [...paths, '/v1/private/auth/workspace']) {
      const method = path.endsWith('workspace') ? 'GET' : 'POST';
      for (const key of [
        undefined,
        '',
        'nobody',
        'Bearer orrery_at_nobody',
        'Bearer orrery_rt_nobody',
      ]) {
        const page = await check(path, key, home.workspace, { method });
        expect(
          [page.status, page.json['code'], Array.isArray(page.json['errors'])],
          `${path} ${String(key)}`,
        ).to.deep.equal([401, 401, true]);
      }
      const [foreign, unknown] = [
        await check(path, home.apiKey, stranger.workspace, { method }),
        await check(path, home.apiKey, 'nowhere', { method }),
      ];
      expect([foreign.status, unknown.status, foreign.json['errors']]).to.deep.equal([
        403,
        403,
        [foreign.json['message']],
      ]);
      expect(foreign.text.replaceAll(stranger.workspace, 'nowhere')).to.equal(unknown.text);
    }
  });

  it('take sessions and access tokens too, a token for its own workspace', async () => {
    const { home: other, stranger: owner } = world().people;
    const { access } = await obtainPair(world(), owner);
    for (const header of [undefined, '', 'default', owner.workspace])
      expect(
        (await check('/v1/private/auth', `bearer ${access}`, header, { method: 'POST' })).status,
      ).to.equal(204);
    expect(
      (await check('/v1/private/auth', `Bearer ${access}`, other.workspace, { method: 'POST' }))
        .status,
    ).to.equal(403);
    const browser = await world().signIn(owner);
    expect((await browser.get('/v1/private/auth/workspace')).json).to.deep.equal({
      workspace_name: owner.workspace,
    });
  });
});
