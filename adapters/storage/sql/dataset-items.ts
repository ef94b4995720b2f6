import type { Knex } from 'knex';
import type { DatasetColumn } from '#ports/model/datasets';
import type { DatasetItemStore, ItemListing } from '#ports/storage/dataset-items';
import { textIn, touchRow, type Row } from './authorship.js';
import { inTransaction, type Connection } from './connection.js';
import { addTags, changeItems, lockDataset } from './dataset-changes.js';
import {
  holdingIn,
  itemColumns,
  still,
  toItem,
  toSpan,
  type ItemSpan,
} from './dataset-item-rows.js';
import { compareVersions, restoreVersion } from './dataset-restoring.js';
import { readVersion, readVersions, selectVersions, tagKey } from './dataset-versions.js';
import { filtered } from './field-listing.js';
import {
  idField,
  jsonField,
  listField,
  numberField,
  textField,
  type FieldSources,
} from './field-query.js';
import { isId } from './ids.js';
import { requireRoom } from './room.js';

const sources: FieldSources = {
  id: idField('i.id'),
  trace_id: idField('i.trace_id'),
  span_id: idField('i.span_id'),
  source: textField('i.source'),
  created_by: textField('i.created_by'),
  last_updated_by: textField('i.last_updated_by'),
  full_data: textField('i.data'),
  data: jsonField('i.data'),
  tags: listField('i.tags'),
  created_at: numberField('i.created_at'),
  last_updated_at: numberField('i.last_updated_at'),
};

const listed = (
  { db, dialect }: Connection,
  { workspaceId, datasetId, version, filters, beforeId }: Omit<ItemListing, 'limit' | 'mostBytes'>,
): Knex.QueryBuilder => {
  const query = db('dataset_items as i')
    .where({ 'i.workspace_id': workspaceId, 'i.dataset_id': datasetId })
    .modify(holdingIn(version))
    .modify(filtered(dialect, sources, filters));
  if (beforeId !== undefined) query.where('i.id', '<', beforeId);
  return query;
};

/** As many of the first as have together no more than so many bytes, and the first in any case; where all are wanted, the rest is refused. */
const fitting = (rows: readonly Row[], mostBytes: number, all: boolean): readonly Row[] => {
  let bytes = 0;
  if (all) {
    requireRoom(
      rows.reduce((sum, row) => sum + Number(row['bytes']), 0),
      mostBytes,
    );
    return rows;
  }
  const end = rows.findIndex((row, at) => (bytes += Number(row['bytes'])) > mostBytes && at > 0);
  return end === -1 ? rows : rows.slice(0, end);
};

export const datasetItemStore = (connection: Connection): DatasetItemStore => {
  const { db, dialect } = connection;
  const versions = async (workspaceId: string, query: Knex.QueryBuilder) =>
    readVersions(db, workspaceId, (await query) as readonly Row[]); // the columns of `selectVersions`
  /** Rows of a page with how many bytes the data of each has, in their order. */
  const sizesOf = async (
    { workspaceId, datasetId, version }: Pick<ItemListing, 'workspaceId' | 'datasetId' | 'version'>,
    page: readonly Row[],
  ): Promise<readonly Row[]> =>
    (await db('dataset_items as i')
      .where({ 'i.workspace_id': workspaceId, 'i.dataset_id': datasetId })
      .modify(holdingIn(version))
      .modify(
        dialect.among(
          'i.id',
          'id',
          page.map((row) => String(row['id'])),
        ),
      )
      .orderBy('i.id', 'desc')
      .select('i.id', { bytes: db.raw('octet_length(i.data)') })) as readonly Row[]; // the columns named
  return {
    change: (change) => changeItems(connection, change),
    async findMany(workspaceId, ids) {
      const rows = (await db('dataset_items as i')
        .join('datasets as d', (on) => {
          on.on('d.workspace_id', 'i.workspace_id').andOn('d.id', 'i.dataset_id');
        })
        .where('i.workspace_id', workspaceId)
        .where('i.to_version', still)
        .modify(dialect.among('i.id', 'id', ids.filter(isId)))
        .orderBy(['i.id', 'i.last_updated_at', 'i.dataset_id'])
        .select(...itemColumns.map((column) => `i.${column}`))) as readonly Row[]; // the columns named
      return rows.map(toItem);
    },
    async findDescriptions(workspaceId, ids) {
      const rows = (await db('dataset_items as i')
        .join('datasets as d', (on) => {
          on.on('d.workspace_id', 'i.workspace_id').andOn('d.id', 'i.dataset_id');
        })
        .where({ 'i.workspace_id': workspaceId, 'i.to_version': still })
        .modify(dialect.among('i.id', 'id', ids.filter(isId)))
        .orderBy(['i.id', 'i.last_updated_at', 'i.dataset_id'])
        .select('i.id', 'i.description')) as readonly Row[]; // the columns named
      const last = new Map(rows.map((row) => [String(row['id']), textIn(row, 'description')]));
      return new Map(
        [...last].flatMap(([id, said]) => (said === undefined ? [] : [[id, said] as const])),
      );
    },
    async findAsOf(workspaceId, datasetId, ids, version) {
      const selected = () =>
        db('dataset_items as i')
          .where({ 'i.workspace_id': workspaceId, 'i.dataset_id': datasetId })
          .modify(dialect.among('i.id', 'id', ids.filter(isId)));
      const [size] = (await selected().select({
        bytes: db.raw('sum(octet_length(i.data))'),
      })) as readonly Row[]; // one row of one column
      requireRoom(Number(size?.['bytes'] ?? 0));
      const rows = (await selected()
        .orderBy(['i.id', 'i.from_version'])
        .select(
          ...itemColumns.map((column) => `i.${column}`),
          'i.from_version',
          'i.to_version',
        )) as readonly Row[]; // the columns named
      const found = new Map<string, ItemSpan>();
      const holds = ({ from, to }: ItemSpan) =>
        version !== undefined && from <= version && to > version;
      for (const span of rows.map(toSpan)) {
        const before = found.get(span.item.id);
        if (before === undefined || !holds(before)) found.set(span.item.id, span);
      }
      return [...found.values()].map(({ item }) => item);
    },
    async list({ offset, limit, mostBytes, ...listing }) {
      // The page is found in the index alone, so that what lies before it is not read.
      const page = (await listed(connection, listing)
        .select('i.id')
        .orderBy('i.id', 'desc')
        .offset(offset ?? 0)
        .limit(limit)) as readonly Row[]; // the column named
      if (page.length === 0) return [];
      const keys =
        mostBytes === undefined
          ? page
          : fitting(await sizesOf(listing, page), mostBytes, offset !== undefined);
      const rows = (await db('dataset_items as i')
        .where({ 'i.workspace_id': listing.workspaceId, 'i.dataset_id': listing.datasetId })
        .modify(holdingIn(listing.version))
        .modify(
          dialect.among(
            'i.id',
            'id',
            keys.map((row) => String(row['id'])),
          ),
        )
        .orderBy('i.id', 'desc')
        .select(...itemColumns.map((column) => `i.${column}`))) as readonly Row[]; // the columns named
      return rows.map(toItem);
    },
    async count(listing) {
      const [row] = (await listed(connection, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      return Number(row?.['n'] ?? 0);
    },
    async listColumns(workspaceId, datasetId) {
      const rows = (await db('dataset_columns')
        .select('name', 'type')
        .where({ workspace_id: workspaceId, dataset_id: datasetId })
        .orderBy(['name_key', 'type'])
        .limit(2000)) as readonly DatasetColumn[]; // the columns named
      return rows
        .map(({ name, type }) => ({ name, type }))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.type < b.type ? -1 : 1));
    },
    async findVersion(workspaceId, datasetId, by) {
      if (!isId(datasetId)) return undefined;
      const query = selectVersions(db, workspaceId).where('v.dataset_id', datasetId).limit(1);
      if (by === 'newest') query.whereRaw('v.number = d.newest');
      else if ('id' in by) {
        if (!isId(by.id)) return undefined;
        query.where('v.id', by.id);
      } else if ('number' in by) query.where('v.number', by.number);
      else if ('hash' in by) query.where('v.hash', by.hash);
      else
        query.whereIn(
          'v.number',
          db('dataset_version_tags')
            .select('number')
            .where({
              workspace_id: workspaceId,
              dataset_id: datasetId,
              tag_key: tagKey(by.tag),
            }),
        );
      return (await versions(workspaceId, query))[0];
    },
    findVersions: (workspaceId, ids) =>
      versions(
        workspaceId,
        selectVersions(db, workspaceId).modify(dialect.among('v.id', 'id', ids.filter(isId))),
      ),
    async findNewest(workspaceId, datasetIds) {
      const found = await versions(
        workspaceId,
        selectVersions(db, workspaceId)
          .whereRaw('v.number = d.newest')
          .modify(dialect.among('d.id', 'id', datasetIds.filter(isId))),
      );
      return new Map(found.map((one) => [one.datasetId, one]));
    },
    async listVersions(workspaceId, datasetId, { page, size }) {
      const [row] = (await db('dataset_versions')
        .where({ workspace_id: workspaceId, dataset_id: datasetId })
        .count({ n: '*' })) as readonly Row[]; // one row of one column
      return {
        total: Number(row?.['n'] ?? 0),
        content: await versions(
          workspaceId,
          selectVersions(db, workspaceId)
            .where('v.dataset_id', datasetId)
            .orderBy('v.number', 'desc')
            .offset((page - 1) * size)
            .limit(size),
        ),
      };
    },
    restore: (restoring) => restoreVersion(connection, restoring),
    compare: (workspaceId, datasetId, from, to) =>
      compareVersions(db, workspaceId, datasetId, from, to),
    async describeVersion(workspaceId, datasetId, number, { changeDescription, ...touch }) {
      await db('dataset_versions')
        .where({ workspace_id: workspaceId, dataset_id: datasetId, number })
        .update({
          ...(changeDescription === undefined ? {} : { change_description: changeDescription }),
          ...touchRow(touch),
        });
    },
    tagVersion: (workspaceId, datasetId, number, tags) =>
      inTransaction(connection, async (inside) => {
        const locked = await lockDataset(inside.db, workspaceId, datasetId);
        if (
          locked !== undefined &&
          (await readVersion(inside.db, workspaceId, datasetId, number)) !== undefined
        )
          await addTags(inside, workspaceId, datasetId, number, tags);
      }),
    async untagVersion(workspaceId, datasetId, number, tag) {
      await db('dataset_version_tags')
        .where({
          workspace_id: workspaceId,
          dataset_id: datasetId,
          number,
          tag_key: tagKey(tag),
        })
        .delete();
    },
  };
};
