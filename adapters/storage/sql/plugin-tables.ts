// A plugin's tables: its declared changes as migrations, and rows by its own names for them.
import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type { ColumnKind, TableChange } from '#ports/plugin';
import type { Cell, ListOptions, PluginRow, PluginTables } from '#ports/plugin-tables';
import { inTransaction, isTrue, keyOf, refuseTaken, type Connection } from './connection.js';
import type { ColumnValues, Dialect } from '#ports/sql-dialect';
import { pluginPrefix } from './migrate.js';
import type { Change } from './migrations/change.js';

const addColumn = (
  table: Knex.CreateTableBuilder,
  dialect: Dialect,
  name: string,
  kind: ColumnKind,
): Knex.ColumnBuilder => {
  if (kind === 'key') return dialect.exactText(table, name, 190);
  if (kind === 'text') return dialect.longText(table, name);
  if (kind === 'whole') return table.bigInteger(name);
  if (kind === 'real') return dialect.real(table, name);
  return kind === 'flag' ? table.boolean(name) : dialect.longBytes(table, name);
};

/** The same text for the same change, in whatever order its members were written. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

/** The changes of a plugin as migrations of its own ledger. */
export const pluginChanges = (plugin: string, changes: readonly TableChange[]): readonly Change[] =>
  changes.map((change, place): Change => {
    const name = `${pluginPrefix(plugin)}${'create' in change ? change.create : change.add}`;
    const digest = keyOf(canonical(change));
    if ('create' in change)
      return {
        number: place + 1,
        digest,
        name: `create ${change.create}`,
        creates: name,
        async up(db, dialect) {
          if (await db.schema.hasTable(name)) return;
          await db.schema.createTable(name, (table) => {
            for (const [column, kind] of Object.entries(change.columns)) {
              const made = addColumn(table, dialect, column, kind);
              if (change.key.includes(column)) made.notNullable();
              else made.nullable();
            }
            table.primary([...change.key], `${name}_key`.slice(-60));
            for (const [index, columns] of Object.entries(change.indexes ?? {}))
              table.index([...columns], `${name}_${index}`.slice(-60));
            dialect.finishTable(table);
          });
        },
        async down(db) {
          await db.schema.dropTableIfExists(name);
        },
      };
    return {
      number: place + 1,
      digest,
      name: `add to ${change.add}`,
      async up(db, dialect) {
        for (const [column, kind] of Object.entries(change.columns))
          if (!(await db.schema.hasColumn(name, column)))
            await db.schema.alterTable(name, (table) => {
              addColumn(table as Knex.CreateTableBuilder, dialect, column, kind).nullable();
            }); // altering takes the same column words
      },
      async down(db) {
        for (const column of Object.keys(change.columns))
          if (await db.schema.hasColumn(name, column))
            await db.schema.alterTable(name, (table) => {
              table.dropColumn(column);
            });
      },
    };
  });

interface Shape {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly key: readonly string[];
  readonly indexes: Readonly<Record<string, readonly string[]>>;
}

const shapesOf = (changes: readonly TableChange[]): ReadonlyMap<string, Shape> => {
  const shapes = new Map<string, Shape>();
  for (const change of changes) {
    if ('create' in change)
      shapes.set(change.create, {
        columns: change.columns,
        key: change.key,
        indexes: { ...change.indexes, key: change.key },
      });
    else {
      const before = shapes.get(change.add);
      if (before !== undefined)
        shapes.set(change.add, { ...before, columns: { ...before.columns, ...change.columns } });
    }
  }
  return shapes;
};

const toCell = (kind: ColumnKind, stored: unknown): Cell => {
  if (stored === null || stored === undefined) return null;
  if (kind === 'flag') return isTrue(stored);
  return kind === 'whole' || kind === 'real' ? Number(stored) : (stored as string | Uint8Array); // the columns are of the kinds that were declared
};

type StoredRow = Readonly<Record<string, unknown>>;

/** Keeps the rows on one side of a bound, as tuples of its columns are compared; with `inclusive`, those equal to it too. */
const boundBy = (
  query: Knex.QueryBuilder,
  order: readonly string[],
  bound: PluginRow,
  side: '<' | '>',
  inclusive = false,
): void => {
  const named = order.filter((column) => Object.hasOwn(bound, column));
  const [first] = named;
  if (first === undefined) return;
  query.where(first, `${side}=`, bound[first] as never); // a range of the index, which alternatives alone are not; knex types the values of known tables only
  query.andWhere((open) => {
    named.forEach((column, place) => {
      open.orWhere((one) => {
        for (const before of named.slice(0, place)) one.where(before, bound[before] as never); // as above
        const last = inclusive && place === named.length - 1;
        one.where(column, last ? `${side}=` : side, bound[column] as never); // as above
      });
    });
  });
};

/** Rows by what the function makes of them. */
const grouped = (
  rows: readonly PluginRow[],
  by: (row: PluginRow) => string,
): ReadonlyMap<string, readonly PluginRow[]> => {
  const groups = new Map<string, PluginRow[]>();
  for (const row of rows) {
    const name = by(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
};

const areSame = (names: readonly string[], others: readonly string[]): boolean => {
  if (names.length !== others.length) return false;
  for (let at = 0; at < names.length; at++) if (names[at] !== others[at]) return false;
  return true;
};

/** Tells apart rows by the columns that they name, in whatever order; each new kind is checked once. */
const columnsSeen = (check: (row: PluginRow) => PluginRow): ((row: PluginRow) => string) => {
  let [last, name]: [readonly string[] | undefined, string] = [undefined, ''];
  return (row) => {
    const columns = Object.keys(row);
    if (last !== undefined && areSame(columns, last)) return name;
    last = columns;
    return (name = Object.keys(check(row)).sort().join());
  };
};

const [mostValues, mostBytes] = [100_000, 4 * 1024 * 1024] as const;
const sizeOf = (cell: Cell | undefined): number =>
  typeof cell === 'string' ? cell.length * 2 : cell instanceof Uint8Array ? cell.length * 2 : 16;

/** Rows in portions whose values of these columns one statement takes. */
function* chunksOf(rows: readonly PluginRow[], columns: readonly string[]): Generator<PluginRow[]> {
  let [chunk, bytes]: [PluginRow[], number] = [[], 0];
  for (const row of rows) {
    let size = 0;
    for (const column of columns) size += sizeOf(row[column]);
    const isFull = (chunk.length + 1) * columns.length > mostValues || bytes + size > mostBytes;
    if (chunk.length > 0 && isFull) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(row);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

const valueKinds = {
  key: 'text',
  text: 'text',
  whole: 'whole',
  real: 'real',
  flag: 'flag',
  bytes: 'bytes',
} as const satisfies Record<ColumnKind, ColumnValues['kind']>;

/** Drivers know bytes within lists by this class alone. */
const bound = (cell: Cell): Cell =>
  cell instanceof Uint8Array && !Buffer.isBuffer(cell)
    ? Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength)
    : cell;

/** Rows as lists of values by column. */
const listsOf = (
  rows: readonly PluginRow[],
  columns: readonly string[],
  { columns: kinds }: Shape,
): readonly ColumnValues[] =>
  columns.map((name) => ({
    name,
    kind: valueKinds[kinds[name] ?? 'text'],
    values: rows.map((row) => bound(row[name] ?? null)),
  }));

/** Keys as ranges that an index serves on every engine: those that differ in the last column only stand together. */
function* byLastColumn(
  keys: readonly PluginRow[],
  columns: readonly string[],
  check: (row: PluginRow) => PluginRow,
): Generator<{
  readonly equals: PluginRow;
  readonly column: string;
  readonly values: readonly (string | number)[];
}> {
  const column = columns.at(-1) ?? '';
  const before = columns.slice(0, -1);
  const see = columnsSeen(check);
  let [last, name]: [PluginRow | undefined, string] = [undefined, ''];
  const groups = grouped(keys, (row) => {
    see(row);
    const known = last;
    last = row;
    if (known !== undefined && before.every((one) => row[one] === known[one])) return name;
    return (name = JSON.stringify(before.map((one) => row[one])));
  });
  for (const group of groups.values())
    for (let from = 0; from < group.length; from += 1000)
      yield {
        equals: Object.fromEntries(before.map((name) => [name, group[0]?.[name] ?? null])),
        column,
        values: group.slice(from, from + 1000).map((row) => row[column] as string | number), // keys are texts and whole numbers
      };
}

/** The tables of one plugin over a connection. */
export const pluginTables = (
  connection: Connection,
  plugin: string,
  changes: readonly TableChange[],
): PluginTables => {
  const { db, dialect } = connection;
  const shapes = shapesOf(changes);
  const shapeOf = (table: string): Shape => {
    const shape = shapes.get(table);
    if (shape === undefined)
      throw new Failure('invalid', `plugin ${plugin} declares no table ${table}`);
    return shape;
  };
  const check = (table: string, row: PluginRow): PluginRow => {
    const { columns } = shapeOf(table);
    for (const column of Object.keys(row))
      if (!Object.hasOwn(columns, column))
        throw new Failure('invalid', `table ${table} of plugin ${plugin} has no column ${column}`);
    return row;
  };
  const over = (table: string) => db(`${pluginPrefix(plugin)}${table}`);
  const read = (table: string, stored: Readonly<Record<string, unknown>>): PluginRow =>
    Object.fromEntries(
      Object.entries(shapeOf(table).columns).map(([column, kind]) => [
        column,
        toCell(kind, stored[column]),
      ]),
    );

  const listing = (
    table: string,
    index: string,
    equals: PluginRow,
    { limit, after, until, descending = false, columns: wanted }: ListOptions,
    inside = db,
  ) => {
    const { indexes, key } = shapeOf(table);
    const columns = indexes[index];
    if (columns === undefined)
      throw new Failure('invalid', `table ${table} of plugin ${plugin} declares no index ${index}`);
    const order = [...new Set([...columns, ...key])];
    const query = inside(`${pluginPrefix(plugin)}${table}`)
      .where(check(table, equals))
      .orderBy(order.map((column) => ({ column, order: descending ? 'desc' : 'asc' })))
      .limit(limit);
    const free = order.filter((column) => !Object.hasOwn(equals, column));
    if (wanted !== undefined) {
      check(table, Object.fromEntries(wanted.map((column) => [column, null])));
      query.select(wanted);
    }
    if (after !== undefined) boundBy(query, free, check(table, after), descending ? '<' : '>');
    if (until !== undefined)
      boundBy(query, free, check(table, until), descending ? '>' : '<', true);
    return query;
  };

  const removeKeys = async (
    inside: Knex,
    table: string,
    keys: readonly PluginRow[],
  ): Promise<void> => {
    for (const one of byLastColumn(keys, shapeOf(table).key, (row) => check(table, row)))
      await inside(`${pluginPrefix(plugin)}${table}`)
        .where(one.equals)
        .whereIn(one.column, one.values)
        .delete();
  };

  return {
    insert: async (table, row) =>
      refuseTaken(
        dialect,
        `table ${table} of plugin ${plugin} holds that key already`,
        over(table).insert(check(table, row)),
      ),
    insertAll: (table, rows) =>
      refuseTaken(
        dialect,
        `table ${table} of plugin ${plugin} holds one of those keys already`,
        inTransaction(connection, async (inside) => {
          const see = columnsSeen((row) => check(table, row));
          for (const row of rows) see(row);
          for (const chunk of chunksOf(rows, Object.keys(shapeOf(table).columns)))
            await inside.dialect.insertColumns(
              inside.db,
              `${pluginPrefix(plugin)}${table}`,
              listsOf(chunk, Object.keys(shapeOf(table).columns), shapeOf(table)),
            );
        }),
      ),
    upsertAll: (table, rows) =>
      inTransaction(connection, async (inside) => {
        const { key } = shapeOf(table);
        const alike = grouped(
          rows,
          columnsSeen((row) => check(table, row)),
        );
        for (const group of alike.values()) {
          const columns = Object.keys(group[0] ?? {});
          const others = columns.filter((column) => !key.includes(column));
          const assigned = others.map(
            (column) =>
              `${inside.db.raw('??', [column]).toString()} = ${inside.dialect.incoming(column)}`,
          );
          for (const chunk of chunksOf(group, columns))
            await inside.dialect.insertColumns(
              inside.db,
              `${pluginPrefix(plugin)}${table}`,
              listsOf(chunk, columns, shapeOf(table)),
              others.length === 0
                ? inside.dialect.onConflictIgnore(key)
                : inside.dialect.onConflict(key, assigned),
            );
        }
      }),
    async upsert(table, row) {
      const { key } = shapeOf(table);
      const others = Object.keys(check(table, row)).filter((column) => !key.includes(column));
      const insert = over(table)
        .insert(row)
        .onConflict([...key]);
      await (others.length === 0 ? insert.ignore() : insert.merge(others));
    },
    increment: (table, key, column, by) =>
      inTransaction(connection, async ({ db: inside }) => {
        const [row, name] = [
          check(table, { ...key, [column]: by }),
          `${pluginPrefix(plugin)}${table}`,
        ];
        if (shapeOf(table).columns[column] !== 'whole')
          throw new Failure(
            'invalid',
            `column ${column} of table ${table} of plugin ${plugin} is no whole number`,
          );
        const sum = inside.raw('coalesce(??, 0) + ?', [`${name}.${column}`, by]);
        // Written first, so that the row is locked before it is read.
        await inside(name)
          .insert(row)
          .onConflict([...shapeOf(table).key])
          .merge({ [column]: sum });
        return Number(
          (await inside(name).where(key).first<Readonly<Record<string, unknown>>>(column))[column],
        );
      }),
    async find(table, key) {
      const stored = await over(table)
        .where(check(table, key))
        .first<Readonly<Record<string, unknown>> | undefined>();
      return stored === undefined ? undefined : read(table, stored);
    },
    async findAll(table, keys) {
      const found: PluginRow[] = [];
      for (const one of byLastColumn(keys, shapeOf(table).key, (row) => check(table, row))) {
        const kind = valueKinds[shapeOf(table).columns[one.column] ?? 'text'];
        const stored: unknown = await over(table)
          .where(one.equals)
          .modify(dialect.among(one.column, kind, one.values));
        found.push(...(stored as StoredRow[]).map((row) => read(table, row))); // rows of that table
      }
      return found;
    },
    async list(table, index, equals, options) {
      const stored: unknown = await listing(table, index, equals, options);
      return (stored as StoredRow[]).map((row) => read(table, row)); // rows of that table
    },
    removeAll: (table, index, equals, options) =>
      inTransaction(connection, async (inside) => {
        const rows = (await listing(table, index, equals, options, inside.db).select(
          shapeOf(table).key,
        )) as PluginRow[]; // its key
        await removeKeys(inside.db, table, rows);
        return rows.length;
      }),
    removeKeys: (table, keys) =>
      inTransaction(connection, (inside) => removeKeys(inside.db, table, keys)),
    async remove(table, key) {
      return (await over(table).where(check(table, key)).delete()) > 0;
    },
    transaction: (work) =>
      inTransaction(connection, (inside) => work(pluginTables(inside, plugin, changes))),
  };
};
