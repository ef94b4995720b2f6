// The tables as the engine has them: each column with its type, what it is made from and how.
import type { AnalyticTable } from '#ports/analytics';
import {
  changeMembers,
  followedTables,
  type AnalyticRow,
  type FollowedTable,
} from '#ports/storage/analytic-rows';

/** Types of the engine, by the words of the process that holds it. */
export const engineTypes = {
  text: 'VARCHAR',
  real: 'DOUBLE',
  whole: 'BIGINT',
  flag: 'BOOLEAN',
  time: 'TIMESTAMP',
  texts: 'VARCHAR[]',
  counts: 'MAP(VARCHAR, BIGINT)',
  flags: 'MAP(VARCHAR, BOOLEAN)',
  members: 'MAP(VARCHAR, VARCHAR)',
  lists: 'MAP(VARCHAR, VARCHAR[])',
  keys: 'STRUCT("key" VARCHAR, "type" VARCHAR)[]',
} as const;
export type EngineType = keyof typeof engineTypes;

export interface Column {
  readonly name: string;
  readonly type: EngineType;
  /** Members of a row of the storage. */
  readonly from: readonly string[];
  readonly of: (row: AnalyticRow) => unknown;
  /** The same as JSON text, where that is had with less work. */
  readonly json?: (row: AnalyticRow) => string;
}

const plain = (name: string, type: EngineType = 'text', from = name): Column => ({
  name,
  type,
  from: [from],
  of: (row) => row[from],
});
const all = (type: EngineType, ...names: readonly string[]) =>
  names.map((name) => plain(name, type));
/** Texts that are empty where there is none, or have a word for it: conditions such as `error_info = ''` are written so. */
const filled = (names: readonly string[], without = ''): readonly Column[] =>
  names.map((name) => ({
    ...plain(name),
    of: (row) => row[name] ?? without,
  }));
const parsed = (name: string, type: EngineType): Column => ({
  name,
  type,
  from: [name],
  of: (row) => {
    const text = row[name];
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  },
});
const tags: Column = {
  ...parsed('tags', 'texts'),
  of: (row) => JSON.parse(String(row['tags'] ?? '[]')),
  json: (row) => String(row['tags'] ?? '[]'),
};
/** What rows of ours do not have. */
const constant = (name: string, type: EngineType, value: unknown): Column => ({
  name,
  type,
  from: [],
  of: () => value,
});

/** How much of a body stands in columns that hold its beginning. */
const beginning = 10_000;
const textOf = (row: AnalyticRow, name: string): string => String(row[name] ?? '');
const beginningOf = (row: AnalyticRow, name: string): string =>
  textOf(row, name).slice(0, beginning).toWellFormed();
const bodies: readonly Column[] = ['input', 'output'].flatMap((name) => [
  plain(name),
  {
    name: `${name}_slim`,
    type: 'text' as const,
    from: [name],
    of: (row: AnalyticRow) => beginningOf(row, name),
  },
  {
    name: `truncated_${name}`,
    type: 'text' as const,
    from: [name],
    of: (row: AnalyticRow) => beginningOf(row, name),
  },
  lengthOf(name),
]);
function lengthOf(name: string): Column {
  return {
    name: `${name}_length`,
    type: 'whole',
    from: [name],
    of: (row) => Buffer.byteLength(textOf(row, name)),
  };
}

const countsIn = (text: string): object =>
  Object.fromEntries(
    Object.entries(JSON.parse(text) as Record<string, unknown>).filter(([, count]) =>
      Number.isSafeInteger(count),
    ),
  );
/** An object of whole numbers alone, under plain names. */
const plainCounts = /^\{(?:"[\w.]+":\d{1,15}(?:,(?=")|(?=\})))*\}$/;
const usages: Column = {
  name: 'usage',
  type: 'counts',
  from: ['usage'],
  of: (row) => countsIn(String(row['usage'] ?? '{}')),
  json(row) {
    const text = String(row['usage'] ?? '{}');
    return plainCounts.test(text) ? text : JSON.stringify(countsIn(text));
  },
};
const membersOf = (text: unknown): readonly (readonly [string, unknown])[] => {
  const value: unknown = JSON.parse(String(text ?? '{}'));
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : [];
};
/** Members of an item's data, each as JSON text. */
const data: Column = {
  name: 'data',
  type: 'members',
  from: ['data'],
  of: (row) =>
    Object.fromEntries(membersOf(row['data']).map(([key, value]) => [key, JSON.stringify(value)])),
};
/** The type of a JSON value, as ClickHouse calls it. */
const typeNameOf = (value: unknown): string => {
  if (value === null) return 'Null';
  if (typeof value === 'boolean') return 'Bool';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'Int64' : 'Double';
  if (typeof value === 'string') return 'String';
  return Array.isArray(value) ? 'Array' : 'Object';
};
const columnTypes: Column = {
  name: 'column_types',
  type: 'lists',
  from: ['data'],
  of: (row) =>
    Object.fromEntries(membersOf(row['data']).map(([key, value]) => [key, [typeNameOf(value)]])),
};
/** Names of members of a trace's output, with their types. */
const outputKeys: Column = {
  name: 'output_keys',
  type: 'keys',
  from: ['output'],
  of: (row) => membersOf(row['output']).map(([key, value]) => ({ key, type: typeNameOf(value) })),
};

const authorship = [
  ...all('time', 'created_at', 'last_updated_at'),
  ...all('text', 'created_by', 'last_updated_by'),
];
const idAt: Column = {
  name: 'id_at',
  type: 'time',
  from: ['id'],
  // Ids of version 7 begin with the ms in which they were made.
  of: (row) => {
    const id = textOf(row, 'id');
    return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000;
  },
};
const entry: readonly Column[] = [
  ...all('text', 'id', 'workspace_id', 'project_id'),
  ...filled(['name']),
  ...all('time', 'start_time', 'end_time'),
  ...bodies,
  plain('metadata'),
  lengthOf('metadata'),
  tags,
  ...filled(['error_info', 'environment']),
  ...filled(['source'], 'unknown'),
  plain('ttft', 'real'),
  {
    name: 'duration',
    type: 'real',
    from: ['start_time', 'end_time'],
    of: ({ start_time: start, end_time: end }) =>
      end === undefined ? undefined : (Number(end) - Number(start)) / 1000,
  },
  idAt,
  constant('truncation_threshold', 'whole', beginning),
  ...authorship,
];
const score = [
  ...all('text', 'entity_id', 'entity_type', 'project_id', 'workspace_id', 'name'),
  ...filled(['category_name', 'reason']),
  plain('source'),
  plain('value', 'real'),
  ...authorship,
];
const promptsIn = (row: AnalyticRow): readonly [string, readonly string[]][] =>
  Object.entries(
    JSON.parse(String(row['prompt_versions'] ?? '{}')) as Record<string, readonly string[]>, // as the storage tells them
  );

export const tableColumns: Readonly<Record<AnalyticTable, readonly Column[]>> = {
  traces: [
    ...entry,
    outputKeys,
    plain('thread_id'),
    constant('visibility_mode', 'text', 'default'),
  ],
  spans: [
    ...entry,
    plain('trace_id'),
    ...filled(['parent_span_id', 'model', 'provider', 'total_estimated_cost_version']),
    ...filled(['type'], 'unknown'),
    usages,
    plain('total_estimated_cost', 'real'),
  ],
  feedback_scores: [...score, plain('author')],
  authored_feedback_scores: [...score, plain('author'), constant('source_queue_id', 'text', '')],
  trace_threads: [
    ...all('text', 'id', 'thread_id', 'project_id', 'workspace_id', 'status', 'environment'),
    plain('thread_model_id', 'text', 'id'),
    tags,
    constant('sampling_per_rule', 'flags', {}),
    constant('scored_at', 'time', undefined),
    constant('source', 'text', undefined),
    ...authorship,
  ],
  experiments: [
    ...all('text', 'workspace_id', 'dataset_id', 'id', 'name', 'metadata', 'type', 'status'),
    ...all('text', 'optimization_id', 'dataset_version_id', 'project_id', 'evaluation_method'),
    plain('experiment_scores'),
    tags,
    {
      name: 'prompt_versions',
      type: 'lists',
      from: ['prompt_versions'],
      of: (row) => Object.fromEntries(promptsIn(row)),
    },
    {
      name: 'prompt_id',
      type: 'text',
      from: ['prompt_versions'],
      of: (row) => promptsIn(row)[0]?.[0],
    },
    {
      name: 'prompt_version_id',
      type: 'text',
      from: ['prompt_versions'],
      of: (row) => promptsIn(row)[0]?.[1][0],
    },
    constant('execution_policy', 'text', undefined),
    plain('finished_at', 'time'),
    ...authorship,
  ],
  experiment_items: [
    ...all('text', 'id', 'experiment_id', 'dataset_item_id', 'trace_id', 'workspace_id'),
    ...all('text', 'project_id', 'execution_policy'),
    ...authorship,
  ],
  dataset_items: [
    ...all('text', 'workspace_id', 'dataset_id', 'id', 'source', 'trace_id', 'span_id'),
    ...['input', 'expected_output', 'metadata'].map((name) => ({
      name,
      type: 'text' as const,
      from: ['data'],
      of: (row: AnalyticRow) => {
        const value = (JSON.parse(textOf(row, 'data') || '{}') as Record<string, unknown>)[name];
        return value === undefined ? undefined : JSON.stringify(value);
      },
    })),
    data,
    columnTypes,
    tags,
    ...authorship,
  ],
};

/** Where the rows of a table are put; for scores, what is asked is one row for all authors. */
export const storedName = (table: AnalyticTable): string =>
  table === 'feedback_scores' ? 'scores of authors' : table;

const quoted = (name: string): string => `"${name}"`;

/** What takes a table away again with its rows, as far as it is there. */
export const dropStatements = (table: AnalyticTable): readonly string[] => [
  ...(table === 'feedback_scores' ? ['DROP VIEW IF EXISTS feedback_scores'] : []),
  `DROP TABLE IF EXISTS ${quoted(storedName(table))}`,
];

/** Scores of authors put together: one row for each thing and name. */
const togetherStatement = (): string => {
  const [key, last] = [
    ['workspace_id', 'project_id', 'entity_type', 'entity_id', 'name'],
    ['category_name', 'reason', 'source', 'created_by', 'last_updated_by'],
  ];
  return `CREATE OR REPLACE VIEW feedback_scores AS SELECT ${key.join(', ')}, avg(value) AS value, ${last
    .map((name) => `arg_max_null(${name}, last_updated_at) AS ${name}`)
    .join(
      ', ',
    )}, min(created_at) AS created_at, max(last_updated_at) AS last_updated_at FROM ${quoted(storedName('feedback_scores'))} GROUP BY ${key.join(', ')}`;
};

export const createStatements = (table: AnalyticTable): readonly string[] => {
  const columns = tableColumns[table].map(
    ({ name, type }) => `${quoted(name)} ${engineTypes[type]}`,
  );
  const made = `CREATE TABLE ${quoted(storedName(table))} (${columns.join(', ')})`;
  return table === 'feedback_scores' ? [made, togetherStatement()] : [made];
};

const longTexts: ReadonlySet<string> = new Set(['input', 'output']);
/** Whether a column stands in every table of a file: inputs, outputs and what is made of them stand in the long ones alone. */
const isKept = ({ name, from }: Column): boolean =>
  name !== 'workspace_id' && from.length > 0 && !from.some((member) => longTexts.has(member));

const plainTypes: ReadonlySet<EngineType> = new Set(['text', 'real', 'whole', 'flag', 'time']);
/** Lists and maps are kept as JSON texts, which are put in with less work, and become what they are where a statement names them. */
const asKept = (column: Column): Column =>
  plainTypes.has(column.type)
    ? column
    : {
        ...column,
        type: 'text',
        of:
          column.json ??
          ((row) => {
            const value = column.of(row);
            return value === undefined ? undefined : JSON.stringify(value);
          }),
      };

/** The followed table whose rows a table shows; none where its rows are not kept. */
export const followedBy: Readonly<Partial<Record<AnalyticTable, FollowedTable>>> = {
  traces: 'traces',
  spans: 'spans',
  feedback_scores: 'feedback_scores',
  authored_feedback_scores: 'feedback_scores',
  trace_threads: 'trace_threads',
};
/** What is told of changes by, where no statement sees it. */
const hiddenOf = (table: FollowedTable): readonly Column[] => {
  const member = changeMembers[table];
  return tableColumns[table].some(({ name }) => name === member) ? [] : [plain(member)];
};
const keptOf = (table: FollowedTable): readonly Column[] => [
  ...tableColumns[table].filter(isKept).map(asKept),
  ...hiddenOf(table),
];
/** Bodies as they are kept: their beginnings only where they are longer. */
const longOf = (table: FollowedTable): readonly Column[] => [
  ...keptOf(table),
  ...['input', 'output'].flatMap((name) => [
    plain(name),
    lengthOf(name),
    {
      name: `${name}_slim`,
      type: 'text' as const,
      from: [name],
      of: (row: AnalyticRow) =>
        textOf(row, name).length > beginning ? beginningOf(row, name) : undefined,
    },
  ]),
  ...(table === 'traces' ? [asKept(outputKeys)] : []),
];
/** Tables of a file: those with inputs and outputs stand by themselves, since most statements read neither. */
export const keptTables = [...followedTables, 'long_traces', 'long_spans'] as const;
export type KeptTable = (typeof keptTables)[number];
const longTables = { long_traces: 'traces', long_spans: 'spans' } as const;
export const isLong = (table: KeptTable): table is keyof typeof longTables =>
  Object.hasOwn(longTables, table);
/** The table whose changes it follows. */
export const followedOf = (table: KeptTable): FollowedTable =>
  isLong(table) ? longTables[table] : table;
export const keptColumns: Readonly<Record<KeptTable, readonly Column[]>> = {
  traces: keptOf('traces'),
  spans: keptOf('spans'),
  feedback_scores: keptOf('feedback_scores'),
  trace_threads: keptOf('trace_threads'),
  long_traces: longOf('traces'),
  long_spans: longOf('spans'),
};
/** Columns of traces and spans that only long tables have. */
export const longColumns: ReadonlySet<string> = new Set(
  (['traces', 'spans'] as const).flatMap((table) =>
    tableColumns[table]
      .filter((column) => !isKept(column) && column.from.some((member) => longTexts.has(member)))
      .map(({ name }) => name),
  ),
);

/** What makes a table of a file, unless it is there. */
export const keptStatement = (table: KeptTable): string =>
  `CREATE TABLE IF NOT EXISTS kept.main.${table} (${keptColumns[table]
    .map(({ name, type }) => `${quoted(name)} ${engineTypes[type]}`)
    .join(', ')})`;

/** A text as the engine reads it. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** What makes a list or map of the JSON text that is kept of it. */
const unpacked = ({ name, type }: Column): string =>
  `CAST(CAST(${quoted(name)} AS JSON) AS ${engineTypes[type]}) AS ${quoted(name)}`;

/** What shows the rows of a scope in a file as the table that statements name. */
export const shownStatements = (
  table: AnalyticTable,
  kept: KeptTable,
  { workspaceId, projectId }: { readonly workspaceId: string; readonly projectId?: string },
): readonly string[] => {
  const columns = tableColumns[table].map((column) => {
    const { name, type } = column;
    if (isKept(column)) return plainTypes.has(type) ? quoted(name) : unpacked(column);
    const [member = ''] = column.from;
    if (isLong(kept) && !plainTypes.has(type) && longTexts.has(member)) return unpacked(column);
    if (isLong(kept) && longTexts.has(member))
      return name === member || name.endsWith('_length')
        ? quoted(name)
        : `coalesce("${member}_slim", ${quoted(member)}, '') AS ${quoted(name)}`;
    const value = name === 'workspace_id' ? workspaceId : column.of({});
    const shown =
      longTexts.has(member) || value === undefined
        ? 'NULL'
        : literal(
            typeof value === 'object' ? JSON.stringify(value) : String(value as string | number),
          ); // what constants are
    const read = typeof value === 'object' ? `CAST(${shown} AS JSON)` : shown;
    return `CAST(${read} AS ${engineTypes[type]}) AS ${quoted(name)}`;
  });
  const where = projectId === undefined ? '' : ` WHERE project_id = ${literal(projectId)}`;
  const shown = `CREATE OR REPLACE VIEW ${quoted(storedName(table))} AS SELECT ${columns.join(', ')} FROM kept.main.${kept}${where}`;
  return table === 'feedback_scores' ? [shown, togetherStatement()] : [shown];
};
export const hiddenStatements = (table: AnalyticTable): readonly string[] => [
  ...(table === 'feedback_scores' ? ['DROP VIEW IF EXISTS feedback_scores'] : []),
  `DROP VIEW IF EXISTS ${quoted(storedName(table))}`,
];
