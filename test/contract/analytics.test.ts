import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckAnalytics, type DuckAnalytics } from '#adapters/analytics/duckdb/duckdb';
import type { Analytics } from '#ports/analytics';
import { Failure, isFailure } from '#ports/failure';
import type { AnalyticRow, AnalyticRowStore } from '#ports/storage/analytic-rows';
import { analyticsContract, analyticsLimits } from './analytics.js';

const aTrace = (id: number): AnalyticRow => ({
  id: `0190000${id}-0000-7000-8000-000000000000`,
  name: `trace ${id}`,
  start_time: 1_700_000_000_000_000,
  end_time: 1_700_000_000_250_000,
  output: `{"answer": ${id}}`,
  tags: '["a"]',
});
const ours = '01900000-0000-7000-8000-00000000aaaa';
const rows: AnalyticRowStore = {
  async *stream({ table, workspaceId }) {
    if (table === 'traces') yield workspaceId === ours ? [aTrace(1), aTrace(2)] : [aTrace(3)];
  },
  changes: async () => ({ projectIds: ['a-project'], changed: [], mark: 'here', more: false }),
  forgetChanges: async () => 0,
};

describe('analytic queries on an engine of its own', () => {
  let analytics: DuckAnalytics;
  before(() => {
    analytics = duckAnalytics({ rows });
  });
  after(() => {
    analytics.stop();
  });
  analyticsContract(() => ({ analytics, scope: { workspaceId: ours } }));
});

describe('analytic queries on rows that are kept in files', () => {
  let folder: string;
  let analytics: DuckAnalytics;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orrery-analytics-'));
    analytics = duckAnalytics({ rows, cache: { folder, mostBytes: 1e9, fromRows: 0 } });
  });
  after(async () => {
    analytics.stop();
    await rm(folder, { recursive: true, force: true });
  });
  analyticsContract(() => ({ analytics, scope: { workspaceId: ours } }));
});

/** As small as an engine can be: it knows what the suite asks. */
const tinyAnalytics: Analytics = {
  async query(statement, _, limits) {
    const refused = new Failure('invalid', 'the query cannot be run');
    const select = /^SELECT (.+?)(?: FROM traces)?$/.exec(statement)?.[1];
    const known: Readonly<Record<string, { columns: string[]; rows: (string | null)[][] }>> = {
      "'a' AS one, 2 AS two, NULL AS three": {
        columns: ['one', 'two', 'three'],
        rows: [['a', '2', null]],
      },
      'count(*) AS n': { columns: ['n'], rows: [['2']] },
      id: { columns: ['id'], rows: [['1'], ['2']] },
      output: { columns: ['output'], rows: [['{"answer": 1}'], ['{"answer": 2}']] },
    };
    const found = known[select ?? ''];
    if (found === undefined || found.rows.length > limits.rows) throw refused;
    if (found.rows.flat().join('').length > limits.bytes) throw refused;
    return found;
  },
};
describe('analytic queries on another engine', () => {
  analyticsContract(() => ({ analytics: tinyAnalytics, scope: { workspaceId: ours } }));
});

describe('a server without an engine for analytic queries', () => {
  const kindOf = (analytics: Analytics): Promise<unknown> =>
    analytics
      .query('SELECT 1', { workspaceId: ours }, analyticsLimits, new AbortController().signal)
      .catch((thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown));

  it('says so, where the package is missing and where it does not load', async () => {
    const missing = duckAnalytics({
      rows,
      library: () => {
        throw new Failure('unsupported', 'not installed');
      },
    });
    const broken = duckAnalytics({ rows, library: () => '/nowhere/duckdb' });

    expect(await kindOf(missing)).to.equal('unsupported');
    expect(await kindOf(broken)).to.equal('unsupported');
  });
});
