// Batches of small runs as rows of their own: acknowledged and durable, but not yet put into their series. A batch of 500 metrics is one row
// here and a thousand there, so what many batches bring of a series is put there at once (`applying.ts`).
import type { PipelinedTransaction } from '#ports/sql-dialect';
import { isTrue, type Connection } from '../connection.js';
import { asId } from '../ids.js';
import type { Columns, Slice } from './points.js';
import type { PreparedBatch } from './prepared.js';
import { decodeRaw, encodeRaw } from './raw.js';
import { seriesIdOf } from './series-ids.js';

const form = 1;
const headBytes = 8;
const idBytes = 16;
const countBytes = 4;

/** A batch as bytes: the ids of its series, how many points each has, and all points after one another as a raw chunk. */
export const encodePending = ({ stretches, columns }: PreparedBatch): Buffer => {
  const ids = Buffer.from(
    stretches.map(({ name, context }) => seriesIdOf(name, context).replaceAll('-', '')).join(''),
    'hex',
  );
  const head = Buffer.alloc(headBytes + stretches.length * countBytes);
  head[0] = form;
  head.writeUInt32LE(stretches.length, 4);
  stretches.forEach(({ from, to }, at) => {
    head.writeUInt32LE(to - from, headBytes + at * countBytes);
  });
  return Buffer.concat([head, ids, encodeRaw([{ columns, from: 0, to: columns.values.length }])]);
};

const readRaw = (bytes: Buffer): Columns => {
  try {
    return decodeRaw(bytes);
  } catch (cause) {
    throw new BrokenPending('pending points are not as they were written', { cause });
  }
};

/** Points of one series that a batch brought. */
export interface PendingRun {
  readonly seriesId: string;
  readonly slice: Slice;
}

/** Batches that wait and cannot be read. */
export class BrokenPending extends Error {}

/** What `encodePending` made of a batch; throws `BrokenPending` when it was changed or cut. */
export const decodePending = (bytes: Buffer): readonly PendingRun[] => {
  const count = bytes.length < headBytes ? 0 : bytes.readUInt32LE(4);
  const idsFrom = headBytes + count * countBytes;
  const pointsFrom = idsFrom + count * idBytes;
  if (bytes[0] !== form || bytes.length < pointsFrom)
    throw new BrokenPending(`pending points of ${bytes.length} bytes are cut short`);
  const columns = readRaw(bytes.subarray(pointsFrom));
  let from = 0;
  return Array.from({ length: count }, (_, at): PendingRun => {
    const to = from + bytes.readUInt32LE(headBytes + at * countBytes);
    const slice = { columns, from, to };
    from = to;
    const id = idsFrom + at * idBytes;
    return { seriesId: asId(bytes.toString('hex', id, id + idBytes)), slice };
  });
};

/** Stores batches behind those that wait already; their experiments are locked. */
export const insertPending = async (
  { db, dialect }: Connection,
  { given }: PipelinedTransaction,
  batches: readonly PreparedBatch[],
): Promise<void> => {
  const orders = new Map<string, number>();
  const nth = batches.map(({ experimentId }) => {
    const order = (orders.get(experimentId) ?? 0) + 1;
    orders.set(experimentId, order);
    return order;
  });
  const { select, bindings } = given([
    { name: 'experiment_id', kind: 'id', values: batches.map((batch) => batch.experimentId) },
    { name: 'nth', kind: 'whole', values: nth },
    { name: 'at', kind: 'whole', values: batches.map((batch) => batch.receivedAt) },
    { name: 'points', kind: 'bytes', values: batches.map(encodePending) },
  ]);
  await dialect.run(
    db,
    `insert into pending_points (experiment_id, seq, at, points) select u.experiment_id, coalesce((select max(p.seq) from pending_points p where p.experiment_id = u.experiment_id), 0) + u.nth, u.at, u.points from (${select}) u`,
    bindings,
  );
};

export interface PendingRow {
  readonly experiment_id: string;
  readonly seq: unknown;
  readonly points: Buffer;
}

/** Rows that are put into their series by one transaction. */
export const pendingAtOnce = 256;

/** The oldest batches of an experiment. */
export const readPending = async (
  { db, dialect }: Connection,
  experimentId: string,
): Promise<readonly PendingRow[]> =>
  (await dialect.run(
    db,
    `select experiment_id, seq, points from pending_points where experiment_id = ? order by seq limit ${pendingAtOnce}`,
    [experimentId],
  )) as readonly PendingRow[]; // the columns named

/** Those of these experiments for which batches wait. */
export const findPending = async (
  { db, dialect }: Connection,
  experimentIds: readonly string[],
): Promise<readonly string[]> => {
  if (experimentIds.length === 0 || dialect.pipelined === undefined) return []; // nothing is let wait there
  const rows = (await dialect.run(
    db,
    `select e.id, exists (select 1 from pending_points p where p.experiment_id = e.id) as waits from experiments e where ${dialect.anyOf('e.id', 'id')}`,
    [experimentIds],
  )) as readonly { readonly id: string; readonly waits: unknown }[]; // the columns named
  return rows.filter(({ waits }) => isTrue(waits)).map(({ id }) => id);
};

const batchesDue = 128;
const bytesDue = 1024 * 1024;
const batchesFull = 2000;
const bytesFull = 8 * 1024 * 1024;

/** What this process has let wait, as far as it knows: others apply it too. */
export interface PendingLog {
  /** Whether batches of an experiment may wait that this process wrote. */
  has(experimentId: string): boolean;
  /** Whether so much waits that nothing may be added. */
  isFull(experimentId: string): boolean;
  note(batches: readonly PreparedBatch[]): void;
  /** The experiments of which enough came to wait, once. */
  takeDue(): readonly string[];
  forget(experimentId: string): void;
}

export const createPendingLog = (): PendingLog => {
  const waiting = new Map<string, { batches: number; bytes: number }>();
  const due = new Set<string>();
  return {
    has: (experimentId) => waiting.has(experimentId),
    isFull(experimentId) {
      const one = waiting.get(experimentId);
      return one !== undefined && (one.batches >= batchesFull || one.bytes >= bytesFull);
    },
    note(batches) {
      for (const { experimentId, bytes } of batches) {
        const one = waiting.get(experimentId) ?? { batches: 0, bytes: 0 };
        one.batches++;
        one.bytes += bytes;
        waiting.set(experimentId, one);
        if (one.batches >= batchesDue || one.bytes >= bytesDue) due.add(experimentId);
      }
    },
    takeDue() {
      const ids = [...due];
      due.clear();
      return ids;
    },
    forget(experimentId) {
      waiting.delete(experimentId);
      due.delete(experimentId);
    },
  };
};
