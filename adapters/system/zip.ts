import { PassThrough, Readable } from 'node:stream';
import yazl from 'yazl';
import type { Zip } from '#ports/zip';
import { unpackTexts } from './unzip.js';

/** Archives with compressed entries; sizes stand behind the bytes of each entry. */
export const systemZip: Zip = {
  pack(entries) {
    const archive = new yazl.ZipFile();
    const output = new PassThrough();
    const fail = (fault: unknown) => void output.destroy(fault instanceof Error ? fault : new Error(String(fault)));
    archive.on('error', fail);
    for (const { name, changedAt, open } of entries) {
      archive.addReadStreamLazy(name, { mtime: new Date(changedAt) }, (begin) => {
        Promise.resolve(open()).then((bytes) => { begin(null, Readable.from(bytes, { objectMode: false }).on('error', fail)); }, fail);
      });
    }
    archive.end();
    archive.outputStream.pipe(output);
    return output;
  },
  unpack: unpackTexts,
};
