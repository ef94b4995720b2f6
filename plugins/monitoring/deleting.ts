// Takes events away: those of one prediction, or those that pass a filter, with everything that is kept of them. Sums of their days are made anew.
import { Failure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { pendingDay } from './additions.js';
import { compileFilter, columnsOf as columnsRead } from './evaluating.js';
import { forgetFaultsOf } from './faults.js';
import { before, findFrame, frameColumns, idsField } from './frame-reading.js';
import { columnsOf, packFrame, type Frame, type FramedEvent } from './frames.js';
import type { Value } from './items.js';
import { parseFilter, type Node } from './language.js';
import { fieldKey, fieldsOf, lockModel, type MonitoredModel } from './models.js';
import { dayMs, keyText, type MonitoringNeeds } from './needs.js';
import { packProfiles, type Profile } from './profile-packing.js';
import { dayOf, eventsField, joinProfiles, Places, readProfiles, type Place } from './profiles.js';
import { columnsFor } from './queries.js';
import { readEvents } from './reading.js';
import { bucketsOf } from './series.js';
import { sketchOf } from './sketches.js';
import { removeEvery } from './removing.js';

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

/** The events of a day that are meant. */
const meantIn = async (
  needs: Pick<Needs, 'tables' | 'ids'>,
  model: string,
  day: number,
  meant: Meant,
  columns: ReturnType<typeof columnsFor>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  const test = meant.filter && compileFilter(meant.filter, columns);
  const reads = ['prediction_id', ...columnsRead(meant.filter, columns)];
  const span = {
    from: Math.max(meant.from, day * dayMs),
    to: Math.min(meant.to, (day + 1) * dayMs),
    version: meant.version,
  };
  for await (const batch of readEvents(needs, model, span, signal, reads)) {
    const passes = test?.(batch) ?? (() => true);
    const idOf = batch.column('prediction_id');
    for (let row = 0; row < batch.length; row++) {
      const id = String(idOf(row) ?? '');
      if (meant.predictionId !== undefined && id !== meant.predictionId) continue;
      if (passes(row)) found.set(named(batch.at(row), id), id);
    }
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

/** Writes the frames of a day anew without these events. Who reads one at that moment misses its other events too. */
const rewriteFrames = async (
  { ids }: Pick<Needs, 'ids'>,
  inside: PluginTables,
  model: string,
  day: number,
  gone: ReadonlyMap<string, string>,
): Promise<void> => {
  for (const row of await framesOn(inside, model, day)) {
    const key = { model_id: model, day, frame: String(row['frame']) };
    const frame = await findFrame(inside, key);
    if (frame === undefined) continue;
    const left = eventsLeft(frame, gone);
    if (left.length === frame.length) continue;
    await removeEvery(inside, 'columns', 'by_frame', key);
    await inside.remove('frames', key);
    // What went into another one already is in that.
    if (row['replaced_at'] !== null || left.length === 0) continue;
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
  }
};

/** Removes what tells where events are, what came after them, and faults that name them. */
const forgetEvents = async (
  { ids }: Pick<Needs, 'ids'>,
  inside: PluginTables,
  model: string,
  day: number,
  gone: ReadonlyMap<string, string>,
): Promise<void> => {
  const byKey = new Map([...gone.values()].map((id) => [keyText(ids, id), id]));
  const known = await inside.findAll(
    'events',
    [...byKey.keys()].map((event) => ({ model_id: model, event })),
  );
  for (const row of known) {
    const event = String(row['event']);
    // An id that stands twice is known by its last event, which may be another one.
    if (gone.has(named(Number(row['at']), byKey.get(event) ?? '')))
      await inside.remove('events', { model_id: model, event });
  }
  for (const event of byKey.keys()) {
    await inside.remove('additions', { model_id: model, day, event });
    const changes = { model_id: model, event };
    await removeEvery(inside, 'label_changes', 'key', changes);
  }
  await forgetFaultsOf(inside, model, new Set(gone.values()));
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
  const was: Profile[] = [];
  for await (const profile of readProfiles(inside, model, field, span)) was.push(profile);
  const old = joinProfiles(was);
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

const replaceSums = async (
  { ids }: Pick<Needs, 'ids'>,
  inside: PluginTables,
  of: PluginRow,
  profiles: readonly Profile[],
): Promise<void> => {
  await removeEvery(inside, 'profiles', 'key', of);
  if (profiles.length === 0) return;
  await inside.insert('profiles', { ...of, piece: ids.next(), content: packProfiles(profiles) });
};

/** Makes all sums of a day anew. */
const sumDay = async (
  needs: Pick<Needs, 'ids'>,
  inside: PluginTables,
  model: string,
  day: number,
  signal: AbortSignal,
): Promise<void> => {
  const places = new Places();
  const counts = new Map<Place, number>();
  const span = { from: day * dayMs, to: (day + 1) * dayMs };
  for await (const batch of readEvents(
    { tables: inside, ids: needs.ids },
    model,
    span,
    signal,
    [],
  )) {
    const versionOf = batch.column('model_version');
    for (let row = 0; row < batch.length; row++) {
      const place = places.of(batch.at(row), String(versionOf(row) ?? ''));
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
  }
  await replaceSums(
    needs,
    inside,
    { model_id: model, field: eventsField, day },
    [...counts].map(([place, n]) => ({ ...place, sketch: sketchOf(new Array<number>(n).fill(1)) })),
  );
  const left = new Map([...counts].map(([place, n]) => [placeName(place), n]));
  for (const column of (await fieldsOf(inside, model)).keys())
    await sumField(needs, inside, model, day, column, left, signal);
};

/**
 * Deletes the events that are meant, day by day, each day all or nothing, and says how many those were. An id that is deleted counts as new when it
 * comes again. Rejects with `invalid` where nothing says which events, and of models that keep no single events.
 */
export const deleteEvents = async (
  needs: Needs,
  model: MonitoredModel,
  asked: AskedDeletion,
  signal: AbortSignal,
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
    signal.throwIfAborted();
    if ((await meantIn(needs, model.id, day, meant, columns, signal)).size === 0) continue;
    const deleted = await tables.transaction(async (inside) => {
      await lockModel(inside, model.id);
      const within = { tables: inside, ids };
      const gone = await meantIn(within, model.id, day, meant, columns, signal);
      if (gone.size === 0) return 0;
      await rewriteFrames(needs, inside, model.id, day, gone);
      await forgetEvents(needs, inside, model.id, day, gone);
      await sumDay(needs, inside, model.id, day, signal);
      return gone.size;
    });
    sums.deleted += deleted;
    if (deleted > 0) sums.days++;
  }
  if (meant.predictionId !== undefined) {
    const event = keyText(ids, meant.predictionId);
    await tables.remove('additions', { model_id: model.id, day: pendingDay, event });
    await forgetFaultsOf(tables, model.id, new Set([meant.predictionId]));
  }
  return sums;
};
