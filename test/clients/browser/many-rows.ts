// Rows by the ten thousand, written beside the server into any of the databases: what clients log in hours.
import { idOf, keyOf } from '#adapters/storage/sql/connection';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { fillProject } from '#test/bench/listing';
import { becomes } from './becomes.js';
import { storageNow } from './signed-in.js';

type Row = Readonly<Record<string, unknown>>;
const rowsAtOnce = 500;

/** Makes of the one asset of a run very many, a step or so each: `names` of them are told apart. */
export const copyAsset = async (
  { connection: { db } }: SqlStorage,
  experimentId: string,
  count: number,
  names: number,
): Promise<void> => {
  const [first] = (await db('assets').where({ experiment_id: experimentId })) as readonly Row[]; // all of its columns
  const copies = Array.from({ length: count - 1 }, (_, at): Row => {
    const id = `${String(first?.['id'])}-${at + 1}`;
    const name = names === 1 ? 'sample.png' : `sample-${(at + 1) % names}.png`;
    return {
      ...first,
      ...{ id, id_key: keyOf(id), row_id: idOf(id), place_key: keyOf(id, 'place') },
      ...{ file_name: name, name_key: keyOf(name), step: Math.floor((at + 1) / names) },
      created_at: Number(first?.['created_at']) + at + 1,
    };
  });
  await db.batchInsert('assets', copies, rowsAtOnce);
};

/** Copies a run that logged metrics and parameters until its project has `count` more, with values that differ. */
const copyRun = async (
  { connection: { db } }: SqlStorage,
  key: string,
  count: number,
): Promise<void> => {
  const [first] = (await db('experiments').where({ key })) as readonly Row[]; // all of its columns
  const [start, end] = [Number(first?.['start_time']), Number(first?.['end_time'])];
  const copies = Array.from({ length: count }, (_, at): Row => {
    const i = at + 1;
    return {
      ...first,
      ...{ id: idOf(key, String(i)), key: keyOf(key, String(i)).slice(0, 32), name: `run ${i}` },
      ...{ start_time: start + i, end_time: end + i, alive: false },
    };
  });
  await db.batchInsert('experiments', copies, rowsAtOnce);
  const i = `(e.start_time - ${start})`;
  // The number at the end of a name.
  const j = "cast(substring_index(v.name, '_', -1) as signed)";
  const number = `((${i} * 7919 + ${j} * 10007) % 20011 / 20011.0e0)`;
  const isWord = `v.kind = 2 and ${j} % 2 = 0`;
  const text = `case when ${isWord} then concat('value ', ${i} * ${j} % 97) else concat('', ${number}) end`;
  await db.raw(
    `insert into experiment_values (experiment_id, kind, name_key, project_id, name, number, prefix, text, position, time, min_number, max_number)
    select e.id, v.kind, v.name_key, v.project_id, v.name, case when ${isWord} then null else ${number} end, ${text}, ${text}, v.position, v.time, ${number} - 1, ${number} + 1
    from experiments e cross join experiment_values v where e.project_id = ? and e.id <> ? and v.experiment_id = ? and v.kind in (1, 2)`,
    [first?.['project_id'], first?.['id'], first?.['id']] as never, // knex types no unknown bindings
  );
  await db.raw(
    `insert into series (experiment_id, series_id, name, n, loose, min_value, min_time, max_value, max_time, ??, last_text, last_time)
    select experiment_id, name_key, name, 1, 0, min_number, time, max_number, time, number, text, time from experiment_values
    where kind = 1 and project_id = ? and experiment_id <> ?`,
    ['last_value', first?.['project_id'], first?.['id']] as never, // as above; newer releases reserve that word
  );
  await db.raw('analyze table experiments, experiment_values, series');
};

/** Runs by the ten thousand beside one, which logs values by the same names as they have. */
export const copyRuns = async (
  storage: SqlStorage,
  key: string,
  count: number,
  log: () => Promise<void>,
): Promise<void> => {
  if (storageNow() !== 'mysql') {
    await fillProject(storage.connection.db, key, count);
    return log();
  }
  await log();
  const experiment = await storage.stores.experiments.findByKey(key);
  const { db } = storage.connection;
  // Values of metrics are copied to where they are searched a while after they came.
  await becomes(
    async () =>
      db('experiment_values').where({ experiment_id: experiment?.id, kind: 1 }).select('name'),
    (rows: readonly unknown[]) => rows.length > 0,
  );
  await copyRun(storage, key, count);
};
