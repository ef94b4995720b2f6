import type { Knex } from 'knex';
import type { Alert, AlertTrigger, AlertType } from '#ports/model/alerts';
import { mostAlerts, type AlertListing, type AlertStore } from '#ports/storage/alerts';
import {
  authorshipColumns,
  authorshipRow,
  jsonIn,
  jsonText,
  textIn,
  toAuthorship,
  type Row,
} from './authorship.js';
import { inTransaction, isTrue, refuseTaken, type Connection } from './connection.js';
import { filtered, pageOf } from './field-listing.js';
import { idField, numberField, textField, type FieldSources } from './field-query.js';
import { isId } from './ids.js';
import { requireRoomFor } from './workspace-lock.js';

const columns = [
  'workspace_id',
  'id',
  'project_id',
  'name',
  'enabled',
  'type',
  'metadata',
  'webhook_id',
  'webhook_url',
  'sealed_token',
  'masked_token',
  'sealed_headers',
  'triggers',
  ...authorshipColumns,
];

const toAlert = (row: Row): Alert => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  name: String(row['name']),
  enabled: isTrue(row['enabled']),
  type: String(row['type']) as AlertType, // as it was written
  metadata: jsonIn(row, 'metadata'),
  webhook: {
    id: String(row['webhook_id']),
    url: String(row['webhook_url']),
    sealedToken: textIn(row, 'sealed_token'),
    maskedToken: textIn(row, 'masked_token'),
    sealedHeaders: jsonIn(row, 'sealed_headers'),
  },
  triggers: jsonIn<readonly AlertTrigger[]>(row, 'triggers') ?? [],
  ...toAuthorship(row),
});
const toRow = (alert: Alert): Row => ({
  workspace_id: alert.workspaceId,
  id: alert.id,
  project_id: alert.projectId ?? null,
  name: alert.name,
  enabled: alert.enabled,
  type: alert.type,
  metadata: jsonText(alert.metadata),
  webhook_id: alert.webhook.id,
  webhook_url: alert.webhook.url,
  sealed_token: alert.webhook.sealedToken ?? null,
  masked_token: alert.webhook.maskedToken ?? null,
  sealed_headers: jsonText(alert.webhook.sealedHeaders),
  triggers: JSON.stringify(alert.triggers),
  ...authorshipRow(alert),
});

const sources: FieldSources = {
  id: idField('id'),
  name: textField('name'),
  alert_type: textField('type'),
  webhook_url: textField('webhook_url'),
  created_at: numberField('created_at'),
  created_by: textField('created_by'),
  last_updated_at: numberField('last_updated_at'),
  last_updated_by: textField('last_updated_by'),
};

/** Alerts whose project, where they have one, is not deleted. */
const standing = (db: Knex, workspaceId: string): Knex.QueryBuilder =>
  db('alerts')
    .where({ workspace_id: workspaceId })
    .whereNotExists(
      db('projects as p')
        .select(db.raw('1'))
        .whereRaw('p.id = alerts.project_id')
        .whereNotNull('p.deleted_at'),
    );

const listed = (
  { db, dialect }: Connection,
  { workspaceId, projectId, filters }: AlertListing,
): Knex.QueryBuilder => {
  const query = standing(db, workspaceId);
  if (projectId !== undefined) query.where({ project_id: projectId });
  return query.modify(filtered(dialect, sources, filters));
};

/** The greatest texts of a row. */
const bytes =
  'octet_length(triggers) + octet_length(webhook_url) + coalesce(octet_length(sealed_headers), 0) + coalesce(octet_length(metadata), 0)';

const few = { table: 'alerts', most: mostAlerts, called: 'alerts' } as const;

export const alertStore = (connection: Connection): AlertStore => {
  const { db, dialect } = connection;
  const findMany = async (
    workspaceId: string,
    ids: readonly string[],
  ): Promise<readonly Alert[]> => {
    const wanted = ids.filter(isId);
    if (wanted.length === 0) return [];
    const rows = (await standing(db, workspaceId)
      .select(...columns)
      .whereIn('id', wanted)
      .orderBy('id')) as readonly Row[]; // the columns named
    return rows.map(toAlert);
  };
  return {
    insert: (alert) =>
      inTransaction(connection, async (inside) => {
        await requireRoomFor(inside, alert.workspaceId, few);
        await refuseTaken(
          dialect,
          'Alert already exists',
          inside.db('alerts').insert(toRow(alert)),
        );
      }),
    async find(workspaceId, id) {
      const [found] = await findMany(workspaceId, [id]);
      return found;
    },
    findMany,
    list: (listing) =>
      pageOf(connection, listing, {
        ...{ sources, bytes },
        selected: () => listed(connection, listing),
        read: (ids) => findMany(listing.workspaceId, ids),
      }),
    replace: (workspaceId, id, decide) =>
      inTransaction(connection, async ({ db: inside }) => {
        if (!isId(id)) return false;
        const one = { workspace_id: workspaceId, id };
        const row = (await inside('alerts')
          .select(...columns)
          .where(one)
          .forUpdate()
          .first()) as Row | undefined; // the columns named
        if (row === undefined) return false;
        const stored = toAlert(row);
        const { createdAt, createdBy } = stored;
        await inside('alerts')
          .where(one)
          .update(toRow({ ...decide(stored), workspaceId, id, createdAt, createdBy }));
        return true;
      }),
    async listEnabled(workspaceId) {
      const rows = (await standing(db, workspaceId)
        .select(...columns)
        .where({ enabled: true })
        .orderBy('id')
        .limit(mostAlerts)) as readonly Row[]; // the columns named
      return rows.map(toAlert);
    },
    async listWorkspaces(afterId, limit) {
      const rows = (await db('alerts')
        .distinct('workspace_id')
        .where({ enabled: true })
        .modify((query) => {
          if (afterId !== undefined) query.where('workspace_id', '>', afterId);
        })
        .orderBy('workspace_id')
        .limit(limit)) as readonly Row[]; // the column named
      return rows.map((row) => String(row['workspace_id']));
    },
    async remove(workspaceId, ids) {
      const wanted = ids.filter(isId);
      await db('alerts').where({ workspace_id: workspaceId }).whereIn('id', wanted).delete();
      for (const table of ['alert_events', 'alert_firings'])
        await db(table).where({ workspace_id: workspaceId }).whereIn('alert_id', wanted).delete();
    },
  };
};
