// CSV files: read as they come, a portion at a time.
import type { Upload } from '#ports/bytes';
import type { Download } from '#ports/bytes';
import { csvRows } from '#ports/csv-rows';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { countTraining, ownerOf } from './baselines.js';
import { ingest, writableWorkspace, type Ingested, type Ingesting } from './ingesting.js';
import { readItems, type Item, type Value } from './items.js';
import { ensureModel, fieldKey, storeFields, type Field } from './models.js';
import { packProfiles } from './profile-packing.js';
import { eventsField } from './profiles.js';
import { sketchOf } from './sketches.js';
import { partsOf } from './storing.js';

export type UploadOf =
  { readonly of: 'events' | 'labels' } | { readonly of: 'training'; readonly replace: boolean };

const defaultMissing = ['', 'None', 'empty', 'null', 'NULL', 'N/A', 'NA', 'NaN', 'n/a', 'nan'];
/** Rows by which the types of columns are decided. */
const typingRows = 10_000;
/** Rows that are stored at once: few, so that others are answered in between; more of training sets, of which only sums are stored. */
const [rowsAtOnce, trainingRows] = [1000, 5000] as const;
const rowsPerLine = 50_000;
const longestField = 4096;

interface Fields {
  readonly workspaceName: string;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly datasetName: string | undefined;
  readonly missing: ReadonlySet<string>;
}

const fieldsFrom = (given: ReadonlyMap<string, string>, of: UploadOf['of']): Fields => {
  const required = (name: string): string => {
    const value = given.get(name);
    if (value === undefined || value === '')
      throw new Failure('invalid', `the part ${name} is missing; it stands before the file`);
    return value;
  };
  const datasetName = given.get('datasetName');
  const own = (given.get('NAValues') ?? '').split(',').map((one) => one.trim());
  const keeps = (given.get('keepDefaultNAValues') ?? 'true').toLowerCase() !== 'false';
  return {
    workspaceName: required('workspaceName'),
    modelName: of === 'training' ? required('modelName') : (datasetName ?? required('modelName')),
    modelVersion: of === 'labels' ? (given.get('modelVersion') ?? '') : required('modelVersion'),
    datasetName: of === 'training' ? required('datasetName') : undefined,
    missing: new Set(keeps ? [...defaultMissing, ...own] : own),
  };
};

const isNumber = (cell: string): boolean => cell.trim() !== '' && Number.isFinite(Number(cell));

/** Which columns hold numbers: those where at least 99 of 100 cells are such. */
const numericColumns = (
  rows: readonly (readonly string[])[],
  header: readonly string[],
  missing: ReadonlySet<string>,
): readonly boolean[] =>
  header.map((_, at) => {
    const cells = rows.map((row) => row[at] ?? '').filter((cell) => !missing.has(cell.trim()));
    return cells.length > 0 && cells.filter(isNumber).length >= cells.length * 0.99;
  });

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

/** How a row becomes an item, by the names of the columns. */
const itemMaker =
  (header: readonly string[], numeric: readonly boolean[], fields: Fields, newId: () => string) =>
  (row: readonly string[]): Given => {
    const { workspaceName, modelName, modelVersion, missing } = fields;
    const item: Given = { workspaceName, modelName, modelVersion };
    header.forEach((name, at) => {
      const cell = (row[at] ?? '').trim();
      if (missing.has(cell)) return;
      if (name === 'timestamp' || name === 'predictionId') {
        item[name] = cell;
        return;
      }
      const [prefix, member] = columnParts.find(([one]) => name.startsWith(one)) ?? [];
      if (prefix === undefined || member === undefined) return;
      const held = (item[member] ??= Object.create(null)) as Given; // made right here, of names that may be any
      held[name.slice(prefix.length)] =
        numeric[at] === true && isNumber(cell) ? Number(cell) : cell;
    });
    item['predictionId'] ??= newId();
    return item;
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

/** Rows of a file in portions of so many; the first one is a header. */
async function* portionsOf(
  content: AsyncIterable<Uint8Array>,
  missing: ReadonlySet<string>,
  atOnce: number,
): AsyncGenerator<Portion> {
  let [header, numeric]: [readonly string[] | undefined, readonly boolean[] | undefined] = [
    undefined,
    undefined,
  ];
  let rows: (readonly string[])[] = [];
  function* filled(): Generator<Portion> {
    if (header === undefined) return;
    numeric ??= numericColumns(rows, header, missing);
    for (let from = 0; from < rows.length; from += atOnce)
      yield { header, numeric, rows: rows.slice(from, from + atOnce) };
    rows = [];
  }
  for await (const row of csvRows(textsOf(content), bounds)) {
    if (header === undefined) header = row.map((name) => name.trim());
    else rows.push(row);
    if (rows.length >= (numeric === undefined ? typingRows : atOnce)) yield* filled();
  }
  if (header === undefined) throw new Failure('invalid', 'the CSV file has no header line');
  yield* filled();
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
        numeric: typeof held[0] === 'number',
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
  while (
    (await tables.removeAll('profiles', 'key', { model_id: owner }, { limit: 1000 })) === 1000
  );
  await tables.remove('baselines', { model_id: model, baseline: owner });
};

type Sums = Pick<Ingested, 'accepted' | 'duplicates' | 'rejected' | 'pendingLabels'>;

const linesOf = (rows: number, sums: Sums): string => {
  const lines = [];
  for (let n = rowsPerLine; n <= rows; n += rowsPerLine) lines.push(`${n} rows\n`);
  return [...lines, `${JSON.stringify({ rows, ...sums })}\n`].join('');
};

/** Takes a file in, portion by portion: what is stored of it stays, also where a later row cannot be read. */
const takeFile = async (
  needs: Ingesting,
  caller: Caller,
  content: AsyncIterable<Uint8Array>,
  fields: Fields,
  of: UploadOf,
): Promise<string> => {
  const home = await writableWorkspace(needs, caller, fields.workspaceName);
  if (home === undefined)
    throw new Failure('forbidden', 'there is no such workspace, or it is not yours to write to', {
      reason: 'workspaceOutOfReach',
    });
  const model = await ensureModel(needs, home.id, fields.modelName);
  const { datasetName = '', modelVersion: version } = fields;
  const owner = ownerOf(needs, model.id, datasetName);
  if (of.of === 'training' && of.replace) await forgetTraining(needs, model.id, owner);
  const sums = { accepted: 0, duplicates: 0, rejected: 0, pendingLabels: 0 };
  let count = 0;
  const atOnce = of.of === 'training' ? trainingRows : rowsAtOnce;
  for await (const { header, rows, numeric } of portionsOf(content, fields.missing, atOnce)) {
    const items = rows.map(itemMaker(header, numeric, fields, () => needs.ids.next()));
    count += rows.length;
    if (of.of === 'training') {
      const read = readItems(items, { onlyLabels: false, now: needs.clock.now() });
      await storeTraining(needs, model.id, owner, { version, datasetName }, read.items);
      sums.accepted += read.items.length;
      sums.rejected += read.faults.length;
    } else {
      const done = await ingest(needs, caller, items, {
        onlyLabels: of.of === 'labels',
        enforce: false,
      });
      sums.accepted += done.accepted;
      sums.duplicates += done.duplicates;
      sums.rejected += done.rejected;
      sums.pendingLabels += done.pendingLabels;
    }
  }
  return linesOf(count, sums);
};

/** Takes an upload in; the fields stand before the file. Answers a line for every 50,000 rows and one of JSON with the sums. */
export const uploadCsv = async (
  needs: Ingesting,
  caller: Caller,
  upload: Upload,
  of: UploadOf,
): Promise<Download> => {
  const given = new Map<string, string>();
  let told: string | undefined;
  for await (const part of upload)
    if (part.name !== 'file') given.set(part.name, await part.text(longestField));
    else if (told === undefined)
      told = await takeFile(needs, caller, part.content, fieldsFrom(given, of.of), of);
  if (told === undefined) throw new Failure('invalid', 'the part file is missing');
  const text = new TextEncoder().encode(told);
  return {
    type: 'text/plain; charset=utf-8',
    size: text.length,
    async *open() {
      await Promise.resolve();
      yield text;
    },
  };
};
