// Programs that act for users by OAuth, as the users and the administrators of the installation see and end them.
import { account } from '../model/identity.js';
import { one, operations } from './operation.js';
import { flag, integer, list, millis, nullable, object, text, shape } from './schema.js';
import { admin, saved } from './tracking.js';

const own = {
  needs: 'caller',
  about: 'caller',
  by: ['session', 'key'],
  personal: true,
  unbounded: true,
} as const;
const ofUser = { needs: 'organization-admin', about: one(account, 'params.userName') } as const;
const clientId = text({ min: 1, max: 100 });
const workspace = shape('ProgramWorkspace', 'A workspace that a program may reach.', {
  workspaceName: text(),
  since: millis(),
  lastRefreshedAt: millis(),
});
const listed = shape('Program', 'A program that acts for users.', {
  programs: list(
    object({
      clientId: text(),
      clientName: text(),
      clientUri: nullable(text()),
      registeredAt: millis(),
      enabled: flag(),
      workspaces: list(workspace),
    }),
  ),
});
const ended = object({ ended: integer() });

export const programOperations = operations({
  listPrograms: {
    method: 'GET',
    path: '/api/auth/programs',
    access: own,
    summary:
      'Programs that act for the caller, each with the workspaces it was allowed; the one that was used last comes first',
    replies: { 200: listed },
  },
  endProgram: {
    method: 'DELETE',
    path: '/api/auth/programs/{clientId}',
    access: own,
    audit: true,
    summary:
      'End all that a program may do for the caller: at once in this process, within 5 s in every other',
    params: object({ clientId }),
    replies: { 200: ended },
    fails: ['absent'],
  },
});

export const programAdministration = operations({
  listUserPrograms: {
    method: 'GET',
    path: admin('/users/{userName}/programs'),
    access: ofUser,
    summary: 'Programs that act for a user',
    params: object({ userName: text({ min: 1 }) }),
    replies: { 200: listed },
    fails: ['absent'],
  },
  endUserProgram: {
    method: 'DELETE',
    path: admin('/users/{userName}/programs/{clientId}'),
    access: ofUser,
    audit: true,
    summary: 'End all that a program may do for a user',
    params: object({ userName: text({ min: 1 }), clientId }),
    replies: { 200: ended },
    fails: ['absent'],
  },
  disableProgram: {
    method: 'POST',
    path: admin('/programs/{clientId}/disable'),
    access: { needs: 'organization-admin', about: 'caller' },
    audit: true,
    summary:
      'Switch a program off for everybody: its tokens are known no more, and it can neither ask for access nor renew it',
    params: object({ clientId }),
    replies: { 200: saved({}, 'Disabled') },
    fails: ['absent'],
  },
});
