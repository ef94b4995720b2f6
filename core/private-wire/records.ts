// What records of the private wire have in common that clients name by an id of their own: where they are looked for, and whose they are.
import type { KindRules } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import type { Stores } from '#ports/storage/storage';
import type { PlaceFinder } from '#ports/storage/workspaces';
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
  }: { readonly stores: Pick<Stores, 'projects' | 'workspaces'>; readonly places: PlaceFinder },
  what: string,
  find: (workspaceId: string, id: string) => Promise<R | undefined>,
): KindRules<R> => {
  const projectOf = async ({ projectId }: Placed) =>
    projectId === undefined ? undefined : stores.projects.findById(projectId);
  return {
    async find({ text }, asking) {
      const workspace = await workspaceOfHeader({ stores, places }, asking);
      const found = isUuid(text) ? await find(workspace.id, text.toLowerCase()) : undefined;
      const project = found && (await projectOf(found));
      const isPublic = found?.visibility === 'public' || project?.public === true;
      checkReach(asking.caller, workspace, { public: isPublic });
      return found;
    },
    async placeOf(record) {
      const { ownerId: _, ...place } = placeIn(record.workspaceId, await projectOf(record));
      return { ...place, public: record.visibility === 'public' || place.public === true };
    },
    absent: (text) => new Failure('absent', `${what} ${text.slice(0, 100)} not found`),
    // What is the whole workspace's is more than a key of one project reaches.
    forProjectKeys: async (_, { projectId }) => projectId !== undefined,
  };
};
