// A few numbers of a project's traces, spans or threads, and sums over several projects. Everything is a range of ids of a project.
import { idsBetween } from '#ports/id-time';
import type { Fragment } from '#ports/sql-dialect';
import {
  mostSpansNamed,
  type TraceFigureStore,
  type TraceTotals,
} from '#ports/storage/trace-figures';
import type { Buckets } from '#ports/storage/trace-series';
import type { Connection } from '../connection.js';
import { fragment, unionAll, wrap } from '../fragment.js';
import { narrow } from './narrowing.js';
import { withReads } from './reads.js';
import { real, type Row } from './rows.js';
import { selected } from './selecting.js';
import { selectedThreads } from './threads.js';

/** Projects of one statement. */
const projectsAtOnce = 50;

const lasted = '(x.end_time - x.start_time)';

const totalsOf = (row: Row | undefined, cost: Row | undefined): TraceTotals => {
  const mean = real(row?.['mean']);
  return {
    count: Number(row?.['n'] ?? 0),
    errors: Number(row?.['errors'] ?? 0),
    meanDuration: mean === undefined ? undefined : mean / 1000,
    cost: real(cost?.['cost']),
  };
};

const selectTotals = `select count(*) as n, sum(case when x.error_info is null then 0 else 1 end) as errors, avg(${lasted}) as mean`;

/** Lists of ids that one statement may name. */
const inParts = (ids: readonly string[]): readonly (readonly string[])[] => {
  const sorted = [...new Set(ids)].sort();
  return Array.from({ length: Math.ceil(sorted.length / projectsAtOnce) }, (_, at) =>
    sorted.slice(at * projectsAtOnce, (at + 1) * projectsAtOnce),
  );
};

const within = (
  column: string,
  { from, to }: Buckets,
  projectIds: readonly string[],
  alias: string,
): Fragment => {
  const { fromId, toId } = idsBetween(from, to);
  const marks = projectIds.map(() => '?').join(', ');
  return fragment(
    `${alias}.project_id in (${marks}) and ${column} >= ? and ${column} <= ?`,
    ...projectIds,
    fromId,
    toId,
  );
};

/** When an id was made is read out of each row only where there are several buckets. */
const bucketOf = (
  { dialect }: Pick<Connection, 'dialect'>,
  column: string,
  { width, offset, from, to }: Buckets,
): string =>
  offset <= from && to <= offset + width
    ? '0'
    : `floor((${dialect.idTime(column)} * 1000 - (${offset})) / ${width})`;

export const traceFigureStore = (connection: Connection): TraceFigureStore => ({
  totalTraces: (selection) =>
    withReads(connection, async (read) => {
      const where = selected(connection, { kind: 'trace' }, selection);
      const [row] = await read(`${selectTotals} from traces x where `, where);
      const [cost] = await read(
        'select sum(s.cost) as cost from traces x join spans s on s.project_id = x.project_id and s.trace_id = x.id where ',
        where,
      );
      return totalsOf(row, cost);
    }),
  async totalSpans(selection) {
    const narrowed = await narrow(connection, 'span', selection);
    return withReads(connection, async (read) => {
      const [row] = await read(
        `${selectTotals}, sum(x.cost) as cost from spans x where `,
        selected(connection, { kind: 'span' }, narrowed),
      );
      return totalsOf(row, row);
    });
  },
  totalThreads: (selection) =>
    withReads(connection, async (read) => {
      const where = selectedThreads(connection, selection);
      const traces =
        'trace_threads h join traces t on t.project_id = h.project_id and t.thread_key = h.thread_key';
      const [count] = await read('select count(*) as n from trace_threads h where ', where);
      const [mean] = await read(
        `select avg(m.lasted) as mean from (select max(coalesce(t.end_time, t.start_time)) - min(t.start_time) as lasted from ${traces} where `,
        where,
        ' group by h.id) m',
      );
      const [cost] = await read(
        `select sum(s.cost) as cost from ${traces} join spans s on s.project_id = t.project_id and s.trace_id = t.id where `,
        where,
      );
      return totalsOf({ ...count, ...mean }, cost);
    }),
  async sumScores(projectIds, buckets, name, of = 'trace') {
    const table = of === 'trace' ? 'traces' : 'trace_threads';
    const { byCodePoints, equalTexts } = connection.dialect;
    const found = await withReads(connection, async (read) => {
      const rows: Row[] = [];
      for (const part of inParts(projectIds))
        rows.push(
          ...(await read(
            `select m.project_id, min(m.name) as name, m.bucket, sum(m.value) as total, count(*) as n from (select f.project_id, min(f.name) as name, f.entity_id, ${bucketOf(connection, 'f.entity_id', buckets)} as bucket, avg(f.value) as value from feedback_scores f join ${table} t on t.project_id = f.project_id and t.id = f.entity_id where `,
            within('f.entity_id', buckets, part, 'f'),
            fragment(' and f.entity_kind = ?', of),
            ...(name === undefined
              ? []
              : [fragment(` and f.name = ? and ${equalTexts('f.name', '?')}`, name, name)]),
            ` group by f.project_id, ${byCodePoints('f.name')}, f.entity_id) m group by m.project_id, ${byCodePoints('m.name')}, m.bucket order by m.project_id, m.bucket`,
          )),
        );
      return rows;
    });
    const sums = found.map((row) => ({
      projectId: String(row['project_id']),
      at: Number(row['bucket']) * buckets.width + buckets.offset,
      name: String(row['name']),
      sum: Number(row['total']),
      count: Number(row['n']),
    }));
    // The projects come in their order already.
    return sums.sort((one, other) =>
      one.name === other.name ? 0 : one.name < other.name ? -1 : 1,
    );
  },
  sumTraces: (projectIds, buckets) =>
    withReads(connection, async (read) => {
      const rows: Row[] = [];
      for (const part of inParts(projectIds))
        rows.push(
          ...(await read(
            `select m.project_id, m.bucket, sum(m.failed) as errors, count(m.lasted) as n, sum(m.lasted) as total from (select x.project_id, case when x.error_info is null then 0 else 1 end as failed, ${lasted} as lasted, ${bucketOf(connection, 'x.id', buckets)} as bucket from traces x where `,
            within('x.id', buckets, part, 'x'),
            ') m group by m.project_id, m.bucket order by m.project_id, m.bucket',
          )),
        );
      return rows.map((row) => ({
        projectId: String(row['project_id']),
        at: Number(row['bucket']) * buckets.width + buckets.offset,
        errors: Number(row['errors']),
        ended: Number(row['n']),
        duration: Number(row['total'] ?? 0) / 1000,
      }));
    }),
  sumCosts: (projectIds, buckets) =>
    withReads(connection, async (read) => {
      const rows: Row[] = [];
      for (const part of inParts(projectIds))
        rows.push(
          ...(await read(
            `select m.project_id, m.bucket, sum(m.cost) as cost from (select s.project_id, s.cost, ${bucketOf(connection, 's.id', buckets)} as bucket from spans s where `,
            within('s.id', buckets, part, 's'),
            ' and s.cost is not null) m group by m.project_id, m.bucket order by m.project_id, m.bucket',
          )),
        );
      return rows.map((row) => ({
        projectId: String(row['project_id']),
        at: Number(row['bucket']) * buckets.width + buckets.offset,
        cost: Number(row['cost']),
      }));
    }),
  listUsageNames: (projectIds) =>
    withReads(connection, async (read) => {
      const names = new Set<string>();
      let cut = false;
      const { join, name } = connection.dialect.jsonNumbers('s.usage', 'u');
      for (const part of inParts(projectIds)) {
        const each = part.map((id) =>
          wrap(
            `select distinct ${name} as name from (`,
            fragment(
              `select x.usage from spans x where x.project_id = ? order by x.id desc limit ${mostSpansNamed}`,
              id,
            ),
            `) s ${join} where s.usage is not null`,
          ),
        );
        for (const row of await read(unionAll(each))) names.add(String(row['name']));
        const beyond = part.map((id, at) =>
          wrap(
            'select * from (',
            fragment(
              `select x.id from spans x where x.project_id = ? order by x.id desc limit 1 offset ${mostSpansNamed}`,
              id,
            ),
            `) o${at}`,
          ),
        );
        cut ||= (await read(unionAll(beyond))).length > 0;
      }
      return { names: [...names].sort(), cut };
    }),
});
