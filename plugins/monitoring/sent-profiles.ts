// Sums that a client made itself of events that it does not send: they stand beside those that are made here.
import { Failure } from '#ports/failure';
import type { PluginTables } from '#ports/plugin-tables';
import type { Source } from './items.js';
import {
  ensureModel,
  fieldKey,
  fieldsAmong,
  lockModel,
  storeFields,
  type Field,
} from './models.js';
import { dayMs, keyText, sumDays, type MonitoringNeeds } from './needs.js';
import { packProfiles, type Profile } from './profile-packing.js';
import { dayOfHour, eventsField, hourOf, sentPiece } from './profiles.js';
import { emptySketch, sketchOfSums, type Sketch } from './sketches.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

export interface SentNumbers {
  /** Means and weights, in ascending order. */
  readonly centroids: readonly (readonly number[])[];
  readonly exact?: boolean | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly sum?: number | undefined;
  readonly squares?: number | undefined;
}
export interface SentField {
  readonly name: string;
  readonly source: Source;
  readonly numbers?: SentNumbers | undefined;
  readonly texts?: Readonly<Record<string, number>> | undefined;
  readonly otherTexts?: number | undefined;
}
export interface SentProfile {
  readonly timestamp: number;
  readonly events: number;
  readonly fields: readonly SentField[];
}
export interface SentProfiles {
  readonly modelVersion: string;
  readonly profileId: string;
  readonly profiles: readonly SentProfile[];
}

/** Fields of all hours that are sent at once, and of a model. */
const [mostSent, mostFields] = [20_000, 20_000] as const;
const mostCentroids = 1000;

/** The sums of a field in an hour, with every rule held. */
const sketchFrom = (events: number, field: SentField): Sketch => {
  const { name, source, numbers, texts = {}, otherTexts = 0 } = field;
  const refuse = (why: string): never => {
    throw new Failure('invalid', `${source} ${name.slice(0, 80)} ${why}`);
  };
  const points = numbers?.centroids ?? [];
  if (points.length > mostCentroids) refuse(`has more than ${mostCentroids} centroids`);
  let [before, values] = [-Infinity, otherTexts];
  for (const point of points) {
    const [mean = NaN, weight = NaN] = point;
    if (point.length !== 2 || !Number.isFinite(mean) || mean <= before)
      refuse('must have centroids [mean, weight] whose means ascend');
    if (!Number.isSafeInteger(weight) || weight < 1)
      refuse('must have weights that are whole numbers from 1 on');
    before = mean;
    values += weight;
  }
  for (const [text, count] of Object.entries(texts)) {
    if (!Number.isSafeInteger(count) || count < 1)
      refuse(`must count ${text.slice(0, 80)} by a whole number from 1 on`);
    values += count;
  }
  if (!Number.isSafeInteger(otherTexts) || otherTexts < 0) refuse('must have otherTexts from 0 on');
  if (values > events) refuse(`has ${values} values of ${events} events`);
  const [first, last] = [points[0]?.[0], points.at(-1)?.[0]];
  const { min = first, max = last } = numbers ?? {};
  if (first !== undefined && last !== undefined && !((min ?? 0) <= first && (max ?? 0) >= last))
    refuse('must have min and max around its centroids');
  return sketchOfSums({
    // A label that is not there may still come.
    events: source === 'label' ? values : events,
    points: {
      means: points.map(([mean = 0]) => mean),
      weights: points.map(([, weight = 0]) => weight),
    },
    exact: numbers === undefined || numbers.exact === true,
    ends: first === undefined ? undefined : { min: min ?? first, max: max ?? first },
    sum: numbers?.sum,
    squares: numbers?.squares,
    texts: new Map(Object.entries(texts)),
    otherTexts,
  });
};

/** What is sent, as it is kept: by column and day. */
class Sorted {
  readonly columns = new Map<string, Map<number, Profile[]>>();
  readonly fields = new Map<string, Field>();

  add(column: string, hour: number, version: string, sketch: Sketch): void {
    const days = this.columns.get(column) ?? new Map<number, Profile[]>();
    this.columns.set(column, days);
    const day = dayOfHour(hour);
    const held = days.get(day);
    if (held === undefined) days.set(day, [{ hour, version, sketch }]);
    else held.push({ hour, version, sketch });
  }

  see({ name, source }: SentField, at: number, isNumeric: boolean): string {
    const column = `${source}_${name}`;
    const before = this.fields.get(column);
    this.fields.set(column, {
      ...{ column, name, source, numeric: before?.numeric ?? isNumeric },
      firstSeen: Math.min(at, before?.firstSeen ?? at),
      lastSeen: Math.max(at, before?.lastSeen ?? at),
    });
    return column;
  }
}

const sortOut = (sent: SentProfiles, now: number): Sorted => {
  const sorted = new Sorted();
  if (sent.profiles.reduce((sum, { fields }) => sum + fields.length, 0) > mostSent)
    throw new Failure('invalid', `at most ${mostSent} fields are sent at once`);
  for (const { timestamp, events, fields } of sent.profiles) {
    if (timestamp > now + dayMs)
      throw new Failure('invalid', 'timestamp is more than 24 hours ahead');
    if (timestamp < now - sumDays * dayMs)
      throw new Failure('invalid', `timestamp is older than ${sumDays} days`);
    const hour = hourOf(timestamp);
    const counted = { means: [1], weights: [events], numbers: events, sum: events };
    sorted.add(eventsField, hour, sent.modelVersion, {
      ...{ ...emptySketch, ...counted, events, squares: events, min: 1, max: 1 },
    });
    const names = new Set<string>();
    for (const field of fields) {
      const column = sorted.see(field, timestamp, (field.numbers?.centroids.length ?? 0) > 0);
      if (names.has(column))
        throw new Failure('invalid', `${column.slice(0, 80)} stands twice in an hour`);
      names.add(column);
      sorted.add(column, hour, sent.modelVersion, sketchFrom(events, field));
    }
  }
  return sorted;
};

/** Fields as they are from now on. What is known to hold texts takes no numbers, and a model has room for so many. */
const fieldsWith = async (
  needs: Pick<Needs, 'ids'>,
  inside: PluginTables,
  model: string,
  fields: ReadonlyMap<string, Field>,
  hasNumbers: (column: string) => boolean,
): Promise<readonly Field[]> => {
  const known = await fieldsAmong({ ...needs, tables: inside }, model, [...fields.keys()]);
  for (const [column, { numeric }] of known)
    if (!numeric && hasNumbers(column))
      throw new Failure('invalid', `${column.slice(0, 80)} holds texts and takes no numbers`);
  if (known.size < fields.size) {
    const all = await inside.list(
      'fields',
      'key',
      { model_id: model },
      { limit: mostFields, columns: ['field'] },
    );
    if (all.length + fields.size - known.size > mostFields)
      throw new Failure('invalid', `a model has at most ${mostFields} fields`);
  }
  return [...fields.values()].map((field) => {
    const before = known.get(field.column);
    return before === undefined
      ? field
      : {
          ...before,
          firstSeen: Math.min(before.firstSeen, field.firstSeen),
          lastSeen: Math.max(before.lastSeen, field.lastSeen),
        };
  });
};

/** Stores what was sorted out, unless it is there already. The model is locked. */
const storeOnce = async (
  needs: Needs,
  inside: PluginTables,
  modelId: string,
  sent: SentProfiles,
  sorted: Sorted,
): Promise<boolean> => {
  const { ids, clock } = needs;
  const content = ids.digest(JSON.stringify([sent.modelVersion, sent.profiles]));
  const key = { model_id: modelId, profile: keyText(ids, sent.profileId) };
  const before = await inside.find('sent_profiles', key);
  if (before?.['content'] === content) return false;
  if (before !== undefined)
    throw new Failure(
      'conflict',
      `profileId ${sent.profileId.slice(0, 80)} brought other sums before`,
    );
  const hasNumbers = (column: string): boolean =>
    [...(sorted.columns.get(column)?.values() ?? [])].some((held) =>
      held.some(({ sketch }) => sketch.numbers > 0),
    );
  const fields = await fieldsWith(needs, inside, modelId, sorted.fields, hasNumbers);
  const piece = sentPiece(ids.next());
  await inside.insertAll(
    'profiles',
    [...sorted.columns].flatMap(([column, days]) =>
      [...days].map(([day, held]) => ({
        ...{ model_id: modelId, day, piece },
        field: column === eventsField ? eventsField : fieldKey(needs, column),
        content: packProfiles(held),
      })),
    ),
  );
  await storeFields(needs, inside, modelId, fields);
  await inside.insert('sent_profiles', { ...key, at: clock.now(), content });
  return true;
};

/**
 * Adds sums by hour to those of a model, all or none, and says what became of them: the same id with the same sums counts once. What is wrong makes no model. Rejects with
 * `conflict` where that id brought others, and with `invalid` for sums that cannot be.
 */
export const storeSentProfiles = async (
  needs: Needs,
  workspaceId: string,
  sent: SentProfiles & { readonly modelName: string },
): Promise<{ readonly modelId: string; readonly isNew: boolean }> => {
  const now = needs.clock.now();
  const sorted = sortOut(sent, now);
  const { id: modelId } = await ensureModel(needs, workspaceId, sent.modelName);
  const isNew = await needs.tables.transaction(async (inside) => {
    const { sumDays: kept } = await lockModel(inside, modelId);
    if (sent.profiles.some(({ timestamp }) => timestamp < now - (kept - 1) * dayMs))
      throw new Failure('invalid', `sums of the model are kept for ${kept} days`);
    return storeOnce(needs, inside, modelId, sent, sorted);
  });
  return { modelId, isNew };
};
