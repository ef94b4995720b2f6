import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Archive, ArchiveEntry } from '#ports/archive';
import type { ByteStream } from '#ports/bytes';

const add = (zip: ZipFile, entry: ArchiveEntry): Promise<void> =>
  new Promise((resolve, reject) => {
    zip.addReadStreamLazy(entry.path, { mtime: new Date(entry.at), compressionLevel: 1 }, (give) => {
      entry.open().then((bytes) => {
        const stream = Readable.from(bytes, { objectMode: false });
        stream.once('close', resolve);
        stream.once('error', reject);
        give(null, stream);
      }, (fault: unknown) => { reject(fault as Error); give(fault, undefined as never); }); // a failed opening hands over no stream
    });
  });

async function* write(entries: AsyncIterable<ArchiveEntry>): ByteStream {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable; // a PassThrough, whose declared type is narrower
  zip.on('error', (fault) => output.destroy(fault as Error)); // an error thrown by an entry's stream
  const added = (async () => {
    for await (const entry of entries) await add(zip, entry);
    zip.end();
  })().catch((fault: unknown) => { output.destroy(fault as Error); }); // whatever failed ends the reading too
  try {
    yield* output as AsyncIterable<Uint8Array>; // no encoding is set on it
    await added;
  } finally {
    output.destroy();
  }
}

/** Zips by yazl; entry after entry, so that neither many files nor large ones are held in memory. */
export const zipArchive: Archive = { zip: write };
