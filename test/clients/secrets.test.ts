import { expect } from 'chai';
import { openStorage } from '#config/opening';
import { loadSettings } from '#config/load';
import { freshName } from '#test/api/fresh';
import { makePeople } from '#test/api/people';
import { checkNothingStored, findStored, neverStored } from './secrets.js';
import { startServer, type StartedServer } from './server.js';

const start = async (env: Readonly<Record<string, string>> = {}): Promise<StartedServer> => {
  const started = await startServer({ storage: 'embedded', env });
  if ('missing' in started) throw new Error(started.missing);
  return started;
};
const write = (server: StartedServer, path: string, body: unknown): Promise<Response> =>
  fetch(`${server.url}/api/rest/v2/write${path}`, {
    method: 'POST',
    headers: { authorization: server.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const failureOf = (work: Promise<void>): Promise<string> =>
  work.then(
    () => 'none',
    (thrown: Error) => thrown.message,
  );

describe('the search for secrets in what is stored', () => {
  let server: StartedServer;
  before(async () => {
    server = await start({ ORRERY_ADMIN_PASSWORD: 'velvet-Harbor-92-quill' });
  });
  after(async () => {
    await server?.stop().catch(() => undefined);
  }); // a secret lies there, as the last case wants it

  it('finds nothing where people only signed in and logged, in little time', async () => {
    await makePeople(server);
    const startedAt = Date.now();

    expect(await failureOf(checkNothingStored(server.settings))).to.equal('none');

    expect(Date.now() - startedAt).to.be.below(2000);
  });

  it('tells the table and column of a planted one, in text, in JSON and in bytes', async () => {
    const opened = await openStorage(loadSettings(server.settings), false);
    const { db } = opened.storage.connection;
    try {
      await db.raw('create table planted (a text, b jsonb, c bytea, d varchar(80))');
      for (const [column, value] of [
        ['a', 'x the-secret-itself y'],
        ['b', '{"k": ["the-secret-itself"]}'],
        ['c', Buffer.from('\0the-secret-itself')],
        ['d', 'the-secret'],
      ] as const)
        await db('planted').insert({ [column]: value });

      expect(await findStored(opened.storage, new Set(['the-secret-itself']))).to.deep.equal([
        'planted.a',
        'planted.b',
        'planted.c',
      ]);
    } finally {
      await db.raw('drop table if exists planted');
      await opened.storage.close();
      await opened.stop();
    }
  });

  it("takes the administrator's key and password, and what was registered, for secrets, and fails the end of the server", async () => {
    await write(server, '/experiment/create', { projectName: 'p' });
    const [secret, key] = [neverStored(freshName('registered')), `${freshName('key')}*suffix`];
    neverStored(key);
    for (const text of [
      server.settings['ORRERY_ADMIN_PASSWORD'],
      server.apiKey,
      secret,
      key.split('*')[0],
    ]) {
      const made = (await (
        await write(server, '/project/create', {
          projectName: freshName('p'),
          projectDescription: `it is ${text ?? ''}`,
        })
      ).json()) as { readonly projectId: string }; // the row's reply
      expect(await failureOf(checkNothingStored(server.settings)), text).to.match(
        /^secrets of this run are stored as they are, in projects\.description\b/,
      );
      await write(server, '/project/update', {
        projectId: made.projectId,
        newProjectDescription: 'nothing',
      });
      expect(await failureOf(checkNothingStored(server.settings)), text).to.equal('none');
    }
    await write(server, '/project/create', { projectName: 'last', projectDescription: secret });

    expect(await failureOf(server.stop())).to.include('projects.description');
  });
});
