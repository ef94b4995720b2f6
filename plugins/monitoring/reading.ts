// Reads raw events: frames of a span of time, with what came later joined to each.
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { additionValues } from './additions.js';
import { keyText, type MonitoringNeeds } from './needs.js';
import type { Batch } from './evaluating.js';
import type { Frame, Vector } from './frames.js';
import {
  before,
  frameColumns,
  mostNamed,
  placeOf,
  readFrames,
  type Place,
} from './frame-reading.js';
import { fieldKey } from './models.js';
import type { Value } from './items.js';
import { dayOf } from './profiles.js';

export interface Span {
  /** Milliseconds since the epoch; `to` is not part of it. */
  readonly from: number;
  readonly to: number;
  readonly version?: string | undefined;
}

/** All frames of a day are listed at once, since one that is listed later may hold the events of one that was listed before. */
const framesListed = 10_000;
/** Values that are read at once. */
const mostValues = 400_000;
const additionsAtOnce = 1000;

/** What came after the events of a day, by the key of the event: when, and the values of each column that is read. */
interface AddedOn {
  readonly times: ReadonlyMap<string, number>;
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, Value>>;
}
const noneAdded: AddedOn = { times: new Map(), columns: new Map() };

/** What came after the events of days, which are asked for one after another. */
class Additions {
  /** No day before this one has any; `undefined` where that was not looked up. */
  #next: number | undefined;
  #last: { readonly day: number; readonly added: AddedOn } | undefined;

  constructor(
    readonly tables: PluginTables,
    readonly model: string,
    /** Columns that are read; all of them where left out. A day may have had a label for each of a million events. */
    readonly wanted: ReadonlySet<string> | undefined,
  ) {}

  async of(day: number): Promise<AddedOn> {
    if (this.#next === undefined || this.#next < day) this.#next = await this.#findNext(day);
    if (this.#next > day) return noneAdded;
    if (this.#last?.day !== day) this.#last = { day, added: await this.#read(day) };
    return this.#last.added;
  }

  async #findNext(day: number): Promise<number> {
    const [row] = await this.tables.list(
      'additions',
      'key',
      { model_id: this.model },
      { limit: 1, after: { day: day - 1, event: '~' }, columns: ['day'] },
    );
    return row === undefined ? Infinity : Number(row['day']);
  }

  async #read(day: number): Promise<AddedOn> {
    const times = new Map<string, number>();
    const columns = new Map<string, Map<string, Value>>();
    for (let after = ''; ;) {
      const rows = await this.tables.list(
        'additions',
        'key',
        { model_id: this.model, day },
        { limit: additionsAtOnce, after: { event: after } },
      );
      for (const row of rows) {
        const event = String(row['event']);
        for (const [column, value] of additionValues(row)) {
          if (this.wanted?.has(column) === false) continue;
          const held = columns.get(column) ?? new Map<string, Value>();
          columns.set(column, held);
          held.set(event, value);
          times.set(event, Number(row['at']));
        }
      }
      if (rows.length < additionsAtOnce) return { times, columns };
      after = String(rows.at(-1)?.['event']);
    }
  }
}

/** What every event has. */
const ownColumns: Readonly<Record<string, (frame: Frame, row: number) => Value>> = {
  timestamp: (frame, row) => frame.at(row),
  model_version: (frame, row) => frame.version(row),
  prediction_id: (frame, row) => frame.predictionId(row),
};

/** The events of a frame that lie in the span, by their rows; `undefined` where all of them do. */
const rowsWithin = (
  frame: Frame,
  row: PluginRow,
  { from, to, version }: Span,
): readonly number[] | undefined => {
  const isWithin = Number(row['first_at']) >= from && Number(row['last_at']) < to;
  if (isWithin && version === undefined) return undefined;
  const rows: number[] = [];
  for (let at = 0; at < frame.length; at++) {
    const time = frame.at(at);
    if (time >= from && time < to && (version === undefined || frame.version(at) === version))
      rows.push(at);
  }
  return rows.length === frame.length ? undefined : rows;
};

/** The events of a frame that lie in the span, as a batch. */
const batchOf = (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  [stored, frame]: readonly [PluginRow, Frame],
  added: AddedOn,
  span: Span,
  wanted: ReadonlySet<string> | undefined,
): Batch => {
  const rows = rowsWithin(frame, stored, span);
  const length = rows?.length ?? frame.length;
  const place = (row: number): number => (rows === undefined ? row : (rows[row] ?? 0));
  let keys: readonly string[] | undefined;
  const keyAt = (row: number): string => {
    keys ??= Array.from({ length }, (_, at) => keyText(ids, frame.predictionId(place(at))));
    return keys[row] ?? '';
  };
  const requireWanted = (name: string): void => {
    if (wanted?.has(name) === false) throw new Error(`${name} is read and was not asked for`);
  };
  const own = (name: string): ((row: number) => Value | undefined) => {
    const ofFrame = Object.hasOwn(ownColumns, name) ? ownColumns[name] : undefined;
    if (ofFrame !== undefined) return (row) => ofFrame(frame, place(row));
    requireWanted(name);
    const column = frame.column(name);
    return rows === undefined ? column : (row) => column(place(row));
  };
  const vectorOf = (name: string): Vector | undefined => {
    if (name === 'timestamp') return { numbers: frame.times(), places: undefined, texts: [] };
    if (name === 'model_version') return frame.versions();
    if (name === 'prediction_id') return undefined;
    requireWanted(name);
    return frame.vector(name);
  };
  return {
    length,
    ends: rows === undefined ? [Number(stored['first_at']), Number(stored['last_at'])] : undefined,
    at: (row) => frame.at(place(row)),
    column(name) {
      const read = own(name);
      // A label that came later takes the place of the one in the event, where it is here at all.
      const later = added.columns.get(name);
      return later === undefined ? read : (row) => later.get(keyAt(row)) ?? read(row);
    },
    vector: (name) => (rows === undefined && !added.columns.has(name) ? vectorOf(name) : undefined),
    addedAt: (row) => (added.times.size === 0 ? undefined : added.times.get(keyAt(row))),
  };
};

/** Rows of frames in portions that are read at once, each with the place behind which it begins. */
function* portionsOf(
  rows: readonly PluginRow[],
  begin: Place,
  columns: number,
): Generator<readonly [rows: readonly PluginRow[], after: Place]> {
  let [portion, values, after]: [PluginRow[], number, Place] = [[], 0, begin];
  for (const row of rows) {
    const own = Number(row['events']) * columns;
    if (portion.length > 0 && values + own > mostValues) {
      yield [portion, after];
      after = placeOf(portion.at(-1) ?? row);
      [portion, values] = [[], 0];
    }
    portion.push(row);
    values += own;
  }
  if (portion.length > 0) yield [portion, after];
}

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
  const perEvent = fields === undefined || fields.length > mostNamed ? Infinity : fields.length + 2;
  const additions = new Additions(tables, model, wanted);
  const isWithin = (row: PluginRow): boolean =>
    row['replaced_at'] === null &&
    Number(row['last_at']) >= span.from &&
    Number(row['first_at']) < span.to;
  const read = async (rows: readonly PluginRow[], after: Place): Promise<readonly Batch[]> => {
    signal.throwIfAborted();
    const days = new Map<unknown, AddedOn>();
    for (const { day } of rows) if (!days.has(day)) days.set(day, await additions.of(Number(day)));
    // What came after an event is found by its id.
    const withIds =
      wanted?.has('prediction_id') !== false ||
      [...days.values()].some(({ times }) => times.size > 0);
    const frames = await readFrames(tables, rows.filter(isWithin), after, { fields, ids: withIds });
    return frames.map((one) =>
      batchOf({ ids }, one, days.get(one[0]['day']) ?? noneAdded, span, wanted),
    );
  };
  for (let after = before(dayOf(span.from)); ;) {
    signal.throwIfAborted();
    const found = await tables.list(
      'frames',
      'key',
      { model_id: model },
      {
        ...{ limit: framesListed, after, until: { day: dayOf(span.to - 1) } },
        columns: frameColumns,
      },
    );
    const isFull = found.length === framesListed;
    const lastDay = found.at(-1)?.['day'];
    // A day that goes on behind the list is listed anew, unless it fills all of it.
    const whole = found.filter(({ day }) => day !== lastDay);
    const listed = isFull && whole.length > 0 ? whole : found;
    const portions = [...portionsOf(listed, after, perEvent)].filter(([rows]) =>
      rows.some(isWithin),
    );
    // The next portion is read while this one is gone through.
    let next: Promise<readonly Batch[]> | undefined;
    for (const [at, portion] of portions.entries()) {
      const batches = await (next ?? read(...portion));
      const following = portions[at + 1];
      next = following && read(...following);
      next?.catch(() => undefined); // told when it is waited for
      yield* batches;
    }
    const last = listed.at(-1);
    if (last === undefined || !isFull) return;
    after = placeOf(last);
  }
}
