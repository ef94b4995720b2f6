// Removes what was marked deleted: a few rows a transaction, experiment by experiment, going on where a run broke off.
import type { Knex } from 'knex';
import type { QueueName } from '#ports/storage/queue-faults';
import { removeArtifacts } from './artifact-removal.js';
import { removeRulesOfProject } from './automations.js';
import { blobRecordStore } from './assets/blob-records.js';
import { queueRemovals } from './assets/removals.js';
import { uploadStore } from './assets/uploads.js';
import { inTransaction, type Connection } from './connection.js';
import { drain, pageRows, withoutHeld } from './queue-faults.js';
import { removeRecords } from './record-removal.js';
import { followMoves, moveStrays } from './stray-experiments.js';
import { removeAttachmentsOfProject } from './traces/attachments.js';
import { keepUsage } from './usage.js';

/** A table with rows of something that goes, and the columns that tell those rows apart. */
interface OwnedRows {
  readonly table: string;
  readonly key: readonly string[];
  /** Rows to remove in one transaction. */
  readonly atOnce: number;
}

const rowsAtOnce = 1000;
const uploadsAtOnce = 100;
/** Of rows of up to 1 MiB: a transaction of thousands of them would be too large for a cluster. */
const wideRowsAtOnce = 64;

/** Tables with rows of an experiment besides its assets, children first. */
const experimentTables: readonly OwnedRows[] = [
  { table: 'pending_points', key: ['seq'], atOnce: wideRowsAtOnce },
  { table: 'chunks', key: ['series_id', 'first_index'], atOnce: rowsAtOnce },
  { table: 'rollups', key: ['series_id', 'span_points', 'first_index'], atOnce: wideRowsAtOnce },
  { table: 'series', key: ['series_id'], atOnce: rowsAtOnce },
  { table: 'received_requests', key: ['request_id'], atOnce: rowsAtOnce },
  { table: 'compactions', key: ['series_id'], atOnce: rowsAtOnce },
  { table: 'stale_values', key: ['project_id', 'series_id'], atOnce: rowsAtOnce },
  { table: 'experiment_values', key: ['kind', 'name_key'], atOnce: rowsAtOnce },
  { table: 'text_pieces', key: ['kind', 'position'], atOnce: wideRowsAtOnce },
  { table: 'texts', key: ['kind'], atOnce: rowsAtOnce },
  { table: 'output_lines', key: ['run', 'first_offset', 'part'], atOnce: wideRowsAtOnce },
  { table: 'output_packings', key: ['due_at'], atOnce: rowsAtOnce },
  { table: 'rpc_functions', key: ['name_key'], atOnce: rowsAtOnce },
  { table: 'rpc_calls', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'views', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'comments', key: ['id'], atOnce: rowsAtOnce },
  { table: 'experiment_links', key: ['project_id'], atOnce: rowsAtOnce },
  { table: 'run_copies', key: ['from_id'], atOnce: rowsAtOnce },
  { table: 'artifact_uses', key: ['version_id'], atOnce: rowsAtOnce },
];

/** Tables with rows of a project that go with it; its experiments have gone before. */
const projectTables: readonly OwnedRows[] = [
  { table: 'share_codes', key: ['code'], atOnce: rowsAtOnce },
  { table: 'instance_stores', key: ['instance_key'], atOnce: wideRowsAtOnce },
  { table: 'project_names', key: ['kind', 'name_key'], atOnce: rowsAtOnce },
  { table: 'experiment_links', key: ['experiment_id'], atOnce: rowsAtOnce },
  { table: 'stale_values', key: ['experiment_id', 'series_id'], atOnce: rowsAtOnce },
  { table: 'views', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'saved_view_defaults', key: ['type', 'for_user'], atOnce: rowsAtOnce },
  { table: 'saved_views', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'run_actions', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'moved_projects', key: ['at'], atOnce: rowsAtOnce },
  { table: 'project_counts', key: ['slot'], atOnce: rowsAtOnce },
  { table: 'otel_traces', key: ['otel_id'], atOnce: rowsAtOnce },
  { table: 'retention_rules', key: ['id'], atOnce: rowsAtOnce },
  { table: 'dashboards', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'saved_queries', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'insights_runs', key: ['kind'], atOnce: rowsAtOnce },
  { table: 'insights_jobs', key: ['id'], atOnce: rowsAtOnce },
  { table: 'insights_issue_days', key: ['issue_id', 'report_day'], atOnce: wideRowsAtOnce },
  { table: 'insights_issues', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'alerts', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'automation_rule_projects', key: ['rule_id'], atOnce: rowsAtOnce },
  { table: 'automation_runs', key: ['id'], atOnce: rowsAtOnce },
  { table: 'prompt_runs', key: ['evaluation_id'], atOnce: wideRowsAtOnce },
  { table: 'agent_configs', key: ['id'], atOnce: rowsAtOnce },
  { table: 'agent_blueprints', key: ['id'], atOnce: rowsAtOnce },
  { table: 'agent_config_environments', key: ['id'], atOnce: rowsAtOnce },
  { table: 'agent_config_values', key: ['blueprint_id', 'place'], atOnce: wideRowsAtOnce },
  { table: 'annotation_queue_locks', key: ['queue_id', 'item_id', 'user_key'], atOnce: rowsAtOnce },
  { table: 'annotation_queue_items', key: ['queue_id', 'item_id'], atOnce: rowsAtOnce },
  { table: 'annotation_queues', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'guardrails', key: ['trace_id', 'span_id', 'name'], atOnce: rowsAtOnce },
  {
    table: 'assertion_results',
    key: ['entity_kind', 'entity_id', 'name_key'],
    atOnce: rowsAtOnce,
  },
  { table: 'feedback_scores', key: ['entity_id', 'score_key'], atOnce: rowsAtOnce },
  { table: 'trace_comments', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'trace_threads', key: ['thread_key'], atOnce: rowsAtOnce },
  { table: 'entry_blocks', key: ['kind', 'last_id'], atOnce: rowsAtOnce },
  { table: 'spans', key: ['id'], atOnce: rowsAtOnce },
  { table: 'span_frames', key: ['id', 'part'], atOnce: wideRowsAtOnce },
  { table: 'traces', key: ['id'], atOnce: wideRowsAtOnce },
  { table: 'entry_changes', key: ['number'], atOnce: wideRowsAtOnce },
];

/** Tables with rows of a version of a registered model, besides its files. */
const versionTables: readonly OwnedRows[] = [
  { table: 'registry_history', key: ['id'], atOnce: rowsAtOnce },
  { table: 'registry_requests', key: ['id'], atOnce: rowsAtOnce },
  { table: 'comments', key: ['id'], atOnce: rowsAtOnce },
];

/** Deleted less than this long ago: a request that began before may still be writing. */
const restMs = 10_000;

/** Removes the first rows of a table in the order of its key. Answers how many. */
const removeSome = (
  connection: Connection,
  { table, key, atOnce }: OwnedRows,
  owner: Readonly<Record<string, string>>,
): Promise<number> =>
  inTransaction(connection, async ({ db }) => {
    const rows = (await db(table)
      .select(...key)
      .where(owner)
      .orderBy([...key])
      .limit(atOnce)) as readonly Readonly<Record<string, string | number>>[]; // the columns of the key
    const last = rows.at(-1);
    if (last === undefined) return 0;
    // Up to and with the last one, as ranges of one column each: neither engine takes a limit on a delete alike, and row values keep one of them from its index.
    for (const [place, column] of key.entries()) {
      const before = Object.fromEntries(key.slice(0, place).map((name) => [name, last[name]]));
      await db(table)
        .where({ ...owner, ...before })
        .where(column, place === key.length - 1 ? '<=' : '<', last[column] ?? '')
        .delete();
    }
    return rows.length;
  });

const removeExperiment = async (
  connection: Connection,
  experimentId: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { db, clock } = connection;
  const blobRecords = blobRecordStore(connection);
  const uploads = uploadStore(connection);
  await keepUsage(connection, experimentId);
  for (;;) {
    const begun = (await db('direct_uploads')
      .select('id')
      .where({ experiment_id: experimentId })
      .orderBy('id')
      .limit(uploadsAtOnce)) as readonly { readonly id: string }[]; // the column named
    for (const { id } of begun) await uploads.removeDirect(id, clock.now());
    if (signal.aborted) return false;
    if (begun.length < uploadsAtOnce) break;
  }
  for (const rows of experimentTables)
    while ((await removeSome(connection, rows, { experiment_id: experimentId })) > 0)
      if (signal.aborted) return false;
  while ((await blobRecords.purge(experimentId, rowsAtOnce, clock.now())) > 0)
    if (signal.aborted) return false;
  await db('experiments').where({ id: experimentId }).delete();
  return true;
};

/** Marks the experiments of projects that were deleted with them, some at a time. */
const markOrphans = async ({ db, clock }: Connection): Promise<number> => {
  const rows = (await db('experiments')
    .join('projects', 'projects.id', 'experiments.project_id')
    .whereNotNull('projects.deleted_at')
    .where('projects.keeps_experiments', false)
    .whereNull('experiments.deleted_at')
    .select('experiments.id')
    .orderBy('experiments.id')
    .limit(rowsAtOnce)) as readonly { readonly id: string }[]; // the column named above
  if (rows.length > 0)
    await db('experiments')
      .whereIn(
        'id',
        rows.map((row) => row.id),
      )
      .update({ deleted_at: clock.now() - restMs });
  return rows.length;
};

const removeProject = async (
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<void> => {
  while ((await removeAttachmentsOfProject(connection, id, rowsAtOnce)) > 0)
    if (signal.aborted) return;
  await removeRulesOfProject(connection, id);
  for (const rows of projectTables)
    while ((await removeSome(connection, rows, { project_id: id })) > 0) if (signal.aborted) return;
  await connection.db('projects').where({ id }).delete();
};

interface Named {
  readonly id: string;
}
const idOf = ({ id }: Named): string => id;

/** The next rows of a table that were marked deleted, or queued, long enough ago. */
const nextDeleted = async (
  connection: Connection,
  queue: QueueName,
  table: string,
  more: (query: Knex.QueryBuilder) => void = () => undefined,
): Promise<readonly Named[]> => {
  const { db, dialect, clock } = connection;
  const now = clock.now();
  return (await db(table)
    .where(`${table}.deleted_at`, '<=', now - restMs)
    .modify(withoutHeld(connection, queue, dialect.idAsText(`${table}.id`), now))
    .modify(more)
    .orderBy(`${table}.id`)
    .limit(pageRows)
    .select(`${table}.id`)) as readonly Named[]; // the column named
};

const removeProjects = (connection: Connection, signal: AbortSignal): Promise<number> =>
  drain(connection, {
    queue: 'project-removal',
    idOf,
    signal,
    work: ({ id }) => removeProject(connection, id, signal),
    page: () =>
      nextDeleted(connection, 'project-removal', 'projects', (query) => {
        query.whereNotExists(
          connection
            .db('experiments')
            .select('experiments.id')
            .whereRaw('experiments.project_id = projects.id'),
        );
      }),
  });

/** Removes some of what a version keeps, and queues the bytes of which the asset has gone too: a queue is not carried over when a storage is moved. Answers how many. */
const removeFiles = (connection: Connection, modelId: string, versionId: string): Promise<number> =>
  inTransaction(connection, async ({ db, clock }) => {
    const rows = (await db('registry_files as f')
      .leftJoin('assets as a', 'a.row_id', 'f.row_id')
      .where({ 'f.model_id': modelId, 'f.version_id': versionId })
      .orderBy('f.row_id')
      .limit(wideRowsAtOnce)
      .select('f.row_id', 'f.blob_key', { there: 'a.row_id' })) as readonly {
      readonly row_id: string;
      readonly blob_key: string | null;
      readonly there: string | null;
    }[]; // the columns named
    const last = rows.at(-1);
    if (last === undefined) return 0;
    await db('registry_files')
      .where({ model_id: modelId, version_id: versionId })
      .where('row_id', '<=', last.row_id)
      .delete();
    await queueRemovals(
      db,
      rows.filter((row) => row.there === null).map((row) => row.blob_key),
      clock.now(),
    );
    return rows.length;
  });

/** Removes what belongs to a version. Says whether it came to its end. */
const removeVersion = async (
  connection: Connection,
  modelId: string,
  id: string,
  signal: AbortSignal,
): Promise<boolean> => {
  while ((await removeFiles(connection, modelId, id)) > 0) if (signal.aborted) return false;
  for (const rows of versionTables)
    while ((await removeSome(connection, rows, { model_id: modelId, version_id: id })) > 0)
      if (signal.aborted) return false;
  await connection.db('registry_versions').where({ model_id: modelId, id }).delete();
  return !signal.aborted;
};

const removeModel = async (
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { db } = connection;
  for (;;) {
    const versions = (await db('registry_versions')
      .where({ model_id: id })
      .orderBy('id')
      .limit(rowsAtOnce)
      .select('id')) as readonly { readonly id: string }[]; // the column named
    for (const version of versions)
      if (!(await removeVersion(connection, id, version.id, signal))) return false;
    if (versions.length < rowsAtOnce) break;
  }
  await db('registry_models').where({ id }).delete();
  return !signal.aborted;
};

interface RegistryRemoval {
  readonly id: string;
  readonly owner_id: string | null;
}

/** The same for what was marked deleted in the registry: versions, and models with all of theirs. */
const removeRegistered = (connection: Connection, signal: AbortSignal): Promise<number> => {
  const { db, dialect, clock } = connection;
  return drain<RegistryRemoval>(connection, {
    queue: 'registry-removal',
    idOf,
    signal,
    async page() {
      const now = clock.now();
      return (await db('registry_removals')
        .where('at', '<=', now - restMs)
        .modify(
          withoutHeld(
            connection,
            'registry-removal',
            dialect.idAsText('registry_removals.id'),
            now,
          ),
        )
        .orderBy(['at', 'id'])
        .limit(pageRows)
        .select('id', 'owner_id')) as readonly RegistryRemoval[]; // the columns named
    },
    async work({ id, owner_id }) {
      if (
        await (owner_id === null
          ? removeModel(connection, id, signal)
          : removeVersion(connection, owner_id, id, signal))
      )
        await db('registry_removals').where({ id }).delete();
    },
  });
};

/** Experiments that every read misses and whose rows are still there. */
export const countDeleted = async ({ db }: Connection): Promise<number> =>
  Number((await db('experiments').whereNotNull('deleted_at').count({ n: '*' }))[0]?.['n'] ?? 0);

/** Removes the rows of what was marked deleted. Answers how many experiments went. */
export const removeDeleted = async (
  connection: Connection,
  signal: AbortSignal,
): Promise<number> => {
  const { clock, log } = connection;
  await followMoves(connection, clock.now() - restMs, signal);
  await moveStrays(connection, signal);
  while (!signal.aborted && (await markOrphans(connection)) > 0);
  let removed = 0;
  await drain(connection, {
    queue: 'experiment-removal',
    idOf,
    signal,
    page: () => nextDeleted(connection, 'experiment-removal', 'experiments'),
    async work({ id }) {
      if (!(await removeExperiment(connection, id, signal))) return;
      removed++;
      if (removed % pageRows === 0)
        log.info('deleted experiments are being removed', {
          removed,
          left: await countDeleted(connection),
        });
    },
  });
  await removeProjects(connection, signal);
  await removeArtifacts(connection, clock.now() - restMs, signal);
  await removeRegistered(connection, signal);
  await removeRecords(connection, clock.now() - restMs, signal);
  return removed;
};
