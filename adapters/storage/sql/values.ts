import type { StoredValue, ValueMoment, ValueStore } from '#ports/storage/values';
import { isTrue, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { requestIdOf } from './received.js';
import { changeExperiment, takeDigest } from './experiment-lock.js';
import { valueFlusher, type ValueWrite, type Written } from './value-flush.js';
import { valueKeyOf, valueKinds, type ValueKind } from './value-kinds.js';
import { cutRows, gather, mergeValues, toTag, valueColumns, type Gathered } from './value-rows.js';

/** More than any experiment logs; a list ends here. */
const listLimit = 100_000;
const namesAtOnce = 1000;

interface Place {
  readonly experimentId: string;
  readonly projectId: string;
  readonly kind: ValueKind;
}

const upsert = (
  { db, dialect }: Connection,
  { experimentId, projectId, kind }: Place,
  rows: readonly Gathered[],
  suffix: string,
  firstPosition = 0,
): Promise<void> =>
  dialect.insertColumns(
    db,
    'experiment_values',
    [
      ...valueColumns(
        rows.map((row, i) => ({ experimentId, kind, row, position: firstPosition + i })),
      ),
      { name: 'project_id', kind: 'id', values: rows.map(() => projectId) },
    ],
    suffix,
  );

/** Notes the names as columns of the project; rows that say so already are left alone, since every run of a project logs the same names. */
const noteNames = async (
  { db, dialect }: Connection,
  { projectId, kind }: Place,
  rows: readonly Gathered[],
): Promise<void> => {
  const present = (await db('project_names')
    .select('name_key', 'numeric')
    .where({ project_id: projectId, kind: valueKinds[kind] })
    .whereNull('unused_at')
    .modify(
      dialect.among(
        'name_key',
        'id',
        rows.map((row) => row.key),
      ),
    )) as readonly { readonly name_key: string; readonly numeric: unknown }[]; // the columns named above; the dialect takes a list as one binding
  const known = new Map(present.map((row) => [row.name_key, isTrue(row.numeric)]));
  const fresh = rows.filter((row) => known.get(row.key) !== (row.last.number !== undefined));
  if (fresh.length === 0) return;
  for (let at = 0; at < fresh.length; at += namesAtOnce)
    await db('project_names')
      .insert(
        fresh.slice(at, at + namesAtOnce).map((row) => ({
          project_id: projectId,
          kind: valueKinds[kind],
          name_key: row.key,
          name: row.value.name,
          numeric: row.last.number !== undefined,
          unused_at: null,
        })),
      )
      .onConflict(['project_id', 'kind', 'name_key'])
      .merge(['numeric', 'unused_at']);
};

interface ValueRow {
  readonly name: string;
  readonly context: string | null;
  readonly text: string;
  readonly time: unknown;
  readonly step: unknown;
  readonly min_text: string;
  readonly min_time: unknown;
  readonly min_step: unknown;
  readonly max_text: string;
  readonly max_time: unknown;
  readonly max_step: unknown;
}
const toMoment = (text: string, time: unknown, step: unknown): ValueMoment => ({
  text,
  timestamp: Number(time),
  step: wholeOrNothing(step),
});
const toValue = (row: ValueRow): StoredValue => ({
  name: row.name,
  context: orNothing(row.context),
  last: toMoment(row.text, row.time, row.step),
  min: toMoment(row.min_text, row.min_time, row.min_step),
  max: toMoment(row.max_text, row.max_time, row.max_step),
});

const removeKeys = (
  connection: Connection,
  experimentId: string,
  kind: ValueKind,
  names: readonly string[],
): Promise<boolean> =>
  changeExperiment(connection, experimentId, async (inside) => {
    if (names.length === 0) return false;
    const removed = await inside
      .db('experiment_values')
      .where({ experiment_id: experimentId, kind: valueKinds[kind] })
      .modify(inside.dialect.among('name_key', 'id', [...new Set(names.map(valueKeyOf))]))
      .delete();
    return removed > 0;
  });

const storeTags = async (
  inside: Connection,
  place: Place,
  rows: readonly Gathered[],
): Promise<void> => {
  const [row] = (await inside
    .db('experiment_values')
    .where({ experiment_id: place.experimentId, kind: valueKinds.tag })
    .max({ last: 'position' })) as readonly { readonly last: unknown }[]; // one row of one column
  const suffix = inside.dialect.onConflictIgnore(['experiment_id', 'kind', 'name_key']);
  await upsert(inside, place, rows, suffix, Number(row?.last ?? 0) + 1);
};

/** Stores one write by itself, looking first at what it meets. */
const writeAlone = (
  connection: Connection,
  { experimentId, kind, rows, digest, receivedAt }: ValueWrite,
): Promise<Written> =>
  changeExperiment(connection, experimentId, async (inside, { projectId }) => {
    if (!(await takeDigest(inside, experimentId, digest, receivedAt))) return 'duplicate';
    const place = { experimentId, projectId, kind };
    const suffix = inside.dialect.onConflict(
      ['experiment_id', 'kind', 'name_key'],
      mergeValues(inside),
    );
    for (const piece of cutRows(rows)) {
      await (kind === 'tag'
        ? storeTags(inside, place, piece)
        : upsert(inside, place, piece, suffix));
      await noteNames(
        inside,
        place,
        [...piece].sort((a, b) => (a.key < b.key ? -1 : 1)),
      );
    }
    return 'stored';
  });

export const valueStore = (connection: Connection): ValueStore => {
  const { db, dialect } = connection;
  const write = valueFlusher(connection, writeAlone);
  return {
    write: async ({ experimentId, kind, values, digest, receivedAt }) =>
      write({ experimentId, kind, rows: gather(values), digest: requestIdOf(digest), receivedAt }),
    async list(experimentId, kind, names) {
      if (names?.length === 0) return [];
      const query = db('experiment_values')
        .where({ experiment_id: experimentId, kind: valueKinds[kind] })
        .orderBy('name_key')
        .limit(listLimit)
        .select(
          'name',
          'context',
          'text',
          'time',
          'step',
          'min_text',
          'min_time',
          'min_step',
          'max_text',
          'max_time',
          'max_step',
        );
      if (names !== undefined)
        query.modify(dialect.among('name_key', 'id', [...new Set(names.map(valueKeyOf))])); // as above
      const rows = (await query) as readonly ValueRow[]; // the columns named above
      return rows.map(toValue).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    remove: (experimentId, kind, names) => removeKeys(connection, experimentId, kind, names),
    async addTags(experimentId, tags, at) {
      const rows = [...new Set(tags)].map((tag) => toTag(tag, at));
      await write({ experimentId, kind: 'tag', rows, digest: undefined, receivedAt: at });
    },
    removeTags: (experimentId, tags) => removeKeys(connection, experimentId, 'tag', tags),
    async listTags(experimentId) {
      const rows = (await db('experiment_values')
        .select('name')
        .where({ experiment_id: experimentId, kind: valueKinds.tag })
        .orderBy(['position', 'name_key'])
        .limit(listLimit)) as readonly { readonly name: string }[]; // the column named above
      return rows.map((row) => row.name);
    },
  };
};
