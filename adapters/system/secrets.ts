import { createHash, createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Failure } from '#ports/failure';
import type { Secrets } from '#ports/secrets';
import { atMost } from './at-most.js';
import { isCommonPassword } from './common-passwords.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const code = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** What OWASP's password storage cheat sheet asks of argon2id at the least: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
const made = '$argon2id$';
// Loaded on first use: most starts need no password.
const argon2 = () => import('@node-rs/argon2');

/** Half of the four threads that also read files, look up names and unpack bodies, so that hashing keeps no request from those. */
const hashesAtOnce = 2;
const inTurn = atMost({
  atOnce: hashesAtOnce,
  waiting: 64,
  refusal: () =>
    new Failure('unavailable', 'too many passwords are being checked at the moment', {
      retryAfter: 2,
    }),
});

const same = (one: string, other: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(one).digest(),
    createHash('sha256').update(other).digest(),
  );
const sign = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text, 'utf8').digest('base64url');

/** Secrets from the system's own source of randomness; passwords by argon2id. */
export const systemSecrets: Secrets = {
  apiKey: () => code(25),
  password: () => `${code(6)}-${code(6)}-${code(6)}`,
  token: () => randomBytes(32).toString('base64url'),
  hash: (text) => hash('sha256', text, 'hex'),
  async hashPassword(password) {
    return inTurn(async () => (await argon2()).hash(password.normalize('NFKC'), cost));
  },
  async verifyPassword(password, hashed) {
    return (
      hashed.startsWith(made) &&
      inTurn(async () => (await argon2()).verify(hashed, password.normalize('NFKC')))
    );
  },
  isCommonPassword,
  code,
  sign,
  challenge: (verifier) => createHash('sha256').update(verifier, 'ascii').digest('base64url'),
  same,
  verify: (secret, text, signature) => same(sign(secret, text), signature),
};
