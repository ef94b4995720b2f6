// What an administrator of the installation does: users, service accounts, workspaces, keys, sessions.
import { roles } from '../model/identity.js';
import { one, operations } from './operation.js';
import { flag, integer, list, millis, nullable, object, optional, text, texts, word } from './schema.js';
import { issued, keyRecord } from './rights.js';
import { admin, saved, write } from './tracking.js';

const forAdmins = { access: 'organization-admin', about: 'caller' } as const;
const ofUser = { access: 'organization-admin', about: one('account', 'params.userName') } as const;
const makesCredentials = { by: ['session', 'key', 'command'], unbounded: true } as const;

const userRecord = object({
  userName: text(), email: nullable(text()), kind: text(), admin: flag(), viewOnly: flag(), restricted: flag(), suspendedAt: nullable(millis()), defaultWorkspaceName: nullable(text()), createdAt: millis(),
});
const serviceAccount = object({ organizationId: text(), name: text(), apiKey: optional(text()), createdAt: millis(), createdBy: nullable(text()), defaultWorkspaceName: nullable(text()), lastActivityAt: nullable(millis()), restricted: flag() });
const sessionRecord = object({ sessionId: text(), way: text(), address: text(), agent: text(), createdAt: millis(), lastUsedAt: millis(), expiresAt: millis() });
const paging = { search: optional(text()), after: optional(text()), size: optional(integer({ minimum: 1, maximum: 1000 })) };
const userName = object({ userName: text({ min: 1 }) });

export const directoryOperations = operations({
  listUsers: {
    method: 'GET', path: admin('/users'), ...forAdmins, summary: 'Users in the order of their names, a page at a time', query: object({ ...paging, kind: optional(word('person', 'service', 'guest')) }),
    replies: { 200: object({ accounts: list(userRecord), total: integer() }) }, fails: ['invalid'],
  },
  createUser: {
    method: 'POST', path: admin('/users'), ...forAdmins, ...makesCredentials, audited: true, summary: 'Make a user with a workspace and an API key, which is told this once',
    body: object({ userName: text({ min: 1 }), email: optional(text()), password: optional(text()), workspaceName: optional(text()), apiKey: optional(text()), admin: optional(flag()), viewOnly: optional(flag()) }),
    replies: { 200: object({ userName: text(), workspaceName: text(), apiKey: text(), admin: flag() }) }, fails: ['invalid', 'conflict'],
  },
  getUser: { method: 'GET', path: admin('/users/{userName}'), ...ofUser, summary: 'One user, with the workspaces he belongs to', params: userName, replies: { 200: object({ user: userRecord, workspaces: list(object({ workspaceName: text(), role: word(...roles) })) }) }, fails: ['absent'] },
  updateUser: {
    method: 'PUT', path: admin('/users/{userName}'), ...ofUser, ...makesCredentials, audited: true, summary: 'Change what is sent of a user; a suspended one is known by none of his credentials',
    params: userName, body: object({ email: optional(text()), admin: optional(flag()), viewOnly: optional(flag()), suspended: optional(flag()), defaultWorkspaceName: optional(text()) }),
    replies: { 200: saved({}, 'Updated') }, fails: ['invalid', 'absent', 'conflict'],
  },
  deleteUser: { method: 'DELETE', path: admin('/users/{userName}'), ...ofUser, ...makesCredentials, audited: true, summary: 'End a user: keys, sessions, memberships and e-mail go, what was logged stays under the name', params: userName, replies: { 200: saved({}, 'Deleted') }, fails: ['absent', 'conflict'] },
  changeUserName: {
    method: 'POST', path: admin('/change-user-name'), access: 'organization-admin', about: one('account', 'body.oldUserName'), ...makesCredentials, audited: true, summary: 'Give a user another name',
    body: object({ oldUserName: text({ min: 1 }), newUserName: text({ min: 1 }) }), replies: { 200: saved({}, 'Updated') }, fails: ['invalid', 'absent', 'conflict'],
  },
  resetPassword: {
    method: 'PUT', path: admin('/reset-password'), access: 'organization-admin', about: one('account', 'body.username'), ...makesCredentials, audited: true, summary: 'Set the password of a user, whose sessions end',
    body: object({ username: text({ min: 1 }), newPassword: text({ min: 1 }) }), replies: { 200: saved({}, 'Updated') }, fails: ['invalid', 'absent'],
  },
  listUserKeys: { method: 'GET', path: admin('/users/{userName}/keys'), ...ofUser, summary: 'API keys of a user, newest first', params: userName, replies: { 200: object({ keys: list(keyRecord) }) }, fails: ['absent'] },
  issueUserKey: {
    method: 'POST', path: admin('/users/{userName}/keys'), ...ofUser, ...makesCredentials, audited: true, summary: 'Make another API key for a user; its secret is told this once', params: userName, body: object({ name: text({ min: 1, max: 100 }) }),
    replies: { 200: issued }, fails: ['invalid', 'absent', 'forbidden'],
  },
  revokeUserKey: { method: 'DELETE', path: admin('/keys/{keyId}'), access: 'organization-admin', about: one('apiKey', 'params.keyId'), ...makesCredentials, audited: true, summary: 'End anybody\'s API key', params: object({ keyId: text() }), replies: { 200: saved() }, fails: ['absent'] },
  listUserSessions: { method: 'GET', path: admin('/users/{userName}/sessions'), ...ofUser, summary: 'Sessions of a user that go on, newest first', params: userName, replies: { 200: object({ sessions: list(sessionRecord) }) }, fails: ['absent'] },
  endUserSessions: { method: 'DELETE', path: admin('/users/{userName}/sessions'), ...ofUser, audited: true, summary: 'Sign a user out everywhere', params: userName, replies: { 200: object({ ended: integer() }) }, fails: ['absent'] },
  listAllWorkspaces: {
    method: 'GET', path: admin('/workspaces'), ...forAdmins, summary: 'Workspaces in the order of their names, a page at a time', query: object(paging),
    replies: { 200: object({ workspaces: list(object({ workspaceName: text(), workspaceId: text(), owner: nullable(text()), members: integer(), createdAt: millis() })) }) }, fails: ['invalid'],
  },
  renameWorkspace: {
    method: 'POST', path: admin('/workspace/rename'), access: 'organization-admin', about: one('workspace', 'body.workspaceName'), audited: true, summary: 'Give a workspace another name',
    body: object({ workspaceName: text({ min: 1 }), newWorkspaceName: text({ min: 1 }) }), replies: { 200: saved({}, 'Updated') }, fails: ['invalid', 'absent', 'conflict'],
  },
  deleteWorkspace: {
    method: 'POST', path: admin('/workspace/delete'), access: 'organization-admin', about: one('workspace', 'body.workspaceName'), audited: true, summary: 'Delete a workspace that holds no project, artifact or registered model; or with contents, everything in it',
    body: object({ workspaceName: text({ min: 1 }), withContents: optional(flag()) }), replies: { 200: saved({}, 'Deleted') }, fails: ['invalid', 'absent', 'conflict'],
  },
  moveWorkspaceContents: {
    method: 'POST', path: admin('/workspace/move-contents'), access: 'organization-admin', about: one('workspace', 'body.workspaceName'), audited: true, summary: 'Give the artifacts and registered models of a workspace to another; a name that is taken there gets a number',
    body: object({ workspaceName: text({ min: 1 }), targetWorkspaceName: text({ min: 1 }) }), replies: { 200: saved({ artifacts: integer(), models: integer() }, 'Moved') }, fails: ['invalid', 'absent', 'conflict'],
  },
  setWorkspaceQuota: {
    method: 'POST', path: admin('/workspace/quota'), access: 'organization-admin', about: one('workspace', 'body.workspaceName'), audited: true, summary: 'Say how many experiments and megabytes a workspace may hold; 0 is no limit',
    body: object({ workspaceName: text({ min: 1 }), experiments: optional(integer({ minimum: 0 })), storageMb: optional(integer({ minimum: 0 })) }), replies: { 200: saved({}, 'Updated') }, fails: ['invalid', 'absent'],
  },
  addUserToTeam: {
    method: 'POST', path: admin('/workspace/addUser'), access: 'organization-admin', about: [one('account', 'body.userName'), one('workspace', 'body.workspaceName')], audited: true, summary: 'Add a user to any workspace, or change whether he administers it',
    body: object({ userName: text({ min: 1 }), workspaceName: text({ min: 1 }), admin: optional(flag()) }), replies: { 200: saved({}, 'added') }, fails: ['invalid', 'absent', 'conflict'],
  },
  createServiceAccount: {
    method: 'POST', path: [...write('/service-account/create'), ...admin('/service-accounts')], ...forAdmins, ...makesCredentials, audited: true, summary: 'Make an account for a program; its key is told this once',
    body: object({ name: text({ min: 1 }), teamName: optional(text()), organizationName: optional(text()), restricted: optional(flag()) }), replies: { 200: serviceAccount }, fails: ['invalid', 'absent', 'conflict'],
  },
  listServiceAccounts: { method: 'GET', path: admin('/service-accounts'), ...forAdmins, summary: 'Service accounts in the order of their names', replies: { 200: object({ serviceAccounts: list(serviceAccount) }) } },
  rotateServiceAccountKey: {
    method: 'POST', path: write('/service-account/rotate-api-key'), access: 'organization-admin', about: one('account', 'body.name'), ...makesCredentials, audited: true, summary: 'Replace the key of a service account; the new one is told this once',
    body: object({ name: text({ min: 1 }), organizationName: optional(text()) }), replies: { 200: object({ apiKey: text() }) }, fails: ['invalid', 'absent'], refusals: { absent: { status: 404 } },
  },
  rotateServiceAccountKeyByName: {
    method: 'POST', path: admin('/service-accounts/{name}/rotate-api-key'), access: 'organization-admin', about: one('account', 'params.name'), ...makesCredentials, audited: true, summary: 'Replace the key of a service account; the new one is told this once',
    params: object({ name: text({ min: 1 }) }), replies: { 200: object({ apiKey: text() }) }, fails: ['absent'], refusals: { absent: { status: 404 } },
  },
  updateServiceAccount: {
    method: 'PUT', path: admin('/service-accounts/{name}'), access: 'organization-admin', about: one('account', 'params.name'), ...makesCredentials, audited: true,
    summary: 'Restrict a service account to the workspaces that are listed, or lift that, and choose the one it logs into when none is named',
    params: object({ name: text({ min: 1 }) }), body: object({ restricted: optional(flag()), workspaceNames: optional(texts()), defaultWorkspaceName: optional(text()) }), replies: { 200: serviceAccount }, fails: ['invalid', 'absent'],
  },
  deleteServiceAccount: { method: 'DELETE', path: admin('/service-accounts/{name}'), access: 'organization-admin', about: one('account', 'params.name'), ...makesCredentials, audited: true, summary: 'End a service account', params: object({ name: text({ min: 1 }) }), replies: { 200: saved({}, 'Deleted') }, fails: ['absent'] },
});
