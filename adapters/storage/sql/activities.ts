// What was made in a project, of several tables: of each as many of the newest as a page may need, by its index.
import type { Fragment } from '#ports/sql-dialect';
import type { Activity, ActivityStore } from '#ports/storage/activities';
import { textIn, type Row } from './authorship.js';
import type { Connection } from './connection.js';
import { fragment, joined, unionAll, wrap } from './fragment.js';

interface Source {
  readonly from: string;
  /** What the rows are called, and which dataset they are about. */
  readonly columns: string;
  readonly alias: string;
}

const sources: readonly Source[] = [
  {
    from: 'evaluations e where e.workspace_id = ? and e.project_id = ?',
    columns: "'experiment' as type, e.name as name, e.dataset_id as dataset_id",
    alias: 'e',
  },
  {
    from: 'optimizations o where o.workspace_id = ? and o.project_id = ?',
    columns:
      "'optimization' as type, coalesce(o.name, (select d.name from datasets d where d.workspace_id = o.workspace_id and d.id = o.dataset_id)) as name, o.dataset_id as dataset_id",
    alias: 'o',
  },
  {
    from: 'datasets d join dataset_versions v on v.workspace_id = d.workspace_id and v.dataset_id = d.id where d.workspace_id = ? and d.project_id = ?',
    columns:
      "case when d.type = 'dataset' then 'dataset_version' else 'test_suite_version' end as type, d.name as name, d.id as dataset_id",
    alias: 'v',
  },
];

const toActivity = (row: Row): Activity => ({
  type: String(row['type']) as Activity['type'], // the words above
  id: String(row['id']),
  name: textIn(row, 'name'),
  datasetId: textIn(row, 'dataset_id'),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
});

export const activityStore = ({ db, dialect }: Connection): ActivityStore => {
  const read = async (...parts: readonly (string | Fragment)[]): Promise<readonly Row[]> => {
    const { sql, bindings } = joined(...parts);
    return (await dialect.run(db, sql, bindings)) as readonly Row[]; // the columns that the parts name
  };
  return {
    async list({ workspaceId, projectId, offset, limit }) {
      const counts = await read(
        unionAll(
          sources.map(({ from }) =>
            fragment(`select count(*) as n from ${from}`, workspaceId, projectId),
          ),
        ),
      );
      const newest = sources.map(({ from, columns, alias }) =>
        wrap(
          'select * from (',
          fragment(
            `select ${columns}, ${alias}.id as id, ${alias}.created_at as created_at, ${alias}.created_by as created_by from ${from} order by ${alias}.id desc limit ?`,
            workspaceId,
            projectId,
            offset + limit,
          ),
          `) newest_${alias}`,
        ),
      );
      const rows = await read(
        'select * from (',
        unionAll(newest),
        fragment(') a order by a.id desc, a.type limit ? offset ?', limit, offset),
      );
      return {
        total: counts.reduce((sum, row) => sum + Number(row['n']), 0),
        content: rows.map(toActivity),
      };
    },
  };
};
