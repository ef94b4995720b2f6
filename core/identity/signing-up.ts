import { Failure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import { countTry } from './login-backoff.js';
import { sendLetter, sendsMail } from './mailing.js';
import type { IdentityNeeds, Origin } from './needs.js';
import { makeResetLink } from './resetting.js';
import { checkEmail } from './rules.js';
import { requirePasswords } from './ways.js';

export interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly password?: string;
}

/** A name that is an e-mail would be taken for its owner's, at sign-in and where members are added; only the owner may be called so. */
export const checkOwnName = (name: string, provedEmail: string | undefined): void => {
  if (name.includes('@') && name.toLowerCase() !== provedEmail?.toLowerCase())
    throw new Failure('invalid', 'a user name must not have the form of an e-mail');
};

export const requireSignUp = ({ settings }: Pick<IdentityNeeds, 'settings'>): void => {
  if (!settings.ORRERY_SIGN_UP)
    throw new Failure(
      'forbidden',
      'accounts are made by invitation here; ask an administrator for one',
    );
};

/** Makes an account for whoever asks. Rejects with `forbidden` where that is switched off. */
export const signUp = async (
  needs: IdentityNeeds,
  { name, email, password }: NewPerson,
  origin: Origin,
): Promise<{ readonly user: User; readonly apiKey: string; readonly workspace: string }> => {
  requireSignUp(needs);
  requirePasswords(needs.ways);
  checkEmail(email);
  checkOwnName(name, undefined);
  await countTry(needs, { kind: 'asking', of: origin.source });
  const { user, apiKey, workspace } = await needs.auth.addUser({
    name,
    email,
    ...(password === undefined ? {} : { password }),
  });
  await needs.audit.note({
    actorId: user.id,
    actorName: user.name,
    via: 'nobody',
    keyId: undefined,
    address: origin.address,
    action: 'signUp',
    thing: { kind: 'user', id: user.id, name: user.name },
    workspaceId: undefined,
    detail: {},
  });
  return { user, apiKey, workspace };
};

/** The link by which a new account gets its password, mailed where that is wished for; its secret is the token that the wire asks for. */
export const welcome = async (
  needs: IdentityNeeds,
  user: User,
  byMail: boolean,
): Promise<string> => {
  const { id, secret, link } = await makeResetLink(needs, user, undefined);
  if (byMail && user.email !== undefined && sendsMail(needs))
    void sendLetter(needs, {
      id,
      to: user.email,
      title: 'Welcome to Orrery',
      text: `The account ${user.name} was made. Set its password by the link below, which works once.`,
      link: { label: 'Set a password', address: link },
    }).catch(() => undefined); // told in the log where it failed
  return secret;
};

/** Whether an e-mail has an account; always not where nobody may sign up. */
export const isKnownEmail = async (
  needs: IdentityNeeds,
  email: string,
  origin: Origin,
): Promise<boolean> => {
  if (!needs.settings.ORRERY_SIGN_UP) return false;
  await countTry(needs, { kind: 'asking', of: origin.source });
  return (await needs.storage.stores.users.findUser({ email })) !== undefined;
};
