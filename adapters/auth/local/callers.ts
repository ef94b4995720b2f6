// Who presents a credential, as the storage knows it, narrowed to what the credential reaches.
import { beginnings } from '#ports/model/credentials';
import type { Caller, Carrier, Scope, User } from '#ports/model/identity';
import type { Secrets } from '#ports/secrets';
import type { Reach } from '#ports/storage/identity';
import type { Storage } from '#ports/storage/storage';

interface Proof extends Reach {
  readonly user: User;
  readonly via: Carrier;
  readonly keyId: string;
  readonly scope: Scope | undefined;
  readonly csrf?: string;
}

/** What is left of a reach under a scope. Whoever reaches everywhere administers the one workspace that the scope leaves. */
const narrowed = ({ roles, permissions }: Reach, everywhere: boolean, scope: Scope | undefined): Reach => {
  const id = scope?.workspaceId;
  if (id === undefined) return { roles, permissions };
  const role = roles.get(id) ?? (everywhere ? 'admin' : undefined);
  const allowed = permissions.get(id);
  return { roles: new Map(role === undefined ? [] : [[id, role]]), permissions: new Map(allowed === undefined ? [] : [[id, allowed]]) };
};

/** Whether a user administers every workspace. */
const reachesAll = (user: User): boolean => user.admin || (user.kind === 'service' && !user.restricted);

export const toCaller = ({ user, via, keyId, scope, csrf, ...reach }: Proof): Caller => ({
  userId: user.id, userName: user.name, kind: user.kind, admin: user.admin && scope === undefined, everywhere: reachesAll(user) && scope?.workspaceId === undefined, viewOnly: user.viewOnly,
  defaultWorkspaceId: scope?.workspaceId ?? user.defaultWorkspaceId, via, keyId, scope, csrf, ...narrowed(reach, reachesAll(user), scope),
});

/** A credential as it was found, and what its use is to be recorded by. */
export interface Found {
  readonly caller: Caller;
  /** Until when it may be remembered at the most. */
  readonly until: number;
  /** When it was made; tells when a session ends that is always used. */
  readonly since: number;
}

/** Looks up a credential that is not remembered; `hash` is its SHA-256. */
export const findCaller = async ({ stores }: Pick<Storage, 'stores'>, secrets: Secrets, credential: string, hash: string, now: number): Promise<Found | undefined> => {
  if (credential.startsWith(beginnings.session)) {
    const holder = await stores.sessions.findHolder(hash, now);
    if (holder === undefined) return undefined;
    const { session, user, ...reach } = holder;
    return { caller: toCaller({ ...reach, user, via: 'session', keyId: session.id, scope: undefined, csrf: secrets.sign(credential, 'csrf') }), until: session.expiresAt, since: session.createdAt };
  }
  const holder = await stores.identity.findKeyHolder(hash);
  if (holder === undefined) return undefined;
  const { user, keyId, scope, ...reach } = holder;
  return { caller: toCaller({ ...reach, user, via: 'key', keyId, scope }), until: Number.MAX_SAFE_INTEGER, since: now };
};
