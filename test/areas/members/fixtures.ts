import type { AreaFixtures } from '#test/api/fixtures';
import { spareAccounts } from '#test/areas/workspaces/things';

export const fixtures: AreaFixtures = {
  areas: ['members'],
  rows: {
    listKeys: { aboutCaller: "lists the caller's own" },
    rotateKey: { consumes: true },
    revokeKey: { consumes: true },
    setMember: {
      with: (world) => ({
        'body.userName': world.of(spareAccounts).members[0],
        'body.role': 'member',
      }),
    },
    removeMember: { with: (world) => ({ 'body.userName': world.of(spareAccounts).members.pop() }) },
    leaveWorkspace: { asks: 'leaver' },
    setWorkspaceOwner: { with: (world) => ({ 'body.userName': world.owner.name }) },
    renameOwnWorkspace: {
      with: (world) => ({ 'body.newWorkspaceName': world.workspace }),
      spare: (world) => ({ 'body.workspaceName': world.of(spareAccounts).ownSpaces[0] }),
      notOurs: { 'body.newWorkspaceName': 'its new name' },
    },
    deleteOwnWorkspace: {
      own: (world) => ({ 'body.workspaceName': world.of(spareAccounts).ownSpaces.pop() }),
      consumes: true,
    },
  },
};
