import { expect } from 'chai';
import type { Analytics, AnalyticsLimits, AnalyticsScope } from '#ports/analytics';
import { isFailure } from '#ports/failure';

/** What a suite knows of the rows behind an engine: two traces of the scope, of which each has an output `{"answer": …}`, and others outside. */
export interface AnalyticsUnderTest {
  readonly analytics: Analytics;
  readonly scope: AnalyticsScope;
}

export const analyticsLimits: AnalyticsLimits = { rows: 1000, timeMs: 20_000, bytes: 1_000_000 };

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
};
