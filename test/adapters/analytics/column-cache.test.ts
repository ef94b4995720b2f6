import { expect } from 'chai';
import { mkdtemp, readdir, rm, stat, truncate, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckAnalytics, type DuckAnalytics } from '#adapters/analytics/duckdb/duckdb';
import type { AnalyticsScope } from '#ports/analytics';
import { isFailure } from '#ports/failure';
import type { AnalyticRow, AnalyticRowStore, FollowedTable } from '#ports/storage/analytic-rows';
import { analyticsLimits } from '#test/contract/analytics';

const idOf = (number: number): string =>
  `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const [workspaceId, otherId] = [idOf(900), idOf(901)];
const [one, two] = [idOf(1), idOf(2)];
const began = 1_700_000_000_000_000;

interface Stored {
  readonly projectId: string;
  readonly table: FollowedTable;
  readonly row: AnalyticRow;
}

/** Rows of workspaces in memory that tell of their changes. */
const memoryRows = () => {
  const projects = new Map<string, string[]>([
    [workspaceId, [one]],
    [otherId, [two]],
  ]);
  const stored = new Map<string, Stored>();
  let journal: { projectId: string; table: FollowedTable; id: string }[] = [];
  let [forgotten, whole] = [0, 0];
  /** Awaited before each page of a whole table. */
  let beforePage: () => Promise<void> = () => Promise.resolve();
  const store: AnalyticRowStore = {
    async *stream({ table, workspaceId: workspace, projectId, members, ids }) {
      const named = projects.get(workspace) ?? [];
      const among = named.filter((id) => projectId === undefined || id === projectId);
      if (ids === undefined) whole++;
      for (const project of among) {
        const rows = [...stored.values()]
          .filter((row) => row.table === table && row.projectId === project)
          .map(({ row }) => row)
          .filter(({ id }) => ids === undefined || ids.includes(String(id)))
          .sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
        for (let at = 0; at < rows.length; at += 1000) {
          if (ids === undefined) await beforePage();
          yield rows
            .slice(at, at + 1000)
            .map((row) =>
              Object.fromEntries(Object.entries(row).filter(([name]) => members.has(name))),
            );
        }
      }
    },
    async changes(workspace, since) {
      const projectIds = projects.get(workspace) ?? [];
      const from = since === undefined ? journal.length : Number(since);
      if (from < forgotten) return undefined;
      const changed = journal
        .slice(from)
        .filter(({ projectId }) => projectIds.includes(projectId))
        .map(({ projectId, table, id }) => ({ projectId, table, ids: [id] }));
      return { projectIds, changed, mark: String(journal.length), more: false };
    },
    forgetChanges: async () => 0,
  };
  return {
    store,
    projects,
    /** How often all rows of a table were read. */
    timesWhole: () => whole,
    put(
      projectId: string,
      number: number,
      given: AnalyticRow = {},
      table: FollowedTable = 'spans',
    ) {
      const id = idOf(number);
      const row: AnalyticRow = {
        ...{ id, project_id: projectId, trace_id: id, name: `n${number}`, model: 'gpt' },
        ...{ start_time: began + number * 1000, end_time: began + number * 1000 + 5000 },
        ...{ tags: '["a"]', usage: '{"total_tokens":7}', total_estimated_cost: 0.5, input: '"q"' },
        ...given,
      };
      stored.set(`${table} ${projectId} ${id}`, { projectId, table, row });
      journal.push({ projectId, table, id });
    },
    remove(projectId: string, number: number) {
      stored.delete(`spans ${projectId} ${idOf(number)}`);
      journal.push({ projectId, table: 'spans', id: idOf(number) });
    },
    forget() {
      journal = [...journal, { projectId: 'nobody', table: 'spans', id: 'none' }];
      forgotten = journal.length;
    },
    waitBeforePages(wait: () => Promise<void>) {
      beforePage = wait;
    },
  };
};

describe('columns of traces and spans that are kept for analytic queries', () => {
  let folder: string;
  let rows: ReturnType<typeof memoryRows>;
  const opened: DuckAnalytics[] = [];
  const open = (options: { mostBytes?: number; fromRows?: number } = {}): DuckAnalytics => {
    const cache = { folder, mostBytes: 1e9, fromRows: 0, ...options };
    const analytics = duckAnalytics({ rows: rows.store, cache });
    opened.push(analytics);
    return analytics;
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orrery-columns-'));
    rows = memoryRows();
  });
  afterEach(async () => {
    for (const analytics of opened.splice(0)) analytics.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (
    analytics: DuckAnalytics,
    statement: string,
    scope: AnalyticsScope = { workspaceId },
    timeMs = analyticsLimits.timeMs,
  ): Promise<string> =>
    (
      await analytics.query(
        statement,
        scope,
        { ...analyticsLimits, timeMs },
        new AbortController().signal,
      )
    ).rows
      .map((row) => row.join('|'))
      .join(' ');
  const refusal = (...asked: Parameters<typeof ask>): Promise<string> =>
    ask(...asked).then(
      (found) => `answered ${found}`,
      (thrown: unknown) => {
        if (!isFailure(thrown)) throw thrown;
        return `${thrown.kind}: ${thrown.message}`;
      },
    );
  const files = async () => (await readdir(folder)).filter((name) => name.endsWith('.duckdb'));
  const names = "SELECT string_agg(name, ',' ORDER BY name) FROM spans";

  it('reads all rows once, and later what was stored, changed and removed since', async () => {
    for (const number of [1, 2, 3]) rows.put(one, number);
    const analytics = open();
    const first = await ask(analytics, names);
    rows.put(one, 4);
    rows.put(one, 2, { name: 'changed' });
    rows.remove(one, 3);
    const second = await ask(analytics, names);
    const times = rows.timesWhole();

    expect(first).to.equal('n1,n2,n3');
    expect(second).to.equal('changed,n1,n4');
    expect(await ask(analytics, names)).to.equal('changed,n1,n4');
    expect(rows.timesWhole()).to.equal(times);
  });

  it('gives the columns that are derived, and those that are lists and maps', async () => {
    rows.put(one, 1);
    const statement =
      "SELECT workspace_id, duration, usage['total_tokens'], tags[1], total_estimated_cost, visibility_mode, truncation_threshold FROM spans JOIN (SELECT visibility_mode FROM traces) ON true";
    rows.put(one, 1, {}, 'traces');

    expect(await ask(open(), statement)).to.equal(`${workspaceId}|5|7|a|0.5|default|10000`);
  });

  it('keeps to the workspace and the project, and reaches no other table of the file', async () => {
    rows.projects.set(workspaceId, [one, idOf(3)]);
    rows.put(one, 1);
    rows.put(idOf(3), 2);
    rows.put(two, 3);
    const analytics = open();

    expect(await ask(analytics, names)).to.equal('n1,n2');
    expect(await ask(analytics, names, { workspaceId, projectId: idOf(3) })).to.equal('n2');
    expect(await ask(analytics, names, { workspaceId, projectId: two })).to.equal('');
    expect(await ask(analytics, names, { workspaceId: otherId })).to.equal('n3');
    for (const table of ['kept.main.spans', 'kept.spans', 'kept.held', 'held', 'mark'])
      expect(await refusal(analytics, `SELECT count(*) FROM ${table}`), table).to.match(
        /^invalid: access denied/,
      );
  });

  it('follows projects that come and go', async () => {
    rows.put(one, 1);
    rows.put(two, 2);
    const analytics = open();
    await ask(analytics, names);
    rows.projects.set(workspaceId, [one, two]);
    const both = await ask(analytics, names);
    rows.put(two, 3);
    rows.projects.set(workspaceId, [two]);

    expect(both).to.equal('n1,n2');
    expect(await ask(analytics, names)).to.equal('n2,n3');
  });

  it('keeps inputs and outputs once a statement names them, and follows their changes', async () => {
    const long = '"' + 'o'.repeat(12_000) + '"';
    for (const number of [1, 2, 3]) rows.put(one, number, { output: long });
    const analytics = open();
    await ask(analytics, names);
    const bodies =
      'SELECT name, input, length(output), length(output_slim), length(truncated_output), output_length, input_length FROM spans ORDER BY name';
    const first = await ask(analytics, bodies);
    rows.put(one, 2, { input: undefined, output: '"ö"' });
    rows.remove(one, 3);
    const times = rows.timesWhole();

    expect(first).to.equal([1, 2, 3].map((n) => `n${n}|"q"|12002|10000|10000|12002|3`).join(' '));
    expect(await ask(analytics, bodies)).to.equal('n1|"q"|12002|10000|10000|12002|3 n2||3|3|3|4|0');
    expect(await ask(analytics, 'SELECT * EXCLUDE (tags, usage) FROM spans WHERE false')).to.equal(
      '',
    );
    expect(await ask(analytics, names)).to.equal('n1,n2');
    expect(rows.timesWhole()).to.equal(times);
  });

  it('keeps all but inputs and outputs where these are too long, and reads them for each statement', async () => {
    for (let number = 1; number <= 40; number++)
      rows.put(one, number, { input: JSON.stringify(`${Math.random()}`.repeat(60_000)) });
    const analytics = open({ mostBytes: 24 * 1024 * 1024 });
    const longest = 'SELECT count(*), max(input_length) > 1000000 FROM spans';
    await ask(analytics, 'SELECT count(*) FROM spans');
    const first = await ask(analytics, longest);
    const before = rows.timesWhole();
    const answers = [first, await ask(analytics, longest)];
    const times = rows.timesWhole();

    expect(times).to.be.greaterThan(before);

    expect(answers).to.deep.equal(['40|true', '40|true']);
    expect(await ask(analytics, 'SELECT count(*) FROM spans')).to.equal('40');
    expect(rows.timesWhole()).to.equal(times);
    expect(await files()).to.have.length(1);
  });

  it('reads few rows for each statement, and keeps none of them', async () => {
    rows.put(one, 1);
    const analytics = open({ fromRows: 10 });
    await ask(analytics, names);
    const before = await readdir(folder);
    for (let number = 2; number <= 11; number++) rows.put(one, number);
    await ask(analytics, names);

    expect(before).to.deep.equal([]);
    expect(await files()).to.have.length(1);
  });

  it('goes on from its file after a stop, and makes one anew that is damaged or too old', async () => {
    rows.put(one, 1);
    const first = open();
    await ask(first, names);
    first.stop();
    rows.put(one, 2);
    const times = rows.timesWhole();
    const second = open();
    const continued = await ask(second, names);
    const afterwards = rows.timesWhole();
    second.stop();
    rows.put(one, 3);
    rows.forget();
    const third = open();
    const anew = await ask(third, names);
    const rebuilt = rows.timesWhole();
    third.stop();
    const [file = ''] = await files();
    await rm(join(folder, `${file}.wal`), { force: true });
    await truncate(join(folder, file), 5000);
    const healed = await ask(open(), names);

    expect(continued).to.equal('n1,n2');
    expect(afterwards).to.equal(times);
    expect(anew).to.equal('n1,n2,n3');
    expect(rebuilt).to.equal(times + 1);
    expect(healed).to.equal('n1,n2,n3');
  });

  it('has each process keep a file of its own while another one has it open', async () => {
    rows.put(one, 1);
    const [first, second] = [open(), open()];
    const answers = [await ask(first, names), await ask(second, names)];
    rows.put(one, 2);

    expect(answers).to.deep.equal(['n1', 'n1']);
    expect(await Promise.all([ask(first, names), ask(second, names)])).to.deep.equal([
      'n1,n2',
      'n1,n2',
    ]);
    expect(await files()).to.have.length(2);
  });

  it('answers rightly after an end in the middle of gathering', async () => {
    for (let number = 1; number <= 3000; number++) rows.put(one, number);
    const first = open();
    let reached: () => void = () => undefined;
    const halfWay = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let pages = 0;
    rows.waitBeforePages(async () => {
      if (++pages < 3) return;
      reached();
      await new Promise(() => undefined); // for ever
    });
    const broken = refusal(first, names, { workspaceId }, 500);
    await halfWay;
    first.stop();
    rows.waitBeforePages(() => Promise.resolve());

    expect(await broken).to.match(/^unavailable/);
    expect(await ask(open(), 'SELECT count(*), count(DISTINCT id) FROM spans')).to.equal(
      '3000|3000',
    );
  });

  it('asks to come back while rows are gathered for longer than a statement may take', async () => {
    rows.put(one, 1);
    const analytics = open();
    await ask(analytics, names);
    rows.put(two, 2);
    rows.projects.set(workspaceId, [one, two]);
    const times = rows.timesWhole();
    let go: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    rows.waitBeforePages(() => wait);
    const early = await refusal(analytics, names, { workspaceId }, 300);
    go();

    expect(early).to.match(/^unavailable: the rows of this workspace are being gathered/);
    expect(await ask(analytics, names)).to.equal('n1,n2');
    expect(rows.timesWhole()).to.equal(times + 1);
  });

  it('goes on after a statement that takes too long or does not run', async () => {
    rows.put(one, 1);
    const analytics = open();
    await ask(analytics, names);
    const endless =
      'SELECT count(*) FROM spans, range(10000000) a(x), range(10000000) b(y) WHERE x * y = 7';
    const [long, meanwhile] = await Promise.all([
      refusal(analytics, endless, { workspaceId }, 1500),
      ask(analytics, names),
    ]);

    expect(long).to.match(/^invalid: the query is beyond a limit/);
    expect(meanwhile).to.equal('n1');
    expect(await refusal(analytics, 'SELECT name + 1 FROM spans')).to.equal(
      'invalid: the query failed',
    );
    expect(await ask(analytics, names)).to.equal('n1');
  });

  it('removes files that were used longest ago where all of them are too large', async () => {
    for (let number = 1; number <= 2000; number++) {
      rows.put(one, number, { metadata: JSON.stringify(`${Math.random()}`.repeat(20)) });
      rows.put(two, number, { metadata: JSON.stringify(`${Math.random()}`.repeat(20)) });
    }
    const first = open();
    await ask(first, names);
    first.stop();
    const [file = ''] = await files();
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    );
    const size = sizes.reduce((sum, some) => sum + some, 0);
    await utimes(join(folder, file), 1, Date.now() / 1000 - 3600);
    await ask(open({ mostBytes: size * 1.5 }), 'SELECT count(*) FROM spans', {
      workspaceId: otherId,
    });

    expect((await files()).map((name) => name.slice(0, 36))).to.deep.equal([otherId]);
  });

  it('keeps nothing of a workspace that is too large, and reads it for each statement', async () => {
    for (let number = 1; number <= 500; number++) rows.put(one, number);
    const analytics = open({ mostBytes: 1000 });

    expect(await ask(analytics, 'SELECT count(*) FROM spans')).to.equal('500');
    expect(await ask(analytics, 'SELECT count(*) FROM spans')).to.equal('500');
    expect(await files()).to.deep.equal([]);
  });
});
