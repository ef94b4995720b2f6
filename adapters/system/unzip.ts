// Reads small archives whole. Sizes are counted while unpacking, since what an archive says of itself need not be true.
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { Failure } from '#ports/failure';
import type { Zip } from '#ports/zip';

const broken = (cause: unknown) => new Failure('invalid', 'the file is not a zip archive that can be read', { cause });

const open = (archive: Uint8Array): Promise<ZipFile> =>
  new Promise((resolve, reject) => { yauzl.fromBuffer(Buffer.from(archive), { lazyEntries: true }, (fault, file) => { if (fault === null) resolve(file); else reject(broken(fault)); }); });

const next = (file: ZipFile): Promise<Entry | undefined> =>
  new Promise((resolve, reject) => {
    const settle = (act: () => void) => { file.removeAllListeners(); act(); };
    file.once('entry', (entry: Entry) => { settle(() => { resolve(entry); }); });
    file.once('end', () => { settle(() => { resolve(undefined); }); });
    file.once('error', (fault: unknown) => { settle(() => { reject(broken(fault)); }); });
    file.readEntry();
  });

const readEntry = async (file: ZipFile, entry: Entry, room: number): Promise<Buffer> => {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => { file.openReadStream(entry, (fault, opened) => { if (fault === null) resolve(opened); else reject(broken(fault)); }); });
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) { // yauzl's streams are of bytes
    size += piece.length;
    if (size > room) throw new Failure('tooLarge', `the archive must unpack to at most ${room} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

export const unpackTexts: Zip['unpack'] = async (archive, { most, bytes }) => {
  const file = await open(archive);
  const found: { readonly name: string; readonly text: string }[] = [];
  let room = bytes;
  for (let entry = await next(file); entry !== undefined; entry = await next(file)) {
    if (found.length >= most) throw new Failure('invalid', `the archive must hold at most ${most} files`);
    if (entry.fileName.endsWith('/')) continue;
    const content = await readEntry(file, entry, room);
    room -= content.length;
    found.push({ name: entry.fileName, text: content.toString('utf8') });
  }
  return found;
};
