import { expect } from 'chai';
import { borrowServer, type StartedServer } from '#test/clients/server';
import { spareAccounts } from '#test/areas/workspaces/things';
import { makePeople, type People } from './people.js';
import { heldIn } from './world.js';

describe('members of a workspace', () => {
  let server: StartedServer;
  let people: People;
  before(async () => {
    const started = await borrowServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    people = await makePeople(server);
  });
  after(() => server.stop());

  const ask = async (
    key: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const reply = await fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }; // every reply of the API is an object
  };
  const add = (key: string, body: unknown) =>
    ask(key, '/api/rest/v2/write/add-workspace-member', body);

  it('are added by whoever administers it, under any of the three names, once', async () => {
    const { home } = people;
    const { newcomers } = heldIn(people.supplies, spareAccounts);
    const [first = '', second = '', third = ''] = newcomers;

    expect(
      (await add(home.apiKey, { workspaceName: home.workspace, userName: first })).body['msg'],
    ).to.equal('added');
    expect(
      (await add(home.apiKey, { workspaceName: home.workspace, name: second, admin: false }))
        .status,
    ).to.equal(200);
    expect(
      (await add(home.apiKey, { workspaceName: home.workspace, userEmail: third, admin: true }))
        .status,
    ).to.equal(200);
    const again = await add(home.apiKey, { workspaceName: home.workspace, userName: first });

    expect([again.status, String(again.body['msg']).includes('already member of')]).to.deep.equal([
      400,
      true,
    ]);
  });

  it('reach the workspace at once where they were added', async () => {
    const { home, stranger } = people;
    expect(
      (await ask(stranger.apiKey, '/api/rest/v2/workspaces')).body['workspaceNames'],
    ).to.deep.equal([stranger.workspace]);

    await add(home.apiKey, { workspaceName: home.workspace, userName: stranger.name });

    expect(
      (await ask(stranger.apiKey, '/api/rest/v2/workspaces')).body['workspaceNames'],
    ).to.have.members([stranger.workspace, home.workspace]);
    const { body, status } = await add(stranger.apiKey, {
      workspaceName: home.workspace,
      userName: people.viewer.name,
    });
    expect([status, body['msg']]).to.deep.equal([
      403,
      'only an administrator of the workspace may do this',
    ]);
  });
});
