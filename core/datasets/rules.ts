// What datasets may be called and tagged, and how they are shown. Pure.
import type { FilterTypes } from '../private-wire/filters.js';
import { Failure } from '#ports/failure';
import type { Dataset, DatasetType, DatasetVersion } from '#ports/model/datasets';
import type { DatasetFigures } from '#ports/storage/datasets';
import { showAuthorship } from '../private-wire/authorship.js';
import { showInstant } from '../private-wire/instants.js';

export const datasetFields: FilterTypes = {
  id: 'text',
  name: 'text',
  description: 'text',
  created_by: 'text',
  last_updated_by: 'text',
  tags: 'list',
  created_at: 'instant',
  last_updated_at: 'instant',
  last_created_experiment_at: 'instant',
  last_created_optimization_at: 'instant',
};
export const datasetOrders: readonly string[] = Object.keys(datasetFields);

/** Newer servers call a suite by another word; replies keep to this one, which every SDK knows. */
export const readType = (type: DatasetType | 'test_suite' | undefined): DatasetType =>
  type === 'test_suite' ? 'evaluation_suite' : (type ?? 'dataset');

const mostTags = 50;
const longestVersionTag = 100;
const [mostRetags, longestRetag] = [100, 100];

/** Tags, each once. Rejects with `unprocessable` beyond 50. */
export const readTags = (tags: readonly string[]): readonly string[] => {
  const distinct = [...new Set(tags)];
  if (distinct.length > mostTags)
    throw new Failure('unprocessable', `tags size must be between 0 and ${mostTags}`);
  return distinct;
};

/** Tags of a version. Rejects with `unprocessable` for one that is too long, and with `invalid` for that of the newest one. */
export const readVersionTags = (tags: readonly string[]): readonly string[] => {
  for (const tag of tags) {
    if (tag.trim() === '' || tag.length > longestVersionTag)
      throw new Failure(
        'unprocessable',
        `tag size must be between 1 and ${longestVersionTag} characters`,
      );
    if (tag === 'latest')
      throw new Failure('invalid', "the tag 'latest' is always on the newest version");
  }
  return [...new Set(tags)];
};

/** The number in the name of a version. */
export const numberIn = (name: string): number | undefined => {
  const [, digits] = /^v([1-9]\d{0,8})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** Refuses, with `unprocessable`, more tags to add or to remove than one change may name, and longer ones. */
const checkRetags = (member: string, tags: readonly string[] = []): void => {
  if (tags.length > mostRetags || tags.some((tag) => tag.length > longestRetag))
    throw new Failure(
      'unprocessable',
      `${member} takes at most ${mostRetags} tags of at most ${longestRetag} characters`,
    );
};

/** Tags after a change: those before with some more and some less, else those given. `undefined` where none of that is asked. */
export const retagged = (
  before: readonly string[] | undefined,
  sent: {
    readonly tags?: readonly string[] | undefined;
    readonly tags_to_add?: readonly string[] | undefined;
    readonly tags_to_remove?: readonly string[] | undefined;
  },
  merge = false,
): readonly string[] | undefined => {
  const { tags, tags_to_add: more, tags_to_remove: less } = sent;
  if (tags === undefined && more === undefined && less === undefined) return undefined;
  checkRetags('tags_to_add', more);
  checkRetags('tags_to_remove', less);
  const retags = more !== undefined || less !== undefined;
  const kept = retags || merge ? (before ?? []) : [];
  const start = retags ? kept : [...kept, ...(tags ?? [])];
  const gone = new Set(less ?? []);
  return readTags([...start, ...(more ?? [])].filter((tag) => !gone.has(tag)));
};

/** A member that is kept as JSON text. */
const parsed = (text: string | undefined): unknown =>
  text === undefined ? undefined : (JSON.parse(text) as unknown);

const latest = 'latest';
const tagsOf = ({ tags, newest }: DatasetVersion) => (newest ? [latest, ...tags] : [...tags]);

export const showJudging = ({
  evaluators,
  executionPolicy,
}: Pick<DatasetVersion, 'evaluators' | 'executionPolicy'>) => ({
  evaluators: parsed(evaluators) as readonly unknown[] | undefined, // as the row's shape let it through
  execution_policy: parsed(executionPolicy) as Readonly<Record<string, unknown>> | undefined, // as above
});

export const versionName = ({ number }: Pick<DatasetVersion, 'number'>): string => `v${number}`;

export const showVersion = (version: DatasetVersion) => ({
  id: version.id,
  dataset_id: version.datasetId,
  version_hash: version.hash,
  version_name: versionName(version),
  tags: tagsOf(version),
  is_latest: version.newest,
  items_total: version.itemsTotal,
  items_added: version.itemsAdded,
  items_modified: version.itemsModified,
  items_deleted: version.itemsDeleted,
  change_description: version.changeDescription,
  metadata: parsed(version.metadata),
  ...showJudging(version),
  ...showAuthorship(version),
});

export const showVersionSummary = (version: DatasetVersion) => ({
  id: version.id,
  version_hash: version.hash,
  version_name: versionName(version),
  change_description: version.changeDescription,
  tags: tagsOf(version),
});

const instant = (micros: number | undefined): string | undefined =>
  micros === undefined ? undefined : showInstant(micros);

export const showDataset = (
  dataset: Dataset,
  figures: DatasetFigures | undefined,
  version: DatasetVersion | undefined,
) => {
  const optimized = instant(figures?.lastOptimizationAt);
  return {
    id: dataset.id,
    name: dataset.name,
    project_id: dataset.projectId,
    type: dataset.type,
    visibility: dataset.visibility,
    tags: dataset.tags && [...dataset.tags],
    description: dataset.description,
    dataset_items_count: figures?.items ?? 0,
    experiment_count: figures?.evaluations ?? 0,
    optimization_count: figures?.optimizations ?? 0,
    most_recent_experiment_at: instant(figures?.lastEvaluationAt),
    last_created_experiment_at: instant(figures?.lastRegularEvaluationAt),
    most_recent_optimization_at: optimized,
    last_created_optimization_at: optimized,
    // What a file brings is there once the file is answered, so nobody needs to wait.
    status: 'completed' as const,
    latest_version: version && showVersionSummary(version),
    ...showAuthorship(dataset),
  };
};
