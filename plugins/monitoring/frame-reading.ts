// Frames as they are stored: a row of times and versions, and a row for the ids and for each field, of which those are read that are asked for.
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { unpackFrame, type Frame } from './frames.js';

/** An event has at most 2,000 fields, and a frame those of all of its events. */
const columnsAtOnce = 1000;
/** What a frame is told by, without what it holds. */
export const frameColumns = [
  'model_id',
  'day',
  'frame',
  'events',
  'first_at',
  'last_at',
  'replaced_at',
] as const;
/** Where more fields than these are asked for, most of which a frame may not have, all that it has are read. */
export const mostNamed = 200;
/** The field under which the ids of a frame are kept; no key of a field is this. */
export const idsField = 'ids';

type Key = Readonly<Record<'model_id' | 'day' | 'frame', string | number>>;
/** Where a list of frames begins, behind that place. */
export type Place = Readonly<Record<'day' | 'frame', string | number>>;

const keyOf = (row: PluginRow): Key => ({
  model_id: String(row['model_id']),
  day: Number(row['day']),
  frame: String(row['frame']),
});
export const placeOf = (row: PluginRow): Place => ({
  day: Number(row['day']),
  frame: String(row['frame']),
});
const bytesOf = ({ content }: PluginRow): Uint8Array | undefined =>
  content instanceof Uint8Array ? content : undefined;

const allColumns = async (tables: PluginTables, key: Key): Promise<readonly PluginRow[]> => {
  const found: PluginRow[] = [];
  for (let after = ''; ;) {
    const rows = await tables.list('columns', 'by_frame', key, {
      limit: columnsAtOnce,
      after: { field: after },
    });
    found.push(...rows);
    if (rows.length < columnsAtOnce) return found;
    after = String(rows.at(-1)?.['field']);
  }
};

/** Columns of one frame, and its ids. */
interface Held {
  readonly columns: Uint8Array[];
  ids: Uint8Array | undefined;
}

export interface Wanted {
  /** Keys of the fields that are asked for; all of them where left out. */
  readonly fields: readonly string[] | undefined;
  readonly ids: boolean;
}

const rowsAtOnce = 500;

/** Everything that a list gives between two places. */
const listBetween = async (
  tables: PluginTables,
  table: string,
  equals: PluginRow,
  begin: Place,
  until: Place,
): Promise<readonly PluginRow[]> => {
  const found: PluginRow[] = [];
  for (let after = begin; ;) {
    const rows = await tables.list(table, 'key', equals, { limit: rowsAtOnce, after, until });
    found.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return found;
    after = placeOf(last);
  }
};

const nameOf = (row: PluginRow): string => `${String(row['day'])} ${String(row['frame'])}`;

/** The frames of these rows, which lie next to each other behind a place, with at least what is wanted. */
export const readFrames = async (
  tables: PluginTables,
  rows: readonly PluginRow[],
  after: Place,
  { fields: named, ids }: Wanted,
): Promise<readonly (readonly [row: PluginRow, frame: Frame])[]> => {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const fields = named !== undefined && named.length > mostNamed ? undefined : named;
  const of = { model_id: String(first['model_id']) };
  const between = (table: string, equals: PluginRow) =>
    listBetween(tables, table, equals, after, placeOf(last));
  const asked = new Map(rows.map((row) => [nameOf(row), row]));
  // Others may have come in between, made of those that were listed.
  const heads = (await between('frames', of)).filter((row) => asked.has(nameOf(row)));
  const held = new Map<string, Held>();
  const add = (row: PluginRow): void => {
    const content = bytesOf(row);
    if (content === undefined) return;
    const found = held.get(nameOf(row)) ?? { columns: [], ids: undefined };
    held.set(nameOf(row), found);
    if (row['field'] === idsField) found.ids = content;
    else found.columns.push(content);
  };
  const wanted = [...(fields ?? []), ...(ids && fields !== undefined ? [idsField] : [])];
  for (const field of new Set(wanted))
    for (const row of await between('columns', { ...of, field })) add(row);
  if (fields === undefined)
    for (const row of heads) for (const column of await allColumns(tables, keyOf(row))) add(column);
  return heads.flatMap((row) => {
    const head = bytesOf(row);
    const found = held.get(nameOf(row));
    return head === undefined
      ? []
      : [[row, unpackFrame(head, found?.columns ?? [], found?.ids)] as const];
  });
};

/** Behind every frame of the days before. */
export const before = (day: number): Place => ({ day: day - 1, frame: '~' });

/** The frame of a key with all of its columns. */
export const findFrame = async (tables: PluginTables, key: Key): Promise<Frame | undefined> => {
  const row = await tables.find('frames', key);
  const head = row && bytesOf(row);
  if (head === undefined) return undefined;
  const columns = await allColumns(tables, key);
  const bytes = (wanted: boolean) =>
    columns
      .filter(({ field }) => (field === idsField) === wanted)
      .flatMap((one) => bytesOf(one) ?? []);
  return unpackFrame(head, bytes(false), bytes(true)[0]);
};

/** The frame of a day that holds a prediction, where the one that it was stored in went into a larger one. */
export const findFrameWith = async (
  tables: PluginTables,
  model: string,
  day: number,
  predictionId: string,
): Promise<Frame | undefined> => {
  const of = { model_id: model };
  for (let after = before(day); ;) {
    const listing = { limit: 1, after, until: { day } };
    const [row] = await tables.list('frames', 'key', of, { ...listing, columns: frameColumns });
    if (row === undefined) return undefined;
    for (const [, frame] of await readFrames(tables, [row], after, { fields: [], ids: true }))
      for (let at = 0; at < frame.length; at++)
        if (frame.predictionId(at) === predictionId) return findFrame(tables, keyOf(row));
    after = placeOf(row);
  }
};
