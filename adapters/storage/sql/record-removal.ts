// What was deleted at once and has many rows of its own: those go later, a few a transaction.
import type { Knex } from 'knex';
import { inTransaction, type Connection } from './connection.js';
import { drain, pageRows, withoutHeld } from './queue-faults.js';

export type RemovedKind = 'dataset' | 'evaluation';

interface Removal {
  readonly id: string;
  readonly kind: RemovedKind;
  readonly workspace_id: string;
  readonly owner_id: string;
}

/** A table with rows of something that goes, and the column that tells those rows apart, if roughly. */
interface OwnedRows {
  readonly table: string;
  readonly owner: string;
  readonly key: string;
}

const rowsAtOnce = 500;

const tablesOf: Readonly<Record<RemovedKind, readonly OwnedRows[]>> = {
  dataset: [
    { table: 'dataset_items', owner: 'dataset_id', key: 'id' },
    { table: 'dataset_versions', owner: 'dataset_id', key: 'number' },
    { table: 'dataset_version_tags', owner: 'dataset_id', key: 'tag_key' },
    { table: 'dataset_columns', owner: 'dataset_id', key: 'name_key' },
    { table: 'dataset_exports', owner: 'dataset_id', key: 'id' },
  ],
  evaluation: [
    { table: 'evaluation_items', owner: 'evaluation_id', key: 'id' },
    { table: 'evaluation_prompts', owner: 'evaluation_id', key: 'version_id' },
  ],
};

/** Notes, in the transaction that deletes them, what has rows left behind. */
export const queueRecordRemovals = async (
  { db, ids }: Pick<Connection, 'db' | 'ids'>,
  kind: RemovedKind,
  workspaceId: string,
  ownerIds: readonly string[],
  at: number,
): Promise<void> => {
  if (ownerIds.length > 0)
    await db('record_removals').insert(
      ownerIds.map((owner) => ({
        id: ids.next(),
        kind,
        workspace_id: workspaceId,
        owner_id: owner,
        at,
      })),
    );
};

/** Whether rows are left of one that was deleted under this id. */
export const isBeingRemoved = async (
  db: Knex,
  kind: RemovedKind,
  workspaceId: string,
  ownerId: string,
): Promise<boolean> =>
  (await db('record_removals')
    .select('id')
    .where({ kind, workspace_id: workspaceId, owner_id: ownerId })
    .first()) !== undefined;

/** Removes the rows of the first keys of a table. Answers how many keys. */
const removeSome = (
  connection: Connection,
  { table, owner, key }: OwnedRows,
  { workspace_id, owner_id }: Removal,
): Promise<number> =>
  inTransaction(connection, async ({ db }) => {
    const of = { workspace_id, [owner]: owner_id };
    const rows = (await db(table)
      .select(key)
      .where(of)
      .orderBy(key)
      .limit(rowsAtOnce)) as readonly Readonly<Record<string, string | number>>[]; // the column of the key
    const last = rows.at(-1);
    if (last === undefined) return 0;
    await db(table)
      .where(of)
      .where(key, '<=', last[key] ?? '')
      .delete();
    return rows.length;
  });

/** Removes what deleted records left behind; answers how many of them are done with. */
export const removeRecords = (
  connection: Connection,
  before: number,
  signal: AbortSignal,
): Promise<number> => {
  const { db, dialect, clock } = connection;
  return drain<Removal>(connection, {
    queue: 'record-removal',
    idOf: ({ id }) => id,
    signal,
    page: async () =>
      (await db('record_removals')
        .where('at', '<=', before)
        .modify(
          withoutHeld(
            connection,
            'record-removal',
            dialect.idAsText('record_removals.id'),
            clock.now(),
          ),
        )
        .orderBy(['at', 'id'])
        .limit(pageRows)
        .select('id', 'kind', 'workspace_id', 'owner_id')) as readonly Removal[], // the columns named
    async work(removal) {
      for (const rows of tablesOf[removal.kind])
        while ((await removeSome(connection, rows, removal)) > 0) if (signal.aborted) return;
      await db('record_removals').where({ id: removal.id }).delete();
    },
  });
};
