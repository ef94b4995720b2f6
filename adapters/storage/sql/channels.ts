import type { Channel, ChannelUse } from '#ports/model/channels';
import type { ChannelChange, ChannelStore } from '#ports/storage/channels';
import {
  inTransaction,
  isTrue,
  keyOf,
  orNothing,
  refuseTaken,
  type Connection,
} from './connection.js';
import { isId } from './ids.js';

interface ChannelRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly model_id: string | null;
  readonly purpose: ChannelUse;
  readonly kind: string;
  readonly user_id: string | null;
  readonly name: string | null;
  readonly triggers: string | null;
  readonly form: string | null;
  readonly form_options: string | null;
  readonly sealed: string;
  readonly enabled: unknown;
  readonly failures: unknown;
  readonly fault: string | null;
  readonly created_by: string;
  readonly created_at: unknown;
  readonly updated_at: unknown;
}
const columns = [
  'id',
  'workspace_id',
  'model_id',
  'purpose',
  'kind',
  'user_id',
  'name',
  'triggers',
  'form',
  'form_options',
  'sealed',
  'enabled',
  'failures',
  'fault',
  'created_by',
  'created_at',
  'updated_at',
] as const;

const toChannel = (row: ChannelRow): Channel => ({
  id: row.id,
  workspaceId: row.workspace_id,
  modelId: orNothing(row.model_id),
  use: row.purpose,
  kind: row.kind,
  userId: orNothing(row.user_id),
  name: orNothing(row.name),
  form: orNothing(row.form),
  formOptions: orNothing(row.form_options),
  triggers: row.triggers === null ? undefined : (JSON.parse(row.triggers) as string[]), // written by `textOf`
  sealed: row.sealed,
  enabled: isTrue(row.enabled),
  failures: Number(row.failures),
  fault: orNothing(row.fault),
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
const textOf = (triggers: readonly string[] | undefined): string | null =>
  triggers === undefined ? null : JSON.stringify(triggers);

/** Columns of the members that a change names. */
const toColumns = (change: ChannelChange): Record<string, unknown> => {
  const named = <K extends keyof ChannelChange>(
    member: K,
    column: string,
    value: unknown,
  ): Record<string, unknown> => (Object.hasOwn(change, member) ? { [column]: value ?? null } : {});
  return {
    updated_at: change.updatedAt,
    ...named('name', 'name', change.name),
    ...named('triggers', 'triggers', textOf(change.triggers)),
    ...named('form', 'form', change.form),
    ...named('formOptions', 'form_options', change.formOptions),
    ...named('fault', 'fault', change.fault),
    ...(change.place === undefined ? {} : { place_key: keyOf(change.place) }),
    ...(change.sealed === undefined ? {} : { sealed: change.sealed }),
    ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
    ...(change.failures === undefined ? {} : { failures: change.failures }),
  };
};

const channelsAtMost = 10_000;
const taken = 'the workspace has a webhook of this address for the same models already';

export const channelStore = (connection: Connection): ChannelStore => {
  const { db, dialect } = connection;
  const toChannels = (rows: unknown): readonly Channel[] =>
    (rows as readonly ChannelRow[]).map(toChannel); // the columns named above
  const select = () =>
    db('channels')
      .select(...columns)
      .orderBy(['created_at', 'id'])
      .limit(channelsAtMost);
  return {
    insert: (channel) =>
      refuseTaken(
        dialect,
        taken,
        db('channels').insert({
          id: channel.id,
          workspace_id: channel.workspaceId,
          model_id: channel.modelId ?? null,
          purpose: channel.use,
          kind: channel.kind,
          user_id: channel.userId ?? null,
          place_key: keyOf(channel.place),
          name: channel.name ?? null,
          triggers: textOf(channel.triggers),
          form: channel.form ?? null,
          form_options: channel.formOptions ?? null,
          sealed: channel.sealed,
          enabled: channel.enabled,
          ends: false,
          failures: channel.failures,
          fault: channel.fault ?? null,
          created_by: channel.createdBy,
          created_at: channel.createdAt,
          updated_at: channel.updatedAt,
        }),
      ),
    async update(id, change) {
      if (!isId(id)) return false;
      let changed = 0;
      await refuseTaken(
        dialect,
        taken,
        db('channels')
          .where({ id })
          .update(toColumns(change))
          .then((count) => {
            changed = count;
          }),
      );
      return changed > 0 || (await db('channels').select('id').where({ id }).first()) !== undefined; // one engine counts no row whose values stay the same
    },
    async find(id) {
      return isId(id) ? toChannels(await select().where({ id }))[0] : undefined;
    },
    async lock(id) {
      return isId(id) ? toChannels(await select().where({ id }).forUpdate())[0] : undefined;
    },
    async findAll(ids) {
      const known = ids.filter(isId);
      return known.length === 0 ? [] : toChannels(await select().whereIn('id', known));
    },
    async findByPlace(place) {
      return toChannels(await select().where({ place_key: keyOf(place) }))[0];
    },
    async list({ workspaceId, use, modelId }) {
      const query = select().where({ workspace_id: workspaceId, purpose: use, ends: false });
      return toChannels(
        await (modelId === undefined
          ? query
          : modelId === null
            ? query.whereNull('model_id')
            : query.where({ model_id: modelId })),
      );
    },
    async listRecipients(workspaceId, modelIds) {
      return toChannels(
        await select()
          .limit(channelsAtMost * modelIds.length)
          .where({ workspace_id: workspaceId, enabled: true })
          .whereIn('purpose', ['webhook', 'channel'])
          .where((of) => of.whereNull('model_id').orWhereIn('model_id', [...modelIds])),
      );
    },
    noteFailure: (id) =>
      inTransaction(connection, async ({ db: inside }) => {
        await inside('channels')
          .where({ id })
          .update({ failures: inside.raw('failures + 1') });
        const row = await inside('channels')
          .where({ id })
          .select('failures')
          .first<{ readonly failures: unknown } | undefined>();
        return Number(row?.failures ?? 0);
      }),
    async endModel(modelId) {
      await db('channels').where({ model_id: modelId }).update({ ends: true });
    },
    async remove(id) {
      return isId(id) && (await db('channels').where({ id }).delete()) > 0;
    },
  };
};
