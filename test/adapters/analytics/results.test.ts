import { expect } from 'chai';
import { createResults } from '#adapters/analytics/duckdb/results';
import type { AnalyticsResult } from '#ports/analytics';
import { analyticsLimits } from '#test/contract/analytics';

const asked = (statement: string, projectId?: string) => ({
  statement,
  scope: { workspaceId: 'w', ...(projectId === undefined ? {} : { projectId }) },
  limits: analyticsLimits,
});
const result = (text: string): AnalyticsResult => ({ columns: ['a'], rows: [[text]] });

describe('results of analytic statements', () => {
  it('are found for the same statement, scope and limits alone, until rows change', () => {
    const results = createResults();
    results.keep(asked('SELECT 1 AS a'), result('1'));

    expect(results.find(asked('SELECT 1 AS a'))).to.deep.equal(result('1'));
    expect(results.find(asked('SELECT 2 AS a'))).to.equal(undefined);
    expect(results.find(asked('SELECT 1 AS a', 'p'))).to.equal(undefined);
    const { scope, limits } = asked('');
    const other = { statement: 'SELECT 1 AS a', scope, limits: { ...limits, rows: 3 } };
    expect(results.find(other)).to.equal(undefined);
    results.clear();
    expect(results.find(asked('SELECT 1 AS a'))).to.equal(undefined);
  });

  it('are not kept of what asks for the time, nor of what is long', () => {
    const results = createResults();
    for (const statement of [
      'SELECT now() AS a',
      'SELECT Today() AS a',
      'SELECT CURRENT_DATE AS a',
      'SELECT age(start_time) AS a FROM spans',
      'SELECT get_current_timestamp() AS a',
      'SELECT localtimestamp AS a',
    ]) {
      results.keep(asked(statement), result('1'));
      expect(results.find(asked(statement)), statement).to.equal(undefined);
    }
    results.keep(asked('SELECT 1 AS a'), result('x'.repeat(600_000)));
    expect(results.find(asked('SELECT 1 AS a'))).to.equal(undefined);
  });

  it('are so many, the newest ones', () => {
    const results = createResults();
    const statement = (n: number) => `SELECT ${n} AS a`;
    for (let n = 0; n < 300; n++) results.keep(asked(statement(n)), result('1'));

    expect(results.find(asked(statement(99)))).to.equal(undefined);
    expect(results.find(asked(statement(100)))).to.deep.equal(result('1'));
    for (let n = 0; n < 40; n++)
      results.keep(asked(`SELECT ${n} AS b`), result('x'.repeat(500_000)));
    expect(results.find(asked(statement(299)))).to.equal(undefined);
    expect(results.find(asked('SELECT 39 AS b'))?.rows[0]?.[0]).to.have.length(500_000);
  });
});
