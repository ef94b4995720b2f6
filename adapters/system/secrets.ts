import { createHash, createHmac, randomBytes, randomInt, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import type { Secrets } from '#ports/secrets';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const code = (length: number): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => { scrypt(password.normalize('NFKC'), salt, 32, options, (fault, key) => { if (fault === null) resolve(key); else reject(fault); }); });
const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

const same = (one: string, other: string): boolean => timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
const sign = (secret: string, text: string): string => createHmac('sha256', secret).update(text, 'utf8').digest('base64url');

/** Secrets from the system's own source of randomness; passwords by scrypt with 32 MiB. */
export const systemSecrets: Secrets = {
  apiKey: () => code(25),
  password: () => `${code(6)}-${code(6)}-${code(6)}`,
  token: () => randomBytes(32).toString('base64url'),
  hash: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  async hashPassword(password) {
    const salt = randomBytes(16);
    return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64')}$${(await derive(password, salt, cost)).toString('base64')}`;
  },
  async verifyPassword(password, hashed) {
    const [, N, r, p, salt = '', key = ''] = hashed.split('$');
    const derived = await derive(password, Buffer.from(salt, 'base64'), { N: Number(N), r: Number(r), p: Number(p), maxmem: cost.maxmem });
    const expected = Buffer.from(key, 'base64');
    return expected.length === derived.length && timingSafeEqual(expected, derived);
  },
  code,
  sign,
  challenge: (verifier) => createHash('sha256').update(verifier, 'ascii').digest('base64url'),
  same,
  verify: (secret, text, signature) => same(sign(secret, text), signature),
};
