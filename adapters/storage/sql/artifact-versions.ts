import type { Knex } from 'knex';
import type { ArtifactState, ArtifactVersion } from '#ports/model/artifacts';
import type { ArtifactVersionStore } from '#ports/storage/artifact-versions';
import { nameKeyOf, versionReader, writeTexts, type Row } from './artifact-rows.js';
import { inTransaction, keyOf, orNothing, type Connection } from './connection.js';
import { isId } from './ids.js';

const numberKeys = ['workspace_id', 'name_key', 'version_key'];
const aliasKeyOf = (alias: string): string => keyOf(alias.toLowerCase());

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

export const artifactVersionStore = (connection: Connection): ArtifactVersionStore => {
  const { db, dialect } = connection;
  const { selectVersions, versions } = versionReader(connection);
  const firstVersion = async (query: Knex.QueryBuilder): Promise<ArtifactVersion | undefined> =>
    (await versions(query.limit(1)))[0];

  return {
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
};
