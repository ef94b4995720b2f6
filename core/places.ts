// Whether a caller reaches what lies at a place: what all kinds of things share of reading, roles, narrowed keys and owners.
import type { Place, WorkspacePlace } from '#ports/api/kind-definition';
import type { AccessRule } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { checkRole, outsideProjectScope, permits, readsPublic, roleOf } from './permissions.js';

/** Whether the place itself may be read: by its members, and by anybody where it is public. */
const isReadable = (caller: Caller, { workspaceId, public: isPublic }: WorkspacePlace): boolean =>
  roleOf(caller, workspaceId) !== undefined ||
  (isPublic === true && readsPublic(caller, workspaceId));

const liesOutside = (caller: Caller, { projectId }: WorkspacePlace): boolean =>
  projectId !== undefined && outsideProjectScope(caller, projectId);

/** Whether a caller may read what lies there, through other places too. */
export const mayRead = async (caller: Caller, place: WorkspacePlace): Promise<boolean> => {
  if (liesOutside(caller, place)) return false;
  if (isReadable(caller, place)) return true;
  return ((await place.readableThrough?.()) ?? []).some((other) => isReadable(caller, other));
};

/** What is answered where a place is out of reach. */
export interface Refusals {
  absent(): Failure;
  /** What a service account is told that was not admitted to the workspace; as a stranger when left out. */
  notAdmitted?: (() => Failure) | undefined;
}
type Asked = Pick<AccessRule, 'needs' | 'permission'>;

/** Refuses a caller whose access at a place does not do for the row. */
export const checkPlace = async (
  place: Exclude<Place, 'parent'>,
  asked: Asked,
  caller: Caller,
  refusals: Refusals,
): Promise<void> => {
  const { needs } = asked;
  if (place === 'installation') {
    if (needs !== 'organization-admin') throw administratorsOnly();
  } else if ('userId' in place) {
    if (place.userId !== caller.userId && needs !== 'organization-admin') throw refusals.absent();
  } else await checkWorkspacePlace(place, asked, caller, refusals);
};

export const administratorsOnly = () =>
  new Failure('forbidden', 'only an administrator of the installation may do this');

const checkWorkspacePlace = async (
  place: WorkspacePlace,
  asked: Asked,
  caller: Caller,
  { absent, notAdmitted }: Refusals,
): Promise<void> => {
  const { workspaceId, readableThrough, ownerId } = place;
  const { needs } = asked;
  if (liesOutside(caller, place)) throw absent();
  const role = roleOf(caller, workspaceId);
  if (needs === 'read' && isReadable(caller, place)) return;
  if (role === undefined && readableThrough !== undefined) {
    if (!(await mayRead(caller, place))) throw absent();
    if (needs !== 'read') throw place.readOnly?.() ?? absent();
    return;
  }
  if (role === undefined && caller.kind === 'service' && notAdmitted !== undefined)
    throw notAdmitted();
  if (permits(asked, caller, { workspaceId, role })) return;
  checkRole(role, asked, absent);
  if (needs === 'owner' && ownerId !== caller.userId && role !== 'admin')
    throw new Failure('forbidden', 'only the owner may do this');
};
