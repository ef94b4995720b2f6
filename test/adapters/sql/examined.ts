// How many rows a statement goes through, as each engine counts them; every engine's own words are read here and nowhere else.
import type { Knex } from 'knex';
import type { SqlStorage } from '#adapters/storage/sql/storage';

interface Step {
  readonly [member: string]: unknown;
  readonly Plans?: readonly Step[];
}
const steps = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(steps)];
const count = (step: Step, member: string): number => Number(step[member] ?? 0);

/** Rows of one pass, the thrown away ones too. A table of a page is read as a whole, by whatever way, and each time it is looked into counts once. */
const rowsOf = (step: Step): number => {
  const rows =
    count(step, 'Actual Rows') +
    count(step, 'Rows Removed by Filter') +
    count(step, 'Rows Removed by Index Recheck');
  return count(step, 'Actual Loops') > 1 && rows < 50 ? Math.min(rows, 1) : rows;
};

/** Rows that were read from tables and indexes. */
const readByPlan = async (
  db: Knex,
  sql: string,
  bindings: readonly unknown[],
): Promise<{ readonly rows: number; readonly says: string }> => {
  const { rows } = (await db.raw(
    `explain (analyze, timing off, format json) ${sql}`,
    bindings as never, // whatever the statement itself was given
  )) as {
    readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: Step }[] }[];
  }; // the form that this statement answers in
  const scans = steps(rows[0]?.['QUERY PLAN'][0]?.Plan ?? {}).filter(
    (step) => step['Relation Name'] !== undefined || step['Index Name'] !== undefined,
  );
  return {
    rows: scans.reduce((all, step) => all + rowsOf(step) * count(step, 'Actual Loops'), 0),
    says: scans
      .map(
        (step) =>
          `${String(step['Node Type'])} ${String(step['Index Name'] ?? step['Relation Name'])} ${count(step, 'Actual Rows')}+${count(step, 'Rows Removed by Filter')} x${count(step, 'Actual Loops')}`,
      )
      .join('; '),
  };
};

const handlerReads = async (db: Knex): Promise<number> => {
  const [rows] = (await db.raw("show session status like 'Handler_read%'")) as [
    readonly { readonly Value: string }[],
  ]; // the columns of this statement
  return rows.reduce((all, { Value }) => all + Number(Value), 0);
};

/** Rows that the session read while the statement ran, those of its temporary tables too. */
const readByStatus = async (
  db: Knex,
  sql: string,
  bindings: readonly unknown[],
): Promise<{ readonly rows: number; readonly says: string }> => {
  const before = await handlerReads(db);
  await db.raw(sql, bindings as never); // as above
  const rows = (await handlerReads(db)) - before;
  const [plan] = (await db.raw(`explain format=traditional ${sql}`, bindings as never)) as [
    readonly Readonly<Record<string, unknown>>[],
  ]; // the columns of this statement
  return {
    rows,
    says: plan
      .map(
        (row) =>
          `${String(row['table'])} ${String(row['type'])} ${String(row['key'])} ${String(row['rows'])} ${String(row['Extra'])}`,
      )
      .join('; '),
  };
};

export interface Examined {
  readonly sql: string;
  readonly rows: number;
  /** What the engine says of its way. */
  readonly says: string;
}

/** Does something with the storage and answers, for every select that it sent, how many rows it goes through. */
export const examine = async (
  { connection }: SqlStorage,
  work: () => Promise<unknown>,
): Promise<readonly Examined[]> => {
  const { db } = connection;
  const dialect = connection.dialect as { run: typeof connection.dialect.run }; // put back below
  const { run } = dialect;
  const sent: { readonly sql: string; readonly bindings: readonly unknown[] }[] = [];
  const note = ({ sql, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
    if (
      /^\s*\(?\s*(select|with)\b/i.test(sql) &&
      !/for update|pg_backend_pid|connection_id/i.test(sql)
    )
      sent.push({ sql: sql.replaceAll(/\$\d+/g, '?'), bindings: bindings ?? [] });
  };
  db.on('query', note);
  // One engine sends these past knex, which tells of no query then.
  if (db.client.dialect === 'postgresql')
    dialect.run = (on, sql, bindings) => {
      note({ sql, bindings });
      return run(on, sql, bindings);
    };
  try {
    await work();
  } finally {
    db.removeListener('query', note);
    dialect.run = run;
  }
  const read = db.client.dialect === 'postgresql' ? readByPlan : readByStatus;
  return db.transaction(async (inside) => {
    const found: Examined[] = [];
    for (const { sql, bindings } of sent)
      found.push({ sql, ...(await read(inside, sql, bindings)) });
    return found;
  });
};
