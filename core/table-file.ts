// A table as a file that is written while it is read, so that its length costs no memory.
import type { TableFormat } from '#ports/api/table-formats';
import type { ByteStream, Download } from '#ports/bytes';
import type { Parquet, ParquetColumn } from '#ports/parquet';
import { csvRow } from './csv.js';

export type TableCell = string | number | null | readonly string[];
/** Some rows: one list for each column, with one cell for each row. */
export type TablePart = readonly (readonly TableCell[])[];

const types: Readonly<Record<TableFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

const text = new TextEncoder();

/** Lists are texts of JSON where a cell holds one text only. */
const plain = (cell: TableCell): string | number | null =>
  typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell;

/** Numbers that JSON has no sign for are texts in it. */
const inJson = (cell: TableCell): TableCell =>
  typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell;

const rowsOf = (part: TablePart): readonly (readonly TableCell[])[] =>
  (part[0] ?? []).map((_, row) => part.map((cells) => cells[row] ?? null));

async function* toCsv(
  columns: readonly ParquetColumn[],
  parts: AsyncIterable<TablePart>,
): ByteStream {
  yield text.encode(csvRow(columns.map(({ name }) => name)));
  for await (const part of parts)
    yield text.encode(
      rowsOf(part)
        .map((row) => csvRow(row.map(plain)))
        .join(''),
    );
}

async function* toJsonLines(
  columns: readonly ParquetColumn[],
  parts: AsyncIterable<TablePart>,
): ByteStream {
  const names = columns.map(({ name }) => JSON.stringify(name));
  for await (const part of parts)
    yield text.encode(
      rowsOf(part)
        .map((row) => {
          const members = row.map(
            (cell, at) => `${names[at] ?? ''}:${JSON.stringify(inJson(cell))}`,
          );
          return `{${members.join(',')}}\n`;
        })
        .join(''),
    );
}

/** Cells of a column of texts are texts, whatever they were. */
async function* typed(
  columns: readonly ParquetColumn[],
  parts: AsyncIterable<TablePart>,
): AsyncIterable<readonly (readonly (string | number | null)[])[]> {
  for await (const part of parts)
    yield part.map((cells, at) =>
      columns[at]?.type === 'number'
        ? cells.map((cell) => (typeof cell === 'number' ? cell : null))
        : cells.map((cell) => (cell === null ? null : String(plain(cell)))),
    );
}

/** The table as a download; of a column of numbers, Parquet has null for what is no number. */
export const tableFile = (
  parquet: Parquet,
  file: { readonly name: string; readonly format: TableFormat },
  columns: readonly ParquetColumn[],
  parts: () => AsyncIterable<TablePart>,
): Download => ({
  type: types[file.format],
  fileName: `${file.name}.${file.format}`,
  open: () => {
    if (file.format === 'csv') return toCsv(columns, parts());
    if (file.format === 'jsonl') return toJsonLines(columns, parts());
    return parquet.write(columns, typed(columns, parts()));
  },
});
