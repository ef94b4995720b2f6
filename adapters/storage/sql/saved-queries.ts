import { Failure } from '#ports/failure';
import type { SavedQuery } from '#ports/model/saved-queries';
import { mostSavedQueries, type SavedQueryStore } from '#ports/storage/saved-queries';
import { textIn, type Row } from './authorship.js';
import { refuseTaken, type Connection } from './connection.js';
import { isId } from './ids.js';

const columns = ['workspace_id', 'id', 'project_id', 'sql_text', 'created_at', 'created_by'];

const toQuery = (row: Row): SavedQuery => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  sql: String(row['sql_text']),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
});

export const savedQueryStore = ({ db, dialect }: Connection): SavedQueryStore => ({
  async insert({ workspaceId, id, projectId, sql, createdAt, createdBy }) {
    const [count] = await db('saved_queries')
      .where({ workspace_id: workspaceId })
      .count({ n: '*' });
    if (Number(count?.['n'] ?? 0) >= mostSavedQueries)
      throw new Failure('conflict', `a workspace has at most ${mostSavedQueries} saved queries`);
    await refuseTaken(
      dialect,
      'the query already exists',
      db('saved_queries').insert({
        workspace_id: workspaceId,
        id,
        project_id: projectId ?? null,
        sql_text: sql,
        created_at: createdAt,
        created_by: createdBy,
      }),
    );
  },
  async find(workspaceId, id) {
    if (!isId(id)) return undefined;
    const row = (await db('saved_queries')
      .select(...columns)
      .where({ workspace_id: workspaceId, id })
      .first()) as Row | undefined; // the columns named
    return row && toQuery(row);
  },
});
