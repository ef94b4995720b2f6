import type { Knex } from 'knex';
import type { Dialect, ExpressionIndexes } from '#ports/sql-dialect';

/** One change of the schema. It can be run again where a run broke off, since one engine does not roll back table changes. */
export interface Change {
  /** Place in its owner's list, from 1 on, never given again. */
  readonly number: number;
  readonly name: string;
  /** The table that it makes, and that is lost when it is undone. */
  readonly creates?: string;
  /** What tells whether the change is still the one that was run: a plugin's are held against it, since nobody else looks at them. */
  readonly digest?: string;
  /** A server of an older release may go on writing after this change; without it such a server refuses writes until it is replaced. */
  readonly olderMayWrite?: boolean;
  up(db: Knex, dialect: Dialect): Promise<void>;
  down(db: Knex, dialect: Dialect): Promise<void>;
  /** The same as statements for a database in which nothing is yet; absent where a change has to look first. */
  fresh?(db: Knex, dialect: Dialect): Knex.SchemaBuilder;
}

/** Makes a table, unless a run that broke off has made it. */
export const createTable = (
  number: number,
  name: string,
  build: (table: Knex.CreateTableBuilder, dialect: Dialect) => void,
): Change => {
  const fresh = (db: Knex, dialect: Dialect) =>
    db.schema.createTable(name, (table) => {
      build(table, dialect);
      dialect.finishTable(table);
    });
  return {
    number,
    name: `create ${name}`,
    creates: name,
    fresh,
    async up(db, dialect) {
      if (!(await db.schema.hasTable(name))) await fresh(db, dialect);
    },
    async down(db) {
      await db.schema.dropTableIfExists(name);
    },
  };
};

/** Adds columns to a table, unless a run that broke off has added them; none that is there already is asked for a value. */
export const addColumns = (
  number: number,
  name: string,
  first: string,
  build: (table: Knex.CreateTableBuilder, dialect: Dialect) => readonly string[],
): Change => {
  const fresh = (db: Knex, dialect: Dialect) =>
    db.schema.alterTable(name, (table) => {
      build(table, dialect);
    });
  return {
    number,
    name: `more columns of ${name}`,
    fresh,
    async up(db, dialect) {
      if (!(await db.schema.hasColumn(name, first))) await fresh(db, dialect);
    },
    async down(db, dialect) {
      if (!(await db.schema.hasColumn(name, first))) return;
      let columns: readonly string[] = [];
      // The builder alone knows the names; what it builds here is never run.
      db.schema
        .alterTable(name, (table) => {
          columns = build(table, dialect);
        })
        .toSQL();
      await db.schema.alterTable(name, (table) => {
        table.dropColumns(...columns);
      });
    },
  };
};

/** Takes away a table that another has made needless; undone, it is there again without rows or indexes. */
export const dropTable = (
  number: number,
  name: string,
  build: (table: Knex.CreateTableBuilder, dialect: Dialect) => void,
): Change => ({
  number,
  name: `drop ${name}`,
  up: (db) => db.schema.dropTableIfExists(name),
  down: (db, dialect) => createTable(number, name, build).up(db, dialect),
});

/** Leaves room on the pages of a table whose rows change often. */
export const keepRoom = (number: number, table: string, percent: number): Change => ({
  number,
  name: `keep room in ${table}`,
  olderMayWrite: true,
  async up(db, dialect) {
    await dialect.keepRoom?.(db, table, percent);
  },
  down: async (db, dialect) => {
    await dialect.keepRoom?.(db, table, 0);
  },
});

/** Stores the bytes of a column as they are, since they are compressed when they come. */
export const keepPacked = (number: number, table: string, column: string): Change => ({
  number,
  name: `keep ${table}.${column} as it comes`,
  olderMayWrite: true,
  async up(db, dialect) {
    await dialect.keepPacked?.(db, table, column);
  },
  down: () => Promise.resolve(), // what is stored is read either way
});

/** Keeps bytes that are read with every row in the row itself. */
export const keepInRow = (number: number, table: string, column: string): Change => ({
  number,
  name: `keep ${table}.${column} in its row`,
  olderMayWrite: true,
  async up(db, dialect) {
    await dialect.keepInRow?.(db, table, column);
  },
  down: () => Promise.resolve(), // what is stored is read either way
});

/** Adds an index over expressions where the engine keeps such. */
export const addExpressionIndex = (
  number: number,
  table: string,
  name: string,
  parts: (indexes: ExpressionIndexes) => readonly string[],
  over: Parameters<ExpressionIndexes['create']>[4] = 'values',
): Change => ({
  number,
  name: `index ${name}`,
  olderMayWrite: true,
  async up(db, { expressionIndexes }) {
    await expressionIndexes?.create(db, table, name, parts(expressionIndexes), over);
  },
  async down(db, { expressionIndexes }) {
    await expressionIndexes?.drop(db, name);
  },
});

/** Lets the planner of an engine that can learn it know how many values an expression has. */
export const addStatistics = (
  number: number,
  table: string,
  name: string,
  expression: string,
): Change => ({
  number,
  name: `statistics ${name}`,
  olderMayWrite: true,
  async up(db, { expressionStatistics }) {
    await expressionStatistics?.create(db, table, name, expression);
  },
  async down(db, { expressionStatistics }) {
    await expressionStatistics?.drop(db, name);
  },
});

/** Takes away an index that another has made needless, unless a run that broke off has. */
export const dropIndex = (
  number: number,
  table: string,
  columns: readonly string[],
  name: string,
): Change => {
  const fresh = (db: Knex) =>
    db.schema.alterTable(table, (altered) => {
      altered.dropIndex([...columns], name);
    });
  return {
    number,
    name: `drop index ${name}`,
    olderMayWrite: true,
    fresh,
    async up(db, dialect) {
      if (await dialect.hasIndex(db, table, name)) await fresh(db);
    },
    async down(db, dialect) {
      if (!(await dialect.hasIndex(db, table, name)))
        await db.schema.alterTable(table, (altered) => {
          altered.index([...columns], name);
        });
    },
  };
};

/** Adds an index to a table, unless a run that broke off has added it. */
export const addIndex = (
  number: number,
  table: string,
  columns: readonly string[],
  name: string,
): Change => {
  const fresh = (db: Knex) =>
    db.schema.alterTable(table, (altered) => {
      altered.index([...columns], name);
    });
  return {
    number,
    name: `index ${name}`,
    fresh,
    async up(db, dialect) {
      if (dialect.createIndex !== undefined) await dialect.createIndex(db, table, columns, name);
      else if (!(await dialect.hasIndex(db, table, name))) await fresh(db);
    },
    async down(db, dialect) {
      if (await dialect.hasIndex(db, table, name))
        await db.schema.alterTable(table, (altered) => {
          altered.dropIndex([...columns], name);
        });
    },
  };
};

/** An index as an engine keeps it that has partial and covering ones, and by which columns it is elsewhere. */
const addEngineIndex = (
  number: number,
  table: string,
  name: string,
  statement: string,
  otherwise: readonly string[],
): Change => {
  const fresh = (db: Knex, { partialIndexes }: Dialect) =>
    partialIndexes
      ? db.schema.raw(`create index ${name} on ${table} ${statement}`)
      : db.schema.alterTable(table, (altered) => {
          altered.index([...otherwise], name);
        });
  return {
    number,
    name: `index ${name}`,
    fresh,
    async up(db, dialect) {
      if (!(await dialect.hasIndex(db, table, name))) await fresh(db, dialect);
    },
    async down(db, dialect) {
      if (await dialect.hasIndex(db, table, name))
        await db.schema.alterTable(table, (altered) => {
          altered.dropIndex([], name);
        });
    },
  };
};

/** Adds an index over the rows alone that a condition tells, where the engine keeps such; elsewhere over every row, perhaps by other columns. */
export const addPartialIndex = (
  number: number,
  table: string,
  name: string,
  {
    columns,
    where,
    otherwise = columns,
  }: {
    readonly columns: readonly string[];
    readonly where: string;
    readonly otherwise?: readonly string[];
  },
): Change =>
  addEngineIndex(number, table, name, `(${columns.join(', ')}) where ${where}`, otherwise);

/** Adds an index that holds columns beside those it is ordered by, where the engine keeps such; elsewhere by other columns. */
export const addCoveringIndex = (
  number: number,
  table: string,
  name: string,
  {
    columns,
    beside,
    otherwise,
  }: {
    readonly columns: readonly string[];
    readonly beside: readonly string[];
    readonly otherwise: readonly string[];
  },
): Change =>
  addEngineIndex(
    number,
    table,
    name,
    `(${columns.join(', ')}) include (${beside.join(', ')})`,
    otherwise,
  );
