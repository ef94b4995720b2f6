import { isTrue, type Connection } from './connection.js';
import type { Searchable } from './metrics/searchable.js';

interface Asked {
  readonly linked: unknown;
  readonly stale: unknown;
  readonly pending: unknown;
}

/** Whether runs are linked into a project, and whether something of its own is not yet searchable: one look, since most projects are at rest. */
const lookAt = async (
  { db, dialect }: Connection,
  projectId: string,
): Promise<{ readonly linked: boolean; readonly behind: boolean }> => {
  const [row] = (await dialect.run(
    db,
    `select exists (select 1 from experiment_links where project_id = ?) as linked, exists (select 1 from stale_values where project_id = ?) as stale,
    exists (select 1 from experiments e where e.project_id = ? and e.id in (select p.experiment_id from pending_points p)) as pending`,
    [projectId, projectId, projectId],
  )) as readonly [Asked]; // one row of the columns named
  return { linked: isTrue(row.linked), behind: isTrue(row.stale) || isTrue(row.pending) };
};

/** Brings what is searched of metrics up to date, for all experiments of a project, those linked into it too; answers whether anything may have changed. */
export const refreshProject = async (
  connection: Connection,
  searchable: Searchable,
  projectId: string,
): Promise<boolean> => {
  const { linked, behind } = await lookAt(connection, projectId);
  if (behind) await searchable.catchUpBefore(connection, projectId);
  if (!linked) return behind;
  const homes = (await connection
    .db('experiment_links')
    .join('experiments', 'experiments.id', 'experiment_links.experiment_id')
    .where('experiment_links.project_id', projectId)
    .distinct('experiments.project_id')) as readonly { readonly project_id: string }[]; // the column named above
  for (const { project_id } of homes)
    if (project_id !== projectId) await searchable.catchUpBefore(connection, project_id);
  return true;
};
