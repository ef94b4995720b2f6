// What queues may be, what adds items to them, and how they are shown. Pure.
import { Failure } from '#ports/failure';
import type {
  AnnotationQueue,
  FoundQueue,
  ItemLock,
  QueueAutomation,
  ScoreCondition,
} from '#ports/model/annotation-queues';
import type { Score } from '#ports/model/traces';
import type { QueueProgress } from '#ports/storage/annotation-queues';
import { showAuthorship } from '../private-wire/authorship.js';
import type { FilterTypes } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readId } from '../private-wire/ids.js';
import { showInstant } from '../private-wire/instants.js';

export const queueFilters: FilterTypes = {
  id: 'text',
  project_id: 'text',
  name: 'text',
  description: 'text',
  instructions: 'text',
  scope: 'word',
  feedback_definition_names: 'list',
  created_at: 'instant',
  created_by: 'text',
  last_updated_at: 'instant',
  last_updated_by: 'text',
};

export const mostAnnotators = 1000;
export const mostLockSeconds = 3600;
export const mostNames = 1000;
const [usualAnnotators, usualLockSeconds] = [1, 300];
const [mostGroups, mostConditions, longestScoreName] = [5, 5, 255];

interface SentCondition {
  readonly score_name: string;
  readonly operator: ScoreCondition['operator'];
  readonly value: number;
}
export interface SentAutomation {
  readonly enabled?: boolean | undefined;
  readonly conditions?:
    { readonly groups: readonly { readonly conditions: readonly SentCondition[] }[] } | undefined;
  readonly max_items_in_queue?: number | undefined;
  readonly clear_max_items_in_queue?: boolean | undefined;
}
export interface SentSettings {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly instructions?: string | undefined;
  readonly comments_enabled?: boolean | undefined;
  readonly feedback_definition_names?: readonly string[] | undefined;
  readonly annotators_per_item?: number | undefined;
  readonly lock_timeout_seconds?: number | undefined;
  readonly annotator_view?: unknown;
}

const isBetween = (size: number | undefined, least: number, most: number): boolean =>
  size === undefined || (Number.isInteger(size) && size >= least && size <= most);
const requireBetween = (what: string, size: number | undefined, least: number, most: number) => {
  if (!isBetween(size, least, most))
    throw new Failure('invalid', `${what} must be between ${least} and ${most}`);
};

/** Refuses, with `invalid`, what a queue may not be changed to: the specification has no other status for it. */
export const checkSettings = (sent: SentSettings): void => {
  if (sent.name?.trim() === '') throw new Failure('invalid', 'name must not be blank');
  requireBetween('annotators_per_item', sent.annotators_per_item, 1, mostAnnotators);
  requireBetween('lock_timeout_seconds', sent.lock_timeout_seconds, 1, mostLockSeconds);
  requireBetween(
    'feedback_definition_names size',
    sent.feedback_definition_names?.length,
    0,
    mostNames,
  );
};

const readCondition = ({ score_name, operator, value }: SentCondition): ScoreCondition => {
  if (score_name.trim() === '') throw new Failure('invalid', 'score_name must not be blank');
  requireBetween('score_name size', score_name.length, 1, longestScoreName);
  return { scoreName: score_name, operator, value };
};

/** The automation after a change: what was not sent stays. Rejects with `invalid` for too many conditions, and for one that would be on without any. */
export const readAutomation = (
  stored: QueueAutomation | undefined,
  sent: SentAutomation | undefined,
): QueueAutomation | undefined => {
  if (sent === undefined) return stored;
  const groups = sent.conditions?.groups.map(({ conditions }) => {
    requireBetween('conditions size', conditions.length, 1, mostConditions);
    return conditions.map(readCondition);
  });
  requireBetween('groups size', groups?.length, 1, mostGroups);
  requireBetween('max_items_in_queue', sent.max_items_in_queue, 1, Number.MAX_SAFE_INTEGER);
  const automation: QueueAutomation = {
    enabled: sent.enabled ?? stored?.enabled ?? false,
    groups: groups ?? stored?.groups ?? [],
    ...given({
      mostItems:
        sent.clear_max_items_in_queue === true
          ? undefined
          : (sent.max_items_in_queue ?? stored?.mostItems),
    }),
  };
  if (automation.enabled && automation.groups.length === 0)
    throw new Failure('invalid', 'automation needs at least one group of conditions to be enabled');
  return automation;
};

/** What a new queue is like, where nothing is said. */
export const settingsOf = (sent: SentSettings) => ({
  description: sent.description,
  instructions: sent.instructions,
  commentsEnabled: sent.comments_enabled ?? false,
  definitionNames: [...new Set(sent.feedback_definition_names ?? [])],
  annotatorsPerItem: sent.annotators_per_item ?? usualAnnotators,
  lockTimeoutSeconds: sent.lock_timeout_seconds ?? usualLockSeconds,
  annotatorView:
    sent.annotator_view === undefined ? undefined : JSON.stringify(sent.annotator_view),
});

const dayMs = 24 * 60 * 60 * 1000;

/** Ids of traces or threads that are added. Rejects with `invalid` for one of another version, or of a day that is still to come. */
export const readItemIds = (ids: readonly string[], now: number): readonly string[] =>
  ids.map((text) => {
    const id = readId(text, 'annotation queue item');
    if (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) > now + dayMs)
      throw new Failure('invalid', `annotation queue item id ${id} must not be in the future`);
    return id;
  });

/** By as many digits as scores have, so that the mean of 0.4 and 0.8 is 0.6. */
const scale = 1e9;
const meanOf = (scores: readonly Score[]): number =>
  Math.round((scores.reduce((sum, { value }) => sum + value, 0) / scores.length) * scale) / scale;

/** Whether conditions of one group hold for scores of one item. */
export const isWanted = (
  { groups }: Pick<QueueAutomation, 'groups'>,
  scores: readonly Score[],
): boolean => {
  const holds = ({ scoreName, operator, value }: ScoreCondition): boolean => {
    const own = scores.filter(({ name }) => name === scoreName);
    if (own.length === 0) return false;
    const mean = meanOf(own);
    if (operator === '=') return mean === value;
    return operator === '>' ? mean > value : mean < value;
  };
  return groups.some((conditions) => conditions.every(holds));
};

const showAutomation = ({ enabled, groups, mostItems }: QueueAutomation) => ({
  enabled,
  conditions:
    groups.length === 0
      ? undefined
      : {
          groups: groups.map((conditions) => ({
            conditions: conditions.map(({ scoreName, operator, value }) => ({
              score_name: scoreName,
              operator,
              value,
            })),
          })),
        },
  max_items_in_queue: mostItems,
});

export const showQueue = (queue: FoundQueue, progress: QueueProgress | undefined) => ({
  id: queue.id,
  project_id: queue.projectId,
  project_name: queue.projectName,
  name: queue.name,
  description: queue.description,
  instructions: queue.instructions,
  scope: queue.scope,
  comments_enabled: queue.commentsEnabled,
  feedback_definition_names: [...queue.definitionNames],
  annotators_per_item: queue.annotatorsPerItem,
  lock_timeout_seconds: queue.lockTimeoutSeconds,
  automation: queue.automation && showAutomation(queue.automation),
  annotator_view:
    queue.annotatorView === undefined ? undefined : (JSON.parse(queue.annotatorView) as unknown), // as it was written
  reviewers: (progress?.reviewers ?? []).map(({ user, items }) => ({
    username: user,
    status: items,
  })),
  feedback_scores: (progress?.scores ?? []).map(({ name, value }) => ({ name, value })),
  items_count: queue.itemsCount,
  ...showAuthorship(queue),
});

/** Locks by their items, with when the first of each ends. */
export const showLocks = (locks: readonly ItemLock[]) => {
  const items = new Map<string, { readonly names: string[]; ends: number }>();
  for (const { itemId, lockedBy, expiresAt } of locks) {
    const item = items.get(itemId) ?? { names: [], ends: expiresAt };
    item.names.push(lockedBy);
    item.ends = Math.min(item.ends, expiresAt);
    items.set(itemId, item);
  }
  return Object.fromEntries(
    [...items].map(([itemId, { names, ends }]) => [
      itemId,
      { active_locks: names.length, locked_by: names, expires_at: showInstant(ends * 1000) },
    ]),
  );
};

/** Whether a queue that is there is the one that is made: a request that is sent again. */
export const isSameQueue = (
  stored: AnnotationQueue,
  { projectId, name, scope }: Pick<AnnotationQueue, 'projectId' | 'name' | 'scope'>,
): boolean => stored.projectId === projectId && stored.name === name && stored.scope === scope;
