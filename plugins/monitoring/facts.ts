// What alerts read of a model: sums of any span of whole hours, of all events, of a version or of a segment. What was read once is kept, so that windows
// that overlap cost little.
import { columnsFor, columnsOfMetric, scan, type Question } from './queries.js';
import { asOneBucket, isForEngine, metricOnEngine, readMetric } from './engine-statements.js';
import { groupFor } from './evaluating.js';
import { baselineSketch, findBaseline, type Baseline } from './baselines.js';
import type { Value } from './items.js';
import { parseFilter } from './language.js';
import { binsOf, type Bins } from './measures.js';
import { fieldKey, type Field } from './models.js';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { columnsOfPairing, type Pairing } from './performance.js';
import type { Pair } from './performance-measures.js';
import type { Profile } from './profile-packing.js';
import { dayOf, eventsField, hourOf, readProfiles } from './profiles.js';
import type { Segment } from './segments.js';
import { emptySketch, mergeSketches, sketchOf, type Sketch } from './sketches.js';

/** Which of the events are meant; all of them where neither is named. */
export interface Slice {
  readonly version: string | null;
  readonly segment: Segment | null;
}
type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'analytics'>;

/** Pairs of one hour, and how many events it had. */
interface HourOfPairs {
  events: number;
  readonly pairs: Pair[];
}

/** The days of a span that are missing, as spans that lie next to each other. */
const gapsOf = (
  have: ReadonlyMap<number, unknown>,
  from: number,
  to: number,
): readonly { readonly from: number; readonly to: number }[] => {
  const gaps: { from: number; to: number }[] = [];
  for (let day = dayOf(from); day <= dayOf(to - 1); day++) {
    if (have.has(day)) continue;
    const last = gaps.at(-1);
    if (last?.to === day * dayMs) last.to += dayMs;
    else gaps.push({ from: day * dayMs, to: (day + 1) * dayMs });
  }
  return gaps;
};

const nameOf = ({ version, segment }: Slice): string =>
  JSON.stringify([version, segment?.segmentId ?? null]);

export class Facts {
  readonly #profiles = new Map<string, Map<number, readonly Profile[]>>();
  readonly #wholeDays = new Map<string, Sketch>();
  readonly #pairs = new Map<string, Map<number, Map<number, HourOfPairs>>>();
  readonly #baselines = new Map<string, Promise<Baseline | undefined>>();
  readonly #before = new Map<string, Promise<{ readonly sketch: Sketch; readonly bins: Bins }>>();

  constructor(
    readonly needs: Needs,
    readonly question: Question,
    readonly fields: ReadonlyMap<string, Field>,
    /** What is read of segments, all of it at once. */
    readonly columns: readonly string[],
  ) {}

  /** The sums of a column in a span of whole hours; `eventsField` counts events. */
  async sketch(column: string, slice: Slice, from: number, to: number): Promise<Sketch> {
    const days = await this.#daysOf(column, slice, from, to);
    const wanted = (profile: Profile) =>
      profile.hour >= hourOf(from) &&
      profile.hour < hourOf(to) &&
      (slice.version === null || profile.version === slice.version);
    let sum = emptySketch;
    for (let day = dayOf(from); day <= dayOf(to - 1); day++) {
      const profiles = days.get(day) ?? [];
      if (from <= day * dayMs && (day + 1) * dayMs <= to) {
        const name = JSON.stringify([column, nameOf(slice), day]);
        const whole =
          this.#wholeDays.get(name) ??
          profiles
            .filter(wanted)
            .reduce((all, { sketch }) => mergeSketches(all, sketch), emptySketch);
        this.#wholeDays.set(name, whole);
        sum = mergeSketches(sum, whole);
      } else
        for (const profile of profiles.filter(wanted)) sum = mergeSketches(sum, profile.sketch);
    }
    return sum;
  }

  async #daysOf(column: string, slice: Slice, from: number, to: number) {
    const name = JSON.stringify([column, slice.segment?.segmentId ?? null]);
    const days = this.#profiles.get(name) ?? new Map<number, readonly Profile[]>();
    this.#profiles.set(name, days);
    for (const gap of gapsOf(days, from, to))
      if (slice.segment === null) await this.#readDays(column, days, gap.from, gap.to);
      else await this.#scanDays(slice.segment, gap.from, gap.to);
    return days;
  }

  async #readDays(
    column: string,
    days: Map<number, readonly Profile[]>,
    from: number,
    to: number,
  ): Promise<void> {
    const found = new Map<number, Profile[]>();
    const field = column === eventsField ? column : fieldKey(this.needs, column);
    const { tables } = this.needs;
    for await (const profile of readProfiles(tables, this.question.model.id, field, { from, to })) {
      const day = dayOf(profile.hour * hourMs);
      const held = found.get(day);
      if (held === undefined) found.set(day, [profile]);
      else held.push(profile);
    }
    for (let day = dayOf(from); day <= dayOf(to - 1); day++) days.set(day, found.get(day) ?? []);
  }

  /** Sums up the events of a segment, all columns that are of interest at once. */
  async #scanDays(segment: Segment, from: number, to: number): Promise<void> {
    const columns = [eventsField, ...this.columns];
    const values = columns.map(() => new Map<string, Value[]>());
    const places = new Map<string, { readonly hour: number; readonly version: string }>();
    await this.#scan({ version: null, segment }, from, to, this.columns, (batch) => {
      const readers = this.columns.map((column) => batch.column(column));
      const versionOf = batch.column('model_version');
      return (_, __, row) => {
        const place = { hour: hourOf(batch.at(row)), version: String(versionOf(row) ?? '') };
        const name = `${place.hour} ${place.version}`;
        places.set(name, place);
        const add = (at: number, value: Value | undefined) => {
          if (value === undefined) return;
          const held = values[at]?.get(name);
          if (held === undefined) values[at]?.set(name, [value]);
          else held.push(value);
        };
        add(0, 1);
        readers.forEach((read, at) => {
          add(at + 1, read(row));
        });
      };
    });
    columns.forEach((column, at) => {
      const key = JSON.stringify([column, segment.segmentId]);
      const days = this.#profiles.get(key) ?? new Map<number, readonly Profile[]>();
      this.#profiles.set(key, days);
      for (let day = dayOf(from); day <= dayOf(to - 1); day++) days.set(day, []);
      for (const [name, { hour, version }] of places) {
        const events = values[0]?.get(name)?.length ?? 0;
        const sketch = sketchOf(values[at]?.get(name) ?? [], events);
        const day = dayOf(hour * hourMs);
        days.set(day, [...(days.get(day) ?? []), { hour, version, sketch }]);
      }
    });
  }

  async #scan(
    { version, segment }: Slice,
    from: number,
    to: number,
    reads: readonly string[],
    begin: Parameters<typeof scan>[3],
  ): Promise<void> {
    const buckets = { from, to, widthMs: to - from, starts: [from] };
    const filter = segment === null ? undefined : parseFilter(segment.filter);
    await scan(
      this.needs,
      this.question,
      {
        buckets,
        version: version ?? undefined,
        predicates: [{ key: 'all', filter }],
        columns: columnsFor(this.fields),
        reads,
      },
      begin,
    );
  }

  /** Predictions with their labels in a span of whole hours, and how many events there were. */
  async pairs(
    pairing: Pairing,
    slice: Slice,
    from: number,
    to: number,
  ): Promise<{ readonly events: number; readonly pairs: readonly Pair[] }> {
    const name = JSON.stringify([pairing, nameOf(slice)]);
    const days = this.#pairs.get(name) ?? new Map<number, Map<number, HourOfPairs>>();
    this.#pairs.set(name, days);
    for (const gap of gapsOf(days, from, to)) await this.#readPairs(pairing, slice, days, gap);
    const found = { events: 0, pairs: [] as Pair[] };
    for (let day = dayOf(from); day <= dayOf(to - 1); day++)
      for (const [hour, { events, pairs }] of days.get(day) ?? [])
        if (hour >= hourOf(from) && hour < hourOf(to)) {
          found.events += events;
          for (const pair of pairs) found.pairs.push(pair);
        }
    return found;
  }

  async #readPairs(
    pairing: Pairing,
    slice: Slice,
    days: Map<number, Map<number, HourOfPairs>>,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<void> {
    for (let day = dayOf(from); day <= dayOf(to - 1); day++) days.set(day, new Map());
    const { prediction, label } = pairing;
    await this.#scan(slice, from, to, columnsOfPairing(pairing), (batch) => {
      const [said, truth] = [
        batch.column(`prediction_${prediction}`),
        batch.column(`label_${label}`),
      ];
      const probability = batch.column('prediction_probability');
      return (_, __, row) => {
        const at = batch.at(row);
        const hours = days.get(dayOf(at));
        const held = hours?.get(hourOf(at)) ?? { events: 0, pairs: [] };
        hours?.set(hourOf(at), held);
        held.events++;
        const [one, other, chance] = [said(row), truth(row), probability(row)];
        if (one === undefined || other === undefined) return;
        held.pairs.push({
          prediction: one,
          label: other,
          ...(typeof chance === 'number' ? { probability: chance } : {}),
        });
      };
    });
  }

  /** A metric in SQL over a span, and how many events there were. */
  async metric(
    sql: string,
    slice: Slice,
    from: number,
    to: number,
  ): Promise<{ readonly value: number | null; readonly events: number }> {
    const columns = columnsFor(this.fields);
    const parsed = readMetric(sql);
    if (isForEngine(parsed)) {
      const { version, segment } = slice;
      const { values, events } = await metricOnEngine(this.needs, parsed, {
        ...{ ...this.question, fields: this.fields, buckets: asOneBucket(from, to) },
        version: version ?? undefined,
        filters: [segment === null ? undefined : parseFilter(segment.filter)],
      });
      return { value: values[0] ?? null, events };
    }
    const group = groupFor(parsed, columns)();
    let events = 0;
    await this.#scan(slice, from, to, columnsOfMetric(parsed, columns), (batch) => {
      group.begin(batch);
      return (_, __, row) => {
        events++;
        group.add(row);
      };
    });
    return { value: group.result(), events };
  }

  /** What windows of a version are compared with: the baseline of that id, or the usual one. */
  baseline(id: string | null, version: string | null): Promise<Baseline | undefined> {
    const name = JSON.stringify([id, version]);
    const found =
      this.#baselines.get(name) ??
      findBaseline(this.needs, this.question.model, id ?? undefined, version ?? undefined);
    this.#baselines.set(name, found);
    return found;
  }

  /** The sums of a column in a baseline, as a window that begins then sees it, with the bins that follow from it. */
  before(
    baseline: Baseline,
    column: string,
    windowFrom: number,
  ): Promise<{ readonly sketch: Sketch; readonly bins: Bins }> {
    const moves = baseline.kind === 'moving';
    const name = JSON.stringify([baseline.baselineId, column, moves ? windowFrom : 0]);
    const found = this.#before.get(name) ?? this.#readBefore(baseline, column, windowFrom);
    this.#before.set(name, found);
    return found;
  }

  async #readBefore(baseline: Baseline, column: string, windowFrom: number) {
    const sketch = await baselineSketch(this.needs, baseline, column, windowFrom);
    return { sketch, bins: binsOf(sketch) };
  }
}
