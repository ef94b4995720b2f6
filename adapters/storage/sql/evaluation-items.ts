import type { Knex } from 'knex';
import type { AssertionResult, EvaluationItem } from '#ports/model/evaluations';
import type { ColumnValues } from '#ports/sql-dialect';
import type { EvaluationItemStore, TraceFacts } from '#ports/storage/evaluation-items';
import { authorshipColumns, textIn, toAuthorship, wholeIn, type Row } from './authorship.js';
import { isTrue, keyOf, type Connection } from './connection.js';
import { comparedItems } from './evaluation-comparing.js';
import { listOutputs, sumRuns } from './evaluation-runs.js';
import { requireRoom } from './room.js';
import { isId } from './ids.js';
import { sumOf } from './usage-sums.js';

const columns = [
  'workspace_id',
  'id',
  'evaluation_id',
  'dataset_item_id',
  'trace_id',
  'project_id',
  'execution_policy',
  ...authorshipColumns,
];

const toItem = (row: Row): EvaluationItem => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  evaluationId: String(row['evaluation_id']),
  datasetItemId: String(row['dataset_item_id']),
  traceId: String(row['trace_id']),
  projectId: textIn(row, 'project_id'),
  executionPolicy: textIn(row, 'execution_policy'),
  ...toAuthorship(row),
});

const resultColumns = [
  'project_id',
  'entity_kind',
  'entity_id',
  'name',
  'passed',
  'reason',
  'source',
  ...authorshipColumns,
];
const toResult = (row: Row): AssertionResult => ({
  projectId: String(row['project_id']),
  entityKind: row['entity_kind'] === 'span' ? 'span' : 'trace',
  entityId: String(row['entity_id']),
  name: String(row['name']),
  passed: isTrue(row['passed']),
  reason: textIn(row, 'reason'),
  source: String(row['source']),
  ...toAuthorship(row),
});

/** A column of many rows. */
const columnOf =
  <T>(rows: readonly T[]) =>
  (name: string, kind: ColumnValues['kind'], read: (row: T) => unknown): ColumnValues => ({
    name,
    kind,
    values: rows.map((row) => read(row) ?? null),
  });

const columnsOf = (items: readonly EvaluationItem[]): readonly ColumnValues[] => {
  const column = columnOf(items);
  return [
    column('workspace_id', 'id', (one) => one.workspaceId),
    column('id', 'id', (one) => one.id),
    column('evaluation_id', 'id', (one) => one.evaluationId),
    column('dataset_item_id', 'id', (one) => one.datasetItemId),
    column('trace_id', 'id', (one) => one.traceId),
    column('project_id', 'id', (one) => one.projectId),
    column('execution_policy', 'text', (one) => one.executionPolicy),
    column('created_at', 'whole', (one) => one.createdAt),
    column('created_by', 'text', (one) => one.createdBy),
    column('last_updated_at', 'whole', (one) => one.lastUpdatedAt),
    column('last_updated_by', 'text', (one) => one.lastUpdatedBy),
  ];
};

const resultKey = ['project_id', 'entity_kind', 'entity_id', 'name_key'];
const keyOfResult = ({ projectId, entityKind, entityId, name }: AssertionResult): string =>
  `${projectId} ${entityKind} ${entityId} ${keyOf(name)}`;

const resultColumnsOf = (results: readonly AssertionResult[]): readonly ColumnValues[] => {
  const column = columnOf(results);
  return [
    column('project_id', 'id', (one) => one.projectId),
    column('entity_kind', 'text', (one) => one.entityKind),
    column('entity_id', 'id', (one) => one.entityId),
    column('name_key', 'text', (one) => keyOf(one.name)),
    column('name', 'text', (one) => one.name),
    column('passed', 'flag', (one) => one.passed),
    column('reason', 'text', (one) => one.reason),
    column('source', 'text', (one) => one.source),
    column('created_at', 'whole', (one) => one.createdAt),
    column('created_by', 'text', (one) => one.createdBy),
    column('last_updated_at', 'whole', (one) => one.lastUpdatedAt),
    column('last_updated_by', 'text', (one) => one.lastUpdatedBy),
  ];
};
const overwritten = ['passed', 'reason', 'source', 'last_updated_at', 'last_updated_by'];

/** Traces of the workspace; of several of one id the one that was changed last comes last. */
const readTraces = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  workspaceId: string,
  ids: readonly string[],
): Promise<readonly Row[]> => {
  const selected = () =>
    db('traces as t')
      .join('projects as p', 'p.id', 't.project_id')
      .where('p.workspace_id', workspaceId)
      .whereNull('p.deleted_at')
      .modify(dialect.among('t.id', 'id', ids.filter(isId)));
  const [size] = (await selected().select({
    bytes: db.raw(
      'sum(coalesce(octet_length(t.input), 0) + coalesce(octet_length(t.output), 0) + coalesce(octet_length(t.metadata), 0))',
    ),
  })) as readonly Row[]; // one row of one column
  requireRoom(Number(size?.['bytes'] ?? 0));
  return (await selected()
    .orderBy('t.last_updated_at')
    .select(
      't.id',
      't.project_id',
      't.input',
      't.output',
      't.metadata',
      't.start_time',
      't.end_time',
    )) as readonly Row[]; // the columns named
};

const readSpans = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  traces: readonly Row[],
): Promise<ReadonlyMap<string, readonly Row[]>> => {
  const byTrace = new Map<string, Row[]>();
  if (traces.length === 0) return byTrace;
  const rows = (await db('spans')
    .whereIn('project_id', [...new Set(traces.map((row) => String(row['project_id'])))])
    .modify(
      dialect.among(
        'trace_id',
        'id',
        traces.map((row) => String(row['id'])),
      ),
    )
    .select('project_id', 'trace_id', 'usage', 'cost')) as readonly Row[]; // the columns named
  for (const row of rows) {
    const key = `${String(row['project_id'])} ${String(row['trace_id'])}`;
    const list = byTrace.get(key);
    if (list === undefined) byTrace.set(key, [row]);
    else list.push(row);
  }
  return byTrace;
};

const toFacts = (row: Row, spans: readonly Row[]): TraceFacts => {
  const end = wholeIn(row, 'end_time');
  const costs = spans.flatMap((span) => wholeIn(span, 'cost') ?? []);
  return {
    traceId: String(row['id']),
    projectId: String(row['project_id']),
    input: textIn(row, 'input'),
    output: textIn(row, 'output'),
    metadata: textIn(row, 'metadata'),
    duration: end === undefined ? undefined : (end - Number(row['start_time'])) / 1000,
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    usage: sumOf(spans.flatMap((span) => textIn(span, 'usage') ?? [])),
  };
};

/** Items that are looked at for the traces of a page: clients may make any number of one. */
const mostOfTraces = 10_000;

export const evaluationItemStore = (connection: Connection): EvaluationItemStore => {
  const { db, dialect } = connection;
  const toItems = async (query: Knex.QueryBuilder): Promise<readonly EvaluationItem[]> =>
    ((await query.select(...columns)) as readonly Row[]).map(toItem); // the columns named
  return {
    async add(items) {
      const distinct = [...new Map(items.map((one) => [one.id, one])).values()].sort((a, b) =>
        a.id < b.id ? -1 : 1,
      ); // in one order for everybody
      if (distinct.length > 0)
        await dialect.insertFresh(
          db,
          'evaluation_items',
          ['workspace_id', 'id'],
          columnsOf(distinct),
        );
    },
    find: async (workspaceId, id) =>
      isId(id)
        ? (await toItems(db('evaluation_items').where({ workspace_id: workspaceId, id })))[0]
        : undefined,
    list({ workspaceId, evaluationIds, beforeId, limit }) {
      const query = db('evaluation_items')
        .where({ workspace_id: workspaceId })
        .whereIn('evaluation_id', evaluationIds.filter(isId))
        .orderBy('id', 'desc')
        .limit(limit);
      if (beforeId !== undefined) query.where('id', '<', beforeId);
      return toItems(query);
    },
    async remove(workspaceId, ids) {
      await db('evaluation_items')
        .where({ workspace_id: workspaceId })
        .whereIn('id', ids.filter(isId))
        .delete();
    },
    async listCompared({ offset, limit, ...listing }) {
      const rows = (await comparedItems(connection, listing, listing.orders)
        .offset(offset)
        .limit(limit)) as readonly Row[]; // the column named there
      return rows.map((row) => String(row['id']));
    },
    async countCompared(listing) {
      const [row] = (await db(comparedItems(connection, listing, undefined).as('c')).count({
        n: '*',
      })) as readonly Row[]; // one row of one column
      return Number(row?.['n'] ?? 0);
    },
    sumRuns: (listing) => sumRuns(connection, listing),
    listOutputs: (workspaceId, evaluationIds, limit) =>
      listOutputs(connection, { workspaceId, evaluationIds, limit }),
    listRuns: (workspaceId, evaluationIds, datasetItemIds) =>
      toItems(
        db('evaluation_items')
          .where({ workspace_id: workspaceId })
          .whereIn('evaluation_id', evaluationIds.filter(isId))
          .modify(dialect.among('dataset_item_id', 'id', datasetItemIds.filter(isId)))
          .orderBy('id'),
      ),
    async traceFacts(workspaceId, traceIds) {
      const traces = await readTraces(connection, workspaceId, traceIds);
      const spans = await readSpans(connection, traces);
      return new Map(
        traces.map((row) => [
          String(row['id']),
          toFacts(row, spans.get(`${String(row['project_id'])} ${String(row['id'])}`) ?? []),
        ]),
      );
    },
    async listOfTraces(projectId, traceIds) {
      const rows = (await db('projects as p')
        .join('evaluation_items as e', 'e.workspace_id', 'p.workspace_id')
        .join('evaluations as v', (on) => {
          on.on('v.workspace_id', 'e.workspace_id').andOn('v.id', 'e.evaluation_id');
        })
        .where('p.id', projectId)
        .modify(dialect.among('e.trace_id', 'id', traceIds.filter(isId)))
        .whereRaw('(e.project_id is null or e.project_id = p.id)')
        .orderBy('e.id', 'desc')
        .limit(mostOfTraces)
        .select(
          'e.trace_id',
          'e.dataset_item_id',
          'v.id',
          'v.name',
          'v.dataset_id',
        )) as readonly Row[]; // the columns named
      // The oldest first, so that the newest stays.
      return new Map(
        rows.toReversed().map((row) => [
          String(row['trace_id']),
          {
            id: String(row['id']),
            name: String(row['name']),
            datasetId: textIn(row, 'dataset_id'),
            datasetItemId: String(row['dataset_item_id']),
          },
        ]),
      );
    },
    async putResults(results) {
      const last = new Map(results.map((one) => [keyOfResult(one), one]));
      const sorted = [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one); // in one order for everybody
      if (sorted.length > 0)
        await dialect.insertColumns(
          db,
          'assertion_results',
          resultColumnsOf(sorted),
          dialect.onConflict(
            resultKey,
            overwritten.map((column) => `${column} = ${dialect.incoming(column)}`),
          ),
        );
    },
    async listResults(workspaceId, entityKind, entityIds) {
      const rows = (await db('assertion_results as a')
        .join('projects as p', 'p.id', 'a.project_id')
        .where('p.workspace_id', workspaceId)
        .whereNull('p.deleted_at')
        .where('a.entity_kind', entityKind)
        .modify(dialect.among('a.entity_id', 'id', entityIds.filter(isId)))
        .select(...resultColumns.map((column) => `a.${column}`))) as readonly Row[]; // the columns named
      return rows.map(toResult).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    },
  };
};
