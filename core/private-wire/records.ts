// What records of the private wire have in common that clients name by an id of their own: where they are looked for, and whose they are.
import type { KindRules, WorkspacePlace } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Project, ProjectScope } from '#ports/model/projects';
import type { Stores } from '#ports/storage/storage';
import type { PlaceFinder } from '#ports/storage/workspaces';
import { mayRead } from '../places.js';
import { isUuid } from '../uuid.js';
import { checkReach, placeIn, workspaceOfHeader } from './targets.js';

interface Placed {
  readonly workspaceId: string;
  /** `undefined` for what is the workspace's. */
  readonly projectId?: string | undefined;
  readonly visibility?: 'private' | 'public';
}

/** Rules of a kind whose records lie in the workspace of the header, and may lie in a project of it: an id of another workspace is an unknown one. */
export const recordRules = <R extends Placed>(
  {
    stores,
    places,
    membersOnly = false,
  }: {
    readonly stores: Pick<Stores, 'projects' | 'workspaces'>;
    readonly places: PlaceFinder;
    /** Whether only members of the workspace read them, also those of a public project. */
    readonly membersOnly?: boolean;
  },
  what: string,
  find: (workspaceId: string, id: string) => Promise<R | undefined>,
): KindRules<R> => {
  return {
    async find({ text }, asking) {
      const workspace = await workspaceOfHeader({ stores, places }, asking);
      const found = isUuid(text) ? await find(workspace.id, text.toLowerCase()) : undefined;
      const project = found && (await projectOfRecord(stores, found));
      const isPublic = !membersOnly && (found?.visibility === 'public' || project?.public === true);
      checkReach(asking.caller, workspace, { public: isPublic });
      return found;
    },
    async placeOf(record) {
      const place = placeOfRecord(record, await projectOfRecord(stores, record));
      return membersOnly ? { ...place, public: false } : place;
    },
    absent: (text) => new Failure('absent', `${what} ${text.slice(0, 100)} not found`),
    // What is the whole workspace's is more than a key of one project reaches.
    forProjectKeys: async (_, { projectId }) => projectId !== undefined,
  };
};

/** The project of a record; `undefined` for what is the workspace's. */
export const projectOfRecord = async (
  { projects }: Pick<Stores, 'projects'>,
  { projectId }: Placed,
): Promise<Project | undefined> =>
  projectId === undefined ? undefined : projects.findById(projectId);

/** Where a record lies. */
export const placeOfRecord = (record: Placed, project: Project | undefined): WorkspacePlace => {
  const { ownerId: _, ...place } = placeIn(record.workspaceId, project);
  return { ...place, public: record.visibility === 'public' || place.public === true };
};

/** Whether a caller may read a record that was found by something else than its id. */
export const reachesRecord = async (
  stores: Pick<Stores, 'projects'>,
  caller: Caller,
  record: Placed,
): Promise<boolean> => {
  const only = caller.scope?.projectId;
  if (only !== undefined && record.projectId !== only) return false;
  return mayRead(caller, placeOfRecord(record, await projectOfRecord(stores, record)));
};

/** Of these ids those of records that a credential reaches: all of them, unless it is narrowed to a project. */
export const reachedIds = async (
  { workspace, project }: Pick<ProjectScope, 'workspace' | 'project'>,
  ids: readonly string[],
  findMany: (
    workspaceId: string,
    ids: readonly string[],
  ) => Promise<readonly { readonly id: string; readonly projectId: string | undefined }[]>,
): Promise<readonly string[]> =>
  project === undefined
    ? ids
    : (await findMany(workspace.id, ids))
        .filter((record) => record.projectId === project.id)
        .map(({ id }) => id);

/** Finds many records one after the other, where a store finds only one at a time. */
export const oneByOne =
  <R>(find: (workspaceId: string, id: string) => Promise<R | undefined>) =>
  async (workspaceId: string, ids: readonly string[]): Promise<readonly R[]> => {
    const found: R[] = [];
    for (const id of ids) {
      const record = await find(workspaceId, id);
      if (record !== undefined) found.push(record);
    }
    return found;
  };

/** What a client is told that named a project for a record which is the workspace's alone; nothing where it did not. */
export const fallenBack = (
  { named }: Pick<ProjectScope, 'named'>,
  { projectId }: Placed,
  what: string,
): { readonly deprecation?: string } =>
  named && projectId === undefined
    ? {
        deprecation: `this ${what} is in no project: it was found in the workspace, and should be made in the project`,
      }
    : {};

interface NamedRecords<R> {
  findByName(
    workspaceId: string,
    projectId: string | undefined,
    name: string,
  ): Promise<R | undefined>;
  findAnywhere(workspaceId: string, name: string): Promise<R | undefined>;
}

/**
 * The record of a name: in the project that the request names first, then among those of the workspace alone; anywhere where it names none. Only
 * what the caller may read.
 */
export const findNamed = async <R extends Placed>(
  stores: Pick<Stores, 'projects'>,
  records: NamedRecords<R>,
  { workspace, project, named }: ProjectScope,
  name: string,
  caller: Caller,
): Promise<R | undefined> => {
  const candidates = named
    ? [
        project === undefined
          ? undefined
          : await records.findByName(workspace.id, project.id, name),
        await records.findByName(workspace.id, undefined, name),
      ]
    : [await records.findAnywhere(workspace.id, name)];
  for (const found of candidates)
    if (found !== undefined && (await reachesRecord(stores, caller, found))) return found;
  return undefined;
};
