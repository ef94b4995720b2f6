import { Failure } from '#ports/failure';
import type { Caller, Role, User } from '#ports/model/identity';
import type { Invitation } from '#ports/model/tickets';
import type { Workspace } from '#ports/model/workspaces';
import { countTry } from './login-backoff.js';
import { sendLetter, sendsMail } from './mailing.js';
import type { IdentityNeeds, Origin } from './needs.js';
import { makeTicket } from './resetting.js';
import { checkEmail } from './rules.js';
import { requirePasswords } from './ways.js';
import { checkOwnName } from './signing-up.js';

const dayMs = 24 * 3_600_000;

export interface Invited {
  readonly invitationId: string;
  /** The one-time link, where it was not mailed. */
  readonly link: string | null;
  readonly mailed: boolean;
  readonly expiresAt: number;
}

/** Invites a mailbox to a workspace. Rejects with `conflict` when its owner is a member already. */
export const inviteTo = async (
  needs: IdentityNeeds,
  workspace: Workspace,
  { email, role }: { readonly email: string; readonly role: Role },
  by: Caller,
): Promise<Invited> => {
  const {
    storage: { stores },
    settings,
  } = needs;
  checkEmail(email);
  const known = await stores.users.findUser({ email });
  if (
    known?.emailProved === true &&
    (await stores.members.findMember(workspace.id, known.id)) !== undefined
  )
    throw new Failure(
      'conflict',
      `the owner of that mailbox is a member of ${workspace.name} already`,
    );
  if (sendsMail(needs)) await countTry(needs, { kind: 'mailbox', of: email.toLowerCase() });
  const make = async (mailed: boolean) => {
    const { ticket, secret } = await makeTicket(
      needs,
      { kind: 'invitation', email, mailed, workspaceId: workspace.id, role, madeBy: by.userId },
      settings.ORRERY_INVITATION_DAYS * dayMs,
    );
    return { ticket, link: `${settings.baseUrl}/invitation/${secret}` };
  };
  if (sendsMail(needs)) {
    const { ticket, link } = await make(true);
    const mailed = await sendLetter(needs, {
      id: ticket.id,
      to: email,
      title: `${by.userName} invites you to ${workspace.name}`,
      link: { label: 'Accept the invitation', address: link },
      text: `You are invited to the workspace ${workspace.name} on Orrery. The link below works once, for ${settings.ORRERY_INVITATION_DAYS} days.`,
    });
    if (mailed) return { invitationId: ticket.id, link: null, mailed, expiresAt: ticket.expiresAt };
    // Whoever invites gets a link of its own: one that somebody was told proves no mailbox.
    await stores.tickets.remove(ticket.id);
  }
  const { ticket, link } = await make(false);
  return { invitationId: ticket.id, link, mailed: false, expiresAt: ticket.expiresAt };
};

const gone = () =>
  new Failure('absent', 'the invitation was used, taken back, or has expired; ask for a new one');

export interface OpenInvitation {
  readonly invitation: Invitation;
  readonly workspace: Workspace;
}

/** An invitation that stands, and where it leads. Rejects with `absent`. */
export const readInvitation = async (
  { storage: { stores }, clock, secrets }: IdentityNeeds,
  secret: string,
): Promise<OpenInvitation> => {
  const ticket = await stores.tickets.findByHash('invitation', secrets.hash(secret), clock.now());
  const workspace =
    ticket?.workspaceId === undefined
      ? undefined
      : await stores.workspaces.findById(ticket.workspaceId);
  if (ticket?.email === undefined || ticket.role === undefined || workspace === undefined)
    throw gone();
  return {
    invitation: { ...ticket, workspaceId: workspace.id, role: ticket.role, email: ticket.email },
    workspace,
  };
};

/** Uses an invitation up while `work` is done by it; where that is refused, it stands again. */
const using = async <T>(
  { storage: { stores }, clock, secrets }: IdentityNeeds,
  secret: string,
  work: () => Promise<T>,
): Promise<T> => {
  const hash = secrets.hash(secret);
  const taken = await stores.tickets.take('invitation', hash, clock.now());
  if (taken === undefined) throw gone();
  try {
    return await work();
  } catch (thrown) {
    await stores.tickets.insert({ ...taken, hash });
    throw thrown;
  }
};

const noteAccepted = (
  { audit }: IdentityNeeds,
  { invitation, workspace }: OpenInvitation,
  user: Pick<User, 'id' | 'name'>,
  made: boolean,
  origin: Origin,
) =>
  audit.note({
    actorId: user.id,
    actorName: user.name,
    via: 'nobody',
    keyId: invitation.id,
    address: origin.address,
    action: 'acceptInvitation',
    thing: { kind: 'user', id: user.id, name: user.name },
    workspaceId: workspace.id,
    detail: { role: invitation.role, made, invitedBy: invitation.madeBy },
  });

/** The caller joins. Rejects with `conflict` for a member. */
export const joinByInvitation = async (
  needs: IdentityNeeds,
  secret: string,
  caller: Caller,
  origin: Origin,
): Promise<Workspace> => {
  const open = await readInvitation(needs, secret);
  const { invitation, workspace } = open;
  if (caller.kind !== 'person' || caller.scope !== undefined)
    throw new Failure(
      'forbidden',
      'an invitation is accepted by a person, with a session or a key that is not narrowed',
    );
  if (caller.roles.has(workspace.id))
    throw new Failure('conflict', `${caller.userName} is a member of ${workspace.name} already`);
  await using(needs, secret, async () => {
    await noteAccepted(needs, open, { id: caller.userId, name: caller.userName }, false, origin);
    await needs.auth.setRole(workspace.id, caller.userId, invitation.role, invitation.permissions);
  });
  return workspace;
};

/** An account is made for the mailbox that was invited, and joins. Rejects with `conflict` where the name or the mailbox has one already. */
export const enterByInvitation = async (
  needs: IdentityNeeds,
  secret: string,
  { name, password }: { readonly name: string; readonly password: string },
  origin: Origin,
): Promise<{ readonly user: User; readonly apiKey: string; readonly workspace: Workspace }> => {
  const open = await readInvitation(needs, secret);
  const { invitation, workspace } = open;
  requirePasswords(needs.ways);
  checkOwnName(name, invitation.mailed ? invitation.email : undefined);
  needs.auth.checkNewPassword(password, { name, email: invitation.email });
  const made = await using(needs, secret, () =>
    needs.auth.addUser({
      name,
      email: invitation.email,
      emailProved: invitation.mailed,
      password,
      workspace: null,
    }),
  );
  await needs.auth.setRole(workspace.id, made.user.id, invitation.role, invitation.permissions);
  await needs.storage.stores.users.setDefaultWorkspace(made.user.id, workspace.id);
  await needs.auth.forget(made.user.id);
  await noteAccepted(needs, open, made.user, true, origin);
  return { ...made, workspace };
};
