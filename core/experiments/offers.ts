// Making an experiment, for everything that makes one: REST, the live channel, batches. Over stores handed in, so that it joins the caller's transaction.
import type { WorkspacePlace } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import type { Project, ProjectKind } from '#ports/model/projects';
import type { Workspace } from '#ports/model/workspaces';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { StorageOf, Stores } from '#ports/storage/storage';
import type { PlaceFinder } from '#ports/storage/workspaces';
import type { Toggles } from '#ports/toggles';
import { checkProjectName, defaultProject } from '../workspaces/rules.js';
import { decodeText } from '../run-documents/rules.js';
import { nameKey, toOther } from '../parameters/rules.js';
import { inventName, liveBeatMs, offlineSilenceMs } from './rules.js';
import type { ExperimentSettings } from './settings.js';

export interface MakingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: ExperimentSettings;
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

/** The project of that name; where there is none, the workspace is locked, so that of many who miss it one makes it. */
const findOrHold = async (
  { projects, workspaces }: Pick<Stores, 'projects' | 'workspaces'>,
  workspace: Workspace,
  name: string,
): Promise<Project | undefined> => {
  const found = await projects.findByName(workspace.id, name);
  if (found !== undefined) return found;
  if ((await workspaces.lock(workspace.id)) === undefined) throw absentWorkspace(workspace.name);
  return projects.findByName(workspace.id, name);
};

const absentWorkspace = (name: string) =>
  new Failure('absent', `workspace ${name} no longer exists`, { reason: 'workspaceAbsent' });

/** The project of that name, made when there is none. Rejects with `invalid` for a name that is too long or a project of the other kind. */
export const requireProject = async (
  stores: Pick<Stores, 'projects' | 'workspaces'>,
  { clock, ids }: Pick<MakingNeeds, 'clock' | 'ids'>,
  request: Pick<ExperimentRequest, 'workspace' | 'caller' | 'projectName' | 'kind'>,
): Promise<Project> => {
  const name = projectNameOf(request);
  const found = await findOrHold(stores, request.workspace, name);
  if (found === undefined) {
    const id = ids.next();
    await stores.projects.insert({
      id,
      workspaceId: request.workspace.id,
      name,
      description: undefined,
      public: false,
      kind: request.kind,
      ownerId: request.caller.userId,
      createdAt: clock.now(),
    });
    const fresh = await stores.projects.findById(id);
    if (fresh === undefined)
      throw new Failure('absent', `project ${name.slice(0, 100)} was deleted just now`);
    return fresh;
  }
  return ofKind(found, request.kind);
};

/** The name that a request says, or the one of the project that is meant without one. Rejects with `invalid` for one that is too long. */
const projectNameOf = ({ projectName }: Pick<ExperimentRequest, 'projectName'>): string => {
  const name = projectName === undefined || projectName === '' ? defaultProject : projectName;
  checkProjectName(name);
  return name;
};

const ofKind = (project: Project, kind: ProjectKind): Project => {
  if (project.kind !== kind) throw wrongKind(project);
  return project;
};

/** Refuses with `invalid` when a workspace that has a limit is full, and keeps others from filling it meanwhile. */
export const checkWorkspaceRoom = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  { id, name, experimentsLimit }: Workspace,
  coming = 1,
): Promise<void> => {
  if (experimentsLimit === undefined || coming === 0) return;
  const limit = (await workspaces.lock(id))?.experimentsLimit;
  if (limit !== undefined && (await workspaces.figures(id)).experiments + coming > limit)
    throw new Failure(
      'invalid',
      coming === 1
        ? `workspace ${name} holds ${limit} experiments already, which is its limit`
        : `workspace ${name} may hold ${limit} experiments and has no room for ${coming} more`,
      { reason: 'experimentLimit' },
    );
};

/** Experiments a project of that kind may hold; 0 is any number. */
const projectLimit = (settings: ExperimentSettings, kind: ProjectKind): number =>
  kind === 'llm'
    ? settings.EXPERIMENTS_IN_LLM_PROJECT_LIMIT
    : settings.EXPERIMENTS_IN_EM_PROJECT_LIMIT;

/** More than are made at once: a project with as much room is not locked. */
const roomForMany = 1000;

/** Refuses with `invalid` when a project has no room for what is coming; one that is nearly full is locked, so that others do not fill it meanwhile. */
export const checkProjectRoom = async (
  { experiments, projects }: Pick<Stores, 'experiments' | 'projects'>,
  { settings }: Pick<MakingNeeds, 'settings'>,
  project: Pick<Project, 'id' | 'name' | 'kind'>,
  coming = 1,
): Promise<void> => {
  if (coming === 0) return;
  const limit = projectLimit(settings, project.kind);
  const isRoomy = async () =>
    coming <= roomForMany / 10 &&
    (await experiments.countInProject(project.id)) + coming + roomForMany <= limit;
  if (limit === 0 || (await isRoomy())) return;
  await projects.lock(project.id);
  const held = await experiments.countInProject(project.id);
  if (held + coming > limit) throw fullProject(project, { held, coming, limit });
};

const fullProject = (
  { name }: Pick<Project, 'name'>,
  { held, coming, limit }: Readonly<Record<'held' | 'coming' | 'limit', number>>,
) =>
  new Failure(
    'invalid',
    coming === 1
      ? `project ${name.slice(0, 100)} holds ${held} experiments already, and the limit is ${limit}`
      : `project ${name.slice(0, 100)} holds ${held} experiments and has no room for ${coming} more, since the limit is ${limit}`,
    { reason: 'experimentLimit' },
  );

/** The one kind of project that all of these experiments are at home in. Rejects with `invalid` when they are of both kinds. */
export const requireOneKind = async (
  { projects }: Pick<Stores, 'projects'>,
  experiments: readonly Pick<Experiment, 'projectId'>[],
): Promise<ProjectKind> => {
  const kinds = new Set<ProjectKind>();
  for (const projectId of new Set(experiments.map((experiment) => experiment.projectId)))
    kinds.add((await projects.findById(projectId))?.kind ?? 'em');
  if (kinds.size > 1)
    throw new Failure(
      'invalid',
      'one project holds either LLM runs or other experiments, not both',
      { reason: 'projectKind' },
    );
  return [...kinds][0] ?? 'em';
};

/** Refuses with `invalid` to link an experiment into a project of the other kind. */
export const checkLink = async (
  stores: Pick<Stores, 'projects'>,
  experiment: Experiment,
  project: Project,
): Promise<void> => {
  const kind = await requireOneKind(stores, [experiment]);
  if (kind !== project.kind) throw wrongKind(project);
};

const wrongKind = ({ kind, name }: Project) =>
  new Failure(
    'invalid',
    kind === 'llm'
      ? `project ${name.slice(0, 100)} holds LLM runs only`
      : `project ${name.slice(0, 100)} holds no LLM runs`,
    { reason: 'projectKind' },
  );

const placings = 20;

/**
 * Places something in the project that a request names. `place` says `false` where that was deleted or moved a moment ago; the project that has
 * its name then is looked for again, or made. Answers the project in the end.
 */
export const inProject = async (
  stores: Pick<Stores, 'projects' | 'workspaces'>,
  needs: MakingNeeds,
  request: Pick<ExperimentRequest, 'workspace' | 'caller' | 'projectName' | 'kind'>,
  place: (home: Project) => Promise<boolean>,
): Promise<Project> => placeIn(() => requireProject(stores, needs, request), place);

const placeIn = async (
  find: (attempt: number) => Promise<Project>,
  place: (home: Project) => Promise<boolean>,
): Promise<Project> => {
  for (let attempt = 0; attempt < placings; attempt++) {
    const project = await find(attempt);
    if (await place(project)) return project;
  }
  throw new Failure('unavailable', 'the project is deleted again and again', { retryAfter: 1 });
};

/** Refuses with `invalid` to move experiments to another workspace where that is switched off. */
export const checkMoves = (
  toggles: Toggles,
  { id }: Pick<Workspace, 'id'>,
  experiments: readonly Pick<Experiment, 'workspaceId'>[],
): void => {
  if (
    experiments.some(({ workspaceId }) => workspaceId !== id) &&
    !toggles.isOn('move-experiments-to-ws')
  )
    throw new Failure('invalid', 'experiments can only be moved within their workspace here');
};

export interface MoveRequest extends Pick<
  ExperimentRequest,
  'workspace' | 'caller' | 'projectName' | 'kind'
> {
  readonly experiments: readonly Experiment[];
}

/** Moves experiments together into the project that a request names. Rejects with `invalid` when there is no room for all. */
export const moveInto = async (
  stores: Pick<Stores, 'experiments' | 'projects' | 'workspaces'>,
  making: MakingNeeds,
  request: MoveRequest,
): Promise<void> => {
  const { workspace, experiments } = request;
  await inProject(stores, making, request, async (project) => {
    await checkRoom(stores, making, request, project);
    const moved = await stores.experiments.move(
      experiments.map(({ id }) => id),
      { workspaceId: workspace.id, projectId: project.id },
    );
    return moved !== 'homeless';
  });
};

/** Refuses with `invalid` where a project or its workspace has no room for all that are to move there. */
const checkRoom = async (
  stores: Pick<Stores, 'experiments' | 'projects' | 'workspaces'>,
  making: MakingNeeds,
  { workspace, experiments }: MoveRequest,
  project: Project,
): Promise<void> => {
  const comingFrom = (place: 'workspaceId' | 'projectId', id: string) =>
    experiments.filter((one) => one[place] !== id).length;
  await checkWorkspaceRoom(stores, workspace, comingFrom('workspaceId', workspace.id));
  await checkProjectRoom(stores, making, project, comingFrom('projectId', project.id));
};

/** Runs that one transaction moves or links: no writer of them waits longer than for so many. */
const placedAtOnce = 100;

/** Experiments in pieces, in the order in which experiments are locked. */
function* cutPieces(experiments: readonly Experiment[]): Iterable<readonly Experiment[]> {
  const inOrder = [...experiments].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let at = 0; at < inOrder.length; at += placedAtOnce)
    yield inOrder.slice(at, at + placedAtOnce);
}

/**
 * Moves any number of experiments, some in each transaction, once all of them may go there. Where it breaks off, what was moved stays moved, and
 * the same request again moves the rest.
 */
export const moveAllInto = async (
  storage: StorageOf<'experiments' | 'projects' | 'workspaces'>,
  making: MakingNeeds,
  request: MoveRequest,
): Promise<void> => {
  if (request.experiments.length > placedAtOnce)
    await storage.transaction(async (stores) => {
      await checkRoom(stores, making, request, await requireProject(stores, making, request));
    });
  for (const experiments of cutPieces(request.experiments))
    await storage.transaction((stores) => moveInto(stores, making, { ...request, experiments }));
};

/** Links any number of experiments into the project that a request names, likewise. */
export const linkAllInto = async (
  storage: StorageOf<'experiments' | 'projects' | 'workspaces'>,
  making: MakingNeeds,
  request: MoveRequest,
): Promise<void> => {
  for (const experiments of cutPieces(request.experiments))
    await storage.transaction(async (stores) => {
      const project = await requireProject(stores, making, request);
      for (const { id } of experiments) await stores.experiments.link(id, project.id);
    });
};

export interface MadeExperiment {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly project: Project;
}

/** What is stored of a new experiment, but for its project. */
const planExperiment = ({ clock, ids }: MakingNeeds, request: ExperimentRequest) => {
  const key = request.key ?? ids.key();
  const name = request.name === undefined || request.name === '' ? inventName(key) : request.name;
  const id = ids.next();
  const now = clock.now();
  return {
    id,
    key,
    workspaceId: request.workspace.id,
    userId: request.caller.userId,
    name,
    createdAt: now,
    beatMs: request.offline === true ? offlineSilenceMs : liveBeatMs,
    alive: request.alive ?? false,
    offline: request.offline ?? false,
    reportsEnd: request.reportsEnd ?? false,
  };
};

/** Puts a new experiment into a project; `false` where that is not there any more. */
const createIn = async (
  { experiments }: Pick<Stores, 'experiments'>,
  { ids, settings }: MakingNeeds,
  caller: Caller,
  planned: ReturnType<typeof planExperiment>,
  project: Project,
): Promise<boolean> => {
  const limit = projectLimit(settings, project.kind);
  const { id, key, name, workspaceId, createdAt } = planned;
  const outcome = await experiments.create({
    experiment: { ...planned, projectId: project.id },
    named: toOther(nameKey, name, undefined, createdAt),
    event: {
      id: ids.next(),
      subject: `experiment:${id}`,
      name: 'experiment.created',
      at: createdAt,
      detail: {
        experimentKey: key,
        workspaceId,
        projectId: project.id,
        userName: caller.userName,
      },
    },
    ...(limit === 0 ? {} : { limit }),
  });
  if (outcome === 'full')
    throw fullProject(project, {
      held: await experiments.countInProject(project.id),
      coming: 1,
      limit,
    });
  return outcome === 'made';
};

/** Makes an experiment in its project, with its name as the one other that a fresh one has, within the caller's transaction. Rejects with `conflict` when the key is taken, with `invalid` when the project is full. */
export const makeExperiment = async (
  stores: Pick<Stores, 'experiments' | 'projects' | 'workspaces'>,
  needs: MakingNeeds,
  request: ExperimentRequest,
): Promise<MadeExperiment> => {
  await checkWorkspaceRoom(stores, request.workspace);
  const planned = planExperiment(needs, request);
  const project = await inProject(stores, needs, request, (home) =>
    createIn(stores, needs, request.caller, planned, home),
  );
  return { id: planned.id, key: planned.key, name: planned.name, project };
};

/** The same by itself: without a transaction of its own, so that what many ask for at once is stored together, unless its workspace has a limit. */
export const makeOneExperiment = async (
  storage: StorageOf<'experiments' | 'projects' | 'workspaces'>,
  { places, ...needs }: MakingNeeds & { readonly places: PlaceFinder },
  request: ExperimentRequest,
): Promise<MadeExperiment> => {
  if (request.workspace.experimentsLimit !== undefined)
    return storage.transaction((stores) => makeExperiment(stores, needs, request));
  const { stores } = storage;
  const planned = planExperiment(needs, request);
  const name = projectNameOf(request);
  const project = await placeIn(
    async (attempt) => {
      // One that was found a moment ago may be gone by now; the next is looked for.
      const found = await (attempt === 0
        ? places.findProject(request.workspace.id, name)
        : stores.projects.findByName(request.workspace.id, name));
      return found === undefined
        ? storage.transaction((inside) => requireProject(inside, needs, request))
        : ofKind(found, request.kind);
    },
    (home) => createIn(stores, needs, request.caller, planned, home),
  );
  return { id: planned.id, key: planned.key, name: planned.name, project };
};

const errorLimit = 1_000_000;

/** Stores the error that came with a state in place of the one before; an empty text removes it. What is beyond a million characters is cut off, so that the state itself is never refused. */
export const replaceError = async (
  { texts }: Pick<Stores, 'texts'>,
  experimentId: string,
  error: string,
): Promise<void> => {
  if (error === '' && (await texts.read(experimentId, 'error')) === undefined) return;
  await texts.replace({ experimentId, kind: 'error', content: error.slice(0, errorLimit) });
};

/** The error that came with the state; `undefined` when there was none. */
export const readError = async (
  { texts }: Pick<Stores, 'texts'>,
  experimentId: string,
): Promise<string | undefined> => {
  const text = decodeText((await texts.read(experimentId, 'error')) ?? []);
  return text === '' ? undefined : text;
};

/** Where an experiment lies: in its project, and readable through every project that it is linked to and through a public one. */
export const experimentPlace = (
  { experiments, projects }: Pick<Stores, 'experiments' | 'projects'>,
  { id, key, workspaceId, projectId }: Experiment,
): WorkspacePlace => ({
  workspaceId,
  projectId,
  async readableThrough() {
    const around = [projectId, ...(await experiments.listLinks(id))];
    const found = await Promise.all(around.map((one) => projects.findById(one)));
    return found.filter((one) => one !== undefined);
  },
  readOnly: () =>
    new Failure('absent', `experiment ${key} may be read but not changed`, {
      reason: 'runNotAccessible',
    }),
});

/** The experiment of that id. */
export const experimentOf = async (
  { experiments }: Pick<Stores, 'experiments'>,
  id: string,
): Promise<Experiment | undefined> => (await experiments.listByIds([id]))[0];
