// The sums of segments by day: what events of a day that is over come to is kept, so that months of a segment are read without an event.
import type { PluginTables } from '#ports/plugin-tables';
import { compileFilter, columnsOf, type Columns } from './evaluating.js';
import type { Node } from './language.js';
import { fieldKey, type MonitoredModel } from './models.js';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { packProfiles, unpackProfiles, type Profile } from './profile-packing.js';
import { dayOf, dayOfHour, eventsField, Gathering, namePieces, Places } from './profiles.js';
import { readEvents } from './reading.js';
import { bucketAt, type Buckets } from './series.js';
import { emptySketch, mergeSketches, type Sketch } from './sketches.js';
import { Turns } from './turns.js';
import { removeEvery } from './removing.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

const atOnce = 1000;

/** Removes what is kept of a segment: its sums stand under its own id, as those of a model do. */
export const removeRollups = async (tables: PluginTables, segmentId: string): Promise<void> => {
  const of = { model_id: segmentId };
  await removeEvery(tables, 'profiles', 'key', of);
};

export interface RolledUp {
  readonly model: MonitoredModel;
  readonly segmentId: string;
  readonly filter: Node;
  /** The field that is summed up. */
  readonly column: string;
  readonly columns: Columns;
  readonly signal: AbortSignal;
}

/** What the sums of a day follow from: the pieces of every column that is read. A day of which this is the same has the same sums. */
const statesOf = async (
  { tables, ids }: Needs,
  { model, filter, column, columns }: RolledUp,
  span: { readonly from: number; readonly to: number },
): Promise<(day: number) => string> => {
  const read = new Set([column, ...columnsOf(filter, columns)]);
  const named: (readonly [string, ReadonlyMap<number, string>])[] = [];
  for (const field of [eventsField, ...[...read].map((one) => fieldKey({ ids }, one))])
    named.push([field, await namePieces(tables, model.id, field, span)]);
  const asked = JSON.stringify(filter);
  return (day) =>
    ids
      .digest(JSON.stringify([asked, ...named.map(([field, days]) => [field, days.get(day)])]))
      .slice(0, 32);
};

/** Sums up the events of a span of days, by day. */
const sumUp = async (
  { tables, ids }: Needs,
  { model, filter, column, columns, signal }: RolledUp,
  span: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, readonly Profile[]>> => {
  const [places, gathering, turns] = [new Places(), new Gathering(), new Turns(signal)];
  const test = compileFilter(filter, columns);
  const reads = [column, ...columnsOf(filter, columns)];
  for await (const batch of readEvents({ tables, ids }, model.id, span, signal, reads)) {
    await turns.offer();
    const [passes, read] = [test(batch), batch.column(column)];
    const versionOf = batch.column('model_version');
    for (let row = 0; row < batch.length; row++) {
      const value = read(row);
      if (value !== undefined && passes(row))
        gathering.add(places.of(batch.at(row), String(versionOf(row) ?? '')), value);
    }
  }
  const days = new Map<number, Profile[]>();
  for (const profile of gathering.profiles()) {
    const day = dayOfHour(profile.hour);
    const held = days.get(day);
    if (held === undefined) days.set(day, [profile]);
    else held.push(profile);
  }
  return days;
};

const keep = async (
  { tables }: Needs,
  key: { readonly model_id: string; readonly field: string; readonly day: number },
  state: string,
  profiles: readonly Profile[],
): Promise<void> => {
  await tables.upsert('profiles', { ...key, piece: state, content: packProfiles(profiles) });
  for (const { piece } of await tables.list('profiles', 'key', key, {
    limit: atOnce,
    columns: ['piece'],
  }))
    if (piece !== state) await tables.remove('profiles', { ...key, piece: piece ?? '' });
};

/** The kept sums of days, where they still are what the events come to. */
const readKept = async (
  tables: PluginTables,
  of: { readonly model_id: string; readonly field: string },
  [first, last]: readonly [number, number],
  stateOf: (day: number) => string,
): Promise<Map<number, readonly Profile[]>> => {
  const kept = new Map<number, readonly Profile[]>();
  for (let after: Readonly<Record<string, string | number>> = { day: first - 1, piece: '~' }; ;) {
    const rows = await tables.list('profiles', 'key', of, {
      limit: atOnce,
      after,
      until: { day: last },
    });
    for (const { day, piece, content } of rows)
      if (content instanceof Uint8Array && piece === stateOf(Number(day)))
        kept.set(Number(day), unpackProfiles(content));
    const row = rows.at(-1);
    if (row === undefined || rows.length < atOnce) return kept;
    after = { day: Number(row['day']), piece: String(row['piece']) };
  }
};

/** What there is of a field in each bucket of a segment: days that are over are summed up once, and anew where they change. */
export const segmentSums = async (
  needs: Needs,
  asked: RolledUp,
  buckets: Buckets,
  version: string | undefined,
): Promise<readonly Sketch[]> => {
  const { tables, ids, clock } = needs;
  const { from, to } = buckets;
  const [first, last] = [dayOf(from), dayOf(to - 1)];
  const stateOf = await statesOf(needs, asked, { from, to });
  const of = { model_id: asked.segmentId, field: fieldKey({ ids }, asked.column) };
  const today = dayOf(clock.now());
  const isWhole = (day: number): boolean =>
    day < today && from <= day * dayMs && (day + 1) * dayMs <= to;
  const days = await readKept(tables, of, [first, last], stateOf);
  const gaps: { from: number; to: number }[] = [];
  for (let day = first; day <= last; day++) {
    if (isWhole(day) && days.has(day)) continue;
    days.delete(day);
    const gap = { from: Math.max(from, day * dayMs), to: Math.min(to, (day + 1) * dayMs) };
    const before = gaps.at(-1);
    if (before?.to === gap.from) before.to = gap.to;
    else gaps.push(gap);
  }
  for (const gap of gaps) {
    const found = await sumUp(needs, asked, gap);
    for (const [day, profiles] of found) days.set(day, profiles);
    for (let day = dayOf(gap.from); day <= dayOf(gap.to - 1); day++)
      // Of a day whose events are gone there is nothing that could be summed up.
      if (isWhole(day) && day >= today - asked.model.rawDays)
        await keep(needs, { ...of, day }, stateOf(day), found.get(day) ?? []);
  }
  const sketches = buckets.starts.map(() => emptySketch);
  for (const profiles of days.values())
    for (const { hour, version: own, sketch } of profiles) {
      if (version !== undefined && own !== version) continue;
      const bucket = Math.max(0, bucketAt(buckets, hour * hourMs));
      sketches[bucket] = mergeSketches(sketches[bucket] ?? emptySketch, sketch);
    }
  return sketches;
};
