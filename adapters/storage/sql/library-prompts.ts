import type { Knex } from 'knex';
import type { LibraryPrompt, PromptStructure } from '#ports/model/library-prompts';
import type { LibraryPromptStore, PromptListing } from '#ports/storage/library-prompts';
import {
  authorshipColumns,
  authorshipRow,
  changedColumns,
  jsonIn,
  jsonText,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import {
  whereHolds,
  inTransaction,
  newestNamed,
  keyOf,
  refuseTaken,
  type Connection,
} from './connection.js';
import { filtered, ordered } from './field-listing.js';
import { idField, listField, numberField, textField, type FieldSources } from './field-query.js';
import { isId } from './ids.js';
import { promptVersions } from './library-prompt-versions.js';

const columns = [
  'workspace_id',
  'id',
  'project_id',
  'name',
  'description',
  'structure',
  'tags',
  'version_count',
  ...authorshipColumns,
];

const toPrompt = (row: Row): LibraryPrompt => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  name: String(row['name']),
  description: textIn(row, 'description'),
  structure: String(row['structure']) as PromptStructure, // as it was written
  tags: jsonIn<readonly string[]>(row, 'tags'),
  versionCount: Number(row['version_count']),
  ...toAuthorship(row),
});

/** What is unique: the name in its project, or among those of the workspace alone. */
const nameKey = ({
  workspaceId,
  projectId,
  name,
}: Pick<LibraryPrompt, 'workspaceId' | 'projectId' | 'name'>): string =>
  keyOf(workspaceId, projectId ?? '', name);

const taken = 'Prompt already exists';

const sources: FieldSources = {
  id: idField('id'),
  name: textField('name'),
  description: textField('description'),
  created_by: textField('created_by'),
  last_updated_by: textField('last_updated_by'),
  template_structure: textField('structure'),
  tags: listField('tags'),
  version_count: numberField('version_count'),
  created_at: numberField('created_at'),
  last_updated_at: numberField('last_updated_at'),
};

const listed = (
  { db, dialect }: Connection,
  { workspaceId, projectId, name, filters }: PromptListing,
): Knex.QueryBuilder => {
  const query = db('library_prompts').where({ workspace_id: workspaceId });
  if (projectId !== undefined) query.where({ project_id: projectId });
  if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'name'));
  return query.modify(filtered(dialect, sources, filters));
};

export const libraryPromptStore = (connection: Connection): LibraryPromptStore => {
  const { db, dialect } = connection;
  const select = () => db('library_prompts').select(...columns);
  const first = async (query: Knex.QueryBuilder): Promise<LibraryPrompt | undefined> => {
    const row = (await query.first()) as Row | undefined; // the columns named
    return row === undefined ? undefined : toPrompt(row);
  };
  return {
    ...promptVersions(connection),
    insert: (prompt) =>
      refuseTaken(
        dialect,
        taken,
        db('library_prompts').insert({
          workspace_id: prompt.workspaceId,
          id: prompt.id,
          project_id: prompt.projectId ?? null,
          name: prompt.name,
          name_key: nameKey(prompt),
          description: prompt.description ?? null,
          structure: prompt.structure,
          tags: jsonText(prompt.tags),
          version_count: 0,
          ...authorshipRow(prompt),
        }),
      ),
    find: async (workspaceId, id) =>
      isId(id) ? first(select().where({ workspace_id: workspaceId, id })) : undefined,
    async findMany(workspaceId, ids) {
      const rows = (await select()
        .where({ workspace_id: workspaceId })
        .modify(dialect.among('id', 'id', ids.filter(isId)))) as readonly Row[]; // the columns named
      return rows.map(toPrompt);
    },
    findByName: (workspaceId, projectId, name) =>
      first(select().where({ name_key: nameKey({ workspaceId, projectId, name }) })),
    findAnywhere: async (workspaceId, name) =>
      (await first(
        select().where({ name_key: nameKey({ workspaceId, projectId: undefined, name }) }),
      )) ?? first(select().modify(newestNamed(dialect, workspaceId, name))),
    async list(listing) {
      const [counted] = (await listed(connection, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      const rows = (await listed(connection, listing)
        .select(...columns)
        .modify(ordered(dialect, sources, listing.orders, 'id desc'))
        .offset(listing.offset)
        .limit(listing.limit)) as readonly Row[]; // the columns named
      return { total: Number(counted?.['n'] ?? 0), content: rows.map(toPrompt) };
    },
    update: (workspaceId, id, change) =>
      inTransaction(connection, async (inside) => {
        const one = { workspace_id: workspaceId, id };
        const row = isId(id)
          ? ((await inside
              .db('library_prompts')
              .select(...columns)
              .where(one)
              .forUpdate()
              .first()) as Row | undefined) // the columns named
          : undefined;
        if (row === undefined) return false;
        await refuseTaken(
          dialect,
          taken,
          inside
            .db('library_prompts')
            .where(one)
            .update({
              ...changedColumns(change, {
                name: 'name',
                description: 'description',
                tags: 'tags',
              }),
              name_key: nameKey({ ...toPrompt(row), name: change.name ?? String(row['name']) }),
              ...touchRow(change),
            }),
        );
        return true;
      }),
    remove: (workspaceId, ids) =>
      inTransaction(connection, async (inside) => {
        const some = [...new Set(ids)].filter(isId).sort(); // in one order for everybody
        const ofWorkspace = { workspace_id: workspaceId };
        await inside.db('library_prompts').where(ofWorkspace).whereIn('id', some).delete();
        for (const table of ['library_prompt_environments', 'library_prompt_versions'])
          await inside.db(table).where(ofWorkspace).whereIn('prompt_id', some).delete();
      }),
  };
};
