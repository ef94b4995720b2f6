// CSV files: read as they come, a portion at a time.
import { csvRows } from '#ports/csv-rows';
import { Failure } from '#ports/failure';
import { countTraining, ownerOf } from './baselines.js';
import { storeFaults } from './faults.js';
import { ingest, type Ingested, type Ingesting } from './ingesting.js';
import { readItems, type Item, type Value } from './items.js';
import {
  ensureModel,
  fieldKey,
  fieldsAmong,
  findModel,
  lockModel,
  modelIdOf,
  partsOf,
  storeFields,
  type Field,
} from './models.js';
import { packProfiles } from './profile-packing.js';
import { eventsField } from './profiles.js';
import { sketchOf } from './sketches.js';
import { Turns } from './turns.js';
import { removeEvery } from './removing.js';

export type UploadOf =
  { readonly of: 'events' | 'labels' } | { readonly of: 'training'; readonly replace: boolean };

export const defaultMissing = [
  '',
  'None',
  'empty',
  'null',
  'NULL',
  'N/A',
  'NA',
  'NaN',
  'n/a',
  'nan',
];
/** Rows by which the types of columns are decided. */
const typingRows = 10_000;
/** Rows that are stored at once: few, so that others are answered in between; more of training sets, of which only sums are stored. */
export const [rowsAtOnce, trainingRows] = [1000, 2500] as const;
const rowsPerLine = 50_000;

export interface Fields {
  readonly workspaceName: string;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly datasetName: string | undefined;
  readonly missing: ReadonlySet<string>;
}

const numberOf = (cell: string): number | undefined => {
  const number = cell.trim() === '' ? NaN : Number(cell);
  return Number.isFinite(number) ? number : undefined;
};
const isNumber = (cell: string): boolean => numberOf(cell) !== undefined;

/** Counts, of each column, cells that are there and those of them that are numbers. */
class Typing {
  readonly #cells: number[] = [];
  readonly #numbers: number[] = [];
  rows = 0;

  constructor(readonly missing: ReadonlySet<string>) {}

  add(row: readonly string[]): void {
    this.rows++;
    for (let at = 0; at < row.length; at++) {
      const cell = row[at] ?? '';
      if (this.missing.has(cell.trim())) continue;
      this.#cells[at] = (this.#cells[at] ?? 0) + 1;
      if (isNumber(cell)) this.#numbers[at] = (this.#numbers[at] ?? 0) + 1;
    }
  }

  /** Which columns hold numbers: those where at least 99 of 100 cells are such. */
  numeric(header: readonly string[]): readonly boolean[] {
    return header.map((_, at) => {
      const cells = this.#cells[at] ?? 0;
      return cells > 0 && (this.#numbers[at] ?? 0) >= cells * 0.99;
    });
  }
}

const columnParts: readonly (readonly [
  prefix: string,
  member: 'features' | 'predictions' | 'labels',
])[] = [
  ['feature_', 'features'],
  ['prediction_', 'predictions'],
  ['label_value_', 'labels'],
  ['label_', 'labels'],
];

type Given = Record<string, unknown>;

/** What becomes of the cells of a column. */
type Use =
  | { readonly own: 'timestamp' | 'predictionId' }
  | {
      readonly own: undefined;
      readonly member: (typeof columnParts)[number][1];
      readonly name: string;
    };
const useOf = (column: string): Use | undefined => {
  if (column === 'timestamp' || column === 'predictionId') return { own: column };
  const [prefix = '', member] = columnParts.find(([one]) => column.startsWith(one)) ?? [];
  return member && { own: undefined, member, name: column.slice(prefix.length) };
};

const sources = { features: 'feature', predictions: 'prediction', labels: 'label' } as const;
/** The column of a model under which the cells of one of a file are kept. */
const columnOf = (name: string): string | undefined => {
  const use = useOf(name);
  return use === undefined || use.own !== undefined
    ? undefined
    : `${sources[use.member]}_${use.name}`;
};

/** Which columns of a file hold numbers. */
interface Types {
  readonly numeric: readonly boolean[];
  /** The same by the columns of the model. */
  readonly byColumn: ReadonlyMap<string, boolean>;
}

/** The types of the columns: what the model knows of its fields already wins over what the first rows say. */
export const typesOf = async (
  needs: Pick<Ingesting, 'ids' | 'tables'>,
  model: string,
  { header, numeric }: Pick<Portion, 'header' | 'numeric'>,
): Promise<Types> => {
  const columns = header.map(columnOf);
  const asked = new Set(columns.filter((column) => column !== undefined));
  const known = await fieldsAmong(needs, model, [...asked]);
  const found = columns.map((column, at) => ({
    column: column ?? '',
    isNumeric: known.get(column ?? '')?.numeric ?? numeric[at] === true,
  }));
  return {
    numeric: found.map(({ isNumeric }) => isNumeric),
    byColumn: new Map(found.map(({ column, isNumeric }) => [column, isNumeric])),
  };
};

/** How a row becomes an item, by the names of the columns. */
export const itemMaker = (
  header: readonly string[],
  numeric: readonly boolean[],
  { workspaceName, modelName, modelVersion, missing }: Fields,
  newId: () => string,
): ((row: readonly string[]) => Given) => {
  const uses = header.map(useOf);
  return (row) => {
    const item: Given = { workspaceName, modelName, modelVersion };
    for (let at = 0; at < uses.length; at++) {
      const use = uses[at];
      const cell = (row[at] ?? '').trim();
      if (use === undefined || missing.has(cell)) continue;
      if (use.own !== undefined) {
        item[use.own] = cell;
        continue;
      }
      const held = (item[use.member] ??= Object.create(null)) as Given; // made right here, of names that may be any
      const number = numeric[at] === true ? numberOf(cell) : undefined;
      held[use.name] = number ?? cell;
    }
    item['predictionId'] ??= newId();
    return item;
  };
};

async function* textsOf(content: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new Failure('invalid', 'the CSV file is not UTF-8', { cause });
    }
  };
  for await (const bytes of content) yield decode(bytes);
  yield decode();
}

const bounds = { mostColumns: 4000, longestRow: 16 * 1024 * 1024 };

interface Portion {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Which columns hold numbers, as the first rows say. */
  readonly numeric: readonly boolean[];
}

/** Pieces of text that were taken already, and then the others. */
async function* again(taken: string[], rest: AsyncIterator<string>): AsyncIterable<string> {
  // Each is let go once it was gone through.
  while (taken.length > 0) yield taken.shift() ?? '';
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** Rows of a file in portions of so many; the first one is a header. Its beginning is gone through twice: it is kept as text, not as cells. */
export async function* portionsOf(
  content: AsyncIterable<Uint8Array>,
  missing: ReadonlySet<string>,
  atOnce: number,
): AsyncGenerator<Portion> {
  const texts = textsOf(content)[Symbol.asyncIterator]();
  const taken: string[] = [];
  const taking = async function* (): AsyncIterable<string> {
    for (let next = await texts.next(); next.done !== true; next = await texts.next()) {
      taken.push(next.value);
      yield next.value;
    }
  };
  let header: readonly string[] | undefined;
  const typing = new Typing(missing);
  const turns = new Turns();
  for await (const row of csvRows(taking(), bounds)) {
    if (header === undefined) header = row.map((name) => name.trim());
    else typing.add(row);
    if (typing.rows >= typingRows) break;
    if (turns.isOver()) await turns.pass();
  }
  if (header === undefined) throw new Failure('invalid', 'the CSV file has no header line');
  const numeric = typing.numeric(header);
  let rows: (readonly string[])[] = [];
  let isHeader = true;
  for await (const row of csvRows(again(taken, texts), bounds)) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    rows.push(row);
    if (turns.isOver()) await turns.pass();
    if (rows.length < atOnce) continue;
    yield { header, numeric, rows };
    rows = [];
  }
  if (rows.length > 0) yield { header, numeric, rows };
}

/** Adds events to the sums of a training set. Nothing else is kept of them. */
const storeTraining = async (
  needs: Ingesting,
  model: string,
  owner: string,
  kept: { readonly version: string; readonly datasetName: string },
  items: readonly Item[],
): Promise<void> => {
  const values = new Map<string, Value[]>();
  for (const item of items)
    for (const [column, value] of item.values) {
      const before = values.get(column);
      if (before === undefined) values.set(column, [value]);
      else before.push(value);
    }
  const piece = needs.ids.next();
  const rowOf = (field: string, held: readonly Value[]) => ({
    model_id: owner,
    field,
    day: 0,
    piece,
    content: packProfiles([{ hour: 0, version: '', sketch: sketchOf(held, items.length) }]),
  });
  await needs.tables.transaction(async (inside) => {
    await lockModel(inside, model); // whoever keeps what was read of the model reads it anew
    await countTraining(needs, inside, { model, owner, events: items.length, ...kept });
    await inside.insertAll('profiles', [
      rowOf(
        eventsField,
        items.map(() => 1),
      ),
      ...[...values].map(([column, held]) => rowOf(fieldKey(needs, column), held)),
    ]);
    const seen = await inside.findAll(
      'fields',
      [...values.keys()].map((column) => ({ model_id: model, field: fieldKey(needs, column) })),
    );
    const known = new Set(seen.map((row) => String(row['field'])));
    const at = needs.clock.now();
    const fresh = [...values].filter(([column]) => !known.has(fieldKey(needs, column)));
    await storeFields(
      needs,
      inside,
      model,
      fresh.map(([column, held]): Field => ({
        column,
        ...partsOf(column),
        numeric: needs.expected?.get(column) ?? typeof held[0] === 'number',
        firstSeen: at,
        lastSeen: at,
      })),
    );
  });
};

/** Forgets what was kept of a training set, so that the next upload begins it anew. */
const forgetTraining = async (
  { tables }: Ingesting,
  model: string,
  owner: string,
): Promise<void> => {
  await removeEvery(tables, 'profiles', 'key', { model_id: owner });
  await tables.remove('baselines', { model_id: model, baseline: owner });
};

/** Adds training events portion by portion. The first one that has any makes the model, and begins the set anew where that is asked for. */
const trainingStore = (
  needs: Ingesting,
  workspaceId: string,
  { modelName, modelVersion: version, datasetName = '' }: Fields,
  replace: boolean,
) => {
  let isAnew = replace;
  return async (given: readonly Given[], expected: Types['byColumn']): Promise<Sums> => {
    const { items, faults } = readItems(given, { onlyLabels: false, now: needs.clock.now() });
    const sums = { ...noSums, accepted: items.length, rejected: faults.length };
    const model =
      items.length > 0
        ? await ensureModel(needs, workspaceId, modelName)
        : await findModel(needs.tables, modelIdOf(needs, workspaceId, modelName));
    if (model === undefined) return sums; // what is wrong makes no model
    const owner = ownerOf(needs, model.id, datasetName);
    if (items.length > 0) {
      if (isAnew) await forgetTraining(needs, model.id, owner);
      isAnew = false;
      const kept = { version, datasetName };
      await storeTraining({ ...needs, expected }, model.id, owner, kept, items);
    }
    const told = faults.map((fault) => ({
      ...fault,
      sample: model.profileOnly ? '{}' : JSON.stringify(given[fault.index]),
    }));
    await storeFaults(needs, needs.tables, model.id, told);
    return sums;
  };
};

type Sums = Pick<Ingested, 'accepted' | 'duplicates' | 'rejected' | 'pendingLabels'>;
const noSums: Sums = { accepted: 0, duplicates: 0, rejected: 0, pendingLabels: 0 };

/** Rejects with `invalid` a file of whose rows each would be an event of nothing, or in which it is open which of two cells counts. */
const requireColumns = (header: readonly string[]): void => {
  if (header.length === 1 && /[;\t|]/.test(header[0] ?? ''))
    throw new Failure('invalid', 'the columns of the CSV file must be separated by commas');
  if (header.every((name) => columnOf(name) === undefined))
    throw new Failure(
      'invalid',
      'the CSV file has no column whose name begins with feature_, prediction_ or label_value_',
    );
  const met = new Set<string>();
  for (const name of header) {
    if (met.has(name) && useOf(name) !== undefined)
      throw new Failure('invalid', `the CSV file has the column ${name.slice(0, 100)} twice`);
    met.add(name);
  }
};

/** The items of a file, a portion at a time, with the types of its columns. */
async function* itemsOf(
  needs: Ingesting,
  content: AsyncIterable<Uint8Array>,
  model: string,
  fields: Fields,
  isTraining: boolean,
): AsyncGenerator<{ readonly items: readonly Given[]; readonly expected: Types['byColumn'] }> {
  const turns = new Turns();
  let types: Types | undefined;
  const atOnce = isTraining ? trainingRows : rowsAtOnce;
  for await (const { header: named, rows, numeric } of portionsOf(
    content,
    fields.missing,
    atOnce,
  )) {
    if (types === undefined) requireColumns(named);
    // When an event of training was does not matter, and may be long ago.
    const header = isTraining ? named.map((one) => (one === 'timestamp' ? '' : one)) : named;
    types ??= await typesOf(needs, model, { header, numeric });
    const make = itemMaker(header, types.numeric, fields, () => needs.ids.next());
    const items: Given[] = [];
    for (const row of rows) {
      if (turns.isOver()) await turns.pass();
      items.push(make(row));
    }
    yield { items, expected: types.byColumn };
  }
}

/** Told of the rows of a file that are stored so far, each time that there are 50,000 more. */
export type Progress = (rows: number) => unknown;

/** Takes a file in, portion by portion: what is stored of it stays, also where a later row cannot be read. Gives its sums as a line of JSON. */
export const takeFile = async (
  needs: Ingesting,
  content: AsyncIterable<Uint8Array>,
  fields: Fields,
  of: UploadOf,
  tell: Progress = () => undefined,
): Promise<string> => {
  const home = await needs.reach(fields.workspaceName);
  if (home === undefined)
    throw new Failure('forbidden', 'there is no such workspace, or it is not yours to write to', {
      reason: 'workspaceOutOfReach',
    });
  const store =
    of.of === 'training'
      ? trainingStore(needs, home.id, fields, of.replace)
      : (items: readonly Given[], expected: Types['byColumn']): Promise<Sums> =>
          ingest({ ...needs, expected }, items, {
            onlyLabels: of.of === 'labels',
            enforce: false,
          });
  const model = modelIdOf(needs, home.id, fields.modelName);
  const sums = { ...noSums };
  let [rows, told] = [0, 0];
  const read = itemsOf(needs, content, model, fields, of.of === 'training');
  for await (const { items, expected } of read) {
    const done = await store(items, expected);
    sums.accepted += done.accepted;
    sums.duplicates += done.duplicates;
    sums.rejected += done.rejected;
    sums.pendingLabels += done.pendingLabels;
    rows += items.length;
    while (told + rowsPerLine <= rows) await tell((told += rowsPerLine));
  }
  return `${JSON.stringify({ rows, ...sums })}\n`;
};
