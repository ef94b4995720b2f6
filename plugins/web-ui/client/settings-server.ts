// Rows about accounts, members and the installation, as functions; see `server.ts`.
import type { administrationOperations } from '#ports/api/administration';
import type { auditOperations } from '#ports/api/audit';
import type { directoryOperations } from '#ports/api/directory';
import type { identityOperations } from '#ports/api/identity';
import type { installationOperations } from '#ports/api/installation';
import type { memberOperations } from '#ports/api/members';
import type { projectUsageOperations } from '#ports/api/project-usage';
import type { programAdministration, programOperations } from '#ports/api/programs';
import type { queueOperations } from '#ports/api/queues';
import type { approvalOperations } from '#ports/api/registry';
import type { retentionOperations } from '#ports/api/retention';
import type { usageOperations } from '#ports/api/usage';
import type { channelOperations } from '#ports/api/webhooks';
import type { workspaceConfigurationOperations } from '#ports/api/workspace-configuration';
import type { workspaceOperations } from '#ports/api/workspaces';
import { row } from './request.js';

type Identity = typeof identityOperations;
type Members = typeof memberOperations;
type Directory = typeof directoryOperations;
type Workspaces = typeof workspaceOperations;
type Channels = typeof channelOperations;
type Installation = typeof installationOperations;
type Queues = typeof queueOperations;
type Retention = typeof retentionOperations;
type Configurations = typeof workspaceConfigurationOperations;
const rest = '/api/rest/v2';
const admin = '/api/admin';
const oneUser = `${admin}/users/{userName}` as const;
const oneServiceAccount = `${admin}/service-accounts/{name}` as const;

/** What concerns who signed in. */
export const ownServer = {
  account: row<Workspaces['accountDetails']>('GET', `${rest}/account-details`),
  setDefault: row<Members['setDefaultWorkspace']>('POST', `${rest}/write/workspace/default`),
  changePassword: row<Identity['changePassword']>('POST', '/api/auth/password'),
  listSessions: row<Identity['listSessions']>('GET', '/api/auth/sessions'),
  endSession: row<Identity['endSession']>('DELETE', '/api/auth/sessions/{sessionId}'),
  signOut: row<Identity['signOut']>('POST', '/api/auth/sign-out'),
  signOutEverywhere: row<Identity['signOutEverywhere']>('POST', '/api/auth/sign-out-everywhere'),
  listKeys: row<Members['listKeys']>('GET', '/api/auth/keys'),
  createKey: row<Members['createKey']>('POST', '/api/auth/keys'),
  rotateKey: row<Members['rotateKey']>('POST', '/api/auth/keys/{keyId}/rotate'),
  revokeKey: row<Members['revokeKey']>('DELETE', '/api/auth/keys/{keyId}'),
  listPrograms: row<(typeof programOperations)['listPrograms']>('GET', '/api/auth/programs'),
  endProgram: row<(typeof programOperations)['endProgram']>(
    'DELETE',
    '/api/auth/programs/{clientId}',
  ),
} as const;

/** Workspaces and projects as a whole. */
export const placeServer = {
  createWorkspace: row<Workspaces['createWorkspace']>('POST', `${rest}/write/workspace/new`),
  createProject: row<Workspaces['createProject']>('POST', `${rest}/write/project/create`),
  updateProject: row<Workspaces['updateProject']>('POST', `${rest}/write/project/update`),
  deleteProject: row<Workspaces['deleteProject']>('POST', `${rest}/write/project/delete`),
  moveProject: row<Workspaces['moveProject']>('POST', `${rest}/write/project/move`),
  getNotes: row<Workspaces['getProjectNotes']>('GET', `${rest}/project/notes`),
  setNotes: row<Workspaces['setProjectNotes']>('POST', `${rest}/write/project/notes`),
  shareLinks: row<Workspaces['listShareLinks']>('GET', `${rest}/project/get-project-share-links`),
  addShareLink: row<Workspaces['addShareLink']>('GET', `${rest}/write/project/add-share-link`),
  deleteShareLink: row<Workspaces['deleteShareLink']>(
    'GET',
    `${rest}/write/project/delete-project-share-link`,
  ),
  usage: row<(typeof projectUsageOperations)['getProjectUsage']>(
    'GET',
    '/v1/private/ui/projects/{project}/usage',
  ),
} as const;

/** Who belongs to a workspace. */
export const memberServer = {
  list: row<Members['listMembers']>('GET', `${rest}/workspace/members`),
  add: row<Workspaces['addMember']>('POST', `${rest}/write/add-workspace-member`),
  set: row<Members['setMember']>('POST', `${rest}/write/workspace/member`),
  remove: row<Members['removeMember']>('POST', `${rest}/write/workspace/member/remove`),
  leave: row<Members['leaveWorkspace']>('POST', `${rest}/write/workspace/leave`),
  rename: row<Members['renameOwnWorkspace']>('POST', `${rest}/write/workspace/rename`),
  removeWorkspace: row<Members['deleteOwnWorkspace']>('POST', `${rest}/write/workspace/delete`),
  setOwner: row<Members['setWorkspaceOwner']>('POST', `${rest}/write/workspace/owner`),
  setProjectOwner: row<Workspaces['setProjectOwner']>('POST', `${rest}/write/project/update-owner`),
  invite: row<Identity['invite']>('POST', '/api/auth/invitations'),
  invitations: row<Identity['listInvitations']>('GET', '/api/auth/invitations'),
  takeBack: row<Identity['takeBackInvitation']>('DELETE', '/api/auth/invitations/{invitationId}'),
} as const;

export const channelServer = {
  list: row<Channels['listChannels']>('GET', `${rest}/channels`),
  add: row<Channels['createChannel']>('POST', `${rest}/write/channels`),
  change: row<Channels['updateChannel']>('PUT', `${rest}/write/channels/{channelId}`),
  remove: row<Channels['deleteChannel']>('DELETE', `${rest}/write/channels/{channelId}`),
  test: row<Channels['testChannel']>('POST', `${rest}/write/channels/{channelId}/test`),
} as const;

/** What administrators of the installation do. */
export const adminServer = {
  listUsers: row<Directory['listUsers']>('GET', `${admin}/users`),
  createUser: row<Directory['createUser']>('POST', `${admin}/users`),
  updateUser: row<Directory['updateUser']>('PUT', oneUser),
  deleteUser: row<Directory['deleteUser']>('DELETE', oneUser),
  renameUser: row<Directory['changeUserName']>('POST', `${admin}/change-user-name`),
  passwordLink: row<Identity['makeResetLink']>('POST', `${oneUser}/password-link`),
  showUser: row<Directory['getUser']>('GET', oneUser),
  userKeys: row<Directory['listUserKeys']>('GET', `${oneUser}/keys`),
  issueUserKey: row<Directory['issueUserKey']>('POST', `${oneUser}/keys`),
  revokeUserKey: row<Directory['revokeUserKey']>('DELETE', `${admin}/keys/{keyId}`),
  userSessions: row<Directory['listUserSessions']>('GET', `${oneUser}/sessions`),
  endUserSessions: row<Directory['endUserSessions']>('DELETE', `${oneUser}/sessions`),
  userPrograms: row<(typeof programAdministration)['listUserPrograms']>(
    'GET',
    `${oneUser}/programs`,
  ),
  endUserProgram: row<(typeof programAdministration)['endUserProgram']>(
    'DELETE',
    `${oneUser}/programs/{clientId}`,
  ),
  listServiceAccounts: row<Directory['listServiceAccounts']>('GET', `${admin}/service-accounts`),
  createServiceAccount: row<Directory['createServiceAccount']>('POST', `${admin}/service-accounts`),
  updateServiceAccount: row<Directory['updateServiceAccount']>('PUT', oneServiceAccount),
  rotateServiceAccount: row<Directory['rotateServiceAccountKeyByName']>(
    'POST',
    `${oneServiceAccount}/rotate-api-key`,
  ),
  deleteServiceAccount: row<Directory['deleteServiceAccount']>('DELETE', oneServiceAccount),
  disableProgram: row<(typeof programAdministration)['disableProgram']>(
    'POST',
    `${admin}/programs/{clientId}/disable`,
  ),
  audit: row<(typeof auditOperations)['listAudit']>('GET', `${admin}/audit`),
  usage: row<(typeof usageOperations)['usageReport']>('GET', `${admin}/usage/report`),
  listWorkspaces: row<Directory['listAllWorkspaces']>('GET', `${admin}/workspaces`),
  renameWorkspace: row<Directory['renameWorkspace']>('POST', `${admin}/workspace/rename`),
  deleteWorkspace: row<Directory['deleteWorkspace']>('POST', `${admin}/workspace/delete`),
  moveContents: row<Directory['moveWorkspaceContents']>('POST', `${admin}/workspace/move-contents`),
  setQuota: row<Directory['setWorkspaceQuota']>('POST', `${admin}/workspace/quota`),
  addToWorkspace: row<Directory['addUserToTeam']>('POST', `${admin}/workspace/addUser`),
  changeToggle: row<(typeof administrationOperations)['changeToggle']>(
    'PUT',
    `${admin}/feature-toggles`,
  ),
  settings: row<(typeof administrationOperations)['listSettings']>('GET', `${admin}/settings`),
  toggles: row<(typeof administrationOperations)['listToggles']>('GET', `${admin}/feature-toggles`),
  statuses: row<(typeof approvalOperations)['listStatuses']>('GET', `${admin}/registry/statuses`),
  setStatuses: row<(typeof approvalOperations)['setStatuses']>('PUT', `${admin}/registry/statuses`),
} as const;

/** Whether the installation works, and what its jobs do. */
export const upkeepServer = {
  check: row<Installation['checkInstallation']>('GET', `${admin}/check`),
  schema: row<Installation['readSchema']>('GET', `${admin}/schema`),
  auditBlobs: row<Installation['auditBlobs']>('POST', `${admin}/audit-blobs`),
  queues: row<Queues['listQueues']>('GET', `${admin}/queues`),
  faults: row<Queues['listQueueFaults']>('GET', `${admin}/queues/faults`),
  retry: row<Queues['retryQueue']>('POST', `${admin}/queues/retry`),
} as const;

/** After which age traces are deleted. */
const configurations = '/v1/private/workspaces/configurations';
export const configurationServer = {
  show: row<Configurations['showWorkspaceConfiguration']>('GET', configurations),
  put: row<Configurations['putWorkspaceConfiguration']>('PUT', configurations),
} as const;

export const retentionServer = {
  list: row<Retention['listRetentionRules']>('GET', '/v1/private/retention/rules'),
  add: row<Retention['createRetentionRule']>('POST', '/v1/private/retention/rules'),
  end: row<Retention['deleteRetentionRule']>('DELETE', '/v1/private/retention/rules/{ruleId}'),
} as const;
