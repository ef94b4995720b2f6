import type { Knex } from 'knex';
import type { Dialect } from '../dialect.js';

/** One change of the schema. It can be run again where a run broke off, since one engine does not roll back table changes. */
export interface Change {
  /** Place in its owner's list, from 1 on, never given again. */
  readonly number: number;
  readonly name: string;
  up(db: Knex, dialect: Dialect): Promise<void>;
  down(db: Knex, dialect: Dialect): Promise<void>;
}

/** Makes a table, unless a run that broke off has made it. */
export const createTable = (number: number, name: string, build: (table: Knex.CreateTableBuilder, dialect: Dialect) => void): Change => ({
  number,
  name: `create ${name}`,
  async up(db, dialect) {
    if (await db.schema.hasTable(name)) return;
    await db.schema.createTable(name, (table) => { build(table, dialect); dialect.finishTable(table); });
  },
  async down(db) {
    await db.schema.dropTableIfExists(name);
  },
});

/** Adds an index to a table, unless a run that broke off has added it. */
export const addIndex = (number: number, table: string, columns: readonly string[], name: string): Change => ({
  number,
  name: `index ${name}`,
  async up(db, dialect) {
    if (!(await dialect.hasIndex(db, table, name))) await db.schema.alterTable(table, (altered) => { altered.index([...columns], name); });
  },
  async down(db, dialect) {
    if (await dialect.hasIndex(db, table, name)) await db.schema.alterTable(table, (altered) => { altered.dropIndex([...columns], name); });
  },
});
