// What names of evaluations and their datasets stand for.
import type { Caller } from '#ports/model/identity';
import type { ProjectScope, ProjectTarget } from '#ports/model/projects';
import { requireDataset } from '../datasets/offers.js';
import { roleOf } from '../permissions.js';
import { findNamed } from '../private-wire/records.js';
import { isBlank } from './rules.js';
import type { EvaluationNeeds } from './needs.js';

interface DatasetPlace {
  readonly target: ProjectTarget;
  /** Of the project that was named. */
  readonly projectId: string | undefined;
  readonly caller: Caller;
}

/** The dataset of a name, made where there is none; none of a blank name. */
export const datasetOf = async (
  { storage: { stores }, clock, ids }: EvaluationNeeds,
  name: string | undefined,
  { target, projectId, caller }: DatasetPlace,
) => {
  if (name === undefined || isBlank(name)) return undefined;
  const { workspace, project } = target;
  const scope = { workspace, project, named: projectId !== undefined };
  return (
    (await findNamed(stores, stores.datasets, scope, name, caller)) ??
    requireDataset(stores, { clock, ids }, { workspaceId: workspace.id, projectId, name, caller })
  );
};

/** Ids of those of a name: in the project that is named, else anywhere that the caller reaches. */
export const findByName = async (
  { evaluations }: EvaluationNeeds['storage']['stores'],
  { workspace, project, named: ofProject }: ProjectScope,
  name: string,
  caller: Caller,
): Promise<readonly string[]> => {
  const own =
    ofProject && project !== undefined
      ? await evaluations.findByName(workspace.id, name, project.id)
      : [];
  if (own.length > 0) return own;
  const isMember =
    roleOf(caller, workspace.id) !== undefined && caller.scope?.projectId === undefined;
  if (!isMember) return [];
  const anywhere = await evaluations.findByName(workspace.id, name);
  if (!ofProject) return anywhere;
  return (await evaluations.findMany(workspace.id, anywhere))
    .filter(({ projectId }) => projectId === undefined)
    .map(({ id }) => id);
};
