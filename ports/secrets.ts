import { port } from './port.js';

export interface Secrets {
  /** A new API key: 25 letters and digits. */
  apiKey(): string;
  /** A new password a person can type. */
  password(): string;
  /** 32 random bytes in base64url, without padding: what tokens are made of. */
  token(): string;
  /** SHA-256 of the UTF-8 of a text, in hex. */
  hash(text: string): string;
  /** A slow, salted hash of a password (argon2id), which tells its own parameters; a password is one in all its Unicode forms (NFKC). */
  hashPassword(password: string): Promise<string>;
  /** Whether a password is the one that was hashed; takes the same time for either answer. What another algorithm made never is. */
  verifyPassword(password: string, hashed: string): Promise<boolean>;
  /** Whether a password is among those that are tried first, whatever its case. */
  isCommonPassword(password: string): boolean;
  /** A code of `length` letters and digits. */
  code(length: number): string;
  /** SHA-256 of the ASCII of a text, in base64url without padding: the challenge of a PKCE verifier. */
  challenge(verifier: string): string;
  /** Whether two texts are the same; takes the same time for either answer. */
  same(one: string, other: string): boolean;
  /** HMAC-SHA-256 of the UTF-8 of a text under a secret, in base64url: the signature of a link that the server made. */
  sign(secret: string, text: string): string;
  /** Whether a signature is the text's own; takes the same time for either answer. */
  verify(secret: string, text: string, signature: string): boolean;
}
export const Secrets = port<Secrets>('secrets');
