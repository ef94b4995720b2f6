import type { Knex } from 'knex';
import type {
  InsightsDay,
  InsightsIssue,
  InsightsIssueStatus,
  InsightsIssueSums,
  InsightsSeverity,
  ReportedIssue,
} from '#ports/model/agent-insights';
import type { Touch } from '#ports/model/authorship';
import type {
  InsightsIssueListing,
  InsightsIssueOrder,
  InsightsIssueStore,
  InsightsWindow,
} from '#ports/storage/agent-insights';
import {
  authorshipColumns,
  authorshipRow,
  textIn,
  toAuthorship,
  touchRow,
  wholeIn,
  type Row,
} from './authorship.js';
import { inTransaction, type Connection } from './connection.js';
import { isId } from './ids.js';
import { requireRoom } from './room.js';

const dayMs = 86_400_000;
/** Days since 1970. */
const numberOf = (day: string): number => Math.floor(Date.parse(`${day}T00:00:00Z`) / dayMs);
const dayOf = (number: unknown): string =>
  new Date(Number(number) * dayMs).toISOString().slice(0, 10);

const textColumns = [
  'name',
  'description',
  'cause',
  'suggested_fix',
  'severity',
  'traces_query',
] as const;
const columns = [
  'id',
  'project_id',
  ...textColumns,
  'status',
  'close_note',
  'status_changed_by',
  'status_changed_at',
  ...authorshipColumns,
];
const countColumns = ['occurrences', 'total_count', 'users_impacted', 'total_users'] as const;

const toIssue = (row: Row): InsightsIssue => ({
  id: String(row['id']),
  projectId: String(row['project_id']),
  name: String(row['name']),
  description: textIn(row, 'description'),
  cause: textIn(row, 'cause'),
  suggestedFix: textIn(row, 'suggested_fix'),
  severity: textIn(row, 'severity') as InsightsSeverity | undefined, // as it was written
  tracesQuery: textIn(row, 'traces_query'),
  status: String(row['status']) as InsightsIssueStatus, // as it was written
  closeNote: textIn(row, 'close_note'),
  statusChangedBy: textIn(row, 'status_changed_by'),
  statusChangedAt: wholeIn(row, 'status_changed_at'),
  ...toAuthorship(row),
});
const toRow = (projectId: string, issue: ReportedIssue, touch: Touch): Row => ({
  id: issue.id,
  project_id: projectId,
  name: issue.name,
  description: issue.description ?? null,
  cause: issue.cause ?? null,
  suggested_fix: issue.suggestedFix ?? null,
  severity: issue.severity ?? null,
  traces_query: issue.tracesQuery ?? null,
  status: 'open',
  ...authorshipRow({ createdAt: touch.lastUpdatedAt, createdBy: touch.lastUpdatedBy, ...touch }),
});
const toDayRow = (projectId: string, day: string, issue: ReportedIssue): Row => ({
  project_id: projectId,
  issue_id: issue.id,
  report_day: numberOf(day),
  occurrences: issue.count,
  total_count: issue.total,
  users_impacted: issue.usersImpacted,
  total_users: issue.totalUsers,
  metadata: issue.metadata ?? null,
});

/** Rows of one statement; each may hold texts of tens of thousands of characters. */
const rowsAtOnce = 25;
const inParts = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / rowsAtOnce) }, (_, at) =>
    all.slice(at * rowsAtOnce, (at + 1) * rowsAtOnce),
  );

/** Those of these ids that are the project's, locked. */
const lockOwn = async (
  db: Knex,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = (await db('insights_issues')
    .select('id')
    .where({ project_id: projectId })
    .whereIn('id', [...ids])
    .orderBy('id')
    .forUpdate()) as readonly Row[]; // the column named
  return new Set(rows.map((row) => String(row['id'])));
};

const writeIssues = async (
  db: Knex,
  projectId: string,
  day: string,
  issues: readonly ReportedIssue[],
  touch: Touch,
): Promise<void> => {
  const rows = issues.map((issue) => toRow(projectId, issue, touch));
  // An id that is there may be another project's: nothing of it is touched before that is known.
  await db('insights_issues').insert(rows).onConflict('id').ignore();
  const own = await lockOwn(
    db,
    projectId,
    issues.map(({ id }) => id),
  );
  const kept = issues.filter(({ id }) => own.has(id));
  if (kept.length === 0) return;
  await db('insights_issues')
    .insert(rows.filter((row) => own.has(String(row['id']))))
    .onConflict('id')
    .merge([...textColumns, 'last_updated_at', 'last_updated_by']);
  await db('insights_issue_days')
    .insert(kept.map((issue) => toDayRow(projectId, day, issue)))
    .onConflict(['project_id', 'issue_id', 'report_day'])
    .merge([...countColumns, 'metadata']);
};

const severityRank =
  "case i.severity when 'critical' then 1 when 'high' then 2 when 'medium' then 3 when 'low' then 4 else 5 end";
const orderedBy: Readonly<Record<InsightsIssueOrder, string>> = {
  last_seen: 'd.last_day',
  total_occurrences: 'd.occurrences',
  severity: severityRank,
};

const within = (query: Knex.QueryBuilder, { fromDay, toDay }: InsightsWindow): void => {
  query.where('report_day', '>=', numberOf(fromDay)).where('report_day', '<=', numberOf(toDay));
};

/** Issues of a project that have a day in the window, with sums of those days. */
const listed = (
  db: Knex,
  { projectId, status, severity, ...window }: InsightsIssueListing,
): Knex.QueryBuilder => {
  const days = db('insights_issue_days')
    .select('issue_id')
    .select(Object.fromEntries(countColumns.map((column) => [column, db.raw('sum(??)', [column])])))
    .select({
      first_day: db.raw('min(report_day)'),
      last_day: db.raw('max(report_day)'),
      days: db.raw('count(*)'),
    })
    .where({ project_id: projectId })
    .modify((query) => {
      within(query, window);
    })
    .groupBy('issue_id')
    .as('d');
  const query = db('insights_issues as i')
    .join(days, 'd.issue_id', 'i.id')
    .where('i.project_id', projectId);
  if (status !== undefined) query.where('i.status', status);
  if (severity !== undefined) query.where('i.severity', severity);
  return query;
};

const textBytes = ['name', 'description', 'cause', 'suggested_fix', 'traces_query', 'close_note']
  .map((column) => `coalesce(octet_length(i.${column}), 0)`)
  .join(' + ');

export const insightsIssueStore = (connection: Connection): InsightsIssueStore => {
  const { db, dialect } = connection;
  return {
    report: ({ projectId, day, issues }, touch) =>
      inTransaction(connection, async ({ db: inside }) => {
        // In the order of ids, as everybody locks them.
        const sorted = [...issues].sort((one, other) => (one.id < other.id ? -1 : 1));
        for (const part of inParts(sorted)) await writeIssues(inside, projectId, day, part, touch);
      }),
    async find(projectId, id) {
      if (!isId(id)) return undefined;
      const row = (await db('insights_issues')
        .select(...columns)
        .where({ project_id: projectId, id })
        .first()) as Row | undefined; // the columns named
      return row && toIssue(row);
    },
    async listDays(projectId, id, window) {
      if (!isId(id)) return [];
      const days = () =>
        db('insights_issue_days')
          .where({ project_id: projectId, issue_id: id })
          .modify((query) => {
            within(query, window);
          });
      const [size] = (await days().select({
        bytes: db.raw('coalesce(sum(octet_length(metadata) + 100), 0)'),
      })) as readonly Row[]; // one row of one column
      requireRoom(Number(size?.['bytes']));
      const rows = (await days()
        .select('report_day', ...countColumns, 'metadata')
        .orderBy('report_day')) as readonly Row[]; // the columns named
      return rows.map((row): InsightsDay => ({
        day: dayOf(row['report_day']),
        count: Number(row['occurrences']),
        total: Number(row['total_count']),
        usersImpacted: Number(row['users_impacted']),
        totalUsers: Number(row['total_users']),
        metadata: textIn(row, 'metadata'),
      }));
    },
    async list(listing) {
      const { projectId, orders, offset, limit } = listing;
      const [counted] = (await listed(db, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      const ranked = listed(db, listing)
        .join('insights_issue_days as l', (on) => {
          on.on('l.project_id', 'i.project_id')
            .andOn('l.issue_id', 'i.id')
            .andOn('l.report_day', 'd.last_day');
        })
        .select('i.id', 'd.first_day', 'd.last_day', 'd.days')
        .select(countColumns.map((column) => `d.${column}`))
        .select({ latest: 'l.occurrences', bytes: db.raw(textBytes) });
      for (const { field, descending } of orders)
        ranked.orderByRaw(`${orderedBy[field]} ${descending ? 'desc' : 'asc'}`);
      const sums = (await ranked
        .orderByRaw('d.last_day desc, d.occurrences desc, i.id desc')
        .offset(offset)
        .limit(limit)) as readonly Row[]; // the columns named
      requireRoom(sums.reduce((sum, row) => sum + Number(row['bytes']), 0));
      const rows = (await db('insights_issues')
        .select(...columns)
        .where({ project_id: projectId })
        .modify(
          dialect.among(
            'id',
            'id',
            sums.map((row) => String(row['id'])),
          ),
        )) as readonly Row[]; // the columns named
      const byId = new Map(rows.map((row) => [String(row['id']), toIssue(row)]));
      return {
        total: Number(counted?.['n'] ?? 0),
        // One that was removed between the two questions is not shown.
        content: sums.flatMap((row): readonly InsightsIssueSums[] => {
          const issue = byId.get(String(row['id']));
          if (issue === undefined) return [];
          return [
            {
              ...issue,
              occurrences: Number(row['occurrences']),
              latestCount: Number(row['latest']),
              total: Number(row['total_count']),
              usersImpacted: Number(row['users_impacted']),
              totalUsers: Number(row['total_users']),
              firstDay: dayOf(row['first_day']),
              lastDay: dayOf(row['last_day']),
              days: Number(row['days']),
            },
          ];
        }),
      };
    },
    decide: (projectId, id, { status, closeNote }, touch) =>
      inTransaction(connection, async ({ db: inside }) => {
        if (!isId(id)) return false;
        const one = { project_id: projectId, id };
        const stored = (await inside('insights_issues')
          .select('status')
          .where(one)
          .forUpdate()
          .first()) as Row | undefined; // the column named
        if (stored === undefined) return false;
        await inside('insights_issues')
          .where(one)
          .update({
            status,
            close_note: closeNote ?? null,
            ...(String(stored['status']) === status
              ? {}
              : {
                  status_changed_by: touch.lastUpdatedBy,
                  status_changed_at: touch.lastUpdatedAt,
                }),
            ...touchRow(touch),
          });
        return true;
      }),
  };
};
