// Who may: tokens that a service account signed itself, and links of version 4. Both are checked to the letter.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  verify,
  type KeyObject,
} from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Account {
  readonly credentials: Readonly<Record<string, string>>;
  readonly email: string;
  readonly publicKey: KeyObject;
}

/** Makes a service account with a key of its own, in the form in which Google hands one out. */
export const makeAccount = (): Account => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const email = 'tests@tests.iam.gserviceaccount.com';
  const credentials = {
    type: 'service_account',
    project_id: 'tests',
    private_key_id: 'k1',
    private_key: privateKey,
    client_email: email,
    client_id: '1',
    token_uri: 'https://oauth2.invalid/token',
  };
  return { credentials, email, publicKey: createPublicKey(privateKey) };
};

const readPart = (text: string | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(text ?? '', 'base64url').toString() || '{}') as Record<string, unknown>; // a part of a token is an object, or the token is refused for what it lacks

/** What is wrong with the token of a request; `undefined` when nothing is. */
export const refuseToken = (account: Account, request: IncomingMessage): string | undefined => {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return 'no token';
  const [head, claims, signature] = token.split('.');
  if (readPart(head)['alg'] !== 'RS256') return 'not signed with RS256';
  if (
    !verify(
      'sha256',
      Buffer.from(`${head ?? ''}.${claims ?? ''}`),
      account.publicKey,
      Buffer.from(signature ?? '', 'base64url'),
    )
  )
    return 'signed with another key';
  const { iss, sub, exp, scope } = readPart(claims);
  if (iss !== account.email || sub !== account.email) return 'of another account';
  if (typeof exp !== 'number' || exp * 1000 < Date.now()) return 'expired';
  return /auth\/(devstorage\.(read_write|full_control)|cloud-platform)/.test(String(scope))
    ? undefined
    : 'without the scope';
};

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const parseTime = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** What is wrong with a signed link; `undefined` when nothing is. */
export const refuseLink = (
  account: Account,
  request: IncomingMessage,
  url: URL,
): string | undefined => {
  const words = url.searchParams;
  const word = (name: string): string => words.get(`X-Goog-${name}`) ?? '';
  if (word('Algorithm') !== 'GOOG4-RSA-SHA256') return 'of another algorithm';
  const [email, ...scope] = word('Credential').split('/');
  if (email !== account.email) return 'of another account';
  const [made, seconds] = [parseTime(word('Date')), Number(word('Expires'))];
  if (!(seconds > 0 && seconds <= 604_800)) return 'of too long a life';
  if (!(made < Date.now() + 900_000 && made + seconds * 1000 > Date.now())) return 'ExpiredToken';
  const signed = word('SignedHeaders').split(';');
  if (!signed.includes('host')) return 'host is not signed';
  // The official client signs the host without its port.
  const headers = signed
    .map(
      (name) =>
        `${name}:${
          name === 'host'
            ? url.hostname
            : String(request.headers[name] ?? '')
                .trim()
                .replaceAll(/\s{2,}/g, ' ')
        }\n`,
    )
    .join('');
  if (
    Object.keys(request.headers).some(
      (name) => name.startsWith('x-goog-') && !signed.includes(name),
    )
  )
    return 'a header of Google is not signed';
  const query = [...words]
    .filter(([name]) => name !== 'X-Goog-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers,
    signed.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const text = [
    'GOOG4-RSA-SHA256',
    word('Date'),
    scope.join('/'),
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n');
  return verify(
    'sha256',
    Buffer.from(text),
    account.publicKey,
    Buffer.from(word('Signature'), 'hex'),
  )
    ? undefined
    : 'SignatureDoesNotMatch';
};
