// Statements over what was logged: which words they may begin with, how their results become a table, and files of it. Pure.
import { csvLine } from './format.js';

const authorship = 'created_at last_updated_at created_by last_updated_by';
const bodies =
  'input input_slim truncated_input input_length output output_slim truncated_output output_length';
const entry = `id workspace_id project_id name start_time end_time ${bodies} metadata metadata_length tags error_info source environment ttft duration id_at truncation_threshold ${authorship}`;
const score = `entity_id entity_type project_id workspace_id name category_name reason source value ${authorship}`;
const words = (text: string): readonly string[] => text.split(' ');

/** The tables that a statement sees, and their columns. */
export const sqlTables: Readonly<Record<string, readonly string[]>> = {
  traces: words(`${entry} output_keys thread_id visibility_mode`),
  spans: words(
    `${entry} trace_id parent_span_id type model provider usage total_estimated_cost total_estimated_cost_version`,
  ),
  feedback_scores: words(score),
  authored_feedback_scores: words(`${score} author source_queue_id`),
  trace_threads: words(
    `id thread_id thread_model_id project_id workspace_id status environment tags sampling_per_rule scored_at source ${authorship}`,
  ),
  experiments: words(
    `workspace_id dataset_id id name metadata type status optimization_id dataset_version_id project_id evaluation_method experiment_scores tags prompt_versions prompt_id prompt_version_id execution_policy finished_at ${authorship}`,
  ),
  experiment_items: words(
    `id experiment_id dataset_item_id trace_id workspace_id project_id execution_policy ${authorship}`,
  ),
  dataset_items: words(
    `workspace_id dataset_id id source trace_id span_id input expected_output metadata data column_types tags ${authorship}`,
  ),
};

const keywords = words(
  'SELECT FROM WHERE GROUP BY ORDER LIMIT WITH AS AND OR NOT IN IS NULL LIKE ILIKE JOIN LEFT ON USING HAVING UNION ALL DISTINCT CASE WHEN THEN ELSE END DESC ASC BETWEEN INTERVAL FILTER OVER PARTITION',
);
const functions = words(
  'count sum avg min max median quantile_cont date_trunc json_extract_string json_extract to_json countIf avgIf toStartOfHour toStartOfDay coalesce round now unnest list_contains map_keys',
);

export interface Completion {
  readonly text: string;
  /** What it is. */
  readonly says: string;
}
const isOfWord = (letter: string | undefined): boolean =>
  letter !== undefined && /[\w.]/.test(letter);
/** The part of a word that ends at a place; a number is none. */
export const wordBefore = (text: string, at: number): string => {
  let from = at;
  while (isOfWord(text[from - 1])) from--;
  const word = text.slice(from, at);
  return /^[A-Za-z_]/.test(word) ? word : '';
};

const mostCompletions = 12;

/** Names that a word may become: columns of the tables that the statement names first, then tables, functions and words of the language. */
export const completionsFor = (text: string, at: number): readonly Completion[] => {
  const word = wordBefore(text, at).split('.').at(-1)?.toLowerCase() ?? '';
  const named = Object.keys(sqlTables).filter((name) =>
    text.toLowerCase().split(/\W+/).includes(name),
  );
  const columns = (named.length === 0 ? ['traces'] : named).flatMap((table) =>
    (sqlTables[table] ?? []).map((name): Completion => ({ text: name, says: table })),
  );
  const all: readonly Completion[] = [
    ...columns,
    ...Object.keys(sqlTables).map((name) => ({ text: name, says: 'table' })),
    ...functions.map((name) => ({ text: `${name}(`, says: 'function' })),
    ...keywords.map((name) => ({ text: name, says: 'word' })),
  ];
  const seen = new Set<string>();
  return word === ''
    ? []
    : all
        .filter((one) => {
          const begins = one.text.toLowerCase().startsWith(word) && one.text.toLowerCase() !== word;
          const isNew = !seen.has(one.text);
          if (begins) seen.add(one.text);
          return begins && isNew;
        })
        .slice(0, mostCompletions);
};

/** The text with the word before a place completed, and where the cursor stands then. */
export const completed = (
  text: string,
  at: number,
  name: string,
): { readonly text: string; readonly at: number } => {
  const word = wordBefore(text, at).split('.').at(-1) ?? '';
  const from = at - word.length;
  return { text: text.slice(0, from) + name + text.slice(at), at: from + name.length };
};

const [head, tail] = ['SELECT to_json(found) AS result FROM (\n', '\n) AS found'];

/** A statement without what ends it. */
const bare = (statement: string): string => {
  let text = statement.trim();
  while (text.endsWith(';')) text = text.slice(0, -1).trimEnd();
  return text;
};
/** A statement of any columns as one of the single column that the server hands out: a JSON object for each row. */
export const wrapped = (statement: string): string => head + bare(statement) + tail;
/** The statement as it was written, of one that may be wrapped. */
export const unwrapped = (statement: string): string =>
  statement.startsWith(head) && statement.endsWith(tail)
    ? statement.slice(head.length, -tail.length)
    : statement;

const [windowStart, windowEnd] = ['{{window_start}}', '{{window_end}}'] as const;
export const namesTime = (statement: string): boolean =>
  statement.includes(windowStart) || statement.includes(windowEnd);
const literal = (at: number): string =>
  `TIMESTAMP '${new Date(at).toISOString().slice(0, 23).replace('T', ' ')}'`;
/** A statement with a span of time (ms) in the place of its marks, as boards fill them in. */
export const withTime = (statement: string, from: number, to: number): string =>
  statement.replaceAll(windowStart, () => literal(from)).replaceAll(windowEnd, () => literal(to));

export interface ResultTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a plain text is its own value
  }
};
/** The value of a row: statements that make the single column themselves hold a JSON text in it. */
const valueOf = (row: unknown): unknown => {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const [[name, value] = [], second] = Object.entries(row);
  return name === 'result' && second === undefined && typeof value === 'string'
    ? parsed(value)
    : row;
};

/** Rows as a table: members of objects are columns, in the order in which they first appear; what is no object stands in the column `result`. */
export const tableOf = (results: readonly unknown[]): ResultTable => {
  const values = results.map(valueOf);
  const columns = new Map<string, number>();
  const entries = values.map((value) => {
    const found: readonly (readonly [string, unknown])[] =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value)
        : [['result', value]];
    for (const [name] of found) if (!columns.has(name)) columns.set(name, columns.size);
    return found;
  });
  const rows = entries.map((found) => {
    const row: unknown[] = Array.from({ length: columns.size }, () => null);
    for (const [name, value] of found) row[columns.get(name) ?? 0] = value;
    return row;
  });
  return { columns: [...columns.keys()], rows };
};

/** A value as a cell shows it. */
export const cellText = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

export const csvOfTable = ({ columns, rows }: ResultTable): string =>
  [
    csvLine(columns),
    ...rows.map((row) =>
      csvLine(
        row.map((value) =>
          typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
        ),
      ),
    ),
  ].join('\n');
export const jsonOfTable = ({ columns, rows }: ResultTable): string =>
  JSON.stringify(
    rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
    null,
    1,
  );

/** A time as statements give it, in ms: a date with or without an hour, in UTC unless it says otherwise. */
const instantOf = (value: unknown): number | undefined => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const text = value.replace(' ', 'T');
  const zoned = /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(text.slice(10))
    ? text.replace(/([+-]\d\d)$/, '$1:00')
    : text.length > 10
      ? `${text}Z`
      : text;
  const at = Date.parse(zoned);
  return Number.isNaN(at) ? undefined : at;
};

export interface ChartedTable {
  /** Places on the axis: times in ms, or numbers; without either, how many a row is. */
  readonly x: readonly number[];
  readonly labels: readonly string[];
  readonly times: boolean;
  readonly lines: readonly {
    readonly name: string;
    readonly y: readonly (number | null)[];
  }[];
}

/** A table as a chart: its first column is the axis, and every column of numbers after it a line. Nothing where no column holds numbers. */
export const chartOfTable = ({ columns, rows }: ResultTable): ChartedTable | undefined => {
  const column = (at: number) => rows.map((row) => row[at]);
  const isNumeric = (at: number) =>
    column(at).some((value) => typeof value === 'number') &&
    column(at).every((value) => value === null || value === undefined || typeof value === 'number');
  const first = column(0);
  const times = first.length > 0 && first.every((value) => instantOf(value) !== undefined);
  const single = columns.length === 1;
  const x = first.map((value, at) =>
    times ? (instantOf(value) ?? 0) : typeof value === 'number' && !single ? value : at,
  );
  const lines = columns.flatMap((name, at) =>
    (at === 0 && !single) || !isNumeric(at)
      ? []
      : [{ name, y: column(at).map((value) => (typeof value === 'number' ? value : null)) }],
  );
  if (lines.length === 0) return undefined;
  const order = x.map((_, at) => at).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0));
  const sorted = <T>(list: readonly T[]): readonly T[] =>
    order.flatMap((at) => list.slice(at, at + 1));
  return {
    x: sorted(x),
    labels: sorted(first.map(cellText)),
    times,
    lines: lines.map(({ name, y }) => ({ name, y: sorted(y) })),
  };
};
