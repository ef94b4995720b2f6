// Every run of a project that satisfies a query as a file: the columns and the order as text, and the pages one after another.
import { runTableBounds } from '#ports/api/run-table';
import { Failure } from '#ports/failure';
import type { ParquetColumn } from '#ports/parquet';
import {
  loggedKinds,
  runFacts,
  type RunColumn,
  type RunFact,
  type RunPage,
  type RunPosition,
  type RunQuery,
  type RunSort,
} from '#ports/storage/run-table';
import type { Stores } from '#ports/storage/storage';
import type { TablePart } from '../table-file.js';
import { readColumn, type AskedColumn } from './columns.js';

const [rowsAtOnce, cellsAtOnce] = [1000, 10_000];
const kinds: readonly AskedColumn['kind'][] = ['metadata', ...loggedKinds];
const values = ['last', 'best', 'min', 'max'] as const;
const directions = ['minimize', 'maximize'] as const;

const oneOf = <T extends string>(words: readonly T[], text: string | undefined): T | undefined =>
  words.find((word) => word === text);

const form = 'kind:name, kind.value:name or kind.best.direction:name';

/** A column as text: `metric:loss`, `metric.min:loss`, `metric.best.minimize:loss`. Rejects with `invalid`. */
const parseColumn = (text: string): RunColumn => {
  const colon = text.indexOf(':');
  const [kindWord, valueWord, directionWord, more] = text.slice(0, colon).split('.', 4);
  const [name, kind] = [text.slice(colon + 1), oneOf(kinds, kindWord)];
  const [value, direction] = [oneOf(values, valueWord), oneOf(directions, directionWord)];
  if (
    colon < 0 ||
    name === '' ||
    name.length > 1000 ||
    kind === undefined ||
    (value === undefined) !== (valueWord === undefined) ||
    (direction === undefined) !== (directionWord === undefined) ||
    more !== undefined
  )
    throw new Failure(
      'invalid',
      `${JSON.stringify(text.slice(0, 100))} is no column; write ${form}, with a kind of ${kinds.join(', ')}`,
    );
  return readColumn({ kind, name, value, direction });
};

/** A column of an order: as above, descending behind a minus. */
const parseSort = (text: string): RunSort => ({
  column: parseColumn(text.startsWith('-') ? text.slice(1) : text),
  descending: text.startsWith('-'),
});

const most = <T>(member: string, given: readonly T[], bound: number): readonly T[] => {
  if (given.length > bound) throw new Failure('invalid', `${member} must be at most ${bound}`);
  return given;
};

export const parseColumns = (given: readonly string[]): readonly RunColumn[] =>
  most('columns', given, runTableBounds.columns).map(parseColumn);
export const parseOrder = (given: readonly string[]): readonly RunSort[] =>
  most('sort', given, runTableBounds.sorts).map(parseSort);

/** The query as JSON text; nothing is the query for all. */
export const parseQuery = (text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Failure('invalid', 'query must be JSON', { cause });
  }
};

const numbers: ReadonlySet<RunFact> = new Set([
  'start',
  'end',
  'lastSeen',
  'duration',
  'archived',
] satisfies RunFact[]);

const labelOf = (column: RunColumn): string =>
  column.kind === 'metadata'
    ? `metadata:${column.name}`
    : `${column.kind}.${column.value}:${column.name}`;

/** Whether a column has numbers only, as far as is known before it is read. */
const typeOf = async (
  { runTable }: Pick<Stores, 'runTable'>,
  projectId: string,
  column: RunColumn,
): Promise<ParquetColumn['type']> => {
  if (column.kind === 'metadata') return numbers.has(column.name) ? 'number' : 'text';
  if (column.kind === 'metric') return 'number';
  const { columns } = await runTable.columns({
    projectId,
    part: column.name,
    limit: runTableBounds.names,
  });
  return columns.find(({ kind, name }) => kind === column.kind && name === column.name)?.type ===
    'number'
    ? 'number'
    : 'text';
};

/**
 * The head of each column: the key of the run, then the names asked for; those that share one are called by their kind and value too. `withTypes`
 * looks up which have numbers only; without, all are texts.
 */
export const headColumns = async (
  stores: Pick<Stores, 'runTable'>,
  projectId: string,
  columns: readonly RunColumn[],
  withTypes: boolean,
): Promise<readonly ParquetColumn[]> => {
  const asked = ['key', ...columns.map(({ name }) => name)];
  const heads: ParquetColumn[] = [{ name: 'key', type: 'text' }];
  for (const column of columns) {
    const shared = asked.filter((name) => name === column.name).length > 1;
    heads.push({
      name: shared ? labelOf(column) : column.name,
      type: withTypes ? await typeOf(stores, projectId, column) : 'text',
    });
  }
  const twice = heads.find(({ name }, at) => heads.findIndex((one) => one.name === name) !== at);
  if (twice !== undefined)
    throw new Failure(
      'invalid',
      `column ${JSON.stringify(twice.name.slice(0, 100))} is there twice`,
    );
  return heads;
};

const toPart = ({ keys, columns }: RunPage): TablePart => [
  keys,
  ...columns.map(({ cells }) => cells),
];

/** The pages of a query from the first one on, each read when it is asked for. */
export async function* pagesFrom(
  { runTable }: Pick<Stores, 'runTable'>,
  query: RunQuery,
  first: RunPage,
): AsyncIterable<TablePart> {
  yield toPart(first);
  for (let after: RunPosition | undefined = first.next; after !== undefined;) {
    const page: RunPage = await runTable.page({ ...query, after, uncounted: true });
    yield toPart(page);
    after = page.next;
  }
}

/** Runs of a page: fewer of many columns, so that the values of a page are bounded, whose texts are whole. */
export const rowsOfPage = (columns: number): number =>
  Math.max(1, Math.min(rowsAtOnce, Math.floor(cellsAtOnce / Math.max(1, columns))));

/** Every fact of a run, where no column is asked for. */
export const everyFact: readonly RunColumn[] = runFacts
  .filter((name) => name !== 'key')
  .map((name) => ({ kind: 'metadata', name }));
