// Cookies as text, and the proof that a form of a visitor came from a page of ours.
import { sessionCookie } from '#ports/model/credentials';
import type { Secrets } from '#ports/secrets';
import { cookiePolicy, type CookiePolicy } from './rules.js';

type Headers = Readonly<Record<string, string | undefined>>;

const written = (
  name: string,
  value: string,
  { secure, sameSite }: CookiePolicy,
  maxAge?: number,
): string =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`;

type CookieSettings = Parameters<typeof cookiePolicy>[0];

/** The cookie of a session that has begun; the browser keeps it as long as the session may live at most. */
export const keepSession = (settings: CookieSettings, token: string, seconds: number): string =>
  written(sessionCookie, token, cookiePolicy(settings), seconds);
/** Takes the cookie of a session away. */
export const dropSession = (settings: CookieSettings): string =>
  written(sessionCookie, '', cookiePolicy(settings), 0);

const valueIn = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const returnCookie = 'orreryReturn';
/** What the browser must bring back from a provider. `Lax`, since it comes back by a link of another site. */
export const keepReturn = (settings: CookieSettings, keep: string): string =>
  written(returnCookie, keep, { secure: cookiePolicy(settings).secure, sameSite: 'Lax' }, 600);
export const dropReturn = (settings: CookieSettings): string =>
  written(returnCookie, '', { secure: cookiePolicy(settings).secure, sameSite: 'Lax' }, 0);
/** Empty where the browser brings nothing. */
export const keptReturn = (headers: Headers): string =>
  valueIn(headers['cookie'], returnCookie) ?? '';

/** What a form of somebody who has no session must carry: the same as a cookie that other sites can neither read nor send along. */
export interface FormProof {
  readonly token: string;
  /** The header that gives the browser its half; empty where it has it. */
  readonly headers: Readonly<Record<string, string>>;
  holds(given: string | undefined): boolean;
}

export const formProof = (
  { secrets, settings }: { readonly secrets: Secrets; readonly settings: CookieSettings },
  headers: Headers,
): FormProof => {
  const { secure } = cookiePolicy(settings);
  // The prefix keeps a neighbour under the same domain from setting it; browsers take it with https only.
  const name = secure ? '__Host-orreryForm' : 'orreryForm';
  const found = valueIn(headers['cookie'], name);
  const kept = found !== undefined && /^[\w-]{43}$/.test(found) ? found : undefined;
  const token = kept ?? secrets.token();
  return {
    token,
    headers:
      kept === undefined
        ? { 'Set-Cookie': written(name, token, { secure, sameSite: 'Strict' }) }
        : {},
    holds: (given) => kept !== undefined && given !== undefined && secrets.same(kept, given),
  };
};
