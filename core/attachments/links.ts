// Links to files, under the address by which their client knows the server. Pure.
import { Failure } from '#ports/failure';
import { basePathOf } from '#ports/settings';
import { decodeBase64 } from '../private-wire/client-address.js';

const paths = ['', '/api', '/opik/api', '/opik'];

/**
 * The address below which links are made: the client's own where it is this server under one of its prefixes, else the server's. Nobody is sent to
 * another host. Rejects with `invalid` for what is no base64.
 */
export const readBase = (path: string, baseUrl: string): string => {
  const text = decodeBase64(path.trim());
  if (text === undefined) throw new Failure('invalid', 'path must be base64 of an address');
  const own = new URL(baseUrl);
  const asked = URL.canParse(text) ? new URL(text) : undefined;
  const below = asked?.pathname.replace(/\/$/, '') ?? '';
  const base = basePathOf(baseUrl);
  const known = below.startsWith(`${base}/`) || below === base ? below.slice(base.length) : below;
  return asked?.origin === own.origin && paths.includes(known)
    ? `${asked.origin}${below}`
    : `${own.origin}${base}/api`;
};

/** The address of a row about files. */
export const linkTo = (
  base: string,
  row: 'upload' | 'download',
  query: Readonly<Record<string, string>>,
): string => `${base}/v1/private/attachment/${row}?${new URLSearchParams(query)}`;
