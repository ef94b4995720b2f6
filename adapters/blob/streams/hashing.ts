import { createHash } from 'node:crypto';
import type { StoredBlob } from '#ports/blob';

/** Lets bytes pass and knows, once all have, how many they were and what they hash to. */
export const hashing = (source: AsyncIterable<Uint8Array>) => {
  const hash = createHash('sha256');
  let size = 0;
  const stream = async function* (): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      hash.update(bytes);
      size += bytes.length;
      yield bytes;
    }
  };
  return { stream: stream(), stored: (): StoredBlob => ({ size, sha256: hash.digest('hex') }) };
};
