// Several processes on one database, a stop that loses nothing, and a database that goes away and comes back.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { makeDatabase, type TestDatabase } from '#test/servers/databases';
import { findServer } from '#test/servers/servers';
import { pendingUnlessAll } from '#test/pending';
import {
  callJson,
  createExperiment,
  databasePid,
  mortalServer,
  type MortalServer,
} from './server.js';

const cli = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'config', 'cli.js');
const logPoint = (server: MortalServer, experimentKey: string, metricValue: string) =>
  callJson(server, '/api/rest/v2/write/experiment/metric', {
    experimentKey,
    metricName: 'loss',
    metricValue,
    timestamp: 1_700_000_000_000,
  });
const readPoints = async (server: MortalServer, experimentKey: string) => {
  const { status, body } = await callJson(
    server,
    `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${experimentKey}&metricName=loss`,
  );
  expect(status, JSON.stringify(body)).to.equal(200);
  return (body['metrics'] as { metricValue: string }[]).map((point) => point.metricValue);
};

describe('one server process', function () {
  this.timeout(90_000);
  let server: MortalServer;
  beforeEach(async () => {
    server = await mortalServer();
  });
  afterEach(() => server.destroy());

  it('finishes what it has read when it is told to stop, and exits with 0', async () => {
    await server.start();
    const key = await createExperiment(server);
    const sent = Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        logPoint(server, key, String(i)).then(
          (reply) => ({ i, status: reply.status }),
          () => ({ i, status: 0 }),
        ),
      ),
    );

    await wait(5);
    const code = await server.stop();

    const answered = (await sent).filter((one) => one.status === 200).map((one) => String(one.i));
    expect(code).to.equal(0);
    expect(databasePid(server.data)).to.equal(undefined);
    await server.start();
    expect(await readPoints(server, key)).to.include.members(answered);
  });

  it('prints the secrets that it made at the first start and never again, and none that were chosen', async () => {
    const fresh = await mortalServer({ ORRERY_ADMIN_API_KEY: '' });
    try {
      await fresh.start();
      await fresh.stop();
      const first = fresh.output();
      const [, password = ''] = /password +(\S+)/.exec(first) ?? [];
      const [, apiKey = ''] = /COMET_API_KEY='([^']+)'/.exec(first) ?? [];
      await fresh.start();

      const second = fresh.output().slice(first.length);

      expect(password.length).to.be.at.least(12);
      expect(apiKey.split('*')[0]).to.have.length(25);
      expect(first).to.include('COMET_URL_OVERRIDE').and.to.include('COMET_WORKSPACE');
      expect(second)
        .to.include('Orrery is at')
        .and.not.to.match(/password|COMET_API_KEY/);
      for (const secret of [password, apiKey]) expect(second).to.not.include(secret);
    } finally {
      await fresh.destroy();
    }
    await server.start();
    expect(server.output()).to.include('COMET_API_KEY').and.to.not.include(server.key);
  });

  it('names the port that it really listens on in keys, also where a free one was asked for', async () => {
    const fresh = await mortalServer({
      ORRERY_ADMIN_API_KEY: '',
      ORRERY_PORT: '0',
      ORRERY_BASE_URL: '',
    });
    try {
      const started = fresh.start().catch(() => undefined); // its own port is not the one that is asked for readiness
      let printed: string | undefined;
      for (let tries = 0; tries < 300 && printed === undefined; tries++) {
        await wait(100);
        printed = /COMET_API_KEY='([^']+)'/.exec(fresh.output())?.[1];
      }
      const address = /Orrery is at (\S+)/.exec(fresh.output())?.[1];

      expect(
        JSON.parse(Buffer.from(printed?.split('*')[1] ?? '', 'base64').toString()),
      ).to.deep.equal({ baseUrl: address });
      expect((await fetch(`${address ?? ''}/health/ready`)).status).to.equal(200);
      await fresh.stop();
      await started;
    } finally {
      await fresh.destroy();
    }
  });

  it('refuses a second server on its data folder in one sentence', async () => {
    await server.start();
    const second = await mortalServer({}, server.data);

    expect(await second.startToEnd()).to.equal(1);
    expect(second.output().trim().split('\n').at(-1)).to.match(
      /^Orrery cannot start: .*another Orrery/,
    );
    expect((await fetch(`${server.url}/health/ready`)).status).to.equal(200);
  });

  it('adopts the database of a server that was killed', async () => {
    await server.start();
    const key = await createExperiment(server);
    await logPoint(server, key, '1');
    await server.kill(false);
    await server.start();

    expect(await readPoints(server, key)).to.deep.equal(['1']);
  });

  it('waits for its database while that starts again, without losing a point', async () => {
    await server.start();
    const key = await createExperiment(server);
    process.kill(databasePid(server.data) ?? 0, 'SIGKILL');

    const statuses = [];
    for (let i = 0; i < 200 && statuses.filter((status) => status === 200).length < 3; i++) {
      const { status, headers } = await logPoint(server, key, `v${i}x`);
      statuses.push(status);
      if (status !== 200)
        expect([
          status,
          headers.get('retry-after') !== null,
          headers.get('retry-after-custom') !== null,
        ]).to.deep.equal([429, true, true]);
      await wait(100);
    }

    const acknowledged = statuses.flatMap((status, i) => (status === 200 ? [`v${i}x`] : []));
    expect(acknowledged.length).to.be.at.least(3);
    const stored = await readPoints(server, key);
    expect(stored).to.include.members(acknowledged);
    expect(new Set(stored).size).to.equal(stored.length);
  });

  it('lets commands work beside it', async () => {
    await server.start();
    const orrery = (...words: readonly string[]) =>
      spawnSync(process.execPath, [cli, ...words], {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          ORRERY_DATA: server.data,
          ORRERY_ADMIN_API_KEY: 'hidden-secret-key',
          ORRERY_LOG_LEVEL: 'silent',
        },
      });

    const added = orrery('user', 'add', 'second', '--workspace', 'faults');
    const made = JSON.parse(added.stdout) as { user: string; apiKey: string; workspace: string };
    const check = orrery('check');
    const settings = orrery('settings');

    expect([made.user, made.workspace]).to.deep.equal(['second', 'faults']);
    expect(
      (await callJson({ url: server.url, key: made.apiKey }, '/api/rest/v2/account-details')).body,
    ).to.include({ userName: 'second', defaultWorkspaceName: 'faults' });
    expect([
      check.status,
      check.stdout.split('\n').filter((line) => line.startsWith('FAILED')),
    ]).to.deep.equal([0, []]);
    expect(settings.stdout)
      .to.include(`ORRERY_DATA = ${server.data} (environment)`)
      .and.not.to.include('hidden-secret-key');
    expect(orrery('user', 'add', 'second').stderr).to.match(
      /^orrery: user second exists already$/m,
    );
  });

  it('serves from two workers, restarts one that dies, and ends with its supervisor', async () => {
    await server.destroy();
    server = await mortalServer({ ORRERY_WORKERS: '2', ORRERY_LOG_LEVEL: 'info' });
    await server.start();
    const key = await createExperiment(server);
    for (const { status, body } of await Promise.all(
      Array.from({ length: 100 }, (_, i) => logPoint(server, key, String(i))),
    ))
      expect(status, JSON.stringify(body)).to.equal(200);
    expect((await readPoints(server, key)).map(Number).sort((a, b) => a - b)).to.deep.equal(
      Array.from({ length: 100 }, (_, i) => i),
    );

    const children = () =>
      readFileSync(`/proc/${server.pid()}/task/${server.pid()}/children`, 'utf8')
        .trim()
        .split(' ')
        .map(Number)
        .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.js'));
    const [victim] = children();
    process.kill(victim ?? 0, 'SIGKILL');
    for (
      let tries = 0;
      tries < 100 && (children().includes(victim ?? 0) || children().length < 2);
      tries++
    )
      await wait(100);
    expect(children()).to.have.length(2);
    expect((await logPoint(server, key, 'after')).status).to.equal(200);
    expect(await server.stop()).to.equal(0);
  });
});

for (const kind of ['postgres', 'mysql'] as const) {
  describe(`two server processes on one ${kind}`, function () {
    this.timeout(90_000);
    let database: TestDatabase | undefined;
    const servers: MortalServer[] = [];
    before(async function () {
      const found = await findServer(kind);
      if ('missing' in found) return pendingUnlessAll(this, found.missing);
      database = await makeDatabase(found.url);
      for (let i = 0; i < 2; i++)
        servers.push(
          await mortalServer({
            ORRERY_STORAGE: kind,
            [`ORRERY_${kind.toUpperCase()}_URL`]: database.url,
          }),
        );
      await Promise.all(servers.map((server) => server.start()));
    });
    after(async () => {
      for (const server of servers) await server.destroy();
      await database?.remove();
    });

    it("set up one database at the same time, and know each other's data", async () => {
      const [one, two] = servers as [MortalServer, MortalServer];
      const key = await createExperiment(one);

      await Promise.all(
        servers.flatMap((server, s) =>
          Array.from({ length: 100 }, (_, i) => logPoint(server, key, `${s}.${i}x`)),
        ),
      );

      for (const server of [one, two])
        expect(new Set(await readPoints(server, key)).size).to.equal(200);
    });

    it('forget a revoked role within five seconds on the other process', async () => {
      const [one, two] = servers as [MortalServer, MortalServer];
      const run = (...words: readonly string[]) =>
        spawnSync(process.execPath, [cli, ...words], {
          encoding: 'utf8',
          env: {
            PATH: process.env['PATH'],
            ORRERY_DATA: one.data,
            ORRERY_STORAGE: kind,
            [`ORRERY_${kind.toUpperCase()}_URL`]: database?.url,
            ORRERY_LOG_LEVEL: 'silent',
          },
        });
      const { apiKey } = JSON.parse(run('user', 'add', `guest-${kind}`).stdout) as {
        apiKey: string;
      };

      for (const server of [one, two])
        expect(
          (await callJson({ url: server.url, key: apiKey }, '/api/rest/v2/workspaces')).body[
            'workspaceNames'
          ],
        ).to.deep.equal([`guest-${kind}`]);
      const guest = { url: one.url, key: apiKey };
      await callJson(guest, '/api/rest/v2/write/workspace/new', { name: `new-${kind}` });

      expect((await callJson(guest, '/api/rest/v2/workspaces')).body['workspaceNames']).to.include(
        `new-${kind}`,
      );
      const until = Date.now() + 6000;
      let names: unknown = [];
      while (Date.now() < until && !(names as string[]).includes(`new-${kind}`)) {
        names = (await callJson({ url: two.url, key: apiKey }, '/api/rest/v2/workspaces')).body[
          'workspaceNames'
        ];
        await wait(200);
      }
      expect(names).to.include(`new-${kind}`);
    });

    it('know no revoked key after five seconds', async () => {
      const [one, two] = servers as [MortalServer, MortalServer];
      const { body } = await callJson(one, '/api/auth/keys', { name: `short-${kind}` });
      const guest = { url: two.url, key: String(body['apiKey']) };
      expect((await callJson(guest, '/api/rest/v2/workspaces')).status).to.equal(200);

      await fetch(`${one.url}/api/auth/keys/${String(body['keyId'])}`, {
        method: 'DELETE',
        headers: { authorization: one.key },
      });

      expect(
        (await callJson({ url: one.url, key: guest.key }, '/api/rest/v2/workspaces')).status,
      ).to.equal(401);
      const revokedAt = Date.now();
      while (
        (await callJson(guest, '/api/rest/v2/workspaces')).status === 200 &&
        Date.now() - revokedAt < 10_000
      )
        await wait(50);
      expect(Date.now() - revokedAt).to.be.below(5000);
    });

    it('goes on in the other process when one is killed', async () => {
      const [one, two] = servers as [MortalServer, MortalServer];
      const key = await createExperiment(one);
      await logPoint(one, key, '1');
      await one.kill(false);

      expect((await logPoint(two, key, '2')).status).to.equal(200);
      await one.start();
      expect(await readPoints(one, key)).to.deep.equal(['1', '2']);
    });
  });
}
