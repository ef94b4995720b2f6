// Sketches of one field, kept by hour and version, so that months of it are read without an event.
import type { PluginTables } from '#ports/plugin-tables';
import { dayMs, hourMs } from './needs.js';
import { unpackProfiles, type Profile } from './profile-packing.js';
import { mergeSketches, sketchOf } from './sketches.js';
import type { Value } from './items.js';

/** The field under which events themselves are counted. */
export const eventsField = 'events';

/** What the names of pieces begin with that a client made itself. They stand behind all others, and nothing that is kept here could make them anew. */
const sentPrefix = 'sent-';
export const sentPiece = (id: string): string => `${sentPrefix}${id}`;
export const isSentPiece = (piece: string): boolean => piece.startsWith(sentPrefix);
/** The bound between pieces that were made here, which come first, and those of clients. */
export const lastOwnPiece = { piece: sentPrefix } as const;

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

/** A piece of the sums of a field: those of one day, or a part of them. Its content never changes. */
interface Piece {
  readonly day: number;
  readonly piece: string;
  readonly profiles: readonly Profile[];
}

/** The rows of a field's days, in order, with these columns or all. */
async function* rowsOf(
  tables: PluginTables,
  model: string,
  field: string,
  { from, to }: Pick<ProfileSpan, 'from' | 'to'>,
  columns: { readonly columns?: readonly string[] } = {},
) {
  let after: Readonly<Record<string, string | number>> = { day: dayOf(from) - 1, piece: '~' };
  const until = { day: dayOf(to - 1) };
  for (;;) {
    const rows = await tables.list(
      'profiles',
      'key',
      { model_id: model, field },
      { limit: pageSize, after, until, ...columns },
    );
    for (const { day, piece, content } of rows)
      yield { day: Number(day), piece: String(piece), content };
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = { day: Number(last['day']), piece: String(last['piece']) };
  }
}

/** The pieces of a field in the days of a span of time, day by day, with the profiles that touch the span. */
export async function* readDayPieces(
  tables: PluginTables,
  model: string,
  field: string,
  { from, to, version }: ProfileSpan,
): AsyncIterable<Piece> {
  for await (const { day, piece, content } of rowsOf(tables, model, field, { from, to }))
    if (content instanceof Uint8Array)
      yield {
        day,
        piece,
        profiles: unpackProfiles(content).filter(
          (profile) =>
            (profile.hour + 1) * hourMs > from &&
            profile.hour * hourMs < to &&
            (version === undefined || version === profile.version),
        ),
      };
}

/** The names of the pieces of each day that has any; the same names are the same sums. */
export const namePieces = async (
  tables: PluginTables,
  model: string,
  field: string,
  span: Pick<ProfileSpan, 'from' | 'to'>,
): Promise<ReadonlyMap<number, string>> => {
  const named = new Map<number, string>();
  const keys = { columns: ['day', 'piece'] };
  for await (const { day, piece } of rowsOf(tables, model, field, span, keys))
    named.set(day, `${named.get(day) ?? ''} ${piece}`);
  return named;
};

/** The profiles of a field in the days of a span of time, day by day, those of a piece at once: long series are of many. */
export async function* readPieces(
  ...asked: Parameters<typeof readDayPieces>
): AsyncIterable<readonly Profile[]> {
  for await (const { profiles } of readDayPieces(...asked)) yield profiles;
}

/** The same one by one. */
export async function* readProfiles(
  ...asked: Parameters<typeof readPieces>
): AsyncIterable<Profile> {
  for await (const piece of readPieces(...asked)) yield* piece;
}

/** The day that an hour lies in. */
export const dayOfHour = (hour: number): number => Math.floor(hour / hoursOfDay);
