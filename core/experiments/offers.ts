// Making an experiment, for everything that makes one: REST, the live channel, batches. Over stores handed in, so that it joins the caller's transaction.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Project, ProjectKind } from '#ports/model/projects';
import type { Workspace } from '#ports/model/workspaces';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Settings } from '#ports/settings';
import type { Stores } from '#ports/storage/storage';
import { checkProjectName, defaultProject } from '../accounts/rules.js';
import { codes } from '../codes.js';
import { nameKey, toOther } from '../values/rules.js';
import { inventName, liveBeatMs, offlineBeatMs } from './rules.js';

export interface MakingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
}

export interface ExperimentRequest {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly projectName: string | undefined;
  readonly kind: ProjectKind;
  readonly key?: string;
  readonly name?: string | undefined;
  readonly offline?: boolean;
  readonly alive?: boolean;
  readonly reportsEnd?: boolean;
}

/** The project of that name, made when there is none. Rejects with `invalid` for a name that is too long or a project of the other kind. */
export const requireProject = async (stores: Stores, { clock, ids }: MakingNeeds, request: Pick<ExperimentRequest, 'workspace' | 'caller' | 'projectName' | 'kind'>): Promise<Project> => {
  const name = request.projectName === undefined || request.projectName === '' ? defaultProject : request.projectName;
  checkProjectName(name);
  const found = await stores.projects.findByName(request.workspace.id, name);
  if (found === undefined) {
    const id = ids.next();
    await stores.projects.insert({ id, workspaceId: request.workspace.id, name, description: undefined, public: false, kind: request.kind, ownerId: request.caller.userId, createdAt: clock.now() });
    const fresh = await stores.projects.findById(id);
    if (fresh === undefined) throw new Failure('absent', `project ${name.slice(0, 100)} was deleted just now`);
    return fresh;
  }
  if (found.kind !== request.kind) throw new Failure('invalid', found.kind === 'llm' ? `project ${name.slice(0, 100)} holds LLM runs only` : `project ${name.slice(0, 100)} holds no LLM runs`, { code: codes.projectKind });
  return found;
};

const checkRoom = async (stores: Stores, { settings }: MakingNeeds, project: Project, { id, name, experimentsLimit }: Workspace): Promise<void> => {
  if (experimentsLimit !== undefined && (await stores.workspaces.figures(id)).experiments >= experimentsLimit) throw new Failure('invalid', `workspace ${name} holds ${experimentsLimit} experiments already, which is its limit`, { code: codes.experimentLimit });
  const limit = project.kind === 'llm' ? settings.EXPERIMENTS_IN_LLM_PROJECT_LIMIT : settings.EXPERIMENTS_IN_EM_PROJECT_LIMIT;
  if (limit > 0 && (await stores.experiments.countInProject(project.id)) >= limit) throw new Failure('invalid', `project ${project.name.slice(0, 100)} holds ${limit} experiments already, which is the limit`, { code: codes.experimentLimit });
};

export interface MadeExperiment {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly project: Project;
}

/** Makes an experiment in its project, with its name as the one other that a fresh one has. Rejects with `conflict` when the key is taken, with `invalid` when the project is full. */
export const makeExperiment = async (stores: Stores, needs: MakingNeeds, request: ExperimentRequest): Promise<MadeExperiment> => {
  const project = await requireProject(stores, needs, request);
  await checkRoom(stores, needs, project, request.workspace);
  const key = request.key ?? needs.ids.key();
  const name = request.name === undefined || request.name === '' ? inventName(key) : request.name;
  const id = needs.ids.next();
  const now = needs.clock.now();
  await stores.experiments.insert({
    id, key, workspaceId: request.workspace.id, projectId: project.id, userId: request.caller.userId, name, createdAt: now, beatMs: request.offline === true ? offlineBeatMs : liveBeatMs, alive: request.alive ?? false, offline: request.offline ?? false, reportsEnd: request.reportsEnd ?? false,
  });
  await stores.values.write({ experimentId: id, kind: 'other', values: [toOther(nameKey, name, undefined, now)], receivedAt: now });
  await stores.events.append({ id: needs.ids.next(), subject: `experiment:${id}`, name: 'experiment.created', at: now, detail: { experimentKey: key, workspaceId: request.workspace.id, projectId: project.id, userName: request.caller.userName } });
  return { id, key, name, project };
};
