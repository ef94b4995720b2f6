// A vendor's blob adapter: files in a flat folder, proved by the contract suite of the installed package.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requireBlobKey, resolveByteRange } from 'orrery/ports/blob';
import { Failure } from 'orrery/ports/failure';

const hexOf = (key) => {
  requireBlobKey(key);
  return Buffer.from(key).toString('hex');
};
const keyOf = (name) => Buffer.from(name, 'hex').toString();

export const openFolder = (folder) => {
  const at = (key) => join(folder, hexOf(key));
  const sizeOf = async (key) => {
    const found = await stat(at(key)).catch(() => undefined);
    if (found === undefined) throw new Failure('absent', `blob ${key} not found`);
    return found.size;
  };
  let temporary = 0;
  return {
    async put(key, source, { signal } = {}) {
      const target = at(key);
      const draft = join(folder, `.draft-${process.pid}-${++temporary}`);
      const hash = createHash('sha256');
      let size = 0;
      try {
        signal?.throwIfAborted();
        await pipeline(
          Readable.from(
            (async function* () {
              for await (const piece of source) {
                hash.update(piece);
                size += piece.length;
                yield piece;
              }
            })(),
            { objectMode: false },
          ),
          createWriteStream(draft, { flush: true }),
          { signal },
        );
        await rename(draft, target);
      } catch (thrown) {
        await rm(draft, { force: true });
        throw signal?.aborted ? signal.reason : thrown;
      }
      return { size, sha256: hash.digest('hex') };
    },
    async open(key, { range, signal } = {}) {
      const size = await sizeOf(key);
      const wanted = range === undefined ? undefined : resolveByteRange(range, size);
      signal?.throwIfAborted();
      const stream = createReadStream(at(key), wanted ?? {});
      // A reader that left before the first byte hears of no fault, which without a listener would end the process.
      stream.on('error', () => {});
      return { size, stream: signal === undefined ? stream : addAbortSignal(signal, stream) };
    },
    async stat(key) {
      return { key, size: await sizeOf(key) };
    },
    async remove(keys) {
      keys.forEach(requireBlobKey);
      for (const key of keys) await rm(at(key), { force: true });
    },
    async list({ prefix, after, limit }) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
        throw new Failure('invalid', 'limit must be from 1 to 1000');
      const keys = (await readdir(folder))
        .filter((name) => !name.startsWith('.'))
        .map(keyOf)
        .filter((key) => key.startsWith(prefix) && (after === undefined || key > after))
        .sort((a, b) => (a < b ? -1 : 1));
      const some = keys.slice(0, limit);
      return {
        entries: await Promise.all(some.map(async (key) => ({ key, size: await sizeOf(key) }))),
        next: keys.length > limit ? some.at(-1) : undefined,
      };
    },
  };
};
