// Builders of test data that name only what matters. Every name is fresh, so cases need no empty database.
import { pointsIn, type PointColumns, type StoredPoint } from '#ports/storage/metrics';
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Artifact, ArtifactVersion } from '#ports/model/artifacts';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { User } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import type { NewVersion } from '#ports/storage/artifact-versions';
import type { NewArtifact } from '#ports/storage/artifacts';
import type { Creation, NewExperiment } from '#ports/storage/experiments';
import type { MetricPoint } from '#ports/storage/metrics';
import type { NewProject } from '#ports/storage/projects';
import type { Storage, Stores } from '#ports/storage/storage';

/** A point in time that every builder starts from. */
export const start = 1_700_000_000_000;

export const freshName = (word = 'thing'): string => `${word}-${randomBytes(5).toString('hex')}`;
export const freshId = (): string => v7();
/** An id that was made at a moment, in microseconds. */
export const freshIdAt = (micros: number): string => v7({ msecs: Math.floor(micros / 1000) });
export const freshKey = (): string => randomBytes(16).toString('hex');

const must = <T>(found: T | undefined): T => {
  if (found === undefined) throw new Error('what was just made is not found');
  return found;
};

export const aUser = (given: Partial<User> = {}): User => ({
  id: freshId(),
  name: freshName('user'),
  email: undefined,
  emailProved: false,
  kind: 'person',
  admin: false,
  viewOnly: false,
  restricted: false,
  suspendedAt: undefined,
  defaultWorkspaceId: undefined,
  createdAt: start,
  ...given,
});
export const addUser = async (storage: Storage, given: Partial<User> = {}): Promise<User> => {
  const user = aUser(given);
  await storage.stores.users.insertUser(user);
  return user;
};

export const addWorkspace = async (
  storage: Storage,
  given: Partial<Workspace> = {},
): Promise<Workspace> => {
  const workspace: Workspace = {
    id: freshId(),
    name: freshName('workspace'),
    ownerId: given.ownerId ?? (await addUser(storage)).id,
    createdAt: start,
    ...given,
  };
  await storage.stores.workspaces.insert(workspace);
  return workspace;
};

export const addProject = async (
  storage: Storage,
  given: Partial<NewProject> = {},
): Promise<Project> => {
  const workspaceId = given.workspaceId ?? (await addWorkspace(storage)).id;
  const ownerId =
    given.ownerId ?? must(await storage.stores.workspaces.findById(workspaceId)).ownerId;
  const project: NewProject = {
    id: freshId(),
    name: freshName('project'),
    description: undefined,
    public: false,
    kind: 'em',
    createdAt: start,
    ...given,
    workspaceId,
    ownerId,
  };
  await storage.stores.projects.insert(project);
  return must(await storage.stores.projects.findById(project.id));
};

export const addExperiment = async (
  storage: Storage,
  given: Partial<NewExperiment> = {},
): Promise<Experiment> => {
  const project =
    given.projectId === undefined
      ? await addProject(storage)
      : must(await storage.stores.projects.findById(given.projectId));
  const experiment: NewExperiment = {
    id: freshId(),
    key: freshKey(),
    workspaceId: project.workspaceId,
    userId: project.ownerId,
    name: freshName('run'),
    createdAt: start,
    beatMs: 25_000,
    alive: false,
    offline: false,
    reportsEnd: false,
    ...given,
    projectId: project.id,
  };
  if (!(await storage.stores.experiments.insert(experiment)))
    throw new Error('the project of the experiment is not there');
  return must(await storage.stores.experiments.findByKey(experiment.key));
};

/** A new experiment of a project with all that it has. */
export const creationIn = (
  project: Project,
  given: Partial<NewExperiment> = {},
  limit?: number,
): Creation => {
  const id = given.id ?? freshId();
  return {
    experiment: {
      id,
      key: freshKey(),
      workspaceId: project.workspaceId,
      projectId: project.id,
      userId: project.ownerId,
      name: 'first',
      createdAt: start,
      beatMs: 25_000,
      alive: true,
      offline: false,
      reportsEnd: false,
      ...given,
    },
    named: { name: 'Name', context: undefined, text: 'first', step: undefined, timestamp: start },
    event: {
      id: freshId(),
      subject: `experiment:${id}`,
      name: 'experiment.created',
      at: start,
      detail: { of: id },
    },
    ...(limit === undefined ? {} : { limit }),
  };
};

/**
 * Many transactions that each lock, read a number and write the next: answers the number after them, which is `many` only where they took turns.
 */
export const countUnderLock = async (
  storage: Storage,
  many: number,
  {
    next,
    read,
  }: {
    readonly next: (stores: Stores) => Promise<void>;
    readonly read: () => Promise<number | undefined>;
  },
): Promise<number | undefined> => {
  await Promise.all(Array.from({ length: many }, () => storage.transaction(next)));
  return read();
};

/** An artifact of the experiment's workspace. */
export const addArtifact = (
  storage: Storage,
  made: Experiment,
  given: Partial<NewArtifact> = {},
): Promise<Artifact> =>
  storage.stores.artifacts.open({
    id: freshId(),
    workspaceId: made.workspaceId,
    projectId: made.projectId,
    experimentKey: made.key,
    ownerId: made.userId,
    name: freshName('artifact'),
    type: 'data',
    public: false,
    createdAt: start,
    ...given,
  });

/** An open version of an artifact; its order is its text unless one is given. */
export const addVersion = async (
  storage: Storage,
  made: Experiment,
  artifact: Artifact,
  given: Partial<NewVersion> = {},
): Promise<ArtifactVersion> => {
  const version: NewVersion = {
    id: freshId(),
    artifact,
    version: '1.0.0',
    order: given.version ?? '1.0.0',
    experimentId: made.id,
    experimentKey: made.key,
    ownerId: made.userId,
    metadata: undefined,
    note: undefined,
    tags: [],
    createdAt: start,
    ...given,
  };
  if ((await storage.stores.artifactVersions.insertVersion(version)) !== 'made')
    throw new Error(`version ${version.version} was not made`);
  return must(await storage.stores.artifactVersions.findVersion(version.id));
};

/** A point of `loss`, in which only what matters is named. */
export const point = (given: Partial<MetricPoint> = {}): MetricPoint => ({
  name: 'loss',
  context: undefined,
  text: '0.5',
  step: undefined,
  epoch: undefined,
  timestamp: start,
  ...given,
});

/** Everything that an asynchronous iteration gives. */
export const gather = async <T>(source: AsyncIterable<readonly T[]>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const some of source) all.push(...some);
  return all;
};

/** Every point that columns of them give. */
export const gatherPoints = async (
  source: AsyncIterable<PointColumns>,
): Promise<readonly StoredPoint[]> => {
  const all: StoredPoint[] = [];
  for await (const some of source) all.push(...pointsIn(some));
  return all;
};

/** What a promise rejects with; fails when it does not. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error('it was expected to reject');
};
