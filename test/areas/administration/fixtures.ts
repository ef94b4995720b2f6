import type { AreaFixtures } from '#test/api/fixtures';
import { freshName, freshPassword } from '#test/api/fresh';
import { spareAccounts } from '#test/areas/workspaces/things';

export const fixtures: AreaFixtures = {
  areas: ['administration', 'directory', 'usage', 'installation', 'queues'],
  rows: {
    listToggles: { aboutCaller: 'is about the installation' },
    changeToggle: {
      aboutCaller: 'is about the installation',
      with: () => ({ 'body.name': 'video-panel' }),
    },
    listSettings: { aboutCaller: 'is about the installation' },
    listUsers: { aboutCaller: 'is about the installation' },
    createUser: {
      aboutCaller: 'is about the installation',
      with: () => ({ 'body.userName': freshName('user') }),
      notOurs: { 'body.workspaceName': "the new user's own" },
    },
    deleteUser: {
      with: (world) => ({ 'params.userName': world.of(spareAccounts).newcomers.pop() }),
      consumes: true,
    },
    changeUserName: {
      with: (world) => ({
        'body.oldUserName': world.of(spareAccounts).newcomers.pop(),
        'body.newUserName': freshName('user'),
      }),
    },
    resetPassword: { with: () => ({ 'body.newPassword': freshPassword() }) },
    revokeUserKey: { consumes: true },
    listAllWorkspaces: { aboutCaller: 'is about the installation' },
    renameWorkspace: {
      with: (world) => ({ 'body.newWorkspaceName': world.workspace }),
      notOurs: { 'body.newWorkspaceName': 'its new name' },
    },
    deleteWorkspace: {
      with: (world) => ({ 'body.workspaceName': world.of(spareAccounts).spaces.pop() }),
      consumes: true,
    },
    moveWorkspaceContents: {
      with: (world) => ({
        'body.workspaceName': world.of(spareAccounts).spaces[0],
        'body.targetWorkspaceName': world.workspace,
      }),
      consumes: true,
      notOurs: {
        'body.targetWorkspaceName':
          'is asked by administrators of the installation, who reach every workspace',
      },
    },
    createServiceAccount: {
      aboutCaller: 'is about the installation',
      with: () => ({ 'body.name': freshName('robot') }),
      notOurs: { 'body.teamName': 'an administrator of the installation reaches every workspace' },
    },
    listServiceAccounts: { aboutCaller: 'is about the installation' },
    rotateServiceAccountKey: {
      with: (world) => ({ 'body.name': world.of(spareAccounts).services[0] }),
    },
    rotateServiceAccountKeyByName: {
      with: (world) => ({ 'params.name': world.of(spareAccounts).services[0] }),
    },
    updateServiceAccount: {
      with: (world) => ({ 'params.name': world.of(spareAccounts).services[0] }),
    },
    deleteServiceAccount: {
      with: (world) => ({ 'params.name': world.of(spareAccounts).services.pop() }),
      consumes: true,
    },
    chargebackReport: { aboutCaller: 'is about the installation' },
    licenseReport: { aboutCaller: 'is about the installation' },
    usageReport: { aboutCaller: 'is about the installation' },
    readSchema: { aboutCaller: 'is about the installation' },
    checkInstallation: { aboutCaller: 'is about the installation' },
    auditBlobs: { aboutCaller: 'is about the installation' },
    exportInstallation: { aboutCaller: 'is about the installation' },
    listQueues: { aboutCaller: 'is about the installation' },
    listQueueFaults: { aboutCaller: 'is about the installation' },
    retryQueue: {
      aboutCaller: 'is about the installation',
      with: () => ({ 'body.item': undefined }),
    },
  },
};
