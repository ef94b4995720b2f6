import { createTable } from './change.js';

/** What pages need that stay open: what changed a moment ago, views that people save, comments. */
export const liveChanges = [
  // One row for each thing that changed within the last hours, whoever stored it: processes hear of each other's changes by its times.
  createTable(400, 'heard_changes', (table, dialect) => {
    dialect.id(table, 'subject_id').notNullable();
    table.specificType('kind', 'smallint').notNullable();
    table.bigInteger('at').notNullable();
    table.primary(['subject_id', 'kind'], 'heard_changes_key');
    table.index(['at'], 'heard_changes_at');
  }),
  createTable(401, 'saved_views', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'project_id').notNullable();
    table.string('type', 20).notNullable();
    dialect.longText(table, 'name').notNullable();
    table.boolean('shared').notNullable();
    dialect.id(table, 'owner_id').notNullable();
    dialect.longText(table, 'content').notNullable();
    table.integer('version').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['project_id', 'type', 'id'], 'saved_views_project');
  }),
  // What is seen first: one for everybody and one for each user, of a project and type.
  createTable(402, 'saved_view_defaults', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    table.string('type', 20).notNullable();
    table.string('for_user', 36).notNullable();
    dialect.id(table, 'view_id').notNullable();
    table.primary(['project_id', 'type', 'for_user'], 'saved_view_defaults_key');
    table.index(['view_id'], 'saved_view_defaults_view');
  }),
  // What people say about a run, a range of its steps, or a version of a model.
  createTable(403, 'comments', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'experiment_id').nullable();
    dialect.id(table, 'model_id').nullable();
    dialect.id(table, 'version_id').nullable();
    table.bigInteger('first_step').nullable();
    table.bigInteger('last_step').nullable();
    dialect.id(table, 'author_id').notNullable();
    dialect.longText(table, 'text').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('edited_at').nullable();
    table.index(['experiment_id', 'id'], 'comments_experiment');
    table.index(['model_id', 'version_id', 'id'], 'comments_version');
  }),
  // What is done to many runs, one after another: the keys of the runs, and how far it has come.
  createTable(404, 'run_actions', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'user_id').notNullable();
    dialect.longText(table, 'credential').notNullable();
    dialect.longText(table, 'wish').notNullable();
    dialect.longText(table, 'runs').notNullable();
    table.string('state', 20).notNullable();
    table.integer('total').notNullable();
    table.integer('done').notNullable();
    table.integer('failed').notNullable();
    dialect.longText(table, 'failures').notNullable();
    dialect.longText(table, 'reason').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('worked_at').notNullable();
    table.bigInteger('ended_at').nullable();
    table.index(['state', 'worked_at'], 'run_actions_state');
    table.index(['project_id', 'state'], 'run_actions_project');
    table.index(['ended_at'], 'run_actions_ended');
  }),
  // Copies of runs that are under way: which metric's points are next.
  createTable(600, 'run_copies', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable().primary();
    dialect.id(table, 'from_id').notNullable();
    table.bigInteger('last_step').nullable();
    table.integer('pieces').notNullable();
    dialect.longText(table, 'place').nullable();
    table.bigInteger('worked_at').notNullable();
    table.index(['worked_at'], 'run_copies_worked');
  }),
];
