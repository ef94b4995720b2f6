// Makes experiments with all that a new one has: those of many requests with one message and one commit, where the engine takes one.
import type { Knex } from 'knex';
import { isFailure, type Failure } from '#ports/failure';
import type { ColumnValues, PipelinedTransaction } from '#ports/sql-dialect';
import type { Creation, ExperimentStore } from '#ports/storage/experiments';
import { batchByKey } from './batch-by-key.js';
import { inTransaction, keyOf, type Connection } from './connection.js';
import { eventStore } from './events.js';
import { inOnePiece } from './one-piece.js';
import { insertAtHome, rowOf } from './placing.js';
import { addToCounts, readCount, slotOf } from './project-counts.js';
import { valueKinds } from './value-kinds.js';
import { gather, valueColumns } from './value-rows.js';
import { valueStore } from './values.js';

type Create = ExperimentStore['create'];
type Outcome = Awaited<ReturnType<Create>>;

/** More than are made at once: a project with as much room is not locked. */
const roomForMany = 1000;
const together = 100;
const mostWaiting = 5000;

/** Whether there is room for one more; a project that is nearly full is locked, so that others do not fill it meanwhile. */
const hasRoom = async (
  inside: Connection,
  projectId: string,
  limit: number | undefined,
): Promise<boolean> => {
  if (limit === undefined || (await readCount(inside, projectId)) + roomForMany < limit)
    return true;
  await inside.db('projects').where({ id: projectId }).select('id').forUpdate();
  return (await readCount(inside, projectId)) < limit;
};

const createAlone = (connection: Connection, creation: Creation): Promise<Outcome> =>
  inTransaction(connection, async (inside) => {
    const { experiment, named, event, limit } = creation;
    if (!(await hasRoom(inside, experiment.projectId, limit))) return 'full';
    if (!(await insertAtHome(inside, experiment))) return 'homeless';
    await valueStore(inside).write({
      experimentId: experiment.id,
      kind: 'other',
      values: [named],
      receivedAt: experiment.createdAt,
    });
    await eventStore(inside).append(event);
    await addToCounts(inside, slotOf(connection), [[experiment.projectId, 1]]);
    return 'made';
  });

const kindOf = (column: string, value: unknown): ColumnValues['kind'] =>
  column === 'id' || column.endsWith('_id')
    ? 'id'
    : typeof value === 'boolean'
      ? 'flag'
      : typeof value === 'number'
        ? 'whole'
        : 'text';

/** What the rows of experiments are made of, in columns of those names. */
const experimentColumns = (creations: readonly Creation[]): readonly ColumnValues[] => {
  const rows = creations.map(({ experiment }) => rowOf(experiment));
  return Object.keys(rows[0] ?? {}).map((name) => ({
    name,
    kind: kindOf(name, rows[0]?.[name]),
    values: rows.map((row) => row[name]),
  }));
};

/** The same of their one other, and of the event. */
const besideColumns = (creations: readonly Creation[]) => {
  const values = valueColumns(
    creations.map(({ experiment, named }) => ({
      experimentId: experiment.id,
      kind: 'other',
      row: gather([named])[0]!, // one name gives one row
      position: 0,
    })),
  );
  const events: readonly ColumnValues[] = [
    {
      name: 'subject_key',
      kind: 'text',
      values: creations.map(({ event }) => keyOf(event.subject)),
    },
    { name: 'subject', kind: 'text', values: creations.map(({ event }) => event.subject) },
    { name: 'event_id', kind: 'id', values: creations.map(({ event }) => event.id) },
    { name: 'event', kind: 'text', values: creations.map(({ event }) => event.name) },
    { name: 'event_at', kind: 'whole', values: creations.map(({ event }) => event.at) },
    {
      name: 'detail',
      kind: 'text',
      values: creations.map(({ event }) => JSON.stringify(event.detail)),
    },
  ];
  return { values, events };
};

/** Makes those whose projects are there and have much room; answers which. */
const insertAll = async (
  connection: Connection,
  { given }: PipelinedTransaction,
  creations: readonly Creation[],
): Promise<ReadonlySet<string>> => {
  const { db, dialect } = connection;
  const own = experimentColumns(creations);
  const { values, events } = besideColumns(creations);
  const { select, bindings } = given([
    ...own,
    ...values.map((column) => ({ ...column, name: `v_${column.name}` })),
    ...events,
    { name: 'place', kind: 'whole', values: creations.map((_, i) => i) },
    { name: 'most', kind: 'whole', values: creations.map(({ limit }) => limit ?? null) },
  ]);
  const projects = [...new Set(creations.map(({ experiment }) => experiment.projectId))].sort();
  const names = own.map(({ name }) => `"${name}"`).join(', ');
  const valueNames = values.map(({ name }) => name);
  const among = dialect.anyOf('project_id', 'id');
  const numeric = '(f.v_number is not null)';
  const rows = (await dialect.run(
    db,
    `with u as materialized (${select}),
p as materialized (select id, workspace_id from projects where ${dialect.anyOf('id', 'id')} and deleted_at is null order by id for share),
c as materialized (select project_id, sum(n) as held from project_counts where ${among} group by project_id),
f as materialized (select w.* from (select u.*, row_number() over (partition by u.project_id order by u.place) as coming from u) w
join p on p.id = w.project_id and p.workspace_id = w.workspace_id left join c on c.project_id = w.project_id
where w.most is null or coalesce(c.held, 0) + w.coming + ${roomForMany} <= w.most),
x as (insert into experiments (${names}) select ${names} from f),
v as (insert into experiment_values (project_id, ${valueNames.join(', ')}) select f.project_id, ${valueNames.map((name) => `f.v_${name}`).join(', ')} from f),
n as (insert into project_names (project_id, kind, name_key, name, "numeric")
select distinct on (f.project_id, f.v_name_key) f.project_id, f.v_kind, f.v_name_key, f.v_name, ${numeric} from f
where not exists (select 1 from project_names o where o.project_id = f.project_id and o.kind = ${valueKinds.other} and o.name_key = f.v_name_key and o."numeric" = ${numeric} and o.unused_at is null)
order by f.project_id, f.v_name_key ${dialect.onConflict(['project_id', 'kind', 'name_key'], [`"numeric" = ${dialect.incoming('numeric')}`, 'unused_at = null'])}),
s as (insert into event_subjects (subject_key, subject, last_number, due_at, held_until) select subject_key, subject, 1, event_at, 0 from f),
e as (insert into events (subject_key, number, id, name, at, detail) select subject_key, 1, event_id, event, event_at, detail from f),
k as (insert into project_counts (project_id, slot, n) select project_id, ${slotOf(connection)}, count(*) from f group by project_id order by project_id
${dialect.onConflict(['project_id', 'slot'], [`n = ${dialect.stored('project_counts', 'n')} + ${dialect.incoming('n')}`])})
select id from f`,
    [...bindings, projects, projects],
  )) as readonly { readonly id: string }[]; // the column named
  return new Set(rows.map(({ id }) => id));
};

/** Those of a message of which it could not be told whether it was carried out that were made. */
const findMade = async (
  { db }: Connection,
  creations: readonly Creation[],
): Promise<ReadonlySet<string>> => {
  const rows = (await db('experiments')
    .whereIn(
      'id',
      creations.map(({ experiment }) => experiment.id),
    )
    .select('id')) as readonly { readonly id: string }[]; // the column named
  return new Set(rows.map(({ id }) => id));
};

const createTogether = async (
  connection: Connection,
  pipelined: PipelinedTransaction,
  creations: readonly Creation[],
): Promise<ReadonlySet<string>> => {
  let made: ReadonlySet<string> = new Set();
  try {
    await inOnePiece(connection, pipelined, (db) => [
      async () => {
        made = await insertAll({ ...connection, db }, pipelined, creations);
      },
    ]);
    return made;
  } catch {
    return findMade(connection, creations); // what refused them all is told by each one alone
  }
};

const creators = new WeakMap<Knex, Create>();

/** The store's `create`: together with what others bring meanwhile, where the engine and the caller allow it. */
export const experimentCreator = (connection: Connection): Create => {
  const { pipelined } = connection.dialect;
  if (connection.inTransaction || pipelined === undefined)
    return (creation) => createAlone(connection, creation);
  const known = creators.get(connection.db);
  if (known !== undefined) return known;
  const settle = async (creation: Creation): Promise<Outcome | Failure> => {
    try {
      return await createAlone(connection, creation);
    } catch (thrown) {
      if (isFailure(thrown)) return thrown;
      throw thrown;
    }
  };
  const join = batchByKey<Creation, Outcome | Failure>(
    { keyOf: () => '', together, waiting: mostWaiting },
    async (creations) => {
      const made = await createTogether(connection, pipelined, creations);
      return Promise.all(
        creations.map((one) => (made.has(one.experiment.id) ? 'made' : settle(one))),
      );
    },
  );
  const create: Create = async (creation) => {
    const outcome = await join(creation);
    if (isFailure(outcome)) throw outcome;
    return outcome;
  };
  creators.set(connection.db, create);
  return create;
};
