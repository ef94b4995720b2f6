import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type { Retention, RetentionRule } from '#ports/model/retention';
import type { IdRange, RetentionStore } from '#ports/storage/retention';
import {
  authorshipColumns,
  authorshipRow,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import { inTransaction, isTrue, keyOf, type Connection } from './connection.js';
import { isId } from './ids.js';

const columns = [
  'workspace_id',
  'id',
  'project_id',
  'retention',
  'applies_to_past',
  'enabled',
  ...authorshipColumns,
];

const toRule = (row: Row): RetentionRule => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  retention: String(row['retention']) as Retention, // as it was written
  appliesToPast: isTrue(row['applies_to_past']),
  enabled: isTrue(row['enabled']),
  ...toAuthorship(row),
});

/** More enabled rules than a workspace has projects. */
const mostListed = 100_000;
const inRange =
  ({ fromId, beforeId }: IdRange, column: string) =>
  (query: Knex.QueryBuilder): void => {
    query.where(column, '<', beforeId);
    if (fromId !== undefined) query.where(column, '>=', fromId);
  };
const idsOf = (rows: readonly Row[]): readonly string[] => rows.map((row) => String(row['id']));

export const retentionStore = (connection: Connection): RetentionStore => {
  const { db } = connection;
  return {
    insert: (rule) =>
      inTransaction(
        connection,
        async ({ db: inside }) => {
          const one = { workspace_id: rule.workspaceId, id: rule.id };
          if ((await inside('retention_rules').select('id').where(one).first()) !== undefined)
            throw new Failure('conflict', 'Retention rule already exists');
          const scope = keyOf(rule.workspaceId, rule.projectId ?? '');
          await inside('retention_rules')
            .where({ scope_key: scope })
            .update({ enabled: false, scope_key: null, ...touchRow(rule) });
          await inside('retention_rules').insert({
            workspace_id: rule.workspaceId,
            id: rule.id,
            project_id: rule.projectId ?? null,
            scope_key: rule.enabled ? scope : null,
            retention: rule.retention,
            applies_to_past: rule.appliesToPast,
            enabled: rule.enabled,
            ...authorshipRow(rule),
          });
        },
        { overtaken: true },
      ),
    async find(workspaceId, id) {
      if (!isId(id)) return undefined;
      const row = (await db('retention_rules')
        .select(...columns)
        .where({ workspace_id: workspaceId, id })
        .first()) as Row | undefined; // the columns named
      return row === undefined ? undefined : toRule(row);
    },
    async page({ workspaceId, projectId, disabledToo }, { page, size }) {
      const of = {
        workspace_id: workspaceId,
        ...(projectId === undefined ? {} : { project_id: projectId }),
        ...(disabledToo ? {} : { enabled: true }),
      };
      const [count] = await db('retention_rules').where(of).count({ n: '*' });
      const rows = (await db('retention_rules')
        .select(...columns)
        .where(of)
        .orderBy('id', 'desc')
        .offset((page - 1) * size)
        .limit(size)) as readonly Row[]; // the columns named
      return { page, size, total: Number(count?.['n'] ?? 0), content: rows.map(toRule) };
    },
    async disable(workspaceId, id, touch) {
      if (!isId(id)) return false;
      const one = { workspace_id: workspaceId, id };
      const changed = await db('retention_rules')
        .where({ ...one, enabled: true })
        .update({ enabled: false, scope_key: null, ...touchRow(touch) });
      return (
        changed > 0 || (await db('retention_rules').select('id').where(one).first()) !== undefined
      );
    },
    async listWorkspaces(afterId, limit) {
      const rows = (await db('retention_rules')
        .distinct('workspace_id')
        .where({ enabled: true })
        .modify((query) => {
          if (afterId !== undefined) query.where('workspace_id', '>', afterId);
        })
        .orderBy('workspace_id')
        .limit(limit)) as readonly Row[]; // the column named
      return rows.map((row) => String(row['workspace_id']));
    },
    async listEnabled(workspaceId) {
      const rows = (await db('retention_rules')
        .select(...columns)
        .where({ workspace_id: workspaceId, enabled: true })
        .orderBy('id')
        .limit(mostListed)) as readonly Row[]; // the columns named
      return rows.map(toRule);
    },
    listTraces: async (projectId, range, limit) =>
      idsOf(
        (await db('traces')
          .select('id')
          .where({ project_id: projectId })
          .modify(inRange(range, 'id'))
          .orderBy('id')
          .limit(limit)) as readonly Row[], // the column named
      ),
    listSpans: async (projectId, traceIds, limit) =>
      idsOf(
        (await db('spans')
          .select('id')
          .where({ project_id: projectId })
          .whereIn('trace_id', traceIds.filter(isId))
          .orderBy(['trace_id', 'id'])
          .limit(limit)) as readonly Row[], // the column named
      ),
    listSpansWithoutTrace: async (projectId, range, limit) =>
      idsOf(
        (await db('spans as s')
          .select('s.id')
          .where('s.project_id', projectId)
          .modify(inRange(range, 's.id'))
          .whereNotExists(
            db('traces as t')
              .select('t.id')
              .where('t.project_id', projectId)
              .whereRaw('t.id = s.trace_id'),
          )
          .orderBy('s.id')
          .limit(limit)) as readonly Row[], // the column named
      ),
  };
};
