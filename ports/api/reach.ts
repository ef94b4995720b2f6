// What every role may do, in one table; README and tests are made from it, and the gate is held against it.
import { changes, takesNarrowed, type Access, type Operation } from './operation.js';

/**
 * How somebody stands to the thing that a row is about: without a credential · with one, but outside its workspace · a view-only member,
 * an ordinary member, an administrator of its workspace · an administrator of the installation.
 */
export const standings = [
  'nobody',
  'stranger',
  'view-only',
  'member',
  'admin',
  'installation',
] as const;
export type Standing = (typeof standings)[number];

/** Let through · told that this is not allowed · told what somebody is told who names a thing that does not exist. */
export type Verdict = 'allowed' | 'refused' | 'unknown';

export const reach: Readonly<Record<Access, Readonly<Record<Standing, Verdict>>>> = {
  public: {
    nobody: 'allowed',
    stranger: 'allowed',
    'view-only': 'allowed',
    member: 'allowed',
    admin: 'allowed',
    installation: 'allowed',
  },
  visitor: {
    nobody: 'allowed',
    stranger: 'allowed',
    'view-only': 'allowed',
    member: 'allowed',
    admin: 'allowed',
    installation: 'allowed',
  },
  // Whoever holds the link that the server signed.
  signed: {
    nobody: 'allowed',
    stranger: 'allowed',
    'view-only': 'allowed',
    member: 'allowed',
    admin: 'allowed',
    installation: 'allowed',
  },
  caller: {
    nobody: 'refused',
    stranger: 'allowed',
    'view-only': 'allowed',
    member: 'allowed',
    admin: 'allowed',
    installation: 'allowed',
  },
  read: {
    nobody: 'refused',
    stranger: 'unknown',
    'view-only': 'allowed',
    member: 'allowed',
    admin: 'allowed',
    installation: 'allowed',
  },
  write: {
    nobody: 'refused',
    stranger: 'unknown',
    'view-only': 'refused',
    member: 'allowed',
    admin: 'allowed',
    installation: 'allowed',
  },
  // A member may when the thing is his.
  owner: {
    nobody: 'refused',
    stranger: 'unknown',
    'view-only': 'refused',
    member: 'refused',
    admin: 'allowed',
    installation: 'allowed',
  },
  // A member may when the row's permission was given to him.
  'workspace-admin': {
    nobody: 'refused',
    stranger: 'unknown',
    'view-only': 'refused',
    member: 'refused',
    admin: 'allowed',
    installation: 'allowed',
  },
  'organization-admin': {
    nobody: 'refused',
    stranger: 'refused',
    'view-only': 'refused',
    member: 'refused',
    admin: 'refused',
    installation: 'allowed',
  },
};

/** What narrows a caller beyond his standing. */
export interface Narrowing {
  /** A view-only member of the installation, or a credential that may only read. */
  readonly readsOnly?: boolean;
  /** A credential that is narrowed in any way. */
  readonly narrowed?: boolean;
  /** What was permitted beyond the role. */
  readonly permitted?: boolean;
}

/** What becomes of a request for this row. */
export const verdictOn = (
  operation: Operation,
  standing: Standing,
  { readsOnly = false, narrowed = false, permitted = false }: Narrowing = {},
): Verdict => {
  const { needs, permission, personal } = operation.access;
  if (
    (readsOnly && changes(operation) && (narrowed || personal !== true)) ||
    (narrowed && !takesNarrowed(operation))
  )
    return needs === 'public' || needs === 'visitor' || needs === 'signed' ? 'allowed' : 'refused';
  if (narrowed && needs === 'organization-admin') return 'refused';
  if (permitted && standing === 'member' && permission !== undefined && needs === 'workspace-admin')
    return 'allowed';
  return reach[needs][standing];
};
