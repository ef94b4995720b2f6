// How every change begins that a workspace must be there for, or that is counted against it.
import { Failure } from '#ports/failure';
import type { Connection } from './connection.js';

/**
 * Holds a workspace until the transaction ends; says whether it is there. Written, not only locked: another node of a cluster does not see a
 * lock, but two writers of one row conflict when they commit.
 */
export const lockWorkspace = async ({ db }: Pick<Connection, 'db'>, id: string): Promise<boolean> =>
  (await db('workspaces')
    .where({ id })
    .update({ revision: db.raw('?? + 1', ['revision']) })) > 0;

/** The same; rejects with `absent` where it is gone. */
export const requireWorkspace = async (
  inside: Pick<Connection, 'db'>,
  id: string,
): Promise<void> => {
  if (!(await lockWorkspace(inside, id)))
    throw new Failure('absent', 'the workspace no longer exists');
};
