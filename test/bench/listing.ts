// Searches of a project with many experiments.
import type { Knex } from 'knex';
import { atMost, quantile, round, type Line } from './line.js';
import { timeEach } from './store.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

interface Made {
  readonly name: string;
  readonly definition: string;
}

/**
 * Fills a table of few rows and indexes it afterwards, in one transaction: an embedded database keeps no log of a table that is made anew in it,
 * and sorts an index in a tenth of the time that its rows would take one by one.
 */
const fillAtOnce = (
  db: Knex,
  table: string,
  fill: (inside: Knex) => Promise<void>,
): Promise<void> =>
  db.transaction(async (inside) => {
    const rowsOf = async (sql: string) =>
      ((await inside.raw(sql, [table])) as { readonly rows: readonly Made[] }).rows; // the driver's result, of the columns named
    const constraints = await rowsOf(
      "select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = ?::regclass and contype in ('p', 'u')",
    );
    const indexes = await rowsOf(
      'select indexname as name, indexdef as definition from pg_indexes where schemaname = current_schema() and tablename = ? and indexname not in (select conname from pg_constraint)',
    );
    await inside.raw("set local maintenance_work_mem = '256MB'");
    await inside.raw('create temporary table kept on commit drop as table ??', [table]);
    await inside.raw('truncate ??', [table]);
    for (const { name } of constraints)
      await inside.raw('alter table ?? drop constraint ??', [table, name]);
    for (const { name } of indexes) await inside.raw('drop index ??', [name]);
    await inside.raw('insert into ?? table kept', [table]);
    await fill(inside);
    for (const { name, definition } of constraints)
      await inside.raw(`alter table ?? add constraint ?? ${definition}`, [table, name]);
    for (const { definition } of indexes) await inside.raw(definition);
  });

/** Copies the one experiment of a project until there are `count`, each with 20 metrics and 50 parameters. */
export const fillProject = async (db: Knex, key: string, count: number): Promise<void> => {
  const id = (salt: string, from: string) => `md5('${salt}' || ${from})::uuid`;
  await db.raw(
    `insert into experiments (id, key, workspace_id, project_id, user_id, name, created_at, start_time, end_time, start_set, end_set, last_seen_at, beat_ms, alive, reports_end, has_crashed, archived, offline, processing, throttle)
    select ${id('e', 'i')}, md5('k' || i), workspace_id, project_id, user_id, 'run ' || i, created_at, start_time + i, end_time + i, false, false, last_seen_at, beat_ms, false, true, false, false, false, false, false
    from experiments, generate_series(1, ${count}) i where key = ?`,
    [key],
  );
  await fillAtOnce(db, 'experiment_values', async (inside) => {
    for (const [kind, names, metric] of [
      [1, 20, true],
      [2, 50, false],
    ] as const) {
      const name = `'${metric ? 'metric' : 'parameter'}_' || j`;
      const number = `(hashint4(i * 100 + j)::float8 / 2147483648)`;
      const text = metric
        ? `${number}::text`
        : `case when j % 2 = 0 then 'value ' || (i * j % 97) else ${number}::text end`;
      await inside.raw(
        `insert into experiment_values (experiment_id, kind, name_key, project_id, name, number, prefix, text, position, time, min_number, max_number)
      select ${id('e', 'i')}, ${kind}, encode(substr(sha256(convert_to(length(${name}) || ':' || ${name} || '0:', 'UTF8')), 1, 16), 'hex')::uuid, e.project_id, ${name},
        ${metric ? number : `case when j % 2 = 0 then null else ${number} end`}, ${text}, ${text}, j, e.created_at, ${number} - 1, ${number} + 1
      from experiments e, generate_series(1, ${count}) i, generate_series(1, ${names}) j where e.key = ?`,
        [key],
      );
    }
  });
  await fillAtOnce(db, 'series', async (inside) => {
    await inside.raw(
      `insert into series (experiment_id, series_id, name, n, loose, min_value, min_time, max_value, max_time, last_value, last_text, last_time)
      select experiment_id, name_key, name, 1, 0, min_number, time, max_number, time, number, text, time from experiment_values
      where kind = 1 and project_id = (select project_id from experiments where key = ?)`,
      [key],
    );
  });
  await db.raw('vacuum analyze series');
  await db.raw('vacuum analyze experiments');
  await db.raw('vacuum analyze experiment_values');
};

const searches: Readonly<
  Record<
    string,
    readonly [source: string, field: string, operator: string, value: unknown, type: string]
  >
> = {
  'metric above': ['metrics', 'metric_3', 'greater', 0.99, 'double'],
  'metric above, most': ['metrics', 'metric_3', 'greater', -0.9, 'double'],
  'metric absent': ['metrics', 'metric_3', 'is_null', null, 'double'],
  'parameter equal': ['params', 'parameter_4', 'equal', 'value 5', 'string'],
  'parameter contains': ['params', 'parameter_4', 'contains', 'ue 9', 'string'],
  'parameter begins with': ['params', 'parameter_4', 'begins_with', 'value 1', 'string'],
  'parameter not equal': ['params', 'parameter_4', 'not_equal', 'value 5', 'string'],
  'parameter between': ['params', 'parameter_5', 'between', ['0.5', '0.51'], 'double'],
  'parameter present': ['params', 'parameter_6', 'is_not_null', null, 'string'],
};

/** One condition over a project, as a page of 100 is asked for. */
export const searchProject = async (
  server: BenchServer,
  projectId: string,
  title: string,
): Promise<unknown> => {
  const [source, field, operator, value, type] = searches[title] ?? ['', '', '', null, ''];
  return server.call('POST', '/api/rest/v2/experiments/search', {
    projectId,
    limit: 100,
    rulesTree: { condition: 'AND', rules: [{ source, field, id: field, operator, value, type }] },
  });
};
export const searchTitles = Object.keys(searches);

export const projectOf = async (db: Knex, key: string): Promise<string> => {
  const row = await db('experiments')
    .select('project_id')
    .where({ key })
    .first<{ readonly project_id: string } | undefined>();
  return row?.project_id ?? '';
};

export const listingLine: Line = {
  name: 'listing',
  run: ({ quick }) =>
    withServer(async (server) => {
      const count = quick ? 5000 : 25_000;
      const [key = ''] = await makeExperiments(server, 1);
      const db = await server.openDatabase();
      await fillProject(db, key, count);
      const projectId = await projectOf(db, key);
      await db.destroy();
      const slowest: { title: string; p95: number; found: number }[] = [];
      for (const title of searchTitles) {
        const { experiments } = (await searchProject(server, projectId, title)) as {
          readonly experiments: readonly unknown[];
        }; // the row's reply
        const times = await timeEach(quick ? 20 : 40, () =>
          searchProject(server, projectId, title),
        );
        slowest.push({ title, p95: quantile(times, 0.95), found: experiments.length });
      }
      const worst = slowest.reduce((a, b) => (a.p95 > b.p95 ? a : b));
      return [
        {
          what: `one condition over ${count.toLocaleString('en')} experiments, p95 ms`,
          value: round(worst.p95, 1),
          sides: slowest
            .map(({ title, p95, found }) => `${title} ${round(p95, 1)} (${found})`)
            .join(', '),
          held: atMost(100, worst.p95),
        },
      ];
    }),
};
