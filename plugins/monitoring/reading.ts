// Reads raw events: frames of a span of time, with what came later joined to each.
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { keyText, type MonitoringNeeds } from './needs.js';
import type { Batch } from './evaluating.js';
import type { Frame } from './frames.js';
import { mostNamed, readFrames } from './frame-reading.js';
import { fieldKey } from './models.js';
import type { Value, Values } from './items.js';
import { dayOf } from './profiles.js';
import { additionValues } from './storing.js';

export interface Span {
  /** Milliseconds since the epoch; `to` is not part of it. */
  readonly from: number;
  readonly to: number;
  readonly version?: string | undefined;
}

const framesAtOnce = 20;
const additionsAtOnce = 1000;

/** What came after an event, and when. */
interface Added {
  readonly values: Values;
  readonly at: number;
}

/** What came after the events of a day, by the key of the event. */
const additionsOf = async (
  tables: PluginTables,
  model: string,
  day: number,
): Promise<ReadonlyMap<string, Added>> => {
  const found = new Map<string, Added>();
  for (let after = ''; ;) {
    const rows = await tables.list(
      'additions',
      'key',
      { model_id: model, day },
      { limit: additionsAtOnce, after: { event: after } },
    );
    for (const row of rows)
      found.set(String(row['event']), { values: additionValues(row), at: Number(row['at']) });
    if (rows.length < additionsAtOnce) return found;
    after = String(rows.at(-1)?.['event']);
  }
};

/** What every event has. */
const ownColumns: Readonly<Record<string, (frame: Frame, row: number) => Value>> = {
  timestamp: (frame, row) => frame.at(row),
  model_version: (frame, row) => frame.version(row),
  prediction_id: (frame, row) => frame.predictionId(row),
};

/** The events of a frame that lie in the span, as a batch. */
const batchOf = (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  frame: Frame,
  added: ReadonlyMap<string, Added>,
  { from, to, version }: Span,
  wanted: ReadonlySet<string> | undefined,
): Batch => {
  const rows: number[] = [];
  for (let row = 0; row < frame.length; row++) {
    const at = frame.at(row);
    if (at >= from && at < to && (version === undefined || frame.version(row) === version))
      rows.push(row);
  }
  const isWhole = rows.length === frame.length;
  const place = (row: number): number => (isWhole ? row : (rows[row] ?? 0));
  const later =
    added.size === 0
      ? undefined
      : rows.map((row) => added.get(keyText(ids, frame.predictionId(row))));
  const own = (name: string): ((row: number) => Value | undefined) => {
    const ofFrame = Object.hasOwn(ownColumns, name) ? ownColumns[name] : undefined;
    if (ofFrame !== undefined) return (row) => ofFrame(frame, place(row));
    if (wanted?.has(name) === false) throw new Error(`${name} is read and was not asked for`);
    const column = frame.column(name);
    return isWhole ? column : (row) => column(place(row));
  };
  return {
    length: rows.length,
    at: (row) => frame.at(place(row)),
    column(name) {
      const read = own(name);
      return later === undefined ? read : (row) => read(row) ?? later[row]?.values.get(name);
    },
    addedAt: (row) => later?.[row]?.at,
  };
};

/** The events of a model in a span of time, in batches, day by day, with these columns, or all of them. Stops when the signal aborts. */
export async function* readEvents(
  { tables, ids }: Pick<MonitoringNeeds, 'tables' | 'ids'>,
  model: string,
  span: Span,
  signal: AbortSignal,
  columns?: Iterable<string>,
): AsyncIterable<Batch> {
  const wanted = columns === undefined ? undefined : new Set(columns);
  const fields =
    wanted &&
    [...wanted]
      .filter((column) => !Object.hasOwn(ownColumns, column))
      .map((column) => fieldKey({ ids }, column));
  // Frames with all of their fields may be large.
  const together = fields === undefined || fields.length > mostNamed ? 1 : framesAtOnce;
  let after: PluginRow = { day: dayOf(span.from) - 1, frame: '~' };
  let [day, added]: [number, ReadonlyMap<string, Added>] = [NaN, new Map()];
  for (;;) {
    signal.throwIfAborted();
    const rows = await tables.list(
      'frames',
      'key',
      { model_id: model },
      { limit: framesAtOnce, after, until: { day: dayOf(span.to - 1) } },
    );
    const within = rows.filter(
      (row) => Number(row['last_at']) >= span.from && Number(row['first_at']) < span.to,
    );
    for (let at = 0; at < within.length; at += together)
      for (const [row, frame] of await readFrames(
        tables,
        within.slice(at, at + together),
        fields,
      )) {
        if (Number(row['day']) !== day) {
          day = Number(row['day']);
          added = await additionsOf(tables, model, day);
        }
        yield batchOf({ ids }, frame, added, span, wanted);
      }
    const last = rows.at(-1);
    if (last === undefined || rows.length < framesAtOnce) return;
    after = { day: Number(last['day']), frame: String(last['frame']) };
  }
}
