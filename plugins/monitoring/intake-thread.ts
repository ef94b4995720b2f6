// The thread beside: takes in what it is given, over the tables of the thread that started it.
import { hash, randomInt, randomUUID } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import type { TableCall } from './beside.js';
import type { Ingesting } from './ingesting.js';
import { liftItems, type LaidItems } from './laid-items.js';
import { layRows } from './laid-rows.js';
import { storeItems, type ItemStore } from './storing.js';
import { Line } from './thread-line.js';
import { takeFile, type Fields, type UploadOf } from './uploading.js';

/** How far it stands back behind the others. */
const niceness = 10;

type Work = (tables: PluginTables) => Promise<unknown>;

if (parentPort === null) throw new Error('this file is run as a thread');
// Who asks something is answered first. On Linux alone a thread has a priority of its own; elsewhere this would be that of the whole process.
if (process.platform === 'linux') setPriority(0, niceness);
const runs = new Map<number, Work>();
let lastRun = 0;

/** The time, as the other thread said it last. */
let now = 0;
let made = randomInt(2 ** 30);
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
/** A UUID of version 7 (RFC 9562): the time, how many were made before, and chance. */
const nextId = (): string => {
  made = (made + 1) % 2 ** 42;
  const time = hex(now, 12);
  const [high, middle, low] = [Math.floor(made / 2 ** 30), (made >>> 16) & 0x3fff, made & 0xffff];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(high, 3)}-${hex(0x8000 | middle, 4)}-${hex(low, 4)}${randomUUID().slice(-8)}`;
};
const ids = {
  next: nextId,
  digest: (text: string) => hash('sha256', text, 'hex'),
  key: () => randomUUID().replaceAll('-', ''),
};
const clock = { now: () => now };

const ask =
  (scope: number, name: TableCall) =>
  (...args: readonly unknown[]): Promise<never> =>
    line.call('tables', scope, name, args) as Promise<never>; // what that method gives

/** The same of many rows, or of their keys. */
const askRows =
  (scope: number, name: 'insertAll' | 'upsertAll' | 'findAll') =>
  (table: string, rows: readonly PluginRow[]): Promise<never> => {
    if (rows.length === 0 && name !== 'findAll') return Promise.resolve() as Promise<never>;
    const laid = rows.length === 0 ? undefined : layRows(rows);
    return laid === undefined
      ? ask(scope, name)(table, rows)
      : (line.call('rows', scope, name, table, laid) as Promise<never>); // as above
  };

/** The tables of the other thread, within one of its transactions, or outside of them as 0. */
const tablesOf = (scope: number): PluginTables => ({
  insert: ask(scope, 'insert'),
  insertAll: askRows(scope, 'insertAll'),
  upsert: ask(scope, 'upsert'),
  upsertAll: askRows(scope, 'upsertAll'),
  increment: ask(scope, 'increment'),
  find: ask(scope, 'find'),
  findAll: askRows(scope, 'findAll'),
  list: ask(scope, 'list'),
  remove: ask(scope, 'remove'),
  removeAll: ask(scope, 'removeAll'),
  removeKeys: ask(scope, 'removeKeys'),
  async transaction<T>(work: (tables: PluginTables) => Promise<T>): Promise<T> {
    const run = ++lastRun;
    runs.set(run, work);
    try {
      return (await line.call('transaction', scope, run)) as T; // what the work came to
    } finally {
      runs.delete(run);
    }
  },
});

const needs = { ids, clock, tables: tablesOf(0) };

const store: ItemStore = (...given) => storeItems(needs, ...given);

/** Rows that one statement of a file holds, and bytes of them: few, so that whoever asks meanwhile waits for little. */
const [pieceRows, pieceBytes] = [250, 64 * 1024] as const;

/** Rows in pieces, in their order. */
function* piecesOf(rows: readonly PluginRow[]): Generator<readonly PluginRow[]> {
  let [from, bytes] = [0, 0];
  for (const [at, row] of rows.entries()) {
    for (const cell of Object.values(row))
      if (cell instanceof Uint8Array || typeof cell === 'string') bytes += cell.length;
    if (at + 1 - from < pieceRows && bytes < pieceBytes) continue;
    yield rows.slice(from, at + 1);
    [from, bytes] = [at + 1, 0];
  }
  if (from < rows.length) yield rows.slice(from);
}

/** The tables within a transaction for what may take its time: before each piece others are answered. */
const inPieces = (inside: PluginTables): PluginTables => ({
  ...inside,
  async insertAll(table, rows) {
    for (const piece of piecesOf(rows)) {
      await line.call('giveWay');
      await inside.insertAll(table, piece);
    }
  },
  async upsertAll(table, rows) {
    for (const piece of piecesOf(rows)) {
      await line.call('giveWay');
      await inside.upsertAll(table, piece);
    }
  },
  async findAll(table, keys) {
    const found: PluginRow[] = [];
    for (const piece of piecesOf(keys)) {
      await line.call('giveWay');
      for (const row of await inside.findAll(table, piece)) found.push(row);
    }
    return found;
  },
});
/** The tables of a file, which rests between its transactions while others ask. */
const patiently = (tables: PluginTables, file: number): PluginTables => {
  let since = performance.now();
  return {
    ...tables,
    async transaction(work) {
      await line.call('rest', file, performance.now() - since);
      since = performance.now();
      await line.call('giveWay');
      return tables.transaction((inside) => work(inPieces(inside)));
    },
  };
};

async function* bytesOf(file: number): AsyncIterable<Uint8Array> {
  for (;;) {
    const bytes = (await line.call('next', file)) as Uint8Array | undefined; // of the file, until it ends
    if (bytes === undefined) return;
    yield bytes;
  }
}

const line: Line = new Line(parentPort, {
  store(at: number, ...[model, laid, told, dedupDays, expected]: readonly unknown[]) {
    now = at;
    return store(
      model as Parameters<ItemStore>[0],
      liftItems(laid as LaidItems),
      told as Parameters<ItemStore>[2],
      dedupDays as number,
      expected as Parameters<ItemStore>[4],
    );
  },
  takeFile(at: number, file: number, fields: Fields, of: UploadOf, dedupDays: number) {
    now = at;
    const own = { ...needs, tables: patiently(needs.tables, file) };
    const ingesting: Ingesting = {
      ...own,
      dedupDays,
      reach: (name) => line.call('reach', file, name) as ReturnType<Ingesting['reach']>, // as that one is asked there
      store: (...given) => storeItems(own, ...given),
    };
    return takeFile(ingesting, bytesOf(file), fields, of, (rows) => line.call('tell', file, rows));
  },
  run(run: number, scope: number, at: number) {
    now = at;
    return runs.get(run)?.(tablesOf(scope));
  },
});
