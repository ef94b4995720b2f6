import { createTable } from './change.js';

export const textChanges = [
  // One row per text, document or output of an experiment: how long it is, and where its next piece goes.
  createTable(40, 'texts', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    table.specificType('kind', 'smallint').notNullable();
    table.bigInteger('bytes').notNullable();
    table.bigInteger('pieces').notNullable();
    // Of output only: the newest run of lines and its highest offset.
    table.bigInteger('run').notNullable();
    table.bigInteger('last_offset').nullable();
    table.bigInteger('updated_at').notNullable();
    table.primary(['experiment_id', 'kind'], 'texts_key');
  }),
  // Bytes, so that a text may be cut anywhere and is given back exactly; at most 1 MiB a row.
  createTable(41, 'text_pieces', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    table.specificType('kind', 'smallint').notNullable();
    table.bigInteger('position').notNullable();
    dialect.longBytes(table, 'content').notNullable();
    table.primary(['experiment_id', 'kind', 'position'], 'text_pieces_key');
  }),
  // Lines that follow each other without a gap share a row; a line above 1 MiB has several.
  createTable(42, 'output_lines', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    table.bigInteger('run').notNullable();
    table.bigInteger('first_offset').notNullable();
    table.integer('part').notNullable();
    table.bigInteger('last_offset').notNullable();
    table.boolean('stderr').notNullable();
    dialect.longBytes(table, 'content').notNullable();
    table.primary(['experiment_id', 'run', 'first_offset', 'part'], 'output_lines_key');
  }),
];
