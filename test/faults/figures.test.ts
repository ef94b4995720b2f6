// What several serving processes tell of themselves: one scrape is of all of them, and what happens to them is logged.
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { mortalServer, type MortalServer } from './server.js';

const token = 'token-of-the-scraper';

/** Processes that were forked from one, on Linux. */
const workersOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter(
      (child) =>
        existsSync(`/proc/${child}/cmdline`) &&
        readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.js'),
    );

describe('figures of two serving processes', function () {
  this.timeout(120_000);
  let server: MortalServer;
  before(async () => {
    server = await mortalServer({
      ORRERY_WORKERS: '2',
      ORRERY_METRICS_TOKEN: token,
      ORRERY_LOG_LEVEL: 'info',
    });
    await server.start();
  });
  after(() => server.destroy());

  /** Each over a connection of its own, so that both processes are reached. */
  const ask = (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        server.url + path,
        {
          agent: false,
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            ...headers,
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          },
        },
        (reply) => {
          let text = '';
          reply.on('data', (piece: Buffer) => {
            text += piece.toString();
          });
          reply.on('end', () => {
            resolve({ status: reply.statusCode ?? 0, text });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  const scrape = async (): Promise<string> =>
    (await ask('/metrics', { Authorization: `Bearer ${token}` })).text;
  const valueOf = (text: string, start: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(start))
        ?.split(' ')
        .at(-1),
    );

  it('are added up, whichever process is asked', async () => {
    for (let i = 0; i < 30; i++) expect((await ask('/health/live')).status).to.equal(200);
    for (let i = 0; i < 3; i++)
      await ask(
        '/api/auth/sign-in',
        {},
        JSON.stringify({ name: 'nobody', password: 'a wrong one' }),
      );

    const scrapes: string[] = [];
    for (let i = 0; i < 6; i++) scrapes.push(await scrape());

    for (const text of scrapes) {
      expect(valueOf(text, 'orrery_request_seconds_count{operation="isLive"')).to.equal(30);
      expect(valueOf(text, 'orrery_sign_in_failures')).to.equal(3);
    }
  });

  it('tell what is stored once, what is running, and the room that is left', async () => {
    const text = await scrape();

    expect([
      valueOf(text, 'orrery_users'),
      valueOf(text, 'orrery_experiments'),
      valueOf(text, 'orrery_blob_bytes'),
    ]).to.deep.equal([1, 0, 0]);
    expect(text).to.match(/orrery_build_info\{version="\d+\.\d+\.\d+",node="v\d+[^"]*"\} 1/);
    expect(valueOf(text, 'orrery_disk_free_bytes')).to.be.above(1_000_000);
    expect(text)
      .to.match(/process_cpu_seconds_total/)
      .and.to.match(/orrery_database_connections/);
  });

  it('are for who brings their token', async () => {
    expect((await ask('/metrics')).status).to.equal(401);
    expect((await ask('/metrics', { Authorization: 'Bearer another' })).status).to.equal(401);
    expect((await ask('/metrics', { Authorization: token })).status).to.equal(401);
    expect((await ask('/metrics', { Authorization: `Bearer ${token}` })).status).to.equal(200);
  });

  const logged = (): readonly Readonly<Record<string, unknown>>[] =>
    server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

  it('come with a log that says why and from where a request was refused, and not what it held', async () => {
    await ask(
      '/api/auth/sign-in',
      {},
      JSON.stringify({ name: 'somebody@example.org', password: 'hunter2-and-more' }),
    );
    await ask('/api/rest/v2/experiment/metadata?experimentKey=veryownkey');
    await ask('/nowhere/in/any/of/them');
    await wait(200);

    const refused = logged()
      .filter(({ msg, reason }) => msg === 'request' && reason !== undefined)
      .slice(-3);
    expect(
      refused.map(({ operation, status, reason, address }) => [operation, status, reason, address]),
    ).to.have.deep.members([
      ['signIn', 401, 'unauthenticated', '127.0.0.1'],
      ['getMetadata', 401, 'unauthenticated', '127.0.0.1'],
      ['none', 404, 'absent', '127.0.0.1'],
    ]);
    expect(server.output()).to.not.match(/hunter2|somebody@|veryownkey/);
  });

  const onLinux = process.platform === 'linux';
  (onLinux ? it : it.skip)(
    `tell of a process that ended, which is started again${onLinux ? '' : ' (pending: the processes of a server are found on Linux only)'}`,
    async () => {
      const worker = workersOf(server.pid())[0] ?? 0;
      expect(worker).to.be.above(1);
      process.kill(worker, 'SIGKILL');
      for (
        let tries = 0;
        tries < 100 &&
        !logged().some(({ msg }) => msg === 'a serving process ended and is started again');
        tries++
      )
        await wait(100);

      expect(
        logged().find(({ msg }) => msg === 'a serving process ended and is started again'),
      ).to.deep.include({ pid: worker, signal: 'SIGKILL', level: 50 });
      for (let tries = 0; tries < 100 && workersOf(server.pid()).length < 2; tries++)
        await wait(100);
      expect(valueOf(await scrape(), 'orrery_users')).to.equal(1);
    },
  );
});
