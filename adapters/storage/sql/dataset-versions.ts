// Versions of datasets: the rows that say what each of them is.
import type { Knex } from 'knex';
import type { DatasetVersion } from '#ports/model/datasets';
import { authorshipColumns, textIn, toAuthorship, type Row } from './authorship.js';
import { keyOf } from './connection.js';

export const versionColumns = [
  'dataset_id',
  'id',
  'number',
  'hash',
  'items_total',
  'items_added',
  'items_modified',
  'items_deleted',
  'change_description',
  'metadata',
  'evaluators',
  'execution_policy',
  ...authorshipColumns,
];

export const toVersion = (row: Row, tags: readonly string[], newest: number): DatasetVersion => ({
  datasetId: String(row['dataset_id']),
  id: String(row['id']),
  number: Number(row['number']),
  hash: String(row['hash']),
  tags,
  newest: Number(row['number']) === newest,
  itemsTotal: Number(row['items_total']),
  itemsAdded: Number(row['items_added']),
  itemsModified: Number(row['items_modified']),
  itemsDeleted: Number(row['items_deleted']),
  changeDescription: textIn(row, 'change_description'),
  metadata: textIn(row, 'metadata'),
  evaluators: textIn(row, 'evaluators'),
  executionPolicy: textIn(row, 'execution_policy'),
  ...toAuthorship(row),
});

/** By which clients ask for the items of a version. */
export const hashOf = (versionId: string): string => keyOf(versionId).slice(0, 16);
export const tagKey = (tag: string): string => keyOf(tag);

/** The rows of versions of datasets that are there, with the number of the newest one of each. */
export const selectVersions = (db: Knex, workspaceId: string): Knex.QueryBuilder =>
  db('dataset_versions as v')
    .join('datasets as d', (on) => {
      on.on('d.workspace_id', 'v.workspace_id').andOn('d.id', 'v.dataset_id');
    })
    .where('v.workspace_id', workspaceId)
    .select(...versionColumns.map((column) => `v.${column}`), 'd.newest');

/** Their tags too, in one question for all. */
export const readVersions = async (
  db: Knex,
  workspaceId: string,
  rows: readonly Row[],
): Promise<readonly DatasetVersion[]> => {
  if (rows.length === 0) return [];
  const tags = (await db('dataset_version_tags')
    .select('dataset_id', 'number', 'tag')
    .where({ workspace_id: workspaceId })
    .whereIn('dataset_id', [...new Set(rows.map((row) => String(row['dataset_id'])))])
    .whereIn('number', [...new Set(rows.map((row) => Number(row['number'])))])
    .orderBy('tag_key')) as readonly Row[]; // the columns named
  const byVersion = new Map<string, string[]>();
  for (const row of tags) {
    const key = `${String(row['dataset_id'])} ${String(row['number'])}`;
    byVersion.set(key, [...(byVersion.get(key) ?? []), String(row['tag'])]);
  }
  return rows.map((row) =>
    toVersion(
      row,
      (byVersion.get(`${String(row['dataset_id'])} ${String(row['number'])}`) ?? []).sort(),
      Number(row['newest']),
    ),
  );
};

/** One version. */
export const readVersion = async (
  db: Knex,
  workspaceId: string,
  datasetId: string,
  number: number,
): Promise<DatasetVersion | undefined> =>
  (
    await readVersions(
      db,
      workspaceId,
      (await selectVersions(db, workspaceId)
        .where({ 'v.dataset_id': datasetId, 'v.number': number })
        .limit(1)) as readonly Row[], // the columns named
    )
  )[0];
