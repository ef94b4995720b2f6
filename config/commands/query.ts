// `orrery query`: a statement over what was logged in a workspace or a project, printed or written into a file.
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemParquet } from '#adapters/system/parquet';
import { tableFile, type TableCell, type TablePart } from '#core/table-file';
import type { AnalyticsLimits, AnalyticsResult, AnalyticsScope } from '#ports/analytics';
import { tableFormats, type TableFormat } from '#ports/api/table-formats';
import { Failure, isFailure } from '#ports/failure';
import type { Workspace } from '#ports/model/workspaces';
import type { ParquetColumn } from '#ports/parquet';
import type { Stores } from '#ports/storage/storage';
import { openAnalytics } from '../analytics.js';
import { writeNewFile } from '../file-faults.js';
import { requireSchema } from '../first-start.js';
import type { Output } from '../output.js';
import type { SettingValues } from '../settings.js';
import { withStorage } from '../with-storage.js';
import { count, readSettings } from './shared.js';

export interface QueryOptions {
  readonly workspace?: string;
  readonly project?: string;
  readonly format?: string;
  readonly out?: string;
}

/** More than over HTTP, since nobody else waits for it. */
const limits: AnalyticsLimits = { rows: 100_000, timeMs: 300_000, bytes: 64 * 1024 * 1024 };
const longestCell = 120;
/** Rows that are made into cells at once. */
const rowsAtOnce = 10_000;

const formats = ['table', 'json', ...tableFormats] as const;
type Format = (typeof formats)[number];
const isFormat = (word: string | undefined): word is Format =>
  (formats as readonly (string | undefined)[]).includes(word);

/** The form that was asked for; for a file that of its ending, where no other is told. */
const formatOf = ({ format, out }: QueryOptions, forPrograms: boolean): Format => {
  if (forPrograms && format !== undefined && format !== 'json')
    throw new Failure('invalid', `--json and --format ${format.slice(0, 20)} exclude each other`);
  const ending = out === undefined ? undefined : extname(out).slice(1);
  const told = format ?? (forPrograms ? 'json' : ending);
  if (out === undefined) {
    if (told === 'parquet') throw new Failure('invalid', 'Parquet needs a file: give --out FILE');
    if (told === undefined) return 'table';
  }
  if (!isFormat(told) || (out !== undefined && told === 'table'))
    throw new Failure(
      'invalid',
      `--format must be ${out === undefined ? 'table, ' : ''}json, csv, jsonl or parquet${out === undefined ? '' : ' for a file'}`,
    );
  return told;
};

const workspaceOf = async (
  { workspaces }: Stores,
  name: string | undefined,
): Promise<Workspace> => {
  if (name !== undefined) {
    const found = await workspaces.findByName(name);
    if (found === undefined)
      throw new Failure('absent', `there is no workspace ${name.slice(0, 100)}`);
    return found;
  }
  const [only, other] = await workspaces.page({ limit: 2 });
  if (only === undefined) throw new Failure('absent', 'there is no workspace yet');
  if (other !== undefined)
    throw new Failure('invalid', 'there are several workspaces: name one with --workspace');
  return only;
};

const scopeOf = async (
  stores: Stores,
  { workspace: name, project: projectName }: QueryOptions,
): Promise<AnalyticsScope> => {
  const workspace = await workspaceOf(stores, name);
  if (projectName === undefined) return { workspaceId: workspace.id };
  const project = await stores.projects.findByName(workspace.id, projectName);
  if (project === undefined)
    throw new Failure(
      'absent',
      `there is no project ${projectName.slice(0, 100)} in the workspace ${workspace.name}`,
    );
  return { workspaceId: workspace.id, projectId: project.id };
};

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 500);

const runStatement = async (
  stores: Stores,
  values: SettingValues,
  statement: string,
  options: QueryOptions,
): Promise<AnalyticsResult> => {
  const scope = await scopeOf(stores, options);
  const analytics = openAnalytics(values, stores.analyticRows);
  try {
    return await analytics.query(statement, scope, limits, new AbortController().signal);
  } catch (thrown) {
    // Whoever may read the settings may read what the engine says, which callers over HTTP are not told.
    if (isFailure(thrown) && thrown.cause instanceof Error)
      throw new Failure(thrown.kind, `${thrown.message}: ${firstLine(thrown.cause.message)}`, {
        cause: thrown,
      });
    throw thrown;
  } finally {
    analytics.stop();
  }
};

/** Whether a number in JSON and in 64 bits is the number that is meant. */
const isExact = (text: string | null | undefined): boolean =>
  text === null || text === undefined || !/^-?\d+$/.test(text) || Number.isSafeInteger(+text);

const columnsOf = ({ columns, types, rows }: AnalyticsResult): readonly ParquetColumn[] => {
  const seen = new Set<string>();
  for (const name of columns) {
    if (seen.has(name))
      throw new Failure(
        'invalid',
        `the result has two columns named ${name.slice(0, 100)}: give each a name of its own with AS`,
      );
    seen.add(name);
  }
  return columns.map((name, at) => ({
    name,
    type: types?.[at] === 'number' && rows.every((row) => isExact(row[at])) ? 'number' : 'text',
  }));
};

const cellOf = (text: string | null | undefined, column: ParquetColumn): TableCell =>
  text === null || text === undefined ? null : column.type === 'number' ? Number(text) : text;

async function* partsOf(
  { rows }: AnalyticsResult,
  columns: readonly ParquetColumn[],
): AsyncIterable<TablePart> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce);
    yield columns.map((column, index) => some.map((row) => cellOf(row[index], column)));
  }
}

async function* bytesOf(result: AnalyticsResult, format: TableFormat | 'json') {
  const columns = columnsOf(result);
  if (format === 'json') {
    yield Buffer.from(`${JSON.stringify(recordsOf(result, columns), null, 2)}\n`);
    return;
  }
  const file = tableFile(systemParquet, { name: 'result', format }, columns, () =>
    partsOf(result, columns),
  );
  yield* await file.open();
}

const recordsOf = ({ rows }: AnalyticsResult, columns: readonly ParquetColumn[]) =>
  rows.map((row) =>
    Object.fromEntries(
      columns.map((column, at) => {
        const cell = cellOf(row[at], column);
        return [
          column.name,
          typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell,
        ];
      }),
    ),
  );

/** A value as it may stand on a terminal: nothing in it moves the cursor, and it is not without end. */
const shown = (text: string | null): string => {
  const safe = (text ?? '').slice(0, longestCell + 1).replace(/[\p{Cc}\p{Cf}]/gu, (one) => {
    const name = JSON.stringify(one).slice(1, -1);
    return name === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : name;
  });
  return (text ?? '').length > longestCell ? `${safe.slice(0, longestCell)}…` : safe;
};

const writeTo = async (bytes: AsyncIterable<Uint8Array>, file: string | undefined) => {
  const stream = Readable.from(bytes, { objectMode: false });
  if (file !== undefined) {
    await writeNewFile(stream, file);
    return;
  }
  await pipeline(stream, process.stdout, { end: false }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EPIPE') throw thrown; // whoever read it has enough
  });
};

/** Runs one SELECT as an administrator, and prints its rows or writes them into a new file. */
export const query = async (
  statement: string,
  options: QueryOptions,
  output: Output,
): Promise<void> => {
  const format = formatOf(options, output.forPrograms);
  const loaded = readSettings();
  const result = await withStorage(loaded, async (opened) => {
    await requireSchema(opened, loaded.values);
    return runStatement(opened.storage.stores, loaded.values, statement, options);
  });
  const told = count(result.rows.length, 'row');
  if (format === 'table') {
    output.table([result.columns, ...result.rows].map((row) => row.map(shown)));
    output.note(told);
    return;
  }
  await writeTo(bytesOf(result, format), options.out);
  if (options.out !== undefined) output.note(`${told} in ${options.out}`);
};
