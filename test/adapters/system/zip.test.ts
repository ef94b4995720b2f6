import { expect } from 'chai';
import yauzl from 'yauzl';
import { systemZip } from '#adapters/system/zip';
import type { ZipEntry } from '#ports/zip';

const at = Date.UTC(2024, 0, 2);
const entry = (name: string, ...pieces: readonly string[]): ZipEntry => ({
  name,
  changedAt: at,
  open: () => bytesOf(pieces),
});

async function* bytesOf(pieces: readonly string[]): AsyncIterable<Uint8Array> {
  for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
}

const read = async (entries: readonly ZipEntry[]): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of systemZip.pack(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
};

const namesIn = (zip: Buffer): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    yauzl.fromBuffer(zip, { lazyEntries: false }, (fault, archive) => {
      if (fault !== null) {
        reject(fault);
        return;
      }
      const names: string[] = [];
      archive.on('entry', (found: yauzl.Entry) =>
        names.push(`${found.fileName}:${found.uncompressedSize}`),
      );
      archive.on('end', () => {
        resolve(names);
      });
      archive.on('error', reject);
    });
  });

describe('zip', () => {
  it('holds the entries in their order, with folders, empty ones and any letters', async () => {
    const zip = await read([
      entry('b/ü.txt', 'abc', 'def'),
      entry('a', ''),
      entry('b/c/d.bin', 'x'.repeat(100_000)),
    ]);

    expect(await namesIn(zip)).to.deep.equal(['b/ü.txt:6', 'a:0', 'b/c/d.bin:100000']);
  });

  it('is a readable archive without entries', async () => {
    expect(await namesIn(await read([]))).to.deep.equal([]);
  });

  it('fails the reader when an entry breaks off', async () => {
    const broken: ZipEntry = {
      name: 'broken',
      changedAt: at,
      open: async function* () {
        yield Buffer.from('some');
        throw await Promise.resolve(new Error('gone'));
      },
    };

    const outcome = await read([entry('a', 'x'), broken]).then(
      () => 'read to its end',
      (thrown: unknown) => String(thrown),
    );

    expect(outcome).to.equal('Error: gone');
  });

  it('fails the reader when an entry cannot be opened', async () => {
    const outcome = await read([
      { name: 'a', changedAt: at, open: () => Promise.reject(new Error('shut')) },
    ]).then(
      () => 'read to its end',
      (thrown: unknown) => String(thrown),
    );

    expect(outcome).to.equal('Error: shut');
  });
});
