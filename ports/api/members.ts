// Keys, members of workspaces, and who owns them.
import { apiKey } from '../storage/api-keys.js';
import { project } from '../model/projects.js';
import { workspace } from '../model/workspaces.js';
import { permissions, roles } from '../model/identity.js';
import { maybe, one, operations } from './operation.js';
import {
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  text,
  word,
  shape,
} from './schema.js';
import { read, saved, write } from './tracking.js';

export const scopeRecord = shape('KeyScope', 'What a key is narrowed to.', {
  readOnly: flag(),
  workspaceId: nullable(text()),
  projectId: nullable(text()),
});
export const keyRecord = shape('ApiKey', 'An API key without its secret.', {
  keyId: text(),
  name: text(),
  prefix: text(),
  scope: nullable(scopeRecord),
  createdAt: millis(),
  lastUsedAt: nullable(millis()),
  revokedAt: nullable(millis()),
});
export const issued = shape('IssuedKey', 'A new key with its secret.', {
  keyId: text(),
  apiKey: text(),
});
const memberRecord = shape('Member', 'A member of a workspace.', {
  userName: text(),
  role: word(...roles),
  permissions: list(word(...permissions)),
  owner: flag(),
});
const own = ['session', 'key'] as const;
const named = { workspaceName: text({ min: 1 }), userName: text({ min: 1 }) };

export const memberOperations = operations({
  listKeys: {
    method: 'GET',
    path: '/api/auth/keys',
    access: { needs: 'caller', about: 'caller', by: own },
    summary: "The caller's API keys, newest first; the secrets are not kept",
    replies: { 200: object({ keys: list(keyRecord) }) },
  },
  createKey: {
    method: 'POST',
    path: '/api/auth/keys',
    access: {
      needs: 'read',
      about: [maybe(workspace, 'body.workspaceName'), maybe(project, 'body.projectId')],
      by: own,
      unbounded: true,
      changes: true,
    },
    audit: true,
    summary:
      'Make another API key, which may be narrowed to reading, to one workspace, or to one project; its secret is told this once',
    body: object({
      name: text({ min: 1, max: 100 }),
      readOnly: optional(flag()),
      workspaceName: optional(text()),
      projectId: optional(text()),
    }),
    replies: { 200: issued },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  rotateKey: {
    method: 'POST',
    path: '/api/auth/keys/{keyId}/rotate',
    access: { needs: 'caller', about: one(apiKey, 'params.keyId'), by: own, unbounded: true },
    audit: true,
    summary:
      'Replace an API key by another of the same name and scope; the new secret is told this once',
    params: object({ keyId: text() }),
    replies: { 200: issued },
    fails: ['absent', 'conflict', 'forbidden'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/api/auth/keys/{keyId}',
    access: { needs: 'caller', about: one(apiKey, 'params.keyId'), by: own, unbounded: true },
    audit: true,
    summary: 'End an API key: at once in this process, within 5 s in every other',
    params: object({ keyId: text() }),
    replies: { 200: saved() },
    fails: ['absent'],
  },
  listMembers: {
    method: 'GET',
    path: read('/workspace/members'),
    access: { needs: 'read', about: maybe(workspace, 'query.workspaceName') },
    summary: 'Members of a workspace in the order of their names, a page at a time',
    query: object({
      workspaceName: optional(text()),
      after: optional(text()),
      size: optional(integer({ minimum: 1, maximum: 1000 })),
    }),
    replies: { 200: object({ members: list(memberRecord) }) },
    fails: ['invalid'],
  },
  setMember: {
    method: 'POST',
    path: write('/workspace/member'),
    access: { needs: 'workspace-admin', about: one(workspace, 'body.workspaceName') },
    audit: true,
    summary: 'Set the role of a member, and what a member may do beyond it',
    body: object({
      ...named,
      role: word(...roles),
      permissions: optional(list(word(...permissions))),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  removeMember: {
    method: 'POST',
    path: write('/workspace/member/remove'),
    access: { needs: 'workspace-admin', about: one(workspace, 'body.workspaceName') },
    audit: true,
    summary: 'Take a member out of a workspace; what he logged stays',
    body: object(named),
    replies: { 200: saved({}, 'removed') },
    fails: ['invalid', 'absent', 'conflict'],
  },
  leaveWorkspace: {
    method: 'POST',
    path: write('/workspace/leave'),
    access: {
      needs: 'read',
      about: one(workspace, 'body.workspaceName'),
      unbounded: true,
      changes: true,
    },
    audit: true,
    summary: 'Leave a workspace; what the caller logged stays',
    body: object({ workspaceName: text({ min: 1 }) }),
    replies: { 200: saved({}, 'left') },
    fails: ['invalid', 'absent', 'conflict'],
  },
  setWorkspaceOwner: {
    method: 'POST',
    path: write('/workspace/owner'),
    access: { needs: 'workspace-admin', about: one(workspace, 'body.workspaceName') },
    audit: true,
    summary: 'Give a workspace to another of its administrators',
    body: object(named),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  renameOwnWorkspace: {
    method: 'POST',
    path: write('/workspace/rename'),
    access: { needs: 'workspace-admin', about: one(workspace, 'body.workspaceName') },
    audit: true,
    summary: 'Give a workspace another name, by its administrator',
    body: object({ workspaceName: text({ min: 1 }), newWorkspaceName: text({ min: 1 }) }),
    replies: { 200: saved({}, 'Updated') },
    fails: ['invalid', 'absent', 'conflict'],
  },
  deleteOwnWorkspace: {
    method: 'POST',
    path: write('/workspace/delete'),
    access: { needs: 'workspace-admin', about: one(workspace, 'body.workspaceName') },
    audit: true,
    summary:
      'Delete a workspace that holds nothing, by its administrator; not the one into which the caller logs',
    body: object({ workspaceName: text({ min: 1 }) }),
    replies: { 200: saved({}, 'Deleted') },
    fails: ['invalid', 'absent', 'conflict'],
  },
  setDefaultWorkspace: {
    method: 'POST',
    path: write('/workspace/default'),
    access: {
      needs: 'read',
      about: one(workspace, 'body.workspaceName'),
      unbounded: true,
      changes: true,
    },
    summary: 'Choose the workspace into which the caller logs when none is named',
    body: object({ workspaceName: text({ min: 1 }) }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent'],
  },
});
