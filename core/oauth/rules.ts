// What a client may register, where a browser may be sent, and what becomes of a refresh token. Pure.
import { Failure } from '#ports/failure';
import type { OAuthClient, OAuthFamily, OAuthToken } from '#ports/model/oauth';

/** Members of a request that may each be left out. */
export type Texts<N extends string> = { readonly [K in N]?: string | undefined };

const mostUris = 10;
const mostText = 2048;
const mostName = 255;

/** Printable ASCII that no reader of addresses takes for anything but itself. */
const plain = /^[\x21-\x5b\x5d-\x7e]+$/;
const secure = /^https:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\])(:\d{1,5})?([/?]|$)/i;
const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?((?:\/[^?]*)?(?:\?.*)?)$/;
/** A scheme of an application's own, told by its dot (RFC 8252, 7.1). */
const privateUse = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:/;
const dangerous = /^(javascript|data|file):/i;

/** Whether a client may be sent its codes there. */
export const isRedirectUri = (uri: string): boolean => {
  if (
    uri.length > mostText ||
    !plain.test(uri) ||
    uri.includes('#') ||
    dangerous.test(uri) ||
    !URL.canParse(uri)
  )
    return false;
  const { username, password } = new URL(uri);
  if (username !== '' || password !== '' || /^[^:]+:\/\/[^/?]*@/.test(uri)) return false;
  return secure.test(uri) || loopback.test(uri) || privateUse.test(uri);
};

/** Whether an address is one of those registered: the same text, or on this machine the same but for the port (RFC 8252, 7.3). */
export const matchesRedirect = (registered: readonly string[], presented: string): boolean => {
  if (presented === '' || presented.includes('#')) return false;
  if (registered.includes(presented)) return true;
  const asked = loopback.exec(presented);
  if (asked === null || !isRedirectUri(presented)) return false;
  return registered.some((one) => {
    const known = loopback.exec(one);
    return known !== null && known[1] === asked[1] && known[3] === asked[3];
  });
};

/** The client if it is known and may be answered at that address; else nobody is sent anywhere. */
export const requireRedirect = (
  client: OAuthClient | undefined,
  redirectUri: string,
): OAuthClient => {
  if (client === undefined)
    throw new Failure('invalid', 'the client is not known', { word: 'invalid_client' });
  if (!matchesRedirect(client.redirectUris, redirectUri))
    throw new Failure('invalid', 'redirect_uri is not one that the client has registered');
  return client;
};

/** A text as it stands in a query; halves of characters, which no address holds, become the sign for them. */
const encoded = (text: string): string =>
  new URLSearchParams({ '': text }).toString().slice(1).replaceAll('+', '%20');

/** An address with further parameters; those that it has are kept. */
export const withParameters = (
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string => {
  const added = Object.entries(parameters)
    .filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&');
  const joint = !uri.includes('?') ? '?' : uri.endsWith('?') || uri.endsWith('&') ? '' : '&';
  return `${uri}${joint}${added}`;
};

/**
 * What the policy of a page must name so that a form on it may lead to an address. Browsers hold every further redirect against it too, and
 * programs send the browser on, from a site to this machine or to a site of theirs: so any site that is secure, and this machine. They know no
 * host of IPv6 there, so that one is told by its scheme.
 */
export const sourcesFor = (uri: string): readonly string[] => {
  const { protocol, hostname } = new URL(uri);
  const usual = ['https:', 'http://127.0.0.1:*', 'http://localhost:*'];
  return hostname.startsWith('[') && protocol === 'http:'
    ? [...usual, 'http:']
    : protocol === 'https:' || protocol === 'http:'
      ? usual
      : [protocol];
};

export interface Registration {
  readonly name: string | undefined;
  readonly redirectUris: readonly string[];
  readonly logoUri: string | undefined;
  readonly clientUri: string | undefined;
  readonly softwareId: string | undefined;
  readonly softwareVersion: string | undefined;
}

/** Control characters, halves of characters, and signs that turn the direction of what follows: a name is shown to who decides. */
const invisible = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const cleaned = (given: unknown, member: string): string | undefined => {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'string')
    throw new Failure('invalid', `${member} must be a text`, { word: 'invalid_client_metadata' });
  const text = [...given.slice(0, mostText).replaceAll(invisible, ' ').trim()]
    .slice(0, mostName)
    .join('');
  return text === '' ? undefined : text;
};
const webAddress = (given: unknown): string | undefined =>
  typeof given === 'string' &&
  given.length <= mostText &&
  plain.test(given) &&
  /^https?:\/\/[^/?#@]+([/?#]|$)/i.test(given) &&
  URL.canParse(given)
    ? given
    : undefined;

/** What a client tells of itself, cleaned; members that are not known are left alone. */
export const readRegistration = (body: Readonly<Record<string, unknown>>): Registration => {
  const refuse = (sentence: string) =>
    new Failure('invalid', sentence, { word: 'invalid_redirect_uri' });
  const uris: unknown = body['redirect_uris'];
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > mostUris)
    throw refuse(`redirect_uris must be a list of 1 to ${mostUris} addresses`);
  const redirectUris = uris.map((uri: unknown) => {
    if (typeof uri !== 'string' || !isRedirectUri(uri))
      throw refuse(
        'each of redirect_uris must be an absolute address without fragment and user, of https, of http on this machine, or of a scheme with a dot',
      );
    return uri;
  });
  return {
    name: cleaned(body['client_name'], 'client_name'),
    redirectUris,
    logoUri: webAddress(body['logo_uri']),
    clientUri: webAddress(body['client_uri']),
    softwareId: cleaned(body['software_id'], 'software_id'),
    softwareVersion: cleaned(body['software_version'], 'software_version'),
  };
};

/** A challenge as SHA-256 makes it, in base64url without padding. */
export const isChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);
/** A verifier as RFC 7636 has it. */
export const isVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text);

/** Extra pairs that a refresh token gives within the grace, for a client that asked several times at once. */
const mostRetries = 3;

/** What becomes of a refresh token that is presented: a pair, a refusal, or the end of its family, because two hold it. */
export const judgeRefresh = (
  { token, family }: { readonly token: OAuthToken; readonly family: OAuthFamily },
  now: number,
  graceMs: number,
): 'pair' | 'refused' | 'reuse' => {
  if (
    token.kind !== 'refresh' ||
    token.expiresAt <= now ||
    family.expiresAt <= now ||
    family.revokedAt !== undefined
  )
    return 'refused';
  if (token.revokedAt === undefined) return 'pair';
  return token.reason === 'ROTATED' && now < token.revokedAt + graceMs && token.pairs <= mostRetries
    ? 'pair'
    : 'reuse';
};

/** A time in ms as text. */
export const toInstant = (ms: number): string => new Date(ms).toISOString();
