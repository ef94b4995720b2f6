import type { Connection } from './connection.js';
import type { Searchable } from './metrics/searchable.js';

/** Brings what is searched of metrics up to date, for all experiments of a project, those linked into it too. */
export const refreshProject = async (
  connection: Connection,
  searchable: Searchable,
  projectId: string,
): Promise<void> => {
  const homes = (await connection
    .db('experiment_links')
    .join('experiments', 'experiments.id', 'experiment_links.experiment_id')
    .where('experiment_links.project_id', projectId)
    .distinct('experiments.project_id')) as readonly { readonly project_id: string }[]; // the column named above
  for (const home of new Set([projectId, ...homes.map((row) => row.project_id)]))
    await searchable.catchUpBefore(connection, home);
};
