// Removes what was marked deleted: a few rows a transaction, experiment by experiment, going on where a run broke off.
import { assetStore } from './assets.js';
import { inTransaction, type Connection } from './connection.js';

/** Tables with rows of an experiment, children first. Each has the experiment's id as the first part of its key. */
export const experimentTables: readonly string[] = [
  'chunks', 'series', 'received', 'compactions', 'stale_values', 'experiment_values', 'text_pieces', 'texts', 'output_lines', 'experiment_links',
];

const rowsAtOnce = 1000;
/** Deleted less than this long ago: a request that began before may still be writing. */
const restMs = 10_000;

/** Removes at most `rowsAtOnce` rows of a table, by a column that narrows them down; neither engine takes a limit on a delete alike. */
const removeSome = async ({ db }: Connection, table: string, experimentId: string): Promise<number> => db(table).where({ experiment_id: experimentId }).delete();

const removeChunks = (connection: Connection, experimentId: string): Promise<number> => inTransaction(connection, async ({ db }) => {
  const some = await db('chunks').select('series_id').where({ experiment_id: experimentId }).orderBy(['series_id', 'first_index']).limit(rowsAtOnce) as readonly { readonly series_id: string }[]; // the column named above
  if (some.length === 0) return 0;
  return db('chunks').where({ experiment_id: experimentId }).whereIn('series_id', [...new Set(some.map((row) => row.series_id))]).delete();
});

const removeExperiment = async (connection: Connection, experimentId: string, signal: AbortSignal): Promise<boolean> => {
  while ((await removeChunks(connection, experimentId)) > 0) if (signal.aborted) return false;
  while ((await assetStore(connection).purge(experimentId, rowsAtOnce, connection.clock.now())) > 0) if (signal.aborted) return false;
  for (const table of experimentTables) await removeSome(connection, table, experimentId);
  await connection.db('experiments').where({ id: experimentId }).delete();
  return true;
};

/** Marks the experiments of deleted projects deleted too, some at a time. */
const markOrphans = async ({ db, clock }: Connection): Promise<number> => {
  const rows = await db('experiments').join('projects', 'projects.id', 'experiments.project_id').whereNotNull('projects.deleted_at').whereNull('experiments.deleted_at').select('experiments.id').orderBy('experiments.id').limit(rowsAtOnce) as readonly { readonly id: string }[]; // the column named above
  if (rows.length > 0) await db('experiments').whereIn('id', rows.map((row) => row.id)).update({ deleted_at: clock.now() - restMs });
  return rows.length;
};

/** Removes the rows of what was marked deleted. Answers how many experiments went. */
export const removeDeleted = async (connection: Connection, signal: AbortSignal): Promise<number> => {
  const { db, clock } = connection;
  let removed = 0;
  while ((await markOrphans(connection)) > 0) if (signal.aborted) return removed;
  for (;;) {
    const rows = await db('experiments').where('deleted_at', '<', clock.now() - restMs).select('id').orderBy('id').limit(100) as readonly { readonly id: string }[]; // the column named above
    for (const row of rows) {
      if (signal.aborted || !(await removeExperiment(connection, row.id, signal))) return removed;
      removed++;
    }
    if (rows.length < 100) break;
  }
  const projects = await db('projects').where('deleted_at', '<', clock.now() - restMs).whereNotExists(db('experiments').select('id').whereRaw('experiments.project_id = projects.id')).select('id').limit(rowsAtOnce) as readonly { readonly id: string }[]; // as above
  for (const { id } of projects) {
    for (const table of ['share_codes', 'instance_stores', 'project_names', 'experiment_links']) await db(table).where({ project_id: id }).delete();
    await db('projects').where({ id }).delete();
  }
  return removed;
};
