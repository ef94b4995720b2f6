import type { Knex } from 'knex';
import type { Optimizer, OptimizerAlgorithm, Trial } from '#ports/model/optimizer';
import type { OptimizerStore } from '#ports/storage/optimizer';
import { inTransaction, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { isId } from './ids.js';

interface OptimizerRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly algorithm: OptimizerAlgorithm;
  readonly name: string | null;
  readonly parameters: string;
  readonly spec: string;
  readonly trials: number;
  readonly seed: string;
  readonly assigned: unknown;
  readonly created_at: unknown;
}
interface TrialRow {
  readonly pid: string;
  readonly trial: number;
  readonly count: unknown;
  readonly parameters: string;
  readonly status: string;
  readonly score: number | null;
  readonly epoch: unknown;
  readonly tries: unknown;
  readonly retries: unknown;
  readonly start_time: unknown;
  readonly end_time: unknown;
  readonly updated_at: unknown;
  readonly metadata: string | null;
}

const toOptimizer = (row: OptimizerRow): Optimizer => ({
  id: row.id,
  workspaceId: row.workspace_id,
  algorithm: row.algorithm,
  name: orNothing(row.name),
  parameters: row.parameters,
  spec: row.spec,
  trials: Number(row.trials),
  seed: row.seed,
  assigned: Number(row.assigned),
  createdAt: Number(row.created_at),
});
const toTrial = (row: TrialRow): Trial => ({
  pid: row.pid,
  trial: Number(row.trial),
  count: Number(row.count),
  parameters: row.parameters,
  status: row.status,
  score: orNothing(row.score),
  epoch: wholeOrNothing(row.epoch),
  tries: Number(row.tries),
  retries: Number(row.retries),
  startTime: wholeOrNothing(row.start_time),
  endTime: wholeOrNothing(row.end_time),
  updatedAt: Number(row.updated_at),
  metadata: orNothing(row.metadata),
});
const toColumns = (id: string, trial: Trial) => ({
  optimizer_id: id,
  pid: trial.pid,
  trial: trial.trial,
  count: trial.count,
  parameters: trial.parameters,
  status: trial.status,
  score: trial.score ?? null,
  epoch: trial.epoch ?? null,
  tries: trial.tries,
  retries: trial.retries,
  start_time: trial.startTime ?? null,
  end_time: trial.endTime ?? null,
  updated_at: trial.updatedAt,
  metadata: trial.metadata ?? null,
});
const columns = [
  'pid',
  'trial',
  'count',
  'parameters',
  'status',
  'score',
  'epoch',
  'tries',
  'retries',
  'start_time',
  'end_time',
  'updated_at',
  'metadata',
] as const;
const replaced = columns.filter((column) => column !== 'pid' && column !== 'trial');

/** In the order of counts, then by the code points of the process, then by trial. */
const comesBefore = (one: TrialRow, other: TrialRow): boolean => {
  if (Number(one.count) !== Number(other.count)) return Number(one.count) < Number(other.count);
  return one.pid === other.pid ? Number(one.trial) < Number(other.trial) : one.pid < other.pid;
};

const trialsAtOnce = 1000;

/**
 * Removes some trials of a search that nothing was heard of since a time, the first ones given out, and with the last of them the search. Says
 * `false` where none is left, or it was heard of after all. Who comes back in between finds the trials that are left.
 */
const removeSome = (connection: Connection, id: string, before: number): Promise<boolean> =>
  inTransaction(connection, async ({ db }) => {
    const search = await db('optimizers').select('id').where({ id }).forUpdate().first();
    const of = () => db('optimizer_trials').where({ optimizer_id: id });
    if (search === undefined) return false;
    if ((await of().where('updated_at', '>=', before).select('pid').first()) !== undefined)
      return false;
    const [end] = (await of()
      .orderBy('count')
      .offset(trialsAtOnce)
      .limit(1)
      .select('count')) as readonly { readonly count: unknown }[]; // the column named
    if (
      end !== undefined &&
      (await of()
        .where('count', '<', end.count as number)
        .delete()) > 0
    )
      return true; // as it was read
    await of().delete();
    await db('optimizers').where({ id }).delete();
    return false;
  });

export const optimizerStore = (connection: Connection): OptimizerStore => {
  const { db } = connection;
  const one = (id: string, pid: string, trial: number) =>
    db('optimizer_trials').where({ optimizer_id: id, pid, trial });
  const select = (id: string) =>
    db('optimizers')
      .select(
        'id',
        'workspace_id',
        'algorithm',
        'name',
        'parameters',
        'spec',
        'trials',
        'seed',
        'assigned',
        'created_at',
      )
      .where({ id });
  const firstOf = async (query: Knex.QueryBuilder): Promise<Optimizer | undefined> => {
    const [row] = (await query) as readonly OptimizerRow[]; // the columns named above
    return row === undefined ? undefined : toOptimizer(row);
  };
  return {
    async insert({
      id,
      workspaceId,
      userId,
      algorithm,
      name,
      parameters,
      spec,
      trials,
      seed,
      createdAt,
    }) {
      await db('optimizers').insert({
        id,
        workspace_id: workspaceId,
        user_id: userId,
        algorithm,
        name: name ?? null,
        parameters,
        spec,
        trials,
        seed,
        assigned: 0,
        created_at: createdAt,
      });
    },
    find: async (id) => (isId(id) ? firstOf(select(id)) : undefined),
    lock: async (id) => (isId(id) ? firstOf(select(id).forUpdate()) : undefined),
    claim: (id, expected, trial) =>
      inTransaction(connection, async ({ db: inside }) => {
        // Whoever raises the number has the trial, on whichever process or node.
        const raised = await inside('optimizers')
          .where({ id, assigned: expected })
          .update({ assigned: expected + 1 });
        if (raised > 0) await inside('optimizer_trials').insert(toColumns(id, trial));
        return raised > 0;
      }),
    async claimAgain(id, { pid, trial, status, retries }, at) {
      const changed = await one(id, pid, trial)
        .where({ status, retries })
        .update({
          status: 'assigned',
          retries: retries + 1,
          tries: db.raw('tries + 1'),
          score: null,
          start_time: at,
          end_time: null,
          updated_at: at,
        });
      return changed > 0;
    },
    async findTrial(id, pid, trial) {
      const row = await one(id, pid, trial)
        .select(...columns)
        .first<TrialRow | undefined>();
      return row === undefined ? undefined : toTrial(row);
    },
    async updateTrial(id, pid, trial, { status, score, epoch, endTime, updatedAt, metadata }) {
      const changed = await one(id, pid, trial).update({
        status,
        score: score ?? null,
        epoch: epoch ?? null,
        end_time: endTime ?? null,
        updated_at: updatedAt,
        ...(metadata === undefined ? {} : { metadata }),
      });
      return changed > 0 || (await one(id, pid, trial).select('pid').first()) !== undefined; // one engine counts no row whose values stay the same
    },
    async putTrial(id, trial) {
      await db('optimizer_trials')
        .insert(toColumns(id, trial))
        .onConflict(['optimizer_id', 'pid', 'trial'])
        .merge([...replaced]);
    },
    async listTrials(id, { statuses, offset = 0, limit }) {
      const query = db('optimizer_trials')
        .select(...columns)
        .where({ optimizer_id: id })
        .orderBy(['count', 'pid', 'trial'])
        .limit(limit)
        .offset(offset);
      if (statuses !== undefined) query.whereIn('status', statuses);
      return ((await query) as readonly TrialRow[]).map(toTrial); // the columns named above
    },
    async findRepeatable(id, { aborted, silent, silentSince }) {
      // Each by its own range: of either at once an engine goes through all trials.
      const first = (status: string, retries: number) =>
        db('optimizer_trials')
          .select(...columns)
          .where({ optimizer_id: id, status })
          .where('retries', '<', retries)
          .orderBy(['count', 'pid', 'trial'])
          .first<TrialRow | undefined>();
      const [one, other] = await Promise.all([
        first('aborted', aborted),
        first('assigned', silent).where('updated_at', '<=', silentSince),
      ]);
      const row =
        one !== undefined && (other === undefined || comesBefore(one, other)) ? one : other;
      return row === undefined ? undefined : toTrial(row);
    },
    async findTimes(id) {
      const row = await db('optimizer_trials')
        .where({ optimizer_id: id })
        .min({ started: db.raw('coalesce(start_time, updated_at)') as unknown as string })
        .max({ updated: 'updated_at' })
        .first<{ readonly started: unknown; readonly updated: unknown } | undefined>(); // knex takes expressions where its types ask for names
      return row === undefined || row.started === null
        ? undefined
        : { startedAt: Number(row.started), updatedAt: Number(row.updated) };
    },
    async countByStatus(id) {
      const rows = (await db('optimizer_trials')
        .where({ optimizer_id: id })
        .groupBy('status')
        .select('status')
        .count({ n: '*' })) as unknown as readonly {
        readonly status: string;
        readonly n: unknown;
      }[]; // the columns named above
      return new Map(rows.map((row) => [row.status, Number(row.n)]));
    },
    async removeSilent(before, limit) {
      const ids = (await db('optimizers as o')
        .where('o.created_at', '<', before)
        .whereNotExists(
          db('optimizer_trials as t')
            .select('t.pid')
            .whereRaw('t.optimizer_id = o.id')
            .where('t.updated_at', '>=', before),
        )
        .orderBy(['o.created_at', 'o.id'])
        .limit(limit)
        .pluck('o.id')) as readonly string[]; // the column named
      for (const id of ids) while (await removeSome(connection, id, before));
      return ids.length;
    },
  };
};
