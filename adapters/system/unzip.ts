// Reads small archives whole. Sizes are counted while unpacking, since what an archive says of itself need not be true.
import type { Entry, ZipFile } from 'yauzl';
import { Failure, isFailure } from '#ports/failure';
import { access } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { ByteStream } from '#ports/bytes';
import type { Zip } from '#ports/zip';

const broken = (cause: unknown) =>
  new Failure('invalid', 'the file is not a zip archive that can be read', { cause });

/** Loaded when the first archive comes. */
const load = async () => (await import('yauzl')).default;

const open = async (archive: Uint8Array): Promise<ZipFile> => {
  const yauzl = await load();
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(Buffer.from(archive), { lazyEntries: true }, (fault, file) => {
      if (fault === null) resolve(file);
      else reject(broken(fault));
    });
  });
};

const next = (file: ZipFile): Promise<Entry | undefined> =>
  new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      file.removeAllListeners();
      act();
    };
    file.once('entry', (entry: Entry) => {
      settle(() => {
        resolve(entry);
      });
    });
    file.once('end', () => {
      settle(() => {
        resolve(undefined);
      });
    });
    file.once('error', (fault: unknown) => {
      settle(() => {
        reject(broken(fault));
      });
    });
    file.readEntry();
  });

const openEntry = (file: ZipFile, entry: Entry): Promise<NodeJS.ReadableStream> =>
  new Promise((resolve, reject) => {
    file.openReadStream(entry, (fault, opened) => {
      if (fault === null) resolve(opened);
      else reject(broken(fault));
    });
  });

const readEntry = async (file: ZipFile, entry: Entry, room: number): Promise<Buffer> => {
  const stream = await openEntry(file, entry);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      // yauzl's streams are of bytes
      size += piece.length;
      if (size > room)
        throw new Failure('tooLarge', `the archive must unpack to at most ${room} bytes`);
      pieces.push(piece);
    }
  } catch (thrown) {
    throw isFailure(thrown) ? thrown : broken(thrown); // an entry is not of the size, or not in the form, that the archive says
  }
  return Buffer.concat(pieces);
};

export const unpackTexts: Zip['unpack'] = async (archive, { most, bytes }) => {
  const file = await open(archive);
  const found: { readonly name: string; readonly text: string }[] = [];
  let room = bytes;
  for (let entry = await next(file); entry !== undefined; entry = await next(file)) {
    if (found.length >= most)
      throw new Failure('invalid', `the archive must hold at most ${most} files`);
    if (entry.fileName.endsWith('/')) continue;
    const content = await readEntry(file, entry, room);
    room -= content.length;
    found.push({ name: entry.fileName, text: content.toString('utf8') });
  }
  return found;
};

/** The bytes of an entry, held against its checksum: the library looks at sizes only. */
async function* readChecked(file: ZipFile, entry: Entry): ByteStream {
  let sum = 0;
  try {
    for await (const piece of (await openEntry(file, entry)) as AsyncIterable<Buffer>) {
      // as above
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (thrown) {
    throw broken(thrown);
  }
  if (sum !== entry.crc32)
    throw new Failure('invalid', `${entry.fileName} in the archive does not match its checksum`);
}

export const openArchive: Zip['openFile'] = async (path) => {
  await access(path).catch((cause: unknown) => {
    throw new Failure('absent', `there is no file ${path} that can be read`, { cause });
  });
  const yauzl = await load();
  const file = await new Promise<ZipFile>((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (fault, opened) => {
      if (fault === null) resolve(opened);
      else reject(broken(fault));
    });
  });
  const entries = new Map<string, { readonly bytes: number; open(): Promise<ByteStream> }>();
  for (let entry = await next(file); entry !== undefined; entry = await next(file)) {
    const one = entry;
    entries.set(one.fileName, {
      bytes: one.uncompressedSize,
      open: async () => readChecked(file, one),
    });
  }
  return {
    entries,
    async close() {
      file.close();
    },
  };
};
