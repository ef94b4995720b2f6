// How pages are answered, and what they say of a form that is shown again.
import type { ReplyDetails, Handlers } from '#ports/api/operation';
import type { pageOperations } from '#ports/api/pages';
import { Failure, isFailure, type FailureKind } from '#ports/failure';
import type { PageName, PageView, PageViews, Notice } from '#ports/pages';
import { isOwnPath } from '../own-path.js';

export const stale =
  'the form was open for too long, or cookies are switched off; please try again';
export const home = '/account';
export const toSignIn = { href: '/login?told=again', label: 'To sign-in' } as const;
/** Where a browser goes on to: a path of this server that it asked for, or the account. */
export const ownPath = (path: string | undefined): string =>
  path !== undefined && isOwnPath(path) ? path : home;
const after: Readonly<Record<string, string>> = {
  password: 'your password is set; sign in with it',
  out: 'you are signed out',
  changed: 'the password is changed, and every other session has ended',
  joined: 'you are a member now',
  ended: 'the session has ended',
  revoked: 'the key is revoked',
  program: 'the program has no access any more',
};
export const noticeOf = (word: string | undefined): Notice =>
  word !== undefined && Object.hasOwn(after, word) ? { done: after[word] } : {};

export const shown = <N extends PageName>(
  page: N,
  shows: PageViews[N],
  details: ReplyDetails = {},
) => ({
  ...details,
  body: { page, shows } as PageView, // a pair of the closed set, as the parameters say
});
/** A page with its status. */
export const show = <const S extends number, N extends PageName>(
  status: S,
  page: N,
  shows: PageViews[N],
  details: ReplyDetails = {},
) => ({ status, ...shown(page, shows, details) });
export const sentTo = (address: string, details: ReplyDetails = {}) =>
  ({ ...details, status: 303, secret: true, body: address }) as const;

/** A refusal as the form shows it again, where it has a status for it; the rest goes on as it is. */
export const shownAgain = <S extends number>(
  thrown: unknown,
  statuses: Readonly<Partial<Record<FailureKind, S>>>,
): {
  readonly status: S;
  readonly fault: string;
  readonly details: { readonly retryAfter?: number };
} => {
  const status = isFailure(thrown) ? statuses[thrown.kind] : undefined;
  if (!isFailure(thrown) || status === undefined) throw thrown;
  return {
    status,
    fault: thrown.message,
    details: thrown.retryAfter === undefined ? {} : { retryAfter: thrown.retryAfter },
  };
};
export const usual = { invalid: 400, forbidden: 403, throttled: 429 } as const;

/** The page of a link that no longer works. */
export const goneLink = (thrown: unknown, title: string, action: PageViews['gone']['action']) => {
  const { status, fault } = shownAgain(thrown, { absent: 404 });
  return show(status, 'gone', { title, says: fault, action });
};

export const requireText = (value: string | undefined, what: string): string => {
  if (value === undefined || value === '') throw new Failure('invalid', `${what} is missing`);
  return value;
};

/** What answers these rows. */
export type PageHandlers<Ids extends keyof typeof pageOperations> = Pick<
  Handlers<typeof pageOperations>,
  Ids
>;
