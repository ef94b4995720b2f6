// Time ranges that statements name: what is read for them, and that it makes no difference to what they find.
import { expect } from 'chai';
import { readsOf } from '#adapters/analytics/duckdb/checking';
import { duckAnalytics, type DuckAnalytics } from '#adapters/analytics/duckdb/duckdb';
import { libraryPath, startEngine, type Engine } from '#adapters/analytics/duckdb/engine';
import { rewrite } from '#adapters/analytics/duckdb/rewriting';
import { analyticTables, type AnalyticTable } from '#ports/analytics';
import { isFailure } from '#ports/failure';
import type { AnalyticRow, AnalyticRowStore } from '#ports/storage/analytic-rows';
import { analyticsLimits } from '#test/contract/analytics';

const hour = 3_600_000_000;
const began = Date.UTC(2026, 10, 1) * 1000;
const at = (text: string): number => Date.parse(`${text}Z`) * 1000;

describe('time ranges of analytic statements', () => {
  let engine: Engine;
  before(async () => {
    engine = await startEngine(libraryPath());
  });
  after(() => {
    engine.end();
  });
  const now = Date.UTC(2026, 10, 26, 12);
  const rangesOf = async (statement: string): Promise<Record<string, unknown>> => {
    const { times } = readsOf(await engine.parse(rewrite(statement)), analyticTables, now);
    return Object.fromEntries([...times].filter(([, ranges]) => Object.keys(ranges).length > 0));
  };

  it('are those of conditions that every row of the result fulfils', async () => {
    const spans = (start: object) => ({ spans: { start_time: start } });
    const from = at('2026-11-05T00:00');
    const cases: Readonly<Record<string, object>> = {
      "SELECT count() FROM spans WHERE start_time >= '2026-11-05'": spans({ from }),
      "SELECT count() FROM spans WHERE start_time > '2026-11-05T00:00:00Z' AND name = 'a'": spans({
        from,
      }),
      "SELECT count() FROM spans AS s WHERE TIMESTAMP '2026-11-05 00:00' <= s.start_time": spans({
        from,
      }),
      "SELECT count() FROM spans WHERE start_time BETWEEN '2026-11-05' AND '2026-11-06 01:00:00.5'":
        spans({ from, to: at('2026-11-06T01:00:00.500') }),
      "SELECT count() FROM spans WHERE toDate(start_time) = '2026-11-05'": spans({
        from: from - 24 * hour,
        to: from + 24 * hour,
      }),
      "SELECT count() FROM spans WHERE start_time < toDateTime('2026-11-05') AND start_time < '2026-12-01'":
        spans({ to: from }),
      'SELECT count() FROM spans WHERE start_time >= now() - INTERVAL 7 DAY': spans({
        from: now * 1000 - 7 * 24 * hour - hour,
      }),
      "SELECT count() FROM spans WHERE start_time >= today() - INTERVAL '2 days'": spans({
        from: now * 1000 - 3 * 24 * hour - hour,
      }),
      "SELECT 1 FROM spans s LEFT JOIN traces t ON t.id = s.trace_id WHERE t.start_time < '2026-11-05'":
        { traces: { start_time: { to: from } } },
      "WITH a AS (SELECT * FROM spans WHERE start_time >= '2026-11-05') SELECT count() FROM a":
        spans({ from }),
      "SELECT 1 FROM spans WHERE start_time >= '2026-11-05' UNION ALL SELECT 1 FROM spans WHERE start_time >= '2026-11-07'":
        spans({ from }),
      "SELECT 1 FROM authored_feedback_scores WHERE created_at >= '2026-11-05'": {
        authored_feedback_scores: { created_at: { from } },
      },
    };

    for (const [statement, ranges] of Object.entries(cases))
      expect(await rangesOf(statement), statement).to.deep.equal(ranges);
  }).timeout(20_000);

  it('are none where rows outside may make a difference', async () => {
    const condition = "start_time >= '2026-11-05'";
    for (const statement of [
      'SELECT count() FROM spans',
      `SELECT count() FROM spans WHERE ${condition} OR name = 'a'`,
      `SELECT count() FROM spans WHERE NOT (${condition} AND name = 'a')`,
      `SELECT countIf(${condition}) FROM spans`,
      `SELECT count() FROM spans WHERE name IN (SELECT name FROM spans) AND ${condition}`,
      `SELECT 1 FROM spans WHERE ${condition} UNION ALL SELECT 1 FROM spans`,
      `SELECT start_time + INTERVAL 9 DAY AS start_time FROM spans WHERE ${condition}`,
      `SELECT 1 FROM spans AS s(name, project_id, start_time) WHERE ${condition}`,
      `SELECT 1 FROM spans ASOF JOIN traces ON spans.start_time >= traces.start_time WHERE traces.${condition}`,
      `SELECT 1 FROM traces POSITIONAL JOIN spans WHERE spans.${condition}`,
      `SELECT 1 FROM (SELECT name, max(start_time) AS start_time FROM spans GROUP BY name) WHERE ${condition}`,
      `SELECT name FROM spans GROUP BY name HAVING max(start_time) >= '2026-11-05'`,
      `SELECT row_number() OVER (ORDER BY start_time) FROM spans QUALIFY ${condition}`,
      `SELECT 1 FROM spans TABLESAMPLE 50% WHERE ${condition}`,
      `SELECT 1 FROM feedback_scores WHERE created_at >= '2026-11-05'`,
      'SELECT 1 FROM spans WHERE start_time >= created_at',
      "SELECT 1 FROM spans WHERE start_time >= '5 November'",
      "SELECT 1 FROM spans WHERE id_at >= '2026-11-05'",
      `SELECT 1 FROM traces t, spans WHERE t.name = 'a' AND spans.start_time IS DISTINCT FROM '2026-11-05'`,
    ])
      expect(await rangesOf(statement), statement).to.deep.equal({});
  }).timeout(20_000);

  /** A statement drawn from conditions, joins and forms that people use. */
  const drawn = (seed: number): string => {
    let state = seed;
    const pick = <T>(of: readonly T[]): T => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return of[Math.floor((state / 2_147_483_648) * of.length)] as T; // of what is never empty
    };
    const date = () => `2026-11-${String(pick([1, 3, 5, 7, 9, 11])).padStart(2, '0')}`;
    const value = () =>
      pick([
        () => `'${date()}'`,
        () => `'${date()} ${pick(['00:00', '07:30:15', '23:59:59.999999'])}'`,
        () => `TIMESTAMP '${date()} 12:00:00'`,
        () => `DATE '${date()}'`,
        () => `toDateTime('${date()}')`,
        () => `toStartOfWeek(toDateTime('${date()}'))`,
        () =>
          `(TIMESTAMP '${date()}' ${pick(['-', '+'])} INTERVAL ${pick(['2 DAY', '30 HOUR', '1 MONTH'])})`,
      ])();
    const column = (of: string) =>
      pick([
        () => `${of}${pick(['start_time', 'start_time', 'end_time', 'created_at'])}`,
        () =>
          `${pick(['toDate', 'toStartOfDay', 'toStartOfWeek', 'toStartOfMonth', 'toDateTime'])}(${of}start_time)`,
        () => `date_trunc('${pick(['hour', 'day', 'month'])}', ${of}start_time)`,
        () => `CAST(${of}start_time AS ${pick(['DATE', 'TIMESTAMP'])})`,
      ])();
    const condition = (of: string, depth = 0): string =>
      pick([
        () => `${column(of)} ${pick(['>', '>=', '<', '<=', '=', '<>'])} ${value()}`,
        () => `${value()} ${pick(['>', '>=', '<', '<='])} ${column(of)}`,
        () => `${column(of)} ${pick(['', 'NOT '])}BETWEEN ${value()} AND ${value()}`,
        () => `${of}name <> 'n3'`,
        () =>
          depth > 2
            ? 'true'
            : `(${condition(of, depth + 1)} ${pick(['AND', 'AND', 'OR'])} ${condition(of, depth + 1)})`,
        () => (depth > 2 ? 'true' : `NOT (${condition(of, depth + 1)})`),
      ])();
    const table = () => pick(['spans', 'traces']);
    return pick([
      () =>
        `SELECT count(*), min(name), max(start_time) FROM ${table()} WHERE ${condition('')} AND ${condition('')}`,
      () =>
        `SELECT count(*), count(t.name), count(s.name) FROM spans s ${pick(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'])} traces t ON s.name = t.name WHERE ${condition('s.')} AND ${condition('t.')}`,
      () =>
        `SELECT count(*), max(t.name) FROM spans s ASOF ${pick(['JOIN', 'LEFT JOIN'])} traces t ON s.start_time >= t.start_time WHERE ${condition('t.')}`,
      () =>
        `SELECT count(*) FROM spans WHERE ${condition('')} AND name ${pick(['IN', 'NOT IN'])} (SELECT name FROM ${table()} WHERE ${condition('')})`,
      () =>
        `WITH a AS (SELECT * FROM ${table()} WHERE ${condition('')}) SELECT count(*), sum(duration) FROM a WHERE ${condition('')}`,
      () =>
        `SELECT string_agg(name || n, ',' ORDER BY name) FROM (SELECT name, row_number() OVER (ORDER BY start_time) AS n FROM ${table()} WHERE ${condition('')}) WHERE n > 2`,
      () =>
        `SELECT count(*) FROM spans s ${pick(['SEMI', 'ANTI'])} JOIN traces t ON s.name = t.name WHERE ${condition('s.')}`,
    ])();
  };

  it('leave every result as it is', async () => {
    const rowOf = (number: number): AnalyticRow => ({
      ...{ id: `0190000${number % 10}-0000-7000-8000-00000000000${number % 10}` },
      ...{ name: `n${number}`, start_time: began + number * 7 * hour },
      created_at: began + number * 8 * hour + 1,
      ...(number % 4 === 0 ? {} : { end_time: began + number * 9 * hour + 1 }),
    });
    const stored = Array.from({ length: 40 }, (_, number) => rowOf(number));
    let [given, left] = [0, 0];
    const storeOf = (isNarrow: boolean): AnalyticRowStore => ({
      async *stream({ times = {} }) {
        const kept = stored.filter((row) =>
          Object.entries(times).every(([member, { from = -Infinity, to = Infinity }]) => {
            const value = row[member];
            return typeof value === 'number' && value >= from && value <= to;
          }),
        );
        if (isNarrow) {
          given += kept.length;
          left += stored.length - kept.length;
        }
        yield isNarrow ? kept : stored;
      },
      changes: async () => undefined,
      forgetChanges: async () => 0,
    });
    const [narrow, whole] = [true, false].map((one) => duckAnalytics({ rows: storeOf(one) }));
    const answer = async (analytics: DuckAnalytics | undefined, statement: string) => {
      const { signal } = new AbortController();
      try {
        const found = await analytics?.query(
          ...([statement, { workspaceId: 'w' }, analyticsLimits, signal] as const),
        );
        return JSON.stringify(found?.rows);
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown;
        return thrown.message;
      }
    };
    let failed = 0;
    const count = 200;
    for (let seed = 1; seed <= count; seed++) {
      const statement = drawn(seed);
      const truth = await answer(whole, statement);
      if (!truth.startsWith('[')) failed++;

      expect(await answer(narrow, statement), statement).to.equal(truth);
    }
    narrow?.stop();
    whole?.stop();

    expect(failed, 'statements that do not run').to.be.lessThan(count / 5);
    expect(left, 'rows that were not read').to.be.greaterThan(given / 10);
  }).timeout(120_000);

  it('keep a statement over few rows of a large workspace from reading the others', async () => {
    const read: Partial<Record<AnalyticTable, number>> = {};
    const analytics = duckAnalytics({
      rows: {
        async *stream({ table, times = {} }) {
          const { from = -Infinity, to = Infinity } = times['start_time'] ?? {};
          for (let number = 0; number < 3000; number++) {
            const start_time = began + number * hour;
            if (start_time < from || start_time > to) continue;
            read[table] = (read[table] ?? 0) + 1;
            yield [{ id: `s${number}`, start_time }];
          }
        },
        changes: async () => {
          throw new Error('nothing is kept for this statement');
        },
        forgetChanges: async () => 0,
      },
      cache: { folder: '/nowhere', mostBytes: 1, fromRows: 50 },
    });
    const { signal } = new AbortController();
    const found = await analytics.query(
      "SELECT count() FROM spans WHERE start_time >= '2026-11-05' AND start_time < '2026-11-06'",
      ...([{ workspaceId: '01900000-0000-7000-8000-000000000900' }, analyticsLimits] as const),
      signal,
    );
    analytics.stop();

    expect(found.rows).to.deep.equal([['24']]);
    expect(read).to.deep.equal({ spans: 25 });
  }).timeout(20_000);
});
