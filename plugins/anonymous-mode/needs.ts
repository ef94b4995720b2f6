import { Audit } from '#ports/audit';
import { Auth } from '#ports/auth';
import { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import { Log } from '#ports/log';
import { Operations } from '#ports/operations';
import { PluginTables, type PluginRow } from '#ports/plugin-tables';
import type { Resolved } from '#ports/port';
import { Secrets } from '#ports/secrets';
import { Settings } from '#ports/settings';
import type { TableChange } from '#ports/plugin';
import type { Caller } from '#ports/model/identity';

export const needs = {
  audit: Audit,
  auth: Auth,
  clock: Clock,
  log: Log,
  operations: Operations,
  tables: PluginTables,
  secrets: Secrets,
  settings: Settings,
};

/** What an installation may say of it. */
export interface Limits {
  readonly startsPerHour: number;
  readonly experiments: number;
  readonly storageMb: number;
}

export type AnonymousNeeds = Resolved<typeof needs> & { readonly limits: Limits };

/** `state` is `open`, `claimed` or `expired`. Token and key are kept as hashes. */
export const tables: readonly TableChange[] = [
  {
    create: 'guests',
    key: ['token_hash'],
    indexes: { by_key: ['key_hash'], by_state: ['state', 'made_at'] },
    columns: {
      token_hash: 'key',
      key_hash: 'key',
      key_id: 'key',
      user_name: 'key',
      user_id: 'key',
      workspace_id: 'key',
      workspace_name: 'key',
      state: 'key',
      made_at: 'whole',
    },
  },
  {
    create: 'starts',
    key: ['address', 'hour'],
    indexes: { by_hour: ['hour'] },
    columns: { address: 'key', hour: 'whole', n: 'whole' },
  },
];

export interface Guest {
  readonly tokenHash: string;
  readonly keyId: string;
  readonly userName: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly state: string;
  readonly madeAt: number;
}

export const toGuest = (row: PluginRow): Guest => ({
  tokenHash: String(row['token_hash']),
  keyId: String(row['key_id']),
  userName: String(row['user_name']),
  userId: String(row['user_id']),
  workspaceId: String(row['workspace_id']),
  workspaceName: String(row['workspace_name']),
  state: String(row['state']),
  madeAt: Number(row['made_at']),
});

/** The server itself, in the name of a guest that it made: what the guest may do, and what an administrator may. */
export const asServer = (
  { operations }: Pick<AnonymousNeeds, 'operations'>,
  { userId, userName, workspaceId }: Pick<Guest, 'userId' | 'userName' | 'workspaceId'>,
): Caller =>
  operations.forInstallation({
    id: userId,
    name: userName,
    kind: 'guest',
    defaultWorkspaceId: workspaceId,
  });

export const dayMs = 86_400_000;
export const expiresAt = ({ settings }: AnonymousNeeds, { madeAt }: Guest): number =>
  madeAt + settings.ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM * dayMs;

/** The guest behind a claim's token. Gone for good once claimed or expired. */
export const findGuest = async (
  { tables: own, secrets }: AnonymousNeeds,
  token: string,
): Promise<Guest | undefined> => {
  const row = await own.find('guests', { token_hash: secrets.hash(token) });
  return row === undefined ? undefined : toGuest(row);
};

interface ListedProject {
  readonly projectId: string;
  readonly projectName: string;
  readonly numberOfExperiments: number;
}
/** The projects of a guest's workspace. */
export const projectsOf = async (
  needs: AnonymousNeeds,
  guest: Guest,
): Promise<readonly ListedProject[]> =>
  (
    (await needs.operations.call(
      'listProjects',
      { query: { workspaceName: guest.workspaceName } },
      asServer(needs, guest),
    )) as { readonly projects: readonly ListedProject[] }
  ).projects; // that row's reply

/** Lets a failure pass that says that a thing is gone: an earlier try that broke off may have deleted it. */
export const passAbsent = (thrown: unknown): void => {
  if (!isFailure(thrown) || thrown.kind !== 'absent') throw thrown;
};

/** Ends a guest whose projects are gone from its workspace, and remembers why. */
export const endGuest = async (
  needs: AnonymousNeeds,
  guest: Guest,
  state: 'claimed' | 'expired',
): Promise<void> => {
  const { operations, tables: own, auth } = needs;
  await auth.revokeKey(guest.keyId);
  await operations
    .call('deleteUser', { params: { userName: guest.userName } }, asServer(needs, guest))
    .catch(passAbsent);
  await operations
    .call(
      'deleteWorkspace',
      { body: { workspaceName: guest.workspaceName, withContents: state === 'expired' } },
      asServer(needs, guest),
    )
    .catch(passAbsent);
  await own.transaction(async (inside) => {
    const row = await inside.find('guests', { token_hash: guest.tokenHash });
    if (row !== undefined) await inside.upsert('guests', { ...row, state });
  });
};
