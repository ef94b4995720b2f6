// The ways a client carries its key. A header decides; query and body count only where no header came.
import type { IncomingHttpHeaders } from 'node:http';
import type { Cookies } from '#ports/api/operation';
import { beginnings } from '#ports/model/credentials';

const first = (value: unknown): string | undefined => {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return typeof one === 'string' && one.trim() !== '' ? one.trim() : undefined;
};

/** The credential in the headers: `Authorization` without a scheme word (or as bearer), `Comet-Sdk-Api`, `X-API-KEY`. */
export const credentialInHeaders = (headers: IncomingHttpHeaders): string | undefined => {
  const authorization = first(headers.authorization);
  return (
    authorization?.replace(/^Bearer\s+/i, '') ??
    first(headers['comet-sdk-api']) ??
    first(headers['x-api-key'])
  );
};

/** The token of the scheme `Bearer` alone. */
export const bearerIn = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1];

/** The session's token in the cookies, and nothing else that stands in their place. */
export const sessionIn = ({ session }: Cookies): string | undefined =>
  session?.startsWith(beginnings.session) === true ? session : undefined;

/** The credential in the query, of clients that can set no header; a project's share code, whose link is all that its reader has; never an access token, since addresses are written down in many places (RFC 9700, 4.3.2). */
export const credentialInQuery = (query: Readonly<Record<string, unknown>>): string | undefined => {
  const [found, code] = [first(query['apiKey']), first(query['shareCode'])];
  if (found === undefined && code !== undefined) return `${beginnings.share}${code}`;
  return found?.startsWith(beginnings.access) === true ? undefined : found;
};

/** The credential where a row says that its JSON body holds one. */
export const credentialInBody = (
  at: string,
  body: unknown,
  part: Readonly<Record<string, unknown>>,
): string | undefined => {
  const [where, ...names] = at.split('.');
  let found: unknown = where === 'part' ? part : body;
  for (const name of names)
    found =
      typeof found === 'object' && found !== null
        ? (found as Record<string, unknown>)[name]
        : undefined; // any object can be read by name
  return first(found);
};
