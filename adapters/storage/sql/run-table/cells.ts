// The values of some columns for some runs, read by the keys of their rows.
import type { Cell, RunCells, RunFact, RunQuery } from '#ports/storage/run-table';
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

const cellOf = (row: ValueRow, { value }: ValuePlace): Cell => {
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

const readValues = (
  { db, dialect }: Connection,
  ids: readonly string[],
  kind: number,
  places: readonly ValuePlace[],
  whole: boolean,
): Promise<readonly ValueRow[]> => {
  const nameKeys = [...new Set(places.flatMap((place) => place.nameKeys))];
  const asks = (value: ValuePlace['value']) => places.some((place) => place.value === value);
  const ends = (after: string) =>
    (['min', 'max'] as const)
      .filter(asks)
      .map((end) => `, ${end}_${after} as ${end}_number`)
      .join('');
  const shown = (text: string) => (whole ? text : `left(${text}, ${longest + 1})`);
  // A metric's own row is exact, and its searchable copy may be some seconds old.
  return dialect.run(
    db,
    kind === valueKinds.metric
      ? `select experiment_id, series_id as name_key, last_value as number, case when last_value is null then ${shown('last_text')} end as text${ends('value')} from series where ${dialect.anyOf('experiment_id', 'id')} and ${dialect.anyOf('series_id', 'id')}`
      : `select experiment_id, name_key, number, case when number is null or abs(number) > 9007199254740991 then ${shown('text')} end as text${ends('number')} from experiment_values where kind = ${kind} and ${dialect.anyOf('experiment_id', 'id')} and ${dialect.anyOf('name_key', 'id')}`,
    [ids, nameKeys],
  ) as Promise<readonly ValueRow[]>; // the columns named above
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

export const readCells = async (
  connection: Connection,
  ids: readonly string[],
  { columns, wholeTexts = false }: Pick<RunQuery, 'columns' | 'wholeTexts'>,
): Promise<{ readonly keys: readonly string[]; readonly columns: readonly RunCells[] }> => {
  if (ids.length === 0) return { keys: [], columns: columns.map(() => ({ cells: [], cut: 0 })) };
  const places = columns.map(valuePlaceOf);
  const byKind = new Map<number, readonly ValuePlace[]>();
  for (const place of places)
    if (place !== undefined) byKind.set(place.kind, [...(byKind.get(place.kind) ?? []), place]);
  const runs = await readRuns(connection, ids);
  const tags = columns.some(({ kind, name }) => kind === 'metadata' && name === 'tags')
    ? await readTags(connection, ids)
    : undefined;
  const rowAt = new Map(ids.map((id, at) => [id, at]));
  const rows = new Map<string, { readonly at: number; readonly row: ValueRow }[]>();
  for (const [kind, asked] of byKind)
    for (const row of await readValues(connection, ids, kind, asked, wholeTexts)) {
      const key = `${kind}${row.name_key}`;
      const at = rowAt.get(row.experiment_id) ?? 0;
      const list = rows.get(key);
      if (list === undefined) rows.set(key, [{ at, row }]);
      else list.push({ at, row });
    }
  const valuesOf = (place: ValuePlace): readonly Cell[] => {
    const cells = new Array<Cell | undefined>(ids.length).fill(undefined);
    for (const nameKey of place.nameKeys)
      for (const { at, row } of rows.get(`${place.kind}${nameKey}`) ?? [])
        cells[at] = smaller(cells[at], cellOf(row, place));
    return cells.map((cell) => cell ?? null);
  };
  const factsOf = (name: RunFact): readonly Cell[] => {
    if (name === 'tags') return ids.map((id) => tags?.get(id) ?? []);
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
