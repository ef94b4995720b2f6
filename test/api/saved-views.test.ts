// Views that people save: who sees them, who may change them, and what two who save at once get.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { freshName } from './fresh.js';
import { makePeople, type People } from './people.js';
import { send, type Answer } from './sending.js';

const root = '/v1/private/ui/views';

describe('saved views of a project', () => {
  let server: StartedServer;
  let people: People;
  let project: string;

  before('start a server', async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
  });
  after(() => server?.stop());
  beforeEach(async () => {
    const made = await ask('POST', '/api/rest/v2/write/project/create', {
      workspaceName: people.home.workspace,
      projectName: freshName('project'),
    });
    project = String(made.json['projectId']);
  });

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
  const save = async (given: object = {}, key = people.home.apiKey) => {
    const answer = await ask(
      'POST',
      root,
      { project, type: 'runs', name: 'view', content: { columns: ['loss'] }, ...given },
      key,
    );
    return { answer, id: String(answer.json['id']) };
  };
  const list = async (key = people.home.apiKey) =>
    (await ask('GET', `${root}?project=${project}&type=runs`, undefined, key)).json;
  const names = async (key?: string) =>
    ((await list(key))['views'] as readonly { name: string }[]).map(({ name }) => name);

  it('come back as they were saved', async () => {
    const { answer, id } = await save({ shared: true });

    expect(answer.status).to.equal(201);
    expect((await ask('GET', `${root}/${id}`)).json).to.deep.include({
      project,
      type: 'runs',
      name: 'view',
      shared: true,
      owner: people.home.name,
      version: 1,
      content: { columns: ['loss'] },
    });
  });

  it('are seen by everybody when they are shared, and by their owner alone when not', async () => {
    const shared = await save({ name: 'shared', shared: true });
    const own = await save({ name: 'own' });

    expect(await names()).to.deep.equal(['own', 'shared']);
    expect(await names(people.member.apiKey)).to.deep.equal(['shared']);
    const status = async (method: string, id: string, body?: unknown) =>
      (await ask(method, `${root}/${id}`, body, people.member.apiKey)).status;
    expect(await status('GET', shared.id)).to.equal(200);
    expect(await status('GET', own.id)).to.equal(404);
    expect(await status('PUT', own.id, { version: 1, name: 'stolen' })).to.equal(404);
    expect(await status('DELETE', own.id)).to.equal(404);
  });

  it('are changed by members when they are shared, and deleted by their owner or an administrator only', async () => {
    const { id } = await save({ shared: true });
    const byMember = await save({ shared: true }, people.member.apiKey);

    const changed = await ask(
      'PUT',
      `${root}/${id}`,
      { version: 1, name: 'renamed' },
      people.member.apiKey,
    );

    expect(changed.json).to.include({ name: 'renamed', version: 2 });
    expect((await ask('DELETE', `${root}/${id}`, undefined, people.member.apiKey)).status).to.equal(
      403,
    );
    expect((await ask('DELETE', `${root}/${byMember.id}`)).status).to.equal(204);
    expect(
      (await ask('PUT', `${root}/${id}`, { version: 2, name: 'x' }, people.viewer.apiKey)).status,
    ).to.equal(403);
  });

  it('refuse the second of two who save the same version, and tell which one there is', async () => {
    const { id } = await save();

    const answers = await Promise.all(
      [1, 2].map((by) => ask('PUT', `${root}/${id}`, { version: 1, content: { by } })),
    );

    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.json['message']).to.equal(
      'the view was changed since version 1; it has version 2',
    );
  });

  it('have one default for everybody and one for each user', async () => {
    const [shared, own] = [await save({ shared: true }), await save()];
    const set = (id: string, which: string, on: boolean, key?: string) =>
      ask('PUT', `${root}/${id}/${which}-default`, { default: on }, key);

    expect((await set(own.id, 'project', true)).json['message']).to.equal(
      'only a shared view can be what everybody sees first',
    );
    expect((await set(shared.id, 'project', true)).text).to.equal('');
    await set(own.id, 'own', true);
    expect((await set(shared.id, 'own', true, people.viewer.apiKey)).status).to.equal(204);
    expect((await set(shared.id, 'project', true, people.viewer.apiKey)).status).to.equal(403);

    expect(await list()).to.include({ projectDefault: shared.id, ownDefault: own.id });
    expect(await list(people.member.apiKey)).to.include({
      projectDefault: shared.id,
      ownDefault: null,
    });
    await set(shared.id, 'own', false);
    expect((await list())['ownDefault']).to.equal(own.id);
    await set(own.id, 'own', false);
    expect((await list())['ownDefault']).to.equal(null);
  });

  it('refuse content above 256 KiB, and a type that is none, in a sentence', async () => {
    const large = await save({ content: { text: 'x'.repeat(262_144) } });
    const odd = await save({ type: 'moods' });

    expect([large.answer.status, large.answer.json['message']]).to.deep.equal([
      413,
      'the content of a view must be at most 262144 bytes',
    ]);
    expect(odd.answer.status).to.equal(400);
  });

  it('are no concern of strangers', async () => {
    const { id } = await save({ shared: true });

    expect((await ask('GET', `${root}/${id}`, undefined, people.stranger.apiKey)).status).to.equal(
      404,
    );
    expect(
      (await ask('GET', `${root}?project=${project}&type=runs`, undefined, people.stranger.apiKey))
        .status,
    ).to.equal(404);
  });
});
