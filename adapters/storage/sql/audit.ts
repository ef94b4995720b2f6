import type { AuditEntry, Outcome } from '#ports/model/audit';
import type { AuditStore } from '#ports/storage/audit';
import { orNothing, type Connection } from './connection.js';

interface AuditRow {
  readonly id: string;
  readonly at: unknown;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly via: AuditEntry['via'];
  readonly key_id: string | null;
  readonly address: string | null;
  readonly action: string;
  readonly thing_kind: string | null;
  readonly thing_id: string | null;
  readonly thing_name: string | null;
  readonly workspace_id: string | null;
  readonly outcome: Outcome;
  readonly detail: string;
}
const columns = [
  'id',
  'at',
  'actor_id',
  'actor_name',
  'via',
  'key_id',
  'address',
  'action',
  'thing_kind',
  'thing_id',
  'thing_name',
  'workspace_id',
  'outcome',
  'detail',
] as const;
const toEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: Number(row.at),
  actorId: orNothing(row.actor_id),
  actorName: orNothing(row.actor_name),
  via: row.via,
  keyId: orNothing(row.key_id),
  address: orNothing(row.address),
  action: row.action,
  thing:
    row.thing_kind === null || row.thing_id === null
      ? undefined
      : { kind: row.thing_kind, id: row.thing_id, name: orNothing(row.thing_name) },
  workspaceId: orNothing(row.workspace_id),
  outcome: row.outcome,
  detail: JSON.parse(row.detail) as Readonly<Record<string, unknown>>, // written below, an object
});
const thingColumns = (thing: AuditEntry['thing']) => ({
  thing_kind: thing?.kind ?? null,
  thing_id: thing?.id.slice(0, 100) ?? null,
  thing_name: thing?.name?.slice(0, 500) ?? null,
});

export const auditStore = ({ db }: Connection): AuditStore => ({
  async insert({
    id,
    at,
    actorId,
    actorName,
    via,
    keyId,
    address,
    action,
    thing,
    workspaceId,
    outcome,
    detail,
  }) {
    await db('audit').insert({
      id,
      at,
      actor_id: actorId ?? null,
      actor_name: actorName?.slice(0, 200) ?? null,
      via,
      key_id: keyId ?? null,
      address: address?.slice(0, 60) ?? null,
      action: action.slice(0, 100),
      ...thingColumns(thing),
      workspace_id: workspaceId ?? null,
      outcome,
      detail: JSON.stringify(detail),
    });
  },
  async update(id, change) {
    const set = {
      ...(change.outcome === undefined ? {} : { outcome: change.outcome }),
      ...(change.thing === undefined ? {} : thingColumns(change.thing)),
      ...(change.workspaceId === undefined ? {} : { workspace_id: change.workspaceId }),
      ...(change.detail === undefined ? {} : { detail: JSON.stringify(change.detail) }),
    };
    return Object.keys(set).length > 0 && (await db('audit').where({ id }).update(set)) > 0;
  },
  async list({ from, before, actorId, workspaceId, action, thing }, limit, after) {
    const rows = (await db('audit')
      .select(...columns)
      .orderBy([
        { column: 'at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit)
      .modify((some) => {
        if (from !== undefined) void some.where('at', '>=', from);
        if (before !== undefined) void some.where('at', '<', before);
        if (actorId !== undefined) void some.where({ actor_id: actorId });
        if (workspaceId !== undefined) void some.where({ workspace_id: workspaceId });
        if (action !== undefined) void some.where({ action });
        if (thing !== undefined)
          void some.where({
            thing_id: thing.id,
            ...(thing.kind === undefined ? {} : { thing_kind: thing.kind }),
          });
        if (after !== undefined)
          void some
            .where('at', '<=', after.at)
            .where((older) =>
              older
                .where('at', '<', after.at)
                .orWhere((same) => same.where('at', after.at).where('id', '<', after.id)),
            );
      })) as readonly AuditRow[]; // the columns named above
    return rows.map(toEntry);
  },
  async removeBefore(at, limit) {
    const old = await db('audit')
      .where('at', '<', at)
      .orderBy('at')
      .limit(limit)
      .pluck<string[]>('id');
    return old.length === 0 ? 0 : db('audit').whereIn('id', old).delete();
  },
});
