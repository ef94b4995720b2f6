// Who presents a credential, as the storage knows it, narrowed to what the credential reaches.
import { beginnings } from '#ports/model/credentials';
import type { Caller, Carrier, Scope, User } from '#ports/model/identity';
import type { Secrets } from '#ports/secrets';
import type { Reach } from '#ports/storage/members';
import type { Storage } from '#ports/storage/storage';

interface Proof extends Reach {
  readonly user: User;
  readonly via: Carrier;
  readonly keyId: string;
  readonly scope: Scope | undefined;
  readonly csrf?: string;
}

/** What is left of a reach under a scope. Whoever reaches everywhere administers the one workspace that the scope leaves. */
const narrowed = (
  { roles, permissions }: Reach,
  everywhere: boolean,
  scope: Scope | undefined,
): Reach => {
  const id = scope?.workspaceId;
  if (id === undefined) return { roles, permissions };
  const role = roles.get(id) ?? (everywhere ? 'admin' : undefined);
  const allowed = permissions.get(id);
  return {
    roles: new Map(role === undefined ? [] : [[id, role]]),
    permissions: new Map(allowed === undefined ? [] : [[id, allowed]]),
  };
};

/** Whether a user administers every workspace. */
const reachesAll = (user: User): boolean =>
  user.admin || (user.kind === 'service' && !user.restricted);

/** Whatever credential a guest holds reaches the guest's own workspace alone: anybody may become one, unasked and unnamed. */
const scopeOf = ({ user, scope }: Pick<Proof, 'user' | 'scope'>): Scope | undefined =>
  user.kind === 'guest'
    ? {
        readOnly: scope?.readOnly ?? false,
        workspaceId: user.defaultWorkspaceId ?? user.id,
        projectId: scope?.projectId,
      }
    : scope;

export const toCaller = (proof: Proof): Caller =>
  narrowedCaller({ ...proof, scope: scopeOf(proof) });

const narrowedCaller = ({ user, via, keyId, scope, csrf, ...reach }: Proof): Caller => ({
  userId: user.id,
  userName: user.name,
  kind: user.kind,
  admin: user.admin && scope === undefined,
  everywhere: reachesAll(user) && scope?.workspaceId === undefined,
  viewOnly: user.viewOnly,
  defaultWorkspaceId: scope?.workspaceId ?? user.defaultWorkspaceId,
  via,
  keyId,
  scope,
  csrf,
  ...narrowed(reach, reachesAll(user), scope),
});

/** A caller as the storage knows them now, whatever became of a session or token meanwhile. */
export const recallCaller = async (
  { stores }: Pick<Storage, 'stores'>,
  { userId, via, keyId, scope }: Pick<Caller, 'userId' | 'via' | 'keyId' | 'scope'>,
): Promise<Caller | undefined> => {
  const user = await stores.users.findUser({ id: userId });
  if (user === undefined || user.suspendedAt !== undefined) return undefined;
  if (via === 'key') {
    const key = await stores.apiKeys.findKey(keyId);
    if (key === undefined || key.revokedAt !== undefined) return undefined;
  }
  return toCaller({ ...(await stores.members.findReach(userId)), user, via, keyId, scope });
};

/** Whoever holds a share code reads its project, and is nobody besides. */
export const findShared = async (
  { stores }: Pick<Storage, 'stores'>,
  code: string,
): Promise<Caller | undefined> => {
  const project = await stores.projects.findByShareCode(code);
  if (project === undefined) return undefined;
  const { id: projectId, workspaceId } = project;
  return {
    userId: '',
    userName: 'a share code',
    kind: 'guest',
    admin: false,
    everywhere: false,
    viewOnly: true,
    defaultWorkspaceId: workspaceId,
    via: 'share',
    keyId: '',
    scope: { readOnly: true, workspaceId, projectId },
    csrf: undefined,
    roles: new Map([[workspaceId, 'view-only']]),
    permissions: new Map(),
  };
};

/** A credential as it was found, and what its use is to be recorded by. */
export interface Found {
  readonly caller: Caller;
  /** Until when it may be remembered at most. */
  readonly until: number;
  /** When it was made; tells when a session ends that is always used. */
  readonly since: number;
}

/** Looks up a credential that is not remembered; `hash` is its SHA-256. */
export const findCaller = async (
  { stores }: Pick<Storage, 'stores'>,
  secrets: Secrets,
  credential: string,
  hash: string,
  now: number,
  takesTokens: boolean,
): Promise<Found | undefined> => {
  if (credential.startsWith(beginnings.access)) {
    const holder = takesTokens ? await stores.oauth.findAccess(hash, now) : undefined;
    if (holder === undefined) return undefined;
    const { token, family, user, roles, permissions } = holder;
    return {
      caller: toCaller({
        user,
        roles,
        permissions,
        via: 'token',
        keyId: token.id,
        scope: { readOnly: false, workspaceId: family.workspaceId, projectId: undefined },
      }),
      since: token.createdAt,
      until: token.expiresAt,
    };
  }
  if (credential.startsWith(beginnings.session)) {
    const holder = await stores.sessions.findHolder(hash, now);
    if (holder === undefined) return undefined;
    const { session, user, ...reach } = holder;
    return {
      caller: toCaller({
        ...reach,
        user,
        via: 'session',
        keyId: session.id,
        scope: undefined,
        csrf: secrets.sign(credential, 'csrf'),
      }),
      until: session.expiresAt,
      since: session.createdAt,
    };
  }
  const holder = await stores.apiKeys.findKeyHolder(hash);
  if (holder === undefined) return undefined;
  const { user, keyId, scope, ...reach } = holder;
  return {
    caller: toCaller({ ...reach, user, via: 'key', keyId, scope }),
    until: Number.MAX_SAFE_INTEGER,
    since: now,
  };
};
