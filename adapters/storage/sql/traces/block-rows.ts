// The rows of a block, each with what it comes to, and what some of them come to together.
import type { Fragment } from '#ports/sql-dialect';
import { fragment, joined } from '../fragment.js';
import { anyError, groupedColumns, type RowSums, type Value } from './block-groups.js';
import { addSpanParts, type BlockCounts, type SpanParts } from './block-sums.js';
import { wordedColumns } from './block-words.js';
import type { BlockKind } from './blocks.js';
import { run } from './reads.js';
import type { Row } from './rows.js';
import {
  entryDuration,
  entrySums,
  selectSums,
  spanPartsByOwner,
  type Reading,
} from './statistics.js';

/** A row of a block. */
export interface BlockRow {
  /** Its texts, by their columns. */
  readonly texts: Row;
  readonly start: number;
  readonly length: number | undefined;
  readonly failed: boolean;
  readonly counts: BlockCounts;
  /** What it comes to itself, or the spans of a trace. */
  readonly spans: SpanParts;
}

const noSpans: SpanParts = { n: 0, llm: 0, cost: { name: 'cost', n: 0, sum: 0 }, usage: [] };

/** What each span of a range comes to, or the spans of each trace of it, by the id. */
const partsOf = (
  reading: Reading,
  kind: BlockKind,
  projectId: string,
  range: Fragment,
): Promise<ReadonlyMap<string, SpanParts>> =>
  kind === 'span'
    ? spanPartsByOwner(reading, { tables: 'spans x', alias: 'x', owner: 'x.id', where: range })
    : spanPartsByOwner(reading, {
        ...{ tables: 'spans s', alias: 's', owner: 's.trace_id' },
        where: joined(
          fragment(
            's.project_id = ? and s.trace_id in (select x.id from traces x where ',
            projectId,
          ),
          range,
          ')',
        ),
      });

/** The rows of a range; `undefined` where there are so many, or more. */
export const readBlockRows = async (
  connection: Reading['connection'],
  kind: BlockKind,
  projectId: string,
  range: Fragment,
  limit: number,
): Promise<readonly BlockRow[] | undefined> => {
  // An error may be long, and it counts alone whether there is one.
  const grouped = groupedColumns[kind].filter((column) => column !== 'error_info');
  const columns = [...new Set([...wordedColumns[kind], ...grouped, 'metadata'])];
  const rows = await run(
    connection,
    `select x.id, x.start_time, ${entryDuration} as d, ${columns.map((name) => `x.${name}`).join(', ')} from ${kind}s x where `,
    range,
    ` limit ${limit}`,
  );
  if (rows.length === limit) return undefined;
  const sums = await run(
    connection,
    `select x.id, ${selectSums(entrySums(kind))} from ${kind}s x where `,
    range,
    ' group by x.id',
  );
  const sumsOf = new Map(sums.map((row) => [String(row['id']), row]));
  const reading: Reading = { connection, read: (...parts) => run(connection, ...parts) };
  const parts = await partsOf(reading, kind, projectId, range);
  return rows.map((texts) => {
    const [id, length] = [String(texts['id']), texts['d']];
    const of = (name: string): number => Number(sumsOf.get(id)?.[name] ?? 0);
    return {
      texts,
      start: Number(texts['start_time']),
      length: length === null ? undefined : Number(length),
      failed: of('errors') > 0,
      counts: {
        ...{ inputs: of('inputs'), outputs: of('outputs') },
        ...{ metadata: of('metadata'), tags: of('tags') },
      },
      spans: parts.get(id) ?? noSpans,
    };
  });
};

/** What rows come to together. */
export const addRows = (rows: readonly BlockRow[]): RowSums => {
  const total = (of: (row: BlockRow) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0);
  return {
    n: rows.length,
    errors: total(({ failed }) => (failed ? 1 : 0)),
    counts: {
      inputs: total(({ counts }) => counts.inputs),
      outputs: total(({ counts }) => counts.outputs),
      metadata: total(({ counts }) => counts.metadata),
      tags: total(({ counts }) => counts.tags),
    },
    spans: addSpanParts(rows.map(({ spans }) => spans)),
    lengths: rows.flatMap(({ length }) => length ?? []).sort((one, other) => one - other),
  };
};

/** The same by what stands in a column. */
export const addByValue = (
  rows: readonly BlockRow[],
  column: string,
): ReadonlyMap<Value, RowSums> => {
  const groups = new Map<Value, BlockRow[]>();
  for (const row of rows) {
    const value = valueIn(row, column);
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [row]);
    else group.push(row);
  }
  return new Map([...groups].map(([value, some]) => [value, addRows(some)]));
};

const valueIn = ({ texts, failed }: BlockRow, column: string): Value => {
  if (column === 'error_info') return failed ? anyError : null;
  const text = texts[column];
  return typeof text === 'string' ? text : null;
};
