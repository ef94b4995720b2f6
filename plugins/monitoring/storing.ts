// One batch of one model, stored by one transaction: index, frames, sums and what came late, all or nothing.
import { hash } from 'node:crypto';
import { Failure, isFailure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { dayMs, hourMs, keyText, type MonitoringNeeds } from './needs.js';
import { fromValues, isLabelColumn, pendingDay, toValues } from './additions.js';
import { countHour, storeFaults, type Oddity, type Told } from './faults.js';
import { columnsOf, packFrame, type ColumnsOf, type ColumnValues, type Frame } from './frames.js';
import { findFrame, findFrameWith, idsField } from './frame-reading.js';
import type { Item, Reason, Value, Values } from './items.js';
import { FlatValues, LaidValues, type Layout } from './laid-values.js';
import {
  ensureModel,
  fieldKey,
  fieldsOf,
  lockModel,
  partsOf,
  storeFields,
  type Field,
  type MonitoredModel,
} from './models.js';
import { dayOf, dayOfHour, eventsField, Gathering, Places, type Place } from './profiles.js';
import { packProfiles, type Profile } from './profile-packing.js';
import { sumAgain } from './relabelling.js';
import { sketchOf } from './sketches.js';
import { Turns } from './turns.js';

export interface Stored {
  /** Events and labels that are new. */
  readonly accepted: number;
  /** What was there already, or contradicts what was. */
  readonly duplicates: number;
  /** Labels that wait for their event. */
  readonly pendingLabels: number;
}

type Needs = Pick<MonitoringNeeds, 'ids' | 'clock'>;

/** Where an event is. */
interface Known {
  readonly day: number;
  readonly at: number;
  readonly version: string;
  readonly content: string;
  /** The frame that holds it, or the event itself while this batch makes its frame. */
  readonly held: string | Item;
  readonly labels: Values;
}
interface Addition {
  readonly day: number;
  readonly at: number;
  readonly values: Values;
}

const noValues: Values = new Map();
const withLabels = new WeakMap<Layout, boolean>();
const mayHaveLabels = (values: Values): boolean => {
  if (!(values instanceof LaidValues)) return true;
  const found = withLabels.get(values.layout) ?? values.layout.names.some(isLabelColumn);
  withLabels.set(values.layout, found);
  return found;
};
const labelsOf = (values: Values): Values =>
  mayHaveLabels(values)
    ? new Map([...values].filter(([column]) => isLabelColumn(column)))
    : noValues;

const toKnown = (row: PluginRow): Known => ({
  day: Number(row['day']),
  at: Number(row['at']),
  version: String(row['version']),
  content: String(row['content']),
  held: String(row['frame']),
  labels: toValues(row['labels']),
});
const toAddition = (row: PluginRow): Addition => ({
  day: Number(row['day']),
  at: Number(row['at']),
  values: toValues(row['content']),
});

const [least, mostContent] = [64 * 1024, 64 * 1024 * 1024] as const;

/**
 * Digests of what events hold, the same in whatever order the values of one stood. Most events of a batch name the same columns in the same order, so
 * that these are sorted once, and numbers stand as their bytes: to write their digits would cost more than all the rest.
 */
class Contents {
  #layout: Layout | undefined;
  #order: readonly number[] = [];
  #sorted = '';
  #bytes = Buffer.alloc(least);

  constructor(readonly digest: (text: string) => string) {}

  #sort(values: Values): void {
    const layout = values instanceof LaidValues ? values.layout : undefined;
    if (layout !== undefined && layout === this.#layout) return;
    const names = [...values.keys()];
    this.#layout = layout;
    this.#order = names
      .map((_, place) => place)
      .sort((one, other) => ((names[one] ?? '') < (names[other] ?? '') ? -1 : 1));
    this.#sorted = this.digest(JSON.stringify(this.#order.map((place) => names[place])));
  }

  /** Room for what an event may take; what is there already stays. */
  #grow(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    if (bytes > mostContent) throw new Failure('invalid', 'an event holds too much');
    const grown = Buffer.alloc(Math.min(mostContent, 2 * bytes));
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }

  /** 32 digits of SHA-256. */
  of({ at, modelVersion, values }: Item): string {
    this.#sort(values);
    const flat = values instanceof FlatValues ? values : undefined;
    const held = flat === undefined ? [...values.values()] : undefined;
    let size = 0;
    const text = (given: string): void => {
      this.#grow(size + 8 + given.length * 3);
      const written = this.#bytes.write(given, size + 8);
      this.#bytes.writeUInt32LE(0xffffffff, size);
      this.#bytes.writeUInt32LE(written, size + 4);
      size += 8 + written;
    };
    const number = (given: number): void => {
      this.#grow(size + 8);
      size = this.#bytes.writeDoubleLE(given, size);
    };
    text(this.#sorted);
    text(modelVersion);
    number(at);
    for (const place of this.#order) {
      const value = flat === undefined ? held?.[place] : flat.at(place);
      if (typeof value === 'number') number(value);
      else text(value ?? '');
    }
    return hash('sha256', this.#bytes.subarray(0, size), 'hex').slice(0, 32);
  }
}

/** Times in which no event of a layout tells anything new of its fields, and which of them hold numbers. */
interface Settled {
  readonly numeric: readonly boolean[];
  readonly from: number;
  readonly to: number;
}

/** A batch while it is sorted out. */
class Batch {
  /** New events by their keys; a key stands twice for times that lie far apart. */
  readonly fresh: (readonly [string, Item])[] = [];
  readonly touched = new Map<string, Addition>();
  /** Pending additions whose event came. */
  readonly settled: string[] = [];
  readonly told: Told[] = [];
  /** What came late, for the sums of its event's hour. */
  readonly late: { readonly at: number; readonly version: string; readonly values: Values }[] = [];
  readonly changed = new Map<string, Field>();
  /** Events of which nothing but sums is kept, and which got labels. */
  readonly relabelled = new Set<string>();
  /** Labels in whose place others came, with the day of their event, and which columns of which days have to be summed up again. */
  readonly replaced: {
    readonly key: string;
    readonly day: number;
    readonly at: number;
    readonly values: Values;
  }[] = [];
  accepted = 0;
  duplicates = 0;
  pendingLabels = 0;
  readonly oddities = new Map<Oddity, number>();
  readonly #frames = new Map<string, ReadonlyMap<string, Values>>();
  readonly #contents: Contents;
  readonly #settled = new Map<Layout, Settled>();
  #fieldCount: number;

  constructor(
    readonly needs: Needs,
    readonly tables: PluginTables,
    readonly model: string,
    readonly known: Map<string, Known>,
    readonly additions: Map<string, Addition>,
    readonly fields: ReadonlyMap<string, Field>,
    readonly dedupMs: number,
    /** Nothing of events is kept but their sums. */
    readonly profileOnly: boolean,
    /** A label that comes later takes the place of one that is there. */
    readonly latestLabels: boolean,
    /** Which fields hold numbers, where more is known of them than their first value. */
    readonly expected: ReadonlyMap<string, boolean>,
  ) {
    this.#fieldCount = fields.size;
    this.#contents = new Contents((text) => needs.ids.digest(text));
  }

  tell(item: Item, field: string | null, reason: Reason, message: string): void {
    const sample = JSON.stringify({
      predictionId: item.predictionId,
      ...(this.profileOnly ? {} : Object.fromEntries([...item.values].slice(0, 20))),
    });
    this.told.push({ predictionId: item.predictionId, field, reason, message, sample });
  }

  /** Whether an item is as its fields are, and tells nothing new of them. */
  #isSettled({ at, values }: Item): boolean {
    if (!(values instanceof LaidValues)) return false;
    const known = this.#settled.get(values.layout);
    if (known === undefined || at < known.from || at > known.to) return false;
    const { numeric } = known;
    if (values instanceof FlatValues) {
      const { lying, from } = values;
      for (let place = 0; place < numeric.length; place++)
        if ((lying.places[from + place] === 0) !== numeric[place]) return false;
      return true;
    }
    const { held } = values;
    for (let place = 0; place < held.length; place++)
      if ((typeof held[place] === 'number') !== numeric[place]) return false;
    return true;
  }

  #settle({ values }: Item): void {
    if (!(values instanceof LaidValues)) return;
    const fields: Field[] = [];
    for (const column of values.layout.names) {
      const field = this.changed.get(column) ?? this.fields.get(column);
      if (field === undefined) return;
      fields.push(field);
    }
    let [first, last, earliest] = [-Infinity, -Infinity, Infinity];
    for (const { firstSeen, lastSeen } of fields) {
      first = Math.max(first, firstSeen);
      last = Math.max(last, lastSeen);
      earliest = Math.min(earliest, lastSeen);
    }
    this.#settled.set(values.layout, {
      numeric: fields.map(({ numeric }) => numeric),
      from: Math.min(first, last - hourMs),
      to: earliest + hourMs,
    });
  }

  /** The item with each value of its field's type; a type once decided stays. Fields beyond what a model has room for are left out, and told. */
  typed(item: Item): Item {
    if (this.#isSettled(item)) return item;
    let values: Map<string, Value> | undefined;
    for (const [column, value] of item.values) {
      const before = this.changed.get(column) ?? this.fields.get(column);
      if (before === undefined && ++this.#fieldCount > mostFields) {
        this.#fieldCount--;
        if (values === undefined || values.size === item.values.size)
          this.tell(item, column, 'MODEL_LIMIT', `a model has at most ${mostFields} fields`);
        values ??= new Map(item.values);
        values.delete(column);
        continue;
      }
      const numeric = before?.numeric ?? this.expected.get(column) ?? typeof value === 'number';
      if (before === undefined || Math.abs(item.at - before.lastSeen) > hourMs)
        this.changed.set(column, {
          column,
          ...partsOf(column),
          numeric,
          firstSeen: Math.min(item.at, before?.firstSeen ?? item.at),
          lastSeen: Math.max(item.at, before?.lastSeen ?? item.at),
        });
      if (numeric && typeof value === 'string')
        this.tell(item, column, 'TYPE_CHANGED', `${column} held numbers and now holds text`);
      if (numeric || typeof value === 'string') continue;
      values ??= new Map(item.values);
      values.set(column, String(value));
    }
    if (values !== undefined) return { ...item, values };
    this.#settle(item);
    return item;
  }

  async takeEvent(key: string, given: Item): Promise<void> {
    const content = this.#contents.of(given);
    const item = this.typed(given);
    const before = this.known.get(key);
    if (before === undefined || Math.abs(before.at - item.at) > this.dedupMs) {
      this.#begin(key, item, content);
      return;
    }
    if (before.content === content) {
      this.duplicates++;
      this.#note('RESENT');
      return;
    }
    await this.#add(key, before, item);
  }

  #note(what: Oddity): void {
    this.oddities.set(what, (this.oddities.get(what) ?? 0) + 1);
  }

  #begin(key: string, item: Item, content: string): void {
    const day = dayOf(item.at);
    this.fresh.push([key, item]);
    this.known.set(key, {
      day,
      at: item.at,
      version: item.modelVersion,
      content,
      held: item,
      labels: labelsOf(item.values),
    });
    this.accepted++;
    const now = this.needs.clock.now();
    if (item.at < now - hourMs) this.#note('LATE_EVENT');
    if (item.at > now + hourMs) this.#note('FUTURE_EVENT');
    const waiting = this.additions.get(`${pendingDay} ${key}`);
    if (waiting === undefined) return;
    this.settled.push(key);
    this.additions.delete(`${pendingDay} ${key}`);
    this.touched.delete(`${pendingDay} ${key}`);
    const values = new Map([...waiting.values].filter(([column]) => !item.values.has(column)));
    if (!this.profileOnly) this.#keep(key, { day, at: waiting.at, values });
    this.late.push({ at: item.at, version: item.modelVersion, values });
  }

  takeLabel(key: string, given: Item): Promise<void> {
    const item = this.typed(given);
    const before = this.known.get(key);
    return before === undefined
      ? Promise.resolve(this.#wait(key, item))
      : this.#add(key, before, item);
  }

  #wait(key: string, item: Item): void {
    const before = this.additions.get(`${pendingDay} ${key}`);
    const added = this.#added(item, before?.values ?? new Map(), before?.at ?? -Infinity);
    if (added.size === 0) return;
    this.#noteReplaced(key, pendingDay, item.at, before?.values ?? new Map(), added);
    this.#keep(key, {
      day: pendingDay,
      at: item.at,
      values: new Map([...(before?.values ?? []), ...added]),
    });
    this.accepted++;
    this.pendingLabels++;
  }

  /** What an item brings that was not there, or that takes the place of what was; what else contradicts is told, and what was first stays. */
  #added(item: Item, there: Values, since: number): Values {
    const mayReplace = this.latestLabels && item.at >= since;
    const isOther = ([column, value]: readonly [string, Value]): boolean =>
      there.has(column) && there.get(column) !== value;
    const replaces = (one: readonly [string, Value]): boolean =>
      mayReplace && isLabelColumn(one[0]) && isOther(one);
    const added = new Map([...item.values].filter((one) => !there.has(one[0]) || replaces(one)));
    const against = [...item.values].find((one) => isOther(one) && !replaces(one));
    if (against !== undefined) {
      const column = against[0];
      this.tell(
        item,
        column,
        'DUPLICATE',
        `${column} of this prediction has another value already`,
      );
    }
    if (against !== undefined || added.size === 0) {
      this.duplicates++;
      if (against === undefined) this.#note('RESENT');
      return new Map();
    }
    return added;
  }

  /** Notes the labels in whose place others come, and gives what is new besides. */
  #noteReplaced(key: string, day: number, at: number, there: Values, added: Values): Values {
    const values = new Map([...there].filter(([column]) => added.has(column)));
    if (values.size === 0) return added;
    this.replaced.push({ key, day, at, values });
    return new Map([...added].filter(([column]) => !values.has(column)));
  }

  async #add(key: string, event: Known, item: Item): Promise<void> {
    if (this.profileOnly) {
      this.#sum(key, event, item);
      return;
    }
    const before = this.additions.get(`${event.day} ${key}`);
    const own = item.isLabel ? event.labels : await this.#valuesOf(event, item);
    const there = new Map([...own, ...(before?.values ?? [])]);
    const added = this.#added(item, there, before?.at ?? event.at);
    if (added.size === 0) return;
    const fresh = this.#noteReplaced(key, event.day, item.at, there, added);
    this.#keep(key, {
      day: event.day,
      at: item.at,
      values: new Map([...(before?.values ?? []), ...added]),
    });
    if (fresh.size > 0) this.late.push({ at: event.at, version: event.version, values: fresh });
    this.accepted++;
  }

  /** Adds what came late to the sums alone: labels that the event had none of. What else it brings cannot be held against anything, and is refused. */
  #sum(key: string, event: Known, item: Item): void {
    const added = item.isLabel
      ? new Map([...item.values].filter(([column]) => !event.labels.has(column)))
      : new Map<string, Value>();
    if (added.size === 0) {
      this.duplicates++;
      this.#note('RESENT');
      return;
    }
    const labels = new Map([...event.labels, ...added]);
    this.known.set(key, { ...event, labels });
    this.relabelled.add(key);
    this.late.push({ at: event.at, version: event.version, values: added });
    this.accepted++;
  }

  #keep(key: string, addition: Addition): void {
    this.additions.set(`${addition.day} ${key}`, addition);
    this.touched.set(`${addition.day} ${key}`, addition);
  }

  /** What the event itself holds. */
  async #valuesOf({ held, day }: Known, { predictionId }: Item): Promise<Values> {
    if (typeof held !== 'string') return held.values;
    const place = `${day} ${held}`;
    const key = { model_id: this.model, day, frame: held };
    let events = this.#frames.get(place);
    if (events?.has(predictionId) !== true) {
      const frame =
        (events === undefined ? await findFrame(this.tables, key) : undefined) ??
        (await findFrameWith(this.tables, this.model, day, predictionId));
      // One that went into several larger ones is made of what was found of each.
      events = new Map([...(events ?? []), ...(frame === undefined ? [] : eventsOf(frame))]);
      this.#frames.set(place, events);
    }
    return events.get(predictionId) ?? new Map<string, Value>();
  }
}

/** The values of each event of a frame, by its prediction: read once, as a batch may touch them all. */
const eventsOf = (frame: Frame): ReadonlyMap<string, Values> => {
  const columns = frame.names.map((name) => [name, frame.column(name)] as const);
  const events = new Map<string, Values>();
  for (let row = 0; row < frame.length; row++) {
    const values = new Map<string, Value>();
    for (const [name, at] of columns) {
      const value = at(row);
      if (value !== undefined) values.set(name, value);
    }
    events.set(frame.predictionId(row), values);
  }
  return events;
};

const sevenDays = 7 * dayMs;
/** Fields of a model: each has a row of sums for every day. */
const mostFields = 20_000;

/** The events of one day, by when they were, with their values as columns. */
interface Day {
  readonly day: number;
  readonly items: readonly Item[];
  readonly columns: ColumnsOf;
}

/** Events of a day that share their hour and version. */
interface Hour {
  readonly place: Place;
  /** When the first of them was. */
  readonly from: number;
  events: number;
}
/** The hours of a day, and which of them each event lies in. */
const hoursOf = ({ items }: Day): { readonly hours: readonly Hour[]; readonly of: Uint32Array } => {
  const places = new Places();
  const found = new Map<Place, number>();
  const hours: Hour[] = [];
  const of = new Uint32Array(items.length);
  for (const [row, { at, modelVersion }] of items.entries()) {
    const place = places.of(at, modelVersion);
    let hour = found.get(place);
    if (hour === undefined) {
      hour = hours.push({ place, from: at, events: 0 }) - 1;
      found.set(place, hour);
    }
    of[row] = hour;
    (hours[hour] as Hour).events++; // found or made right above
  }
  return { hours, of };
};

const profileRow = (
  batch: Batch,
  field: string,
  day: number,
  piece: string,
  held: readonly Profile[],
): PluginRow => ({
  model_id: batch.model,
  field,
  day,
  piece,
  content: packProfiles(held),
});

/** Whether events of an hour were to have a value of a field: of those that had one lately, but for labels. Before its first value nobody misses it. */
const isMissedIn = (field: Field | undefined, { from }: Hour): boolean =>
  field !== undefined &&
  field.source !== 'label' &&
  from - field.lastSeen < sevenDays &&
  field.firstSeen < from + hourMs;

/** The values of a column, by the place of the hour in which their event was. */
const byHour = (
  given: ColumnValues | undefined,
  of: Uint32Array,
  hours: number,
): readonly (readonly Value[] | Float64Array)[] => {
  if (given === undefined) return [];
  if (hours === 1) return [given.values];
  const values = Array.from({ length: hours }, (): Value[] => []);
  for (let at = 0; at < given.values.length; at++) {
    const value = given.values[at];
    if (value !== undefined) values[of[given.rows[at] ?? 0] ?? 0]?.push(value);
  }
  return values;
};

/** Bytes of sums that wait until they are stored. */
const mostWaiting = 8 * 1024 * 1024;

/** Stores the sums of a day's events, by field. A model may have thousands of fields, and a batch events of every day. */
const storeDay = async (batch: Batch, held: Day, piece: string, turns: Turns): Promise<void> => {
  const { hours, of } = hoursOf(held);
  const counted = hours.map(({ place, events }) => ({
    ...place,
    sketch: sketchOf(new Array<number>(events).fill(1)),
  }));
  let [rows, bytes]: [PluginRow[], number] = [
    [profileRow(batch, eventsField, held.day, piece, counted)],
    0,
  ];
  for (const column of new Set([...held.columns.keys(), ...batch.fields.keys()])) {
    if (turns.isOver()) await turns.pass();
    const given = held.columns.get(column);
    const values = byHour(given, of, hours.length);
    const field = batch.fields.get(column);
    const isLabel = column.startsWith('label_');
    const profiles = hours.flatMap((hour, at): Profile | readonly Profile[] => {
      const there = values[at] ?? [];
      return there.length === 0 && !isMissedIn(field, hour)
        ? []
        : { ...hour.place, sketch: sketchOf(there, isLabel ? there.length : hour.events) };
    });
    if (profiles.length === 0) continue;
    const row = profileRow(batch, fieldKey(batch.needs, column), held.day, piece, profiles);
    rows.push(row);
    bytes += row['content'] instanceof Uint8Array ? row['content'].length : 0;
    if (bytes < mostWaiting) continue;
    await batch.tables.insertAll('profiles', rows);
    [rows, bytes] = [[], 0];
  }
  await batch.tables.insertAll('profiles', rows);
};

/** The sums of what came late, by field and day. */
const lateRows = (batch: Batch, piece: string): readonly PluginRow[] => {
  const places = new Places();
  const late = new Map<string, Gathering>();
  for (const { at, version, values } of batch.late)
    for (const [column, value] of values) {
      const before = late.get(column) ?? new Gathering();
      late.set(column, before);
      before.add(places.of(at, version), value);
    }
  const rows: PluginRow[] = [];
  for (const [column, gathering] of late) {
    const days = new Map<number, Profile[]>();
    for (const profile of gathering.profiles()) {
      const day = dayOfHour(profile.hour);
      days.set(day, [...(days.get(day) ?? []), profile]);
    }
    for (const [day, held] of days)
      rows.push(profileRow(batch, fieldKey(batch.needs, column), day, `${piece}-late`, held));
  }
  return rows;
};

/** What is kept of an event's labels: of models of which only sums are kept, which ones it has. */
const keptLabels = ({ profileOnly }: Batch, labels: Values): Values =>
  profileOnly ? new Map([...labels.keys()].map((column) => [column, ''])) : labels;

const store = async (batch: Batch, turns: Turns): Promise<void> => {
  const { needs, tables, model } = batch;
  const piece = needs.ids.next();
  const days = new Map<number, [string, Item][]>();
  for (const [key, item] of batch.fresh) {
    const day = dayOf(item.at);
    const held = days.get(day);
    if (held === undefined) days.set(day, [[key, item]]);
    else held.push([key, item]);
  }
  const [frames, columns, index]: [PluginRow[], PluginRow[], PluginRow[]] = [[], [], []];
  for (const [day, items] of days) {
    items.sort(([, one], [, other]) => one.at - other.at);
    const events = items.map(([, item]) => item);
    const held = { day, items: events, columns: await columnsOf(events, turns) };
    await storeDay(batch, held, piece, turns);
    const packed = await packFrame(events, held.columns, turns);
    for (const [column, content] of packed.columns)
      columns.push({ model_id: model, day, frame: piece, field: fieldKey(needs, column), content });
    columns.push({ model_id: model, day, frame: piece, field: idsField, content: packed.ids });
    frames.push({
      model_id: model,
      day,
      frame: piece,
      events: items.length,
      first_at: items[0]?.[1].at ?? 0,
      last_at: items.at(-1)?.[1].at ?? 0,
      content: packed.head,
    });
    for (const [key, item] of items) {
      const known = batch.known.get(key);
      // Of events that share a key the last one is what later ones are held against.
      if (known?.held !== item) continue;
      const { at, version, content, labels } = known;
      index.push({
        model_id: model,
        event: key,
        day,
        at,
        frame: piece,
        version,
        content,
        labels: labels.size === 0 ? null : fromValues(keptLabels(batch, labels)),
      });
    }
  }
  if (!batch.profileOnly) {
    await tables.insertAll('frames', frames);
    await tables.insertAll('columns', columns);
  }
  await tables.upsertAll('events', index);
  await tables.upsertAll(
    'events',
    [...batch.relabelled].flatMap((key) => {
      const labels = batch.known.get(key)?.labels;
      return labels === undefined
        ? []
        : { model_id: model, event: key, labels: fromValues(keptLabels(batch, labels)) };
    }),
  );
  await tables.insertAll('profiles', lateRows(batch, piece));
  await tables.removeKeys(
    'additions',
    batch.settled.map((event) => ({ model_id: model, day: pendingDay, event })),
  );
  await tables.upsertAll(
    'additions',
    [...batch.touched].map(([place, { day, at, values }]) => ({
      model_id: model,
      day,
      event: place.slice(place.indexOf(' ') + 1),
      at,
      content: fromValues(values),
    })),
  );
  await storeFields(needs, tables, model, [...batch.changed.values()]);
  await storeFaults(needs, tables, model, batch.told);
  await countHour(needs, tables, model, batch.oddities);
  await storeReplaced(batch);
};

/** Keeps the labels in whose place others came, and sums up their columns again. */
const storeReplaced = async ({ needs, tables, model, replaced }: Batch): Promise<void> => {
  await tables.insertAll(
    'label_changes',
    replaced.map(({ key, day, at, values }) => ({
      ...{ model_id: model, event: key, change: needs.ids.next(), at },
      // Of one that waits for its event there is no day yet.
      day: day === pendingDay ? dayOf(at) : day,
      content: fromValues(values),
    })),
  );
  const places = new Map<number, Set<string>>();
  for (const { day, values } of replaced) {
    if (day === pendingDay) continue;
    const columns = places.get(day) ?? new Set();
    places.set(day, columns);
    for (const column of values.keys()) columns.add(column);
  }
  for (const [day, columns] of places)
    for (const column of columns) await sumAgain(needs, tables, model, day, column);
};

const storeOnce = (
  needs: Needs & Pick<MonitoringNeeds, 'tables'>,
  model: MonitoredModel,
  items: readonly Item[],
  told: readonly Told[],
  dedupDays: number,
  expected: ReadonlyMap<string, boolean> = new Map(),
): Promise<Stored> =>
  needs.tables.transaction(async (inside) => {
    // The row of the model is locked until the end, so that batches of one model take turns.
    const { profileOnly, labelPolicy } = await lockModel(inside, model.id);
    const keyed = items.map((item) => [keyText(needs.ids, item.predictionId), item] as const);
    const keys = [...new Set(keyed.map(([key]) => key))];
    const rows = await inside.findAll(
      'events',
      keys.map((event) => ({ model_id: model.id, event })),
    );
    const known = new Map(rows.map((row) => [String(row['event']), toKnown(row)]));
    const additions = await inside.findAll('additions', [
      ...keys.map((event) => ({ model_id: model.id, day: pendingDay, event })),
      ...[...known].map(([event, { day }]) => ({ model_id: model.id, day, event })),
    ]);
    const batch = new Batch(
      needs,
      inside,
      model.id,
      known,
      new Map(
        additions.map((row) => [`${String(row['day'])} ${String(row['event'])}`, toAddition(row)]),
      ),
      await fieldsOf(inside, model.id),
      dedupDays * dayMs,
      profileOnly,
      labelPolicy === 'latest',
      expected,
    );
    batch.told.push(...(profileOnly ? told.map((one) => ({ ...one, sample: '{}' })) : told));
    // Events before labels, so that a label finds the event of its own batch.
    const turns = new Turns();
    for (const isLabel of [false, true])
      for (const [key, item] of keyed) {
        if (item.isLabel !== isLabel) continue;
        if (turns.isOver()) await turns.pass();
        await (isLabel ? batch.takeLabel(key, item) : batch.takeEvent(key, item));
      }
    await store(batch, turns);
    const { accepted, duplicates, pendingLabels } = batch;
    return { accepted, duplicates, pendingLabels };
  });

/** Stores items of one model with what is told of others, and says what became of them. `expected` says which new fields hold numbers. */
export type ItemStore = (
  model: MonitoredModel,
  items: readonly Item[],
  told: readonly Told[],
  dedupDays: number,
  expected?: ReadonlyMap<string, boolean> | undefined,
) => Promise<Stored>;

/** Stores items of one model. The same item again changes nothing, also when both come at once. A model that was removed meanwhile is made anew. */
export const storeItems = async (
  needs: Needs & Pick<MonitoringNeeds, 'tables'>,
  model: MonitoredModel,
  ...given: readonly [
    items: readonly Item[],
    told: readonly Told[],
    dedupDays: number,
    expected?: ReadonlyMap<string, boolean> | undefined,
  ]
): Promise<Stored> => {
  try {
    return await storeOnce(needs, model, ...given);
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'absent') throw thrown;
    return storeOnce(needs, await ensureModel(needs, model.workspaceId, model.name), ...given);
  }
};
