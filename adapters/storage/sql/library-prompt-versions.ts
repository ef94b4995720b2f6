// Versions of prompts, and which environments they are for.
import type { Knex } from 'knex';
import type { LibraryPromptVersion, PromptType } from '#ports/model/library-prompts';
import type { LibraryPromptStore, PromptVersionListing } from '#ports/storage/library-prompts';
import { jsonIn, jsonText, textIn, type Row } from './authorship.js';
import { whereHolds, inTransaction, refuseTaken, type Connection } from './connection.js';
import { filtered, ordered } from './field-listing.js';
import {
  idField,
  jsonField,
  listField,
  numberField,
  textField,
  type FieldSources,
} from './field-query.js';
import { isId } from './ids.js';

const columns = [
  'workspace_id',
  'id',
  'prompt_id',
  'number',
  'commit_name',
  'template',
  'metadata',
  'type',
  'change_description',
  'tags',
  'created_at',
  'created_by',
].map((column) => `v.${column}`);

const toVersion = (row: Row, environments: readonly string[]): LibraryPromptVersion => ({
  workspaceId: String(row['workspace_id']),
  promptId: String(row['prompt_id']),
  id: String(row['id']),
  number: Number(row['number']),
  commit: String(row['commit_name']),
  template: String(row['template']),
  metadata: textIn(row, 'metadata'),
  type: String(row['type']) as PromptType, // as it was written
  changeDescription: textIn(row, 'change_description'),
  tags: jsonIn<readonly string[]>(row, 'tags'),
  environments,
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
});

const sources: FieldSources = {
  id: idField('v.id'),
  commit: textField('v.commit_name'),
  version_number: textField("concat('v', v.number)"),
  template: textField('v.template'),
  change_description: textField('v.change_description'),
  type: textField('v.type'),
  created_by: textField('v.created_by'),
  tags: listField('v.tags'),
  metadata: jsonField('v.metadata'),
  created_at: numberField('v.created_at'),
};

const listed = (
  { db, dialect }: Connection,
  { workspaceId, promptId, search, filters }: PromptVersionListing,
): Knex.QueryBuilder => {
  const query = db('library_prompt_versions as v')
    .where({ 'v.workspace_id': workspaceId, 'v.prompt_id': promptId })
    .modify(filtered(dialect, sources, filters));
  if (search !== undefined && search !== '')
    query.modify(whereHolds(dialect, search, 'v.template', 'v.change_description'));
  return query;
};

const readAll = async (
  db: Knex,
  workspaceId: string,
  query: Knex.QueryBuilder,
): Promise<readonly LibraryPromptVersion[]> => {
  const rows = (await query.select(...columns)) as readonly Row[]; // the columns named
  if (rows.length === 0) return [];
  const held = (await db('library_prompt_environments')
    .select('version_id', 'environment')
    .where({ workspace_id: workspaceId })
    .whereIn(
      'version_id',
      rows.map((row) => String(row['id'])),
    )) as readonly Row[]; // the columns named
  const byVersion = new Map<string, string[]>();
  for (const row of held) {
    const id = String(row['version_id']);
    byVersion.set(id, [...(byVersion.get(id) ?? []), String(row['environment'])]);
  }
  return rows.map((row) => toVersion(row, (byVersion.get(String(row['id'])) ?? []).sort()));
};

type VersionMethods = Pick<
  LibraryPromptStore,
  | 'addVersion'
  | 'findVersions'
  | 'findVersion'
  | 'findByCommits'
  | 'findNewest'
  | 'listVersions'
  | 'tagVersions'
  | 'setEnvironments'
>;

export const promptVersions = (connection: Connection): VersionMethods => {
  const { db, dialect } = connection;
  const all = (workspaceId: string, query: Knex.QueryBuilder) => readAll(db, workspaceId, query);
  const ofWorkspace = (workspaceId: string) =>
    db('library_prompt_versions as v').where('v.workspace_id', workspaceId);
  const byIds = (workspaceId: string, ids: readonly string[]) =>
    all(
      workspaceId,
      ofWorkspace(workspaceId)
        .modify(dialect.among('v.id', 'id', ids.filter(isId)))
        .orderBy('v.id'),
    );
  return {
    addVersion: (version) =>
      inTransaction(connection, async (inside) => {
        const { workspaceId, promptId } = version;
        const prompt = { workspace_id: workspaceId, id: promptId };
        const row = (await inside
          .db('library_prompts')
          .select('version_count')
          .where(prompt)
          .forUpdate()
          .first()) as Row | undefined; // the column named
        if (row === undefined) return undefined;
        const number = Number(row['version_count']) + 1;
        await refuseTaken(
          dialect,
          'Prompt version already exists',
          inside.db('library_prompt_versions').insert({
            workspace_id: workspaceId,
            id: version.id,
            prompt_id: promptId,
            number,
            commit_name: version.commit,
            template: version.template,
            metadata: version.metadata ?? null,
            type: version.type,
            change_description: version.changeDescription ?? null,
            tags: jsonText(version.tags),
            created_at: version.createdAt,
            created_by: version.createdBy,
          }),
        );
        await inside.db('library_prompts').where(prompt).update({
          version_count: number,
          last_updated_at: version.createdAt,
          last_updated_by: version.createdBy,
        });
        return { ...version, number, environments: [] };
      }),
    findVersions: byIds,
    async findVersion(workspaceId, promptId, { commit, number, environment }) {
      if (!isId(promptId)) return undefined;
      const query = ofWorkspace(workspaceId)
        .where('v.prompt_id', promptId)
        .orderBy('v.number', 'desc')
        .limit(1);
      if (commit !== undefined) query.where('v.commit_name', commit);
      if (number !== undefined) query.where('v.number', number);
      if (environment !== undefined)
        query.whereIn(
          'v.id',
          db('library_prompt_environments')
            .select('version_id')
            .where({ workspace_id: workspaceId, prompt_id: promptId, environment }),
        );
      return (await all(workspaceId, query))[0];
    },
    findByCommits: (workspaceId, commits) =>
      all(
        workspaceId,
        ofWorkspace(workspaceId)
          .whereIn('v.commit_name', [...commits])
          .orderBy('v.id'),
      ),
    async findNewest(workspaceId, promptIds) {
      const found = await all(
        workspaceId,
        ofWorkspace(workspaceId)
          .join('library_prompts as l', (on) => {
            on.on('l.workspace_id', 'v.workspace_id')
              .andOn('l.id', 'v.prompt_id')
              .andOn('l.version_count', 'v.number');
          })
          .modify(dialect.among('v.prompt_id', 'id', promptIds.filter(isId))),
      );
      return new Map(found.map((one) => [one.promptId, one]));
    },
    async listVersions(listing) {
      const [counted] = (await listed(connection, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      return {
        total: Number(counted?.['n'] ?? 0),
        content: await all(
          listing.workspaceId,
          listed(connection, listing)
            .modify(ordered(dialect, sources, listing.orders, 'v.number desc'))
            .offset(listing.offset)
            .limit(listing.limit),
        ),
      };
    },
    tagVersions: (workspaceId, ids, tags, merge) =>
      inTransaction(connection, async (inside) => {
        const rows = (await inside
          .db('library_prompt_versions')
          .select('id', 'tags')
          .where({ workspace_id: workspaceId })
          .whereIn('id', [...new Set(ids)].filter(isId))
          .orderBy('id')
          .forUpdate()) as readonly Row[]; // the columns named
        // Those that come to have the same tags are written together.
        const byTags = new Map<string, string[]>();
        for (const row of rows) {
          const before = merge ? (jsonIn<readonly string[]>(row, 'tags') ?? []) : [];
          const text = JSON.stringify([...new Set([...before, ...tags])]);
          byTags.set(text, [...(byTags.get(text) ?? []), String(row['id'])]);
        }
        for (const [text, some] of byTags)
          await inside
            .db('library_prompt_versions')
            .where({ workspace_id: workspaceId })
            .whereIn('id', some)
            .update({ tags: text });
      }),
    setEnvironments: (workspaceId, versionId, environments) =>
      inTransaction(connection, async (inside) => {
        const version = isId(versionId)
          ? ((await inside
              .db('library_prompt_versions')
              .select('prompt_id')
              .where({ workspace_id: workspaceId, id: versionId })
              .first()) as Row | undefined) // the column named
          : undefined;
        if (version === undefined) return false;
        const prompt = { workspace_id: workspaceId, prompt_id: String(version['prompt_id']) };
        // One after the other, for a prompt.
        await inside
          .db('library_prompts')
          .select('id')
          .where({ workspace_id: workspaceId, id: prompt.prompt_id })
          .forUpdate();
        await inside
          .db('library_prompt_environments')
          .where(prompt)
          .where((some) =>
            some.where({ version_id: versionId }).orWhereIn('environment', [...environments]),
          )
          .delete();
        const distinct = [...new Set(environments)];
        if (distinct.length > 0)
          await inside
            .db('library_prompt_environments')
            .insert(
              distinct.map((environment) => ({ ...prompt, environment, version_id: versionId })),
            );
        return true;
      }),
  };
};
