// A session that ended under the page, or was replaced by another: a page that is looked at goes on with the new one.
import type { Signal } from '@preact/signals';
import type { identityOperations } from '#ports/api/identity';
import type { Static } from '#ports/api/schema';
import { addressIn } from '../pure/address.js';

export type Session = Static<(typeof identityOperations)['whoAmI']['replies'][200]>;

/** The session that a page has. */
export interface Held {
  readonly session: Signal<Session | undefined>;
  readonly sessionEnded: Signal<boolean>;
  /** Asks once more for what was refused. */
  readonly askAgain: () => void;
}

/** Who is signed in in this browser now; nothing where nobody is, or the server does not say. */
const whoIsHere = async (): Promise<Session | undefined> => {
  try {
    const reply = await fetch(addressIn('/api/auth/session'));
    return reply.ok ? ((await reply.json()) as Session) : undefined; // as its row says
  } catch {
    return undefined; // it is away
  }
};

/**
 * Takes over a session that began since the page was opened, and says whether there is one. One of somebody else is not taken: what is shown, and written,
 * is of whoever it was opened by.
 */
export const hasNewSession = async ({ session, sessionEnded }: Held): Promise<boolean> => {
  const [before, now] = [session.value, await whoIsHere()];
  if (before === undefined || now === undefined || now.csrfToken === before.csrfToken) return false;
  if (now.userName !== before.userName) {
    sessionEnded.value = true;
    return false;
  }
  session.value = now;
  return true;
};

/** Looks whether one has signed in again whenever one comes back to the page, until that is so. */
export const lookForSession = (held: Held): void => {
  const look = async () => {
    if (document.hidden || !(await hasNewSession(held))) return;
    for (const name of ['visibilitychange', 'focus']) removeEventListener(name, onReturn, true);
    held.sessionEnded.value = false;
    held.askAgain();
  };
  const onReturn = () => void look();
  for (const name of ['visibilitychange', 'focus']) addEventListener(name, onReturn, true);
};
