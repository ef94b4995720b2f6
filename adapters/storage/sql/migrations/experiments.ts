import { addIndex, addPartialIndex, createTable, type Change } from './change.js';

/** It is repeatable. An older server would not keep the figures, so it must not write beside. */
const countExperiments: Change = {
  number: 451,
  name: 'count experiments of projects',
  async up(db) {
    await db('project_counts').delete();
    await db.raw(
      'insert into project_counts (project_id, slot, n) select project_id, 0, count(*) from experiments where deleted_at is null group by project_id',
    );
  },
  down: () => Promise.resolve(),
};

export const experimentChanges = [
  createTable(10, 'projects', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    // SHA-256 of workspace and name while it exists, its own id once it is deleted: so that the name is free again.
    table.string('name_key', 64).notNullable().unique({ indexName: 'projects_name_key' });
    dialect.longText(table, 'description').nullable();
    table.boolean('public').notNullable();
    table.string('kind', 10).notNullable();
    dialect.id(table, 'owner_id').notNullable();
    dialect.longText(table, 'notes').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.bigInteger('deleted_at').nullable();
    // Deleted without its experiments: one that still turns up in it is moved out, not removed.
    table.boolean('keeps_experiments').notNullable().defaultTo(false);
    table.index(['workspace_id'], 'projects_workspace');
  }),
  // Projects that were given to another workspace a moment ago, and whose experiments are looked at once more.
  createTable(240, 'moved_projects', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable().primary();
    table.bigInteger('at').notNullable();
    table.index(['at'], 'moved_projects_at');
  }),
  createTable(11, 'share_codes', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    table.string('code', 64).notNullable();
    table.bigInteger('created_at').notNullable();
    table.primary(['project_id', 'code'], 'share_codes_key');
    table.index(['code'], 'share_codes_code');
  }),
  createTable(12, 'instance_stores', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    table.string('instance_key', 64).notNullable();
    dialect.longText(table, 'content').notNullable();
    table.primary(['project_id', 'instance_key'], 'instance_stores_key');
  }),
  createTable(13, 'experiments', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.exactText(table, 'key', 64).notNullable().unique({ indexName: 'experiments_by_key' });
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'user_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'optimization_id').nullable();
    dialect.longText(table, 'file_path').nullable();
    dialect.longText(table, 'file_name').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('start_time').notNullable();
    table.bigInteger('end_time').notNullable();
    table.boolean('start_set').notNullable();
    table.boolean('end_set').notNullable();
    table.bigInteger('last_seen_at').notNullable();
    table.bigInteger('beat_ms').notNullable();
    table.boolean('alive').notNullable();
    table.boolean('reports_end').notNullable();
    table.boolean('has_crashed').notNullable();
    table.boolean('archived').notNullable();
    table.boolean('offline').notNullable();
    table.boolean('processing').notNullable();
    // How many it runs on, as its system details say.
    table.integer('gpus').notNullable().defaultTo(0);
    // Its usage is in removed_usage: its rows are being removed.
    table.boolean('accounted').notNullable().defaultTo(false);
    table.boolean('throttle').notNullable();
    dialect.longText(table, 'throttle_message').nullable();
    dialect.longText(table, 'throttle_reasons').nullable();
    table.bigInteger('deleted_at').nullable();
    // The experiments of a project in the order of a page, all from the index: a search that many do not satisfy goes through them.
    table.index(
      ['project_id', 'archived', 'start_time', 'id', 'deleted_at'],
      'experiments_in_order',
    );
  }),
  // When a run was last seen changes with every beat, and stands in no index. Neither index holds what is at rest, which is nearly all.
  addPartialIndex(614, 'experiments', 'experiments_alive', {
    columns: ['id'],
    where: 'alive',
    otherwise: ['alive'],
  }),
  addPartialIndex(615, 'experiments', 'experiments_deleted', {
    columns: ['deleted_at'],
    where: 'deleted_at is not null',
  }),
  // Reports on a time read what was made in it.
  addIndex(604, 'experiments', ['created_at'], 'experiments_created'),
  // How many experiments are at home in a project: the sum over its slots, which are several so that those who add do not wait for each other.
  createTable(450, 'project_counts', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    table.specificType('slot', 'smallint').notNullable();
    table.bigInteger('n').notNullable();
    table.primary(['project_id', 'slot'], 'project_counts_key');
  }),
  countExperiments,
  // Where an experiment is linked besides its home.
  createTable(14, 'experiment_links', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'experiment_id').notNullable();
    table.primary(['project_id', 'experiment_id'], 'experiment_links_key');
    table.index(['experiment_id'], 'experiment_links_experiment');
  }),
];
