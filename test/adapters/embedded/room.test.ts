import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { EmbeddedPostgres } from '#adapters/storage/embedded/supervisor';
import { ask, failureOf, makeFolder, open, sweep, until } from './rig.js';

/** Mounts a small disk of its own; `undefined` where that is not allowed. */
const mountDisk = (megabytes: number): string | undefined => {
  const disk = makeFolder('disk');
  mkdirSync(disk);
  try {
    execFileSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${String(megabytes)}m,mode=755`, 'tmpfs', disk],
      { stdio: 'ignore' },
    );
    return disk;
  } catch {
    return undefined;
  }
};

const unmount = (disk: string): void => {
  execFileSync('umount', [disk]);
};

const trial = mountDisk(1);
if (trial !== undefined) unmount(trial);
const withDisk = trial === undefined ? it.skip : it;
const needsDisk = trial === undefined ? ' (pending: a small disk cannot be mounted here)' : '';

describe('embedded Postgres: a full disk', function () {
  this.timeout(30_000);
  let disk: string | undefined;
  afterEach(async () => {
    await sweep(() => {
      if (disk !== undefined) unmount(disk);
      disk = undefined;
    });
  });

  withDisk(
    `refuses to make a database where there is no room for one, and leaves nothing behind${needsDisk}`,
    async () => {
      disk = mountDisk(24) ?? '';

      const refused = await failureOf(open(join(disk, 'postgres')));

      expect(refused)
        .to.include({ kind: 'unavailable' })
        .and.to.have.property('message')
        .that.matches(/has 2\d MB free and the database needs 200 MB$/);
      expect(existsSync(join(disk, 'postgres', 'cluster'))).to.equal(false);
    },
  );

  withDisk(
    `says so while the disk is full, and is back with every committed row once there is room${needsDisk}`,
    async () => {
      disk = mountDisk(320) ?? '';
      const server = await open(join(disk, 'postgres'));
      await ask(server, 'create table kept (id int, filler text)');
      const ballast = join(disk, 'postgres', 'ballast');
      await until(() => existsSync(ballast) && statSync(ballast).size === ballastBytes);

      writeFileSync(join(disk, 'hog'), Buffer.alloc(roomIn(disk) - 8 * 1024 ** 2));
      const committed = await writeUntilRefused(server);

      await until(() => server.state() === 'disk full');
      await until(() => !existsSync(ballast));
      await until(() =>
        ask(server, 'select 1').then(
          () => true,
          () => false,
        ),
      );
      expect(server.state()).to.equal('disk full');
      expect(await count(server)).to.equal(committed);

      rmSync(join(disk, 'hog'));
      await until(() => server.state() === 'running');
      await ask(server, `insert into kept values (-1, '')`);
      expect(await count(server)).to.equal(committed + 1);
      await until(() => existsSync(ballast) && statSync(ballast).size === ballastBytes);
      await server.stop();
    },
  );
});

const ballastBytes = 32 * 1024 ** 2;

const roomIn = (disk: string): number => {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
};

/** Commits rows with a megabyte of log each, which ends the server once its log finds no room; answers with how many it has acknowledged. */
const writeUntilRefused = async (server: EmbeddedPostgres): Promise<number> => {
  for (let committed = 0; ; committed += 1) {
    try {
      await ask(
        server,
        `insert into kept select ${String(committed)}, pg_logical_emit_message(true, 'filler', repeat('x', 1000000))::text`,
      );
    } catch {
      return committed;
    }
  }
};

const count = async (server: EmbeddedPostgres): Promise<number> => {
  const [row] = (await ask(server, 'select count(*)::int as rows from kept')) as readonly {
    readonly rows: number;
  }[]; // as selected
  return row?.rows ?? -1;
};
