import { Failure } from '#ports/failure';
import { beginnings } from '#ports/model/credentials';
import type { Caller, User } from '#ports/model/identity';
import type { Ticket } from '#ports/model/tickets';
import { countTry, forgive } from './login-backoff.js';
import { sendLetter, sendsMail } from './mailing.js';
import type { IdentityNeeds, Origin } from './needs.js';
import { requirePasswords } from './ways.js';

const minuteMs = 60_000;

/** A new ticket and its secret, which is not kept. */
export const makeTicket = async (
  { storage, clock, ids, secrets }: IdentityNeeds,
  given: Pick<Ticket, 'kind'> & Partial<Ticket>,
  lifeMs: number,
): Promise<{ readonly ticket: Ticket; readonly secret: string }> => {
  const now = clock.now();
  const secret = `${beginnings.ticket}${secrets.token()}`;
  const ticket: Ticket = {
    userId: undefined,
    email: undefined,
    mailed: false,
    workspaceId: undefined,
    role: undefined,
    permissions: [],
    madeBy: undefined,
    ...given,
    id: ids.next(),
    createdAt: now,
    expiresAt: now + lifeMs,
  };
  await storage.stores.tickets.insert({ ...ticket, hash: secrets.hash(secret) });
  return { ticket, secret };
};

/** A link by which a user sets a password once. One that goes to nobody but the mailbox `mailedTo` proves, when it is used, whose mailbox that is. */
export const makeResetLink = async (
  needs: IdentityNeeds,
  user: User,
  by: Caller | undefined,
  mailedTo?: string,
): Promise<{
  readonly id: string;
  readonly secret: string;
  readonly link: string;
  readonly expiresAt: number;
}> => {
  requirePasswords(needs.ways);
  if (user.kind !== 'person' || user.suspendedAt !== undefined)
    throw new Failure('invalid', `${user.name} does not sign in by password`);
  const { ticket, secret } = await makeTicket(
    needs,
    {
      kind: 'reset',
      userId: user.id,
      madeBy: by?.userId,
      ...(mailedTo === undefined ? {} : { email: mailedTo, mailed: true }),
    },
    needs.settings.ORRERY_RESET_MINUTES * minuteMs,
  );
  return {
    id: ticket.id,
    secret,
    link: `${needs.settings.baseUrl}/password/reset/${secret}`,
    expiresAt: ticket.expiresAt,
  };
};

const mailResetLink = async (needs: IdentityNeeds, name: string): Promise<void> => {
  const { users } = needs.storage.stores;
  const user = (await users.findUser({ name })) ?? (await users.findUser({ email: name }));
  if (
    user?.email === undefined ||
    user.kind !== 'person' ||
    user.suspendedAt !== undefined ||
    !sendsMail(needs)
  )
    return;
  await countTry(needs, { kind: 'mailbox', of: user.email.toLowerCase() });
  const { id, link } = await makeResetLink(needs, user, undefined, user.email);
  await sendLetter(needs, {
    id,
    to: user.email,
    title: 'Set a new password',
    link: { label: 'Set a new password', address: link },
    text: `Somebody, probably you, asked to set a new password for the account ${user.name}. The link below works once, for ${needs.settings.ORRERY_RESET_MINUTES} minutes. If it was not you, nothing has to be done.`,
  });
};

/** Takes the wish for a link and answers at once, so that neither words nor time tell who has an account. Rejects with `throttled` when one address asks too often. */
export const askForReset = async (
  needs: IdentityNeeds,
  name: string,
  origin: Origin,
): Promise<void> => {
  requirePasswords(needs.ways);
  await countTry(needs, { kind: 'asking', of: origin.source });
  void mailResetLink(needs, name).catch((error: unknown) => {
    needs.log.warn('a link to set a password was asked for and not sent', { error });
  });
};

const gone = () =>
  new Failure('absent', 'the link was used already or has expired; ask for a new one');

/** Whose password a link sets, while it stands. Rejects with `absent`. */
export const readReset = async (
  { storage: { stores }, clock, secrets }: IdentityNeeds,
  secret: string,
): Promise<User> => {
  const ticket = await stores.tickets.findByHash('reset', secrets.hash(secret), clock.now());
  const user =
    ticket?.userId === undefined ? undefined : await stores.users.findUser({ id: ticket.userId });
  if (user === undefined || user.suspendedAt !== undefined) throw gone();
  return user;
};

/** Sets a password by a link, which is used up by it; every session of the user ends. */
export const setByReset = async (
  needs: IdentityNeeds,
  secret: string,
  newPassword: string,
  origin: Origin,
): Promise<User> => {
  const {
    auth,
    audit,
    storage: { stores },
    secrets,
    clock,
  } = needs;
  requirePasswords(needs.ways);
  const user = await readReset(needs, secret);
  auth.checkNewPassword(newPassword, user);
  const ticket = await stores.tickets.take('reset', secrets.hash(secret), clock.now());
  if (ticket === undefined) throw gone();
  await audit.note({
    actorId: undefined,
    actorName: undefined,
    via: 'nobody',
    keyId: ticket.id,
    address: origin.address,
    action: 'setByReset',
    thing: { kind: 'user', id: user.id, name: user.name },
    workspaceId: undefined,
    detail: {},
  });
  if (ticket.mailed && ticket.email !== undefined)
    await auth.setPasswordByMail(user.id, newPassword, ticket.email);
  else await auth.setPassword(user.id, newPassword);
  await stores.tickets.removeOf(user.id, 'reset');
  await forgive(needs, user);
  return user;
};
