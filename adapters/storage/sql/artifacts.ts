import type { Knex } from 'knex';
import type { Artifact } from '#ports/model/artifacts';
import type { ArtifactStore } from '#ports/storage/artifacts';
import {
  artifactColumns,
  joined,
  nameKeyOf,
  toArtifact,
  writeTexts,
  type ArtifactRow,
  type Row,
} from './artifact-rows.js';
import { inTransaction, refuseTaken, type Connection } from './connection.js';
import { isId } from './ids.js';
import { requireWorkspace } from './workspace-lock.js';

/** Makes the artifact of a name unless it is there, and holds it. */
const openInTurns = async (
  inside: Connection,
  row: Row & { readonly name_key: string; readonly workspace_id: string },
): Promise<void> => {
  const isThere = async () =>
    (await inside
      .db('artifacts')
      .select('id')
      .where({ name_key: row.name_key })
      .forUpdate()
      .first<{ readonly id: string } | undefined>()) !== undefined;
  // Locked first and inserted only when it is not there: an insert that finds it leaves a shared lock on one engine, and two that want more deadlock.
  if (await isThere()) return;
  await requireWorkspace(inside, row.workspace_id);
  if (!(await isThere())) await inside.db('artifacts').insert(row);
};

/**
 * The same in one statement, where an engine takes it so, with the artifact as it is then. `undefined` where another request made it meanwhile,
 * or the workspace is gone.
 */
const openAtOnce = async (
  { db, dialect }: Connection,
  row: Row & { readonly name_key: string; readonly workspace_id: string },
): Promise<Artifact | undefined> => {
  if (dialect.pipelined === undefined) return undefined;
  const names = Object.keys(row);
  const shown = Object.entries(artifactColumns).map(([name, column]) => `${column} as ${name}`);
  const [found] = (await dialect.run(
    db,
    `with held as materialized (select * from artifacts where name_key = ? for update),
w as (update workspaces set revision = revision + 1 where id = ? and not exists (select 1 from held) returning id),
made as (insert into artifacts (${names.join(', ')}) select ${names.map(() => '?').join(', ')} from w ${dialect.onConflictIgnore(['name_key'])} returning *)
select ${shown.join(', ')} from (select * from held union all select * from made) a
join workspaces w on w.id = a.workspace_id left join users u on u.id = a.owner_id left join projects p on p.id = a.project_id and p.deleted_at is null`,
    [row.name_key, row.workspace_id, ...Object.values(row)],
  )) as readonly ArtifactRow[]; // the columns named
  return found === undefined ? undefined : toArtifact(found);
};

export const artifactStore = (connection: Connection): ArtifactStore => {
  const { db, dialect } = connection;
  const selectArtifacts = () => joined(db('artifacts as a'));
  const findArtifact = async (query: Knex.QueryBuilder): Promise<Artifact | undefined> => {
    const [row] = (await query.limit(1)) as readonly ArtifactRow[]; // the columns named above
    return row === undefined ? undefined : toArtifact(row);
  };
  return {
    open: ({
      id,
      workspaceId,
      projectId,
      experimentKey,
      ownerId,
      name,
      type,
      public: isPublic,
      createdAt,
    }) =>
      inTransaction(connection, async (inside) => {
        const row = {
          id,
          workspace_id: workspaceId,
          name_key: nameKeyOf(workspaceId, name),
          name,
          type,
          public: isPublic,
          project_id: projectId,
          experiment_key: experimentKey,
          owner_id: ownerId,
          created_at: createdAt,
        };
        const opened = await openAtOnce(inside, row);
        if (opened !== undefined) return opened;
        await openInTurns(inside, row);
        const found = await artifactStore(inside).findByName(workspaceId, name);
        if (found === undefined) throw new Error('an artifact that was just made is not there');
        return found;
      }),
    find: async (id) => (isId(id) ? findArtifact(selectArtifacts().where('a.id', id)) : undefined),
    findByName: (workspaceId, name) =>
      findArtifact(selectArtifacts().where('a.name_key', nameKeyOf(workspaceId, name))),
    async list({ workspaceId, type, afterId, limit }) {
      const query = selectArtifacts()
        .where('a.workspace_id', workspaceId)
        .orderBy('a.id')
        .limit(limit);
      if (type !== undefined) query.andWhere('a.type', type);
      if (afterId !== undefined) query.andWhere('a.id', '>', afterId);
      return ((await query) as readonly ArtifactRow[]).map(toArtifact); // the columns named above
    },
    async figures(artifactIds) {
      const rows = await db('artifact_versions')
        .whereNull('deleted_at')
        .modify(dialect.among('artifact_id', 'id', artifactIds))
        .groupBy('artifact_id')
        .select('artifact_id')
        .count({ n: '*' })
        .sum({ bytes: 'size_in_bytes' });
      return new Map(
        (
          rows as unknown as readonly {
            readonly artifact_id: string;
            readonly n: unknown;
            readonly bytes: unknown;
          }[]
        ).map((row) => [
          row.artifact_id,
          { versions: Number(row.n), sizeInBytes: Number(row.bytes) },
        ]),
      ); // the columns named above
    },
    update: (id, { type, description, metadata, public: isPublic, emoji, tags }) =>
      inTransaction(connection, async ({ db: inside }) => {
        const found = isId(id)
          ? await inside('artifacts')
              .select('id')
              .where({ id })
              .whereNull('deleted_at')
              .forUpdate()
              .first<{ readonly id: string } | undefined>()
          : undefined;
        if (found === undefined) return false;
        const change = {
          ...(type === undefined ? {} : { type }),
          ...(description === undefined ? {} : { description }),
          ...(metadata === undefined ? {} : { metadata }),
          ...(isPublic === undefined ? {} : { public: isPublic }),
          ...(emoji === undefined ? {} : { emoji }),
          ...(tags === undefined ? {} : { tags: writeTexts(tags) }),
        };
        if (Object.keys(change).length > 0) await inside('artifacts').where({ id }).update(change);
        return true;
      }),
    moveToWorkspace: (id, { workspaceId, name }) =>
      inTransaction(connection, async (inside) => {
        await requireWorkspace(inside, workspaceId);
        const found = isId(id)
          ? await inside
              .db('artifacts')
              .select('workspace_id', 'name_key')
              .where({ id })
              .whereNull('deleted_at')
              .forUpdate()
              .first<{ readonly workspace_id: string; readonly name_key: string } | undefined>()
          : undefined;
        if (found === undefined) return false;
        const to = { workspace_id: workspaceId, name_key: nameKeyOf(workspaceId, name) };
        await refuseTaken(
          dialect,
          `the workspace has an artifact ${name.slice(0, 100)} already, or had one`,
          inside
            .db('artifacts')
            .where({ id })
            .update({ ...to, name })
            .then(() => inside.db('artifact_numbers').where(found).update(to)),
        );
        await inside
          .db('artifact_versions')
          .where({ artifact_id: id })
          .update({ workspace_id: workspaceId });
        return true;
      }),
    async markDeleted(id, at) {
      return (
        isId(id) &&
        (await db('artifacts')
          .where({ id })
          .whereNull('deleted_at')
          .update({ deleted_at: at, name_key: id })) > 0
      );
    },
  };
};
