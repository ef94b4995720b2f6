// What a file says of items, in pieces that fit into memory. Pure.
import type { ByteStream } from '#ports/bytes';
import { csvRows } from '#ports/csv-rows';
import { Failure } from '#ports/failure';
import type { SentItem } from '../dataset-items/offers.js';
import { jsonObjects, longestRow } from './json-reading.js';

export type FileFormat = 'csv' | 'json';
export type ItemData = Readonly<Record<string, unknown>>;
export type FileItem = SentItem & { readonly data: ItemData };

export const mostItems = 100_000;
const mostColumns = 500;
const [itemsAtOnce, bytesAtOnce] = [500, 4 * 1024 * 1024];

async function* textOf(bytes: ByteStream): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    } catch (cause) {
      throw new Failure('invalid', 'the file must be text in UTF-8', { cause });
    }
  };
  for await (const piece of bytes) {
    const text = decode(piece);
    if (text.includes('\0')) throw new Failure('invalid', 'the file must not hold NUL');
    yield text;
  }
  yield decode();
}

const checkNames = (names: readonly string[]): void => {
  if (names.some((name) => name.trim() === ''))
    throw new Failure('invalid', 'every column of the CSV file must have a name');
  // Names that differ in nothing else are one column to those who read them.
  if (new Set(names.map((name) => name.trim().toLowerCase())).size < names.length)
    throw new Failure(
      'invalid',
      'the columns of the CSV file must have different names, also without upper and lower case',
    );
};

/** A row of a CSV file by the names of its first one. */
async function* csvRecords(texts: AsyncIterable<string>): AsyncIterable<ItemData> {
  let names: readonly string[] | undefined;
  let row = 1;
  for await (const cells of csvRows(texts, { mostColumns, longestRow })) {
    if (names === undefined) {
      checkNames(cells);
      names = cells;
      continue;
    }
    row++;
    if (cells.length !== names.length)
      throw new Failure(
        'invalid',
        `row ${row} of the CSV file has ${cells.length} cells, and its first row ${names.length}`,
      );
    yield Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
  }
  if (names === undefined) throw new Failure('invalid', 'the CSV file is empty');
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is ItemData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a member of an object must be that says something of the item instead of being part of its data. */
const reserved = {
  id: isText,
  source: (value: unknown) => value === 'manual' || value === 'sdk',
  description: isText,
  tags: (value: unknown) => Array.isArray(value) && value.every(isText),
  evaluators: (value: unknown) => Array.isArray(value),
  execution_policy: isObject,
} as const;
const rules = Object.entries(reserved);

const itemOf = (record: ItemData, place: number): FileItem => {
  const said = rules.filter(([name]) => Object.hasOwn(record, name));
  for (const [name, holds] of said)
    if (record[name] !== null && !holds(record[name]))
      throw new Failure('invalid', `${name} does not fit, at object ${place} of the JSON file`);
  const about = said.filter(([name]) => record[name] !== null);
  const data = Object.fromEntries(
    Object.entries(record).filter(([name]) => !Object.hasOwn(reserved, name)),
  );
  if (Object.keys(data).length === 0)
    throw new Failure('invalid', `object ${place} of the JSON file has no members`);
  return { ...Object.fromEntries(about.map(([name]) => [name, record[name]])), data };
};

async function* itemsIn(format: FileFormat, bytes: ByteStream): AsyncIterable<FileItem> {
  const texts = textOf(bytes);
  if (format === 'csv') for await (const data of csvRecords(texts)) yield { data };
  else {
    let place = 0;
    for await (const record of jsonObjects(texts)) yield itemOf(record, ++place);
  }
}

/** Items as a file has them, some at a time. Rejects with `invalid` for a file that cannot be read, or holds too many. */
export async function* itemsOfFile(
  format: FileFormat,
  bytes: ByteStream,
): AsyncIterable<readonly FileItem[]> {
  let [some, size, all]: [FileItem[], number, number] = [[], 0, 0];
  for await (const item of itemsIn(format, bytes)) {
    if (++all > mostItems)
      throw new Failure('invalid', `a file may hold at most ${mostItems} items`);
    some.push(item);
    size += JSON.stringify(item).length;
    if (some.length < itemsAtOnce && size < bytesAtOnce) continue;
    yield some;
    [some, size] = [[], 0];
  }
  if (some.length > 0) yield some;
}
