// Merges neighbouring small chunks into full, packed ones: one series a transaction, so that writers wait for a moment only.
import { inTransaction, type Connection } from '../connection.js';
import { decode, encodePacked, type Point } from './codec.js';
import { toSlice } from './points.js';
import { findEnds } from './runs.js';
import { chunkPoints, cut, insertChunks } from './chunks.js';

interface BlobRow { readonly first_index: unknown; readonly n: unknown; readonly points: Buffer }

/** The series of one experiment: its rows are locked by the series, as the flush's are by the experiment and then the series. */
const compactSeries = (connection: Connection, experimentId: string, seriesId: string): Promise<number> =>
  inTransaction(connection, async ({ db, dialect }) => {
    await db('experiments').select('id').where({ id: experimentId }).forUpdate();
    const rows = await db('chunks').select('first_index', 'n', 'points').where({ experiment_id: experimentId, series_id: seriesId })
      .andWhere((open) => open.where({ packed: false }).orWhere('n', '<', chunkPoints)).orderBy('first_index').limit(400) as readonly BlobRow[]; // the columns named above
    const [first] = rows;
    let merged = 0;
    if (first !== undefined && rows.length > 1) {
      const run: BlobRow[] = [];
      for (const row of rows) {
        const last = run.at(-1);
        if (last !== undefined && Number(last.first_index) + Number(last.n) !== Number(row.first_index)) break;
        run.push(row);
      }
      const points: Point[] = run.flatMap((row) => decode(row.points));
      await db('chunks').where({ experiment_id: experimentId, series_id: seriesId }).where('first_index', '>=', Number(first.first_index)).where('first_index', '<=', Number(run.at(-1)?.first_index)).delete();
      const packed = cut([toSlice(points)], points.length, Number(first.first_index)).map(({ firstIndex, n, slices }) => {
        const from = firstIndex - Number(first.first_index);
        return { experimentId, seriesId, firstIndex, n, ends: findEnds(slices), bytes: encodePacked(points.slice(from, from + n)), packed: true };
      });
      await insertChunks(db, dialect, packed);
      merged = run.length - packed.length;
    }
    const [left] = await db('chunks').where({ experiment_id: experimentId, series_id: seriesId }).andWhere((open) => open.where({ packed: false }).orWhere('n', '<', chunkPoints)).count({ n: '*' });
    await db('series').where({ experiment_id: experimentId, series_id: seriesId }).update({ loose: Number(left?.n ?? 0) });
    if (Number(left?.n ?? 0) <= 1 || merged === 0) await db('compactions').where({ experiment_id: experimentId, series_id: seriesId }).delete();
    return merged;
  });

export interface Compaction {
  /** Merges the oldest `limit` series that wait. Answers how many it worked on. */
  run(limit: number): Promise<number>;
  backlog(): Promise<number>;
  /** Queues every series of an experiment that has more than one loose chunk: at its end, when nothing more comes. */
  queue(experimentId: string): Promise<void>;
}

export const createCompaction = (connection: Connection): Compaction => ({
  async run(limit) {
    const rows = await connection.db('compactions').select('experiment_id', 'series_id').orderBy(['at', 'experiment_id', 'series_id']).limit(limit) as readonly { readonly experiment_id: string; readonly series_id: string }[]; // the columns named above
    for (const row of rows) await compactSeries(connection, row.experiment_id, row.series_id);
    return rows.length;
  },
  async backlog() {
    const [row] = await connection.db('compactions').count({ n: '*' });
    return Number(row?.n ?? 0);
  },
  async queue(experimentId) {
    const { db, dialect, clock } = connection;
    await db.raw(`insert into compactions (experiment_id, series_id, at) select experiment_id, series_id, ? from series where experiment_id = ? and loose > 1 ${dialect.onConflictIgnore(['experiment_id', 'series_id']).replaceAll('`experiment_id`', 'compactions.experiment_id')}`, [clock.now(), experimentId]);
  },
});
