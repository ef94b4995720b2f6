// Gives experiments another home, many at once: locks are taken in the one order in which experiments are locked, and the figures of projects come last.
import type { Connection } from './connection.js';
import { inTransaction } from './connection.js';
import { addToCounts } from './project-counts.js';

interface Target {
  readonly workspaceId: string;
  readonly projectId: string;
}
interface HeldRow {
  readonly id: string;
  readonly project_id: string;
}

/** The project, kept from being deleted or moved until the end of the transaction. */
const holdProject = async ({ db }: Connection, to: Target): Promise<boolean> =>
  (await db('projects')
    .select('id')
    .where({ id: to.projectId, workspace_id: to.workspaceId })
    .whereNull('deleted_at')
    .forShare()
    .first()) !== undefined;

/** What experiments have logged becomes columns of a project that they come to. */
export const noteNamesIn = async (
  { db, dialect }: Connection,
  ids: readonly string[],
  projectId: string,
): Promise<void> => {
  await dialect.run(
    db,
    `insert into project_names (project_id, kind, name_key, name, ${db.ref('numeric').toQuery()})
     select p.id, x.sort, x.id, x.called, x.counts
     from projects p join (
       select v.kind as sort, v.name_key as id, min(v.name) as called, max(case when v.number is null then 0 else 1 end) = 1 as counts
       from experiment_values v where ${dialect.anyOf('v.experiment_id', 'id')} group by v.kind, v.name_key) x on 1 = 1
     where p.id = ?
     order by x.sort, x.id ${dialect.onConflict(['project_id', 'kind', 'name_key'], ['unused_at = null'])}`,
    [ids, projectId],
  );
};

/** Notes as of now, also of those that are there: a copy that was begun before may still say where the experiment was. */
const noteStaleIn = async (
  { db, dialect, clock }: Connection,
  ids: readonly string[],
  projectId: string,
): Promise<void> => {
  const stale = (await db('stale_values')
    .distinct('experiment_id', 'series_id')
    .modify(dialect.among('experiment_id', 'id', ids))
    .orderBy(['experiment_id', 'series_id'])) as readonly {
    readonly experiment_id: string;
    readonly series_id: string;
  }[]; // the columns named
  if (stale.length === 0) return;
  await dialect.insertColumns(
    db,
    'stale_values',
    [
      { name: 'project_id', kind: 'id', values: stale.map(() => projectId) },
      { name: 'experiment_id', kind: 'id', values: stale.map((row) => row.experiment_id) },
      { name: 'series_id', kind: 'id', values: stale.map((row) => row.series_id) },
      { name: 'at', kind: 'whole', values: stale.map(() => clock.now()) },
    ],
    dialect.onConflict(
      ['project_id', 'experiment_id', 'series_id'],
      [`at = ${dialect.incoming('at')}`],
    ),
  );
};

/** As the store's `move`, adding to the figures of this slot. */
export const moveExperiments = (
  connection: Connection,
  slot: number,
  ids: readonly string[],
  to: Target,
): Promise<readonly string[] | 'homeless'> =>
  inTransaction(connection, async (inside) => {
    const { db, dialect } = inside;
    if (!(await holdProject(inside, to))) return 'homeless';
    const held = (await db('experiments')
      .modify(dialect.among('id', 'id', ids))
      .whereNull('deleted_at')
      .select('id', 'project_id')
      .orderBy('id')
      .forUpdate()) as readonly HeldRow[]; // the columns named
    if (held.length === 0) return [];
    const some = held.map(({ id }) => id);
    const of = (table: string, column = 'experiment_id') =>
      db(table).modify(dialect.among(column, 'id', some));
    await of('experiments', 'id').update({
      workspace_id: to.workspaceId,
      project_id: to.projectId,
    });
    await of('experiment_links').where({ project_id: to.projectId }).delete();
    await of('experiment_values').update({ project_id: to.projectId });
    await noteStaleIn(inside, some, to.projectId);
    await noteNamesIn(inside, some, to.projectId);
    await addToCounts(
      inside,
      slot,
      held.flatMap(({ project_id }) => [
        [project_id, -1],
        [to.projectId, 1],
      ]),
    );
    return some;
  });
