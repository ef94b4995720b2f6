// Comments: who reads and changes them, and who is told of being named.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { freshName } from './fresh.js';
import { makePeople, type People } from './people.js';
import { send, type Answer } from './sending.js';

describe('comments on a run', () => {
  let server: StartedServer;
  let people: People;
  let run: string;

  const ask = (
    method: string,
    path: string,
    body?: unknown,
    key = people.home.apiKey,
  ): Promise<Answer> =>
    send(
      server.url,
      method,
      path,
      { query: {}, params: {}, ...(body === undefined ? {} : { body }) },
      key,
    );
  const say = (body: unknown, key?: string) =>
    ask('POST', `/v1/private/ui/runs/${run}/comments`, body, key);
  const list = async (query = '', key?: string) =>
    (await ask('GET', `/v1/private/ui/runs/${run}/comments${query}`, undefined, key)).json;
  const textsOf = (page: Readonly<Record<string, unknown>>) =>
    (page['comments'] as readonly { text: string }[]).map(({ text }) => text);
  /** Events of mentions that wait or were told, by the text of the comment. */
  const mentioned = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const { storage, close } = await openBeside(server);
    try {
      const project = await storage.stores.experiments.findByKey(run);
      return (
        await storage.stores.events.listAfter(`comments:${project?.workspaceId ?? ''}`, 0, 100)
      ).map(({ detail }) => detail);
    } finally {
      await close();
    }
  };

  before('start a server', async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
  });
  after(() => server?.stop());
  beforeEach(async () => {
    const made = await ask('POST', '/api/rest/v2/write/experiment/create', {
      workspaceName: people.home.workspace,
      projectName: freshName('project'),
    });
    run = String(made.json['experimentKey']);
  });

  it('are told page by page, in the order they were made', async () => {
    for (let i = 0; i < 5; i++) await say({ text: `${i}` });

    const all: string[] = [];
    for (let query = '?limit=2'; query !== '';) {
      const page = await list(query);
      all.push(...textsOf(page));
      query = page['next'] === null ? '' : `?limit=2&after=${String(page['next'])}`;
    }

    expect(all).to.deep.equal(['0', '1', '2', '3', '4']);
  });

  it('keep their text as it was written, and the range of steps', async () => {
    const text = '<script>alert(1)</script> *bold*\n@nobody';
    const { status, json } = await say({ text, firstStep: 10, lastStep: 20 });

    expect(status).to.equal(201);
    expect(json).to.include({ text, firstStep: 10, lastStep: 20, own: true, editedAt: null });
    expect(json['author']).to.equal(people.home.name);
    expect((await list())['comments']).to.deep.equal([json]);
  });

  it('are changed by their author alone, and deleted by an administrator too', async () => {
    const { json } = await say({ text: 'first' }, people.member.apiKey);
    const path = `/v1/private/ui/comments/${String(json['id'])}`;

    expect((await ask('PUT', path, { text: 'stolen' })).status).to.equal(403);
    const edited = await ask('PUT', path, { text: 'second' }, people.member.apiKey);
    expect(edited.json).to.include({ text: 'second' });
    expect(edited.json['editedAt']).to.be.a('number');
    expect((await ask('DELETE', path)).status).to.equal(204);
    expect(textsOf(await list())).to.deep.equal([]);
    const other = await say({ text: 'of the owner' });
    const status = async (key: string) =>
      (await ask('DELETE', `/v1/private/ui/comments/${String(other.json['id'])}`, undefined, key))
        .status;
    expect(await status(people.member.apiKey)).to.equal(403);
    expect(await status(people.stranger.apiKey)).to.equal(404);
  });

  it('tell each member who is named, once, and not who named them or is no member', async () => {
    const before = (await mentioned()).length;
    const { json } = await say({
      text: `@${people.member.name} and @${people.home.name} and @${people.stranger.name}: look`,
    });
    const path = `/v1/private/ui/comments/${String(json['id'])}`;
    await ask('PUT', path, { text: `@${people.member.name} @${people.viewer.name} look again` });
    await ask('PUT', path, { text: `@${people.viewer.name} thanks` });

    expect(json['mentions']).to.have.members([people.member.name, people.home.name]);
    const told = (await mentioned()).slice(before);
    // Those that every receiver has had are gone by then; what is left is in order.
    const named = told.map((detail) => detail['mentioned']);
    expect([
      [[people.member.name], [people.viewer.name]],
      [[people.viewer.name]],
      [],
    ]).to.deep.include(named);
  });

  it('are read by view-only members, and not written', async () => {
    await say({ text: 'hello' });

    expect(textsOf(await list('', people.viewer.apiKey))).to.deep.equal(['hello']);
    expect((await say({ text: 'no' }, people.viewer.apiKey)).status).to.equal(403);
  });

  it('go with their run', async () => {
    const { json } = await say({ text: 'soon gone' });
    await ask('GET', `/api/rest/v2/write/experiment/delete?experimentKey=${run}`);

    const edited = await ask('PUT', `/v1/private/ui/comments/${String(json['id'])}`, {
      text: 'still there?',
    });

    expect(edited.status).to.equal(404);
  });

  it('refuse what makes no sense, in a sentence', async () => {
    const sentence = async (body: unknown) => {
      const { status, json } = await say(body);
      return [status, json['message']];
    };

    expect(await sentence({ text: ' \n' })).to.deep.equal([400, 'text must not be empty']);
    expect(await sentence({ text: 'é'.repeat(8193) })).to.deep.equal([
      400,
      'text must be at most 16384 bytes',
    ]);
    expect(await sentence({ text: 'x', firstStep: 1 })).to.deep.equal([
      400,
      'firstStep and lastStep go together',
    ]);
    expect(await sentence({ text: 'x', firstStep: 5, lastStep: 4 })).to.deep.equal([
      400,
      'lastStep must be at least firstStep, and 4 is below 5',
    ]);
    expect((await list('?limit=201'))['message']).to.equal('limit must be from 1 to 200');
    const elsewhere = await say({ text: 'on another run' });
    const made = await ask('POST', '/api/rest/v2/write/experiment/create', {
      workspaceName: people.home.workspace,
      projectName: freshName('project'),
    });
    run = String(made.json['experimentKey']);
    for (const after of ['nothing', String(elsewhere.json['id'])])
      expect((await list(`?after=${after}`))['message']).to.equal(
        'after must be the id of a comment on the same thing',
      );
  });
});
