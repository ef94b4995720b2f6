// Pairs of tokens: made from a code or from the refresh token before them, given back, ended when one is seen twice.
import type { Audit } from '#ports/audit';
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import { beginnings } from '#ports/model/credentials';
import type { Role, User } from '#ports/model/identity';
import type { OAuthClient, OAuthFamily, Revocation } from '#ports/model/oauth';
import type { Secrets } from '#ports/secrets';
import type { NewToken } from '#ports/storage/oauth';
import type { StorageOf, Stores } from '#ports/storage/storage';
import { isVerifier, judgeRefresh, type Texts } from './rules.js';
import type { OAuthSettings } from './settings.js';

export interface TokenNeeds {
  readonly storage: StorageOf<'members' | 'oauth' | 'users' | 'workspaces'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly settings: OAuthSettings;
  readonly auth: Auth;
  readonly audit: Audit;
}

export type TokenRequest = Texts<
  | 'grant_type'
  | 'code'
  | 'redirect_uri'
  | 'client_id'
  | 'code_verifier'
  | 'refresh_token'
  | 'resource'
>;

export interface Pair {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly workspace_id: string;
  readonly workspace_name: string;
}

/** One sentence for every reason: what is wrong with a code or a token is nobody's business who does not hold a right one. */
const invalidGrant = () =>
  new Failure(
    'invalid',
    'the code or refresh token is unknown, used, expired, revoked or not of this client',
    { word: 'invalid_grant' },
  );
const foreignResource = () =>
  new Failure('invalid', 'resource is not what was consented to', { word: 'invalid_target' });
const requireKnown = async ({ storage }: TokenNeeds, id: string): Promise<OAuthClient> => {
  const client = await storage.stores.oauth.findClient(id);
  if (client === undefined)
    throw new Failure('invalid', 'the client is not known', { word: 'invalid_client' });
  return client;
};
const seconds = 1000;

/** Whether somebody reaches a workspace. */
export const reaches = (
  { admin, kind, restricted, suspendedAt }: User,
  role: Role | undefined,
): boolean =>
  suspendedAt === undefined && (role !== undefined || admin || (kind === 'service' && !restricted));

/** The workspace's name, as long as the user may still act there. */
const nameOfAllowed = async (
  stores: Pick<Stores, 'users' | 'members' | 'workspaces'>,
  { userId, workspaceId }: Pick<OAuthFamily, 'userId' | 'workspaceId'>,
): Promise<string | undefined> => {
  const [user, reach, workspace] = [
    await stores.users.findUser({ id: userId }),
    await stores.members.findReach(userId),
    await stores.workspaces.findById(workspaceId),
  ];
  return user !== undefined && reaches(user, reach.roles.get(workspaceId))
    ? workspace?.name
    : undefined;
};

/** A pair that goes to a client, and what is kept of it. */
const makePair = (
  { ids, secrets, settings }: TokenNeeds,
  family: OAuthFamily,
  workspaceName: string,
  rotatedFrom: string | undefined,
  now: number,
): { readonly pair: Pair; readonly kept: readonly NewToken[] } => {
  const [access, refresh] = [
    `${beginnings.access}${secrets.token()}`,
    `${beginnings.refresh}${secrets.token()}`,
  ];
  const common = {
    familyId: family.id,
    rotatedFrom,
    pairs: 0,
    createdAt: now,
    revokedAt: undefined,
    reason: undefined,
  };
  const end = (life: number): number => Math.min(now + life * seconds, family.expiresAt);
  const expiresAt = end(settings.ORRERY_OAUTH_ACCESS_SECONDS);
  return {
    pair: {
      access_token: access,
      refresh_token: refresh,
      token_type: 'Bearer',
      expires_in: Math.floor((expiresAt - now) / seconds),
      workspace_id: family.workspaceId,
      workspace_name: workspaceName,
    },
    kept: [
      { ...common, id: ids.next(), kind: 'access', hash: secrets.hash(access), expiresAt },
      {
        ...common,
        id: ids.next(),
        kind: 'refresh',
        hash: secrets.hash(refresh),
        expiresAt: end(settings.ORRERY_OAUTH_REFRESH_SECONDS),
      },
    ],
  };
};

/** Tells of a family that ended, and lets go what was remembered of its tokens. */
const tellEnded = async (
  { auth, audit }: TokenNeeds,
  family: OAuthFamily,
  reason: Revocation,
): Promise<void> => {
  await auth.forget(family.userId);
  await audit.note({
    actorId: undefined,
    actorName: undefined,
    via: 'system',
    keyId: undefined,
    address: undefined,
    action: 'endTokenFamily',
    thing: { kind: 'oauthFamily', id: family.id, name: undefined },
    workspaceId: family.workspaceId,
    detail: { reason, clientId: family.clientId, userId: family.userId },
  });
};

/** A code that is seen twice ends what was made from it, and what is being made from it: of two who forget a code, one succeeds. */
const endReused = async (needs: TokenNeeds, hash: string, now: number): Promise<void> => {
  const ended = await needs.storage.transaction(async ({ oauth }) => {
    await oauth.removeCode(hash);
    return oauth.revokeFamily({ codeHash: hash }, 'REUSE', now);
  });
  if (ended !== undefined) await tellEnded(needs, ended, 'REUSE');
};

const exchange = async (
  needs: TokenNeeds,
  {
    client_id: clientId = '',
    code = '',
    redirect_uri: redirectUri = '',
    code_verifier: verifier = '',
    resource = '',
  }: TokenRequest,
): Promise<Pair> => {
  const { storage, secrets, clock, ids, settings } = needs;
  const { oauth } = storage.stores;
  const [hash, now] = [secrets.hash(code), clock.now()];
  // Burnt before anything is compared, in a commit of its own, so that nobody tries twice with one code.
  const [fresh, taken] = await Promise.all([oauth.takeCode(hash, now), oauth.findCode(hash)]);
  if (taken?.clientId !== clientId) await requireKnown(needs, clientId);
  if (!fresh || taken === undefined) {
    await endReused(needs, hash, now);
    throw invalidGrant();
  }
  const right = [
    secrets.same(taken.clientId, clientId),
    secrets.same(taken.redirectUri, redirectUri),
    secrets.same(taken.challenge, secrets.challenge(verifier)),
    isVerifier(verifier),
  ];
  if (right.includes(false)) throw invalidGrant();
  if (resource !== '' && resource !== taken.resource) throw foreignResource();
  const family: OAuthFamily = {
    id: ids.next(),
    clientId,
    userId: taken.userId,
    workspaceId: taken.workspaceId,
    resource: taken.resource,
    createdAt: now,
    usedAt: now,
    expiresAt: now + settings.ORRERY_OAUTH_FAMILY_SECONDS * seconds,
    revokedAt: undefined,
    reason: undefined,
  };
  const { pair, kept } = makePair(needs, family, taken.workspaceName, undefined, now);
  // Who has left the workspace in the meantime gets tokens that reach nothing there, and none after them.
  if (!(await oauth.insertFamily({ ...family, codeHash: hash }, kept))) throw invalidGrant();
  return pair;
};

const refresh = async (
  needs: TokenNeeds,
  { client_id: clientId = '', refresh_token: presented = '', resource = '' }: TokenRequest,
): Promise<Pair> => {
  const { storage, secrets, clock, settings } = needs;
  const [client, found] = await Promise.all([
    requireKnown(needs, clientId),
    storage.stores.oauth.findToken(secrets.hash(presented)),
  ]);
  if (found === undefined || found.kind !== 'refresh' || found.clientId !== client.id)
    throw invalidGrant();
  const now = clock.now();
  // What ends a family must be stored although the request is refused, so the refusal comes after the commit.
  const outcome = await storage.transaction(
    async (
      stores,
    ): Promise<{
      readonly pair?: Pair;
      readonly ended?: OAuthFamily;
      readonly foreign?: boolean;
    }> => {
      const held = await stores.oauth.lockFamily(found.id);
      if (held === undefined) return {};
      const verdict = judgeRefresh(held, now, settings.ORRERY_OAUTH_GRACE_SECONDS * seconds);
      if (verdict === 'reuse') {
        const ended = await stores.oauth.revokeFamily({ id: held.family.id }, 'REUSE', now);
        return ended === undefined ? {} : { ended };
      }
      if (verdict === 'refused') return {};
      if (resource !== '' && resource !== held.family.resource) return { foreign: true };
      const name = await nameOfAllowed(stores, held.family);
      if (name === undefined) return {};
      await stores.oauth.rotate(held.token, now);
      const { pair, kept } = makePair(needs, held.family, name, held.token.id, now);
      await stores.oauth.insertTokens(kept);
      return { pair };
    },
  );
  if (outcome.ended !== undefined) await tellEnded(needs, outcome.ended, 'REUSE');
  if (outcome.foreign === true) throw foreignResource();
  if (outcome.pair === undefined) throw invalidGrant();
  return outcome.pair;
};

const grants = {
  authorization_code: {
    needed: ['code', 'redirect_uri', 'client_id', 'code_verifier'],
    run: exchange,
  },
  refresh_token: { needed: ['refresh_token', 'client_id'], run: refresh },
} as const;
const isGrant = (type: string): type is keyof typeof grants => Object.hasOwn(grants, type);

/** A pair for a code or a refresh token. Rejects with the words of RFC 6749, 5.2. */
export const issueTokens = async (needs: TokenNeeds, request: TokenRequest): Promise<Pair> => {
  const { grant_type: type = '' } = request;
  if (type.trim() === '') throw new Failure('invalid', 'grant_type is required');
  if (!isGrant(type))
    throw new Failure('invalid', 'grant_type must be authorization_code or refresh_token', {
      word: 'unsupported_grant_type',
    });
  const { needed, run } = grants[type];
  const missing = needed.find((name) => (request[name] ?? '').trim() === '');
  if (missing !== undefined) throw new Failure('invalid', `${missing} is required`);
  return run(needs, request);
};

/** Ends a token that its client gives back: a refresh token with its family, an access token alone. What is not known, or another client's, is left alone. */
export const revokeToken = async (
  needs: TokenNeeds,
  { token = '', client_id: clientId = '' }: Texts<'token' | 'client_id'>,
): Promise<void> => {
  const { storage, secrets, clock, auth } = needs;
  const found =
    token === '' ? undefined : await storage.stores.oauth.findToken(secrets.hash(token));
  if (found === undefined || (clientId !== '' && clientId !== found.clientId)) return;
  if (found.kind === 'access') {
    await storage.stores.oauth.revokeToken(found.id, 'CLIENT_REQUEST', clock.now());
    await auth.forget(found.userId);
    return;
  }
  const ended = await storage.stores.oauth.revokeFamily(
    { id: found.familyId },
    'CLIENT_REQUEST',
    clock.now(),
  );
  if (ended !== undefined) await tellEnded(needs, ended, 'CLIENT_REQUEST');
};
