// Rows of traces and spans, both ways.
import type { Span, Trace, TraceEntry } from '#ports/model/traces';
import type { ColumnValues } from '#ports/sql-dialect';
import { isTrue, keyOf, orNothing, wholeOrNothing, type Connection } from '../connection.js';
import { noBodies, readBodies, type Bodies, type BodyPart, type BodyPlace } from './frames.js';

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

export const text = (stored: unknown): string | undefined => orNothing(stored as string | null); // a column of texts
export const real = (stored: unknown): number | undefined =>
  stored === null || stored === undefined ? undefined : Number(stored);
/** The tags that were read last: rows of a page often have the same. */
let lastTags: { readonly json: unknown; readonly tags: readonly string[] } = {
  json: '[]',
  tags: [],
};
export const tagsOf = (stored: unknown): readonly string[] | undefined => {
  if (stored === null || stored === undefined) return undefined;
  if (stored !== lastTags.json)
    lastTags = { json: stored, tags: JSON.parse(stored as string) as readonly string[] }; // written as a list of texts
  return lastTags.tags;
};

// Written out twice, member by member: putting two objects into one takes longer than all else that is done to a row.
const toTrace = (row: Row, _: Bodies, projectId: string): Trace => ({
  id: String(row['id']),
  projectId,
  name: text(row['name']),
  startTime: Number(row['start_time']),
  endTime: wholeOrNothing(row['end_time']),
  input: text(row['input']),
  output: text(row['output']),
  metadata: text(row['metadata']),
  tags: tagsOf(row['tags']),
  errorInfo: text(row['error_info']),
  ttft: real(row['ttft']),
  source: text(row['source']),
  environment: text(row['environment']),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
  lastUpdatedAt: Number(row['last_updated_at']),
  lastUpdatedBy: String(row['last_updated_by']),
  partial: isTrue(row['partial']),
  threadId: text(row['thread_id']),
});
/** Its bodies lie in a frame. */
const toSpan = (row: Row, bodies: Bodies, projectId: string): Span => ({
  id: String(row['id']),
  projectId,
  name: text(row['name']),
  startTime: Number(row['start_time']),
  endTime: wholeOrNothing(row['end_time']),
  input: bodies.input,
  output: bodies.output,
  metadata: text(row['metadata']),
  tags: tagsOf(row['tags']),
  errorInfo: text(row['error_info']),
  ttft: real(row['ttft']),
  source: text(row['source']),
  environment: text(row['environment']),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
  lastUpdatedAt: Number(row['last_updated_at']),
  lastUpdatedBy: String(row['last_updated_by']),
  partial: isTrue(row['partial']),
  traceId: String(row['trace_id']),
  parentSpanId: text(row['parent_span_id']),
  type: text(row['type']),
  model: text(row['model']),
  provider: text(row['provider']),
  usage: text(row['usage']),
  cost: real(row['cost']),
  costVersion: text(row['cost_version']),
});

/** By what rows of a thread are known: its text may be of any length. */
export const threadKey = (threadId: string): string => keyOf(threadId);

/** How one column is written. */
interface Column<T> {
  readonly name: string;
  readonly kind: ColumnValues['kind'];
  readonly of: (entry: T) => unknown;
  /** Made from other columns, to find rows by: an entry is read without it. */
  readonly derived?: true;
}

const entryColumns: readonly Column<TraceEntry>[] = [
  { name: 'project_id', kind: 'id', of: ({ projectId }) => projectId },
  { name: 'id', kind: 'id', of: ({ id }) => id },
  { name: 'name', kind: 'text', of: ({ name }) => name },
  { name: 'start_time', kind: 'whole', of: ({ startTime }) => startTime },
  { name: 'end_time', kind: 'whole', of: ({ endTime }) => endTime },
  { name: 'metadata', kind: 'text', of: ({ metadata }) => metadata },
  { name: 'tags', kind: 'text', of: ({ tags }) => tags && JSON.stringify(tags) },
  { name: 'error_info', kind: 'text', of: ({ errorInfo }) => errorInfo },
  { name: 'ttft', kind: 'real', of: ({ ttft }) => ttft },
  { name: 'source', kind: 'text', of: ({ source }) => source },
  { name: 'environment', kind: 'text', of: ({ environment }) => environment },
  { name: 'created_at', kind: 'whole', of: ({ createdAt }) => createdAt },
  { name: 'created_by', kind: 'text', of: ({ createdBy }) => createdBy },
  { name: 'last_updated_at', kind: 'whole', of: ({ lastUpdatedAt }) => lastUpdatedAt },
  { name: 'last_updated_by', kind: 'text', of: ({ lastUpdatedBy }) => lastUpdatedBy },
  { name: 'partial', kind: 'flag', of: ({ partial }) => partial },
];

const countsRead = new WeakMap<Span, Readonly<Record<string, unknown>>>();
/** The counts of a span; each of its columns asks for them. */
const countsOf = (span: Span, usage: string): Readonly<Record<string, unknown>> => {
  const known = countsRead.get(span);
  if (known !== undefined) return known;
  const read = JSON.parse(usage) as Readonly<Record<string, unknown>>; // an object of counts
  countsRead.set(span, read);
  return read;
};

/** Counts of tokens that are filtered by, in columns of their own. */
const tokens = (name: string) => ({
  name,
  kind: 'whole' as const,
  derived: true as const,
  of: (span: Span) => {
    if (span.usage === undefined) return undefined;
    const counted = countsOf(span, span.usage)[name];
    return Number.isSafeInteger(counted) ? counted : undefined;
  },
});

/** By the beginning of their bodies spans are sorted; whole ones are in frames. */
const startCharacters = 48;
const startOf = (body: string | undefined): string | undefined =>
  body?.slice(0, startCharacters).toWellFormed();
const placeColumns = ['frame_id', 'frame_at'] as const;
/** Where the bodies of a row lie. */
export const placeOf = (row: Row): BodyPlace | undefined =>
  row['frame_id'] === null || row['frame_id'] === undefined
    ? undefined
    : { frameId: String(row['frame_id']), at: Number(row['frame_at']) };

/** One of the two tables. */
export interface Shelf<T extends TraceEntry> {
  readonly kind: 'trace' | 'span';
  readonly table: 'traces' | 'spans';
  readonly columns: readonly Column<T>[];
  /** Whether inputs and outputs lie in frames, to which columns of a row lead. */
  readonly framed: boolean;
  readonly read: (row: Row, bodies: Bodies, projectId: string) => T;
}
export const traceShelf: Shelf<Trace> = {
  kind: 'trace',
  table: 'traces',
  columns: [
    ...entryColumns,
    { name: 'input', kind: 'text', of: ({ input }) => input },
    { name: 'output', kind: 'text', of: ({ output }) => output },
    { name: 'thread_id', kind: 'text', of: ({ threadId }) => threadId },
    {
      name: 'thread_key',
      kind: 'text',
      derived: true,
      of: ({ threadId }) => threadId && threadKey(threadId),
    },
  ],
  framed: false,
  read: toTrace,
};
export const spanShelf: Shelf<Span> = {
  kind: 'span',
  table: 'spans',
  columns: [
    ...entryColumns,
    { name: 'trace_id', kind: 'id', of: ({ traceId }) => traceId },
    { name: 'parent_span_id', kind: 'id', of: ({ parentSpanId }) => parentSpanId },
    { name: 'type', kind: 'text', of: ({ type }) => type },
    { name: 'model', kind: 'text', of: ({ model }) => model },
    { name: 'provider', kind: 'text', of: ({ provider }) => provider },
    { name: 'usage', kind: 'text', of: ({ usage }) => usage },
    { name: 'cost', kind: 'real', of: ({ cost }) => cost },
    { name: 'cost_version', kind: 'text', of: ({ costVersion }) => costVersion },
    tokens('total_tokens'),
    tokens('prompt_tokens'),
    tokens('completion_tokens'),
    { name: 'input_start', kind: 'text', derived: true, of: ({ input }) => startOf(input) },
    { name: 'output_start', kind: 'text', derived: true, of: ({ output }) => startOf(output) },
    {
      name: 'body_bytes',
      kind: 'whole',
      derived: true,
      of: ({ input, output }) => (input?.length ?? 0) + (output?.length ?? 0),
    },
  ],
  framed: true,
  read: toSpan,
};

/** Every column of a row. */
export const columnsOf = <T extends TraceEntry>(
  { columns, framed }: Shelf<T>,
  prefix = '',
): readonly string[] =>
  [...columns.map(({ name }) => name), ...(framed ? placeColumns : [])].map(
    (name) => `${prefix}${name}`,
  );

/** Columns of long texts. */
const longColumns: ReadonlySet<string> = new Set(['input', 'output', 'metadata']);

/** How much is wanted of each row. */
export interface Extent {
  /** Long texts that are not. */
  readonly omitted?: ReadonlySet<string> | undefined;
  /** Characters of the others; all when left out. */
  readonly characters?: number | undefined;
}

/** The columns from which an entry is read, of rows `x`, and what else is selected of each long text: its own column, unless told otherwise. */
export const readColumnsOf = <T extends TraceEntry>(
  { columns, framed }: Shelf<T>,
  { omitted, characters }: Extent = {},
  long: (column: string) => string = (column) =>
    characters === undefined ? column : `left(${column}, ${characters})`,
): readonly string[] => [
  ...columns
    .filter(({ name, derived }) => derived !== true && name !== 'project_id')
    .filter(({ name }) => !longColumns.has(name) || omitted?.has(name) !== true)
    .map(({ name }) => (longColumns.has(name) ? `${long(`x.${name}`)} as ${name}` : `x.${name}`)),
  ...(framed ? placeColumns.map((name) => `x.${name}`) : []),
];

/** Long texts of so many bytes come with their row; longer ones are read once it is known how much all of them are together. */
const inlineBytes = 4096;

/** What is selected of rows at a first look: entries with their shorter texts, about how many bytes the long texts of each have, and whether there are any longer ones. */
export const firstColumnsOf = <T extends TraceEntry>(
  shelf: Shelf<T>,
  extent: Extent,
): readonly string[] => {
  const bytes = Math.min(inlineBytes, extent.characters ?? inlineBytes);
  const long = shelf.columns
    .map(({ name }) => name)
    .filter((name) => longColumns.has(name) && extent.omitted?.has(name) !== true);
  const isLonger = long.map((name) => `coalesce(octet_length(x.${name}), 0) > ${bytes}`);
  return [
    ...readColumnsOf(
      shelf,
      extent,
      (column) => `case when octet_length(${column}) <= ${bytes} then ${column} end`,
    ),
    `${sizeOf(shelf, extent)} as bytes`,
    `${isLonger.length === 0 ? '0' : `case when ${isLonger.join(' or ')} then 1 else 0 end`} as longer`,
  ];
};

const bytesIn = (size: string, characters: number | undefined, each: number): string =>
  characters === undefined
    ? `coalesce(${size}, 0)`
    : `least(coalesce(${size}, 0), ${characters * each})`;
/** About how many bytes the long texts of a row have, as far as they are wanted. */
export const sizeOf = <T extends TraceEntry>(
  { framed }: Shelf<T>,
  { omitted = new Set(), characters }: Extent = {},
): string => {
  const withoutBodies = omitted.has('input') && omitted.has('output');
  const inRow = [...longColumns]
    .filter((name) => !omitted.has(name) && !(framed && name !== 'metadata'))
    .map((name) => bytesIn(`octet_length(x.${name})`, characters, 1));
  const sizes = [
    ...(framed && !withoutBodies ? [bytesIn('x.body_bytes', characters, 2)] : []),
    ...inRow,
  ];
  return sizes.length === 0 ? '0' : sizes.join(' + ');
};

/** Entries as columns for one statement. */
export const toColumns = <T extends TraceEntry>(
  { columns, framed }: Shelf<T>,
  entries: readonly T[],
  places: ReadonlyMap<string, BodyPlace>,
): readonly ColumnValues[] => [
  ...columns.map(({ name, kind, of }) => ({
    name,
    kind,
    values: entries.map((entry) => of(entry) ?? null),
  })),
  ...(framed
    ? ([
        {
          name: 'frame_id',
          kind: 'id',
          values: entries.map(({ id }) => places.get(id)?.frameId ?? null),
        },
        {
          name: 'frame_at',
          kind: 'whole',
          values: entries.map(({ id }) => places.get(id)?.at ?? null),
        },
      ] as const)
    : []),
];

interface Reading {
  readonly wanted?: readonly BodyPart[];
  readonly characters?: number | undefined;
}

/** A part of a text keeps all of it in memory, unless it is written anew. */
const beginningOf = (text: string | undefined, characters: number): string | undefined =>
  text === undefined || text.length <= characters
    ? text
    : Buffer.from(text.slice(0, characters).toWellFormed()).toString();
const shorten = ({ input, output }: Bodies, characters: number | undefined): Bodies =>
  characters === undefined
    ? { input, output }
    : { input: beginningOf(input, characters), output: beginningOf(output, characters) };

/** Entries of rows of a project with their bodies, those parts of them that are wanted. */
export const readRows = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  projectId: string,
  rows: readonly Row[],
  { wanted, characters }: Reading = {},
): Promise<readonly T[]> => {
  if (!shelf.framed || wanted?.length === 0)
    return rows.map((row) => shelf.read(row, noBodies, projectId));
  const read = await bodiesOf(connection, shelf, projectId, rows, wanted);
  return rows.flatMap((row, i) => {
    const bodies = read[i];
    return bodies === undefined ? [] : [shelf.read(row, shorten(bodies, characters), projectId)];
  });
};

/** How often rows are looked up again whose bodies were replaced while they were read. */
const attempts = 5;
type MaybeBodies = Awaited<ReturnType<typeof readBodies>>[number];

const bodiesOf = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  projectId: string,
  rows: readonly Row[],
  wanted: readonly BodyPart[] | undefined,
): Promise<readonly MaybeBodies[]> => {
  const found: MaybeBodies[] = [
    ...(await readBodies(connection, projectId, rows.map(placeOf), wanted)),
  ];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const missing = rows.flatMap((row, i) => (found[i] === undefined ? [[row, i] as const] : []));
    if (missing.length === 0) break;
    const again = (await connection
      .db(shelf.table)
      .select('id', ...placeColumns)
      .where({ project_id: projectId })
      .whereIn(
        'id',
        missing.map(([row]) => String(row['id'])),
      )) as readonly Row[]; // the columns named
    const places = new Map(again.map((row) => [String(row['id']), placeOf(row)]));
    const still = missing.filter(([row]) => places.has(String(row['id'])));
    if (still.length === 0) break; // they are gone, and so are their bodies
    const bodies = await readBodies(
      connection,
      projectId,
      still.map(([row]) => places.get(String(row['id']))),
      wanted,
    );
    for (const [at, [, i]] of still.entries()) found[i] = bodies[at];
  }
  return found;
};
