// Has rules score what is there already, because somebody asks for it.
import { Failure } from '#ports/failure';
import { scopeOfType } from '#ports/model/automations';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope } from '#ports/model/projects';
import type { TracedKind } from '#ports/model/traces';
import type { Stores } from '#ports/storage/storage';
import { readIds } from '../private-wire/ids.js';

/** Most pairs of a thing and a rule of one request. */
const mostPairs = 10_000;

interface SentScoring {
  readonly project_id: string;
  readonly entity_ids: readonly string[];
  readonly rule_ids: readonly string[];
  readonly entity_type: TracedKind;
}
type Scoring = Pick<Stores, 'automationRuns' | 'automations' | 'threads' | 'traces'>;

type Project = NonNullable<ProjectScope['project']>;

const requireThings = async (
  { threads, traces }: Scoring,
  kind: TracedKind,
  { id: projectId, workspaceId }: Project,
  ids: readonly string[],
): Promise<void> => {
  const places =
    kind === 'thread'
      ? await threads.findPlaces(workspaceId, ids)
      : await traces.findPlaces(kind, workspaceId, ids, projectId);
  const found = new Set(
    places.filter((place) => place.projectId === projectId).map((place) => place.id),
  );
  for (const id of ids) if (!found.has(id)) throw new Failure('absent', `${kind} ${id} not found`);
};

export const requireRules = async (
  { automations }: Pick<Scoring, 'automations'>,
  kind: TracedKind,
  { id: projectId, workspaceId }: Project,
  ids: readonly string[],
  caller: Caller,
): Promise<void> => {
  const rules = await automations.findMany(workspaceId, ids);
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  for (const id of ids) {
    const rule = byId.get(id);
    // A rule of several projects is more than a key of one project reaches.
    const isReached = caller.scope?.projectId === undefined || rule?.projects.length === 1;
    if (!isReached || !rule?.projects.some((project) => project.id === projectId))
      throw new Failure('absent', `automation rule ${id} not found`);
    if (scopeOfType[rule.type] !== kind)
      throw new Failure(
        'invalid',
        `automation rule ${id} scores ${scopeOfType[rule.type]}s, not ${kind}s`,
      );
  }
};

/**
 * Queues each thing for each rule. Rejects with `invalid` for a rule about other things, with `unprocessable` for no or too many ids, and with `absent`
 * for a thing or a rule that is not of the project.
 */
export const scoreNow = async (
  stores: Scoring,
  kind: TracedKind,
  { project }: Pick<ProjectScope, 'project'>,
  { body, caller }: { readonly body: SentScoring; readonly caller: Caller },
) => {
  if (body.entity_type !== kind) throw new Failure('invalid', `entity_type must be ${kind}`);
  const entityIds = readIds(body.entity_ids, 'entity_ids');
  const ruleIds = readIds(body.rule_ids, 'rule_ids');
  if (entityIds.length * ruleIds.length > mostPairs)
    throw new Failure(
      'unprocessable',
      `entity_ids times rule_ids must be at most ${mostPairs} evaluations`,
    );
  if (project === undefined)
    throw new Failure('absent', `project ${body.project_id.slice(0, 100)} not found`);
  await requireRules(stores, kind, project, ruleIds, caller);
  await requireThings(stores, kind, project, entityIds);
  await stores.automationRuns.enqueueFor(project.id, kind, entityIds, ruleIds);
  return { entities_queued: entityIds.length, rules_applied: ruleIds.length };
};
