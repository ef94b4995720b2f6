import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import {
  describeSelf,
  takeLock,
  type FolderLock,
  type LockHolder,
} from '#adapters/storage/embedded/lock';
import { isFailure } from '#ports/failure';
import { failureOf } from './rig.js';

describe('the lock of a data folder', () => {
  let folder: string;
  let path: string;
  const locks: FolderLock[] = [];
  const here = describeSelf();
  /** A process in another container of the same machine: our pid means nothing there, and its pid nothing here. */
  const elsewhere: LockHolder = {
    ...here,
    pid: 1,
    host: 'c0ffee',
    place: 'c0ffee another-boot pid:[1]',
  };
  const quick = { beatMs: 20, staleMs: 300 };

  const take = async (options: Parameters<typeof takeLock>[1] = {}): Promise<FolderLock> => {
    const lock = await takeLock(path, options);
    locks.push(lock);
    return lock;
  };
  const write = (holder: LockHolder, ageMs = 0): void => {
    writeFileSync(path, JSON.stringify(holder));
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
    path = join(folder, 'lock');
  });
  afterEach(async () => {
    for (const lock of locks.splice(0)) await lock.release();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused to a process of another container while the holder beats, and the lock of the holder stays as it was', async () => {
    write(elsewhere);
    const beating = setInterval(() => {
      writeFileSync(path, JSON.stringify(elsewhere));
    }, 50);

    const refused = await failureOf(takeLock(path, quick));
    clearInterval(beating);

    expect(isFailure(refused) && refused.kind).to.equal('conflict');
    expect((refused as Error).message).to.match(/pid 1 on c0ffee/);
    expect(JSON.parse(readFileSync(path, 'utf8'))).to.deep.equal(elsewhere);
  });

  it('is refused to a process of another container while this process holds it', async () => {
    await take({ beatMs: 20 });
    const before = readFileSync(path, 'utf8');
    const seenByOther = await takeAs(elsewhere, path);

    expect(isFailure(seenByOther) && seenByOther.kind).to.equal('conflict');
    expect(readFileSync(path, 'utf8')).to.equal(before);
  });

  it('is taken from a holder elsewhere only after it has gone without a beat for the whole time', async () => {
    write(elsewhere);
    const begun = performance.now();

    await take(quick);

    expect(performance.now() - begun).to.be.within(quick.staleMs - 30, quick.staleMs + 2000);
    expect(JSON.parse(readFileSync(path, 'utf8'))).to.deep.equal(here);
  });

  it('is taken at once from a holder elsewhere whose last beat is long ago, and from a dead one of this machine', async () => {
    const begun = performance.now();
    for (const holder of [elsewhere, { ...here, pid: 4_194_300 }]) {
      write(holder, holder === elsewhere ? 3_600_000 : 0);
      await (await take()).release();
    }

    expect(performance.now() - begun).to.be.below(2000);
  });

  it('tells its holder that it was lost, and is not removed by it then', async () => {
    const lock = await take({ beatMs: 20 });
    write(elsewhere);

    await lock.lost;
    await lock.release();

    expect(JSON.parse(readFileSync(path, 'utf8'))).to.deep.equal(elsewhere);
  });

  it('comes back when its file was removed by hand, and goes with its release', async () => {
    const lock = await take({ beatMs: 20 });
    rmSync(path);
    await pause(200);
    expect(existsSync(path)).to.equal(true);

    await lock.release();

    expect(existsSync(path)).to.equal(false);
  });
});

/** What a process elsewhere meets: another spelling of the path, since this process knows the locks that it holds by theirs. */
const takeAs = (self: LockHolder, path: string): Promise<unknown> =>
  failureOf(takeLock(path.replace(/\/lock$/, '//lock'), { self, staleMs: 300, beatMs: 20 }));
