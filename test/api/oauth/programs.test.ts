// Programs that act for somebody: seen and ended by the user, by an administrator, and on the page.
import { expect } from 'chai';
import { forgetPrograms } from '#core/upkeep/jobs';
import {
  begin,
  exchange,
  isLive,
  obtainCode,
  obtainPair,
  openWorld,
  refresh,
  withToken,
  works,
  type Page,
} from './browsing.js';

type Json = Record<string, unknown>;
const dayMs = 24 * 3_600_000;

describe('connected programs', () => {
  const world = openWorld();
  const ask = async (
    key: string,
    path: string,
    method = 'GET',
  ): Promise<{ readonly status: number; readonly body: Json }> => {
    const reply = await fetch(world().url + path, { method, headers: { authorization: key } });
    return { status: reply.status, body: (await reply.json()) as Json }; // every reply of these rows is an object
  };
  const listed = async (key: string, path = '/api/auth/programs'): Promise<readonly Json[]> =>
    (await ask(key, path)).body['programs'] as Json[]; // the row's reply
  const idsOf = async (key: string): Promise<readonly unknown[]> =>
    (await listed(key)).map((one) => one['clientId']);
  const admin = (path: string, method?: string) =>
    ask(world().server.apiKey, `/api/admin${path}`, method);
  const lastEntry = async (action: string): Promise<Json | undefined> =>
    ((await admin(`/audit?action=${action}&size=1`)).body['entries'] as Json[])[0]; // the row's reply
  const wordOf = (page: Page): readonly unknown[] => [page.status, page.json['error']];

  it('are listed with their name, address, workspaces and times, and only for whom they act', async () => {
    const { home, stranger } = world().people;
    const from = Date.now();
    const { begun, refresh: token } = await obtainPair(world(), home);
    const one = async () =>
      (await listed(home.apiKey)).find(({ clientId }) => clientId === begun.clientId);
    const first = await one();

    expect((await refresh(world(), begun.clientId, token)).status).to.equal(200);

    const [access] = first?.['workspaces'] as Json[]; // the row's reply
    expect([first?.['clientName'], first?.['enabled'], access?.['workspaceName']]).to.deep.equal([
      (await world().storage.stores.oauth.findClient(begun.clientId))?.name,
      true,
      home.workspace,
    ]);
    expect(Number(access?.['since'])).to.be.within(from, Date.now());
    expect(
      Number(((await one())?.['workspaces'] as Json[])[0]?.['lastRefreshedAt']),
    ).to.be.greaterThan(Number(access?.['lastRefreshedAt']));
    expect(await idsOf(stranger.apiKey)).to.not.include(begun.clientId);
    expect(
      (await listed(world().server.apiKey, `/api/admin/users/${home.name}/programs`)).map(
        (each) => each['clientId'],
      ),
    ).to.deep.equal(await idsOf(home.apiKey));
  });

  it('are ended by the user at once, with every consent, and for nobody else', async () => {
    const { home, stranger } = world().people;
    const first = await obtainPair(world(), home);
    const { clientId } = first.begun;
    const second = await obtainPair(world(), home, { clientId });
    const theirs = await obtainPair(world(), stranger, { clientId });
    const other = await obtainPair(world(), home);
    const code = await obtainCode(world(), await world().signIn(home), first.begun);
    for (const pair of [first, second, theirs, other])
      expect(await works(world(), pair.access)).to.equal(true);

    expect(await ask(home.apiKey, `/api/auth/programs/${clientId}`, 'DELETE')).to.deep.equal({
      status: 200,
      body: { ended: 2 },
    });

    expect(
      await Promise.all([first, second, theirs, other].map((pair) => works(world(), pair.access))),
    ).to.deep.equal([false, false, true, true]);
    expect(wordOf(await refresh(world(), clientId, second.refresh))).to.deep.equal([
      400,
      'invalid_grant',
    ]);
    expect(wordOf(await exchange(world(), first.begun, code))).to.deep.equal([
      400,
      'invalid_grant',
    ]);
    expect(await idsOf(home.apiKey)).to.not.include(clientId);
    expect((await ask(home.apiKey, `/api/auth/programs/${clientId}`, 'DELETE')).status).to.equal(
      400,
    );
    const entry = await lastEntry('endProgram');
    expect([entry?.['actor'], (entry?.['detail'] as Json)['clientId']]).to.deep.equal([
      home.name,
      clientId,
    ]);
  });

  it('are neither visible to a program nor ended by one', async () => {
    const { home } = world().people;
    const { access, begun } = await obtainPair(world(), home);

    expect((await withToken(world(), '/api/auth/programs', access)).status).to.equal(403);
    expect(
      (
        await withToken(world(), `/api/auth/programs/${begun.clientId}`, access, {
          method: 'DELETE',
        })
      ).status,
    ).to.equal(403);
    expect(await works(world(), access)).to.equal(true);
  });

  it('are ended by an administrator for one user', async () => {
    const { home, stranger } = world().people;
    const mine = await obtainPair(world(), home);
    const { clientId } = mine.begun;
    const theirs = await obtainPair(world(), stranger, { clientId });

    expect(
      (await ask(home.apiKey, `/api/admin/users/${stranger.name}/programs/${clientId}`, 'DELETE'))
        .status,
    ).to.equal(403);
    expect((await admin(`/users/${home.name}/programs/${clientId}`, 'DELETE')).body).to.deep.equal({
      ended: 1,
    });

    expect([await works(world(), mine.access), await works(world(), theirs.access)]).to.deep.equal([
      false,
      true,
    ]);
    const entry = await lastEntry('endUserProgram');
    expect([
      (entry?.['thing'] as Json)['name'],
      (entry?.['detail'] as Json)['clientId'],
    ]).to.deep.equal([home.name, clientId]);
  });

  it('are switched off for everybody: their tokens stop working at once, and they neither ask for access nor renew it', async () => {
    const { home, stranger } = world().people;
    const mine = await obtainPair(world(), home);
    const { clientId } = mine.begun;
    const theirs = await obtainPair(world(), stranger, { clientId });
    const code = await obtainCode(world(), await world().signIn(home), mine.begun);
    for (const pair of [mine, theirs]) expect(await works(world(), pair.access)).to.equal(true);

    expect(
      (await ask(home.apiKey, `/api/admin/programs/${clientId}/disable`, 'POST')).status,
    ).to.equal(403);
    expect((await admin(`/programs/${clientId}/disable`, 'POST')).status).to.equal(200);

    for (const pair of [mine, theirs]) {
      expect([await works(world(), pair.access), await isLive(world(), pair.access)]).to.deep.equal(
        [false, false],
      );
      expect(wordOf(await refresh(world(), clientId, pair.refresh))).to.deep.equal([
        400,
        'invalid_client',
      ]);
    }
    expect(wordOf(await exchange(world(), mine.begun, code))).to.deep.equal([
      400,
      'invalid_client',
    ]);
    await begin(world(), { clientId })
      .then(async (begun) => obtainCode(world(), await world().signIn(home), begun))
      .then(
        () => expect.fail('a code was made'),
        (thrown: Error) => expect(thrown.message).to.not.equal('a code was made'),
      );
    expect(
      (await listed(home.apiKey)).find((one) => one['clientId'] === clientId)?.['enabled'],
    ).to.equal(false);
    expect((await admin('/programs/nobody/disable', 'POST')).status).to.equal(400);
    expect(((await lastEntry('disableProgram'))?.['detail'] as Json)['reason']).to.equal(
      'program nobody not found',
    );
  });

  it('stand on the page of the account, and are ended there by a form with its token', async () => {
    const { home } = world().people;
    const { access, begun } = await obtainPair(world(), home);
    const browser = await world().signIn(home);
    const page = await browser.get('/account');
    expect(page.text).to.include('Connected programs').and.include(`value="${begun.clientId}"`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';

    expect(
      (await browser.postForm('/account/programs/end', { clientId: begun.clientId })).status,
    ).to.equal(403);
    expect(await works(world(), access)).to.equal(true);
    const sent = await browser.postForm('/account/programs/end', {
      csrf,
      clientId: begun.clientId,
    });

    expect([sent.status, sent.location?.pathname]).to.deep.equal([303, '/account']);
    expect(await works(world(), access)).to.equal(false);
    const after = (await browser.get(sent.location?.pathname + (sent.location?.search ?? ''))).text;
    expect(after).to.include('The program has no access any more').and.not.include(begun.clientId);
  });

  it('are forgotten when nobody has used them for long, unless that is switched off', async () => {
    const { home } = world().people;
    const { begun } = await obtainPair(world(), home);
    const { clientId } = await begin(world());
    const {
      storage: { stores },
    } = world();
    const later = { now: () => Date.now() + 90 * dayMs - 60_000 };
    const { signal } = new AbortController();
    const both = async () =>
      Promise.all(
        [begun.clientId, clientId].map(
          async (id) => (await stores.oauth.findClient(id)) !== undefined,
        ),
      );

    expect([
      await forgetPrograms(stores, later, 0, signal),
      await forgetPrograms(stores, later, 90, AbortSignal.abort()),
    ]).to.deep.equal([0, 0]);
    await forgetPrograms(stores, later, 90, signal);
    expect(await both()).to.deep.equal([true, true]);

    expect(await forgetPrograms(stores, later, 89, signal)).to.be.at.least(1);
    expect(await both()).to.deep.equal([true, false]);
  });
});
