import { addIndex, createTable } from './change.js';

export const optimizerChanges = [
  createTable(100, 'optimizers', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'user_id').notNullable();
    table.string('algorithm', 20).notNullable();
    dialect.longText(table, 'name').nullable();
    // As sent, to the letter: the client compares what it gets back with what it sent.
    dialect.longText(table, 'parameters').notNullable();
    dialect.longText(table, 'spec').notNullable();
    table.integer('trials').notNullable();
    dialect.exactText(table, 'seed', 64).notNullable();
    // Trials given out so far; who raises it has the trial.
    table.bigInteger('assigned').notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['workspace_id', 'created_at'], 'optimizers_workspace');
  }),
  createTable(101, 'optimizer_trials', (table, dialect) => {
    dialect.id(table, 'optimizer_id').notNullable();
    dialect.exactText(table, 'pid', 64).notNullable();
    table.integer('trial').notNullable();
    table.bigInteger('count').notNullable();
    dialect.longText(table, 'parameters').notNullable();
    table.string('status', 40).notNullable();
    dialect.real(table, 'score').nullable();
    table.bigInteger('epoch').nullable();
    table.bigInteger('tries').notNullable();
    table.bigInteger('retries').notNullable();
    table.bigInteger('start_time').nullable();
    table.bigInteger('end_time').nullable();
    table.bigInteger('updated_at').notNullable();
    dialect.longText(table, 'metadata').nullable();
    table.primary(['optimizer_id', 'pid', 'trial'], 'optimizer_trials_key');
    table.index(['optimizer_id', 'count'], 'optimizer_trials_order');
    table.index(['optimizer_id', 'status', 'count'], 'optimizer_trials_status');
  }),
  // Whether anything was heard of a search since a time; and the oldest searches.
  addIndex(612, 'optimizer_trials', ['optimizer_id', 'updated_at'], 'optimizer_trials_heard'),
  addIndex(613, 'optimizers', ['created_at', 'id'], 'optimizers_created'),
];
