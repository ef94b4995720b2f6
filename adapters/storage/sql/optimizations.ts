import type { Knex } from 'knex';
import type { Optimization, OptimizationStatus } from '#ports/model/optimizations';
import type { OptimizationListing, OptimizationStore } from '#ports/storage/optimizations';
import {
  authorshipColumns,
  authorshipRow,
  changedColumns,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import { whereHolds, inTransaction, type Connection } from './connection.js';
import { filtered } from './field-listing.js';
import { idField, jsonField, textField, type FieldSources } from './field-query.js';
import { isId } from './ids.js';

const columns = [
  'workspace_id',
  'id',
  'project_id',
  'dataset_id',
  'name',
  'objective_name',
  'status',
  'metadata',
  'studio_config',
  'error_info',
  ...authorshipColumns,
].map((column) => `o.${column}`);

const toOptimization = (row: Row): Optimization => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  datasetId: String(row['dataset_id']),
  name: textIn(row, 'name'),
  objectiveName: String(row['objective_name']),
  status: String(row['status']) as OptimizationStatus, // as it was written
  metadata: textIn(row, 'metadata'),
  studioConfig: textIn(row, 'studio_config'),
  errorInfo: textIn(row, 'error_info'),
  ...toAuthorship(row),
});

const sources: FieldSources = {
  metadata: jsonField('o.metadata'),
  dataset_id: idField('o.dataset_id'),
  project_id: idField('o.project_id'),
  status: textField('o.status'),
};

const listed = ({ db, dialect }: Connection, listing: OptimizationListing): Knex.QueryBuilder => {
  const { workspaceId, projectId, datasetId, name, datasetName, datasetDeleted } = listing;
  const ofDataset = () =>
    db('datasets as d')
      .select('d.id')
      .whereRaw('d.workspace_id = o.workspace_id and d.id = o.dataset_id');
  const query = db('optimizations as o')
    .where('o.workspace_id', workspaceId)
    .modify(filtered(dialect, sources, listing.filters));
  if (projectId !== undefined) query.where('o.project_id', projectId);
  if (datasetId !== undefined) query.where('o.dataset_id', datasetId);
  if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'o.name'));
  if (datasetName !== undefined && datasetName !== '')
    query.whereExists(ofDataset().modify(whereHolds(dialect, datasetName, 'd.name')));
  if (datasetDeleted === true) query.whereNotExists(ofDataset());
  return query;
};

export const optimizationStore = (connection: Connection): OptimizationStore => {
  const { db } = connection;
  return {
    put: (optimization) =>
      inTransaction(
        connection,
        async (inside) => {
          const { workspaceId, id } = optimization;
          const one = { workspace_id: workspaceId, id };
          const { created_at, created_by, ...changing } = {
            ...one,
            project_id: optimization.projectId ?? null,
            dataset_id: optimization.datasetId,
            name: optimization.name ?? null,
            objective_name: optimization.objectiveName,
            status: optimization.status,
            metadata: optimization.metadata ?? null,
            studio_config: optimization.studioConfig ?? null,
            error_info: optimization.errorInfo ?? null,
            ...authorshipRow(optimization),
          } as Row;
          const held = await inside.db('optimizations').select('id').where(one).forUpdate().first();
          if (held === undefined)
            await inside.db('optimizations').insert({ ...changing, created_at, created_by });
          else await inside.db('optimizations').where(one).update(changing);
        },
        { overtaken: true },
      ),
    async find(workspaceId, id) {
      if (!isId(id)) return undefined;
      const row = (await db('optimizations as o')
        .select(...columns)
        .where({ 'o.workspace_id': workspaceId, 'o.id': id })
        .first()) as Row | undefined; // the columns named
      return row === undefined ? undefined : toOptimization(row);
    },
    async list(listing) {
      const [counted] = (await listed(connection, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      const rows = (await listed(connection, listing)
        .select(...columns)
        .orderBy('o.id', 'desc')
        .offset(listing.offset)
        .limit(listing.limit)) as readonly Row[]; // the columns named
      return { total: Number(counted?.['n'] ?? 0), content: rows.map(toOptimization) };
    },
    async update(workspaceId, id, change) {
      if (!isId(id)) return false;
      const one = { workspace_id: workspaceId, id };
      const changed = await db('optimizations')
        .where(one)
        .update({
          ...changedColumns(change, {
            name: 'name',
            status: 'status',
            metadata: 'metadata',
            errorInfo: 'error_info',
          }),
          ...touchRow(change),
        });
      return (
        changed > 0 || (await db('optimizations').select('id').where(one).first()) !== undefined
      ); // one engine counts no row whose values stay the same
    },
    async remove(workspaceId, ids) {
      await db('optimizations')
        .where({ workspace_id: workspaceId })
        .whereIn('id', ids.filter(isId))
        .delete();
    },
  };
};
