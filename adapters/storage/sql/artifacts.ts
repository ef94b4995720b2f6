import type { ArtifactVersionStore } from '#ports/storage/artifact-versions';
import type { ArtifactUseStore } from '#ports/storage/artifact-uses';
import type { Stores } from '#ports/storage/storage';
import type { Knex } from 'knex';
import type { Artifact, ArtifactState, ArtifactVersion } from '#ports/model/artifacts';
import type { ArtifactStore } from '#ports/storage/artifacts';
import {
  inTransaction,
  isTrue,
  keyOf,
  orNothing,
  refuseTaken,
  type Connection,
} from './connection.js';
import { isId } from './ids.js';
import { requireWorkspace } from './workspace-lock.js';

interface ArtifactRow {
  readonly artifact_id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly artifact_metadata: string | null;
  readonly public: unknown;
  readonly emoji: string | null;
  readonly artifact_tags: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly artifact_experiment_key: string;
  readonly artifact_owner: string | null;
  readonly artifact_created_at: unknown;
}
interface VersionRow extends ArtifactRow {
  readonly id: string;
  readonly version: string;
  readonly state: ArtifactState;
  readonly experiment_id: string;
  readonly experiment_key: string;
  readonly owner: string | null;
  readonly metadata: string | null;
  readonly note: string | null;
  readonly tags: string | null;
  readonly size_in_bytes: unknown;
  readonly created_at: unknown;
}

const artifactColumns = {
  artifact_id: 'a.id',
  workspace_id: 'a.workspace_id',
  workspace_name: 'w.name',
  name: 'a.name',
  type: 'a.type',
  description: 'a.description',
  artifact_metadata: 'a.metadata',
  public: 'a.public',
  emoji: 'a.emoji',
  artifact_tags: 'a.tags',
  project_id: 'p.id',
  project_name: 'p.name',
  artifact_experiment_key: 'a.experiment_key',
  artifact_owner: 'u.name',
  artifact_created_at: 'a.created_at',
};
const versionColumns = {
  id: 'v.id',
  version: 'v.version',
  state: 'v.state',
  experiment_id: 'v.experiment_id',
  experiment_key: 'v.experiment_key',
  owner: 'm.name',
  metadata: 'v.metadata',
  note: 'v.note',
  tags: 'v.tags',
  size_in_bytes: 'v.size_in_bytes',
  created_at: 'v.created_at',
};

const readTexts = (stored: string | null): readonly string[] =>
  stored === null ? [] : (JSON.parse(stored) as string[]); // written by `writeTexts`
const writeTexts = (texts: readonly string[]): string | null =>
  texts.length === 0 ? null : JSON.stringify(texts);

const toArtifact = (row: ArtifactRow): Artifact => ({
  id: row.artifact_id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  name: row.name,
  type: row.type,
  description: orNothing(row.description),
  metadata: orNothing(row.artifact_metadata),
  public: isTrue(row.public),
  emoji: orNothing(row.emoji),
  tags: readTexts(row.artifact_tags),
  projectId: orNothing(row.project_id),
  projectName: orNothing(row.project_name),
  experimentKey: row.artifact_experiment_key,
  ownerName: row.artifact_owner ?? '',
  createdAt: Number(row.artifact_created_at),
});
const toVersion = (row: VersionRow, aliases: readonly string[]): ArtifactVersion => ({
  id: row.id,
  artifact: toArtifact(row),
  version: row.version,
  state: row.state,
  experimentId: row.experiment_id,
  experimentKey: row.experiment_key,
  ownerName: row.owner ?? '',
  metadata: orNothing(row.metadata),
  note: orNothing(row.note),
  tags: readTexts(row.tags),
  aliases,
  sizeInBytes: Number(row.size_in_bytes),
  createdAt: Number(row.created_at),
});

const numberKeys = ['workspace_id', 'name_key', 'version_key'];
const nameKeyOf = (workspaceId: string, name: string): string => keyOf(workspaceId, name);
const aliasKeyOf = (alias: string): string => keyOf(alias.toLowerCase());

const joined = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query
    .join('workspaces as w', 'w.id', 'a.workspace_id')
    .leftJoin('users as u', 'u.id', 'a.owner_id')
    .leftJoin('projects as p', (on) => {
      on.on('p.id', 'a.project_id').andOnNull('p.deleted_at');
    })
    .whereNull('a.deleted_at')
    .select(artifactColumns);

/** The artifact of a version, locked: what two changes of its aliases or numbers must agree on is decided one after the other. */
const lockArtifactOf = async (db: Knex, versionId: string): Promise<string | undefined> => {
  const version = isId(versionId)
    ? await db('artifact_versions')
        .select('artifact_id')
        .where({ id: versionId })
        .whereNull('deleted_at')
        .first<{ readonly artifact_id: string } | undefined>()
    : undefined;
  if (version === undefined) return undefined;
  const artifact = await db('artifacts')
    .select('id')
    .where({ id: version.artifact_id })
    .whereNull('deleted_at')
    .forUpdate()
    .first<{ readonly id: string } | undefined>();
  return artifact?.id;
};

type Row = Readonly<Record<string, string | number | boolean | null>>;

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

/** Takes a number and makes the version that has it; says whether the number was free. */
const insertNumbered = async (
  { db, dialect }: Connection,
  number: Row,
  version: Row,
): Promise<boolean> => {
  const taken = {
    ...number,
    version: version['version'] ?? null,
    order_key: version['order_key'] ?? null,
    version_id: version['id'] ?? null,
  };
  if (dialect.pipelined === undefined) {
    const fresh = await dialect.insertFresh(
      db,
      'artifact_numbers',
      numberKeys,
      Object.entries(taken).map(([name, value]) => ({
        name,
        kind: name.endsWith('_id') ? 'id' : 'text',
        values: [value],
      })),
    );
    if (fresh > 0) await db('artifact_versions').insert(version);
    return fresh > 0;
  }
  const [numbers, names] = [Object.keys(taken), Object.keys(version)];
  const made = await dialect.run(
    db,
    `with n as (insert into artifact_numbers (${numbers.join(', ')}) values (${numbers.map(() => '?').join(', ')}) ${dialect.onConflictIgnore(numberKeys)} returning version_id)
insert into artifact_versions (${names.join(', ')}) select ${names.map(() => '?').join(', ')} from n returning id`,
    [...Object.values(taken), ...Object.values(version)],
  );
  return made.length > 0;
};

const moveAlias = async (
  db: Knex,
  artifactId: string,
  to: { readonly version_id: string; readonly alias: string; readonly position: number },
): Promise<void> => {
  const alias_key = aliasKeyOf(to.alias);
  await db('artifact_aliases').where({ artifact_id: artifactId, alias_key }).delete();
  await db('artifact_aliases').insert({ artifact_id: artifactId, alias_key, ...to });
};

export const artifactStores = (
  connection: Connection,
): Pick<Stores, 'artifacts' | 'artifactVersions' | 'artifactUses'> => {
  const { db, dialect } = connection;
  const selectArtifacts = () => joined(db('artifacts as a'));
  const selectVersions = () =>
    joined(
      db('artifact_versions as v')
        .join('artifacts as a', 'a.id', 'v.artifact_id')
        .leftJoin('users as m', 'm.id', 'v.owner_id'),
    )
      .whereNull('v.deleted_at')
      .select(versionColumns);
  const findArtifact = async (query: Knex.QueryBuilder): Promise<Artifact | undefined> => {
    const [row] = (await query.limit(1)) as readonly ArtifactRow[]; // the columns named above
    return row === undefined ? undefined : toArtifact(row);
  };
  const versions = async (query: Knex.QueryBuilder): Promise<readonly ArtifactVersion[]> => {
    const rows = (await query) as readonly VersionRow[]; // the columns named above
    if (rows.length === 0) return [];
    const held = (await db('artifact_aliases')
      .select('version_id', 'alias')
      .modify(
        dialect.among(
          'version_id',
          'id',
          rows.map((row) => row.id),
        ),
      )
      .orderBy(['version_id', 'position'])) as readonly {
      readonly version_id: string;
      readonly alias: string;
    }[]; // the columns named
    const aliases = new Map<string, string[]>(rows.map((row) => [row.id, []]));
    for (const { version_id, alias } of held) aliases.get(version_id)?.push(alias);
    return rows.map((row) => toVersion(row, aliases.get(row.id) ?? []));
  };
  const firstVersion = async (query: Knex.QueryBuilder): Promise<ArtifactVersion | undefined> =>
    (await versions(query.limit(1)))[0];

  const artifacts: ArtifactStore = {
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
        const found = await artifactStores(inside).artifacts.findByName(workspaceId, name);
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
  const artifactVersions: ArtifactVersionStore = {
    insertVersion: ({
      id,
      artifact,
      version,
      order,
      experimentId,
      experimentKey,
      ownerId,
      metadata,
      note,
      tags,
      createdAt,
    }) =>
      inTransaction(connection, async ({ db: inside }) => {
        const number = {
          workspace_id: artifact.workspaceId,
          name_key: nameKeyOf(artifact.workspaceId, artifact.name),
          version_key: keyOf(version),
        };
        const row: Row = {
          id,
          artifact_id: artifact.id,
          workspace_id: artifact.workspaceId,
          version,
          order_key: order,
          state: 'OPEN',
          experiment_id: experimentId,
          experiment_key: experimentKey,
          owner_id: ownerId,
          metadata: metadata ?? null,
          note: note ?? null,
          tags: writeTexts(tags),
          files: 0,
          size_in_bytes: 0,
          created_at: createdAt,
        };
        const made = await insertNumbered({ ...connection, db: inside }, number, row);
        if (!made) {
          const holder = await inside('artifact_numbers')
            .select('version_id')
            .where(number)
            .first<{ readonly version_id: string }>();
          const there = await inside('artifact_versions')
            .select('id')
            .where({ id: holder.version_id, artifact_id: artifact.id })
            .whereNull('deleted_at')
            .first<{ readonly id: string } | undefined>();
          return there === undefined ? 'used' : 'taken';
        }
        return 'made';
      }),
    async findHighest({ id, workspaceId, name }) {
      const [row] = (await dialect.run(
        db,
        `select (select version from artifact_versions where artifact_id = ? and deleted_at is null order by order_key desc limit 1) as present,
(select version from artifact_numbers where workspace_id = ? and name_key = ? order by order_key desc limit 1) as ever`,
        [id, workspaceId, nameKeyOf(workspaceId, name)],
      )) as readonly { readonly present: string | null; readonly ever: string | null }[]; // one row of the columns named
      return { present: orNothing(row?.present), ever: orNothing(row?.ever) };
    },
    async findHighestNumber(workspaceId, name) {
      const row = await db('artifact_numbers')
        .select('version')
        .where({ workspace_id: workspaceId, name_key: nameKeyOf(workspaceId, name) })
        .orderBy('order_key', 'desc')
        .first<{ readonly version: string } | undefined>();
      return row?.version;
    },
    findVersion: async (id) =>
      isId(id) ? firstVersion(selectVersions().where('v.id', id)) : undefined,
    async findVersionByNumber(artifactId, version) {
      const found = await firstVersion(
        selectVersions().where({ 'v.artifact_id': artifactId, 'v.version': version }),
      );
      return found?.version === version ? found : undefined; // one engine takes a number with a blank behind it for the same
    },
    async findVersionByAlias(artifactId, alias) {
      const held = await db('artifact_aliases')
        .select('version_id')
        .where({ artifact_id: artifactId, alias_key: aliasKeyOf(alias) })
        .first<{ readonly version_id: string } | undefined>();
      return held === undefined
        ? undefined
        : firstVersion(selectVersions().where('v.id', held.version_id));
    },
    findHighestVersion: (artifactId, state) =>
      firstVersion(
        selectVersions()
          .where({
            'v.artifact_id': artifactId,
            ...(state === undefined ? {} : { 'v.state': state }),
          })
          .orderBy('v.order_key', 'desc'),
      ),
    listVersions(artifactId, afterId, limit) {
      const query = selectVersions()
        .where('v.artifact_id', artifactId)
        .orderBy('v.order_key')
        .limit(limit);
      if (afterId !== undefined)
        query.andWhere(
          'v.order_key',
          '>',
          db('artifact_versions').select('order_key').where({ id: afterId }),
        );
      return versions(query);
    },
    listVersionsByIds: async (ids) =>
      versions(
        selectVersions()
          .modify(dialect.among('v.id', 'id', ids.filter(isId)))
          .orderBy('v.id'),
      ),
    finishVersion: (id, state) =>
      inTransaction(connection, async ({ db: inside }) => {
        if ((await lockArtifactOf(inside, id)) === undefined) return undefined;
        await inside('artifact_versions')
          .where({ id, state: 'OPEN' })
          .whereNull('deleted_at')
          .update({ state });
        const row = await inside('artifact_versions')
          .select('state')
          .where({ id })
          .whereNull('deleted_at')
          .first<{ readonly state: ArtifactState } | undefined>();
        return row?.state;
      }),
    updateVersion: (id, { metadata, tags }) =>
      inTransaction(connection, async ({ db: inside }) => {
        if ((await lockArtifactOf(inside, id)) === undefined) return false;
        const change = {
          ...(metadata === undefined ? {} : { metadata }),
          ...(tags === undefined ? {} : { tags: writeTexts(tags) }),
        };
        if (Object.keys(change).length > 0)
          await inside('artifact_versions').where({ id }).update(change);
        return true;
      }),
    setAliases: (id, aliases) =>
      inTransaction(connection, async ({ db: inside }) => {
        const artifactId = await lockArtifactOf(inside, id);
        if (artifactId === undefined) return false;
        await inside('artifact_aliases').where({ version_id: id }).delete();
        for (const [position, alias] of aliases.entries())
          await moveAlias(inside, artifactId, { version_id: id, alias, position });
        return true;
      }),
    addAlias: (id, alias) =>
      inTransaction(connection, async ({ db: inside }) => {
        const artifactId = await lockArtifactOf(inside, id);
        if (artifactId === undefined) return false;
        const [last] = (await inside('artifact_aliases')
          .where({ version_id: id })
          .max({ position: 'position' })) as readonly { readonly position: unknown }[]; // one row of one column
        await moveAlias(inside, artifactId, {
          version_id: id,
          alias,
          position: Number(last?.position ?? -1) + 1,
        });
        return true;
      }),
    markVersionDeleted: (id, at) =>
      inTransaction(connection, async ({ db: inside }) => {
        if ((await lockArtifactOf(inside, id)) === undefined) return false;
        return (
          (await inside('artifact_versions')
            .where({ id })
            .whereNull('deleted_at')
            .update({ deleted_at: at })) > 0
        );
      }),
  };
  const artifactUses: ArtifactUseStore = {
    async noteUse(experimentId, versionId, at) {
      await db('artifact_uses')
        .insert({ experiment_id: experimentId, version_id: versionId, used_at: at })
        .onConflict(['experiment_id', 'version_id'])
        .ignore();
    },
    listMade: (experimentId, limit) =>
      versions(
        selectVersions()
          .where('v.experiment_id', experimentId)
          .orderBy(['v.created_at', 'v.id'])
          .limit(limit),
      ),
    listUsed: (experimentId, limit) =>
      versions(
        selectVersions()
          .join('artifact_uses as s', 's.version_id', 'v.id')
          .where('s.experiment_id', experimentId)
          .orderBy(['s.used_at', 'v.id'])
          .limit(limit),
      ),
    async listUses(versionId, limit) {
      const rows = (await db('artifact_uses')
        .select('experiment_id', 'used_at')
        .where({ version_id: versionId })
        .orderBy(['used_at', 'experiment_id'])
        .limit(limit)) as readonly { readonly experiment_id: string; readonly used_at: unknown }[]; // the columns named
      return rows.map((row) => ({ experimentId: row.experiment_id, usedAt: Number(row.used_at) }));
    },
  };
  return { artifacts, artifactVersions, artifactUses };
};
