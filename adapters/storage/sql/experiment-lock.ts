// How every change of what belongs to an experiment begins: its row first, so that all transactions meet in one order.
import { Failure } from '#ports/failure';
import type { Connection } from './connection.js';

/** An experiment's activity is written at most this often, in ms. */
const activityMs = 1000;

interface LockedRow { readonly project_id: string; readonly alive: unknown; readonly last_seen_at: unknown }

/** Locks the experiment's row, and notes the activity of one that runs. Rejects with `absent` when it is gone. */
export const lockExperiment = async ({ db, clock }: Connection, id: string): Promise<{ readonly projectId: string }> => {
  const row = await db('experiments').select('project_id', 'alive', 'last_seen_at').where({ id }).whereNull('deleted_at').forUpdate().first<LockedRow | undefined>();
  if (row === undefined) throw new Failure('absent', 'the experiment no longer exists', { code: 90211 });
  const now = clock.now();
  if (Boolean(row.alive) && Number(row.last_seen_at) + activityMs <= now)
    await db('experiments').where({ id }).update({ last_seen_at: now, end_time: db.raw('case when not end_set and end_time < ? then ? else end_time end', [now, now]) });
  return { projectId: row.project_id };
};

/** Notes that a request was received, under the lock of its experiment. Says whether it is the first of its digest. */
export const takeDigest = async ({ db }: Connection, experimentId: string, digest: string | undefined, at: number): Promise<boolean> => {
  if (digest === undefined) return true;
  if ((await db('received').select('digest').where({ experiment_id: experimentId, digest }).first()) !== undefined) return false;
  await db('received').insert({ experiment_id: experimentId, digest, at });
  return true;
};
