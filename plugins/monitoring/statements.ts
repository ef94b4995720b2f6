// One SELECT over the events of a model, whose rows are answered: of events, or of groups of them. For administrators.
import { Failure } from '#ports/failure';
import {
  columnsOf,
  compareResults,
  compileFilter,
  compileValue,
  groupFor,
  type Batch,
  type Columns,
  type Group,
  type Result,
} from './evaluating.js';
import {
  asOneBucket,
  isForEngine,
  readStatement,
  runOnEngine,
  type EngineStatement,
} from './engine-statements.js';
import { hasAggregate, type Node, type Statement } from './language.js';
import { fieldsOf, type Field } from './models.js';
import { dayMs, type MonitoringNeeds } from './needs.js';
import { columnsFor, type Question } from './queries.js';
import { readEvents } from './reading.js';

export type Cells = readonly Result[];
export interface StatementResult {
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
  /** Whether there were more than are answered. */
  readonly truncated: boolean;
}

const mostGroups = 100_000;
/** The columns of every event, by the names that clients know. */
export const ownColumns = ['__time', 'predictionId', 'modelVersion'] as const;
/** Rows that are held before those are let go that come too late in the order. */
const leastHeld = 20_000;

type Item = { readonly name: string; readonly node: Node };

/** The items with every column in the place of `*`. */
const itemsOf = ({ items }: Statement, fields: ReadonlyMap<string, Field>): readonly Item[] =>
  items.flatMap(({ name, node }): readonly Item[] =>
    node !== undefined
      ? [{ name, node }]
      : [...ownColumns, ...[...fields.keys()].sort()].map((column) => ({
          name: column,
          node: { is: 'column', name: column, place: 0 },
        })),
  );

interface Collecting {
  begin(batch: Batch): (row: number) => boolean;
  /** Rows, each with what it is sorted by. */
  rows(): readonly Ordered[];
}

type Ordered = { readonly cells: Cells; readonly order: Cells };

/** Takes events as rows, as many as are wanted: the first ones, or with an order those that come first in it. */
const ofEvents = (
  nodes: readonly Node[],
  shown: number,
  columns: Columns,
  most: number,
  inOrder: ((one: Ordered, other: Ordered) => number) | undefined,
): Collecting => {
  const values = nodes.map((node) => compileValue(node, columns));
  let rows: Ordered[] = [];
  return {
    begin(batch) {
      const readers = values.map((value) => value(batch));
      return (row) => {
        const all = readers.map((read) => read(row));
        rows.push({ cells: all.slice(0, shown), order: all.slice(shown) });
        if (inOrder === undefined) return rows.length < most;
        if (rows.length >= Math.max(leastHeld, 2 * most)) rows = rows.sort(inOrder).slice(0, most);
        return true;
      };
    },
    rows: () => rows,
  };
};

/** Takes events in groups of the same values; what is no aggregate is that of the first event of a group. */
const ofGroups = (
  nodes: readonly Node[],
  shown: number,
  group: readonly Node[],
  columns: Columns,
): Collecting => {
  const keys = group.map((node) => compileValue(node, columns));
  const plain = nodes.map((node) => (hasAggregate(node) ? undefined : compileValue(node, columns)));
  const makers = nodes.map((node) =>
    hasAggregate(node) ? groupFor({ select: node, where: undefined }, columns) : undefined,
  );
  const groups = new Map<
    string,
    { readonly sums: readonly (Group | undefined)[]; first: Result[] }
  >();
  const make = () => ({ sums: makers.map((one) => one?.()), first: [] as Result[] });
  if (group.length === 0) groups.set('[]', make());
  return {
    begin(batch) {
      const readers = keys.map((key) => key(batch));
      const firsts = plain.map((value) => value?.(batch));
      const begun = new Set<unknown>();
      return (row) => {
        const name = JSON.stringify(readers.map((read) => read(row)));
        const held = groups.get(name) ?? make();
        if (!groups.has(name)) {
          if (groups.size >= mostGroups)
            throw new Failure('invalid', `more than ${mostGroups} groups are not answered`);
          groups.set(name, held);
        }
        if (held.first.length === 0) held.first = firsts.map((read) => read?.(row) ?? null);
        if (!begun.has(held)) {
          begun.add(held);
          for (const sum of held.sums) sum?.begin(batch);
        }
        for (const sum of held.sums) sum?.add(row);
        return true;
      };
    },
    rows: () =>
      [...groups.values()].map(({ sums, first }) => {
        const all = sums.map((sum, at) => (sum === undefined ? (first[at] ?? null) : sum.result()));
        return { cells: all.slice(0, shown), order: all.slice(shown) };
      }),
  };
};

/** Null comes last. */
const ordered = (one: Result, other: Result): number =>
  one === null || other === null
    ? Number(one === null) - Number(other === null)
    : (compareResults(one, other) ?? 0);

/** Which of two rows comes first, as a statement says; `undefined` where it does not. */
const orderOf = ({ order }: Statement): ((one: Ordered, other: Ordered) => number) | undefined => {
  if (order.length === 0) return undefined;
  return (one, other) => {
    let own = 0;
    for (const { by, descending } of order) {
      const [left = null, right = null] =
        typeof by === 'number'
          ? [one.cells[by], other.cells[by]]
          : [one.order[own], other.order[own++]];
      const found = ordered(left, right);
      if (found !== 0) return descending && left !== null && right !== null ? -found : found;
    }
    return 0;
  };
};

/** Whether an item is the time of an event as it is. */
const isTime = ({ node }: Item): boolean =>
  node.is === 'column' && ['__time', 'timestamp'].includes(node.name.toLowerCase());

const mostBytes = 16 * 1024 * 1024;

/** Answers a statement that runs on the engine, which refuses one of more rows. */
const answerOnEngine = async (
  needs: Pick<MonitoringNeeds, 'tables' | 'ids' | 'analytics'>,
  { model, signal }: Question,
  statement: EngineStatement,
  fields: ReadonlyMap<string, Field>,
  { to, rows }: { readonly to: number; readonly rows: number },
): Promise<StatementResult> => {
  const asked = { model, signal, fields, version: undefined, filters: [undefined] };
  const { results } = await runOnEngine(
    needs,
    statement,
    { ...asked, buckets: asOneBucket(0, to) },
    { rows, bytes: mostBytes },
  );
  const [{ columns, types, rows: found } = { columns: [], types: undefined, rows: [] }] = results;
  return {
    columns,
    rows: found.map((cells) =>
      cells.map((cell, at) => (cell !== null && types?.[at] === 'number' ? Number(cell) : cell)),
    ),
    truncated: false,
  };
};

/** Answers a statement with at most so many rows. Throws `invalid` for what is not understood. */
export const answerStatement = async (
  needs: Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'analytics'>,
  { model, signal }: Question,
  sql: string,
  mostRows: number,
): Promise<StatementResult> => {
  const statement = readStatement(sql);
  const fields = await fieldsOf(needs.tables, model.id);
  const span = { from: 0, to: needs.clock.now() + 2 * dayMs };
  if (isForEngine(statement))
    return answerOnEngine(needs, { model, signal }, statement, fields, {
      to: span.to,
      rows: mostRows,
    });
  const columns = columnsFor(fields);
  const items = itemsOf(statement, fields);
  const sorting = statement.order.flatMap(({ by }) => (typeof by === 'number' ? [] : [by]));
  const nodes = [...items.map(({ node }) => node), ...sorting];
  const wanted = Math.min(mostRows, statement.limit ?? Infinity);
  const isGrouped = statement.group.length > 0 || nodes.some(hasAggregate);
  const inOrder = orderOf(statement);
  const collecting = isGrouped
    ? ofGroups(nodes, items.length, statement.group, columns)
    : ofEvents(nodes, items.length, columns, wanted + 1, inOrder);
  const test = statement.where && compileFilter(statement.where, columns);
  const reads = [...nodes, ...statement.group, statement.where].flatMap((node) =>
    columnsOf(node, columns),
  );
  for await (const batch of readEvents(needs, model.id, span, signal, reads)) {
    const passes = test?.(batch) ?? (() => true);
    const take = collecting.begin(batch);
    let isOpen = true;
    for (let row = 0; row < batch.length && isOpen; row++) if (passes(row)) isOpen = take(row);
    if (!isOpen) break;
  }
  const found = inOrder === undefined ? collecting.rows() : [...collecting.rows()].sort(inOrder);
  const times = items.map(isTime);
  return {
    columns: items.map(({ name }) => name),
    rows: found
      .slice(0, wanted)
      .map(({ cells }) =>
        cells.map((cell, at) =>
          times[at] === true && typeof cell === 'number' ? new Date(cell).toISOString() : cell,
        ),
      ),
    truncated: found.length > mostRows && wanted === mostRows,
  };
};
