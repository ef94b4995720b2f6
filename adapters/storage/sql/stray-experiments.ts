// Experiments that were placed on one node of a cluster while another one deleted or moved their project: nodes do not see each other's locks.
import { inTransaction, keyOf, type Connection } from './connection.js';
import { experimentStore } from './experiments.js';
import { drain, pageRows, withoutHeld, workThrough } from './queue-faults.js';
import { lockWorkspace } from './workspace-lock.js';

interface DeletedProject {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
}

/** Moves what turned up in one deleted project to the live one of its name; without one, the project comes back. */
const moveOut = (
  connection: Connection,
  { id, workspace_id, name }: DeletedProject,
): Promise<void> =>
  inTransaction(connection, async (inside) => {
    const { db } = inside;
    if (!(await lockWorkspace(inside, workspace_id))) return;
    const name_key = keyOf(workspace_id, name);
    const heir = await db('projects')
      .select('id')
      .where({ name_key })
      .whereNull('deleted_at')
      .forUpdate()
      .first<{ readonly id: string } | undefined>();
    if (heir === undefined)
      await db('projects')
        .where({ id })
        .update({ deleted_at: null, name_key, keeps_experiments: false });
    else await experimentStore(inside).moveAll(id, heir.id);
  });

const moveAlong = (connection: Connection, project_id: string, before: number): Promise<void> =>
  inTransaction(connection, async ({ db }) => {
    const project = await db('projects')
      .select('workspace_id')
      .where({ id: project_id })
      .forUpdate()
      .first<{ readonly workspace_id: string } | undefined>();
    if (project !== undefined)
      await db('experiments')
        .where({ project_id })
        .whereNot({ workspace_id: project.workspace_id })
        .update({ workspace_id: project.workspace_id });
    await db('moved_projects').where({ project_id }).where('at', '<=', before).delete();
  });

/** Moves experiments out of projects that were deleted without them. */
export const moveStrays = async (connection: Connection, signal: AbortSignal): Promise<void> => {
  const { db, dialect, clock } = connection;
  const strays = db('experiments as e')
    .select('e.id')
    .whereRaw('e.project_id = p.id')
    .whereNull('e.deleted_at');
  // One page a run: what belongs to no workspace any more stays, and the audit tells of it.
  const items = (await db('projects as p')
    .whereNotNull('p.deleted_at')
    .where('p.keeps_experiments', true)
    .whereExists(strays)
    .modify(withoutHeld(connection, 'stray-experiments', dialect.idAsText('p.id'), clock.now()))
    .orderBy('p.id')
    .limit(pageRows)
    .select('p.id', 'p.workspace_id', 'p.name')) as readonly DeletedProject[]; // the columns named
  await workThrough(connection, {
    queue: 'stray-experiments',
    items,
    idOf: ({ id }) => id,
    work: (project) => moveOut(connection, project),
    signal,
  });
};

/** Takes experiments along that turned up in a project while it was given to another workspace, up to a time. */
export const followMoves = async (
  connection: Connection,
  before: number,
  signal: AbortSignal,
): Promise<void> => {
  const { db, dialect, clock } = connection;
  await drain(connection, {
    queue: 'project-move',
    idOf: ({ project_id }) => project_id,
    signal,
    work: ({ project_id }) => moveAlong(connection, project_id, before),
    page: async () =>
      (await db('moved_projects')
        .where('at', '<=', before)
        .modify(
          withoutHeld(
            connection,
            'project-move',
            dialect.idAsText('moved_projects.project_id'),
            clock.now(),
          ),
        )
        .orderBy(['at', 'project_id'])
        .limit(pageRows)
        .select('project_id')) as readonly { readonly project_id: string }[], // the column named
  });
};
