import type { Caller } from '#ports/model/identity';

/** Somebody with a key, who names only what matters. */
export const aCaller = (given: Partial<Caller> = {}): Caller => ({
  userId: 'user',
  userName: 'user',
  kind: 'person',
  admin: false,
  everywhere: false,
  viewOnly: false,
  defaultWorkspaceId: undefined,
  via: 'key',
  keyId: 'key',
  scope: undefined,
  csrf: undefined,
  roles: new Map(),
  permissions: new Map(),
  ...given,
});
