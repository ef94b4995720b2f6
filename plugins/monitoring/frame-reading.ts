// Frames as they are stored: a row of times, versions and ids, and a row for each field, of which those are read that are asked for.
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { unpackFrame, type Frame } from './frames.js';

/** An event has at most 2,000 fields, and a frame those of all of its events. */
const columnsAtOnce = 1000;
/** Where more fields than these are asked for, most of which a frame may not have, all that it has are read. */
export const mostNamed = 200;

type Key = Readonly<Record<'model_id' | 'day' | 'frame', string | number>>;

const keyOf = (row: PluginRow): Key => ({
  model_id: String(row['model_id']),
  day: Number(row['day']),
  frame: String(row['frame']),
});
const bytesOf = ({ content }: PluginRow): readonly Uint8Array[] =>
  content instanceof Uint8Array ? [content] : [];

const allColumns = async (tables: PluginTables, key: Key): Promise<readonly PluginRow[]> => {
  const found: PluginRow[] = [];
  for (let after = ''; ;) {
    const rows = await tables.list('frame_columns', 'key', key, {
      limit: columnsAtOnce,
      after: { field: after },
    });
    found.push(...rows);
    if (rows.length < columnsAtOnce) return found;
    after = String(rows.at(-1)?.['field']);
  }
};

/** Rows of `frames` with their frames, with at least the columns of these field keys; with all that they have where none are named. */
export const readFrames = async (
  tables: PluginTables,
  rows: readonly PluginRow[],
  fields?: readonly string[],
): Promise<readonly (readonly [row: PluginRow, frame: Frame])[]> => {
  const keys = rows.map(keyOf);
  const columns: PluginRow[] = [];
  if (fields === undefined || fields.length > mostNamed)
    for (const key of keys) columns.push(...(await allColumns(tables, key)));
  else if (fields.length > 0)
    columns.push(
      ...(await tables.findAll(
        'frame_columns',
        keys.flatMap((key) => fields.map((field) => ({ ...key, field }))),
      )),
    );
  const byFrame = new Map<string, Uint8Array[]>();
  for (const row of columns) {
    const name = JSON.stringify(keyOf(row));
    const held = byFrame.get(name);
    if (held === undefined) byFrame.set(name, [...bytesOf(row)]);
    else held.push(...bytesOf(row));
  }
  return rows.flatMap((row) =>
    bytesOf(row).map(
      (head) => [row, unpackFrame(head, byFrame.get(JSON.stringify(keyOf(row))) ?? [])] as const,
    ),
  );
};

/** The frame of a key with all of its columns. */
export const findFrame = async (
  tables: PluginTables,
  key: PluginRow,
): Promise<Frame | undefined> => {
  const row = await tables.find('frames', key);
  return row === undefined ? undefined : (await readFrames(tables, [row]))[0]?.[1];
};
