// What alerts have to tell: events that wait for their time, and what is made of them or of a metric until it is delivered.
import type {
  AlertEvent,
  AlertEventType,
  AlertFiring,
  AlertFiringState,
} from '#ports/model/alerts';
import type { ColumnValues } from '#ports/sql-dialect';
import type { AlertBucket, AlertFiringStore } from '#ports/storage/alert-firings';
import { textIn, type Row } from './authorship.js';
import { inTransaction, keyOf, wholeOrNothing, type Connection } from './connection.js';
import { isId } from './ids.js';

const eventColumns = [
  'workspace_id',
  'alert_id',
  'event_type',
  'id',
  'at',
  'ripe_at',
  'user_name',
  'record',
];
const firingColumns = [
  'workspace_id',
  'alert_id',
  'id',
  'at',
  'event_type',
  'event_count',
  'value',
  'threshold',
  'notice',
  'state',
  'attempts',
  'retry_at',
  'status',
  'error',
];

const toBucket = (row: Row): AlertBucket => ({
  workspaceId: String(row['workspace_id']),
  alertId: String(row['alert_id']),
  eventType: String(row['event_type']) as AlertEventType, // as it was written
});
const toEvent = (row: Row): AlertEvent => ({
  ...toBucket(row),
  id: String(row['id']),
  at: Number(row['at']),
  ripeAt: Number(row['ripe_at']),
  userName: String(row['user_name']),
  record: String(row['record']),
});
const toFiring = (row: Row): AlertFiring => ({
  ...toBucket(row),
  id: String(row['id']),
  at: Number(row['at']),
  eventCount: Number(row['event_count']),
  value: textIn(row, 'value'),
  threshold: textIn(row, 'threshold'),
  notice: textIn(row, 'notice'),
  state: String(row['state']) as AlertFiringState, // as it was written
  attempts: Number(row['attempts']),
  retryAt: wholeOrNothing(row['retry_at']),
  status: wholeOrNothing(row['status']),
  error: textIn(row, 'error'),
});
const toRow = (firing: AlertFiring, period: string | null): Row => ({
  workspace_id: firing.workspaceId,
  alert_id: firing.alertId,
  id: firing.id,
  at: firing.at,
  event_type: firing.eventType,
  period_key: period,
  event_count: firing.eventCount,
  value: firing.value ?? null,
  threshold: firing.threshold ?? null,
  notice: firing.notice ?? null,
  state: firing.state,
  attempts: firing.attempts,
  retry_at: firing.retryAt ?? null,
  status: firing.status ?? null,
  error: firing.error ?? null,
});

const columnsOf = (events: readonly AlertEvent[]): readonly ColumnValues[] => {
  const column = (
    name: string,
    kind: ColumnValues['kind'],
    read: (one: AlertEvent) => unknown,
  ): ColumnValues => ({ name, kind, values: events.map(read) });
  return [
    column('workspace_id', 'id', (one) => one.workspaceId),
    column('alert_id', 'id', (one) => one.alertId),
    column('event_type', 'text', (one) => one.eventType),
    column('id', 'id', (one) => one.id),
    column('at', 'whole', (one) => one.at),
    column('ripe_at', 'whole', (one) => one.ripeAt),
    column('user_name', 'text', (one) => one.userName),
    column('record', 'text', (one) => one.record),
  ];
};

const rowOf = ({ workspaceId, alertId, id }: Pick<AlertFiring, 'workspaceId' | 'alertId' | 'id'>) =>
  ({ workspace_id: workspaceId, alert_id: alertId, id }) as const;

export const alertFiringStore = (connection: Connection): AlertFiringStore => {
  const { db, dialect } = connection;
  return {
    async record(events) {
      if (events.length > 0) await dialect.insertColumns(db, 'alert_events', columnsOf(events), '');
    },
    async listRipe(now, limit) {
      const rows = (await db('alert_events')
        .distinct('workspace_id', 'alert_id', 'event_type')
        .where('ripe_at', '<=', now)
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map(toBucket);
    },
    take: (bucket, limit, make) =>
      inTransaction(connection, async ({ db: inside }) => {
        const of = {
          workspace_id: bucket.workspaceId,
          alert_id: bucket.alertId,
          event_type: bucket.eventType,
        };
        const rows = (await inside('alert_events')
          .select(...eventColumns)
          .where(of)
          .orderBy('id')
          .limit(limit)
          .forUpdate()) as readonly Row[]; // the columns named
        const last = rows.at(-1);
        if (last === undefined) return 0;
        const made = make(rows.map(toEvent));
        if (made !== undefined) await inside('alert_firings').insert(toRow(made, null));
        await inside('alert_events')
          .where(of)
          .whereIn(
            'id',
            rows.map((row) => String(row['id'])),
          )
          .delete();
        return rows.length;
      }),
    async insert(firing, period) {
      const { workspaceId, alertId, eventType } = firing;
      const before = (await db('alert_firings')
        .select('id')
        .where({ workspace_id: workspaceId, alert_id: alertId, event_type: eventType })
        .where('at', '>', period.since)
        .first()) as Row | undefined; // the column named
      if (before !== undefined) return false;
      const key = keyOf(workspaceId, alertId, eventType, String(period.number));
      await db('alert_firings').insert(toRow(firing, key)).onConflict('period_key').ignore();
      const stored = (await db('alert_firings').select('id').where({ period_key: key }).first()) as
        Row | undefined; // the column named
      return stored?.['id'] === firing.id;
    },
    async listDueWorkspaces(now, limit) {
      const rows = (await db('alert_firings')
        .select('workspace_id', { first: db.raw('min(retry_at)') })
        .where('retry_at', '<=', now)
        .groupBy('workspace_id')
        .orderBy('first')
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map((row) => String(row['workspace_id']));
    },
    async listDue(workspaceId, now, limit) {
      const rows = (await db('alert_firings')
        .select(...firingColumns)
        .where({ workspace_id: workspaceId })
        .where('retry_at', '<=', now)
        .orderBy(['retry_at', 'id'])
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map(toFiring);
    },
    async claim(firing, until) {
      const changed = await db('alert_firings')
        .where({ ...rowOf(firing), retry_at: firing.retryAt ?? null, attempts: firing.attempts })
        .update({ retry_at: until });
      return changed > 0;
    },
    async settle(firing, { state, retryAt, attempts, status, error }) {
      await db('alert_firings')
        .where(rowOf(firing))
        .update({
          ...{ state, attempts, status: status ?? null, error: error ?? null },
          retry_at: retryAt ?? null,
          ...(retryAt === undefined ? { notice: null } : {}),
        });
    },
    async list({ workspaceId, id }, { offset, limit }) {
      if (!isId(id)) return { total: 0, content: [] };
      const of = { workspace_id: workspaceId, alert_id: id };
      const [count] = await db('alert_firings').where(of).count({ n: '*' });
      const rows = (await db('alert_firings')
        .select(...firingColumns.filter((column) => column !== 'notice'))
        .where(of)
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)) as readonly Row[]; // the columns named
      return { total: Number(count?.['n'] ?? 0), content: rows.map(toFiring) };
    },
    async forget(before, limit) {
      const rows = (await db('alert_firings')
        .select('workspace_id', 'alert_id', 'id')
        .where('at', '<', before)
        .orderBy('at')
        .limit(limit)) as readonly Row[]; // the columns named
      for (const row of rows)
        await db('alert_firings')
          .where({ workspace_id: row['workspace_id'], alert_id: row['alert_id'], id: row['id'] })
          .delete();
      return rows.length;
    },
  };
};
