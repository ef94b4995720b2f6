import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { findPrograms } from '#adapters/storage/embedded/binaries';
import { describeSelf } from '#adapters/storage/embedded/lock';
import { findRunning } from '#adapters/storage/embedded/start';
import { chooseIdentity } from '#adapters/storage/embedded/identity';
import { locate } from '#adapters/storage/embedded/places';
import { openRunner } from '#adapters/storage/embedded/runner';
import {
  ask,
  failureOf,
  isGone,
  makeFolder,
  open,
  serverPid,
  startOwner,
  sweep,
  until,
} from './rig.js';

const hasNamespaces =
  spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;
const hasSetpriv = existsSync('/usr/bin/setpriv');

describe('embedded Postgres: processes that die or stand in the way', function () {
  this.timeout(30_000);
  let folder: string;
  let pidFile: string;
  before(async () => {
    folder = makeFolder();
    pidFile = join(folder, 'cluster', 'postmaster.pid');
    const server = await open(folder);
    await ask(server, 'create table kept (id int)');
    await server.stop();
  });
  after(() => sweep());

  it('starts the server again when it is killed, at the same address and with every committed row', async () => {
    const server = await open(folder);
    await ask(server, 'insert into kept values (1)');
    const first = serverPid(folder);

    process.kill(first, 'SIGKILL');

    await until(() => server.state() === 'restarting');
    await until(() => server.state() === 'running');
    expect(serverPid(folder)).not.to.equal(first);
    expect(await ask(server, 'select id from kept')).to.deep.equal([{ id: 1 }]);
    await server.stop();
    expect(existsSync(pidFile)).to.equal(false);
  });

  it('ends a server that is only being restarted, too', async () => {
    const server = await open(folder);
    process.kill(serverPid(folder), 'SIGKILL');
    await until(() => server.state() === 'restarting');

    await server.stop();

    expect(existsSync(pidFile) && !isGone(serverPid(folder))).to.equal(false);
  });

  it('tells another process, in a sentence, which one serves the folder', async () => {
    const owner = await startOwner(folder);

    const refused = await failureOf(open(folder));

    expect(refused).to.include({
      kind: 'conflict',
      message: `another Orrery (pid ${String(owner.pid)}) already serves ${folder}`,
    });
    await owner.end('SIGTERM');
    expect(existsSync(pidFile)).to.equal(false);
  });

  (hasNamespaces ? it : it.skip)(
    `refuses a process of another pid namespace, which cannot see this one, and leaves its lock and pid file alone${hasNamespaces ? '' : ' (pending: this user may not make namespaces)'}`,
    async () => {
      const server = await open(folder);
      const before = [join(folder, 'lock'), pidFile].map((path) => readFileSync(path, 'utf8'));

      const other = await startOwner(folder, {
        through: ['unshare', '--pid', '--fork', '--mount-proc'],
      });

      expect(other.said.kind).to.equal('conflict');
      expect(
        [join(folder, 'lock'), pidFile].map((path) => readFileSync(path, 'utf8')),
      ).to.deep.equal(before);
      expect(await ask(server, 'select count(*)::int as rows from kept')).to.deep.equal([
        { rows: 1 },
      ]);
      await server.stop();
    },
  );

  it('lets exactly one of two serve that start at the same instant', async () => {
    const both = await Promise.all([startOwner(folder), startOwner(folder)]);

    expect(both.map(({ said }) => said.kind ?? 'serves').toSorted()).to.deep.equal([
      'conflict',
      'serves',
    ]);
    for (const owner of both) await owner.end('SIGTERM');
  });

  (hasSetpriv ? it : it.skip)(
    `ends cleanly when its process is killed${hasSetpriv ? '' : ' (pending: the system has no setpriv)'}`,
    async () => {
      const owner = await startOwner(folder);
      const server = serverPid(folder);

      await owner.end('SIGKILL');

      await until(() => isGone(server));
      expect(existsSync(pidFile)).to.equal(false);
    },
  );

  it('serves again at once after its process was killed', async () => {
    const owner = await startOwner(folder);
    await owner.end('SIGKILL');

    const next = await open(folder);

    expect(await ask(next, 'select count(*)::int as rows from kept')).to.deep.equal([{ rows: 1 }]);
    await next.stop();
  });

  it('takes over a server that was left running, watches over it and ends it', async () => {
    const left = await leaveServer(folder);
    const server = await open(folder);

    expect([server.started, serverPid(folder)]).to.deep.equal([false, left]);
    expect(await ask(server, 'select count(*)::int as rows from kept')).to.deep.equal([
      { rows: 1 },
    ]);
    process.kill(left, 'SIGKILL');
    await until(() => server.state() === 'restarting');
    await until(() => server.state() === 'running');
    expect(serverPid(folder)).not.to.equal(left);
    await server.stop();

    const again = await leaveServer(folder);
    const next = await open(folder);
    await next.stop();
    expect(isGone(again)).to.equal(true);
  });

  for (const [whose, text] of Object.entries({
    'a dead process': '4194300',
    'the first process': '1',
    nobody: '',
  })) {
    it(`starts over a pid file left behind that names ${whose}`, async () => {
      writeFileSync(
        pidFile,
        text === '' ? '' : `${text}\n${join(folder, 'cluster')}\n1\n5432\n${join(folder, 'run')}\n`,
      );

      const server = await open(folder);

      expect(server.started).to.equal(true);
      await server.stop();
    });
  }

  it('starts over a pid file left behind that names another program of the same user', async () => {
    const other = await standIn(folder, 'sleep', '/');
    writeFileSync(
      pidFile,
      `${String(other.pid)}\n${join(folder, 'cluster')}\n1\n5432\n${join(folder, 'run')}\n`,
    );

    const server = await open(folder);

    expect(server.started).to.equal(true);
    expect(isGone(other.pid ?? 0)).to.equal(false);
    await server.stop();
    await endChild(other);
  });

  it('names a live Postgres that holds the folder and does not answer', async () => {
    const other = await standIn(folder, 'postgres', join(folder, 'cluster'));
    writeFileSync(
      pidFile,
      `${String(other.pid)}\n${join(folder, 'cluster')}\n1\n5432\n${join(folder, 'run')}\n`,
    );

    const refused = await failureOf(
      findRunning(
        join(folder, 'cluster'),
        (host) => ({ host, port: 5432, user: 'orrery', password: '', database: 'orrery' }),
        200,
      ),
    );

    expect(refused)
      .to.include({ kind: 'conflict' })
      .and.to.have.property('message')
      .that.includes(`pid ${String(other.pid)}`);
    await endChild(other);
    rmSync(pidFile);
  });

  it('does not take a lock for held that a dead process, or a later one of the same pid, left behind', async () => {
    const here = describeSelf();
    for (const left of [
      { ...here, pid: 4_194_300 },
      { ...here, pid: process.ppid, beginning: 'since 5' },
    ]) {
      writeFileSync(join(folder, 'lock'), JSON.stringify(left));

      const server = await open(folder);

      expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).to.deep.equal(here);
      await server.stop();
    }
    expect(existsSync(join(folder, 'lock'))).to.equal(false);
  });

  it('makes the database again when the first start was cut short', async () => {
    const fresh = makeFolder();
    mkdirSync(join(fresh, 'cluster.making', 'base'), { recursive: true });
    writeFileSync(join(fresh, 'cluster.making', 'PG_VERSION'), '18\n');

    const server = await open(fresh);

    expect(await ask(server, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    expect(existsSync(join(fresh, 'cluster.making'))).to.equal(false);
    await server.stop();
  });
});

/** A server whose process is gone, as on a system that cannot tie the two together; answers with its pid. */
const leaveServer = async (folder: string): Promise<number> => {
  const places = locate(folder);
  const runner = await openRunner(places, await chooseIdentity(places.cluster));
  const { postgres, environment } = await findPrograms({ places, runner });
  mkdirSync(places.sockets, { recursive: true, mode: 0o700 });
  if (runner.identity) chownSync(places.sockets, runner.identity.uid, runner.identity.gid);
  const child = spawn(
    postgres,
    ['-D', places.cluster, '-k', places.sockets, '-c', 'listen_addresses='],
    { env: environment, stdio: 'ignore', detached: true, ...runner.spawnAs },
  );
  child.unref();
  await until(
    () =>
      existsSync(join(places.cluster, 'postmaster.pid')) &&
      /ready/.test(readFileSync(join(places.cluster, 'postmaster.pid'), 'utf8')),
  );
  return child.pid ?? 0;
};

/** A live program of the database's user that is called `name`. */
const standIn = async (folder: string, name: string, cwd: string): Promise<ChildProcess> => {
  const program = join(folder, name);
  copyFileSync('/bin/sleep', program);
  const { uid, gid } = statSync(join(folder, 'cluster'));
  const child = spawn(program, ['60'], { cwd, stdio: 'ignore', uid, gid });
  await once(child, 'spawn');
  await until(() => readFileSync(`/proc/${String(child.pid)}/comm`, 'utf8').trim() === name);
  return child;
};

const endChild = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};
