// What a file says of items: the data of each, in pieces that fit into memory. Pure.
import type { ByteStream } from '#ports/bytes';
import { Failure } from '#ports/failure';
import { csvRows } from './csv-reading.js';
import { jsonObjects } from './json-reading.js';

export type FileFormat = 'csv' | 'json';
export type ItemData = Readonly<Record<string, unknown>>;

export const mostItems = 100_000;
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
  if (new Set(names).size < names.length)
    throw new Failure('invalid', 'the columns of the CSV file must have different names');
};

/** A row of a CSV file by the names of its first one. */
async function* csvRecords(texts: AsyncIterable<string>): AsyncIterable<ItemData> {
  let names: readonly string[] | undefined;
  let row = 1;
  for await (const cells of csvRows(texts)) {
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

async function* jsonRecords(texts: AsyncIterable<string>): AsyncIterable<ItemData> {
  for await (const record of jsonObjects(texts)) {
    if (Object.keys(record).length === 0)
      throw new Failure('invalid', 'an object of the JSON file has no members');
    yield record;
  }
}

/** Data of items as JSON text, some at a time. Rejects with `invalid` for a file that cannot be read, or holds too many. */
export async function* itemsOfFile(
  format: FileFormat,
  bytes: ByteStream,
): AsyncIterable<readonly string[]> {
  const records = (format === 'csv' ? csvRecords : jsonRecords)(textOf(bytes));
  let [some, size, all]: [string[], number, number] = [[], 0, 0];
  for await (const record of records) {
    if (++all > mostItems)
      throw new Failure('invalid', `a file may hold at most ${mostItems} items`);
    const data = JSON.stringify(record);
    some.push(data);
    size += data.length;
    if (some.length < itemsAtOnce && size < bytesAtOnce) continue;
    yield some;
    [some, size] = [[], 0];
  }
  if (some.length > 0) yield some;
}
