// Hearing of changes: what is told, to whom, and what is told to those who come back.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, openBeside, type StartedServer } from '#test/clients/server';
import { readEvents, type EventReader } from './event-reader.js';
import { send } from './sending.js';
import { freshName } from './fresh.js';
import { makePeople, type People } from './people.js';

const write = '/api/rest/v2/write';

describe('listening to a project', function () {
  this.timeout(60_000);
  let server: StartedServer;
  let people: People;
  let projectId: string;
  let projectName: string;
  const readers: EventReader[] = [];

  before('start a server', async function () {
    const started = await startServer({
      storage: 'embedded',
      env: { ORRERY_CHECK_REPLIES: '1', ORRERY_LISTENERS_PER_USER: '3' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
  });
  after(() => server?.stop());

  const post = async (path: string, body: unknown, key = people.home.apiKey) =>
    (await send(server.url, 'POST', path, { query: {}, params: {}, body }, key)).json;
  const create = async (name = projectName) =>
    String(
      (
        await post(`${write}/experiment/create`, {
          workspaceName: people.home.workspace,
          projectName: name,
        })
      )['experimentKey'],
    );
  const listen = async (
    query: Readonly<Record<string, string>> = {},
    { key = people.home.apiKey, ...headers }: Readonly<Record<string, string>> = {},
  ): Promise<EventReader> => {
    const asked = new URLSearchParams({ project: projectId, ...query });
    const reader = await readEvents(`${server.url}/v1/private/ui/events?${asked.toString()}`, {
      authorization: key,
      ...headers,
    });
    readers.push(reader);
    if (reader.status === 200) await reader.until(({ event }) => event === 'ready');
    return reader;
  };
  const logPoint = (experimentKey: string) =>
    post(`${write}/experiment/metric`, { experimentKey, metricName: 'loss', metricValue: '1' });
  const kindsOf = (reader: EventReader, run: string) =>
    reader.events.filter(({ data }) => data['run'] === run).map(({ event }) => event);

  beforeEach(async () => {
    projectName = freshName('project');
    const made = await post(`${write}/project/create`, {
      workspaceName: people.home.workspace,
      projectName,
    });
    projectId = String(made['projectId']);
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  it('tells of a new run, its points, values and output', async () => {
    const reader = await listen();
    const run = await create();

    await logPoint(run);
    await post(`${write}/experiment/parameter`, {
      experimentKey: run,
      parameterName: 'lr',
      parameterValue: '0.1',
    });
    await post(`${write}/experiment/output`, {
      experimentKey: run,
      outputLines: [{ output: 'line\n' }],
    });

    for (const kind of ['run', 'points', 'values', 'output'])
      await reader.until(({ event, data }) => event === kind && data['run'] === run);
    expect(reader.headers).to.include({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
    });
  });

  it('never tells a point itself, and tells of many points at most about once a second', async () => {
    const run = await create();
    const reader = await listen();

    for (const until = performance.now() + 2000; performance.now() < until;) await logPoint(run);
    await reader.until(({ event }) => event === 'points');

    const points = reader.events.filter(({ event }) => event === 'points');
    expect(points.length).to.be.within(1, 4);
    for (const { data } of points)
      expect(Object.keys(data)).to.have.members(['run', 'at', 'cursor']);
  });

  it('tells only of the runs that were asked for', async () => {
    const [wanted, other] = [await create(), await create()];
    const reader = await listen({ runs: wanted });

    await logPoint(other);
    await logPoint(wanted);

    await reader.until(({ data }) => data['run'] === wanted);
    expect(kindsOf(reader, other)).to.deep.equal([]);
  });

  it('tells nothing of another project', async () => {
    const reader = await listen();
    const elsewhere = await create(freshName('elsewhere'));
    const here = await create();

    await logPoint(elsewhere);
    await logPoint(here);

    await reader.until(({ data }) => data['run'] === here);
    expect(kindsOf(reader, elsewhere)).to.deep.equal([]);
  });

  it('tells that a run was deleted', async () => {
    const run = await create();
    const reader = await listen();

    await send(
      server.url,
      'GET',
      `${write}/experiment/delete`,
      { query: { experimentKey: run }, params: {} },
      people.home.apiKey,
    );

    const told = await reader.until(({ event, data }) => event === 'run' && data['gone'] === true);
    expect(told.data['run']).to.equal(run);
  });

  it('tells who comes back what was missed, by header or query', async () => {
    const run = await create();
    const first = await listen();
    await logPoint(run);
    const { id } = await first.until(({ event }) => event === 'points');
    first.close();

    const missed = await create();
    const again = await listen({}, { 'last-event-id': id });
    await again.until(({ data }) => data['run'] === missed);
    again.close();
    const byQuery = await listen({ after: id, forSeconds: '0' });
    await byQuery.end();

    expect(kindsOf(byQuery, missed)).to.include('run');
    expect(byQuery.events.some(({ event }) => event === 'resync')).to.equal(false);
  });

  it('tells who comes back too late to read everything again', async () => {
    const reader = await listen({ forSeconds: '0' }, { 'last-event-id': '1600000000000' });

    await reader.end();

    expect(reader.events.map(({ event }) => event)).to.deep.equal(['ready', 'resync']);
  });

  it('refuses an id that is none, too many runs, and a project of others, in a sentence', async () => {
    const [bad, foreign, unknown] = [
      await listen({}, { 'last-event-id': 'yesterday' }),
      await listen({}, { key: people.stranger.apiKey }),
      await listen({ runs: 'f'.repeat(32) }),
    ];

    expect([bad.status, foreign.status, unknown.status]).to.deep.equal([400, 404, 404]);
    expect(bad.body).to.include('Last-Event-ID must be the id of an event of this stream');
  });

  it('refuses more listeners of one user than the setting allows, and takes one again when another left', async () => {
    const three = [await listen(), await listen(), await listen()];

    const fourth = await listen();
    three[0]?.close();

    expect([fourth.status, fourth.body]).to.deep.equal([
      429,
      JSON.stringify({
        code: 429,
        message: 'a user may listen 3 times at once',
        errors: ['a user may listen 3 times at once'],
      }),
    ]);
    let status = 0;
    for (let tries = 0; tries < 50 && status !== 200; tries++) ({ status } = await listen());
    expect(status).to.equal(200);
  });

  it('ends by itself after the time that was asked for', async () => {
    const reader = await listen({ forSeconds: '1' });

    await reader.end(4000);
  });

  it('ends when the listener may no longer read the project', async () => {
    const reader = await listen({}, { key: people.viewer.apiKey });
    const { storage, close } = await openBeside(server);
    const project = await storage.stores.projects.findById(projectId);
    const viewer = (await storage.stores.members.listMembers(project?.workspaceId ?? '')).find(
      ({ userName }) => userName === people.viewer.name,
    );

    await storage.stores.members.removeRole(project?.workspaceId ?? '', viewer?.userId ?? '');
    await close();

    await reader.end(31_000);
  });
});
