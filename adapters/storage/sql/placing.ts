// A new experiment's own row.
import type { NewExperiment } from '#ports/storage/experiments';
import type { Knex } from 'knex';
import type { Dialect } from '#ports/sql-dialect';
import { refuseTaken, type Connection } from './connection.js';

/** Inserts an experiment where its project is still there, in its workspace; the project is kept so until the transaction ends. Answers how many rows were inserted. */
const insertInto = async (
  db: Knex,
  dialect: Dialect,
  experiment: NewExperiment,
): Promise<number> => {
  return dialect.insertWhile(db, 'experiments', rowOf(experiment), {
    table: 'projects',
    condition: 'id = ? and workspace_id = ? and deleted_at is null',
    bindings: [experiment.projectId, experiment.workspaceId],
  });
};

/** A new experiment by the names of columns. */
export const rowOf = (experiment: NewExperiment): Readonly<Record<string, unknown>> => ({
  id: experiment.id,
  key: experiment.key,
  workspace_id: experiment.workspaceId,
  project_id: experiment.projectId,
  user_id: experiment.userId,
  name: experiment.name,
  created_at: experiment.createdAt,
  start_time: experiment.createdAt,
  end_time: experiment.createdAt,
  start_set: false,
  end_set: false,
  last_seen_at: experiment.createdAt,
  beat_ms: experiment.beatMs,
  alive: experiment.alive,
  reports_end: experiment.reportsEnd,
  has_crashed: false,
  archived: false,
  offline: experiment.offline,
  processing: false,
  throttle: false,
});

/** The same; says whether its project is there. Rejects with `conflict` when the key is taken. */
export const insertAtHome = async (
  { db, dialect }: Connection,
  experiment: NewExperiment,
): Promise<boolean> => {
  let placed = 0;
  await refuseTaken(
    dialect,
    `experiment ${experiment.key} exists already`,
    insertInto(db, dialect, experiment).then((count) => {
      placed = count;
    }),
  );
  return placed > 0;
};
