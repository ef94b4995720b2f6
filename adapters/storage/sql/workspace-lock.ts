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

/**
 * Holds a workspace before one more row of a table that counts against it. Rejects with `conflict` where it has as many as it may, however many are
 * added at once.
 */
export const requireRoomFor = async (
  inside: Pick<Connection, 'db'>,
  workspaceId: string,
  {
    table,
    most,
    called,
  }: { readonly table: string; readonly most: number; readonly called: string },
): Promise<void> => {
  await lockWorkspace(inside, workspaceId);
  const [count] = await inside.db(table).where({ workspace_id: workspaceId }).count({ n: '*' });
  if (Number(count?.['n'] ?? 0) >= most)
    throw new Failure('conflict', `a workspace has at most ${most} ${called}`);
};
