// Names, tags and statuses of registered models. Pure.
import { Failure } from '#ports/failure';
import type { ModelStatus, ModelVersion } from '#ports/model/registry';
import type { RegistrySettings } from './settings.js';
import { compareVersions, isOf } from '../versions.js';

/**
 * By which models are told apart: lower case, every run of anything but letters and digits one dash, none at the ends. What the Python client
 * makes of a name is the same as what is made of it here, so it finds the model under both.
 */
export const normalName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** The normal form of a name for a model. Refuses with `invalid` one without a letter or digit. */
export const requireName = (name: string): string => {
  const normal = normalName(name);
  if (normal === '')
    throw new Failure('invalid', 'registryModelName must hold a letter or a digit');
  return normal;
};

export const absentModel = (name: string): Failure =>
  new Failure('absent', `registered model ${name.slice(0, 100)} not found`, {
    reason: 'registryModelAbsent',
  });
export const absentVersion = (id: string): Failure =>
  new Failure('absent', `model version ${id.slice(0, 80)} not found`, {
    reason: 'modelVersionAbsent',
  });

const tagLength = 200;
const tagsAtMost = 1000;

/** Each tag once, in their order. Refuses with `invalid` an empty or overlong one, or too many. */
export const checkTags = (tags: readonly string[]): readonly string[] => {
  if (tags.some((tag) => tag.trim() === '' || tag.length > tagLength))
    throw new Failure('invalid', `a stage or tag must have 1 to ${tagLength} characters`);
  const once = [...new Set(tags)];
  if (once.length > tagsAtMost)
    throw new Failure('invalid', `a version must have at most ${tagsAtMost} tags`);
  return once;
};

/** What changed from some tags to others. */
export const compareTags = (before: readonly string[], after: readonly string[]) => ({
  addedStages: after.filter((tag) => !before.includes(tag)),
  removedStages: before.filter((tag) => !after.includes(tag)),
});

/** Highest first; the younger of two equals. */
export const newestFirst = (versions: readonly ModelVersion[]): readonly ModelVersion[] =>
  [...versions].sort(
    (one, other) => compareVersions(other.version, one.version) || (other.id < one.id ? -1 : 1),
  );

export interface VersionChoice {
  readonly version?: string | undefined;
  readonly stage?: string | undefined;
  readonly major?: number | undefined;
  readonly minor?: number | undefined;
}

/** The highest version that fits, among all of them. */
export const chooseVersion = (
  versions: readonly ModelVersion[],
  { version, stage, major, minor }: VersionChoice,
): ModelVersion | undefined =>
  newestFirst(versions).find(
    (one) =>
      (version === undefined || one.version === version) &&
      (stage === undefined || one.tags.includes(stage)) &&
      isOf(one.version, { major, minor }),
  );

/** The status of a version that was given none. */
export const noStatus = 'None';
const archived = 'Archived';

const status = (name: string, colour: string, more: Partial<ModelStatus> = {}): ModelStatus => ({
  name,
  colour,
  requiresApproval: true,
  exclusive: false,
  ...more,
});

/** Statuses of an installation whose administrators have set none. */
export const defaultStatuses: readonly ModelStatus[] = [
  status(noStatus, '#9e9e9e'),
  status('Development', '#42a5f5'),
  status('Staging', '#ffa726'),
  status('QA', '#ab47bc'),
  status('Production', '#66bb6a', { exclusive: true }),
  status(archived, '#78909c'),
];

export const requireStatus = (statuses: readonly ModelStatus[], name: string): ModelStatus => {
  const found = statuses.find((one) => one.name === name);
  if (found === undefined)
    throw new Failure(
      'invalid',
      `status ${name.slice(0, 100)} is not allowed; allowed are ${statuses.map((one) => one.name).join(', ')}`,
    );
  return found;
};

/** Where a version goes whose exclusive status another one takes. */
export const displacedTo = (statuses: readonly ModelStatus[], taken: string): string =>
  taken !== archived && statuses.some(({ name }) => name === archived) ? archived : noStatus;

/** Refuses with `invalid` a list in which a status has no name or two have the same. */
export const checkStatuses = (statuses: readonly ModelStatus[]): void => {
  if (statuses.length === 0 || statuses.length > 100)
    throw new Failure('invalid', 'there must be 1 to 100 statuses');
  if (statuses.some(({ name }) => name.trim() === ''))
    throw new Failure('invalid', 'a status must have a name');
  if (new Set(statuses.map(({ name }) => name)).size < statuses.length)
    throw new Failure('invalid', 'two statuses must not have the same name');
};

const dayMs = 24 * 60 * 60 * 1000;

/** When the oldest request was filed that may still be decided. */
export const oldestOpen = (
  { ORRERY_REGISTRY_REQUEST_DAYS: days }: Pick<RegistrySettings, 'ORRERY_REGISTRY_REQUEST_DAYS'>,
  now: number,
): number => (days > 0 ? now - days * dayMs : 0);

export interface Metadatum {
  readonly key: string;
  readonly value: unknown;
}

const metadataLength = 256 * 1024;

/** Metadata as kept after some of its keys were set, in the order in which they first came. Refuses with `invalid` more than a quarter of a megabyte. */
export const mergeMetadata = (before: string | undefined, change: readonly Metadatum[]): string => {
  const merged = new Map(parseStoredMetadata(before).map(({ key, value }) => [key, value]));
  for (const { key, value } of change) merged.set(key, value);
  const text = JSON.stringify([...merged].map(([key, value]) => ({ key, value })));
  if (text.length > metadataLength)
    throw new Failure(
      'invalid',
      `metadata of a version must be at most ${metadataLength} characters`,
    );
  return text;
};
export const parseStoredMetadata = (text: string | undefined): readonly Metadatum[] =>
  text === undefined ? [] : (JSON.parse(text) as readonly Metadatum[]); // written by `mergeMetadata`

/** Days as the Python client's readers know them, `November 16, 2023`, in UTC. */
const longDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** Lists by day, in the order of the entries. */
export const groupByDay = <T extends { readonly at: number }>(
  entries: readonly T[],
): ReadonlyMap<string, readonly T[]> => {
  const days = new Map<string, T[]>();
  for (const entry of entries) {
    const day = longDate.format(entry.at);
    const known = days.get(day);
    if (known === undefined) days.set(day, [entry]);
    else known.push(entry);
  }
  return days;
};
