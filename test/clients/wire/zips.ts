import { fromBuffer, type Entry, type ZipFile } from 'yauzl';

/** The entries of an archive by their names. Rejects for one whose name leads out of it. */
export const readZip = (bytes: Buffer): Promise<ReadonlyMap<string, string>> =>
  new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (fault, zip: ZipFile) => {
      if (fault !== null) {
        reject(fault);
        return;
      }
      const files = new Map<string, string>();
      zip.on('error', reject);
      zip.on('end', () => {
        resolve(files);
      });
      zip.on('entry', (entry: Entry) =>
        zip.openReadStream(entry, (closed, stream) => {
          if (closed !== null) {
            reject(closed);
            return;
          }
          const pieces: Buffer[] = [];
          stream.on('data', (piece: Buffer) => pieces.push(piece));
          stream.on('end', () => {
            files.set(entry.fileName, Buffer.concat(pieces).toString());
            zip.readEntry();
          });
        }),
      );
      zip.readEntry();
    });
  });
