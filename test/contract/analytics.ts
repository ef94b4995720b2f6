import { expect } from 'chai';
import type {
  Analytics,
  AnalyticsLimits,
  AnalyticsScope,
  GivenLimits,
  GivenRows,
  GivenTable,
  NamedColumns,
} from '#ports/analytics';
import { isFailure } from '#ports/failure';

/** What a suite knows of the rows behind an engine: two traces of the scope, of which each has an output `{"answer": …}`, and others outside. */
export interface AnalyticsUnderTest {
  readonly analytics: Analytics;
  readonly scope: AnalyticsScope;
}

export const analyticsLimits: AnalyticsLimits = { rows: 1000, timeMs: 20_000, bytes: 1_000_000 };

const givenLimits: GivenLimits = { ...analyticsLimits, rowsRead: 1000, bytesRead: 100_000 };

/** A table of sizes and names, and what was asked of it. */
const givenTable = (batches: readonly GivenRows[]) => {
  const opened: NamedColumns[] = [];
  const table: GivenTable = {
    name: 'model',
    open(named) {
      opened.push(named);
      return {
        columns: [
          { name: 'size', type: 'real' },
          { name: 'Name', type: 'text' },
        ],
        rows: (async function* () {
          yield* batches;
        })(),
      };
    },
  };
  return { table, opened };
};
const threeRows: readonly GivenRows[] = [
  {
    count: 2,
    columns: [
      [1.5, 2],
      ['a', undefined],
    ],
    parts: [0, 2],
  },
  { count: 1, columns: [[4], ['long name']], parts: [2] },
];

/** What every engine of analytic queries keeps to. */
export const analyticsContract = (under: () => AnalyticsUnderTest): void => {
  const run = (statement: string, limits: Partial<AnalyticsLimits> = {}) =>
    under().analytics.query(
      statement,
      under().scope,
      { ...analyticsLimits, ...limits },
      new AbortController().signal,
    );
  const kindOf = (statement: string, limits: Partial<AnalyticsLimits> = {}): Promise<unknown> =>
    run(statement, limits).then(
      () => 'answered',
      (thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown),
    );

  it('answers rows of texts with the names of their columns', async () => {
    const { columns, rows, types } = await run("SELECT 'a' AS one, 2 AS two, NULL AS three");

    expect(columns).to.deep.equal(['one', 'two', 'three']);
    expect(rows).to.deep.equal([['a', '2', null]]);
    if (types !== undefined) expect(types.slice(0, 2)).to.deep.equal(['text', 'number']);
  });

  it('sees the rows of its scope and no others', async () => {
    expect((await run('SELECT count(*) AS n FROM traces')).rows).to.deep.equal([['2']]);
  });

  it('refuses what is no query, and more than one', async () => {
    for (const statement of ['', 'nonsense', 'DROP TABLE traces', 'SELECT 1; SELECT 2'])
      expect(await kindOf(statement), statement).to.equal('invalid');
  });

  it('refuses tables that are not granted', async () => {
    for (const table of ['users', 'information_schema.tables'])
      expect(await kindOf(`SELECT * FROM ${table}`), table).to.equal('invalid');
  });

  it('refuses a result beyond its limits', async () => {
    expect(await kindOf('SELECT id FROM traces', { rows: 2 })).to.equal('answered');
    expect(await kindOf('SELECT id FROM traces', { rows: 1 })).to.equal('invalid');
    expect(await kindOf('SELECT output FROM traces', { bytes: 5 })).to.equal('invalid');
  });

  const runGiven = async (
    statement: string,
    {
      batches = threeRows,
      parts = 3,
      ...limits
    }: Partial<GivenLimits> & {
      readonly batches?: readonly GivenRows[];
      readonly parts?: number;
    } = {},
  ) => {
    const { table, opened } = givenTable(batches);
    const results = await under().analytics.queryGiven(
      statement,
      { workspaceId: under().scope.workspaceId, tables: [table], parts },
      { ...givenLimits, ...limits },
      new AbortController().signal,
    );
    return { results: results.map(({ rows }) => rows), opened };
  };
  const givenKindOf = (...given: Parameters<typeof runGiven>): Promise<unknown> =>
    runGiven(...given).then(
      () => 'answered',
      (thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown),
    );

  it('answers from the rows that it is given, for each part from its own, and from none where it has none', async () => {
    const statement = 'SELECT count(*) AS n, sum(size) AS size FROM model';
    const { results } = await runGiven(statement);
    const { results: whole } = await runGiven(statement, {
      batches: threeRows.map(({ count, columns }) => ({ count, columns })),
      parts: 1,
    });

    expect(results.map(([row]) => row?.map((value) => value && Number(value)))).to.deep.equal([
      [1, 1.5],
      [0, null],
      [2, 6],
    ]);
    expect(whole.map(([row]) => row?.map(Number))).to.deep.equal([[3, 7.5]]);
  });

  it('tells a table that it is given what a statement names of it, as it is written, and asks none that is not read', async () => {
    const { opened } = await runGiven('SELECT max(Name) AS last FROM model');
    const { opened: unread } = await runGiven("SELECT 'a' AS one");

    expect(
      opened.map(({ names, all }) => [names.has('Name'), names.has('size'), all]),
    ).to.deep.equal([[true, false, false]]);
    expect(unread).to.deep.equal([]);
  });

  it('sees nothing of what is stored beside the tables that it is given', async () => {
    for (const table of ['traces', 'users', 'information_schema.tables'])
      expect(await givenKindOf(`SELECT count(*) FROM ${table}`), table).to.equal('invalid');
  });

  it('refuses given tables of more rows or bytes than it may take, and a result beyond its limits', async () => {
    const statement = 'SELECT max(Name) AS last FROM model';
    expect(await givenKindOf(statement, { rowsRead: 3 })).to.equal('answered');
    expect(await givenKindOf(statement, { rowsRead: 2 })).to.equal('invalid');
    expect(await givenKindOf(statement, { bytesRead: 8 })).to.equal('invalid');
    expect(await givenKindOf('SELECT size FROM model', { rows: 2 })).to.equal('answered');
    expect(await givenKindOf('SELECT size FROM model', { rows: 1 })).to.equal('invalid');
    expect(await givenKindOf(statement, { bytes: 8 })).to.equal('invalid');
  });

  it('rejects with what the rows that it is given reject with', async () => {
    const broken: GivenTable = {
      ...givenTable([]).table,
      open: () => ({
        columns: [{ name: 'size', type: 'real' }],
        rows: (async function* (): AsyncGenerator<GivenRows> {
          throw new Error('the rows are gone');
        })(),
      }),
    };
    const told = await under()
      .analytics.queryGiven(
        'SELECT sum(size) AS size FROM model',
        { workspaceId: under().scope.workspaceId, tables: [broken] },
        givenLimits,
        new AbortController().signal,
      )
      .catch((thrown: unknown) => thrown);

    expect(told).to.be.an('error').with.property('message', 'the rows are gone');
  });
};
