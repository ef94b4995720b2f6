// The workspace in which a new user is at home.
import type { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { User } from '#ports/model/identity';
import type { Secrets } from '#ports/secrets';
import type { Stores } from '#ports/storage/storage';

/** How many names with a number are tried for a workspace before one is drawn. */
const mostNumbered = 50;
/** How often somebody else may take a free name first. */
const mostTurns = 10;

export interface Home {
  readonly id: string;
  readonly name: string;
}

export interface HomeNeeds {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /** Refuses with `invalid` a name that no workspace may have. */
  readonly checkWorkspaceName: (name: string) => void;
}

const makeWorkspace = async (
  { stores, clock, ids }: HomeNeeds,
  user: User,
  name: string,
): Promise<Home> => {
  const id = ids.next();
  await stores.workspaces.insert({ id, name, ownerId: user.id, createdAt: clock.now() });
  await stores.members.setRole(id, user.id, 'admin', []);
  return { id, name };
};

/** The workspace that was named on purpose: joined where it exists, else made. */
const namedWorkspace = async (needs: HomeNeeds, user: User, name: string): Promise<Home> => {
  const { members, workspaces } = needs.stores;
  const found = await workspaces.findByName(name);
  if (found === undefined) return makeWorkspace(needs, user, name);
  const role = (await members.countAdmins(found.id)) > 0 ? 'member' : 'admin';
  await members.setRole(found.id, user.id, role, []);
  return found;
};

const isAllowed = ({ checkWorkspaceName }: HomeNeeds, name: string): boolean => {
  try {
    checkWorkspaceName(name);
    return true;
  } catch {
    return false;
  }
};

/** A workspace of the user's own, under a name that nobody has: whoever made one of the user's name is no company for it. */
const ownWorkspace = async (needs: HomeNeeds, user: User): Promise<Home> => {
  const start = user.name.slice(0, 70).trimEnd();
  for (let n = 1; n < mostNumbered; n++) {
    const name = n === 1 ? start : `${start}-${n}`;
    if (isAllowed(needs, name) && (await needs.stores.workspaces.findByName(name)) === undefined)
      return makeWorkspace(needs, user, name);
  }
  return makeWorkspace(needs, user, `${start}-${needs.secrets.code(8)}`);
};

/** The workspace that was chosen for a user, or one of the user's own. */
export const homeOf = (
  needs: HomeNeeds,
  user: User,
  workspace: string | undefined,
): Promise<Home> =>
  workspace === undefined ? ownWorkspace(needs, user) : namedWorkspace(needs, user, workspace);

/** Begins again where somebody else took the free name first. */
export const makeInTurn = async <T>(
  make: () => Promise<T>,
  wasTaken: () => boolean,
): Promise<T> => {
  for (let turn = 1; ; turn++) {
    try {
      return await make();
    } catch (thrown) {
      if (!wasTaken() || !isFailure(thrown) || thrown.kind !== 'conflict' || turn === mostTurns)
        throw thrown;
    }
  }
};
