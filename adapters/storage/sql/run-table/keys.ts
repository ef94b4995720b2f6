// What runs are sorted and grouped by, as SQL over `experiments e`: a class (0 a number, 1 a text, 2 absent), a number and a text, never null.
import type { RunColumn, RunFact, SortKey } from '#ports/storage/run-table';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import { isTrue, type Connection } from '../connection.js';
import { both, either, fragment, joined, never } from '../fragment.js';
import { seriesIdsOf } from '../metrics/series-ids.js';
import { valueKeyOf, valueKinds } from '../value-kinds.js';

export interface KeySql {
  readonly rank: Fragment;
  readonly number: Fragment;
  readonly text: Fragment;
  /** Joined to `e`; nothing where the key needs no other table. */
  readonly joins: Fragment;
}

/** The rows of `experiment_values` that a column shows. */
export interface ValuePlace {
  readonly kind: number;
  /** Several for a metric whose context cannot be told from its name. */
  readonly nameKeys: readonly string[];
  readonly value: 'last' | 'min' | 'max';
}

const noted: readonly RunFact[] = ['codeSHA', 'installed_packages'];

/** Where the values of a column are; `undefined` for what the row of the run itself holds. */
export const valuePlaceOf = (column: RunColumn): ValuePlace | undefined => {
  if (column.kind === 'metadata')
    return noted.includes(column.name)
      ? { kind: valueKinds.noted, nameKeys: [valueKeyOf(column.name)], value: 'last' }
      : undefined;
  return {
    kind: valueKinds[column.kind],
    nameKeys: column.kind === 'metric' ? seriesIdsOf(column.name) : [valueKeyOf(column.name)],
    value: column.value,
  };
};

/** What kinds of values runs at home in a project have in a column. */
export interface Contents {
  /** Those of the column's keys that are in use. */
  readonly nameKeys: readonly string[];
  readonly numbers: boolean;
  readonly texts: boolean;
}

const marks = (list: readonly unknown[]) => list.map(() => '?').join(', ');
const nothing = fragment('');

export const nothingFound: Contents = { nameKeys: [], numbers: false, texts: false };

/** What a project holds, as far as a statement depends on it. */
export interface Looked {
  /** Whether runs are linked into it. */
  readonly linked: boolean;
  /** Of each column that was looked at. */
  readonly contents: readonly Contents[];
}

/** Looks at one entry of an index for each key and type, and for links: what a statement then need not join costs nothing. */
export const lookAt = async (
  { db, dialect }: Connection,
  projectId: string,
  columns: readonly RunColumn[],
): Promise<Looked> => {
  const asked = columns.flatMap((one, column) => {
    const place = valuePlaceOf(one);
    return (place?.nameKeys ?? []).map((nameKey) => ({ column, nameKey, kind: place?.kind }));
  });
  const some = (is: string) =>
    `exists (select 1 from experiment_values v where v.project_id = ? and v.kind = ? and v.name_key = ? and v.number is ${is})`;
  const [row] = (await dialect.run(
    db,
    `select exists (select 1 from experiment_links l where l.project_id = ?) as linked${asked.map((_, i) => `, ${some('not null')} as n${i}, ${some('null')} as t${i}`).join('')}`,
    [
      projectId,
      ...asked.flatMap(({ kind, nameKey }) => [projectId, kind, nameKey, projectId, kind, nameKey]),
    ],
  )) as readonly [Readonly<Record<string, unknown>>]; // one row of the columns named above
  const contents = columns.map((_, column): Contents => {
    const found = asked.flatMap((one, i) =>
      one.column === column
        ? [{ ...one, numbers: isTrue(row[`n${i}`]), texts: isTrue(row[`t${i}`]) }]
        : [],
    );
    return {
      nameKeys: found.filter((one) => one.numbers || one.texts).map((one) => one.nameKey),
      numbers: found.some((one) => one.numbers),
      texts: found.some((one) => one.texts),
    };
  });
  return { linked: isTrue(row['linked']), contents };
};

const numberColumns = { last: 'number', min: 'min_number', max: 'max_number' } as const;
const zero = fragment('0e0');
const empty = fragment("''");
const absent: KeySql = { rank: fragment('2'), number: zero, text: empty, joins: nothing };

/** By one range of an index, which is joined once: for runs at home that have values under one key. */
const joinValues = (
  projectId: string,
  { kind, value }: ValuePlace,
  { nameKeys, numbers, texts }: Contents,
  at: number,
): KeySql => {
  // Numbers and beginnings of texts are in an index each, so each is read from its own and no row is opened.
  const join = (alias: string, also = '') =>
    fragment(
      ` left join experiment_values ${alias} on ${alias}.project_id = ? and ${alias}.kind = ${kind} and ${alias}.name_key = ? and ${alias}.experiment_id = e.id${also}`,
      projectId,
      nameKeys[0],
    );
  const [n, t] = [`n${at}`, `t${at}`];
  const joinText = () => join(t, ` and ${t}.number is null`);
  const number = `${n}.${numberColumns[value]}`;
  if (value !== 'last' || !texts)
    return {
      rank: fragment(`case when ${number} is null then 2 else 0 end`),
      number: fragment(`coalesce(${number}, 0e0)`),
      text: empty,
      joins: join(n),
    };
  if (!numbers)
    return {
      rank: fragment(`case when ${t}.experiment_id is null then 2 else 1 end`),
      number: zero,
      text: fragment(`coalesce(${t}.prefix, '')`),
      joins: joinText(),
    };
  return {
    rank: fragment(
      `case when ${number} is not null then 0 when ${n}.experiment_id is not null then 1 else 2 end`,
    ),
    number: fragment(`coalesce(${number}, 0e0)`),
    text: fragment(`case when ${number} is null then coalesce(${t}.prefix, '') else '' end`),
    joins: joined(join(n), joinText()),
  };
};

/** By the key of each run: for the few that are linked, and for names that stand for several series. */
const lookUpValues = ({ kind, value, nameKeys }: ValuePlace): KeySql => {
  const of = (what: string, also = '') =>
    fragment(
      `(select ${what} from experiment_values v where v.experiment_id = e.id and v.kind = ${kind} and v.name_key in (${marks(nameKeys)})${also})`,
      ...nameKeys,
    );
  const number = of(`min(v.${numberColumns[value]})`);
  const coalesced = joined('coalesce(', number, ', 0e0)');
  if (value !== 'last')
    return {
      rank: joined('case when ', number, ' is null then 2 else 0 end'),
      number: coalesced,
      text: empty,
      joins: nothing,
    };
  const text = of('min(v.prefix)', ' and v.number is null');
  return {
    rank: joined(
      'case when ',
      number,
      ' is not null then 0 when ',
      text,
      ' is not null then 1 else 2 end',
    ),
    number: coalesced,
    text: joined('case when ', number, ' is null then coalesce(', text, ", '') else '' end"),
    joins: nothing,
  };
};

const numbersOfRun: Partial<Record<RunFact, string>> = {
  start: 'e.start_time',
  end: 'e.end_time',
  lastSeen: 'e.last_seen_at',
  duration: 'case when e.end_time > e.start_time then e.end_time - e.start_time else 0 end',
  archived: 'case when e.archived then 1 else 0 end',
};
const textsOfRun: Partial<Record<RunFact, string>> = {
  key: 'e.key',
  name: 'e.name',
  fileName: 'e.file_name',
  filePath: 'e.file_path',
  optimizationId: 'e.optimization_id',
  tags: `(select min(g.prefix) from experiment_values g where g.experiment_id = e.id and g.kind = ${valueKinds.tag})`,
};

/** Whether it runs, in a word; the same as `stateOf` of the rules of experiments. */
export const stateAt = (now: number): Fragment =>
  fragment(
    "case when e.alive and e.last_seen_at + e.beat_ms >= ? then 'running' when e.has_crashed then 'crashed' else 'finished' end",
    now,
  );

const ofRun = (name: RunFact, now: number, at: number): KeySql => {
  const number = numbersOfRun[name];
  if (number !== undefined)
    return {
      rank: fragment('0'),
      number: fragment(`${number} + 0e0`),
      text: empty,
      joins: nothing,
    };
  if (name === 'state')
    return { rank: fragment('1'), number: zero, text: stateAt(now), joins: nothing };
  const user = `u${at}`; // an order may name it twice
  const text = name === 'user' ? `${user}.name` : (textsOfRun[name] ?? "''");
  return {
    rank: fragment(`case when ${text} is null then 2 else 1 end`),
    number: zero,
    text: fragment(`coalesce(left(${text}, 190), '')`),
    joins:
      name === 'user' ? fragment(` left join users ${user} on ${user}.id = e.user_id`) : nothing,
  };
};

/** Where a key is compiled for: the runs at home in a project, or those linked into it. */
export interface KeyScope {
  readonly home: string | undefined;
  readonly now: number;
}

export const compileKey = (
  { home, now }: KeyScope,
  column: RunColumn,
  contents: Contents,
  at: number,
): KeySql => {
  const place = valuePlaceOf(column);
  if (place === undefined) return column.kind === 'metadata' ? ofRun(column.name, now, at) : absent;
  if (home === undefined) return lookUpValues(place);
  if (contents.nameKeys.length === 0) return absent;
  return contents.nameKeys.length === 1
    ? joinValues(home, place, contents, at)
    : lookUpValues({ ...place, nameKeys: contents.nameKeys });
};

/** The members of a key as columns of a select, by its place. */
export const selectKey = ({ rank, number, text }: KeySql, at: number): Fragment =>
  joined(rank, ` as rank${at}, `, number, ` as number${at}, `, text, ` as text${at}`);

export const orderKey = (dialect: Dialect, at: number, descending: boolean): string => {
  const direction = descending ? 'desc' : 'asc';
  return `rank${at}, number${at} ${direction}, ${dialect.byCodePoints(`text${at}`)} ${direction}`;
};

/** 0 a number, 1 a text, 2 absent. */
export type KeyRank = 0 | 1 | 2;
export const rankOf = (key: SortKey): KeyRank =>
  key === null ? 2 : typeof key === 'number' ? 0 : 1;

/** Whether a row lies behind a place in the order of these directions. */
export const behind = (
  dialect: Dialect,
  descending: readonly boolean[],
  keys: readonly SortKey[],
  id: string,
): Fragment => {
  const last = fragment(`id ${descending[0] === false ? '>' : '<'} ?`, id);
  return keys.reduceRight<Fragment>((rest, key, at) => {
    const sign = descending[at] === true ? '<' : '>';
    const rank = rankOf(key);
    // A bound number as a decimal: a fraction would not fit a column of whole numbers.
    const [number, text] = [typeof key === 'number' ? key : 0, typeof key === 'string' ? key : ''];
    const column = dialect.byCodePoints(`text${at}`);
    const further =
      rank === 0
        ? fragment(`number${at} ${sign} (? + 0e0)`, number)
        : rank === 1
          ? fragment(`${column} ${sign} ${dialect.byCodePoints('?')}`, text)
          : never;
    const same =
      rank === 0
        ? fragment(`number${at} = (? + 0e0)`, number)
        : rank === 1
          ? fragment(`${column} = ${dialect.byCodePoints('?')}`, text)
          : fragment('1 = 1');
    return either(
      fragment(`rank${at} > ${rank}`),
      both(fragment(`rank${at} = ${rank}`), either(further, both(same, rest))),
    );
  }, last);
};

/** A key as it is read back. */
export const readKey = (row: Readonly<Record<string, unknown>>, at: number): SortKey => {
  const rank = Number(row[`rank${at}`]);
  return rank === 2 ? null : rank === 0 ? Number(row[`number${at}`]) : String(row[`text${at}`]);
};
