// Sketches of one field, kept by hour and version, so that months of it are read without an event.
import type { PluginTables } from '#ports/plugin-tables';
import { dayMs, hourMs } from './needs.js';
import { unpackProfiles, type Profile } from './profile-packing.js';
import { mergeSketches, sketchOf } from './sketches.js';
import type { Value } from './items.js';

/** The field under which events themselves are counted. */
export const eventsField = 'events';

const hoursOfDay = dayMs / hourMs;
export const dayOf = (at: number): number => Math.floor(at / dayMs);
export const hourOf = (at: number): number => Math.floor(at / hourMs);

/** Profiles of the same hour and version as one. */
export const joinProfiles = (profiles: readonly Profile[]): readonly Profile[] => {
  const joined = new Map<string, Profile>();
  for (const profile of profiles) {
    const name = `${profile.hour} ${profile.version}`;
    const before = joined.get(name);
    joined.set(
      name,
      before === undefined
        ? profile
        : { ...profile, sketch: mergeSketches(before.sketch, profile.sketch) },
    );
  }
  return [...joined.values()];
};

/** An hour and a version; the same of both is the same object. */
export interface Place {
  readonly hour: number;
  readonly version: string;
}
export class Places {
  readonly #found = new Map<string, Place>();
  #last: Place | undefined;

  of(at: number, version: string): Place {
    const hour = hourOf(at);
    if (this.#last?.hour === hour && this.#last.version === version) return this.#last;
    const name = `${hour} ${version}`;
    const found = this.#found.get(name) ?? { hour, version };
    this.#found.set(name, found);
    this.#last = found;
    return found;
  }
}

/** Values of one field by hour and version, before they are summed. */
export class Gathering {
  readonly #values = new Map<Place, Value[]>();
  #last: { readonly place: Place; readonly values: Value[] } | undefined;

  add(place: Place, value: Value | undefined): void {
    if (this.#last?.place !== place) {
      const values = this.#values.get(place) ?? [];
      this.#values.set(place, values);
      this.#last = { place, values };
    }
    if (value !== undefined) this.#last.values.push(value);
  }

  /** `eventsIn` says how many events could have had a value in an hour and version. */
  profiles(eventsIn?: (hour: number, version: string) => number): readonly Profile[] {
    return [...this.#values].map(([{ hour, version }, values]) => ({
      hour,
      version,
      sketch: sketchOf(values, eventsIn?.(hour, version) ?? values.length),
    }));
  }
}

const pageSize = 200;

interface ProfileSpan {
  readonly from: number;
  readonly to: number;
  /** Leaves out the others. */
  readonly version?: string | undefined;
}

/** The profiles of a field in the days of a span of time, day by day, those of a piece at once: long series are of many. */
export async function* readPieces(
  tables: PluginTables,
  model: string,
  field: string,
  { from, to, version }: ProfileSpan,
): AsyncIterable<readonly Profile[]> {
  let after: Readonly<Record<string, string | number>> = { day: dayOf(from) - 1, piece: '~' };
  const until = { day: dayOf(to - 1) };
  for (;;) {
    const rows = await tables.list(
      'profiles',
      'key',
      { model_id: model, field },
      { limit: pageSize, after, until },
    );
    for (const { content } of rows)
      if (content instanceof Uint8Array)
        yield unpackProfiles(content).filter(
          (profile) =>
            (profile.hour + 1) * hourMs > from &&
            profile.hour * hourMs < to &&
            (version === undefined || version === profile.version),
        );
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = { day: Number(last['day']), piece: String(last['piece']) };
  }
}

/** The same one by one. */
export async function* readProfiles(
  ...asked: Parameters<typeof readPieces>
): AsyncIterable<Profile> {
  for await (const piece of readPieces(...asked)) yield* piece;
}

/** The day that an hour lies in. */
export const dayOfHour = (hour: number): number => Math.floor(hour / hoursOfDay);
