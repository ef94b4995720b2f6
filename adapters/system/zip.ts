import { Readable } from 'node:stream';
import type { ZipFile } from 'yazl';
import type { ByteStream } from '#ports/bytes';
import type { Zip, ZipEntry } from '#ports/zip';
import { openArchive, unpackTexts } from './unzip.js';

/** Adds an entry, and waits until its bytes were read. */
const add = (zip: ZipFile, { name, changedAt, open }: ZipEntry): Promise<void> =>
  new Promise((resolve, reject) => {
    zip.addReadStreamLazy(name, { mtime: new Date(changedAt), compressionLevel: 1 }, (begin) => {
      Promise.resolve()
        .then(open)
        .then((bytes) => {
          begin(
            null,
            Readable.from(bytes, { objectMode: false })
              .once('error', reject)
              .once('close', resolve),
          );
        }, reject);
    });
  });

async function* write(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): ByteStream {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const output = zip.outputStream as Readable; // a stream that is read here, whose declared type is narrower
  const fail = (fault: unknown): void => {
    output.destroy(fault instanceof Error ? fault : new Error(String(fault)));
  };
  zip.on('error', fail);
  const added = (async () => {
    for await (const entry of entries) await add(zip, entry);
    zip.end();
  })().catch(fail); // whatever failed ends the reading too
  try {
    yield* output as AsyncIterable<Uint8Array>; // no encoding is set on it
    await added;
  } finally {
    output.destroy();
  }
}

/** Archives with compressed entries; sizes stand behind the bytes of each entry. */
export const systemZip: Zip = { pack: write, unpack: unpackTexts, openFile: openArchive };
