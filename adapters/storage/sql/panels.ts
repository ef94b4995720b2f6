import type { Panel } from '#ports/model/panels';
import type { PanelStore } from '#ports/storage/panels';
import type { Connection } from './connection.js';
import { isId } from './ids.js';

interface PanelRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly owner_name: string | null;
  readonly name: string;
  readonly template: string;
  readonly created_at: unknown;
  readonly revised_at: unknown;
}

const toPanel = (row: PanelRow): Panel => ({
  id: row.id,
  workspaceId: row.workspace_id,
  ownerName: row.owner_name ?? '',
  name: row.name,
  template: row.template,
  createdAt: Number(row.created_at),
  revisedAt: Number(row.revised_at),
});

const most = 10_000;

export const panelStore = ({ db }: Connection): PanelStore => {
  const select = () =>
    db('panels')
      .leftJoin('users', 'users.id', 'panels.owner_id')
      .select(
        'panels.id',
        'panels.workspace_id',
        { owner_name: 'users.name' },
        'panels.name',
        'panels.template',
        'panels.created_at',
        'panels.revised_at',
      );
  return {
    async insert(panel) {
      await db('panels').insert({
        id: panel.id,
        workspace_id: panel.workspaceId,
        owner_id: panel.ownerId,
        name: panel.name,
        template: panel.template,
        archive: Buffer.from(panel.archive),
        created_at: panel.createdAt,
        revised_at: panel.createdAt,
      });
    },
    async revise(workspaceId, id, { name, template, archive, revisedAt }) {
      if (!isId(id)) return false;
      const changed = await db('panels')
        .where({ id, workspace_id: workspaceId })
        .update({ name, template, archive: Buffer.from(archive), revised_at: revisedAt });
      return (
        changed > 0 ||
        (await db('panels').select('id').where({ id, workspace_id: workspaceId }).first()) !==
          undefined
      ); // one engine counts no row whose values stay the same
    },
    async remove(id) {
      return isId(id) && (await db('panels').where({ id }).delete()) > 0;
    },
    async find(id) {
      const row = isId(id)
        ? await select().where('panels.id', id).first<PanelRow | undefined>()
        : undefined;
      return row === undefined ? undefined : toPanel(row);
    },
    async readArchive(id) {
      const row = isId(id)
        ? await db('panels')
            .select('archive')
            .where({ id })
            .first<{ readonly archive: Buffer } | undefined>()
        : undefined;
      return row?.archive;
    },
    async list(workspaceId) {
      const rows = (await select()
        .where('panels.workspace_id', workspaceId)
        .orderBy(['panels.created_at', 'panels.id'])
        .limit(most)) as readonly PanelRow[]; // the columns named above
      return rows.map(toPanel);
    },
  };
};
