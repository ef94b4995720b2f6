// What happens when a server meets a database: its schema, and the first administrator.
import { Failure, isFailure } from '#ports/failure';
import type { Auth } from '#ports/auth';
import type { OpenedStorage } from './drivers.js';
import type { SettingValues } from './settings.js';
import { makePassword } from './sign-in.js';

/** Brings the schema up to date where that is this start's to do, else rejects with a sentence that says what to run. */
export const requireSchema = async (
  { storage, migratesItself }: OpenedStorage,
  values: SettingValues,
): Promise<number> => {
  await storage.migrations.settled();
  const status = await storage.migrations.status();
  const newer = status.find((change) => !change.known);
  if (newer !== undefined)
    throw new Failure(
      'conflict',
      `the database has been changed by a newer release (${newer.name})`,
    );
  const waiting = status.filter((change) => change.at === undefined).length;
  if (waiting === 0) return 0;
  if (migratesItself || values.ORRERY_MIGRATE === 'auto' || (await storage.migrations.isEmpty()))
    return storage.migrations.up();
  throw new Failure(
    'conflict',
    `the database schema is ${waiting} changes behind; run "orrery migrate up", or set ORRERY_MIGRATE=auto`,
  );
};

export interface FirstAdministrator {
  readonly user: string;
  readonly workspace: string;
  /** Told only when they were generated: what somebody chose is known, and output is kept in logs. */
  readonly apiKey: string | undefined;
  readonly password: string | undefined;
}

/** Makes the administrator when there is no user yet; otherwise leaves everything alone. */
export const requireAdministrator = async (
  { storage }: OpenedStorage,
  auth: Auth,
  values: SettingValues,
): Promise<FirstAdministrator | undefined> => {
  if ((await storage.stores.users.countUsers()) > 0) return undefined;
  const password =
    values.ORRERY_ADMIN_PASSWORD === ''
      ? makePassword(values, values.ORRERY_ADMIN_USER)
      : values.ORRERY_ADMIN_PASSWORD;
  const request = {
    name: values.ORRERY_ADMIN_USER,
    admin: true,
    password,
    ...(values.ORRERY_ADMIN_WORKSPACE === '' ? {} : { workspace: values.ORRERY_ADMIN_WORKSPACE }),
    ...(values.ORRERY_ADMIN_API_KEY === '' ? {} : { apiKey: values.ORRERY_ADMIN_API_KEY }),
  };
  // Another process that started at the same time may have been first.
  const made = await auth.addUser(request).catch(async (thrown: unknown) => {
    if (
      isFailure(thrown) &&
      thrown.kind === 'conflict' &&
      (await storage.stores.users.countUsers()) > 0
    )
      return undefined;
    throw thrown;
  });
  if (made === undefined) return undefined;
  return {
    user: made.user.name,
    workspace: made.workspace,
    apiKey: values.ORRERY_ADMIN_API_KEY === '' ? made.apiKey : undefined,
    password: values.ORRERY_ADMIN_PASSWORD === '' ? password : undefined,
  };
};

/** The name of the only account, where nobody has used its key or signed in by it: its secrets may have been lost before they were read. */
export const findUnused = async ({
  storage: { stores, now },
}: OpenedStorage): Promise<string | undefined> => {
  if ((await stores.users.countUsers()) !== 1) return undefined;
  const user = await stores.users.findUser({ id: (await stores.users.firstUserId()) ?? '' });
  if (user === undefined) return undefined;
  const [keys, sessions] = [
    await stores.apiKeys.listKeys(user.id),
    await stores.sessions.listOf(user.id, await now()),
  ];
  return sessions.length === 0 && keys.every(({ lastUsedAt }) => lastUsedAt === undefined)
    ? user.name
    : undefined;
};
