// Stores values of many experiments with one message and one commit, where the engine takes a transaction in one piece.
import type { Knex } from 'knex';
import { Failure, isFailure } from '#ports/failure';
import type { PipelinedTransaction } from '#ports/sql-dialect';
import { createCoalescer } from './coalescer.js';
import type { Connection } from './connection.js';
import { activityMs } from './experiment-lock.js';
import { inOnePiece } from './one-piece.js';
import { digestOf, findStored, noteDigests } from './received.js';
import { RememberedNames } from './remembered-names.js';
import { valueKinds, type ValueKind } from './value-kinds.js';
import {
  extendRow,
  mergeValues,
  sizeOf,
  valueColumnsOnce,
  type Gathered,
  type PlacedValue,
} from './value-rows.js';

export interface ValueWrite {
  readonly experimentId: string;
  readonly kind: ValueKind;
  /** One a name. Of tags, those that are there already are left alone, and the others come behind them in this order. */
  readonly rows: readonly Gathered[];
  readonly digest: string | undefined;
  readonly receivedAt: number;
}
export type Written = 'stored' | 'duplicate';

const mebibyte = 1024 * 1024;
/** Of one flush; what is larger by itself goes its own way. */
const flushBytes = 4 * mebibyte;
const mostRemembered = 50_000;

/** What the flushes of this process met lately; the database is told what follows from it, and looks for itself where it is not so. */
interface Memory {
  /** The project of an experiment. */
  readonly homes: Map<string, string>;
  /** Names that a project has as columns. */
  readonly named: RememberedNames;
  /** When an experiment's activity was written. */
  readonly active: Map<string, number>;
}

const nameOf = (projectId: string, { kind, row }: PlacedValue): string =>
  `${projectId}${kind}${row.key}${row.last.number !== undefined}`;

/** One row a name of an experiment, in the order in which rows are touched. */
const place = (writes: readonly ValueWrite[]): readonly PlacedValue[] => {
  const found = new Map<string, PlacedValue>();
  let position = 0;
  for (const { experimentId, kind, rows } of writes)
    for (const row of rows) {
      const key = `${experimentId}${valueKinds[kind]}${row.key}`;
      const held = found.get(key);
      found.set(
        key,
        held === undefined
          ? { experimentId, kind, row, position: position++ }
          : { ...held, row: kind === 'tag' ? held.row : extendRow(held.row, row) },
      );
    }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
};

/** The order of tags is told by where they stand behind those that are there. */
const positionOf = `case when u.kind = ${valueKinds.tag} then u.position + 1 + coalesce((select max(v.position) from experiment_values v where v.experiment_id = u.experiment_id and v.kind = ${valueKinds.tag}), 0) else u.position end`;

const insertValues = async (
  connection: Connection,
  { given }: PipelinedTransaction,
  memory: Memory,
  placed: readonly PlacedValue[],
): Promise<void> => {
  const { db, dialect } = connection;
  const { columns, copies } = valueColumnsOnce(placed);
  const namedIn = placed.map((one) => {
    const home = memory.homes.get(one.experimentId);
    return home !== undefined && memory.named.has(nameOf(home, one)) ? home : null;
  });
  const { select, bindings } = given([
    ...columns,
    { name: 'named_in', kind: 'id', values: namedIn },
  ]);
  const names = [...columns.map(({ name }) => name), ...copies.keys()];
  const values = names
    .map((name) => (name === 'position' ? positionOf : `u.${copies.get(name) ?? name}`))
    .join(', ');
  const numeric = '(u.number is not null)';
  await dialect.run(
    db,
    `with u as materialized (${select}),
h as materialized (select id, project_id from experiments where ${dialect.anyOf('id', 'id')} and deleted_at is null),
n as (insert into project_names (project_id, kind, name_key, name, "numeric")
select distinct on (h.project_id, u.kind, u.name_key) h.project_id, u.kind, u.name_key, u.name, ${numeric} from u join h on h.id = u.experiment_id
where u.named_in is distinct from h.project_id and not exists (select 1 from project_names p where p.project_id = h.project_id and p.kind = u.kind and p.name_key = u.name_key and p."numeric" = ${numeric} and p.unused_at is null)
order by 1, 2, 3 ${dialect.onConflict(['project_id', 'kind', 'name_key'], [`"numeric" = ${dialect.incoming('numeric')}`, 'unused_at = null'])})
insert into experiment_values (project_id, ${names.join(', ')}) select h.project_id, ${values} from u join h on h.id = u.experiment_id
order by u.experiment_id, u.kind, u.name_key ${dialect.onConflict(['experiment_id', 'kind', 'name_key'], mergeValues(connection))} where experiment_values.kind <> ${valueKinds.tag}`,
    [...bindings, [...new Set(placed.map((one) => one.experimentId))]],
  );
};

/** Locks experiments in the order of their ids; answers the project of each that is there. */
const hold = async (
  { dialect }: Connection,
  db: Knex,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = (await dialect.run(
    db,
    `select id, project_id from experiments where ${dialect.anyOf('id', 'id')} and deleted_at is null order by id for update`,
    [ids],
  )) as readonly { readonly id: string; readonly project_id: string }[]; // the columns named
  return new Map(rows.map((row) => [row.id, row.project_id]));
};

const noteActivity = async (
  { db, dialect }: Connection,
  ids: readonly string[],
  now: number,
): Promise<void> => {
  await dialect.run(
    db,
    `update experiments set last_seen_at = ?, end_time = case when not end_set and end_time < ? then ? else end_time end where ${dialect.anyOf('id', 'id')} and alive and deleted_at is null and last_seen_at + ${activityMs} <= ?`,
    [now, now, now, ids, now],
  );
};

const remember = (
  memory: Memory,
  homes: ReadonlyMap<string, string>,
  placed: readonly PlacedValue[],
): void => {
  for (const kept of [memory.homes, memory.active]) if (kept.size > mostRemembered) kept.clear();
  for (const [id, home] of homes) memory.homes.set(id, home);
  for (const one of placed) {
    const home = homes.get(one.experimentId);
    if (home !== undefined) memory.named.add(nameOf(home, one));
  }
};

const forget = ({ homes, named, active }: Memory): void => {
  for (const kept of [homes, named, active]) kept.clear();
};

const absent = () =>
  new Failure('absent', 'the experiment no longer exists', { reason: 'runAbsent' });

/** Those of these writes that were stored within the hour. */
const findRepeated = async (
  connection: Connection,
  writes: readonly ValueWrite[],
): Promise<ReadonlySet<ValueWrite>> => {
  const marked = writes.filter((one) => one.digest !== undefined);
  if (marked.length === 0) return new Set();
  const stored = await findStored(connection, marked);
  return new Set(marked.filter((one) => stored.has(digestOf(one))));
};

/** All of these but the repeated ones in one transaction. Rejects where it cannot be told what became of it, or another of them was stored before. */
const flush = async (
  connection: Connection,
  pipelined: PipelinedTransaction,
  memory: Memory,
  writes: readonly ValueWrite[],
  repeated: ReadonlySet<ValueWrite> = new Set(),
): Promise<readonly (Written | Failure)[]> => {
  const ids = [...new Set(writes.map((one) => one.experimentId))].sort();
  const fresh = writes.filter((one) => !repeated.has(one));
  const placed = place(fresh);
  const marked = fresh.filter((one) => one.digest !== undefined);
  const now = connection.clock.now();
  const due = ids.filter((id) => (memory.active.get(id) ?? -Infinity) + activityMs <= now);
  let homes: ReadonlyMap<string, string> = new Map();
  await inOnePiece(connection, pipelined, (db) => {
    const inside = { ...connection, db, inTransaction: true };
    return [
      async () => {
        homes = await hold(connection, db, ids);
      },
      ...(due.length > 0 ? [() => noteActivity(inside, due, now)] : []),
      ...(marked.length > 0 ? [() => noteDigests(inside, marked)] : []),
      ...(placed.length > 0 ? [() => insertValues(inside, pipelined, memory, placed)] : []),
    ];
  });
  for (const id of due) memory.active.set(id, now);
  remember(memory, homes, placed);
  return writes.map((one) => {
    if (!homes.has(one.experimentId)) return absent();
    return repeated.has(one) ? 'duplicate' : 'stored';
  });
};

/** Those of these writes whose digest another before them has. */
const findTwice = (writes: readonly ValueWrite[]): ReadonlySet<ValueWrite> => {
  const met = new Set<string>();
  return new Set(
    writes.filter((write) => {
      if (write.digest === undefined) return false;
      const one = digestOf(write);
      return met.has(one) || met.add(one) === undefined;
    }),
  );
};

interface SizedWrite extends ValueWrite {
  readonly bytes: number;
}

type Write = (write: ValueWrite) => Promise<Written>;
const flushers = new WeakMap<Knex, Write>();

/**
 * Stores a write, together with what others bring meanwhile; resolves once it is durable. What the engine or a caller's transaction does not
 * allow in one piece, and what was not as expected, is stored by `alone`, which looks first.
 */
export const valueFlusher = (
  connection: Connection,
  alone: (connection: Connection, write: ValueWrite) => Promise<Written>,
): Write => {
  const { pipelined } = connection.dialect;
  if (connection.inTransaction || pipelined === undefined)
    return (write) => alone(connection, write);
  const known = flushers.get(connection.db);
  if (known !== undefined) return known;
  const memory: Memory = {
    homes: new Map(),
    named: new RememberedNames(mostRemembered),
    active: new Map(),
  };
  const settle = async (one: ValueWrite): Promise<Written | Failure> => {
    try {
      return await alone(connection, one);
    } catch (thrown) {
      if (isFailure(thrown)) return thrown;
      throw thrown;
    }
  };
  const settleAll = async (writes: readonly ValueWrite[]) => {
    const results: (Written | Failure)[] = [];
    for (const one of writes) results.push(await settle(one));
    return results;
  };
  const run = async (writes: readonly SizedWrite[]) => {
    if (writes.some((one) => one.bytes > flushBytes)) return settleAll(writes);
    const twice = findTwice(writes);
    try {
      return await flush(connection, pipelined, memory, writes, twice);
    } catch {
      forget(memory);
    }
    // One that was stored before refuses them all: it is looked for then. What refuses the others all the same is told by each one alone.
    try {
      const repeated = await findRepeated(connection, writes);
      return await flush(connection, pipelined, memory, writes, new Set([...twice, ...repeated]));
    } catch {
      forget(memory);
      return settleAll(writes);
    }
  };
  const coalescer = createCoalescer(
    { queueBytes: 64 * mebibyte, queueRequests: 5000, flushBytes, besideBytes: mebibyte / 16 },
    run,
    () => true,
  );
  const write: Write = async (one) => {
    const bytes = one.rows.reduce((sum, row) => sum + sizeOf(row), 0);
    return coalescer.add({ ...one, bytes });
  };
  flushers.set(connection.db, write);
  return write;
};
