// The events of a model as a table with a manifest beside it, by which whoever has both can tell that nothing of it is missing.
import { createHash } from 'node:crypto';
import type { ByteStream, Download } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { Batch } from './evaluating.js';
import { compileFilter, columnsOf } from './evaluating.js';
import type { Value } from './items.js';
import { parseFilter } from './language.js';
import { fieldsOf, type Field } from './models.js';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { eventsField } from './profiles.js';
import { columnsFor, sumsBy, type Question } from './queries.js';
import { readEvents } from './reading.js';
import { bucketsOf, type Buckets } from './series.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'parquet' | 'zip'>;

export interface AskedExport {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly version?: string | undefined;
  readonly filter?: string | undefined;
  readonly format?: 'csv' | 'parquet' | undefined;
}

type Cell = Value | null;
interface Column {
  readonly name: string;
  readonly type: 'number' | 'text';
  read(batch: Batch): (row: number) => Cell;
}
/** One list of cells for each column. */
type Part = readonly (readonly Cell[])[];

/** Rows of a part. */
const rowsAtOnce = 5000;
const mostColumns = 4000;

/** Names as files have them that are sent in. */
const columnName = ({ source, name }: Field): string =>
  source === 'label' ? `label_value_${name}` : `${source}_${name}`;

const plainColumn = (name: string, column: string, type: Column['type']): Column => ({
  name,
  type,
  read: (batch) => {
    const read = batch.column(column);
    return (row) => read(row) ?? null;
  },
});
const columnsAs = (fields: readonly Field[]): readonly Column[] => [
  { name: 'timestamp', type: 'number', read: (batch) => (row) => batch.at(row) },
  plainColumn('predictionId', 'prediction_id', 'text'),
  plainColumn('modelVersion', 'model_version', 'text'),
  ...fields.map((field) =>
    plainColumn(columnName(field), field.column, field.numeric ? 'number' : 'text'),
  ),
];

/** What is told of a table once all of it was written. */
class Written {
  readonly #hash = createHash('sha256');
  rows = 0;
  bytes = 0;
  /** Cells of columns of numbers that hold a text, which Parquet leaves out. */
  misfits = 0;

  async *of(content: ByteStream): ByteStream {
    for await (const piece of content) {
      this.#hash.update(piece);
      this.bytes += piece.length;
      yield piece;
    }
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

const text = new TextEncoder();

const csvCell = (cell: Cell): string => {
  if (cell === null) return '';
  const plain = String(cell);
  return /[",\r\n]/.test(plain) || plain.trim() !== plain
    ? `"${plain.replaceAll('"', '""')}"`
    : plain;
};
const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

async function* csvOf(columns: readonly Column[], parts: AsyncIterable<Part>): ByteStream {
  yield text.encode(csvLine(columns.map(({ name }) => name)));
  for await (const part of parts) {
    const rows = part[0]?.length ?? 0;
    let lines = '';
    for (let row = 0; row < rows; row++) lines += csvLine(part.map((cells) => cells[row] ?? null));
    yield text.encode(lines);
  }
}

/** Counts what Parquet leaves out. */
async function* fitting(
  columns: readonly Column[],
  parts: AsyncIterable<Part>,
  written: Written,
): AsyncIterable<Part> {
  for await (const part of parts) {
    for (const [at, { type }] of columns.entries())
      if (type === 'number')
        for (const cell of part[at] ?? []) if (typeof cell === 'string') written.misfits++;
    yield part;
  }
}

/** How many events the sums count; null where they cannot tell. */
const countedBySums = async (
  needs: Pick<Needs, 'tables'>,
  question: Question,
  buckets: Buckets,
  { version, filter }: AskedExport,
): Promise<number | null> => {
  if (filter !== undefined || buckets.from % hourMs !== 0 || buckets.to % hourMs !== 0) return null;
  const now = { ...buckets, starts: [buckets.from], widthMs: buckets.to - buckets.from };
  const [sum] = await sumsBy(needs, question, eventsField, now, version);
  return sum?.events ?? 0;
};

/** The table and its manifest as a zip. Throws `invalid` for a filter that is not understood, and for too many columns. */
export const exportEvents = async (
  needs: Needs,
  question: Question,
  asked: AskedExport,
): Promise<Download> => {
  const { model, signal } = question;
  const { version, filter, format = 'csv' } = asked;
  // Without an end it is everything, what is of the next hours too.
  const latest = Math.ceil((needs.clock.now() + dayMs) / hourMs + 1) * hourMs;
  const { from, to = new Date(latest).toISOString() } = asked;
  const buckets = bucketsOf({ from, to }, needs.clock.now());
  const all = await fieldsOf(needs.tables, model.id);
  const fields = [...all.values()].sort((one, other) => (one.column < other.column ? -1 : 1));
  const columns = columnsAs(fields);
  if (columns.length > mostColumns)
    throw new Failure('invalid', `a table has at most ${mostColumns} columns`);
  if (model.profileOnly)
    throw new Failure('invalid', 'of a model with profileOnly no single event is kept');
  const known = columnsFor(all);
  const parsed = filter === undefined ? undefined : parseFilter(filter);
  const test = parsed && compileFilter(parsed, known);
  const written = new Written();
  const span = { from: buckets.from, to: buckets.to, version };
  const reads = [
    'prediction_id',
    ...fields.map(({ column }) => column),
    ...columnsOf(parsed, known),
  ];
  const partsOf = async function* (): AsyncIterable<Part> {
    for await (const batch of readEvents(needs, model.id, span, signal, reads)) {
      const passes = test?.(batch) ?? (() => true);
      const readers = columns.map(({ read }) => read(batch));
      const rows: number[] = [];
      for (let row = 0; row < batch.length; row++) if (passes(row)) rows.push(row);
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        const own = rows.slice(at, at + rowsAtOnce);
        written.rows += own.length;
        yield readers.map((read) => own.map(read));
      }
    }
  };
  const name = `events.${format}`;
  const open = (): ByteStream =>
    written.of(
      format === 'csv'
        ? csvOf(columns, partsOf())
        : needs.parquet.write(columns, fitting(columns, partsOf(), written)),
    );
  const manifest = async (): Promise<string> =>
    JSON.stringify(
      {
        ...{ modelId: model.id, modelName: model.name, workspaceId: model.workspaceId },
        ...{ from: new Date(buckets.from).toISOString(), to: new Date(buckets.to).toISOString() },
        ...{ version: version ?? null, filter: filter ?? null },
        ...{ file: name, format, rows: written.rows, bytes: written.bytes },
        sha256: written.digest(),
        eventsBySums: await countedBySums(needs, question, buckets, asked),
        cellsLeftOut: written.misfits,
        columns: columns.map(({ name: column, type }) => ({ name: column, type })),
        exportedAt: new Date(needs.clock.now()).toISOString(),
      },
      null,
      2,
    );
  const changedAt = needs.clock.now();
  return {
    type: 'application/zip',
    fileName: `${model.name}-events.zip`,
    attached: true,
    open: () =>
      needs.zip.pack([
        { name, changedAt, open },
        {
          name: 'manifest.json',
          changedAt,
          async open() {
            const content = text.encode(await manifest());
            return (async function* () {
              await Promise.resolve();
              yield content;
            })();
          },
        },
      ]),
  };
};
