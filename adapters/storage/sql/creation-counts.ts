// Figures over every workspace: what was made in a span of time, which is a range of ids.
import type { Knex } from 'knex';
import { idsBetween } from '#ports/id-time';
import type { CountedKind, CreationCountStore } from '#ports/storage/creation-counts';
import { textIn, type Row } from './authorship.js';
import { whereHolds, type Connection } from './connection.js';
import { isId } from './ids.js';

const tables: Readonly<Record<CountedKind, string>> = {
  dataset: 'datasets',
  evaluation: 'evaluations',
  span: 'spans',
  trace: 'traces',
};

/** How many rows were made, by what they lie in and by user. */
const counted = (
  db: Knex,
  table: string,
  of: 'project_id' | 'workspace_id',
  [from, before]: readonly [number, number],
): Knex.QueryBuilder => {
  const { fromId, toId } = idsBetween(from, before);
  return db(table)
    .select(of, 'created_by', { n: db.raw('count(*)') })
    .where('id', '>=', fromId)
    .where('id', '<=', toId)
    .groupBy(of, 'created_by');
};

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

export const creationCountStore = ({
  db,
  dialect,
  inTransaction,
}: Connection): CreationCountStore => {
  /** Reads that look at a whole day of the installation: with room to remember, and ended after a while. */
  const reading = <T>(work: (on: Knex) => Promise<T>): Promise<T> =>
    inTransaction ? work(db) : dialect.withLargeWorkMem(db, undefined, work);
  return {
    count: (kind, from, before) =>
      reading(async (on) => {
        const span = [from, before] as const;
        const rows = (await (kind === 'dataset' || kind === 'evaluation'
          ? counted(on, tables[kind], 'workspace_id', span)
          : on
              .from(counted(on, tables[kind], 'project_id', span).as('m'))
              .join('projects as p', 'p.id', 'm.project_id')
              .select('p.workspace_id', 'm.created_by', { n: on.raw('sum(m.n)') })
              .groupBy('p.workspace_id', 'm.created_by'))) as readonly Row[]; // the columns named
        return rows
          .map((row) => ({
            workspaceId: String(row['workspace_id']),
            userName: String(row['created_by']),
            count: Number(row['n']),
          }))
          .sort(
            (one, other) =>
              compare(one.workspaceId, other.workspaceId) || compare(one.userName, other.userName),
          );
      }),
    countSpans: (from, before) =>
      reading(async (on) => {
        const rows = (await on
          .from(counted(on, 'spans', 'project_id', [from, before]).as('m'))
          .join('projects as p', 'p.id', 'm.project_id')
          .select('p.workspace_id', 'p.name', 'p.deleted_at', 'm.project_id', 'm.created_by', {
            n: 'm.n',
          })) as readonly Row[]; // the columns named
        return rows
          .map((row) => ({
            workspaceId: String(row['workspace_id']),
            projectId: String(row['project_id']),
            projectName: row['deleted_at'] === null ? textIn(row, 'name') : undefined,
            userName: String(row['created_by']),
            count: Number(row['n']),
          }))
          .sort(
            (one, other) =>
              compare(one.workspaceId, other.workspaceId) ||
              compare(one.projectId, other.projectId) ||
              compare(one.userName, other.userName),
          );
      }),
    async findProjects({ workspaceIds, projectIds, name, limit }) {
      const rows = (await db('projects')
        .select('workspace_id', 'id', 'name')
        .whereNull('deleted_at')
        .modify(dialect.among('workspace_id', 'id', workspaceIds.filter(isId)))
        .modify((query) => {
          if (projectIds !== undefined)
            query.modify(dialect.among('id', 'id', projectIds.filter(isId)));
          if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'name'));
        })
        .orderBy([{ column: 'name' }, { column: 'id' }])
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map((row) => ({
        workspaceId: String(row['workspace_id']),
        id: String(row['id']),
        name: String(row['name']),
      }));
    },
  };
};
