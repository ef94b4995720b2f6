// Scores of traces and spans that come in batches, before or after what they are about.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope, ProjectTarget } from '#ports/model/projects';
import type { AssertionResult } from '#ports/model/evaluations';
import type { Score } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import { scored } from '../annotation-queues/offers.js';
import { readId } from '../private-wire/ids.js';
import { namingOf, requireTarget, type NamedProject } from '../private-wire/targets.js';
import { toScore, type SentScore } from './feedback.js';

interface ScoringNeeds {
  readonly storage: StorageOf<
    'annotationQueues' | 'feedback' | 'projects' | 'traces' | 'workspaces'
  >;
  readonly clock: Clock;
  readonly ids: Ids;
}
type Sent = SentScore & NamedProject & { readonly id: string };

/** Before there was a row of its own, clients of test suites sent what an assertion came to as a score of this category. */
const assertionCategory = 'suite_assertion';
const isAssertion = ({ kind, categoryName }: Score): boolean =>
  kind === 'trace' && categoryName === assertionCategory;
const toAssertion = (score: Score): AssertionResult => ({
  projectId: score.projectId,
  entityKind: 'trace',
  entityId: score.entityId,
  name: score.name,
  passed: score.value > 0,
  reason: score.reason,
  source: score.source,
  createdAt: score.createdAt,
  createdBy: score.author,
  lastUpdatedAt: score.lastUpdatedAt,
  lastUpdatedBy: score.lastUpdatedBy,
});

export const scorer = (
  { storage, clock, ids }: ScoringNeeds,
  kind: 'trace' | 'span',
  keepAssertions: (results: readonly AssertionResult[]) => Promise<void> = async () => undefined,
) => {
  const { feedback, traces } = storage.stores;

  /** The project of each score: that of its entry where it names none and the entry is there, else the one that is meant. */
  const projectsOf = async (
    sent: readonly Sent[],
    target: ProjectTarget,
    caller: Caller,
  ): Promise<ReadonlyMap<string, string>> => {
    const places = target.named
      ? []
      : await traces.findPlaces(
          kind,
          target.workspace.id,
          sent.map(({ id }) => id.toLowerCase()),
          caller.scope?.projectId,
        );
    const found = new Map<string, string>();
    for (const { id, projectId } of places) if (!found.has(id)) found.set(id, projectId);
    const isEverywhere = sent.every(({ id }) => found.has(id.toLowerCase()));
    if (isEverywhere) return found;
    const { id: otherwise } = await requireTarget(storage, { clock, ids }, target, caller);
    for (const { id } of sent)
      if (!found.has(id.toLowerCase())) found.set(id.toLowerCase(), otherwise);
    return found;
  };

  return {
    /** Stores scores; one without a value, which came as NaN, is left out and the others are kept. */
    async scoreMany(
      sent: readonly Sent[],
      targets: readonly ProjectTarget[],
      caller: Caller,
    ): Promise<undefined> {
      const at = clock.now() * 1000;
      const by = caller.userName;
      const valued = sent.filter(({ value }) => value !== undefined);
      const read = valued.map((item) => ({
        naming: namingOf(item),
        item,
        score: toScore(item, {
          ...{ projectId: '', kind, by, at },
          entityId: readId(item.id, kind),
        }),
      }));
      for (const target of targets) {
        const own = read.filter(({ naming }) => naming === target.naming);
        if (own.length === 0) continue;
        const projects = await projectsOf(
          own.map(({ item }) => item),
          target,
          caller,
        );
        const scores = own.map(({ score }) => ({
          ...score,
          projectId: projects.get(score.entityId) ?? '',
        }));
        const opinions = scores.filter((score) => !isAssertion(score));
        await feedback.putScores(opinions);
        await scored(storage.stores, opinions, by);
        await keepAssertions(scores.filter(isAssertion).map(toAssertion));
      }
      return undefined;
    },
    /** Takes a score away wherever in a scope the entry stands. */
    async unscore(
      id: string,
      { name, author }: { readonly name: string; readonly author?: string | undefined },
      { workspace, project }: ProjectScope,
    ): Promise<undefined> {
      const entityId = readId(id, kind);
      const places = await traces.findPlaces(kind, workspace.id, [entityId], project?.id);
      for (const { projectId } of places)
        await feedback.removeScores(projectId, { kind, entityId }, [name], author);
      return undefined;
    },
  };
};
