import type { RunCopy, RunCopyStore } from '#ports/storage/run-copies';
import { orNothing, wholeOrNothing, type Connection } from './connection.js';

interface Row {
  readonly experiment_id: string;
  readonly from_id: string;
  readonly last_step: unknown;
  readonly pieces: unknown;
  readonly place: string | null;
}

const columns = ['experiment_id', 'from_id', 'last_step', 'pieces', 'place'] as const;

const toCopy = (row: Row): RunCopy => ({
  toId: row.experiment_id,
  fromId: row.from_id,
  lastStep: wholeOrNothing(row.last_step),
  pieces: Number(row.pieces),
  place: orNothing(row.place),
});

export const runCopyStore = ({ db }: Connection): RunCopyStore => ({
  async insert({ toId, fromId, lastStep, at }) {
    await db('run_copies').insert({
      experiment_id: toId,
      from_id: fromId,
      last_step: lastStep ?? null,
      pieces: 0,
      place: null,
      worked_at: at,
    });
  },
  async find(toId) {
    const row = await db('run_copies')
      .where({ experiment_id: toId })
      .select(...columns)
      .first<Row | undefined>();
    return row === undefined ? undefined : toCopy(row);
  },
  async listIdle(since, limit) {
    const rows = (await db('run_copies')
      .where('worked_at', '<', since)
      .orderBy(['worked_at', 'experiment_id'])
      .limit(limit)
      .select(...columns)) as readonly Row[]; // the columns named
    return rows.map(toCopy);
  },
  advance: async (toId, { pieces, place, at }) =>
    (await db('run_copies')
      .where({ experiment_id: toId, pieces })
      .update({ pieces: pieces + 1, place, worked_at: at })) > 0,
  remove: async (toId, pieces) =>
    (await db('run_copies')
      .where({ experiment_id: toId, ...(pieces === undefined ? {} : { pieces }) })
      .delete()) > 0,
});
