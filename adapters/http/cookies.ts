// What browsers keep for the server: the names under which they keep it, and the rules by which they send it.
import { parseCookie, stringifySetCookie } from 'cookie';
import { sessionCookie } from '#ports/model/credentials';
import { Failure } from '#ports/failure';
import {
  cookieNames,
  type CookieChange,
  type CookieName,
  type Cookies,
} from '#ports/api/operation';
import type { Settings } from '#ports/settings';

/** How cookies are sent. */
export interface CookiePolicy {
  readonly secure: boolean;
  readonly sameSite: 'none' | 'lax' | 'strict';
}
type CookieSettings = Pick<Settings, 'JWT_SAME_SITE' | 'HTTPS_ENABLED' | 'baseUrl'>;
const sameSites = { NONE: 'none', LAX: 'lax', STRICT: 'strict' } as const;

/** What the settings say of cookies, else what the scheme of the address outside asks for. Refuses settings that contradict each other. */
export const cookiePolicy = ({
  JWT_SAME_SITE,
  HTTPS_ENABLED,
  baseUrl,
}: CookieSettings): CookiePolicy => {
  const secure = HTTPS_ENABLED === '' ? baseUrl.startsWith('https:') : HTTPS_ENABLED === 'true';
  const sameSite =
    JWT_SAME_SITE === ''
      ? secure
        ? 'none'
        : 'lax'
      : sameSites[JWT_SAME_SITE as keyof typeof sameSites]; // the setting takes these words only
  if (sameSite === 'none' && !secure)
    throw new Failure(
      'invalid',
      `JWT_SAME_SITE is NONE, which browsers take with https only: ${HTTPS_ENABLED === '' ? 'give ORRERY_BASE_URL an https address' : 'set HTTPS_ENABLED to true'}, or JWT_SAME_SITE to LAX`,
    );
  return { secure, sameSite };
};

/** How one of them is sent; where it says nothing of sites, as the policy has it. */
interface Rule {
  readonly name: string;
  readonly sameSite?: CookiePolicy['sameSite'];
  /** Whether its name begins with the prefix that keeps a neighbour under the same domain from setting it. Browsers take it with https only. */
  readonly ofHost?: boolean;
}
const rules: Readonly<Record<CookieName, Rule>> = {
  session: { name: sessionCookie },
  // A link of the provider's site brings the browser back.
  signInReturn: { name: 'orreryReturn', sameSite: 'lax' },
  form: { name: 'orreryForm', sameSite: 'strict', ofHost: true },
  consent: { name: 'orreryConsent', sameSite: 'lax' },
};

export interface CookieJar {
  read(header: string | undefined): Cookies;
  /** The header that makes a browser keep it, or forget it. */
  write(change: CookieChange): string;
}

const none: Cookies = {};

export const cookieJar = (policy: CookiePolicy): CookieJar => {
  const nameOf = (cookie: CookieName): string => {
    const { name, ofHost } = rules[cookie];
    return ofHost === true && policy.secure ? `__Host-${name}` : name;
  };
  return {
    read(header) {
      if (header === undefined) return none;
      const found = parseCookie(header);
      return Object.fromEntries(
        cookieNames.flatMap((cookie) => {
          const value = found[nameOf(cookie)];
          return value === undefined ? [] : [[cookie, value]];
        }),
      );
    },
    write: ({ cookie, value, seconds }) =>
      stringifySetCookie({
        name: nameOf(cookie),
        value: value ?? '',
        path: '/',
        httpOnly: true,
        secure: policy.secure,
        sameSite: rules[cookie].sameSite ?? policy.sameSite,
        ...(value === undefined ? { maxAge: 0 } : seconds === undefined ? {} : { maxAge: seconds }),
      }),
  };
};
