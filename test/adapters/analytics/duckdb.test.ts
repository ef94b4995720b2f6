import { expect } from 'chai';
import { readsOf } from '#adapters/analytics/duckdb/checking';
import { duckAnalytics, type DuckAnalytics } from '#adapters/analytics/duckdb/duckdb';
import {
  EngineFault,
  libraryPath,
  startEngine,
  type Engine,
} from '#adapters/analytics/duckdb/engine';
import { rewrite } from '#adapters/analytics/duckdb/rewriting';
import { analyticTables, type AnalyticsLimits, type AnalyticTable } from '#ports/analytics';
import { isFailure } from '#ports/failure';
import type { AnalyticRow, AnalyticRowStore } from '#ports/storage/analytic-rows';
import { analyticsLimits } from '#test/contract/analytics';

const day = 86_400_000_000;
const began = 1_700_000_000_000_000;
const trace = (at: number, given: AnalyticRow = {}): AnalyticRow => ({
  id: `0190000${at}-0000-7000-8000-000000000000`,
  name: `trace ${at}`,
  start_time: began + at * day,
  end_time: began + at * day + 250_000,
  input: `{"question":"q${at}"}`,
  output: '{}',
  metadata: `{"k":"v${at}","n":${at}.5,"deep":{"a/b":[1,2]},"yes":true}`,
  tags: '["a","b"]',
  ...given,
});
const stored: Partial<Record<AnalyticTable, readonly AnalyticRow[]>> = {
  traces: [
    trace(1, { output: '{"answer":"yes"}' }),
    trace(2),
    trace(3, { tags: undefined, end_time: undefined }),
  ],
  spans: [
    { id: 's1', model: 'gpt', total_estimated_cost: 0.5, usage: '{"total_tokens":7,"odd":1.5}' },
    { id: 's2', model: 'gpt', total_estimated_cost: 0.25, usage: undefined },
  ],
  feedback_scores: [
    { entity_id: 't1', entity_type: 'trace', name: 'good', value: 1, author: 'ann' },
    { entity_id: 't1', entity_type: 'trace', name: 'good', value: 0, author: 'bob' },
    { entity_id: 't2', entity_type: 'span', name: 'good', value: 0.25, author: 'bob' },
  ],
  experiments: [{ id: 'e1', prompt_versions: '{"p":["v1","v2"]}' }],
  dataset_items: [{ id: 'i1', data: '{"input":{"q":1},"n":2}' }],
};

const withoutChanges: Pick<AnalyticRowStore, 'changes' | 'forgetChanges'> = {
  changes: async () => undefined,
  forgetChanges: async () => 0,
};

describe('analytic queries of DuckDB', () => {
  let asked: string[] = [];
  let analytics: DuckAnalytics;
  const rows: AnalyticRowStore = {
    async *stream({ table, members }) {
      asked.push(`${table}: ${[...members].sort().join(' ')}`);
      const found = stored[table === 'authored_feedback_scores' ? 'feedback_scores' : table] ?? [];
      yield found.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([member]) => members.has(member))),
      );
    },
    ...withoutChanges,
  };
  before(() => {
    analytics = duckAnalytics({ rows });
  });
  beforeEach(() => {
    asked = [];
  });
  after(() => {
    analytics.stop();
  });

  const run = async (
    statement: string,
    limits: Partial<AnalyticsLimits> = {},
    tables?: readonly AnalyticTable[],
  ) =>
    (
      await analytics.query(
        statement,
        { workspaceId: 'w', ...(tables === undefined ? {} : { tables }) },
        { ...analyticsLimits, ...limits },
        new AbortController().signal,
      )
    ).rows.map((row) => row.join('|'));
  const refusal = (
    statement: string,
    limits: Partial<AnalyticsLimits> = {},
    tables?: readonly AnalyticTable[],
  ): Promise<string> =>
    run(statement, limits, tables).then(
      (found) => `answered ${found.join()}`,
      (thrown: unknown) => {
        if (!isFailure(thrown)) throw thrown;
        return `${thrown.kind}: ${thrown.message}`;
      },
    );

  /** What is said of a statement before any row is read for it. */
  const judge = async (engine: Engine, statement: string): Promise<string> => {
    try {
      readsOf(await engine.parse(rewrite(statement)), analyticTables);
      return 'granted';
    } catch (thrown) {
      if (thrown instanceof EngineFault) return 'invalid: the engine does not parse it';
      if (!isFailure(thrown)) throw thrown;
      return `${thrown.kind}: ${thrown.message}`;
    }
  };

  it('reads the tables and columns that a statement names, and no others', async () => {
    await run('SELECT t.name FROM traces t JOIN spans USING (id)');
    await run('SELECT count(*) FROM traces');
    await run('WITH few AS (SELECT duration d FROM traces) SELECT max(d) FROM few');

    expect(asked).to.deep.equal([
      'traces: id name',
      'spans: id name',
      'traces: ',
      'traces: end_time start_time',
    ]);
  });

  it('has later statements of a scope see what was stored since, also on an engine that is kept', async () => {
    const held = new Map<string, readonly AnalyticRow[]>();
    const own = duckAnalytics({
      rows: {
        async *stream({ table, workspaceId, projectId = '' }) {
          yield held.get(`${table} ${workspaceId} ${projectId}`) ?? [];
        },
        ...withoutChanges,
      },
    });
    const count = async (workspaceId: string, projectId?: string) => {
      const scope = { workspaceId, ...(projectId === undefined ? {} : { projectId }) };
      const { signal } = new AbortController();
      const sql = 'SELECT count(*) FROM traces UNION ALL SELECT count(*) FROM feedback_scores';
      return (await own.query(sql, scope, analyticsLimits, signal)).rows.flat().join();
    };
    const ms = async (work: () => Promise<unknown>) => {
      const started = performance.now();
      await work();
      return performance.now() - started;
    };
    try {
      held.set('traces w ', [trace(1), trace(2)]);
      const first = await ms(async () => {
        expect(await count('w')).to.equal('2,0');
      });
      held.set('traces w ', [trace(1)]);
      held.set('feedback_scores w ', stored.feedback_scores ?? []);
      const second = await ms(async () => {
        expect(await count('w')).to.equal('1,2');
      });
      expect(await count('w', 'p')).to.equal('0,0');
      expect(await count('other')).to.equal('0,0');
      expect(await count('w')).to.equal('1,2');
      expect(await Promise.all([count('w'), count('w')])).to.deep.equal(['1,2', '1,2']);
      expect(second).to.be.below(first); // no process had to start
    } finally {
      own.stop();
    }
  });

  it('runs simple statements of ClickHouse unchanged', async () => {
    const forms: Readonly<Record<string, string>> = {
      "SELECT toJSONString(map('day', toDate(start_time), 'n', count())) AS result FROM traces FINAL GROUP BY toDate(start_time) ORDER BY toDate(start_time) LIMIT 1":
        '{"day":"2023-11-15","n":1}',
      "SELECT toString(quantile(0.5)(duration)), toJSONString(quantiles(0, 1)(duration)), countIf(name = 'trace 1'), sumIf(duration, duration > 0), avgIf(duration, name != 'x'), uniq(name), toJSONString(groupArray(`name`)), dateDiff('day', toStartOfDay(min(start_time)), toStartOfHour(max(start_time))), toStartOfWeek(toDate('2023-11-15')), toMonday(toDate('2023-11-15')) FROM (SELECT * FROM traces ORDER BY name)":
        '250.0|[250.0,250.0]|1|500|250|3|["trace 1","trace 2","trace 3"]|2|2023-11-12|2023-11-13',
      "SELECT JSONExtractString(metadata, 'k'), JSONExtractRaw(metadata, 'deep', 'a/b'), JSONExtractInt(metadata, 'n'), JSONExtractBool(metadata, 'yes'), JSONExtractString(metadata, 'none') FROM traces WHERE JSONExtractFloat(metadata, 'n') > 3":
        'v3|[1,2]|3|true|',
      "SELECT tag, count() FROM (SELECT arrayJoin(tags) AS tag FROM traces WHERE has(tags, 'b')) GROUP BY tag ORDER BY tag LIMIT 1":
        'a|2',
      'SELECT count() FROM (SELECT name, duration FROM traces ORDER BY name LIMIT 1 BY duration)':
        '2',
      "SELECT mapKeys(s.usage)[1], s.usage['total_tokens'], s.total_estimated_cost, f.value, e.prompt_id, e.prompt_version_id, e.prompt_versions['p'][2], d.data['n'], d.input, (SELECT 1) FROM spans s, feedback_scores f, experiments e, dataset_items d WHERE s.id = 's1' AND f.entity_type = 'trace'":
        'total_tokens|7|0.5|0.5|p|v1|v2|2|{"q":1}|1',
      "SELECT count(), toJSONString(map('a', 1, 'b', 'two')) FROM authored_feedback_scores":
        '3|{"a":1,"b":"two"}',
      "SELECT any(name), anyIf(name, name = 'trace 2'), argMax(name, start_time), multiIf(max(duration) < 100, 'fast', max(duration) < 300, 'middling', 'slow'), countIf(isNull(end_time)), countIf(isNotNull(end_time)) FROM traces WHERE name != 'trace 1'":
        'trace 2|trace 2|trace 3|middling|1|1',
      "SELECT countIf(error_info = ''), countIf(thread_id != ''), countIf(source = 'unknown') FROM traces":
        '3|0|3',
      "SELECT count() FROM traces WHERE start_time >= subtractDays(toDateTime('2023-11-17 00:00:00'), 1) AND start_time < addHours(toDate('2023-11-17'), 1) AND name = any(['trace 2'])":
        '1',
      "SELECT formatDateTime(start_time, '%F %H:%i'), toStartOfInterval(start_time, INTERVAL 15 MINUTE), toStartOfFiveMinutes(start_time), toYYYYMM(start_time), toDayOfWeek(start_time) FROM traces ORDER BY name LIMIT 1":
        '2023-11-15 22:13|2023-11-15 22:00:00|2023-11-15 22:10:00|202311|3',
      "SELECT position('hello', 'l'), splitByChar(',', 'a,b')[2], arrayStringConcat(array('a', 'b'), '-'), arraySum(arrayMap(x -> x + 1, [1, 2])), toJSONString(arrayFilter(x -> x > 1, [1, 2])), intDiv(7, 2), replaceRegexpAll('a1b2', '[0-9]', '-'), toJSONString((1, 'a')), toJSONString(groupArray(tuple(name, 1))) FROM spans WHERE id = 's1' GROUP BY ALL":
        '3|b|a-b|5|[2]|3|a-b-|[1,"a"]|[["",1]]',
      "SELECT JSONLength(metadata), JSONLength(metadata, 'deep', 'a/b'), toJSONString(JSONExtractKeys(metadata)), toJSONString(JSONExtractArrayRaw(metadata, 'deep', 'a/b')) FROM traces ORDER BY name LIMIT 1":
        '4|2|["k","n","deep","yes"]|["1","2"]',
      "SELECT JSONExtract(metadata, 'n', 'Float64'), JSONExtract(metadata, 'n', 'Nullable(Int64)'), JSONExtract(metadata, 'none', 'Nullable(Float64)') IS NULL, JSONExtract(metadata, 'none', 'String'), JSONExtract(metadata, 'k', 'LowCardinality(String)'), JSONExtract(metadata, 'yes', 'Bool'), arraySum(JSONExtract(metadata, 'deep', 'a/b', 'Array(Int64)')), toJSONString(JSONExtract(metadata, 'none', 'Array(String)')), JSONExtract(metadata, 'deep', 'Map(String, Array(UInt8))')['a/b'][2] FROM traces WHERE name = 'trace 2'":
        '2.5|2|true||v2|true|3|[]|2',
      "SELECT JSONExtract('[1,2]', 'Array(Int64)')[2], JSONExtractInt('[7,8]', 1), JSONExtractUInt('{\"a\":[3]}', 'a', 1), JSONExtractString('[\"x\"]', 2)":
        '2|7|3|',
      "WITH toDate('2023-11-16') AS since, 'trace' AS word, concat(word, ' 2') AS wanted SELECT wanted, count(), toJSONString(since) FROM traces AS word WHERE start_time >= since AND name = wanted GROUP BY wanted":
        'trace 2|1|"2023-11-16"',
      "WITH 2 AS least, few AS (SELECT name FROM traces WHERE JSONExtractFloat(metadata, 'n') > least), upper(name) AS loud SELECT least + count(), any(loud) FROM few":
        '4|TRACE 2',
      "WITH (start_time + INTERVAL 1 DAY)::Date AS next SELECT max(next), count() FILTER (WHERE next > '2023-11-16') FROM traces PREWHERE name = 'trace 1' OR name = 'trace 3' WHERE duration > 0 OR duration IS NULL GROUP BY ALL":
        '2023-11-18|1',
      "SELECT count() FROM traces FINAL PREWHERE name != 'trace 1' LIMIT 1": '2',
      "SELECT CAST('1.5' AS Float64), CAST(2.7 AS Int64), CAST(NULL AS Nullable(Float64)) IS NULL, CAST(name AS LowCardinality(String)), CAST('2026-11-01 10:00:00' AS DateTime64(9, 'UTC')), CAST('[1,2]' AS Array(Nullable(UInt64)))[2], CAST('3' AS UInt8), CAST('7', 'Nullable(Int32)'), CAST(1.257 AS Decimal64(2)), '2.5'::Float64 * 2, ['1']::Array(Int64), accurateCastOrNull('x', 'Int32') IS NULL, CAST(map(['a'], ['1']) AS Map(String, Float32))['a'] FROM traces WHERE name = 'trace 1'":
        '1.5|2|true|trace 1|2026-11-01 10:00:00|2|3|7|1.26|5|[1]|true|1',
      "SELECT quantileIf(0.5)(duration, name != 'x'), toInt64OrZero('x'), toDateOrNull('x') IS NULL FROM traces":
        '250|0|true',
      'SELECT toJSONString(column_types) FROM dataset_items': '{"input":["Object"],"n":["Int64"]}',
      'SELECT o.key, o.type FROM (SELECT arrayJoin(output_keys) AS o FROM traces) ORDER BY o.key':
        'answer|String',
    };

    for (const [statement, found] of Object.entries(forms))
      expect(await refusal(statement), statement).to.equal(`answered ${found}`);
  }).timeout(30_000);

  it('refuses what reaches beyond the rows, and tells nothing', async () => {
    const files = [
      "SELECT * FROM '/etc/passwd'",
      "SELECT * FROM read_csv('/etc/passwd')",
      "SELECT * FROM read_text('/etc/passwd')",
      "SELECT * FROM glob('/*')",
      "SELECT content FROM read_blob('http://127.0.0.1:1/x')",
      "SELECT getenv('HOME')",
      "SELECT current_setting('memory_limit')",
      'SELECT * FROM duckdb_settings()',
      'SELECT * FROM duckdb_functions()',
      'SELECT * FROM pragma_database_list()',
      'SELECT version()',
      'SELECT current_database()',
      "SELECT query('SELECT 1')",
      "SELECT * FROM query('SELECT 1')",
      "SELECT * FROM query_table('traces')",
      "SELECT * FROM json_execute_serialized_sql('{}')",
      'SELECT * FROM duckdb_tables',
      'SELECT * FROM information_schema.columns',
      'SELECT * FROM pg_catalog.pg_class',
      'SELECT * FROM sqlite_master',
      'SELECT * FROM main.traces',
      'SELECT * FROM memory.main.traces',
      'SELECT * FROM "scores of authors"',
      'SELECT * FROM projects',
      'WITH sqlite_master AS (SELECT * FROM sqlite_master) SELECT * FROM sqlite_master',
      'WITH a AS (SELECT * FROM sqlite_master), sqlite_master AS (SELECT 1) SELECT * FROM a',
      'SELECT * FROM (WITH pg_tables AS (SELECT 1) SELECT 1), pg_tables',
      'DESCRIBE traces',
      'SUMMARIZE traces',
      'SHOW TABLES',
      'SELECT * FROM (DESCRIBE traces)',
      'SELECT * FROM (SHOW ALL TABLES)',
    ];
    const changes = [
      "SET memory_limit = '8GB'",
      'SELECT 1 SETTINGS max_threads = 8',
      'SELECT * FROM (SELECT 1 SETTINGS x = 1)',
      'WITH a AS (SELECT 1 settings x = 1) SELECT * FROM a',
      'SELECT 1 UNION ALL SELECT 2 SETTINGS x = 1',
      'SELECT 1 /* */ SeTTings/**/x=1',
      'PRAGMA database_list',
      "ATTACH ':memory:' AS other",
      "COPY traces TO '/tmp/x'",
      'INSTALL httpfs',
      'LOAD httpfs',
      'CREATE TABLE x (a INT)',
      'INSERT INTO traces (id) VALUES (1)',
      'DELETE FROM traces',
      'EXPLAIN SELECT 1',
      'CALL pragma_version()',
      'EXPORT DATABASE x',
      'CHECKPOINT',
      'PREPARE p AS SELECT 1',
      'SELECT 1; SELECT 2',
      'SELECT 1;; DROP TABLE traces',
      'SELECT 1 --\n; DROP TABLE traces',
      "SELECT '\\'; DROP TABLE traces; --'",
      'SELECT $$a$$; SELECT $x$b',
      'SELECT $1',
      'SELECT ?',
      "SELECT 'open",
      'SELECT /* open',
      'SELECT "open',
    ];

    const engine = await startEngine(libraryPath());
    for (const statement of [...files, ...changes]) {
      const said = await judge(engine, statement);
      expect(said, statement).to.match(/^invalid: /);
      expect(said, statement).not.to.match(/catalog error|binder|line 1/i);
    }
    engine.end();
    for (const statement of [files[0] ?? '', changes[0] ?? ''])
      expect(await refusal(statement), statement).to.match(/^invalid: /);
    expect(asked).to.deep.equal([]);
  }).timeout(60_000);

  it('refuses what is hidden where statements are seldom looked at', async () => {
    const hidden = [
      "SELECT list_transform([1], x -> getenv('HOME'))",
      "SELECT array_agg(name ORDER BY getenv('HOME')) FROM traces",
      "SELECT sum(1) FILTER (WHERE getenv('HOME') = '') FROM traces",
      "SELECT row_number() OVER (ORDER BY getenv('HOME')) FROM traces",
      "SELECT row_number() OVER w FROM traces WINDOW w AS (PARTITION BY getenv('HOME'))",
      "SELECT 1 FROM traces QUALIFY getenv('HOME') = ''",
      "SELECT 1 FROM traces GROUP BY ALL HAVING getenv('HOME') = ''",
      "SELECT 1 FROM traces GROUP BY GROUPING SETS ((getenv('HOME')), ())",
      "SELECT 1 FROM traces ORDER BY getenv('HOME')",
      "SELECT 1 FROM traces LIMIT length(getenv('HOME'))",
      "SELECT 1 FROM traces LIMIT 1 OFFSET length(getenv('HOME'))",
      "SELECT DISTINCT ON (getenv('HOME')) 1 FROM traces",
      "SELECT CASE WHEN true THEN getenv('HOME') END",
      "SELECT {'a': [getenv('HOME')]}",
      "SELECT MAP {'a': getenv('HOME')}",
      "SELECT * REPLACE (getenv('HOME') AS name) FROM traces",
      "SELECT COLUMNS(c -> getenv('HOME') = c) FROM traces",
      "SELECT 'HOME'.getenv()",
      `SELECT "getenv"('HOME')`,
      "SELECT main.getenv('HOME')",
      "SELECT system.main.getenv('HOME')",
      "SELECT 1 FROM traces JOIN spans ON getenv('HOME') = ''",
      "SELECT 1 FROM traces, LATERAL (SELECT getenv('HOME'))",
      "VALUES (getenv('HOME'))",
      "SELECT * FROM (VALUES (getenv('HOME'))) v",
      "SELECT 1 IN (SELECT getenv('HOME'))",
      'SELECT 1 WHERE EXISTS (FROM pg_type)',
      "SELECT 1 UNION ALL (SELECT getenv('HOME') LIMIT 1)",
      "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT length(getenv('HOME')) FROM r) FROM r",
      "WITH a AS MATERIALIZED (SELECT getenv('HOME')) FROM a",
      "SELECT getvariable('x')",
      "SELECT nextval('x')",
      'SELECT current_schemas(true)',
      'SELECT txid_current()',
      "SELECT write_log('x')",
      'FROM checkpoint()',
      'FROM arrow_scan(1, 2, 3)',
      "FROM repeat('x', 10000000000)",
      'FROM test_all_types()',
      "FROM json_each('[1]')",
      "FROM sniff_csv('/etc/passwd')",
      "FROM parquet_metadata('/etc/passwd')",
      "FROM which_secret('a', 'b')",
      'FROM duckdb_secrets()',
      'FROM duckdb_logs',
      'FROM "/etc/passwd.csv"',
      "FROM range(length(getenv('HOME')))",
      'PIVOT traces ON name USING count(*)',
      'UNPIVOT traces ON name',
      'FROM (PIVOT traces ON name USING count(*))',
      'TABLE sqlite_master',
      'TABLE main.traces',
      ...['user', 'current_user', 'SESSION_USER', 'current_role'].map((name) => `SELECT ${name}`),
      ...['current_catalog', 'current_schema'].map((name) => `SELECT 1 WHERE ${name} = 'x'`),
      // The sign of Kelvin is another letter than k to the engine.
      'WITH "duc\u212adb_databases" AS (SELECT 1) SELECT path FROM duckdb_databases',
      // What a recursive part begins with does not mean itself.
      "WITH RECURSIVE sqlite_master AS (SELECT sql FROM sqlite_master UNION ALL SELECT 'x') FROM sqlite_master",
      "WITH RECURSIVE duckdb_databases AS (WITH a AS (SELECT path FROM duckdb_databases) SELECT path FROM a UNION ALL SELECT 'x') FROM duckdb_databases",
    ];

    const engine = await startEngine(libraryPath());
    for (const statement of hidden)
      expect(await judge(engine, statement), statement).to.match(/^invalid: /);
    engine.end();
  }).timeout(30_000);

  it('runs a part that names itself, and names of WITH within each other', async () => {
    expect(
      await run(
        'WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r WHERE a < 3) SELECT sum(a) FROM r',
      ),
    ).to.deep.equal(['6']);
    expect(
      await run(
        'WITH a AS (SELECT count(*) AS n FROM traces), B AS (WITH c AS (FROM A) SELECT n + 1 AS n FROM c) SELECT n FROM b',
      ),
    ).to.deep.equal(['4']);
    expect(
      await run(
        'SELECT "user" FROM (SELECT max(name) AS "user" FROM traces) UNION ALL SELECT current_role FROM (SELECT 1) t(current_role)',
      ),
    ).to.deep.equal(['trace 3', '1']);
  }).timeout(20_000);

  it('reads quotes and comments as the engine does', async () => {
    const statement = [
      "SELECT 'a; SETTINGS x=1 -- /*', 1 AS \"settings\", /* a /* b */ ; */ $q$it's; -- $q$,",
      "E'a\\'b', 'it''s', 3 - -1, 4 <> 5, [1, 2][1:1], 5::VARCHAR,",
      "'{\"a\":{\"b\":1}}'->'a'->>'b' -- ; SELECT 2",
      ';',
    ].join('\n');
    expect(await run(statement)).to.deep.equal([
      "a; SETTINGS x=1 -- /*|1|it's; -- |a'b|it's|4|true|[1]|5|1",
    ]);
  }).timeout(20_000);

  it('refuses tables beyond those of its variant, and subqueries that read one in place of a value', async () => {
    expect(await refusal('SELECT * FROM experiments', {}, ['traces'])).to.equal(
      'invalid: access denied: table experiments is not granted',
    );
    expect(await refusal('SELECT (SELECT max(name) FROM traces)')).to.equal(
      'invalid: a subquery in place of a value must not read tables (traces): use WITH or a join',
    );
    expect(
      await refusal(
        'SELECT count() FROM traces t WHERE id IN (SELECT id FROM traces) AND EXISTS (SELECT 1 FROM spans)',
      ),
    ).to.equal('answered 3');
  });

  it('tells of an error in the engine nothing but that there was one', async () => {
    for (const statement of [
      'SELECT nothing FROM traces',
      "SELECT CAST('secret' AS INTEGER)",
      "SELECT error('secret')",
    ])
      expect(await refusal(statement), statement).to.equal('invalid: the query failed');
  });

  it('ends what has no end, and what is too much', async () => {
    const brief = { timeMs: 900 };
    const late = 'invalid: the query is beyond a limit: it takes more than 0.9 s';
    expect(
      await refusal(
        'WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT max(a) FROM r',
        brief,
      ),
    ).to.match(/^invalid: the query (?:is beyond a limit|failed)/);
    expect(
      await refusal('SELECT sum(a.range) FROM range(100000) a, range(1000000) b', brief),
    ).to.equal(late);
    expect(await refusal('SELECT a.range FROM range(10000000000) a')).to.equal(
      'invalid: the query is beyond a limit: its result has more than 1000 rows',
    );
    expect(await refusal("SELECT repeat('x', 2000000)")).to.match(/has more than/);
    expect(await refusal('SELECT list(a.range) FROM range(1000000000) a', brief)).to.match(
      /^invalid: the query/,
    );
    for (const nested of [
      `SELECT ${'('.repeat(30_000)}1${')'.repeat(30_000)}`,
      `SELECT ${'-'.repeat(1)}${'abs('.repeat(10_000)}1${')'.repeat(10_000)}`,
      `SELECT ${'[ '.repeat(30_000)}`,
      `SELECT 1${' + 1'.repeat(15_000)}`,
      'SELECT * FROM '.repeat(1) + '(SELECT * FROM '.repeat(3000) + 'traces' + ')'.repeat(3000),
    ])
      expect(await refusal(nested)).to.match(/^invalid: /);
    expect(await refusal(`SELECT '${'x'.repeat(70_000)}'`)).to.match(
      /^invalid: a query must have at most/,
    );
    expect(await refusal('SELECT 1')).to.equal('answered 1');
  }).timeout(60_000);

  it('refuses more of a form that is rewritten than anybody writes', async () => {
    for (const [form, most] of [
      ['quantile(0.5)(', 200],
      ['quantiles(', 200],
    ] as const) {
      expect(() => rewrite(`SELECT ${form.repeat(most)}1${')'.repeat(most)}`)).not.to.throw();
      expect(() => rewrite(`SELECT ${form.repeat(most + 1)}1${')'.repeat(most + 1)}`)).to.throw(
        'a query must have at most 200 times quantile',
      );
    }
    const limited = (many: number) =>
      Array.from({ length: many }, () => 'SELECT 1 LIMIT 1 BY a').join(' UNION ALL ');
    expect(() => rewrite(limited(200))).not.to.throw();
    expect(() => rewrite(limited(201))).to.throw('a query must have at most 200 times LIMIT BY');
    const filtered = (many: number) =>
      Array.from({ length: many }, () => 'SELECT 1 FROM t PREWHERE a').join(' UNION ALL ');
    expect(() => rewrite(filtered(200))).not.to.throw();
    expect(() => rewrite(filtered(201))).to.throw('a query must have at most 200 times PREWHERE');
    const named = (many: number) =>
      `SELECT ${Array.from({ length: many }, () => '(WITH 1 AS a SELECT a)').join(' + ')}`;
    expect(() => rewrite(named(200))).not.to.throw();
    expect(() => rewrite(named(201))).to.throw('at most 200 times WITH and a value');
  });

  it('refuses values of WITH that grow with each other, and judges their subqueries as any', async () => {
    const doubled = Array.from({ length: 40 }, (_, at) => `v${at} + v${at} AS v${at + 1}`);
    expect(() => rewrite(`WITH 1 AS v0, ${doubled.join(', ')} SELECT v40`)).to.throw(
      'the query is too long',
    );
    const long = Array.from({ length: 14 }, (_, at) => `v${at} + v${at} AS v${at + 1}`);
    const often = Array.from({ length: 500 }, (_, at) => `v12 AS w${at}`);
    expect(() => rewrite(`WITH 1 AS v0, ${[...long, ...often].join(', ')} SELECT 1`)).to.throw(
      'the query is too long',
    );
    expect(await refusal('WITH (SELECT max(name) FROM traces) AS most SELECT most')).to.equal(
      'invalid: a subquery in place of a value must not read tables (traces): use WITH or a join',
    );
    expect(await refusal("WITH getenv('HOME') AS home SELECT home")).to.match(
      /^invalid: access denied: function getenv/,
    );
    expect(await refusal("SELECT CAST(getenv('HOME'), 'Nullable(String)')")).to.match(
      /^invalid: access denied: function getenv/,
    );
  });

  it('rewrites casts and brackets within each other in one pass, however deep', () => {
    for (const [open, close] of [
      ['CAST(', ' AS Int64)'],
      ['CAST(1 AS Array(', '))'],
      ['(WITH a AS ', ' SELECT 1)'],
      ['JSONExtract(', ", 'Int64')"],
    ] as const) {
      const deep = Math.floor(64_000 / (open.length + close.length));
      const started = performance.now();
      try {
        rewrite(`SELECT ${open.repeat(deep)}1${close.repeat(deep)}`);
      } catch (thrown) {
        expect(isFailure(thrown), String(thrown)).to.equal(true);
      }
      expect(performance.now() - started, open).to.be.below(2000);
    }
  });
});
