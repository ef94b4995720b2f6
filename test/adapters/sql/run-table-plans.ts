// How the table of runs is read: never by going through the runs, or the values, of the whole installation.
import { expect } from 'chai';
import type { Knex } from 'knex';
import { createSearchable } from '#adapters/storage/sql/metrics/searchable';
import { runTableStore } from '#adapters/storage/sql/run-table/run-table';
import { createSemaphore } from '#adapters/storage/sql/semaphore';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { Condition } from '#ports/query';
import type { RunColumn, RunTableStore } from '#ports/storage/run-table';
import { addExperiment, addProject, freshId, freshKey } from '#test/contract/storage/builders';

const here = 150;
const elsewhere = 3000;
const everything: Condition = { type: 'all', of: [] };
const above: Condition = {
  type: 'comparison',
  subject: { kind: 'parameter', name: 'p1' },
  operator: 'above',
  operand: { type: 'number', number: 3 },
};
const parameter = (name: string): RunColumn => ({ kind: 'parameter', name, value: 'last' });
const fact = (name: 'start' | 'duration' | 'state'): RunColumn => ({ kind: 'metadata', name });

const ask: Readonly<Record<string, (table: RunTableStore, projectId: string) => Promise<unknown>>> =
  Object.fromEntries(
    (
      [
        ['the newest runs', [fact('start')], everything],
        ['numbers', [parameter('p1')], everything],
        ['smallest numbers', [{ ...parameter('p1'), value: 'min' }], everything],
        ['texts', [parameter('p2')], everything],
        ['a name that nobody has', [parameter('none')], everything],
        ['a duration', [fact('duration')], everything],
        ['two columns', [fact('state'), parameter('p1')], everything],
        ['numbers under a condition', [parameter('p3')], above],
      ] as const
    ).flatMap(([title, columns, condition]) => [
      [
        `a page sorted by ${title}`,
        (table: RunTableStore, projectId: string) =>
          table.page({
            projectId,
            condition,
            archived: false,
            sort: columns.map((column) => ({ column, descending: true })),
            columns: [parameter('p1'), parameter('p2'), fact('state')],
            limit: 20,
          }),
      ],
    ]),
  );
const reads: typeof ask = {
  ...ask,
  groups: (table, projectId) =>
    table.groups({
      projectId,
      condition: everything,
      archived: false,
      by: [parameter('p2')],
      columns: [parameter('p1')],
      limit: 20,
    }),
  columns: (table, projectId) => table.columns({ projectId, limit: 100 }),
  values: (table, projectId) =>
    table.values({
      projectId,
      condition: everything,
      archived: false,
      column: parameter('p2'),
      limit: 10,
    }),
};

interface Step {
  readonly [member: string]: unknown;
  readonly Plans?: readonly Step[];
}
const steps = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(steps)];

/** The steps of a statement that go through a table of runs or values without a range. */
const scansOf = async (
  db: Knex,
  sql: string,
  bindings: readonly unknown[],
): Promise<readonly string[]> => {
  if (db.client.dialect === 'postgresql') {
    const { rows } = (await db.raw(`explain (format json) ${sql}`, bindings as never)) as {
      readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: Step }[] }[];
    }; // the form that this statement answers in
    return steps(rows[0]?.['QUERY PLAN'][0]?.Plan ?? {})
      .filter((step) =>
        /^(experiments|experiment_values|series)$/.test(String(step['Relation Name'])),
      )
      .filter((step) => step['Node Type'] !== 'Bitmap Heap Scan')
      .filter((step) => step['Index Cond'] === undefined)
      .map((step) => JSON.stringify({ ...step, Plans: undefined }));
  }
  const [rows] = (await db.raw(`explain format=traditional ${sql}`, bindings as never)) as [
    readonly { readonly table: string | null; readonly type: string | null }[],
  ];
  return rows
    .filter(({ table }) =>
      /^(e|v|g|[nt]\d+|series|experiments|experiment_values)$/.test(table ?? ''),
    )
    .filter(({ type }) => type === 'ALL' || type === 'index')
    .map((row) => JSON.stringify(row));
};

/** How an SQL storage reads the table of runs. */
export const runTablePlanContract = (storage: () => SqlStorage): void => {
  let project: Project;
  const addMany = async (one: Experiment, count: number): Promise<readonly string[]> => {
    const { db } = storage().connection;
    const row = (await db('experiments').where({ id: one.id }).first()) as object;
    const ids = Array.from({ length: count }, freshId);
    for (let at = 0; at < count; at += 500)
      await db('experiments').insert(
        ids.slice(at, at + 500).map((id) => ({ ...row, id, key: freshKey() })),
      );
    return ids;
  };
  const addValues = async (ids: readonly string[], names: number): Promise<void> => {
    for (const [at, experimentId] of ids.entries())
      await storage().stores.values.write({
        experimentId,
        kind: 'parameter',
        values: Array.from({ length: names }, (_, p) => ({
          name: `p${p}`,
          context: undefined,
          text: p % 2 === 0 ? `v${at % 20}` : String(at / 7),
          step: undefined,
          timestamp: 1,
        })),
        receivedAt: 1,
      });
  };
  before(async function () {
    this.timeout(120_000);
    project = await addProject(storage());
    const [mine, theirs] = [
      await addExperiment(storage(), { projectId: project.id }),
      await addExperiment(storage()),
    ];
    await addValues([mine.id, ...(await addMany(mine, here - 1))], 20);
    await addValues((await addMany(theirs, elsewhere)).slice(0, here), 20);
    const { db } = storage().connection;
    await db.raw(
      db.client.dialect === 'postgresql'
        ? 'analyze'
        : 'analyze table experiment_values, experiments',
    );
  });

  for (const [title, read] of Object.entries(reads))
    it(`reads ranges of indexes alone for ${title}`, async () => {
      const { connection } = storage();
      const asked: { readonly sql: string; readonly bindings: readonly unknown[] }[] = [];
      const table = runTableStore(
        {
          ...connection,
          dialect: {
            ...connection.dialect,
            run: (on, sql, bindings) => {
              asked.push({ sql, bindings });
              return connection.dialect.run(on, sql, bindings);
            },
          },
        },
        createSearchable(),
        createSemaphore({ running: 1, waiting: 1, busy: 'busy' }),
      );
      await read(table, project.id);

      expect(asked).to.have.length.above(0);
      const scans = [];
      for (const { sql, bindings } of asked)
        scans.push(...(await scansOf(connection.db, sql, bindings)));
      expect(scans).to.deep.equal([]);
    });

  it('reads ranges of indexes alone for the list of a project', async () => {
    const { db } = storage().connection;
    const asked: { readonly sql: string; readonly bindings: readonly unknown[] }[] = [];
    const note = (statement: (typeof asked)[number]) => {
      if (statement.sql.includes('union all')) asked.push(statement);
    };
    db.on('query', note);
    const listed = await storage().stores.experiments.list({
      projectId: project.id,
      archived: false,
      sortBy: 'startTime',
      descending: true,
      limit: 20,
    });
    db.removeListener('query', note);

    expect(listed).to.have.length(20);
    expect(asked).to.have.length(1);
    for (const { sql, bindings } of asked)
      expect(await scansOf(db, sql.replaceAll(/\$\d+/g, '?'), bindings)).to.deep.equal([]);
  });
};
