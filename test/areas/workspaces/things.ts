import { v7 } from 'uuid';
import { supply, thing, type Stocking } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

/** A project of the workspace, and a second one to link to. */
export const projects = thing(async ({ ask, owner }) => {
  const [projectName, otherProject] = [freshName('project'), freshName('other')];
  const create = (name: string) =>
    ask('/api/rest/v2/write/project/create', {
      workspaceName: owner.workspace,
      projectName: name,
    });
  const { projectId = '' } = await create(projectName);
  await create(otherProject);
  return { projectId, projectName, otherProject };
});

/** The workspace itself, and somebody who belongs to nothing of it. */
export const workspaces = thing(({ owner }) => Promise.resolve({ workspace: owner.workspace }));

/** Users and workspaces that tests may change, take in and take away. */
interface SpareAccounts {
  /** Names of users who belong to nothing of the workspace yet. */
  readonly newcomers: string[];
  /** Names of ordinary members, who may be taken out. */
  readonly members: string[];
  /** Names of service accounts. */
  readonly services: string[];
  /** Names of workspaces that hold nothing. */
  readonly spaces: string[];
  /** Those that the owner administers. */
  readonly ownSpaces: string[];
}
const none: SpareAccounts = { newcomers: [], members: [], services: [], spaces: [], ownSpaces: [] };

const addSpace = async ({ storage, owner }: Stocking): Promise<string> => {
  const { workspaces: spaces, members } = storage.stores;
  const empty = { id: v7(), name: freshName('spare'), ownerId: owner.id, createdAt: Date.now() };
  await spaces.insert(empty);
  await members.setRole(empty.id, empty.ownerId, 'admin', []);
  return empty.name;
};

export const spareAccounts = supply(none, async (stocking) => {
  const { auth, storage, owner } = stocking;
  const spare: SpareAccounts = structuredClone(none);
  for (let i = 0; i < 60; i++) {
    const workspace = freshName('newcomer-space');
    const { user } = await auth.addUser({ name: freshName('newcomer'), workspace });
    spare.newcomers.push(user.name);
    spare.spaces.push(workspace);
  }
  for (let i = 0; i < 12; i++) {
    const { user } = await auth.addUser({ name: freshName('member') });
    await storage.stores.members.setRole(owner.workspaceId, user.id, 'member', []);
    spare.members.push(user.name);
    const robot = { name: freshName('sa-robot'), kind: 'service', workspace: null } as const;
    spare.services.push((await auth.addUser(robot)).user.name);
  }
  for (let i = 0; i < 4; i++) spare.ownSpaces.push(await addSpace(stocking));
  return spare;
});
