// One SELECT over the events of a model, whose rows are answered: of events, or of groups of them. For administrators.
import { Failure } from '#ports/failure';
import {
  compareResults,
  compileFilter,
  compileValue,
  groupFor,
  type Batch,
  type Columns,
  type Group,
  type Result,
} from './evaluating.js';
import { hasAggregate, parseStatement, type Node, type Statement } from './language.js';
import { fieldsOf, type Field } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { columnsFor, type Question } from './queries.js';
import { readEvents } from './reading.js';

export type Cells = readonly Result[];
export interface StatementResult {
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
  /** Whether there were more than are answered. */
  readonly truncated: boolean;
}

const [mostGroups, mostSorted] = [100_000, 100_000] as const;
const ownColumns = ['timestamp', 'prediction_id', 'model_version'] as const;

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
  rows(): readonly { readonly cells: Cells; readonly order: Cells }[];
}

/** Takes events as rows; ends with the first that is one too many. */
const ofEvents = (
  nodes: readonly Node[],
  shown: number,
  columns: Columns,
  most: number,
): Collecting => {
  const values = nodes.map((node) => compileValue(node, columns));
  const rows: { cells: Cells; order: Cells }[] = [];
  return {
    begin(batch) {
      const readers = values.map((value) => value(batch));
      return (row) => {
        const all = readers.map((read) => read(row));
        rows.push({ cells: all.slice(0, shown), order: all.slice(shown) });
        return rows.length < most;
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

/** Answers a statement with at most so many rows. Throws `invalid` for what is not understood. */
export const answerStatement = async (
  needs: Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>,
  { model, signal }: Question,
  sql: string,
  mostRows: number,
): Promise<StatementResult> => {
  const statement = parseStatement(sql);
  const fields = await fieldsOf(needs.tables, model.id);
  const columns = columnsFor(fields);
  const items = itemsOf(statement, fields);
  const sorting = statement.order.flatMap(({ by }) => (typeof by === 'number' ? [] : [by]));
  const nodes = [...items.map(({ node }) => node), ...sorting];
  const wanted = Math.min(mostRows, statement.limit ?? Infinity);
  const isGrouped = statement.group.length > 0 || nodes.some(hasAggregate);
  const isSorted = statement.order.length > 0;
  const collecting = isGrouped
    ? ofGroups(nodes, items.length, statement.group, columns)
    : ofEvents(nodes, items.length, columns, isSorted ? mostSorted : wanted + 1);
  const test = statement.where && compileFilter(statement.where, columns);
  const span = { from: 0, to: needs.clock.now() + 2 * 86_400_000 };
  for await (const batch of readEvents(needs, model.id, span, signal)) {
    const passes = test?.(batch) ?? (() => true);
    const take = collecting.begin(batch);
    let isOpen = true;
    for (let row = 0; row < batch.length && isOpen; row++) if (passes(row)) isOpen = take(row);
    if (!isOpen) break;
  }
  const found = [...collecting.rows()];
  if (isSorted && found.length >= mostSorted)
    throw new Failure('invalid', `more than ${mostSorted} rows are not sorted`);
  if (isSorted)
    found.sort((one, other) => {
      let own = 0;
      for (const { by, descending } of statement.order) {
        const place = typeof by === 'number' ? by : own++;
        const [left, right] =
          typeof by === 'number'
            ? [one.cells[place] ?? null, other.cells[place] ?? null]
            : [one.order[place] ?? null, other.order[place] ?? null];
        const order = ordered(left, right);
        if (order !== 0) return left === null || right === null || !descending ? order : -order;
      }
      return 0;
    });
  return {
    columns: items.map(({ name }) => name),
    rows: found.slice(0, wanted).map(({ cells }) => cells),
    truncated: found.length > mostRows && wanted === mostRows,
  };
};
