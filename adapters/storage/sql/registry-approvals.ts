import type { ModelStatus, RequestState, StatusRequest } from '#ports/model/registry';
import { mostListed } from '#ports/page';
import type { ApprovalStore } from '#ports/storage/approvals';
import {
  inTransaction,
  isTrue,
  keyOf,
  orNothing,
  wholeOrNothing,
  type Connection,
} from './connection.js';
import { countUpTo } from './counting.js';
import { isId } from './ids.js';

interface RequestRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly model_id: string;
  readonly model_name: string;
  readonly version_id: string;
  readonly version: string;
  readonly status: string;
  readonly from_status: string;
  readonly comment: string | null;
  readonly state: RequestState;
  readonly user_id: string;
  readonly user_name: string | null;
  readonly created_at: unknown;
  readonly approved_by: string;
  readonly decided_by: string | null;
  readonly decided_at: unknown;
  readonly decision: string | null;
}
const columns = [
  'id',
  'workspace_id',
  'model_id',
  'version_id',
  'status',
  'from_status',
  'comment',
  'state',
  'user_id',
  'created_at',
  'approved_by',
  'decided_by',
  'decided_at',
  'decision',
] as const;

const toRequest = (row: RequestRow): StatusRequest => ({
  id: row.id,
  workspaceId: row.workspace_id,
  modelId: row.model_id,
  modelName: row.model_name,
  versionId: row.version_id,
  version: row.version,
  status: row.status,
  from: row.from_status,
  comment: orNothing(row.comment),
  state: row.state,
  userId: row.user_id,
  userName: row.user_name ?? '',
  createdAt: Number(row.created_at),
  approvedBy: JSON.parse(row.approved_by) as string[], // written below
  decidedBy: orNothing(row.decided_by),
  decidedAt: wholeOrNothing(row.decided_at),
  decision: orNothing(row.decision),
});

const statusesAtMost = 1000;
const pendingAtMost = 10_000;
const expiredAtOnce = 500;

export const approvalStore = (connection: Connection): ApprovalStore => {
  const { db, dialect } = connection;
  const requests = () =>
    db('registry_requests as r')
      .join('registry_versions as v', (on) => {
        on.on('v.model_id', 'r.model_id').andOn('v.id', 'r.version_id');
      })
      .join('registry_models as m', 'm.id', 'r.model_id')
      .leftJoin('users as u', 'u.id', 'r.user_id')
      .whereNull('v.deleted_at')
      .whereNull('m.deleted_at');
  const selected = [
    ...columns.map((column) => `r.${column}`),
    { model_name: 'm.name', version: 'v.version', user_name: 'u.name' },
  ] as const;
  const toRequests = (rows: unknown): readonly StatusRequest[] =>
    (rows as readonly RequestRow[]).map(toRequest); // the columns named above

  return {
    async listStatuses() {
      const rows = (await db('registry_statuses')
        .orderBy(['position', 'name_key'])
        .limit(statusesAtMost)
        .select('name', 'colour', 'requires_approval', 'exclusive')) as readonly {
        readonly name: string;
        readonly colour: string;
        readonly requires_approval: unknown;
        readonly exclusive: unknown;
      }[]; // the columns named
      return rows.map((row): ModelStatus => ({
        name: row.name,
        colour: row.colour,
        requiresApproval: isTrue(row.requires_approval),
        exclusive: isTrue(row.exclusive),
      }));
    },
    // Two who replace the list at once would meet in its keys: the second one's list stands.
    replaceStatuses: (statuses) =>
      inTransaction(
        connection,
        async ({ db: inside }) => {
          await inside('registry_statuses').delete();
          if (statuses.length > 0)
            await inside('registry_statuses').insert(
              statuses.map(({ name, colour, requiresApproval, exclusive }, position) => ({
                name_key: keyOf(name),
                position,
                name,
                colour,
                requires_approval: requiresApproval,
                exclusive,
              })),
            );
        },
        { overtaken: true },
      ),
    async insertRequest({
      id,
      workspaceId,
      modelId,
      versionId,
      status,
      from,
      comment,
      userId,
      createdAt,
    }) {
      await db('registry_requests').insert({
        id,
        workspace_id: workspaceId,
        model_id: modelId,
        version_id: versionId,
        status,
        from_status: from,
        comment: comment ?? null,
        state: 'PENDING',
        user_id: userId,
        created_at: createdAt,
        approved_by: '[]',
      });
    },
    async findRequest(id) {
      const row = isId(id)
        ? await requests()
            .where('r.id', id)
            .select(...selected)
            .first<RequestRow | undefined>()
        : undefined;
      return row === undefined ? undefined : toRequest(row);
    },
    async listPending(versionIds) {
      if (versionIds.length === 0) return [];
      return toRequests(
        await requests()
          .where('r.state', 'PENDING')
          .modify(dialect.among('r.version_id', 'id', versionIds))
          .orderBy('r.id')
          .limit(pendingAtMost)
          .select(...selected),
      );
    },
    async listRequests({ workspaceId, modelId, state, offset, limit }) {
      if (offset >= mostListed) return { total: mostListed, requests: [] };
      // Looked up for each, not joined: an engine may begin with what is joined, and sort all requests.
      const asked = () => {
        const query = db('registry_requests as r').where('r.workspace_id', workspaceId);
        if (modelId !== undefined) query.where('r.model_id', modelId);
        if (state !== undefined) query.where('r.state', state);
        query
          .whereRaw(
            '(select count(*) from registry_versions v where v.model_id = r.model_id and v.id = r.version_id and v.deleted_at is null) > 0',
          )
          .whereRaw(
            '(select count(*) from registry_models m where m.id = r.model_id and m.deleted_at is null) > 0',
          );
        return query;
      };
      const [total, ids] = await Promise.all([
        countUpTo(db, asked(), mostListed),
        asked()
          .orderBy([
            { column: 'r.created_at', order: 'desc' },
            { column: 'r.id', order: 'desc' },
          ])
          .offset(offset)
          .limit(limit)
          .pluck<string[]>('r.id'),
      ]);
      const found = toRequests(
        await requests()
          .modify(dialect.among('r.id', 'id', ids))
          .select(...selected),
      );
      const byId = new Map(found.map((request) => [request.id, request]));
      return { total, requests: ids.flatMap((id) => byId.get(id) ?? []) };
    },
    async decide(id, { state, approvedBy, decidedBy, decidedAt, decision }) {
      const changed = await db('registry_requests')
        .where({ id, state: 'PENDING' })
        .update({
          state,
          ...(approvedBy === undefined ? {} : { approved_by: JSON.stringify(approvedBy) }),
          decided_by: decidedBy ?? null,
          decided_at: decidedAt ?? null,
          decision: decision ?? null,
        });
      return changed > 0;
    },
    async expire(before, at) {
      const rows = (await db('registry_requests')
        .where({ state: 'PENDING' })
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(expiredAtOnce)
        .select('id')) as readonly { readonly id: string }[]; // the column named
      for (const { id } of rows)
        await db('registry_requests')
          .where({ id, state: 'PENDING' })
          .update({ state: 'EXPIRED', decided_at: at });
      return rows.length;
    },
  };
};
