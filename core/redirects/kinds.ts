// What links name: in the workspace that they say, else in any workspace that whoever opens them belongs to.
import {
  defineKind,
  type KindDefinition,
  type KindRules,
  type Name,
} from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import {
  linkedDataset,
  linkedEvaluation,
  linkedOptimization,
  linkedTrace,
  type Linked,
} from '#ports/model/links';
import type { Workspace } from '#ports/model/workspaces';
import { storageOf, type Stores } from '#ports/storage/storage';
import { placeOfRecord } from '../private-wire/records.js';
import { isUuid } from '../uuid.js';

interface Placed {
  readonly id: string;
  readonly projectId: string | undefined;
  readonly visibility?: 'private' | 'public';
}
type Find = (workspaceId: string, id: string) => Promise<Placed | undefined>;

/** Most workspaces that are looked through. */
const mostWorkspaces = 100;

/** Where to look, the caller's own workspace first. */
const workspacesFor = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  { texts }: Name,
  { defaultWorkspaceId, roles }: Caller,
): Promise<readonly Workspace[]> => {
  const [named] = texts.length > 1 ? texts : [];
  if (named !== undefined && named.trim() !== '') {
    const found = await workspaces.findByName(named);
    return found === undefined ? [] : [found];
  }
  const own = defaultWorkspaceId === undefined ? [] : [defaultWorkspaceId];
  const ids = [...new Set([...own, ...roles.keys()])].slice(0, mostWorkspaces);
  const found = new Map((await workspaces.listByIds(ids)).map((one) => [one.id, one]));
  return ids.flatMap((id) => found.get(id) ?? []);
};

const linkedRules = (
  stores: Pick<Stores, 'projects' | 'workspaces'>,
  what: string,
  find: Find,
): KindRules<Linked> => ({
  async find(name, { caller }) {
    if (!isUuid(name.text)) return undefined;
    for (const workspace of await workspacesFor(stores, name, caller)) {
      const found = await find(workspace.id, name.text.toLowerCase());
      if (found === undefined) continue;
      const { id, projectId, visibility = 'private' } = found;
      const project =
        projectId === undefined ? undefined : await stores.projects.findById(projectId);
      return { id, workspaceId: workspace.id, workspaceName: workspace.name, project, visibility };
    }
    return undefined;
  },
  placeOf: async (linked) => placeOfRecord(linked, linked.project),
  absent: (text) => new Failure('absent', `${what} ${text.slice(0, 100)} not found`),
  forProjectKeys: async (_, { project }) => project !== undefined,
});

export const linkedKinds: readonly KindDefinition[] = [
  defineKind(linkedTrace, {
    needs: { storage: storageOf('projects', 'traces', 'workspaces') },
    rules: ({ storage: { stores } }) =>
      linkedRules(stores, 'trace', async (workspaceId, id) => {
        const [place] = await stores.traces.findPlaces('trace', workspaceId, [id]);
        return place;
      }),
  }),
  defineKind(linkedDataset, {
    needs: { storage: storageOf('datasets', 'projects', 'workspaces') },
    rules: ({ storage: { stores } }) => linkedRules(stores, 'dataset', stores.datasets.find),
  }),
  defineKind(linkedEvaluation, {
    needs: { storage: storageOf('evaluations', 'projects', 'workspaces') },
    rules: ({ storage: { stores } }) => linkedRules(stores, 'experiment', stores.evaluations.find),
  }),
  defineKind(linkedOptimization, {
    needs: { storage: storageOf('optimizations', 'projects', 'workspaces') },
    rules: ({ storage: { stores } }) =>
      linkedRules(stores, 'optimization', stores.optimizations.find),
  }),
];
