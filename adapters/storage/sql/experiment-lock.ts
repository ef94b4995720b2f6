// How every change of what belongs to an experiment begins: its row first, so that all transactions meet in one order.
import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import { inTransaction, isTrue, type Connection } from './connection.js';
import { batchByKey } from './batch-by-key.js';

/** An experiment's activity is written at most this often, in ms. */
export const activityMs = 1000;
/** Changes of one experiment that share a transaction, and that may wait. */
const together = 50;
const mostWaiting = 5000;

interface LockedRow {
  readonly project_id: string;
  readonly alive: unknown;
  readonly last_seen_at: unknown;
}

/** Where an experiment is at home. */
export interface Home {
  readonly projectId: string;
}

const lockExperiment = async ({ db, clock }: Connection, id: string): Promise<Home> => {
  const row = await db('experiments')
    .select('project_id', 'alive', 'last_seen_at')
    .where({ id })
    .whereNull('deleted_at')
    .forUpdate()
    .first<LockedRow | undefined>();
  if (row === undefined)
    throw new Failure('absent', 'the experiment no longer exists', { reason: 'runAbsent' });
  const now = clock.now();
  if (isTrue(row.alive) && Number(row.last_seen_at) + activityMs <= now)
    await db('experiments')
      .where({ id })
      .update({
        last_seen_at: now,
        end_time: db.raw('case when not end_set and end_time < ? then ? else end_time end', [
          now,
          now,
        ]),
      });
  return { projectId: row.project_id };
};

type Work = (inside: Connection, home: Home) => Promise<unknown>;
interface Change {
  readonly id: string;
  readonly work: Work;
}

const runTogether = (
  connection: Connection,
  changes: readonly Change[],
): Promise<readonly unknown[]> =>
  inTransaction(connection, async (inside) => {
    const home = await lockExperiment(inside, changes[0]?.id ?? '');
    const results: unknown[] = [];
    for (const { work } of changes) results.push(await work(inside, home));
    return results;
  });

const batchers = new WeakMap<Knex, (change: Change) => Promise<unknown>>();

/**
 * Changes what belongs to an experiment, in a transaction that holds the experiment's row; a running one's activity is noted. Changes of
 * one experiment take turns here, not each on a connection of its own, and those that wait together share a transaction and its commit.
 * Resolves once it is durable. Rejects with `absent` when the experiment is gone, `unavailable` when too many changes wait. `work` may run again.
 */
export const changeExperiment = async <T>(
  connection: Connection,
  id: string,
  work: (inside: Connection, home: Home) => Promise<T>,
): Promise<T> => {
  if (connection.inTransaction) return work(connection, await lockExperiment(connection, id));
  const join =
    batchers.get(connection.db) ??
    batchByKey<Change, unknown>(
      { keyOf: (change) => change.id, together, waiting: mostWaiting },
      (changes) => runTogether(connection, changes),
    );
  batchers.set(connection.db, join);
  return (await join({ id, work })) as T; // the result of `work`
};

/** Notes that a request was received, inside `changeExperiment`. Says whether it is the first of its id. */
export const takeDigest = async (
  { db }: Connection,
  experimentId: string,
  requestId: string | undefined,
  at: number,
): Promise<boolean> => {
  if (requestId === undefined) return true;
  if (
    (await db('received_requests')
      .select('request_id')
      .where({ experiment_id: experimentId, request_id: requestId })
      .first()) !== undefined
  )
    return false;
  await db('received_requests').insert({ experiment_id: experimentId, request_id: requestId, at });
  return true;
};
