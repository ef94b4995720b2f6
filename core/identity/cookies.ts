// What the browser is to keep for a visitor, and the proof that a form of theirs came from a page of ours.
import type { CookieChange, Cookies, ReplyDetails } from '#ports/api/operation';
import type { Clock } from '#ports/clock';
import type { Secrets } from '#ports/secrets';
import type { SignedIn } from './signing-in.js';

/** A session that has begun; the browser keeps it as long as the session may live at most. */
export const keepSession = (
  { clock }: { readonly clock: Clock },
  { token, endsAt }: Pick<SignedIn, 'token' | 'endsAt'>,
) =>
  ({
    cookies: [
      {
        cookie: 'session',
        value: token,
        seconds: Math.max(1, Math.round((endsAt - clock.now()) / 1000)),
      },
    ],
    secret: true,
  }) as const satisfies ReplyDetails;
export const dropSession: CookieChange = { cookie: 'session', value: undefined };

const returnSeconds = 600;
/** What the browser must bring back from a provider. */
export const keepReturn = (keep: string): CookieChange => ({
  cookie: 'signInReturn',
  value: keep,
  seconds: returnSeconds,
});
export const dropReturn: CookieChange = { cookie: 'signInReturn', value: undefined };

/** What a form of somebody who has no session must carry: the same as a cookie that other sites can neither read nor send along. */
export interface FormProof {
  readonly token: string;
  /** Gives the browser its half; empty where it has it. */
  readonly details: { readonly cookies?: readonly CookieChange[] };
  holds(given: string | undefined): boolean;
}

export const formProof = (
  { secrets }: { readonly secrets: Secrets },
  { form: found }: Cookies,
): FormProof => {
  const kept = found !== undefined && /^[\w-]{43}$/.test(found) ? found : undefined;
  const token = kept ?? secrets.token();
  return {
    token,
    details: kept === undefined ? { cookies: [{ cookie: 'form', value: token }] } : {},
    holds: (given) => kept !== undefined && given !== undefined && secrets.same(kept, given),
  };
};
