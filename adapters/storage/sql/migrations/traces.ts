import type { Knex } from 'knex';
import type { Dialect } from '#ports/sql-dialect';
import {
  addColumns,
  addExpressionIndex,
  addIndex,
  addStatistics,
  createTable,
  keepInRow,
  keepPacked,
  type Change,
} from './change.js';

/** What a trace and a span have in common. */
const entryColumns = (table: Knex.CreateTableBuilder, dialect: Dialect): void => {
  dialect.id(table, 'project_id').notNullable();
  dialect.id(table, 'id').notNullable();
  dialect.longText(table, 'name').nullable();
  table.bigInteger('start_time').notNullable();
  table.bigInteger('end_time').nullable();
  dialect.longText(table, 'metadata').nullable();
  dialect.longText(table, 'tags').nullable();
  dialect.longText(table, 'error_info').nullable();
  dialect.real(table, 'ttft').nullable();
  dialect.longText(table, 'source').nullable();
  dialect.longText(table, 'environment').nullable();
  table.bigInteger('created_at').notNullable();
  dialect.longText(table, 'created_by').notNullable();
  table.bigInteger('last_updated_at').notNullable();
  dialect.longText(table, 'last_updated_by').notNullable();
  table.boolean('partial').notNullable();
};

/** As lists are sorted by them. */
const newestStart = ['start_time desc nulls last', 'id desc'];
const longest = ['(end_time - start_time) desc nulls last', 'id desc'];

const laterGroups = ['by_error_info', 'by_tag'];
const groups = ['by_name', 'by_tags', 'by_environment', 'by_model', 'by_provider', 'by_type'];

/** Blocks that were summed up before these columns were there are summed up once more, some at a time; until then their rows are read. */
const sumUpBlocksAnew = (number: number, packed: readonly string[] = []): Change => ({
  number,
  name: 'sum up entry_blocks anew',
  olderMayWrite: true,
  async up(db, dialect) {
    for (const column of packed) await dialect.keepPacked?.(db, 'entry_blocks', column);
    await db('entry_blocks').update({ state: 0 });
  },
  down: () => Promise.resolve(), // what is kept of them is right either way
});

/** Traces and spans of LLM applications. Clients make their ids, so that one id may stand in several projects. */
export const traceChanges = [
  createTable(500, 'traces', (table, dialect) => {
    entryColumns(table, dialect);
    dialect.longText(table, 'input').nullable();
    dialect.longText(table, 'output').nullable();
    dialect.longText(table, 'thread_id').nullable();
    table.primary(['project_id', 'id'], 'traces_key');
    table.index(['id'], 'traces_id');
  }),
  createTable(501, 'spans', (table, dialect) => {
    entryColumns(table, dialect);
    dialect.id(table, 'trace_id').notNullable();
    dialect.id(table, 'parent_span_id').nullable();
    dialect.longText(table, 'type').nullable();
    dialect.longText(table, 'model').nullable();
    dialect.longText(table, 'provider').nullable();
    dialect.longText(table, 'usage').nullable();
    dialect.real(table, 'cost').nullable();
    dialect.id(table, 'frame_id').nullable();
    table.integer('frame_at').nullable();
    table.bigInteger('body_bytes').nullable();
    dialect.longText(table, 'input_start').nullable();
    dialect.longText(table, 'output_start').nullable();
    table.primary(['project_id', 'id'], 'spans_key');
    table.index(['id'], 'spans_id');
    // The trace first: an engine that knows nothing of a table yet takes an index that begins with the project for one by id, and reads all of it.
    table.index(['trace_id', 'project_id', 'id'], 'spans_trace');
  }),
  addColumns(502, 'traces', 'thread_key', (table) => {
    table.string('thread_key', 64).nullable();
    return ['thread_key'];
  }),
  addIndex(503, 'traces', ['project_id', 'thread_key', 'id'], 'traces_thread'),
  addColumns(504, 'spans', 'cost_version', (table, dialect) => {
    dialect.longText(table, 'cost_version').nullable();
    table.bigInteger('total_tokens').nullable();
    table.bigInteger('prompt_tokens').nullable();
    table.bigInteger('completion_tokens').nullable();
    return ['cost_version', 'total_tokens', 'prompt_tokens', 'completion_tokens'];
  }),
  createTable(505, 'trace_threads', (table, dialect) => {
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').notNullable();
    table.string('thread_key', 64).notNullable();
    dialect.longText(table, 'thread_id').notNullable();
    dialect.longText(table, 'tags').nullable();
    dialect.longText(table, 'environment').nullable();
    table.boolean('closed').notNullable();
    table.bigInteger('last_activity_at').notNullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.bigInteger('last_updated_at').notNullable();
    dialect.longText(table, 'last_updated_by').notNullable();
    table.primary(['project_id', 'thread_key'], 'trace_threads_key');
    table.unique(['id'], { indexName: 'trace_threads_id' });
    table.index(['project_id', 'id'], 'trace_threads_project');
  }),
  createTable(506, 'feedback_scores', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'entity_id').notNullable();
    table.string('score_key', 64).notNullable();
    dialect.exactText(table, 'entity_kind', 10).notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'author').notNullable();
    dialect.real(table, 'value').notNullable();
    dialect.longText(table, 'reason').nullable();
    dialect.longText(table, 'category_name').nullable();
    dialect.longText(table, 'source').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_updated_at').notNullable();
    dialect.longText(table, 'last_updated_by').notNullable();
    table.primary(['project_id', 'entity_id', 'score_key'], 'feedback_scores_key');
    table.index(['project_id', 'entity_kind'], 'feedback_scores_kind');
  }),
  createTable(507, 'trace_comments', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'project_id').notNullable();
    dialect.exactText(table, 'entity_kind', 10).notNullable();
    dialect.id(table, 'entity_id').notNullable();
    dialect.longText(table, 'text').notNullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.bigInteger('last_updated_at').notNullable();
    dialect.longText(table, 'last_updated_by').notNullable();
    table.index(['project_id', 'entity_id'], 'trace_comments_entity');
  }),
  createTable(508, 'otel_traces', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    table.string('otel_id', 32).notNullable();
    dialect.id(table, 'trace_id').notNullable();
    table.bigInteger('seen_at').notNullable();
    table.primary(['project_id', 'otel_id'], 'otel_traces_key');
    table.index(['seen_at'], 'otel_traces_seen');
  }),
  createTable(509, 'trace_attachments', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.exactText(table, 'entity_kind', 10).notNullable();
    dialect.id(table, 'entity_id').notNullable();
    table.string('name_key', 64).notNullable();
    dialect.longText(table, 'file_name').notNullable();
    dialect.longText(table, 'mime_type').notNullable();
    table.bigInteger('file_size').notNullable();
    dialect.exactText(table, 'blob_key', 201).notNullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.primary(['project_id', 'entity_id', 'name_key'], 'trace_attachments_key');
    table.index(['blob_key'], 'trace_attachments_blob');
  }),
  createTable(510, 'workspace_configurations', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable().primary();
    table.integer('thread_inactivity_seconds').nullable();
    table.boolean('truncates_tables').nullable();
    dialect.longText(table, 'colors').nullable();
  }),
  createTable(511, 'span_frames', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'id').notNullable();
    table.integer('part').notNullable();
    table.integer('live').notNullable();
    dialect.longBytes(table, 'data').notNullable();
    dialect.longBytes(table, 'grams').nullable();
    table.primary(['project_id', 'id', 'part'], 'span_frames_key');
  }),
  keepPacked(512, 'span_frames', 'data'),
  keepPacked(513, 'span_frames', 'grams'),
  // Without the id, so that rows of one name share an entry of an index.
  addExpressionIndex(514, 'traces', 'traces_name', ({ beginning }) => [
    'project_id',
    beginning('name'),
  ]),
  addExpressionIndex(515, 'traces', 'traces_thread_name', ({ beginning }) => [
    'project_id',
    beginning('thread_id'),
  ]),
  addExpressionIndex(516, 'traces', 'traces_start', () => ['project_id', ...newestStart]),
  addExpressionIndex(517, 'traces', 'traces_duration', () => ['project_id', ...longest]),
  addExpressionIndex(518, 'spans', 'spans_name', ({ beginning }) => [
    'project_id',
    beginning('name'),
  ]),
  addExpressionIndex(519, 'spans', 'spans_model', ({ beginning }) => [
    'project_id',
    beginning('model'),
  ]),
  addExpressionIndex(566, 'feedback_scores', 'feedback_scores_value', ({ beginning }) => [
    ...['project_id', 'entity_kind', beginning('name'), 'value'],
  ]),
  addExpressionIndex(
    ...([581, 'traces', 'traces_metadata'] as const),
    ({ words }) => [words('metadata')],
    'words',
  ),
  // The steps by which statistics count rows: an engine that took them for as many as the rows would sort these.
  ...(['spans', 'traces'] as const).map((table, at) =>
    addStatistics(
      ...([583 + at, table, `${table}_lasting`] as const),
      '(case when (end_time - start_time) > 0 then floor(ln((end_time - start_time)) * 64) when (end_time - start_time) <= 0 then -1 end)',
    ),
  ),
  addExpressionIndex(582, 'spans', 'spans_start', () => ['start_time'], 'ranges'),
  // Numbers are given in the order in which entries are written, over all projects.
  createTable(585, 'entry_changes', (table, dialect) => {
    table.bigIncrements('number', { primaryKey: true });
    dialect.id(table, 'project_id').notNullable();
    table.integer('kind').notNullable();
    table.bigInteger('at').notNullable();
    dialect.longBytes(table, 'ids').notNullable();
    table.index(['project_id', 'number'], 'entry_changes_project');
    table.index(['at'], 'entry_changes_at');
  }),
  keepPacked(586, 'entry_changes', 'ids'),
  // What stretches of traces and spans sum up to, and what may stand in them.
  createTable(587, 'entry_blocks', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    table.integer('kind').notNullable();
    dialect.id(table, 'last_id').notNullable();
    dialect.id(table, 'after_id').notNullable();
    table.integer('state').notNullable();
    table.string('claim', 64).nullable();
    table.bigInteger('at').notNullable();
    table.integer('n').nullable();
    table.integer('errors').nullable();
    for (const name of ['first_start', 'last_start', 'shortest', 'longest'])
      table.bigInteger(name).nullable();
    dialect.longText(table, 'sums').nullable();
    dialect.longBytes(table, 'words').nullable();
    dialect.longBytes(table, 'lengths').nullable();
    table.primary(['project_id', 'kind', 'last_id'], 'entry_blocks_key');
    // Behind each block comes one at most, whoever makes them.
    table.unique(['project_id', 'kind', 'after_id'], { indexName: 'entry_blocks_after' });
    table.index(['state', 'at'], 'entry_blocks_state');
  }),
  keepInRow(588, 'entry_blocks', 'words'),
  keepPacked(589, 'entry_blocks', 'lengths'),
  // What rows of a stretch sum up to by the values of a column.
  addColumns(590, 'entry_blocks', 'by_name', (table, dialect) => {
    for (const column of groups) dialect.longBytes(table, column).nullable();
    return groups;
  }),
  ...groups.map((column, at) => keepPacked(591 + at, 'entry_blocks', column)),
  sumUpBlocksAnew(597),
  addColumns(598, 'entry_blocks', 'by_error_info', (table, dialect) => {
    for (const column of laterGroups) dialect.longBytes(table, column).nullable();
    return laterGroups;
  }),
  sumUpBlocksAnew(599, laterGroups),
];
