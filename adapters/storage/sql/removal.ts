// Removes what was marked deleted: a few rows a transaction, experiment by experiment, going on where a run broke off.
import { removeArtifacts } from './artifact-removal.js';
import { assetStore } from './assets.js';
import { inTransaction, type Connection } from './connection.js';

/** A table with rows of an experiment, and the columns that tell those rows apart. */
interface RowsOfExperiment {
  readonly table: string;
  readonly key: readonly string[];
  /** Rows to remove in one transaction. */
  readonly atOnce: number;
}

const rowsAtOnce = 1000;
/** Of rows of up to 1 MiB: a transaction of thousands of them would be too large for a cluster. */
const wideRowsAtOnce = 64;

/** Tables with rows of an experiment besides its assets, children first. */
const experimentTables: readonly RowsOfExperiment[] = [
  { table: 'chunks', key: ['series_id', 'first_index'], atOnce: rowsAtOnce },
  { table: 'series', key: ['series_id'], atOnce: rowsAtOnce },
  { table: 'received', key: ['digest'], atOnce: rowsAtOnce },
  { table: 'compactions', key: ['series_id'], atOnce: rowsAtOnce },
  { table: 'stale_values', key: ['project_id', 'series_id'], atOnce: rowsAtOnce },
  { table: 'experiment_values', key: ['kind', 'name_key'], atOnce: rowsAtOnce },
  { table: 'text_pieces', key: ['kind', 'position'], atOnce: wideRowsAtOnce },
  { table: 'texts', key: ['kind'], atOnce: rowsAtOnce },
  { table: 'output_lines', key: ['run', 'first_offset', 'part'], atOnce: wideRowsAtOnce },
  { table: 'rpc_functions', key: ['name_key'], atOnce: rowsAtOnce },
  { table: 'rpc_calls', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'views', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'experiment_links', key: ['project_id'], atOnce: rowsAtOnce },
  { table: 'artifact_uses', key: ['version_id'], atOnce: rowsAtOnce },
];

/** Tables with rows of a project that go with it; its experiments have gone before. */
const projectTables: readonly string[] = ['share_codes', 'instance_stores', 'project_names', 'experiment_links', 'stale_values', 'views'];

/** Deleted less than this long ago: a request that began before may still be writing. */
const restMs = 10_000;

/** Removes the first rows of a table in the order of its key. Answers how many. */
const removeSome = (connection: Connection, { table, key, atOnce }: RowsOfExperiment, experimentId: string): Promise<number> => inTransaction(connection, async ({ db }) => {
  const rows = await db(table).select(...key).where({ experiment_id: experimentId }).orderBy([...key]).limit(atOnce) as readonly Readonly<Record<string, string | number>>[]; // the columns of the key
  const last = rows.at(-1);
  if (last === undefined) return 0;
  // Up to and with the last one, as ranges of one column each: neither engine takes a limit on a delete alike, and row values keep one of them from its index.
  for (const [place, column] of key.entries()) {
    const before = Object.fromEntries(key.slice(0, place).map((name) => [name, last[name]]));
    await db(table).where({ experiment_id: experimentId, ...before }).where(column, place === key.length - 1 ? '<=' : '<', last[column] ?? '').delete();
  }
  return rows.length;
});

const removeExperiment = async (connection: Connection, experimentId: string, signal: AbortSignal): Promise<boolean> => {
  const { db, clock } = connection;
  const assets = assetStore(connection);
  const uploads = await db('direct_uploads').select('id').where({ experiment_id: experimentId }) as readonly { readonly id: string }[]; // the column named
  for (const { id } of uploads) await assets.removeDirect(id, clock.now());
  for (const rows of experimentTables) while ((await removeSome(connection, rows, experimentId)) > 0) if (signal.aborted) return false;
  while ((await assets.purge(experimentId, rowsAtOnce, clock.now())) > 0) if (signal.aborted) return false;
  await db('experiments').where({ id: experimentId }).delete();
  return true;
};

/** Marks the experiments of deleted projects deleted too, some at a time. */
const markOrphans = async ({ db, clock }: Connection): Promise<number> => {
  const rows = await db('experiments').join('projects', 'projects.id', 'experiments.project_id').whereNotNull('projects.deleted_at').whereNull('experiments.deleted_at').select('experiments.id').orderBy('experiments.id').limit(rowsAtOnce) as readonly { readonly id: string }[]; // the column named above
  if (rows.length > 0) await db('experiments').whereIn('id', rows.map((row) => row.id)).update({ deleted_at: clock.now() - restMs });
  return rows.length;
};

const removeProjects = async ({ db, clock }: Connection): Promise<void> => {
  const projects = await db('projects').where('deleted_at', '<=', clock.now() - restMs).whereNotExists(db('experiments').select('id').whereRaw('experiments.project_id = projects.id')).select('id').limit(rowsAtOnce) as readonly { readonly id: string }[]; // the column named
  for (const { id } of projects) {
    for (const table of projectTables) await db(table).where({ project_id: id }).delete();
    await db('projects').where({ id }).delete();
  }
};

/** Removes the rows of what was marked deleted. Answers how many experiments went. */
export const removeDeleted = async (connection: Connection, signal: AbortSignal): Promise<number> => {
  const { db, clock } = connection;
  let removed = 0;
  while ((await markOrphans(connection)) > 0) if (signal.aborted) return removed;
  for (;;) {
    const rows = await db('experiments').where('deleted_at', '<=', clock.now() - restMs).select('id').orderBy('id').limit(100) as readonly { readonly id: string }[]; // the column named above
    for (const row of rows) {
      if (signal.aborted || !(await removeExperiment(connection, row.id, signal))) return removed;
      removed++;
    }
    if (rows.length < 100) break;
  }
  await removeProjects(connection);
  await removeArtifacts(connection, clock.now() - restMs, signal);
  return removed;
};
