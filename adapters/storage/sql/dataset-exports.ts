import type { Knex } from 'knex';
import type { DatasetExport, FoundExport } from '#ports/model/dataset-exports';
import type { DatasetExportStore } from '#ports/storage/dataset-exports';
import {
  authorshipColumns,
  authorshipRow,
  textIn,
  toAuthorship,
  wholeIn,
  type Row,
} from './authorship.js';
import type { Connection } from './connection.js';
import { isId } from './ids.js';

const columns = [
  ...['workspace_id', 'id', 'dataset_id', 'version', 'expires_at', 'viewed_at'],
  ...authorshipColumns,
].map((column) => `e.${column}`);

const toFound = (row: Row): FoundExport => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  datasetId: String(row['dataset_id']),
  version: Number(row['version']),
  expiresAt: Number(row['expires_at']),
  viewedAt: wholeIn(row, 'viewed_at'),
  datasetName: String(row['dataset_name']),
  projectId: textIn(row, 'project_id'),
  ...toAuthorship(row),
});
const toRow = (made: DatasetExport): Row => ({
  workspace_id: made.workspaceId,
  id: made.id,
  dataset_id: made.datasetId,
  version: made.version,
  expires_at: made.expiresAt,
  viewed_at: made.viewedAt ?? null,
  ...authorshipRow(made),
});

export const datasetExportStore = ({ db }: Connection): DatasetExportStore => {
  const found = (workspaceId: string): Knex.QueryBuilder =>
    db('dataset_exports as e')
      .join('datasets as d', (on) =>
        on.on('d.workspace_id', 'e.workspace_id').andOn('d.id', 'e.dataset_id'),
      )
      .select(...columns, 'd.name as dataset_name', 'd.project_id')
      .where('e.workspace_id', workspaceId);
  return {
    async insert(made) {
      await db('dataset_exports')
        .where({ workspace_id: made.workspaceId })
        .where('expires_at', '<', Math.floor(made.createdAt / 1000))
        .delete();
      await db('dataset_exports').insert(toRow(made));
    },
    async find(workspaceId, id) {
      if (!isId(id)) return undefined;
      const row = (await found(workspaceId).where('e.id', id).first()) as Row | undefined; // the columns named
      return row === undefined ? undefined : toFound(row);
    },
    async list({ workspaceId, projectId, now, limit }) {
      const query = found(workspaceId).where('e.expires_at', '>', now);
      if (projectId !== undefined) query.where('d.project_id', projectId);
      const rows = (await query.orderBy('e.id', 'desc').limit(limit)) as readonly Row[]; // the columns named
      return rows.map(toFound);
    },
    async markViewed(workspaceId, id, at) {
      if (!isId(id)) return false;
      const one = { workspace_id: workspaceId, id };
      await db('dataset_exports').where(one).whereNull('viewed_at').update({ viewed_at: at });
      return (await db('dataset_exports').select('id').where(one).first()) !== undefined;
    },
  };
};
