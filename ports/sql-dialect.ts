// The dialect of SQL that a storage driver brings: storage is kept in SQL alone, and this is every way in which engines differ.
import type { Knex } from 'knex';

/** A piece of SQL with what is bound in it. */
export interface Fragment {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** What a database fault means for the caller. */
export type Fault =
  'conflict' | 'repeat' | 'away' | 'full' | 'unfit' | 'changed' | 'slow' | 'other';

/** Values of one column for many rows; null for none, except among bytes. */
export interface ColumnValues {
  readonly name: string;
  readonly kind: 'id' | 'text' | 'whole' | 'real' | 'bytes' | 'flag';
  readonly values: readonly unknown[];
}

/** What an engine offers that takes a whole transaction as one message. */
export interface PipelinedTransaction {
  /**
   * Begins a transaction, starts every work, which sends its only statement at once and through the dialect alone, and commits, all without
   * waiting for a reply. Resolves once it is durable; rejects with the first error, and nothing is stored then, unless the connection was lost.
   */
  transact(db: Knex, works: (inside: Knex) => readonly (() => Promise<unknown>)[]): Promise<void>;
  /**
   * A statement after which the commit of its transaction does not wait for the disk: it becomes durable with whatever is committed next, on any
   * connection, and by itself soon after.
   */
  readonly durableWithNext: string;
  /** An expression that ends the transaction with the fault `changed` unless the condition holds. */
  refuseUnless(condition: string): string;
  /** A select that gives many rows of values by the names of their columns. */
  given(columns: readonly ColumnValues[]): {
    readonly select: string;
    readonly bindings: readonly unknown[];
  };
}

/** What the database gathers of many rows and sends as one value. */
export interface PackedLists {
  /** An aggregate: the numbers of a group, nulls among them, as bytes; in whatever order rows come, which is the same for all of these in one statement. */
  numbers(number: string): string;
  /** What stands in those bytes, with nothing where there was a null. */
  read(bytes: Buffer): (number | undefined)[];
  /** An aggregate: each place of a group with its text, where a condition holds, as JSON; null where it holds nowhere. */
  texts(place: string, text: string, condition: string): string;
}

/** What an engine offers that keeps indexes over expressions. */
export interface ExpressionIndexes {
  /** The beginning of a text in lower case: whatever its length, an index takes that. It has at most so many `characters`. */
  beginning(expression: string): string;
  readonly characters: number;
  /** The words of a text in lower case, which are letters of ASCII, digits and underscores; of a long one only that it is long. */
  words(expression: string): string;
  /** Whether a text may have all of these words: where it has, an index over its words finds it. */
  mayHaveWords(expression: string, words: readonly string[]): Fragment;
  /**
   * Makes an index unless there is one of that name; each part is an expression that may say how it is sorted. One over ranges tells of each stretch of
   * a table what values it has: next to nothing to keep, and of use where rows come about in the order of the values.
   */
  create(
    db: Knex,
    table: string,
    name: string,
    parts: readonly string[],
    over: 'values' | 'words' | 'ranges',
  ): Promise<void>;
  /** Takes an index away, if there is one. */
  drop(db: Knex, name: string): Promise<void>;
}

/** Every way in which the engines differ. A store that asks which engine it runs on fails the architecture test; it uses a member here. */
export interface Dialect {
  /** An id made by the application: 36 characters, compared exactly. */
  id(table: Knex.CreateTableBuilder, column: string): Knex.ColumnBuilder;
  /** A short text that is compared and indexed exactly: case and accents tell values apart. Trailing blanks may not, so what must be unique by them is kept as a hash. */
  exactText(table: Knex.CreateTableBuilder, column: string, length: number): Knex.ColumnBuilder;
  /** Text of any length. */
  longText(table: Knex.CreateTableBuilder, column: string): Knex.ColumnBuilder;
  /** Bytes of any length. */
  longBytes(table: Knex.CreateTableBuilder, column: string): Knex.ColumnBuilder;
  /** A 64-bit float. */
  real(table: Knex.CreateTableBuilder, column: string): Knex.ColumnBuilder;
  /** Told once for every table made, so that its texts compare exactly. */
  finishTable(table: Knex.CreateTableBuilder): void;
  /**
   * Keeps so many percent of each page of a table free for newer versions of its rows, so that a change writes no index, and lets what is outdated
   * be removed early. Absent where an engine changes rows in place.
   */
  keepRoom?(db: Knex, table: string, percent: number): Promise<void>;
  /** Stores the bytes of a column as they come, which are compressed already. Absent where an engine compresses nothing by itself. */
  keepPacked?(db: Knex, table: string, column: string): Promise<void>;
  /** Keeps the bytes of a column in its row, while others that are long are kept beside it. Absent where an engine does so by itself. */
  keepInRow?(db: Knex, table: string, column: string): Promise<void>;
  /** How it is told that transactions have ended which may not have seen what was committed at a moment. */
  readonly transactions: {
    /** Names the moment. A transaction whose first write comes later sees, in the statements after that write, all that was committed before. */
    name(db: Knex): Promise<string>;
    /** Whether all those have ended that had begun to write before a moment that was named. It is asked outside of transactions, and some time apart: an engine may tell the same for 100 ms. */
    haveEnded(db: Knex, moment: string): Promise<boolean>;
  };
  /** The value that an upsert brings, for use in its merge. */
  incoming(column: string): string;
  /** A stored column inside the merge of an upsert into `table`. */
  stored(table: string, column: string): string;
  /** The value of rank `ceil(part * n)` of what is aggregated, nulls left out. Absent where an engine aggregates none. */
  percentile?(expression: string, part: number): string;
  /** A text in lower case by Unicode's simple mapping: one character for each, wherever it stands; compared exactly. The expression stands in it once. */
  lower(expression: string): string;
  /** A text in lower case, of which only ASCII matters: quicker than all of Unicode. */
  asciiLower(expression: string): string;
  /** One of the bytes of a column, from 0 on, as a number. */
  byteAt(column: string, index: number): string;
  /** A text as something that is compared by its code points, trailing blanks included. */
  byCodePoints(expression: string): string;
  /** Whether two texts are the same, trailing blanks included. Each stands in it once, in this order. */
  equalTexts(one: string, other: string): string;
  /**
   * Whether a text holds, begins or ends with another: plain text, no pattern, exactly. A beginning is a range of an index where the engine has exact ones.
   * The expression stands in it once, and before what is bound, so that it may have values of its own.
   */
  holdsText(
    expression: string,
    where: 'contains' | 'startsWith' | 'endsWith',
    text: string,
  ): Fragment;
  /** What stands at these members and indexes of a column of JSON text, as a text; null where there is nothing, or null. */
  jsonText(column: string, steps: readonly (string | number)[]): Fragment;
  /** The members of a column that holds a JSON object of numbers, one row each: what to join behind a table, and the expressions of a member's name and number. */
  jsonNumbers(
    column: string,
    alias: string,
  ): { readonly join: string; readonly name: string; readonly amount: string };
  /** The texts of a column that holds a JSON list of them, one row each, and one row of null where there are none: what to join behind a table, and the expression of a text. */
  jsonTexts(column: string, alias: string): { readonly join: string; readonly value: string };
  /** A text as a 64-bit float where it is a decimal number; null where it is not. */
  numberIn(expression: string): string;
  /** An id as a text. */
  idAsText(expression: string): string;
  /** When an id of version 7 was made, in ms. */
  idTime(expression: string): string;
  /** SQL for the schema that a connection is in. */
  readonly currentSchema: string;
  /** Changes a schema by all of these statements or by none, in one message; absent where an engine does not roll back changes of tables. */
  changeSchema?(db: Knex, statements: readonly string[]): Promise<void>;
  /** Absent where an engine has none that its planner would use: it finds the same rows by looking at more of them. */
  readonly expressionIndexes?: ExpressionIndexes;
  /** How a planner learns how many values an expression over a table has. Absent where an engine has no such thing: its plans are others, what they give is the same. */
  readonly expressionStatistics?: {
    /** Begins with what is there, unless it was begun. */
    create(db: Knex, table: string, name: string, expression: string): Promise<void>;
    drop(db: Knex, name: string): Promise<void>;
  };
  /** Parts of a list for `order by`: a value in one direction, rows without it last in either. */
  inOrder(value: Fragment, direction: 'asc' | 'desc'): readonly Fragment[];
  /**
   * Makes an index unless there is one of that name that is whole, outside of a transaction: of a large table while its rows go on being written. Absent
   * where an engine's own way of adding an index blocks no writes.
   */
  createIndex?(db: Knex, table: string, columns: readonly string[], name: string): Promise<void>;
  /** Whether what has an order, and is tested row by row up to a limit, is read no further than to the last row that is given. */
  readonly walksLazily: boolean;
  /** Whether an index may be over the rows alone that a condition tells, and hold columns beside those it is ordered by. */
  readonly partialIndexes: boolean;
  /** Whether a table has an index of that name. */
  hasIndex(db: Knex, table: string, name: string): Promise<boolean>;
  /** SQL for the database's own time in ms. */
  readonly nowMs: string;
  /** Inserts many rows in one statement, beyond the limit on bound parameters; `suffix` is an upsert clause. */
  insertColumns(
    db: Knex,
    table: string,
    columns: readonly ColumnValues[],
    suffix?: string,
  ): Promise<void>;
  /** The same for the rows whose key is not there yet; answers how many were inserted. */
  insertFresh(
    db: Knex,
    table: string,
    keys: readonly string[],
    columns: readonly ColumnValues[],
  ): Promise<number>;
  /** Inserts a row while another one is there, which is locked for as long, shared with others; answers how many rows were inserted. */
  insertWhile(
    db: Knex,
    table: string,
    row: Readonly<Record<string, unknown>>,
    other: {
      readonly table: string;
      readonly condition: string;
      readonly bindings: readonly (string | number)[];
    },
  ): Promise<number>;
  /** One statement straight to the driver, for the hot path: a list is bound as one value. Gives the rows. */
  run(db: Knex, sql: string, bindings: readonly unknown[]): Promise<readonly unknown[]>;
  /** Does works of this transaction that need nothing of each other, in their order: without waiting for each reply where the engine allows it. */
  together<const W extends readonly (() => Promise<unknown>)[]>(
    db: Knex,
    works: W,
  ): Promise<{ readonly [I in keyof W]: Awaited<ReturnType<W[I]>> }>;
  /** Absent where an engine answers one statement at a time. */
  readonly pipelined?: PipelinedTransaction;
  /** Absent where an engine cannot send numbers exactly but one by one. */
  readonly packed?: PackedLists;
  /** Does reads that look at many rows of a table for one page, with room to remember them; a storage's defaults are for reads of few. Ended in the database when the signal aborts, and after a while. */
  withLargeWorkMem<T>(
    db: Knex,
    signal: AbortSignal | undefined,
    work: (inside: Knex) => Promise<T>,
  ): Promise<T>;
  /** The same for reads that add up many rows: by several processes of the engine. Absent where it has one for a statement. */
  withWorkers?<T>(
    db: Knex,
    signal: AbortSignal | undefined,
    work: (inside: Knex) => Promise<T>,
  ): Promise<T>;
  /** Every row of a select, a few at a time as they are read: inside a transaction, whose snapshot it sees. */
  readAll(db: Knex, select: string): AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;
  /** The clause of an upsert: `assign` is a list of `column = expression`. */
  onConflict(keys: readonly string[], assign: readonly string[]): string;
  /** The clause of an insert that leaves present rows alone. */
  onConflictIgnore(keys: readonly string[]): string;
  /** A condition that a column is one of the values of an array bound as a single value. */
  anyOf(column: string, kind: ColumnValues['kind']): string;
  /** For `modify`: a column is one of these values, of which there may be any number. */
  among(
    column: string,
    kind: ColumnValues['kind'],
    values: readonly unknown[],
  ): (query: Knex.QueryBuilder) => void;
  /** Largest number of bytes that one statement may bring. */
  readonly statementBytes: number;
  /** What a thrown database error means. */
  fault(thrown: unknown): Fault;
}
