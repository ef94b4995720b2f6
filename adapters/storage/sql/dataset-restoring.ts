// Older states of a dataset: made the newest one again, and compared.
import type { Knex } from 'knex';
import type { DatasetVersion } from '#ports/model/datasets';
import type { DatasetItemStore, VersionDifference } from '#ports/storage/dataset-items';
import { type Row } from './authorship.js';
import { inTransaction, type Connection } from './connection.js';
import { insertVersion, lockDataset } from './dataset-changes.js';
import { itemColumns, still } from './dataset-item-rows.js';
import { readVersion } from './dataset-versions.js';

const countOf = async (query: Knex.QueryBuilder): Promise<number> => {
  const [row] = (await query.count({ n: '*' })) as readonly Row[]; // one row of one column
  return Number(row?.['n'] ?? 0);
};

/** Rows that hold in one version and not in another. */
const only =
  (inside: number, outside: number, alias: string) =>
  (query: Knex.QueryBuilder): void => {
    const [from, to] = [`${alias}.from_version`, `${alias}.to_version`];
    query
      .where(from, '<=', inside)
      .where(to, '>', inside)
      .where((either) => either.where(from, '>', outside).orWhere(to, '<=', outside));
  };

const compared = ['data', 'description', 'tags', 'source', 'evaluators', 'execution_policy'];
/** Whether an item says something else in one row than in another. */
const saysOther = compared
  .map((column) => `coalesce(i.${column}, '') <> coalesce(o.${column}, '')`)
  .join(' or ');

/** Items whose rows differ between two versions: how many are in both, and how many of those say something else. */
const countBoth = async (
  db: Knex,
  ofDataset: Readonly<Record<string, string>>,
  one: number,
  other: number,
): Promise<{ readonly both: number; readonly modified: number }> => {
  const [row] = (await db('dataset_items as i')
    .join('dataset_items as o', (on) => {
      on.on('o.workspace_id', 'i.workspace_id')
        .andOn('o.dataset_id', 'i.dataset_id')
        .andOn('o.id', 'i.id');
    })
    .where(Object.fromEntries(Object.entries(ofDataset).map(([name, id]) => [`i.${name}`, id])))
    .modify(only(one, other, 'i'))
    .modify(only(other, one, 'o'))
    .count({ both: '*' })
    .sum({
      modified: db.raw(`case when ${saysOther} then 1 else 0 end`),
    })) as unknown as readonly Row[]; // one row of the columns named
  return { both: Number(row?.['both'] ?? 0), modified: Number(row?.['modified'] ?? 0) };
};

export const restoreVersion = (
  connection: Connection,
  {
    workspaceId,
    datasetId,
    number,
    versionId,
    changeDescription,
    touch,
  }: Parameters<DatasetItemStore['restore']>[0],
): Promise<DatasetVersion | undefined> =>
  inTransaction(connection, async ({ db }) => {
    const locked = await lockDataset(db, workspaceId, datasetId);
    const old = await readVersion(db, workspaceId, datasetId, number);
    if (locked === undefined || old === undefined) return undefined;
    const { newest } = locked;
    if (number === newest) return old;
    const ofDataset = { workspace_id: workspaceId, dataset_id: datasetId };
    const next = newest + 1;
    const rows = () => db('dataset_items as i').where(ofDataset);
    const back = await countOf(rows().modify(only(number, newest, 'i')));
    const gone = await countOf(rows().modify(only(newest, number, 'i')));
    const { both, modified } = await countBoth(db, ofDataset, number, newest);
    await db('dataset_items')
      .where({ ...ofDataset, to_version: still })
      .where('from_version', '>', number)
      .update({ to_version: next });
    const copied = ['workspace_id', ...itemColumns];
    await db(
      db.raw(
        `dataset_items (${[...copied, 'from_version', 'to_version'].map(() => '??').join(', ')})`,
        [...copied, 'from_version', 'to_version'],
      ),
    ).insert(
      db('dataset_items')
        .select(...copied, db.raw('?', [next]), db.raw('?', [still]))
        .where(ofDataset)
        .where('from_version', '<=', number)
        .where('to_version', '>', number)
        .where('to_version', '<=', newest),
    );
    const before = await readVersion(db, workspaceId, datasetId, newest);
    await insertVersion(db, {
      workspaceId,
      datasetId,
      number: next,
      id: versionId,
      settings: {
        changeDescription,
        metadata: old.metadata ?? null,
        evaluators: old.evaluators ?? null,
        executionPolicy: old.executionPolicy ?? null,
      },
      before,
      counters: { added: back - both, modified, deleted: gone - both },
      touch,
    });
    return readVersion(db, workspaceId, datasetId, next);
  });

export const compareVersions = async (
  db: Knex,
  workspaceId: string,
  datasetId: string,
  from: number,
  to: number,
): Promise<VersionDifference> => {
  const ofDataset = { workspace_id: workspaceId, dataset_id: datasetId };
  const rows = () => db('dataset_items as i').where(ofDataset);
  const { both, modified } = await countBoth(db, ofDataset, from, to);
  const same = await countOf(
    rows()
      .where('i.from_version', '<=', Math.min(from, to))
      .where('i.to_version', '>', Math.max(from, to)),
  );
  return {
    added: (await countOf(rows().modify(only(to, from, 'i')))) - both,
    deleted: (await countOf(rows().modify(only(from, to, 'i')))) - both,
    modified,
    unchanged: same + both - modified,
  };
};
