import { Failure } from '#ports/failure';
import { beginnings } from '#ports/model/credentials';
import { asServer, type AnonymousNeeds } from './needs.js';

const hourMs = 3_600_000;

/** Counts a start of an address, of IPv6 of its network; refuses with `throttled` one too many in an hour. */
const countStart = async (
  { tables, clock, limits }: AnonymousNeeds,
  source: string,
): Promise<void> => {
  const now = clock.now();
  const key = { address: source.slice(0, 100) || 'unknown', hour: Math.floor(now / hourMs) };
  if ((await tables.increment('starts', key, 'n', 1)) > limits.startsPerHour)
    throw new Failure(
      'throttled',
      `at most ${limits.startsPerHour} anonymous keys are given to an address in an hour`,
      { retryAfter: Math.ceil(((key.hour + 1) * hourMs - now) / 1000) },
    );
};

const secretPart = (apiKey: string): string => apiKey.split('*', 1)[0] ?? '';

/** Makes a guest with a workspace, a public project and a key. */
export const start = async (
  needs: AnonymousNeeds,
  source: string,
): Promise<{ readonly apiKey: string; readonly claimUrl: string }> => {
  const { auth, clock, limits, operations, secrets, settings, tables } = needs;
  await countStart(needs, source);
  const name = `anonymous-${secrets.code(12).toLowerCase()}`;
  const { user, workspace, apiKey } = await auth.addUser({ name, kind: 'guest' });
  const caller = await auth.identify(apiKey);
  if (caller === undefined || user.defaultWorkspaceId === undefined)
    throw new Error('a guest that was just made is not known');
  const token = `${beginnings.ticket}${secrets.token()}`;
  const guest = { userId: user.id, userName: user.name, workspaceId: user.defaultWorkspaceId };
  // Written down first: whatever fails from here on is found by the job that ends guests.
  await tables.insert('guests', {
    token_hash: secrets.hash(token),
    key_hash: secrets.hash(secretPart(apiKey)),
    key_id: caller.keyId,
    user_name: user.name,
    user_id: user.id,
    workspace_id: guest.workspaceId,
    workspace_name: workspace,
    state: 'open',
    made_at: clock.now(),
  });
  await operations.call(
    'setWorkspaceQuota',
    {
      body: {
        workspaceName: workspace,
        experiments: limits.experiments,
        storageMb: limits.storageMb,
      },
    },
    asServer(needs, guest),
  );
  await operations.call(
    'createProject',
    { body: { workspaceName: workspace, projectName: 'general', isPublic: true } },
    asServer(needs, guest),
  );
  return { apiKey, claimUrl: `${settings.baseUrl}/claim/${token}` };
};

/** Whether a key is a guest's that still logs; `null` for a key that is nobody's here, or somebody's with an account. */
export const isActive = async (
  { tables, secrets }: AnonymousNeeds,
  apiKey: string,
): Promise<boolean | null> => {
  const [row] = await tables.list(
    'guests',
    'by_key',
    { key_hash: secrets.hash(secretPart(apiKey)) },
    { limit: 1 },
  );
  return row === undefined ? null : row['state'] === 'open';
};

/** Forgets counts of hours that are over. */
export const forgetStarts = async ({ tables, clock }: AnonymousNeeds): Promise<void> => {
  const hour = Math.floor(clock.now() / hourMs);
  for (let back = 1; back <= 48; back++)
    for (const row of await tables.list(
      'starts',
      'by_hour',
      { hour: hour - back },
      { limit: 1000 },
    ))
      await tables.remove('starts', { address: row['address'] ?? '', hour: row['hour'] ?? 0 });
};
