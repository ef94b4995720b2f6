import { Failure, isFailure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import { countTry } from './guarding.js';
import { sendLetter, sendsMail } from './mailing.js';
import type { IdentityNeeds, Origin } from './needs.js';
import { makeResetLink } from './resetting.js';
import { checkEmail, sourceOf } from './rules.js';

export interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly password?: string;
}

/** A name that is somebody's e-mail would be taken for it, at sign-in and where members are added. */
export const checkOwnName = ({ name, email }: Pick<NewPerson, 'name' | 'email'>): void => {
  if (name.includes('@') && name.toLowerCase() !== email.toLowerCase()) throw new Failure('invalid', 'a user name must not be the e-mail of somebody else');
};

/** A workspace of the person's own: one that exists under the name is left alone. */
const makeHome = async ({ storage, auth, clock, ids, secrets }: IdentityNeeds, user: User): Promise<void> => {
  for (let tries = 0; ; tries++) {
    const [id, name] = [ids.next(), tries === 0 ? user.name : `${user.name.slice(0, 70)}-${secrets.code(5)}`];
    try {
      await storage.transaction(async ({ workspaces, identity }) => {
        await workspaces.insert({ id, name, ownerId: user.id, createdAt: clock.now() });
        await identity.setRole(id, user.id, 'admin', []);
        await identity.setDefaultWorkspace(user.id, id);
      });
      await auth.forget(user.id);
      return;
    } catch (thrown) {
      if (!isFailure(thrown) || thrown.kind !== 'conflict' || tries > 4) throw thrown;
    }
  }
};

export const requireSignUp = ({ settings }: Pick<IdentityNeeds, 'settings'>): void => {
  if (!settings.ORRERY_SIGN_UP) throw new Failure('forbidden', 'accounts are made by invitation here; ask an administrator for one');
};

/** Makes an account for whoever asks. Rejects with `forbidden` where that is switched off. */
export const signUp = async (needs: IdentityNeeds, { name, email, password }: NewPerson, origin: Origin): Promise<{ readonly user: User; readonly apiKey: string }> => {
  requireSignUp(needs);
  checkEmail(email);
  checkOwnName({ name, email });
  await countTry(needs, { kind: 'asking', of: sourceOf(origin.address) });
  const { user, apiKey } = await needs.auth.addUser({ name, email, workspace: null, ...(password === undefined ? {} : { password }) });
  await makeHome(needs, user);
  await needs.audit.note({ actorId: user.id, actorName: user.name, via: 'nobody', keyId: undefined, address: origin.address, action: 'signUp', thing: { kind: 'user', id: user.id, name: user.name }, workspaceId: undefined, detail: {} });
  return { user, apiKey };
};

/** The link by which a new account gets its password, mailed where that is wished for; its secret is the token that the wire asks for. */
export const welcome = async (needs: IdentityNeeds, user: User, byMail: boolean): Promise<string> => {
  const { id, secret, link } = await makeResetLink(needs, user, undefined);
  if (byMail && user.email !== undefined && sendsMail(needs)) void sendLetter(needs, { id, to: user.email, title: 'Welcome to Orrery', text: `The account ${user.name} was made. Set its password by the link below, which works once.`, link: { label: 'Set a password', address: link } }).catch(() => undefined); // told in the log where it failed
  return secret;
};

/** Whether an e-mail has an account; always not where nobody may sign up. */
export const isKnownEmail = async (needs: IdentityNeeds, email: string, origin: Origin): Promise<boolean> => {
  if (!needs.settings.ORRERY_SIGN_UP) return false;
  await countTry(needs, { kind: 'asking', of: sourceOf(origin.address) });
  return (await needs.storage.stores.identity.findUser({ email })) !== undefined;
};
