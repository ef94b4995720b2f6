// Removes artifacts and versions that were marked deleted: files, uses and aliases a few rows a transaction, then the version, going on where a run broke off.
import type { Knex } from 'knex';
import type { QueueName } from '#ports/storage/queue-faults';
import { blobRecordStore } from './assets/blob-records.js';
import { inTransaction, type Connection } from './connection.js';
import { drain, pageRows, withoutHeld } from './queue-faults.js';

const rowsAtOnce = 1000;

/** Marks the versions of deleted artifacts deleted too, some at a time. Answers how many. */
const markVersions = async ({ db }: Connection, before: number): Promise<number> => {
  const rows = (await db('artifact_versions as v')
    .join('artifacts as a', 'a.id', 'v.artifact_id')
    .where('a.deleted_at', '<=', before)
    .whereNull('v.deleted_at')
    .select('v.id')
    .orderBy('v.id')
    .limit(rowsAtOnce)) as readonly { readonly id: string }[]; // the column named
  if (rows.length > 0)
    await db('artifact_versions')
      .whereIn(
        'id',
        rows.map((row) => row.id),
      )
      .update({ deleted_at: before });
  return rows.length;
};

/** Removes some rows of a version from a table in which `key` tells them apart. Answers how many. */
const removeSome = (
  connection: Connection,
  table: string,
  key: string,
  versionId: string,
): Promise<number> =>
  inTransaction(connection, async ({ db }) => {
    const rows = (await db(table)
      .select(key)
      .where({ version_id: versionId })
      .orderBy(key)
      .limit(rowsAtOnce)) as readonly Readonly<Record<string, string>>[]; // the column named
    if (rows.length > 0)
      await db(table)
        .where({ version_id: versionId })
        .whereIn(
          key,
          rows.map((row) => row[key] ?? ''),
        )
        .delete();
    return rows.length;
  });

const removeVersion = async (
  connection: Connection,
  versionId: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { db, clock } = connection;
  const blobRecords = blobRecordStore(connection);
  while ((await blobRecords.purgeVersion(versionId, rowsAtOnce, clock.now())) > 0)
    if (signal.aborted) return false;
  for (const [table, key] of [
    ['artifact_uses', 'experiment_id'],
    ['artifact_aliases', 'alias_key'],
  ] as const)
    while ((await removeSome(connection, table, key, versionId)) > 0)
      if (signal.aborted) return false;
  await db('artifact_versions').where({ id: versionId }).delete();
  return true;
};

/** Removes what was marked deleted up to a time. The numbers of versions stay, since none is used again. */
export const removeArtifacts = async (
  connection: Connection,
  before: number,
  signal: AbortSignal,
): Promise<void> => {
  const { db, dialect, clock } = connection;
  while ((await markVersions(connection, before)) > 0) if (signal.aborted) return;
  const next = async (
    queue: QueueName,
    table: 'artifacts' | 'artifact_versions',
    more: (query: Knex.QueryBuilder) => void = () => undefined,
  ) =>
    (await db(table)
      .where(`${table}.deleted_at`, '<=', before)
      .modify(withoutHeld(connection, queue, dialect.idAsText(`${table}.id`), clock.now()))
      .modify(more)
      .orderBy(`${table}.id`)
      .limit(pageRows)
      .select(`${table}.id`)) as readonly Named[]; // the column named
  await drain(connection, {
    queue: 'artifact-version-removal',
    idOf,
    signal,
    page: () => next('artifact-version-removal', 'artifact_versions'),
    work: async ({ id }) => {
      await removeVersion(connection, id, signal);
    },
  });
  await drain(connection, {
    queue: 'artifact-removal',
    idOf,
    signal,
    work: async ({ id }) => {
      await db('artifacts').where({ id }).delete();
    },
    page: () =>
      next('artifact-removal', 'artifacts', (query) => {
        query.whereNotExists(
          db('artifact_versions')
            .select('artifact_versions.id')
            .whereRaw('artifact_versions.artifact_id = artifacts.id'),
        );
      }),
  });
};

interface Named {
  readonly id: string;
}
const idOf = ({ id }: Named): string => id;
