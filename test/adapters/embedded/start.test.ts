import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ask, failureOf, makeFolder, open, serverPid, sweep } from './rig.js';

const isRoot = process.getuid?.() === 0;

describe('embedded Postgres: start and stop', function () {
  this.timeout(20_000);
  let folder: string;
  before(() => {
    folder = makeFolder();
  });
  after(() => sweep());

  it('makes a database in UTF8 with builtin collation, durable, reachable by password over its socket only', async () => {
    const server = await open(folder);

    expect(server.started).to.equal(true);
    expect(server.state()).to.equal('running');
    const [row] = await ask(
      server,
      `select current_database() as name, pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
        current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync, current_setting('max_wal_size') as wal,
        current_setting('password_encryption') as password from pg_database where datname = current_database()`,
    );
    expect(row).to.deep.equal({
      name: 'orrery',
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
      addresses: '',
      fsync: 'on',
      wal: '256MB',
      password: 'scram-sha-256',
    });
    const wrong = await failureOf(
      ask({ connection: { ...server.connection, password: 'another' } }, 'select 1'),
    );
    expect(wrong).to.have.property('code', '28P01');
    await server.stop();
  });

  it('closes the socket folder and the password to others, and gives the password to its own user', async () => {
    const server = await open(folder);

    expect(statSync(server.connection.host).mode & 0o777).to.equal(0o700);
    const password = statSync(join(folder, 'password'));
    expect([password.mode & 0o777, password.uid]).to.deep.equal([0o600, process.getuid?.()]);
    await server.stop();
  });

  (isRoot ? it : it.skip)(
    `runs as nobody when started by root${isRoot ? '' : ' (pending: only root can show it)'}`,
    async () => {
      const server = await open(folder);

      expect(statSync(join(folder, 'cluster')).uid).to.equal(65534);
      expect(statSync(`/proc/${String(serverPid(folder))}`).uid).to.equal(65534);
      await server.stop();
    },
  );

  it('keeps rows over a stop and a second start', async () => {
    const first = await open(folder);
    await ask(first, 'create table kept (id int)');
    await ask(first, 'insert into kept values (7)');
    await first.stop();

    const second = await open(folder);

    expect(await ask(second, 'select id from kept')).to.deep.equal([{ id: 7 }]);
    await second.stop();
    expect(second.state()).to.equal('stopped');
    expect(await failureOf(ask(second, 'select 1'))).to.be.instanceOf(Error);
  });

  it('refuses a second server on one folder in a sentence that names the first', async () => {
    const first = await open(folder);

    const refused = await failureOf(open(folder));

    expect(refused).to.include({
      kind: 'conflict',
      message: `another Orrery (pid ${String(process.pid)}) already serves ${folder}`,
    });
    expect(await ask(first, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await first.stop();
  });

  it('lets a command connect to the running server and leaves it running', async () => {
    const server = await open(folder);

    const attached = await open(folder, { attachOnly: true });

    expect(attached.started).to.equal(false);
    expect(await ask(attached, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await attached.stop();
    expect(await ask(server, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await server.stop();
  });

  it('tells a command that no server runs', async () => {
    const refused = await failureOf(open(folder, { attachOnly: true }));

    expect(refused).to.include({ kind: 'unavailable' });
  });

  it('closes a cluster that was left open to others', async () => {
    chmodSync(join(folder, 'cluster'), 0o755);

    const server = await open(folder);

    expect(statSync(join(folder, 'cluster')).mode & 0o777).to.equal(0o700);
    await server.stop();
  });

  it('refuses a folder of another major version in a sentence', async () => {
    const file = join(folder, 'cluster', 'PG_VERSION');
    const kept = readFileSync(file, 'utf8');
    writeFileSync(file, '15\n');

    const refused = await failureOf(open(folder));

    writeFileSync(file, kept);
    expect(refused).to.include({
      kind: 'conflict',
      message: `data folder ${join(folder, 'cluster')} belongs to Postgres 15 and the programs are Postgres 18`,
    });
  });
});
