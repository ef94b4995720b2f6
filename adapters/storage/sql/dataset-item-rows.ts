// Items of datasets as rows: each says from which version on, and up to which, it is so.
import type { Knex } from 'knex';
import type { ColumnValues } from '#ports/sql-dialect';
import type { DatasetItem } from '#ports/model/datasets';
import { authorshipColumns, jsonIn, textIn, toAuthorship, type Row } from './authorship.js';
import type { Connection } from './connection.js';

/** The end of what is still so. */
export const still = 2_147_483_647;

export const itemColumns = [
  'dataset_id',
  'id',
  'trace_id',
  'span_id',
  'source',
  'data',
  'description',
  'tags',
  'evaluators',
  'execution_policy',
  ...authorshipColumns,
];

export const toItem = (row: Row): DatasetItem => ({
  datasetId: String(row['dataset_id']),
  id: String(row['id']),
  traceId: textIn(row, 'trace_id'),
  spanId: textIn(row, 'span_id'),
  source: String(row['source']),
  data: String(row['data']),
  description: textIn(row, 'description'),
  tags: jsonIn<readonly string[]>(row, 'tags'),
  evaluators: textIn(row, 'evaluators'),
  executionPolicy: textIn(row, 'execution_policy'),
  ...toAuthorship(row),
});

/** An item and the versions in which it is so. */
export interface ItemSpan {
  readonly item: DatasetItem;
  readonly from: number;
  readonly to: number;
}
export const toSpan = (row: Row): ItemSpan => ({
  item: toItem(row),
  from: Number(row['from_version']),
  to: Number(row['to_version']),
});

/** Whether two are the same but for who wrote them, and when. */
export const saysTheSame = (a: DatasetItem, b: DatasetItem): boolean =>
  a.data === b.data &&
  a.description === b.description &&
  a.source === b.source &&
  a.traceId === b.traceId &&
  a.spanId === b.spanId &&
  a.evaluators === b.evaluators &&
  a.executionPolicy === b.executionPolicy &&
  JSON.stringify(a.tags) === JSON.stringify(b.tags);

/** For `modify`: the rows that hold in a version; the newest one, where none is named. */
export const holdingIn =
  (version: number | undefined, alias = 'i') =>
  (query: Knex.QueryBuilder): void => {
    if (version === undefined) query.where(`${alias}.to_version`, still);
    else
      query
        .where(`${alias}.from_version`, '<=', version)
        .where(`${alias}.to_version`, '>', version);
  };

/** Rows of one insert, and bytes: items may be long, and an engine bounds what a statement brings. */
const [rowsAtOnce, bytesAtOnce] = [500, 4 * 1024 * 1024];

const portions = (spans: readonly ItemSpan[]): readonly (readonly ItemSpan[])[] => {
  const found: ItemSpan[][] = [];
  let bytes = 0;
  for (const one of spans) {
    const last = found.at(-1);
    bytes += one.item.data.length + 500;
    if (last === undefined || last.length >= rowsAtOnce || bytes > bytesAtOnce) {
      found.push([one]);
      bytes = one.item.data.length;
    } else last.push(one);
  }
  return found;
};

const columnsOf = (workspaceId: string, spans: readonly ItemSpan[]): readonly ColumnValues[] => {
  const column = (
    name: string,
    kind: ColumnValues['kind'],
    read: (span: ItemSpan) => unknown,
  ): ColumnValues => ({ name, kind, values: spans.map((span) => read(span) ?? null) });
  return [
    column('workspace_id', 'id', () => workspaceId),
    column('dataset_id', 'id', ({ item }) => item.datasetId),
    column('id', 'id', ({ item }) => item.id),
    column('from_version', 'whole', ({ from }) => from),
    column('to_version', 'whole', ({ to }) => to),
    column('trace_id', 'id', ({ item }) => item.traceId),
    column('span_id', 'id', ({ item }) => item.spanId),
    column('source', 'text', ({ item }) => item.source),
    column('data', 'text', ({ item }) => item.data),
    column('description', 'text', ({ item }) => item.description),
    column('tags', 'text', ({ item: { tags } }) => tags && JSON.stringify(tags)),
    column('evaluators', 'text', ({ item }) => item.evaluators),
    column('execution_policy', 'text', ({ item }) => item.executionPolicy),
    column('created_at', 'whole', ({ item }) => item.createdAt),
    column('created_by', 'text', ({ item }) => item.createdBy),
    column('last_updated_at', 'whole', ({ item }) => item.lastUpdatedAt),
    column('last_updated_by', 'text', ({ item }) => item.lastUpdatedBy),
  ];
};

export const insertSpans = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  workspaceId: string,
  spans: readonly ItemSpan[],
): Promise<void> => {
  for (const some of portions(spans))
    await dialect.insertColumns(db, 'dataset_items', columnsOf(workspaceId, some));
};
