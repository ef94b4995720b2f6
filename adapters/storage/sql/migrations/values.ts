import { addColumns, addCoveringIndex, addIndex, addPartialIndex, createTable } from './change.js';

export const valueChanges = [
  // What is searched: one row per (experiment, kind, name), with the home project in the row so that a condition is one index range.
  createTable(30, 'experiment_values', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    table.specificType('kind', 'smallint').notNullable();
    dialect.id(table, 'name_key').notNullable();
    dialect.id(table, 'project_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.real(table, 'number').nullable();
    dialect.exactText(table, 'prefix', 190).notNullable();
    dialect.longText(table, 'text').notNullable();
    table.bigInteger('position').notNullable();
    table.bigInteger('time').notNullable();
    table.bigInteger('step').nullable();
    dialect.longText(table, 'context').nullable();
    // Of a metric, how many points its series had when it was copied: a copy never replaces one made of more.
    table.bigInteger('points').nullable();
    for (const end of ['min', 'max']) {
      dialect.real(table, `${end}_number`).nullable();
      dialect.longText(table, `${end}_text`).nullable();
      table.bigInteger(`${end}_time`).nullable();
      table.bigInteger(`${end}_step`).nullable();
    }
    table.primary(['experiment_id', 'kind', 'name_key'], 'experiment_values_key');
  }),
  // The experiment closes each index, so that a search reads nothing else. By numbers with the extremes, by which runs are ordered too, and with the texts that numbers were
  // logged as: most values are numbers, so that the order of texts need not hold them.
  addCoveringIndex(616, 'experiment_values', 'experiment_values_numbers', {
    columns: ['project_id', 'kind', 'name_key', 'number', 'experiment_id'],
    beside: ['min_number', 'max_number', 'prefix'],
    otherwise: [
      'project_id',
      'kind',
      'name_key',
      'number',
      'experiment_id',
      'min_number',
      'max_number',
    ],
  }),
  addPartialIndex(617, 'experiment_values', 'experiment_values_prefix', {
    columns: ['project_id', 'kind', 'name_key', 'prefix', 'experiment_id'],
    where: 'number is null',
    otherwise: ['project_id', 'kind', 'name_key', 'prefix', 'experiment_id', 'number'],
  }),
  // Names in use in a project: what a search can ask for.
  createTable(31, 'project_names', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    table.specificType('kind', 'smallint').notNullable();
    dialect.id(table, 'name_key').notNullable();
    dialect.longText(table, 'name').notNullable();
    table.boolean('numeric').notNullable();
    table.primary(['project_id', 'kind', 'name_key'], 'project_names_key');
  }),
  // Since when no experiment has a value under it, as far as somebody looked.
  addColumns(624, 'project_names', 'unused_at', (table) => {
    table.bigInteger('unused_at');
    return ['unused_at'];
  }),
  // Series whose searchable row is older than the series: refreshed before a search.
  createTable(32, 'stale_values', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'experiment_id').notNullable();
    dialect.id(table, 'series_id').notNullable();
    table.bigInteger('at').notNullable();
    table.primary(['project_id', 'experiment_id', 'series_id'], 'stale_values_key');
    table.index(['at'], 'stale_values_at');
  }),
  // Those of one experiment, which is moved, removed or was just copied.
  addIndex(441, 'stale_values', ['experiment_id'], 'stale_values_experiment'),
];
