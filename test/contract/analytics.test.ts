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
  async queryGiven(statement, { tables: [table], parts = 1 }, limits) {
    const refused = new Failure('invalid', 'the query cannot be run');
    const known = /^SELECT (.+?)(?: FROM (\w+))?$/.exec(statement);
    const names = [...(known?.[1] ?? '').matchAll(/size|Name/g)].map(([name]) => name);
    const held: (string | number | null)[][][] = Array.from({ length: parts }, () => []);
    if (known?.[2] !== undefined && known[2] !== table?.name) throw refused;
    const opened =
      known?.[2] === undefined ? undefined : table?.open({ names: new Set(names), all: false });
    let [rows, bytes] = [0, 0];
    for await (const { count, columns, parts: own } of opened?.rows ?? [])
      for (let row = 0; row < count; row++) {
        const values = columns.map((column) => (column[row] ?? null) as string | number | null); // the suite gives no others
        bytes += names.includes('Name') ? String(values[1] ?? '').length : 0;
        if (++rows > limits.rowsRead || bytes > limits.bytesRead) throw refused;
        held[own?.[row] ?? 0]?.push(values);
      }
    return held.map((some) => {
      const sum = some.reduce((all, [size]) => all + Number(size), 0);
      const found: Readonly<Record<string, (string | null)[][]>> = {
        "'a' AS one": [['a']],
        'count(*) AS n, sum(size) AS size': [
          [String(some.length), some.length === 0 ? null : String(sum)],
        ],
        'sum(size) AS size': [[String(sum)]],
        'max(Name) AS last': [
          [(some.map(([, name]) => name).at(-1) as string | undefined) ?? null],
        ], // names are texts
        size: some.map(([size]) => [String(size)]),
      };
      const result = found[known?.[1] ?? ''];
      if (result === undefined || result.length > limits.rows) throw refused;
      if (result.flat().join('').length > limits.bytes) throw refused;
      return { columns: names, rows: result };
    });
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

  const givenKindOf = (analytics: Analytics): Promise<unknown> =>
    analytics
      .queryGiven(
        'SELECT 1',
        { workspaceId: ours, tables: [] },
        { ...analyticsLimits, rowsRead: 1, bytesRead: 1 },
        new AbortController().signal,
      )
      .catch((thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown));

  it('says so, where the package is missing and where it does not load', async () => {
    const missing = duckAnalytics({
      rows,
      library: () => {
        throw new Failure('unsupported', 'not installed');
      },
    });
    const broken = duckAnalytics({ rows, library: () => '/nowhere/duckdb' });

    for (const analytics of [missing, broken]) {
      expect(await kindOf(analytics)).to.equal('unsupported');
      expect(await givenKindOf(analytics)).to.equal('unsupported');
    }
  });
});
