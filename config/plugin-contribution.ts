// What is wrong with what a plugin contributes, found before anything is served.
import type { Area } from '#ports/api/area';
import { isEventName } from '#ports/events';
import type { Contribution } from '#ports/plugin';
import { needsStorage } from '#ports/storage/storage';
import { isName, isObject, quoted, unknownMember } from './plugin-manifest.js';
import { uiFault } from './plugin-ui-fault.js';
import { nameOf, rowFault, wordsOf, type RowWords } from './plugin-rows.js';

/** What a contribution must fit in with. */
export interface Surroundings {
  /** Whether the configuration trusts the plugin with the storage. */
  readonly trusted: boolean;
  /** Every area there is before this one. */
  readonly areas: readonly Area[];
  /** The names of all toggles. */
  readonly toggles: readonly string[];
  /** The names of all settings. */
  readonly settings: readonly string[];
  /** The names of all webhook forms before this one's. */
  readonly forms: readonly string[];
}

const members: Readonly<Record<keyof Contribution, true>> = {
  areas: true,
  on: true,
  jobs: true,
  webhookForms: true,
  ui: true,
  stop: true,
};

const eventsFault = (on: unknown): string | undefined => {
  if (on === undefined) return undefined;
  if (!isObject(on)) return 'what it does on events is not an object of functions by name';
  for (const [name, act] of Object.entries(on)) {
    if (name !== '*' && !isEventName(name))
      return `it waits for ${quoted(name)}, which no event is called`;
    if (typeof act !== 'function') return `what it does on ${name} is not a function`;
  }
  return undefined;
};

const jobsFault = (jobs: unknown): string | undefined => {
  if (jobs === undefined) return undefined;
  if (!Array.isArray(jobs)) return 'its jobs are not a list';
  const seen = new Set<string>();
  for (const job of jobs as readonly unknown[]) {
    if (!isObject(job)) return 'one of its jobs is not an object';
    const { name, everyMs, run } = job;
    if (!isName(name))
      return `the name of its job ${quoted(name)} is not lower-case words with dashes`;
    if (seen.has(name)) return `it has two jobs called ${name}`;
    if (typeof everyMs !== 'number' || !Number.isFinite(everyMs) || everyMs <= 0)
      return `its job ${name} has no interval: everyMs must be a number of ms above 0`;
    if (typeof run !== 'function') return `its job ${name} has no method run`;
    seen.add(name);
  }
  return undefined;
};

const formsFault = (forms: unknown, before: readonly string[]): string | undefined => {
  if (forms === undefined) return undefined;
  if (!Array.isArray(forms)) return 'its webhook forms are not a list';
  const seen = new Set(before);
  for (const form of forms as readonly unknown[]) {
    const name = isObject(form) ? form['name'] : undefined;
    if (typeof name !== 'string' || name === '') return 'one of its webhook forms has no name';
    if (seen.has(name)) return `it brings the webhook form ${quoted(name)}, which exists already`;
    seen.add(name);
  }
  return undefined;
};

/** Rows that would hide others: the same id, or the same method and path. */
const shadowFault = (areas: readonly Area[], more: readonly Area[]): string | undefined => {
  const placesOf = (area: Area) =>
    Object.entries(area.table).map(
      ([id, row]) =>
        [id, [id, ...[row.path].flat().map((path) => `${row.method} ${path}`)]] as const,
    );
  const taken = new Map(
    areas.flatMap(placesOf).flatMap(([id, places]) => places.map((place) => [place, id] as const)),
  );
  for (const [id, places] of more.flatMap(placesOf)) {
    const clash = places.find((place) => taken.has(place));
    if (clash === id) return `its operation ${id} has the name of another one, which it would hide`;
    if (clash !== undefined)
      return `its operation ${id} would hide ${taken.get(clash) ?? clash} (${clash})`;
    for (const place of places) taken.set(place, id);
  }
  return undefined;
};

/** The names of the kinds that areas bring along, whatever else is wrong with them. */
const kindNamesOf = (given: readonly unknown[]): readonly string[] =>
  given
    .flatMap((one): unknown => (isObject(one) ? one['kinds'] : undefined) ?? [])
    .flatMap((definition) => (isObject(definition) ? (nameOf(definition['kind']) ?? []) : []));

type Member = Readonly<Record<string, unknown>>;
/** The rows of settings or toggles that an area brings, whatever else is wrong with it. */
const rowsIn = (one: unknown, holder: (area: Member) => unknown): Member => {
  const held = isObject(one) ? holder(one) : undefined;
  const rows = isObject(held) ? held['rows'] : undefined;
  return isObject(rows) ? rows : {};
};
/** Says which setting or toggle of these areas is there already, or lacks what every one has. */
const takenBy = (
  given: readonly unknown[],
  what: 'setting' | 'toggle',
  taken: readonly string[],
  holder: (area: Member) => unknown,
): string | undefined => {
  const seen = new Set(taken);
  for (const one of given)
    for (const [name, row] of Object.entries(rowsIn(one, holder))) {
      if (seen.has(name)) return `it brings the ${what} ${quoted(name)}, which exists already`;
      if (!isObject(row) || row['default'] === undefined || typeof row['says'] !== 'string')
        return `its ${what} ${quoted(name)} lacks a default or a line that says what it does`;
      seen.add(name);
    }
  return undefined;
};

/** Whether it is a family of rows, as far as can be told before it answers. */
const isFamily = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Array.isArray(value['roots']) &&
  isObject(value['dress']) &&
  typeof value['dress']['failure'] === 'function';

const areasFault = (
  given: unknown,
  { areas, toggles, settings, trusted }: Surroundings,
): string | undefined => {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) return 'its areas are not a list';
  const own = wordsOf(areas);
  const kinds = new Set(own.kinds);
  for (const name of kindNamesOf(given)) {
    if (kinds.has(name)) return `it defines the kind ${quoted(name)}, which exists already`;
    kinds.add(name);
  }
  const clash =
    takenBy(given, 'setting', settings, (one) => one['settings']) ??
    takenBy(given, 'toggle', toggles, (one) => ({ rows: one['toggles'] }));
  if (clash !== undefined) return clash;
  const ownToggles = given.flatMap((one) =>
    Object.keys(rowsIn(one, (area) => ({ rows: area['toggles'] }))),
  );
  const words: RowWords = { ...own, kinds, toggles: [...toggles, ...ownToggles] };
  for (const one of given as readonly unknown[]) {
    if (
      !isObject(one) ||
      !isName(one['name']) ||
      !isObject(one['table']) ||
      !isObject(one['needs']) ||
      typeof one['handlers'] !== 'function'
    )
      return 'one of its areas lacks a name, a table, needs or handlers';
    const { name, table, needs, kinds = [] } = one as unknown as Area; // as was just checked
    if (!trusted && [needs, ...kinds.map((kind) => kind.needs)].some(needsStorage))
      return `its area ${name} asks for the storage, which is granted only to plugins that the configuration trusts`;
    const family: unknown = one['family'];
    if (!isFamily(family))
      return `its area ${name} is of the family ${quoted(family)}, which is none; import one from ports/api/families`;
    for (const [id, row] of Object.entries(table)) {
      const fault = rowFault(row, words);
      if (fault !== undefined) return `its operation ${quoted(id)} ${fault}`;
    }
  }
  return shadowFault(areas, given as readonly Area[]); // each was just checked
};

/** What is wrong with a contribution, in one sentence; `undefined` when nothing is. */
export const contributionFault = (
  value: unknown,
  surroundings: Surroundings,
): string | undefined => {
  if (!isObject(value)) return 'its contribute gives nothing: it must give an object';
  return (
    unknownMember('what it contributes', value, Object.keys(members)) ??
    (value['stop'] === undefined || typeof value['stop'] === 'function'
      ? undefined
      : 'its stop is not a function') ??
    eventsFault(value['on']) ??
    jobsFault(value['jobs']) ??
    formsFault(value['webhookForms'], surroundings.forms) ??
    uiFault(value['ui']) ??
    areasFault(value['areas'], surroundings)
  );
};
