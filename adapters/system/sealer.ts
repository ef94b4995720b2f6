import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '#ports/failure';
import type { Sealer } from '#ports/sealer';

const cipher = 'aes-256-gcm';
const [ivBytes, tagBytes] = [12, 16];

/** Texts sealed by AES-256-GCM under a key made from a secret. What is sealed begins with a mark of the key, so that another key is told apart from damage. */
export const gcmSealer = (secret: () => string): Sealer => {
  let made: { readonly key: Buffer; readonly mark: string } | undefined;
  const keyed = () => (made ??= keyOf(secret()));
  return {
    seal(text, about) {
      const { key, mark } = keyed();
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(about));
      const bytes = Buffer.concat([
        iv,
        sealing.update(text, 'utf8'),
        sealing.final(),
        sealing.getAuthTag(),
      ]);
      return `1.${mark}.${bytes.toString('base64url')}`;
    },
    open(sealed, about) {
      const { key, mark } = keyed();
      const [version, under, body = ''] = sealed.split('.');
      if (version !== '1' || under !== mark)
        throw new Failure(
          'unavailable',
          'what was sealed here was sealed under another key: give ORRERY_SEAL_KEY the key that was in use then',
        );
      const bytes = Buffer.from(body, 'base64url');
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes))
          .setAAD(Buffer.from(about))
          .setAuthTag(bytes.subarray(-tagBytes));
        return Buffer.concat([
          opening.update(bytes.subarray(ivBytes, -tagBytes)),
          opening.final(),
        ]).toString('utf8');
      } catch (cause) {
        throw new Failure('unavailable', 'what was sealed here has been changed since', { cause });
      }
    },
  };
};

const keyOf = (secret: string) => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'orrery seal', 32));
  return { key, mark: createHash('sha256').update(key).digest('hex').slice(0, 8) };
};

/** The secret kept in a file that only its owner may read; made when there is none. Of several processes that make it at once, one does. */
export const secretInFile = (path: string): string => {
  const read = (): string | undefined => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code === 'ENOENT') return undefined; // a system error carries a code
      throw thrown;
    }
  };
  const found = read();
  if (found !== undefined) return found;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path); // appears whole, and only where there is none yet
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== 'EEXIST') throw thrown; // as above
  } finally {
    rmSync(draft, { force: true });
  }
  return read() ?? '';
};
