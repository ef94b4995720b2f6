// What a caller may do where he stands, by the words of a row. Pure: nothing is looked up here.
import type { Named } from '#ports/api/gate';
import {
  changes,
  takesNarrowed,
  type Access,
  type AccessRule,
  type Operation,
} from '#ports/api/operation';
import { Failure } from '#ports/failure';
import type { Caller, Role } from '#ports/model/identity';
import { at } from './subject-paths.js';

/** What a caller is in a workspace; `undefined` for a stranger. */
export const roleOf = (caller: Caller, workspaceId: string): Role | undefined =>
  caller.roles.get(workspaceId) ?? (caller.everywhere ? 'admin' : undefined);
/** Whether an access is one to change the thing. */
export const writes = (access: Access) =>
  access === 'write' || access === 'owner' || access === 'workspace-admin';

const viewOnly = () =>
  new Failure('forbidden', 'a view-only member cannot change anything', { reason: 'viewOnly' });

export const oneProjectOnly = () => new Failure('forbidden', 'this key reaches one project only');

/** Refuses what no role would make up for: the wrong kind of credential, and changes by who may only read. */
export const checkCaller = (operation: Operation, caller: Caller): void => {
  const { access } = operation;
  if (caller.via === 'share' && (access.needs !== 'read' || access.about === 'caller'))
    throw new Failure('forbidden', 'a share code reads its project, and nothing else');
  const via = caller.via === 'command' || caller.via === 'none' ? 'key' : caller.via; // who may read the settings may do at the command line what an unbounded key may, and so may everybody where authentication is off
  if (access.by?.includes(caller.via) === false && access.by.includes(via) === false)
    throw new Failure(
      'forbidden',
      `this is not done with ${caller.via === 'token' ? 'an access token' : via === 'key' ? 'an API key' : 'a session'}`,
    );
  if (caller.viewOnly && (caller.via === 'key' || (changes(operation) && access.personal !== true)))
    throw viewOnly();
  if (caller.scope !== undefined && !takesNarrowed(operation))
    throw new Failure('forbidden', 'this is not done with a credential that is narrowed');
  if (access.beyondProject === true && caller.scope?.projectId !== undefined)
    throw oneProjectOnly();
  if (!changes(operation)) return;
  if (caller.scope?.readOnly === true)
    throw new Failure('forbidden', 'this credential may only read');
};

/** What a row asks of a role: its access, and what makes up for it. */
type Asked = Pick<AccessRule, 'needs' | 'permission'>;

/** Refuses what this role may not do; `undefined` as a role is a stranger, who gets what an unknown thing gets. */
export const checkRole = (
  role: Role | undefined,
  { needs }: Asked,
  absent: () => Failure,
): void => {
  if (role === undefined) throw absent();
  if (writes(needs) && role === 'view-only') throw viewOnly();
  if (needs === 'workspace-admin' && role !== 'admin')
    throw new Failure('forbidden', 'only an administrator of the workspace may do this');
};

/** Whether a credential that is narrowed to one workspace leaves this one out: what is public there is not for it either. */
const leavesOut = ({ scope }: Caller, workspaceId: string): boolean =>
  scope?.workspaceId !== undefined && scope.workspaceId !== workspaceId;
/** Whether a caller may read what is public in a workspace. */
export const readsPublic = (caller: Caller, workspaceId: string): boolean =>
  !leavesOut(caller, workspaceId);
/** Whether a credential is narrowed to another project than this one. */
export const outsideProjectScope = ({ scope }: Caller, projectId: string): boolean =>
  scope?.projectId !== undefined && scope.projectId !== projectId;

/** Whether a caller may add things to a workspace, beyond one project of it. */
export const mayAddTo = (caller: Caller, workspaceId: string): boolean => {
  const role = roleOf(caller, workspaceId);
  return (
    role !== undefined &&
    role !== 'view-only' &&
    !caller.viewOnly &&
    caller.via !== 'share' &&
    caller.scope?.readOnly !== true &&
    caller.scope?.projectId === undefined &&
    !leavesOut(caller, workspaceId)
  );
};

/** Where a caller stands to the workspace of what a request is about. */
export interface Standing {
  readonly workspaceId: string;
  readonly role: Role | undefined;
  /** What the value was that `when` is about. */
  readonly before?: boolean;
}

/** Whether a member has been given what makes up for not administering the workspace. What the request may then ask for is seen when it was validated. */
export const permits = (
  { permission }: Pick<AccessRule, 'permission'>,
  caller: Caller,
  { workspaceId, role }: Standing,
): boolean =>
  permission !== undefined &&
  permission.when === undefined &&
  role === 'member' &&
  caller.permissions.get(workspaceId)?.includes(permission.of) === true;

/** One wire says it by a flag, another by a word. */
const publicityOf = (asked: unknown): unknown =>
  asked === 'public' ? true : asked === 'private' ? false : asked;

/** Refuses values of a validated request that this caller may not set: publishing without the permission, and what only an administrator grants. */
export const checkPermission = (
  { permission }: AccessRule,
  named: Named,
  caller: Caller,
  { workspaceId, role, before = false }: Standing,
): void => {
  if (permission?.butNot !== undefined && role === 'member') {
    const beyond = at(named, permission.butNot);
    if (beyond !== undefined && beyond !== false && beyond !== 'member' && beyond !== 'view-only')
      throw new Failure('forbidden', 'only an administrator of the workspace may do this');
  }
  if (permission?.when === undefined) return;
  const asked = publicityOf(at(named, permission.when));
  if (asked === undefined || asked === before) return;
  // Whoever may read is more than the credential reaches, and stays so when the credential has ended.
  if (caller.scope !== undefined)
    throw new Failure(
      'forbidden',
      'a credential that is narrowed makes no project public or private',
    );
  if (role === 'member' && caller.permissions.get(workspaceId)?.includes(permission.of) !== true)
    throw new Failure(
      'forbidden',
      'a member needs the permission to make projects public or private',
    );
};
