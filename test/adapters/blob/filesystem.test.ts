import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { filesystemBlob } from '#adapters/blob/filesystem/filesystem-blob';

const run = promisify(execFile);

describe('blobs in a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orrery-blob-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const incoming = () => readdir(join(folder, 'incoming'));
  const leave = async (name: string): Promise<string> => {
    await mkdir(join(folder, 'incoming'), { recursive: true });
    await writeFile(join(folder, 'incoming', name), 'half');
    return name;
  };

  it('spreads the assets of a workspace over folders', async () => {
    const blob = await filesystemBlob({ folder });

    await blob.put('w1/ab12', one('x'));

    expect((await stat(join(folder, 'blobs', 'w1', 'ab', 'ab12'))).size).to.equal(1);
  });

  it('leaves no half-written file when a source fails', async () => {
    const blob = await filesystemBlob({ folder });

    await blob.put('w1/a1', failing()).catch(() => undefined);

    expect(await incoming()).to.deep.equal([]);
  });

  it('answers a disk that takes no more with unavailable, and leaves no half-written file', async function () {
    if (process.platform === 'win32')
      return pendingUnlessAll(this, 'needs a shell that can bound the size of a file');
    // A limit on the size of files stops the write in the midst, as a full disk does.
    const script = `
      import { filesystemBlob } from '#adapters/blob/filesystem/filesystem-blob';
      const blob = await filesystemBlob({ folder: process.argv[1] });
      async function* source() { for (let at = 0; at < 64; at++) yield Buffer.alloc(65536, 1); }
      const failure = await blob.put('w1/a1', source()).catch((error) => error);
      console.log(JSON.stringify({ kind: failure.kind, message: failure.message }));
    `;

    const { stdout } = await run('sh', [
      '-c',
      'ulimit -f 1024; exec "$0" --input-type=module -e "$1" "$2"',
      process.execPath,
      script,
      folder,
    ]);

    expect(JSON.parse(stdout)).to.deep.equal({
      kind: 'unavailable',
      message: 'the blob is larger than the file system takes',
    });
    expect(await incoming()).to.deep.equal([]);
    expect(await readdir(join(folder, 'blobs'))).to.deep.equal([]);
  });

  it('sweeps what a process that ended left, and keeps what a living one writes', async () => {
    const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');
    const { stdout } = await run(process.execPath, ['-p', 'process.pid']);
    await leave(`${host}_${stdout.trim()}_1700000000000_0a`);
    await leave(`${host}_${process.pid}_1_0a`);
    const ofParent = await leave(`${host}_${process.ppid}_1700000000000_0a`);
    const ofAnotherMachine = await leave('elsewhere_1_1700000000000_0a');

    await filesystemBlob({ folder });

    expect((await incoming()).sort()).to.deep.equal([ofParent, ofAnotherMachine].sort());
  });

  it('keeps what this very process is writing when the folder is opened again', async () => {
    const first = await filesystemBlob({ folder });

    const stored = await first.put(
      'w1/a1',
      openingBetween(() => filesystemBlob({ folder })),
    );

    expect(stored.size).to.equal(2);
    expect((await first.stat('w1/a1')).size).to.equal(2);
  });

  it('sweeps whatever no one has written to for a day', async () => {
    const name = await leave('elsewhere_1_1700000000000_0a');
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(join(folder, 'incoming', name), longAgo, longAgo);

    await filesystemBlob({ folder });

    expect(await incoming()).to.deep.equal([]);
  });

  it('does not list files that are not its own', async () => {
    const blob = await filesystemBlob({ folder });
    await blob.put('w1/ab1', one('x'));
    await writeFile(join(folder, 'blobs', 'w1', 'ab', 'ab.txt'), 'foreign');
    await writeFile(join(folder, 'blobs', '.hidden'), 'foreign');

    const page = await blob.list({ prefix: '', limit: 10 });

    expect(page.entries.map((entry) => entry.key)).to.deep.equal(['w1/ab1']);
  });
});

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(100_000);
  throw new Error('the caller went away');
}

async function* openingBetween(open: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  await open();
  yield Buffer.from('b');
}
