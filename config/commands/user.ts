// `orrery user`: people at the command line, also before anybody can sign in.
import { Failure } from '#ports/failure';
import { openAuth } from '../opening.js';
import { knownAddress } from '../data-folder.js';
import { requireSchema } from '../first-start.js';
import type { Output } from '../output.js';
import { makePassword } from '../sign-in.js';
import { withStorage } from '../with-storage.js';
import { readSettings } from './shared.js';

export interface NewUserOptions {
  readonly workspace?: string;
  readonly apiKey?: string;
  readonly password?: string;
  readonly generatePassword?: boolean;
  readonly email?: string;
  readonly admin?: boolean;
}

/** Makes a user and prints the key, and how the user gets to sign in. */
export const addUser = (name: string, options: NewUserOptions, output: Output): Promise<void> => {
  const loaded = readSettings();
  const { values } = loaded;
  if (options.password !== undefined && options.generatePassword === true)
    throw new Failure('invalid', '--password and --generate-password exclude each other');
  return withStorage(loaded, async (opened) => {
    await requireSchema(opened, values);
    const address = knownAddress(loaded);
    const password =
      options.generatePassword === true ? makePassword(values, name) : options.password;
    const { user, workspace, apiKey } = await openAuth(opened.storage, values, address).addUser({
      name,
      admin: options.admin === true,
      workspace: options.workspace,
      apiKey: options.apiKey,
      password,
      ...(options.email === undefined ? {} : { email: options.email, emailProved: true }),
    });
    process.stdout.write(
      `${JSON.stringify({ user: user.name, workspace, apiKey, admin: user.admin, ...(options.generatePassword === true ? { password } : {}) })}\n`,
    );
    if (password === undefined)
      output.note(
        `${user.name} has no password and cannot sign in yet: "orrery user reset ${user.name}" makes one, and so does the link of "orrery call makeResetLink '{"userName": "${user.name}"}'"`,
      );
    if (address === undefined && values.SMART_API_KEY_ENABLED)
      output.note(
        'the key carries no address, since no server has been reached here yet: clients need COMET_URL_OVERRIDE beside it, or set ORRERY_BASE_URL and make another',
      );
  });
};

/** Gives a user a new password and a further key, for whom has neither any more. */
export const resetUser = (name: string, output: Output): Promise<void> => {
  const loaded = readSettings();
  const { values } = loaded;
  return withStorage(loaded, async (opened) => {
    await requireSchema(opened, values);
    const { stores } = opened.storage;
    const user = await stores.users.findUser({ name });
    if (user === undefined) throw new Failure('absent', `there is no user ${name.slice(0, 100)}`);
    if (user.suspendedAt !== undefined)
      throw new Failure('conflict', `${user.name} is suspended: lift that first`);
    const auth = openAuth(opened.storage, values, knownAddress(loaded));
    const password = user.kind === 'person' ? makePassword(values, user.name) : undefined;
    if (password !== undefined) await auth.setPassword(user.id, password);
    const issued = user.viewOnly ? undefined : await auth.issueKey(user.id, { name: 'reset' });
    process.stdout.write(
      `${JSON.stringify({ user: user.name, ...(password === undefined ? {} : { password }), ...(issued === undefined ? {} : { apiKey: issued.apiKey }) })}\n`,
    );
    output.note(
      'every session of this user has ended; keys made before still work: "orrery call listUserKeys" and "orrery call revokeUserKey" end them',
    );
  });
};
