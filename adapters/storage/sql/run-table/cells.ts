// The values of some columns for some runs, read by the keys of their rows.
import type { Cell, RunCells, RunFact, RunQuery } from '#ports/storage/run-table';
import type { Dialect } from '#ports/sql-dialect';
import { isTrue, type Connection } from '../connection.js';
import { valueKinds } from '../value-kinds.js';
import { stateAt, valuePlaceOf, type ValuePlace } from './keys.js';

/** Code points of a text that a cell holds at most, unless it is asked for whole. */
const longest = 500;

interface ValueRow {
  readonly experiment_id: string;
  readonly name_key: string;
  readonly number: number | null;
  /** There where it is asked for. */
  readonly min_number?: number | null;
  readonly max_number?: number | null;
  readonly text: string | null;
}
interface RunRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly state: string;
  readonly start_time: unknown;
  readonly end_time: unknown;
  readonly last_seen_at: unknown;
  readonly archived: unknown;
  readonly file_name: string | null;
  readonly file_path: string | null;
  readonly optimization_id: string | null;
  readonly user_name: string | null;
}

/** A whole number of more digits than a double keeps exactly is worth more as it was logged. */
const isExact = (number: number, text: string | null): boolean =>
  Number.isSafeInteger(number) || text === null || !/^[+-]?\d+$/.test(text);

const cellOf = (row: ValueRow, value: ValuePlace['value']): Cell => {
  if (value === 'min') return row.min_number ?? null;
  if (value === 'max') return row.max_number ?? null;
  return row.number !== null && isExact(row.number, row.text) ? row.number : (row.text ?? '');
};

/** Of two series with one full name the smaller number counts, as in the order of runs. */
const smaller = (one: Cell | undefined, other: Cell): Cell => {
  if (one === undefined || one === null) return other;
  if (other === null) return one;
  if (typeof one === typeof other) return other < one ? other : one;
  return typeof one === 'number' ? one : other;
};

type End = ValuePlace['value'];

/** What was found: the cells of all runs for a name of a kind, nothing where no run has it. */
type Found = (kind: number, nameKey: string, value: End) => readonly (Cell | undefined)[];

/** What is asked of one kind: names, and which ends of their metrics. */
interface Asked {
  readonly kind: number;
  readonly nameKeys: readonly string[];
  readonly ends: readonly End[];
}

const bigNumber = '9007199254740991';

/** Where the rows of a kind are. A metric's own row is exact, and its searchable copy may be some seconds old. */
const sourceOf = ({ kind }: Asked) =>
  kind === valueKinds.metric
    ? {
        from: 'series',
        key: 'series_id',
        number: { last: 'last_value', min: 'min_value', max: 'max_value' },
        text: 'last_text',
        textWhere: (row: string) => `${row}.last_value is null`,
        where: '',
      }
    : {
        from: 'experiment_values',
        key: 'name_key',
        number: { last: 'number', min: 'min_number', max: 'max_number' },
        text: 'text',
        textWhere: (row: string) => `(${row}.number is null or abs(${row}.number) > ${bigNumber})`,
        where: ` and v.kind = ${kind}`,
      };

const shownText = (text: string, whole: boolean) =>
  whole ? text : `left(${text}, ${longest + 1})`;

/** A row for every value. */
const readRows = async (
  { db, dialect }: Connection,
  ids: readonly string[],
  asked: Asked,
  whole: boolean,
): Promise<ReadonlyMap<string, readonly (Cell | undefined)[]>> => {
  const { from, key, number, text, textWhere, where } = sourceOf(asked);
  const ends = (['min', 'max'] as const)
    .filter((end) => asked.ends.includes(end))
    .map((end) => `, v.${number[end]} as ${end}_number`)
    .join('');
  const rows = (await dialect.run(
    db,
    `select v.experiment_id, v.${key} as name_key, v.${number.last} as number, case when ${textWhere('v')} then ${shownText(`v.${text}`, whole)} end as text${ends} from ${from} v where ${dialect.anyOf('v.experiment_id', 'id')} and ${dialect.anyOf(`v.${key}`, 'id')}${where}`,
    [ids, asked.nameKeys],
  )) as readonly ValueRow[]; // the columns named above
  const rowAt = new Map(ids.map((id, at) => [id, at]));
  const found = new Map<string, (Cell | undefined)[]>();
  for (const row of rows)
    for (const end of asked.ends) {
      const name = `${row.name_key}${end}`;
      const cells = found.get(name) ?? new Array<Cell | undefined>(ids.length).fill(undefined);
      cells[rowAt.get(row.experiment_id) ?? 0] = cellOf(row, end);
      found.set(name, cells);
    }
  return found;
};

interface PackedRow {
  readonly name_key: string;
  /** The places of the runs of which the numbers are. */
  readonly places: Buffer;
  readonly last: Buffer;
  readonly min?: Buffer;
  readonly max?: Buffer;
  /** Places and texts of what is no number, or more than a number keeps exactly. */
  readonly texts: string | null;
}

/** A row for every name, since four thousand rows take longer to read than to find. */
const readPacked = async (
  { db, dialect }: Connection,
  { packed, pipelined }: Required<Pick<Dialect, 'packed' | 'pipelined'>>,
  ids: readonly string[],
  asked: Asked,
  whole: boolean,
): Promise<ReadonlyMap<string, readonly (Cell | undefined)[]>> => {
  const { from, key, number, text, textWhere, where } = sourceOf(asked);
  const runs = pipelined.given([
    { name: 'id', kind: 'id', values: ids },
    { name: 'at', kind: 'whole', values: ids.map((_, at) => at) },
  ]);
  const ends = asked.ends.filter((end) => end !== 'last');
  const all = ['last' as const, ...ends];
  // `offset 0` keeps the rows of each run a look by its key: joined, the engine may read those of all runs instead.
  const rows = (await dialect.run(
    db,
    `select v.name_key, ${packed.numbers('v.at')} as places, ${all.map((end) => `${packed.numbers(`v."${end}"`)} as "${end}"`).join(', ')}, ${packed.texts('v.at', 'v.text', 'v.text is not null')} as texts
    from (select i.at, r.* from (${runs.select}) i cross join lateral (select v.${key} as name_key, ${all.map((end) => `v.${number[end]} as "${end}"`).join(', ')}, case when ${textWhere('v')} then ${shownText(`v.${text}`, whole)} end as text from ${from} v where v.experiment_id = i.id and ${dialect.anyOf(`v.${key}`, 'id')}${where} offset 0) r) v
    group by v.name_key`,
    [...runs.bindings, asked.nameKeys],
  )) as readonly PackedRow[]; // the columns named above
  const found = new Map<string, readonly (Cell | undefined)[]>();
  for (const row of rows) {
    const { name_key: nameKey } = row;
    const places = packed.read(row.places);
    const spread = (bytes: Buffer) => {
      const cells = new Array<Cell | undefined>(ids.length).fill(undefined);
      packed.read(bytes).forEach((number, i) => {
        cells[places[i] ?? 0] = number ?? null;
      });
      return cells;
    };
    for (const end of ends) found.set(`${nameKey}${end}`, spread(row[end] ?? row.last));
    const cells = spread(row.last);
    if (row.texts !== null)
      for (const [at, value] of JSON.parse(row.texts) as readonly [number, string][]) {
        const known = cells[at];
        if (typeof known !== 'number' || !isExact(known, value)) cells[at] = value;
      } // as it was put together above
    found.set(`${nameKey}last`, cells);
  }
  return found;
};

const readValues = (
  connection: Connection,
  ids: readonly string[],
  asked: Asked,
  whole: boolean,
): Promise<ReadonlyMap<string, readonly (Cell | undefined)[]>> => {
  const { packed, pipelined } = connection.dialect;
  return packed === undefined || pipelined === undefined
    ? readRows(connection, ids, asked, whole)
    : readPacked(connection, { packed, pipelined }, ids, asked, whole);
};

const readTags = async (
  { db, dialect }: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = (await dialect.run(
    db,
    `select experiment_id, name from experiment_values where kind = ${valueKinds.tag} and ${dialect.anyOf('experiment_id', 'id')} order by experiment_id, position, name_key`,
    [ids],
  )) as readonly { readonly experiment_id: string; readonly name: string }[]; // the columns named above
  const found = new Map<string, string[]>();
  for (const { experiment_id, name } of rows) {
    const tags = found.get(experiment_id);
    if (tags === undefined) found.set(experiment_id, [name]);
    else tags.push(name);
  }
  return found;
};

const readRuns = async (
  { db, dialect, clock }: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunRow>> => {
  const state = stateAt(clock.now());
  const rows = (await dialect.run(
    db,
    `select e.id, e.key, e.name, ${state.sql} as state, e.start_time, e.end_time, e.last_seen_at, e.archived, e.file_name, e.file_path, e.optimization_id, u.name as user_name from experiments e left join users u on u.id = e.user_id where ${dialect.anyOf('e.id', 'id')}`,
    [...state.bindings, ids],
  )) as readonly RunRow[]; // the columns named above
  return new Map(rows.map((row) => [row.id, row]));
};

const factOf: Readonly<
  Record<Exclude<RunFact, 'tags' | 'codeSHA' | 'installed_packages'>, (row: RunRow) => Cell>
> = {
  key: (row) => row.key,
  name: (row) => row.name,
  state: (row) => row.state,
  start: (row) => Number(row.start_time),
  end: (row) => Number(row.end_time),
  lastSeen: (row) => Number(row.last_seen_at),
  duration: (row) => Math.max(0, Number(row.end_time) - Number(row.start_time)),
  user: (row) => row.user_name,
  archived: (row) => Number(isTrue(row.archived)),
  fileName: (row) => row.file_name,
  filePath: (row) => row.file_path,
  optimizationId: (row) => row.optimization_id,
};

/** Texts end at their bound, and how many did is counted. */
const bounded = (cells: readonly Cell[], whole: boolean): RunCells => {
  if (whole) return { cells, cut: 0 };
  let cut = 0;
  const kept = cells.map((cell) => {
    if (typeof cell !== 'string' || cell.length <= longest) return cell;
    const signs = [...cell];
    if (signs.length <= longest) return cell;
    cut++;
    return signs.slice(0, longest).join('');
  });
  return { cells: kept, cut };
};

/** The places of columns by their kind, each name once. */
const gatherAsked = (places: readonly (ValuePlace | undefined)[]): readonly Asked[] => {
  const byKind = new Map<number, { nameKeys: Set<string>; ends: Set<End> }>();
  for (const place of places) {
    if (place === undefined) continue;
    const asked = byKind.get(place.kind) ?? { nameKeys: new Set(), ends: new Set() };
    for (const key of place.nameKeys) asked.nameKeys.add(key);
    asked.ends.add(place.value);
    byKind.set(place.kind, asked);
  }
  return [...byKind].map(([kind, { nameKeys, ends }]) => ({
    kind,
    nameKeys: [...nameKeys],
    ends: [...ends],
  }));
};

const noTags: ReadonlyMap<string, readonly string[]> = new Map();

/** What columns show of some runs, and their keys. */
export const readCells = async (
  connection: Connection,
  ids: readonly string[],
  { columns, wholeTexts = false }: Pick<RunQuery, 'columns' | 'wholeTexts'>,
): Promise<{ readonly keys: readonly string[]; readonly columns: readonly RunCells[] }> => {
  if (ids.length === 0) return { keys: [], columns: columns.map(() => ({ cells: [], cut: 0 })) };
  const places = columns.map(valuePlaceOf);
  const asksForTags = columns.some(({ kind, name }) => kind === 'metadata' && name === 'tags');
  const asked = gatherAsked(places);
  // Each statement on a connection of its own: the database works on several at once, and a transaction would show them no common state either.
  const [runs, tags, values] = await Promise.all([
    readRuns(connection, ids),
    asksForTags ? readTags(connection, ids) : noTags,
    Promise.all(asked.map((one) => readValues(connection, ids, one, wholeTexts))),
  ]);
  const find: Found = (kind, nameKey, value) =>
    values[asked.findIndex((one) => one.kind === kind)]?.get(`${nameKey}${value}`) ?? [];
  const valuesOf = ({ kind, nameKeys, value }: ValuePlace): readonly Cell[] => {
    const cells = new Array<Cell | undefined>(ids.length).fill(undefined);
    for (const nameKey of nameKeys)
      find(kind, nameKey, value).forEach((cell, at) => {
        if (cell !== undefined) cells[at] = smaller(cells[at], cell);
      });
    return cells.map((cell) => cell ?? null);
  };
  const factsOf = (name: RunFact): readonly Cell[] => {
    if (name === 'tags') return ids.map((id) => tags.get(id) ?? []);
    if (name === 'codeSHA' || name === 'installed_packages') return []; // logged values, which have a place
    return ids.map((id) => {
      const run = runs.get(id);
      return run === undefined ? null : factOf[name](run);
    });
  };
  return {
    keys: ids.map((id) => runs.get(id)?.key ?? ''),
    columns: columns.map((column, at) => {
      const place = places[at];
      if (place !== undefined) return bounded(valuesOf(place), wholeTexts);
      return bounded(column.kind === 'metadata' ? factsOf(column.name) : [], wholeTexts);
    }),
  };
};
