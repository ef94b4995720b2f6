// What series of drift need to know of each hour or day, kept in memory: months of sums are read once, and then only what came since.
import { baselineSketch, firstWindowId, type Baseline, type ReadOnce } from './baselines.js';
import type { Comparing, Measured } from './measures.js';
import { fieldKey, type MonitoredModel } from './models.js';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { dayOf, namePieces, readDayPieces } from './profiles.js';
import { type Buckets } from './series.js';
import { mergeAll, type Sketch } from './sketches.js';
import { Turns } from './turns.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids'>;

/** What is kept of the buckets of a day, side by side: of each how many values, the distance, and the counts. */
interface Day {
  /** The names of the pieces that it was read from. */
  readonly pieces: string;
  readonly numbers: Float64Array;
  /** The points of all of its buckets as JSON, by the measure. */
  readonly texts: Map<string, string>;
}
/** What is kept of one question. */
interface Series {
  readonly name: string;
  /** How many changes the model had had when all of it was right. */
  changes: number;
  readonly days: Map<number, Day>;
  /** The whole answer that was given last, by the measure. */
  readonly answers: Map<string, Answer>;
}
interface Answer {
  readonly changes: number;
  readonly span: string;
  readonly text: string;
}
interface KeptBaseline {
  changes: number;
  readonly pieces: string;
  readonly sketch: Sketch;
  /** No other baseline has this number, nor the same one with other sums. */
  readonly revision: number;
}

/** Numbers that are kept in all, each of eight bytes: those of fifty features over four months by hour, with their points by one measure. */
const mostNumbers = 6_000_000;
/** Characters that take the room of a number. */
const characters = 8;
const sizeOf = ({ numbers, texts }: Day): number => {
  let size = numbers.length;
  for (const text of texts.values()) size += text.length / characters;
  return size;
};
const [mostBaselines, mostRead, mostSeries] = [2000, 5000, 20_000] as const;
/** Before the counts of a bucket stand how many values it has, and the distance. */
const ahead = 2;

/** Takes out what was used longest ago, which stands first. */
const trim = (kept: Map<string, unknown>, most: number): void => {
  for (const name of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(name);
  }
};

export interface DriftQuestion {
  readonly model: MonitoredModel;
  readonly baseline: Baseline;
  readonly column: string;
  readonly version: string | undefined;
  readonly buckets: Buckets;
  readonly signal: AbortSignal;
}

/** A loop, as there are thousands of points: to make a list of an array of bytes takes several times as long. */
const numbersBetween = (numbers: Float64Array, from: number, to: number): readonly number[] => {
  const found: number[] = [];
  for (let at = from; at < to; at++) found.push(numbers[at] ?? 0);
  return found;
};

/** What the bucket of a day holds that begins then; nothing where it has no value. */
const measuredAt = (
  day: Day | undefined,
  start: number,
  widthMs: number,
  width: number,
): Measured | undefined => {
  const at = Math.floor((start % dayMs) / widthMs) * width;
  const sampleCount = day?.numbers[at] ?? 0;
  if (day === undefined || sampleCount === 0) return undefined;
  const distance = day.numbers[at + 1] ?? NaN;
  return {
    sampleCount,
    distance: Number.isNaN(distance) ? null : distance,
    counts: numbersBetween(day.numbers, at + ahead, at + width),
  };
};

/** A span of days without those that are known. */
const gapsOf = (days: readonly number[]): readonly { from: number; to: number }[] => {
  const gaps: { from: number; to: number }[] = [];
  for (const day of days) {
    const last = gaps.at(-1);
    if (last?.to === day * dayMs) last.to += dayMs;
    else gaps.push({ from: day * dayMs, to: (day + 1) * dayMs });
  }
  return gaps;
};

/**
 * Every request reads how many changes the model had; where there were some since, the names of the pieces tell which days they touched. Nothing is
 * answered from here that the tables would not answer too, whichever process wrote to them.
 */
export class DriftDays {
  readonly #series = new Map<string, Series>();
  readonly #baselines = new Map<string, KeptBaseline>();
  readonly #readOnce = new Map<string, { readonly changes: number; readonly found: unknown }>();
  #numbers = 0;
  #revisions = 0;

  /** What was read of a model after its last change is read once: its baselines, its first week, its fields. */
  readonly once: ReadOnce = async <T>(
    { id, createdAt, changes }: MonitoredModel,
    what: string,
    read: () => Promise<T>,
  ): Promise<T> => {
    const name = `${id} ${createdAt} ${what}`;
    const known = this.#readOnce.get(name);
    if (known?.changes === changes) return known.found as T; // what was read under that name
    const found = await read();
    this.#readOnce.delete(name);
    this.#readOnce.set(name, { changes, found });
    trim(this.#readOnce, mostRead);
    return found;
  };

  /** The sums of a field in a baseline that does not move, and the number of its revision. */
  async before(needs: Needs, { model, baseline, column }: DriftQuestion): Promise<KeptBaseline> {
    const { baselineId, createdAt, sampleCount, from, to } = baseline;
    const of = [baselineId, createdAt, sampleCount, from, to, column];
    const name = JSON.stringify([model.id, model.createdAt, ...of]);
    const known = this.#baselines.get(name);
    const isFixed = baselineId !== firstWindowId;
    if (known !== undefined && (isFixed || known.changes === model.changes)) return known;
    const pieces = isFixed
      ? ''
      : JSON.stringify([
          ...(await namePieces(needs.tables, model.id, fieldKey(needs, column), {
            from: Date.parse(from ?? ''),
            to: Date.parse(to ?? ''),
          })),
        ]);
    if (known?.pieces === pieces) {
      known.changes = model.changes;
      return known;
    }
    const sketch = await baselineSketch(needs, baseline, column, 0);
    const read = { changes: model.changes, pieces, sketch, revision: ++this.#revisions };
    this.#baselines.delete(name);
    this.#baselines.set(name, read);
    trim(this.#baselines, mostBaselines);
    return read;
  }

  /**
   * The points of every bucket, in order, as the text of a list; `write` makes one of them, which is kept with its day. `revision` is that of the baseline,
   * `of` names what is measured, and `algorithm` what is made of it.
   */
  async points(
    needs: Needs,
    question: DriftQuestion,
    of: { readonly revision: number; readonly of: string; readonly algorithm: string },
    comparing: Comparing,
    write: (start: number, measured: Measured | undefined) => string,
  ): Promise<string> {
    const { starts, widthMs, from, to } = question.buckets;
    const { changes } = question.model;
    const series = this.#seriesOf(needs, question, of);
    const span = `${from} ${to}`;
    const answer = series.answers.get(of.algorithm);
    if (answer?.changes === changes && answer.span === span) return answer.text;
    const { held, keep } = await this.#heldDays(needs, question, series, comparing);
    const turns = new Turns(question.signal);
    const perDay = dayMs / widthMs;
    const texts: string[] = [];
    for (let bucket = 0; bucket < starts.length;) {
      await turns.offer();
      const start = starts[bucket] ?? 0;
      const day = held.get(dayOf(start));
      const isWhole = start % dayMs === 0 && bucket + perDay <= starts.length;
      const until = isWhole ? bucket + perDay : bucket + 1;
      let text = isWhole ? day?.texts.get(of.algorithm) : undefined;
      if (text === undefined) {
        const points: string[] = [];
        for (let at = bucket; at < until; at++) {
          const begin = starts[at] ?? 0;
          points.push(write(begin, measuredAt(day, begin, widthMs, ahead + comparing.bins)));
        }
        text = points.join(',');
        if (isWhole && day !== undefined) keep(dayOf(start), day, of.algorithm, text);
      }
      texts.push(text);
      bucket = until;
    }
    const text = `[${texts.join(',')}]`;
    // Nothing changed since the days were looked at.
    if (this.#isKept(series) && series.changes === changes) {
      const before = series.answers.get(of.algorithm)?.text.length ?? 0;
      this.#numbers += (text.length - before) / characters;
      series.answers.set(of.algorithm, { changes, span, text });
    }
    this.#makeRoom();
    return text;
  }

  /** What is kept of a question, which is now the one that was asked last. */
  #seriesOf(
    { ids }: Pick<Needs, 'ids'>,
    { model, column, version, buckets }: DriftQuestion,
    { revision, of }: { readonly revision: number; readonly of: string },
  ): Series {
    // A model that was removed and came again has the id that it had.
    const asked = [model.id, model.createdAt, column, version ?? null, buckets.widthMs];
    // Versions and edges may be any that somebody asks for.
    const name = ids.digest(JSON.stringify([...asked, revision, of]));
    const known = this.#series.get(name);
    const series = known ?? { name, changes: model.changes, days: new Map(), answers: new Map() };
    this.#series.delete(name);
    this.#series.set(name, series);
    return series;
  }

  /** Whether it did not have to make room. */
  #isKept(series: Series): boolean {
    return this.#series.get(series.name) === series;
  }

  /** The days of the span, and what keeps the text of one. */
  async #heldDays(needs: Needs, question: DriftQuestion, series: Series, comparing: Comparing) {
    const { model, column, buckets } = question;
    const { widthMs, from, to } = buckets;
    const field = fieldKey(needs, column);
    if (series.changes !== model.changes) await this.#forgetChanged(needs, question, series, field);
    const held = new Map(series.days);
    const missing: number[] = [];
    // The part of a day as a whole bucket is not the day.
    const isPart = (day: number): boolean =>
      widthMs === dayMs && (from > day * dayMs || to < (day + 1) * dayMs);
    for (let day = dayOf(from); day <= dayOf(to - 1); day++)
      if (isPart(day) || !held.has(day)) missing.push(day);
    for (const gap of gapsOf(missing))
      for (const [day, read] of await this.#readDays(needs, question, gap, field, comparing)) {
        held.set(day, read);
        // Another request may have looked at a later state meanwhile, or what was kept had to make room.
        const isLatest = series.changes === model.changes && this.#isKept(series);
        if (isPart(day) || !isLatest) continue;
        const before = series.days.get(day);
        this.#numbers += sizeOf(read) - (before === undefined ? 0 : sizeOf(before));
        series.days.set(day, read);
      }
    this.#makeRoom();
    const keep = (number: number, day: Day, algorithm: string, text: string): void => {
      if (!this.#isKept(series) || series.days.get(number) !== day) return;
      this.#numbers -= sizeOf(day);
      day.texts.set(algorithm, text);
      this.#numbers += sizeOf(day);
    };
    return { held, keep };
  }

  /** Forgets the days whose pieces are others than those they were read from. */
  async #forgetChanged(
    { tables }: Needs,
    { model, buckets }: DriftQuestion,
    series: Series,
    field: string,
  ): Promise<void> {
    const named = await namePieces(tables, model.id, field, buckets);
    for (const [day, kept] of series.days) {
      const isAsked = day >= dayOf(buckets.from) && day <= dayOf(buckets.to - 1);
      if (isAsked && (named.get(day) ?? '') === kept.pieces) continue;
      this.#numbers -= sizeOf(kept);
      series.days.delete(day);
    }
    series.changes = model.changes;
  }

  async #readDays(
    { tables }: Needs,
    { model, version, buckets, signal }: DriftQuestion,
    gap: { readonly from: number; readonly to: number },
    field: string,
    { bins, measure }: Comparing,
  ): Promise<ReadonlyMap<number, Day>> {
    const perDay = dayMs / buckets.widthMs;
    const width = ahead + bins;
    const read = new Map<number, Day>();
    const turns = new Turns(signal);
    let [day, pieces]: [number, string] = [dayOf(gap.from), ''];
    let sketches = new Map<number, Sketch[]>();
    const end = (): void => {
      const numbers = new Float64Array(sketches.size === 0 ? 0 : perDay * width);
      for (const [bucket, held] of sketches) {
        const measured = measure(mergeAll(held));
        if (measured === undefined) continue;
        const at = bucket * width;
        numbers[at] = measured.sampleCount;
        numbers[at + 1] = measured.distance ?? NaN;
        numbers.set(measured.counts, at + ahead);
      }
      read.set(day, { pieces, numbers, texts: new Map() });
      [pieces, sketches] = ['', new Map()];
    };
    // Whole days of buckets that are hours; of a day as one bucket what is asked for.
    const span =
      buckets.widthMs === hourMs
        ? gap
        : { from: Math.max(gap.from, buckets.from), to: Math.min(gap.to, buckets.to) };
    for await (const piece of readDayPieces(tables, model.id, field, { ...span, version })) {
      for (; day < piece.day; day++) end();
      await turns.offer();
      pieces += ` ${piece.piece}`;
      for (const { hour, sketch } of piece.profiles) {
        const bucket = Math.floor((hour * hourMs) / buckets.widthMs) % perDay;
        const held = sketches.get(bucket);
        if (held === undefined) sketches.set(bucket, [sketch]);
        else held.push(sketch);
      }
    }
    for (; day * dayMs < gap.to; day++) end();
    return read;
  }

  #makeRoom(): void {
    for (const [name, { days, answers }] of this.#series) {
      if (this.#numbers <= mostNumbers && this.#series.size <= mostSeries) return;
      for (const day of days.values()) this.#numbers -= sizeOf(day);
      for (const { text } of answers.values()) this.#numbers -= text.length / characters;
      days.clear();
      answers.clear();
      this.#series.delete(name);
    }
  }
}
