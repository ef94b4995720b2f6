// Takes events away: those of one prediction, or those that pass a filter, with everything that is kept of them. Sums of their days are made anew.
import { Failure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { pendingDay } from './additions.js';
import { compileFilter, columnsOf as columnsRead } from './evaluating.js';
import { forgetFaultsOf } from './faults.js';
import { before, findFrame, frameColumns, idsField } from './frame-reading.js';
import { columnsOf, packFrame, unpackFrame, type Frame, type FramedEvent } from './frames.js';
import type { Value } from './items.js';
import { parseFilter, type Node } from './language.js';
import { fieldKey, fieldsOf, lockModel, type MonitoredModel } from './models.js';
import { dayMs, keyText, type MonitoringNeeds } from './needs.js';
import { packProfiles, type Profile } from './profile-packing.js';
import {
  dayOf,
  eventsField,
  isSentPiece,
  joinProfiles,
  lastOwnPiece,
  Places,
  readDayPieces,
  type Place,
} from './profiles.js';
import { columnsFor } from './queries.js';
import { readEvents } from './reading.js';
import { bucketsOf } from './series.js';
import { sketchOf } from './sketches.js';
import { removeEvery } from './removing.js';
import { Turns } from './turns.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

export interface AskedDeletion {
  readonly predictionId?: string | undefined;
  readonly filter?: string | undefined;
  readonly version?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Which events are meant. */
interface Meant {
  readonly predictionId: string | undefined;
  readonly filter: Node | undefined;
  readonly version: string | undefined;
  readonly from: number;
  readonly to: number;
}

const framesAtOnce = 1000;

const meantBy = (asked: AskedDeletion, model: MonitoredModel, now: number): Meant => {
  const { predictionId, filter, version, from, to } = asked;
  if (predictionId === undefined && (filter === undefined || filter.trim() === ''))
    throw new Failure('invalid', 'predictionId or filter must say which events are to be deleted');
  const span = {
    from: from ?? new Date(now - (model.rawDays + 1) * dayMs).toISOString(),
    to: to ?? new Date(now + 2 * dayMs).toISOString(),
  };
  const { from: begin, to: end } = bucketsOf(span, now);
  return {
    ...{ predictionId, version, from: begin, to: end },
    filter: filter === undefined || filter.trim() === '' ? undefined : parseFilter(filter),
  };
};

/** An event by its time and its id: an id may stand twice, far apart. */
const named = (at: number, predictionId: string): string => `${at} ${predictionId}`;

/** Events that are looked for at once: more are taken away in several rounds. */
const mostMeant = 50_000;

/** Events of a day that are meant, by what names them: all, or as many as are looked for at once. */
const meantIn = async (
  needs: Pick<Needs, 'tables' | 'ids'>,
  model: string,
  day: number,
  meant: Meant,
  columns: ReturnType<typeof columnsFor>,
  signal: AbortSignal,
  atOnce: number,
): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  const test = meant.filter && compileFilter(meant.filter, columns);
  const reads = ['prediction_id', ...columnsRead(meant.filter, columns)];
  const span = {
    from: Math.max(meant.from, day * dayMs),
    to: Math.min(meant.to, (day + 1) * dayMs),
    version: meant.version,
  };
  const turns = new Turns(signal);
  for await (const batch of readEvents(needs, model, span, signal, reads)) {
    await turns.offer();
    const passes = test?.(batch) ?? (() => true);
    const idOf = batch.column('prediction_id');
    for (let row = 0; row < batch.length; row++) {
      const id = String(idOf(row) ?? '');
      if (meant.predictionId !== undefined && id !== meant.predictionId) continue;
      if (passes(row)) found.set(named(batch.at(row), id), id);
    }
    if (found.size >= atOnce) break;
  }
  return found;
};

const eventsLeft = (frame: Frame, gone: ReadonlyMap<string, string>): readonly FramedEvent[] => {
  const readers = frame.names.map((name) => [name, frame.column(name)] as const);
  const left: FramedEvent[] = [];
  for (let row = 0; row < frame.length; row++) {
    if (gone.has(named(frame.at(row), frame.predictionId(row)))) continue;
    const values = new Map<string, Value>();
    for (const [name, read] of readers) {
      const value = read(row);
      if (value !== undefined) values.set(name, value);
    }
    left.push({
      ...{ at: frame.at(row), modelVersion: frame.version(row) },
      ...{ predictionId: frame.predictionId(row), values },
    });
  }
  return left;
};

/** The frames of a day, those too whose events went into others and that only stay for who reads them. */
const framesOn = async (
  tables: PluginTables,
  model: string,
  day: number,
): Promise<readonly PluginRow[]> => {
  const found: PluginRow[] = [];
  for (let after: PluginRow = before(day); ;) {
    const rows = await tables.list(
      'frames',
      'key',
      { model_id: model },
      { limit: framesAtOnce, after, until: { day }, columns: frameColumns },
    );
    found.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < framesAtOnce) return found;
    after = { day: last['day'] ?? 0, frame: last['frame'] ?? '' };
  }
};

/** Which of these events a frame holds. */
const heldIn = async (
  tables: PluginTables,
  key: PluginRow,
  gone: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> => {
  const [head, ids] = await Promise.all([
    tables.find('frames', key),
    tables.find('columns', { ...key, field: idsField }),
  ]);
  const [content, packed] = [head?.['content'], ids?.['content']];
  const held = new Map<string, string>();
  if (!(content instanceof Uint8Array && packed instanceof Uint8Array)) return held;
  const frame = unpackFrame(content, [], packed);
  for (let row = 0; row < frame.length; row++) {
    const id = frame.predictionId(row);
    const name = named(frame.at(row), id);
    if (gone.has(name)) held.set(name, id);
  }
  return held;
};

/** Writes a frame anew without these events, and says how many it had of them. Who reads it at that moment misses its other events too. */
const rewriteFrame = async (
  { ids }: Pick<Needs, 'ids'>,
  inside: PluginTables,
  key: { readonly model_id: string; readonly day: number; readonly frame: string },
  gone: ReadonlyMap<string, string>,
): Promise<number> => {
  const [row, frame] = [await inside.find('frames', key), await findFrame(inside, key)];
  if (row === undefined || frame === undefined) return 0;
  const left = eventsLeft(frame, gone);
  await removeEvery(inside, 'columns', 'by_frame', key);
  await inside.remove('frames', key);
  // What went into another one already is in that.
  if (row['replaced_at'] !== null) return 0;
  if (left.length === 0) return frame.length;
  const own = { ...key, frame: ids.next() };
  const packed = await packFrame(left, await columnsOf(left));
  await inside.insert('frames', {
    ...own,
    events: left.length,
    first_at: left[0]?.at ?? 0,
    last_at: left.at(-1)?.at ?? 0,
    content: packed.head,
  });
  await inside.insertAll('columns', [
    { ...own, field: idsField, content: packed.ids },
    ...[...packed.columns].map(([column, content]) => ({
      ...{ ...own, field: fieldKey({ ids }, column), content },
    })),
  ]);
  return frame.length - left.length;
};

/** Removes what tells where events are, and what came after them. */
const forgetEvents = async (
  { ids }: Pick<Needs, 'ids'>,
  inside: PluginTables,
  model: string,
  day: number,
  gone: ReadonlyMap<string, string>,
): Promise<void> => {
  const byKey = new Map([...gone.values()].map((id) => [keyText(ids, id), id]));
  const keys = [...byKey.keys()].map((event) => ({ model_id: model, event }));
  const known = await inside.findAll('events', keys);
  await inside.removeKeys(
    'events',
    known
      // An id that stands twice is known by its last event, which may be another one.
      .filter(({ at, event }) => gone.has(named(Number(at), byKey.get(String(event)) ?? '')))
      .map(({ event = '' }) => ({ model_id: model, event })),
  );
  await inside.removeKeys(
    'additions',
    keys.map((key) => ({ ...key, day })),
  );
  const [change] = await inside.list('label_changes', 'key', { model_id: model }, { limit: 1 });
  if (change === undefined) return;
  for (const key of keys) await removeEvery(inside, 'label_changes', 'key', key);
};

/**
 * Takes events of a day away, frame by frame: each in a transaction of its own, so that batches of the model are stored in between. What they leave is noted with
 * the first of them, so that the sums are made anew even where this is broken off.
 */
const takeFrom = async (
  { tables, ids }: Pick<Needs, 'tables' | 'ids'>,
  model: string,
  day: number,
  gone: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<number> => {
  const seen = new Set<string>();
  let deleted = 0;
  for (;;) {
    // Frames that were merged meanwhile are in one that was not there before.
    const frames = (await framesOn(tables, model, day)).filter(
      ({ frame }) => !seen.has(String(frame)),
    );
    if (frames.length === 0) return deleted;
    for (const { frame } of frames) {
      signal.throwIfAborted();
      const key = { model_id: model, day, frame: String(frame) };
      seen.add(key.frame);
      const held = await heldIn(tables, key, gone);
      if (held.size === 0) continue;
      deleted += await tables.transaction(async (inside) => {
        await lockModel(inside, model);
        await inside.upsert('unsummed', { model_id: model, day, mark: ids.next() });
        await forgetEvents({ ids }, inside, model, day, held);
        return rewriteFrame({ ids }, inside, key, held);
      });
    }
  }
};

/** Makes the sums of a field in a day anew from the events that are left; `counts` says how many those are in each hour and version. */
const sumField = async (
  needs: Pick<Needs, 'ids'>,
  inside: PluginTables,
  model: string,
  day: number,
  column: string,
  counts: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<void> => {
  const field = fieldKey(needs, column);
  const span = { from: day * dayMs, to: (day + 1) * dayMs };
  const was: (readonly Profile[])[] = [];
  for await (const { piece, profiles } of readDayPieces(inside, model, field, span))
    if (!isSentPiece(piece)) was.push(profiles);
  const old = joinProfiles(was.flat());
  if (old.length === 0) return;
  const places = new Places();
  const values = new Map<Place, Value[]>();
  for await (const batch of readEvents({ tables: inside, ids: needs.ids }, model, span, signal, [
    column,
  ])) {
    const [read, versionOf] = [batch.column(column), batch.column('model_version')];
    for (let row = 0; row < batch.length; row++) {
      const value = read(row);
      if (value === undefined) continue;
      const place = places.of(batch.at(row), String(versionOf(row) ?? ''));
      const held = values.get(place);
      if (held === undefined) values.set(place, [value]);
      else held.push(value);
    }
  }
  const isLabel = column.startsWith('label_');
  const found = new Map([...values].map(([place, held]) => [placeName(place), held]));
  const profiles = old.flatMap(({ hour, version, sketch }): readonly Profile[] => {
    const held = found.get(placeName({ hour, version })) ?? [];
    const left = counts.get(placeName({ hour, version })) ?? 0;
    // Events that were never to have a value of the field do not miss it now.
    const events = isLabel ? held.length : Math.max(held.length, Math.min(left, sketch.events));
    return events === 0 ? [] : [{ hour, version, sketch: sketchOf(held, events) }];
  });
  await replaceSums(needs, inside, { model_id: model, field, day }, profiles);
};

const placeName = ({ hour, version }: Place): string => `${hour} ${version}`;

/** Puts these sums in the place of those that were made here. What a client sent stays. */
const replaceSums = async (
  { ids }: Pick<Needs, 'ids'>,
  inside: PluginTables,
  of: PluginRow,
  profiles: readonly Profile[],
): Promise<void> => {
  await removeEvery(inside, 'profiles', 'key', of, lastOwnPiece);
  if (profiles.length === 0) return;
  await inside.insert('profiles', { ...of, piece: ids.next(), content: packProfiles(profiles) });
};

/** How many events a day has in each hour and version. */
const countDay = async (
  needs: Pick<Needs, 'tables' | 'ids'>,
  model: string,
  day: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<Place, number>> => {
  const places = new Places();
  const counts = new Map<Place, number>();
  const span = { from: day * dayMs, to: (day + 1) * dayMs };
  for await (const batch of readEvents(needs, model, span, signal, [])) {
    const versionOf = batch.column('model_version');
    for (let row = 0; row < batch.length; row++) {
      const place = places.of(batch.at(row), String(versionOf(row) ?? ''));
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
  }
  return counts;
};

/**
 * Makes all sums of a day anew, field by field: each in a transaction of its own, so that batches of the model are stored in between. Sums of days whose events are not
 * kept any more stay, as nothing could be summed up.
 */
const sumDay = async (
  { tables, ids, clock }: Needs,
  model: string,
  day: number,
  signal: AbortSignal,
): Promise<void> => {
  interface Counted {
    readonly changes: number;
    readonly counts: ReadonlyMap<Place, number>;
  }
  let counted: Counted | undefined;
  const each = async (
    work: (inside: PluginTables, counts: Counted['counts']) => Promise<void>,
  ): Promise<void> => {
    signal.throwIfAborted();
    const before = counted;
    counted = await tables.transaction(async (inside) => {
      const { changes, profileOnly, rawDays } = await lockModel(inside, model);
      if (profileOnly || day < dayOf(clock.now()) - rawDays) return undefined;
      const within = { tables: inside, ids };
      // Where nobody else changed anything they are as they were.
      const counts =
        before?.changes === changes - 1
          ? before.counts
          : await countDay(within, model, day, signal);
      await work(inside, counts);
      return { changes, counts };
    });
  };
  await each((inside, counts) =>
    replaceSums(
      { ids },
      inside,
      { model_id: model, field: eventsField, day },
      [...counts].map(([place, n]) => ({
        ...place,
        sketch: sketchOf(new Array<number>(n).fill(1)),
      })),
    ),
  );
  for (const column of (await fieldsOf(tables, model)).keys())
    await each((inside, counts) => {
      const left = new Map([...counts].map(([place, n]) => [placeName(place), n]));
      return sumField({ ids }, inside, model, day, column, left, signal);
    });
};

/** Makes the sums of days anew of which events were taken away. */
export const sumUnsummed = async (
  needs: Needs,
  model: string,
  signal: AbortSignal,
): Promise<void> => {
  const { tables } = needs;
  for (;;) {
    const [first] = await tables.list('unsummed', 'key', { model_id: model }, { limit: 1 });
    if (first === undefined) return;
    const day = Number(first['day']);
    // Notes that come meanwhile stay.
    const notes = await tables.list('unsummed', 'key', { model_id: model, day }, { limit: 1000 });
    await sumDay(needs, model, day, signal);
    await tables.removeKeys(
      'unsummed',
      notes.map(({ mark = '' }) => ({ model_id: model, day, mark })),
    );
  }
};

/**
 * Deletes the events that are meant, day by day, and says how many those were. None of them is there any more when it answers; where it is broken off, those that were
 * not reached stay, and what is summed up of the others follows by itself. An id that is deleted counts as new when it
 * comes again. Rejects with `invalid` where nothing says which events, and of models that keep no single events.
 */
export const deleteEvents = async (
  needs: Needs,
  model: MonitoredModel,
  asked: AskedDeletion,
  signal: AbortSignal,
  atOnce = mostMeant,
): Promise<{ readonly deleted: number; readonly days: number }> => {
  if (model.profileOnly)
    throw new Failure('invalid', 'of a model with profileOnly no single event is kept or deleted');
  const { tables, ids } = needs;
  const meant = meantBy(asked, model, needs.clock.now());
  const columns = columnsFor(await fieldsOf(tables, model.id));
  const sums = { deleted: 0, days: 0 };
  const days = new Set<number>();
  const span = { after: before(dayOf(meant.from)), until: { day: dayOf(meant.to - 1) } };
  for (let after: PluginRow = span.after; ;) {
    const rows = await tables.list(
      'frames',
      'key',
      { model_id: model.id },
      { limit: framesAtOnce, after, until: span.until, columns: ['day', 'frame'] },
    );
    for (const { day } of rows) days.add(Number(day));
    const last = rows.at(-1);
    if (last === undefined || rows.length < framesAtOnce) break;
    after = { day: last['day'] ?? 0, frame: last['frame'] ?? '' };
  }
  for (const day of days) {
    let ofDay = 0;
    for (let isMore = true; isMore;) {
      signal.throwIfAborted();
      const gone = await meantIn(needs, model.id, day, meant, columns, signal, atOnce);
      if (gone.size === 0) break;
      await forgetFaultsOf(tables, model.id, new Set(gone.values()));
      const deleted = await takeFrom(needs, model.id, day, gone, signal);
      ofDay += deleted;
      // Somebody else may have deleted the same ones.
      isMore = deleted > 0 && gone.size >= atOnce;
    }
    sums.deleted += ofDay;
    if (ofDay > 0) sums.days++;
  }
  await sumUnsummed(needs, model.id, signal);
  if (meant.predictionId !== undefined) {
    const event = keyText(ids, meant.predictionId);
    await tables.remove('additions', { model_id: model.id, day: pendingDay, event });
    await forgetFaultsOf(tables, model.id, new Set([meant.predictionId]));
  }
  return sums;
};
