import type { LoggedValue, StoredValue, ValueMoment, ValueStore } from '#ports/storage/values';
import { isTrue, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { changeExperiment, takeDigest } from './experiment-lock.js';
import { numberOf } from './metrics/numbers.js';
import { prefixOf, valueKeyOf, valueKinds, type ValueKind } from './value-kinds.js';

/** More than any experiment logs; a list ends here. */
const listLimit = 100_000;
const statementCharacters = 1024 * 1024;
const namesAtOnce = 1000;

interface Extreme extends ValueMoment {
  readonly number: number | undefined;
}
interface Gathered {
  readonly key: string;
  readonly value: LoggedValue;
  readonly min: Extreme;
  readonly max: Extreme;
  readonly last: Extreme;
}

const finiteOf = (text: string): number | undefined => {
  const number = numberOf(text);
  return Number.isFinite(number) ? number : undefined;
};
const toExtreme = ({ text, step, timestamp }: LoggedValue): Extreme => ({
  text,
  step,
  timestamp,
  number: finiteOf(text),
});

/** Whether `next` takes the place of `held` as the smallest (`sign` 1) or largest (`sign` -1); without a number yet, the newest does. */
const replaces = (held: Extreme, next: Extreme, sign: 1 | -1): boolean =>
  held.number === undefined ||
  (next.number !== undefined && next.number * sign < held.number * sign);

const extend = (held: Gathered | undefined, key: string, value: LoggedValue): Gathered => {
  const last = toExtreme(value);
  if (held === undefined) return { key, value, min: last, max: last, last };
  return {
    key,
    value,
    min: replaces(held.min, last, 1) ? last : held.min,
    max: replaces(held.max, last, -1) ? last : held.max,
    last,
  };
};

const toTag = (tag: string, at: number): Gathered => {
  const value = { name: tag, context: undefined, text: tag, step: undefined, timestamp: at };
  const only = { ...value, number: undefined };
  return { key: valueKeyOf(tag), value, min: only, max: only, last: only };
};

/** One entry a name, in the order of keys: the one order in which every transaction touches rows. */
const gather = (values: readonly LoggedValue[]): readonly Gathered[] => {
  const found = new Map<string, Gathered>();
  for (const value of values) {
    const key = valueKeyOf(value.name);
    found.set(key, extend(found.get(key), key, value));
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
};

/** Pieces of a list that each fit into one statement. */
function* cutRows(rows: readonly Gathered[]): Iterable<readonly Gathered[]> {
  let piece: Gathered[] = [];
  let size = 0;
  for (const row of rows) {
    const length = 500 + row.value.name.length + 3 * row.last.text.length;
    if (piece.length > 0 && size + length > statementCharacters) {
      yield piece;
      [piece, size] = [[], 0];
    }
    piece.push(row);
    size += length;
  }
  if (piece.length > 0) yield piece;
}

const parts = ['text', 'step', 'time', 'number'] as const;

/** Merging in SQL, in an order in which no assignment reads what an earlier one changed. */
const mergeValues = ({ dialect }: Connection): readonly string[] => {
  const [stored, incoming] = [
    (column: string) => dialect.stored('experiment_values', column),
    (column: string) => dialect.incoming(column),
  ];
  const follow = (end: 'min' | 'max', sign: '<' | '>') => {
    const wins = `(${stored(`${end}_number`)} is null or ${incoming(`${end}_number`)} ${sign} ${stored(`${end}_number`)})`;
    return parts.map(
      (part) =>
        `${end}_${part} = case when ${wins} then ${incoming(`${end}_${part}`)} else ${stored(`${end}_${part}`)} end`,
    );
  };
  return [
    ...['project_id', 'number', 'prefix', 'text', 'time', 'step', 'context'].map(
      (column) => `${column} = ${incoming(column)}`,
    ),
    ...follow('min', '<'),
    ...follow('max', '>'),
  ];
};

const endColumns = (rows: readonly Gathered[], end: 'min' | 'max') => [
  {
    name: `${end}_number`,
    kind: 'real',
    values: rows.map((row) => row[end].number ?? null),
  } as const,
  { name: `${end}_text`, kind: 'text', values: rows.map((row) => row[end].text) } as const,
  { name: `${end}_time`, kind: 'whole', values: rows.map((row) => row[end].timestamp) } as const,
  { name: `${end}_step`, kind: 'whole', values: rows.map((row) => row[end].step ?? null) } as const,
];

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
      { name: 'experiment_id', kind: 'id', values: rows.map(() => experimentId) },
      { name: 'kind', kind: 'whole', values: rows.map(() => valueKinds[kind]) },
      { name: 'name_key', kind: 'id', values: rows.map((row) => row.key) },
      { name: 'project_id', kind: 'id', values: rows.map(() => projectId) },
      { name: 'name', kind: 'text', values: rows.map((row) => row.value.name) },
      { name: 'number', kind: 'real', values: rows.map((row) => row.last.number ?? null) },
      { name: 'prefix', kind: 'text', values: rows.map((row) => prefixOf(row.last.text)) },
      { name: 'text', kind: 'text', values: rows.map((row) => row.last.text) },
      { name: 'position', kind: 'whole', values: rows.map((_, i) => firstPosition + i) },
      { name: 'time', kind: 'whole', values: rows.map((row) => row.last.timestamp) },
      { name: 'step', kind: 'whole', values: rows.map((row) => row.last.step ?? null) },
      { name: 'context', kind: 'text', values: rows.map((row) => row.value.context ?? null) },
      ...endColumns(rows, 'min'),
      ...endColumns(rows, 'max'),
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
        })),
      )
      .onConflict(['project_id', 'kind', 'name_key'])
      .merge(['numeric']);
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

export const valueStore = (connection: Connection): ValueStore => {
  const { db, dialect } = connection;
  return {
    write: ({ experimentId, kind, values, digest, receivedAt }) =>
      changeExperiment(connection, experimentId, async (inside, { projectId }) => {
        if (!(await takeDigest(inside, experimentId, digest, receivedAt))) return 'duplicate';
        const place = { experimentId, projectId, kind };
        for (const rows of cutRows(gather(values))) {
          await upsert(
            inside,
            place,
            rows,
            dialect.onConflict(['experiment_id', 'kind', 'name_key'], mergeValues(inside)),
          );
          await noteNames(inside, place, rows);
        }
        return 'stored';
      }),
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
    addTags: (experimentId, tags, at) =>
      changeExperiment(connection, experimentId, async (inside, { projectId }) => {
        const place = { experimentId, projectId, kind: 'tag' } as const;
        const named = [...new Set(tags)].map((tag) => toTag(tag, at));
        if (named.length === 0) return;
        const [row] = (await inside
          .db('experiment_values')
          .where({ experiment_id: experimentId, kind: valueKinds.tag })
          .max({ last: 'position' })) as readonly { readonly last: unknown }[]; // one row of one column
        await upsert(
          inside,
          place,
          named,
          dialect.onConflictIgnore(['experiment_id', 'kind', 'name_key']),
          Number(row?.last ?? 0) + 1,
        );
        await noteNames(
          inside,
          place,
          [...named].sort((a, b) => (a.key < b.key ? -1 : 1)),
        );
      }),
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
