import type { Clock } from '#ports/clock';
import type { Stores } from '#ports/storage/storage';
import { sendLetter, sendsMail, type Letter } from './mailing.js';
import type { IdentityNeeds } from './needs.js';
import { backOffs } from './rules.js';

const atOnce = 1000;
const longest = Math.max(...Object.values(backOffs).map(({ forgetMs }) => forgetMs));

/** Forgets sessions and one-time tickets that ended, and tries that count no more. */
export const sweepIdentity = async ({
  stores: { sessions, tickets, attempts },
  clock,
  signal,
}: {
  readonly stores: Pick<Stores, 'sessions' | 'tickets' | 'attempts'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<void> => {
  const now = clock.now();
  const sweeps = [
    () => sessions.removeEnded(now, atOnce),
    () => tickets.removeExpired(now, atOnce),
    () => attempts.removeBefore(now - longest, atOnce),
  ];
  for (const sweep of sweeps) while (!signal.aborted && (await sweep()) === atOnce);
};

export interface MailNeeds extends Pick<
  IdentityNeeds,
  'storage' | 'notifiers' | 'clock' | 'ids' | 'log'
> {
  readonly settings: Pick<IdentityNeeds['settings'], 'baseUrl'>;
}

const happened = {
  made: 'was made for',
  replaced: 'was replaced by another for',
  ended: 'was revoked for',
} as const;

/** The mailbox that is proved to be a user's; `undefined` for programs and for whoever may not come in. */
const findMailbox = async (
  { storage }: Pick<MailNeeds, 'storage'>,
  userId: string,
): Promise<{ readonly name: string; readonly email: string } | undefined> => {
  const user = await storage.stores.users.findUser({ id: userId });
  return user?.email === undefined ||
    !user.emailProved ||
    user.kind !== 'person' ||
    user.suspendedAt !== undefined
    ? undefined
    : { name: user.name, email: user.email };
};

const mailKeyChange = async (
  needs: MailNeeds,
  { userId, name }: { readonly userId: string; readonly name: string },
  what: keyof typeof happened,
): Promise<void> => {
  const user = await findMailbox(needs, userId);
  if (user === undefined) return;
  await sendLetter(needs, {
    id: needs.ids.next(),
    to: user.email,
    title: `An API key ${what === 'ended' ? 'was revoked' : what === 'made' ? 'was made' : 'was replaced'}`,
    link: { label: 'Look at your keys', address: `${needs.settings.baseUrl}/account` },
    text: `The API key "${name}" ${happened[what]} your account ${user.name}. If that was neither you nor an administrator, revoke the key and set a new password.`,
  });
};

/** Mails the owner of a key that it was made, replaced or revoked, where the mailbox was proved to be theirs. It holds nothing up and fails nothing. */
export const tellKeyChange = (
  needs: MailNeeds,
  key: { readonly userId: string; readonly name: string },
  what: keyof typeof happened,
): void => {
  if (sendsMail(needs))
    void mailKeyChange(needs, key, what).catch((error: unknown) => {
      needs.log.warn('the owner of a key was not told of its change', { error });
    });
};

export type LetterNeeds = Pick<
  IdentityNeeds,
  'storage' | 'notifiers' | 'clock' | 'ids' | 'log' | 'secrets'
>;

/** How many letters a program may have sent to its own user in an hour of the clock. */
const lettersPerHour = 20;
const hourMs = 3_600_000;

/** Counts one more letter to a user in this hour; whether it may go out. */
const countLetter = async (
  {
    storage: {
      stores: { attempts },
    },
    clock,
    secrets,
  }: LetterNeeds,
  userId: string,
): Promise<boolean> => {
  const key = secrets.hash(`letter:${userId}:${Math.floor(clock.now() / hourMs)}`);
  // Whoever is overtaken was overtaken by a letter that counts, so this ends when the hour is full.
  for (let turn = 0; turn <= lettersPerHour; turn++) {
    const seen = await attempts.find(key);
    const sent = seen?.tries ?? 0;
    if (sent >= lettersPerHour) return false;
    if (await attempts.replace(key, seen, { tries: sent + 1, lastAt: clock.now() })) return true;
  }
  return false;
};

/** Mails a user, where the mailbox was proved to be theirs; what exceeds twenty letters an hour is dropped. */
export const mailUser = async (
  needs: LetterNeeds,
  userId: string,
  letter: Omit<Letter, 'id' | 'to'>,
): Promise<void> => {
  const user = await findMailbox(needs, userId);
  if (user !== undefined && (await countLetter(needs, userId)))
    await sendLetter(needs, { ...letter, id: needs.ids.next(), to: user.email });
};

/** The same for what a user's own program wants them to know. It holds nothing up and fails nothing. */
export const tellUser = (
  needs: LetterNeeds,
  userId: string,
  letter: Omit<Letter, 'id' | 'to'>,
): void => {
  if (sendsMail(needs))
    void mailUser(needs, userId, letter).catch((error: unknown) => {
      needs.log.warn('a user was not told of a run', { error });
    });
};
