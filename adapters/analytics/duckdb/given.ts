// Tables that a statement is given by its caller: rows of all parts in one table of the engine, of which a view shows one part after another.
import type {
  AnalyticsResult,
  GivenColumn,
  GivenLimits,
  GivenRows,
  GivenTable,
  GivenTables,
} from '#ports/analytics';
import { Failure } from '#ports/failure';
import { givenReadsOf } from './checking.js';
import type { Engine } from './engine.js';
import { fold } from './fold.js';
import { engineTypes } from './tables.js';

interface GivenNeeds {
  readonly engine: Engine;
  /** Runs the statement as the tables are now. */
  readonly run: () => Promise<AnalyticsResult>;
  readonly signal: AbortSignal;
  /** Rows that the engine takes at once. */
  readonly chunkRows: number;
  readonly bytesIn: (value: unknown) => number;
}

/** An engine holds each row with its part, so that what a part is asked is not read again for each one. */
interface Filled {
  readonly name: string;
  readonly stored: string;
  readonly columns: readonly GivenColumn[];
  /** What the column with the part of each row is called. */
  readonly part: string;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A name that is none of these. */
const unlike = (name: string, taken: ReadonlySet<string>): string =>
  taken.has(name) ? unlike(`${name}_`, taken) : name;

const overLimit = (what: string) => new Failure('invalid', `the query is beyond a limit: ${what}`);

const requireDifferent = (table: string, columns: readonly GivenColumn[]): void => {
  const seen = new Map<string, string>();
  for (const { name } of columns) {
    const other = seen.get(fold(name));
    if (other !== undefined)
      throw new Failure(
        'invalid',
        `columns ${other.slice(0, 60)} and ${name.slice(0, 60)} of ${table} differ by case alone`,
      );
    seen.set(fold(name), name);
  }
};

/** Takes rows, as many as there may be, and notes which parts have any. */
const taking = (
  { engine, signal, chunkRows, bytesIn }: GivenNeeds,
  { rowsRead, bytesRead }: Pick<GivenLimits, 'rowsRead' | 'bytesRead'>,
  parts: number,
) => {
  const counted = { rows: 0, bytes: 0, parts: new Set<number>() };
  const put = async ({ stored, columns }: Filled, given: GivenRows): Promise<void> => {
    const kinds = [...columns.map(({ type }) => type), 'whole'];
    for (let from = 0; from < given.count; from += chunkRows) {
      signal.throwIfAborted();
      const to = Math.min(given.count, from + chunkRows);
      const count = to - from;
      const own = given.parts?.slice(from, to) ?? Array.from({ length: count }, () => 0);
      const values = columns.map(({ type }, at) => {
        const some = (given.columns[at] ?? []).slice(from, to);
        return type === 'time'
          ? some.map((value) => (typeof value === 'number' ? value * 1000 : undefined))
          : some;
      });
      for (const part of own) {
        if (part >= parts) throw new Error(`there is no part ${part}`);
        counted.parts.add(part);
      }
      counted.rows += count;
      for (const some of values) for (const value of some) counted.bytes += bytesIn(value);
      if (counted.rows > rowsRead)
        throw overLimit(`it reads more than ${rowsRead} rows of the tables that it names`);
      if (counted.bytes > bytesRead)
        throw overLimit(`it reads more than ${bytesRead} bytes of the columns that it names`);
      await engine.append(stored, { kinds, columns: [...values, own], count });
    }
  };
  return { counted, put };
};

const createStatement = ({ stored, columns, part }: Filled): string =>
  `CREATE TABLE ${quoted(stored)} (${[
    ...columns.map(({ name, type }) => `${quoted(name)} ${engineTypes[type]}`),
    `${quoted(part)} ${engineTypes.whole}`,
  ].join(', ')})`;

/** What shows the rows of one part. A table of which no column is named has one nevertheless, so that its rows can be counted. */
const viewStatement = ({ name, stored, columns, part }: Filled, shown: number): string => {
  const names = columns.length === 0 ? [part] : columns.map((column) => column.name);
  return `CREATE OR REPLACE VIEW ${quoted(name)} AS SELECT ${names
    .map(quoted)
    .join(', ')} FROM ${quoted(stored)} WHERE ${quoted(part)} = ${shown}`;
};

/** Answers for each part, and says how many bytes of rows there were. `tree` is the statement's. Leaves an engine without those tables. */
export const runGiven = async (
  needs: GivenNeeds,
  tree: string,
  { tables, parts = 1 }: GivenTables,
  limits: Pick<GivenLimits, 'rowsRead' | 'bytesRead'>,
): Promise<{ readonly results: readonly AnalyticsResult[]; readonly bytes: number }> => {
  const { engine } = needs;
  const reads = givenReadsOf(tree, new Set(tables.map(({ name }) => name)));
  const { counted, put } = taking(needs, limits, parts);
  const fill = async (table: GivenTable): Promise<Filled> => {
    const { name } = table;
    const { columns, rows } = table.open(reads);
    requireDifferent(name, columns);
    const taken = new Set([...reads.names, ...columns.map((column) => column.name)].map(fold));
    // The statement cannot name it: what it names is judged, and this is not among the tables.
    const filled = { name, stored: `rows of ${name}`, columns, part: unlike('part', taken) };
    await engine.create([createStatement(filled)]);
    for await (const some of rows) await put(filled, some);
    return filled;
  };
  const filled: Filled[] = [];
  for (const table of tables) if (reads.tables.has(table.name)) filled.push(await fill(table));
  const results: AnalyticsResult[] = [];
  let ofNone: AnalyticsResult | undefined;
  for (let part = 0; part < parts; part++) {
    // Parts without rows have one answer together.
    if (!counted.parts.has(part) && ofNone !== undefined) {
      results.push(ofNone);
      continue;
    }
    await engine.create(filled.map((one) => viewStatement(one, part)));
    const result = await needs.run();
    if (!counted.parts.has(part)) ofNone = result;
    results.push(result);
  }
  await engine.create(
    filled.flatMap(({ name, stored }) => [
      `DROP VIEW IF EXISTS ${quoted(name)}`,
      `DROP TABLE IF EXISTS ${quoted(stored)}`,
    ]),
  );
  return { results, bytes: counted.bytes };
};
