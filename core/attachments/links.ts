// Links to files, under the address by which their client knows the server. Pure.
import { Failure } from '#ports/failure';

const alphabet = /^[A-Za-z0-9_+/-]+={0,2}$/;

/** The text that URL-safe or plain base64 stands for; `undefined` for what is neither. */
const decoded = (text: string): string | undefined => {
  if (!alphabet.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', ''));
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (one) => one.charCodeAt(0)),
    );
  } catch {
    return undefined; // no base64, or no text
  }
};

const paths = ['', '/api', '/opik/api', '/opik'];

/**
 * The address below which links are made: the client's own where it is this server under one of its prefixes, else the server's. Nobody is sent to
 * another host. Rejects with `invalid` for what is no base64.
 */
export const readBase = (path: string, baseUrl: string): string => {
  const text = decoded(path.trim());
  if (text === undefined) throw new Failure('invalid', 'path must be base64 of an address');
  const own = new URL(baseUrl);
  const asked = URL.canParse(text) ? new URL(text) : undefined;
  const below = asked?.pathname.replace(/\/$/, '') ?? '';
  return asked?.origin === own.origin && paths.includes(below)
    ? `${asked.origin}${below}`
    : `${own.origin}/api`;
};

/** The address of a row about files. */
export const linkTo = (
  base: string,
  row: 'upload' | 'download',
  query: Readonly<Record<string, string>>,
): string => `${base}/v1/private/attachment/${row}?${new URLSearchParams(query)}`;
