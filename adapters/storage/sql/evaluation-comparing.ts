// Items of a dataset beside what evaluations made of them, filtered and sorted by either.
import type { Dialect } from '#ports/sql-dialect';
import type { Knex } from 'knex';
import type { FieldOrder } from '#ports/field-query';
import type { ComparedListing } from '#ports/storage/evaluation-items';
import { whereHolds, type Connection } from './connection.js';
import { filtered } from './field-listing.js';
import {
  idField,
  jsonField,
  listField,
  numberField,
  orderBy,
  type FieldSource,
  type FieldSources,
} from './field-query.js';
import { fragment, wrap } from './fragment.js';
import { isId } from './ids.js';

const meanScore = (key: string, dialect: Dialect) =>
  numberField(
    fragment(
      `(select avg(f.value) from feedback_scores f where f.project_id = t.project_id and f.entity_kind = 'trace' and f.entity_id = t.id and ${dialect.equalTexts(dialect.lower('f.name'), dialect.lower('?'))})`,
      key,
    ),
  );
const scores: FieldSource = {
  where: (filter, dialect) => meanScore(filter.key ?? '', dialect).where(filter, dialect),
  sort: (order, dialect) =>
    meanScore(order.key ?? '', dialect).sort?.(order, dialect) ?? fragment('null'),
};

const sources: FieldSources = {
  id: idField('e.dataset_item_id'),
  data: jsonField('i.data'),
  tags: listField('i.tags'),
  created_at: numberField('i.created_at'),
  last_updated_at: numberField('i.last_updated_at'),
  input: jsonField('t.input'),
  output: jsonField('t.output'),
  metadata: jsonField('t.metadata'),
  duration: numberField('((t.end_time - t.start_time) / 1000.0)'),
  feedback_scores: scores,
};

/** One row for each item; several of an item are taken together, so that one sorts by the greatest of its values. */
const greatest = (): FieldSources =>
  Object.fromEntries(
    Object.entries(sources).map(([field, { sort, ...source }]) => [
      field,
      sort === undefined
        ? source
        : {
            ...source,
            sort: (order, dialect) =>
              field === 'id' ? sort(order, dialect) : wrap('max(', sort(order, dialect), ')'),
          },
    ]),
  );

/** Ids of the items, under the name `id`; sorted where orders are given. */
export const comparedItems = (
  { db, dialect }: Connection,
  { workspaceId, datasetId, evaluationIds, search, filters, orders: asked }: ComparedListing,
  orders: readonly FieldOrder[] | undefined,
): Knex.QueryBuilder => {
  const query = db('evaluation_items as e')
    .where('e.workspace_id', workspaceId)
    .whereIn('e.evaluation_id', evaluationIds.filter(isId))
    .groupBy('e.dataset_item_id')
    .select({ id: 'e.dataset_item_id' });
  const looks = filters.length > 0 || asked.length > 0 || (search ?? '') !== '';
  const ofDataset = { 'i.workspace_id': workspaceId, 'i.dataset_id': datasetId };
  if (looks)
    query
      .join('dataset_items as i', (on) => {
        on.on('i.workspace_id', 'e.workspace_id').andOn('i.id', 'e.dataset_item_id');
      })
      .where(ofDataset)
      .whereRaw(
        'i.from_version = (select max(l.from_version) from dataset_items l where l.workspace_id = i.workspace_id and l.dataset_id = i.dataset_id and l.id = i.id)',
      )
      .leftJoin('traces as t', (on) => {
        on.on('t.id', 'e.trace_id').andOn(
          db.raw('t.project_id in (select o.id from projects o where o.workspace_id = ?)', [
            workspaceId,
          ]),
        );
      })
      .modify(filtered(dialect, sources, filters));
  else
    query.whereExists(
      db('dataset_items as i').select('i.id').where(ofDataset).whereRaw('i.id = e.dataset_item_id'),
    );
  if (search !== undefined && search !== '')
    query.modify(whereHolds(dialect, search, 'i.data', 't.input', 't.output'));
  if (orders === undefined) return query;
  const { sql, bindings } = orderBy(orders, greatest(), 'e.dataset_item_id desc', dialect);
  return query.orderByRaw(sql, bindings as never); // knex types no lists that cannot be changed
};
