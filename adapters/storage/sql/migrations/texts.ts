import { addColumns, createTable, keepPacked, type Change } from './change.js';

/** Queues what was stored before output was packed: what is queued in vain costs one look. */
const queueOutput: Change = {
  number: 611,
  name: 'queue output',
  olderMayWrite: true,
  async up(db, dialect) {
    await db.raw(
      `insert into output_packings (experiment_id, due_at) select experiment_id, ${dialect.nowMs} from texts where kind = 5 ${dialect.onConflictIgnore(['experiment_id']).replaceAll('`experiment_id`', 'output_packings.experiment_id')}`,
    );
  },
  down: () => Promise.resolve(),
};

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
  // Of packed rows, whose content is deflated: what they were made of, and what can be told of them without reading it.
  addColumns(607, 'output_lines', 'last_place', (table, dialect) => {
    // The first offset of the last piece.
    table.bigInteger('last_place').nullable();
    // The offsets and bytes of each piece.
    dialect.longBytes(table, 'places').nullable();
    table.integer('pieces').nullable();
    table.integer('bytes').nullable();
    table.integer('newlines').nullable();
    table.boolean('ends_line').nullable();
    return ['last_place', 'places', 'pieces', 'bytes', 'newlines', 'ends_line'];
  }),
  // How many rows of output are not packed; none where nobody has counted them.
  addColumns(608, 'texts', 'loose', (table) => {
    table.bigInteger('loose').nullable();
    return ['loose'];
  }),
  // Experiments with output to be packed, and from when on.
  createTable(609, 'output_packings', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    table.bigInteger('due_at').notNullable();
    table.primary(['experiment_id'], 'output_packings_key');
    table.index(['due_at', 'experiment_id'], 'output_packings_due');
  }),
  keepPacked(610, 'output_lines', 'content'),
  queueOutput,
];
