// Proving who one is: sessions, passwords, invitations, sign-up.
import { account } from '../model/identity.js';
import { invitation } from '../model/tickets.js';
import { workspace } from '../model/workspaces.js';
import { roles } from '../model/identity.js';
import { form, detailed, one, operations } from './operation.js';
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
import { saved } from './tracking.js';

const auth = (path: string) => `/api/auth${path}`;
const own = {
  needs: 'caller',
  about: 'caller',
  by: ['session', 'key'],
  personal: true,
  unbounded: true,
} as const;
const secret = text({ min: 1, max: 1000 });
const ticket = text({ min: 1, max: 200 });
const opened = { userName: text(), csrfToken: text(), expiresAt: millis() };
const linked = { link: nullable(text()), mailed: flag(), expiresAt: millis() };
const invitationRecord = shape('Invitation', 'An invitation to a workspace.', {
  invitationId: text(),
  email: text(),
  role: word(...roles),
  invitedBy: nullable(text()),
  createdAt: millis(),
  expiresAt: millis(),
});

export const identityOperations = operations({
  signIn: {
    method: 'POST',
    path: auth('/sign-in'),
    access: { needs: 'public' },
    wire: { jsonOnly: true },
    summary: 'Open a session by name or e-mail and password; its token comes as a cookie',
    body: object({ name: text({ min: 1, max: 320 }), password: secret }),
    replies: { 200: detailed(saved(opened, 'Signed in')) },
    fails: ['invalid', 'unauthenticated', 'forbidden', 'throttled', 'unsupported'],
  },
  whoAmI: {
    method: 'GET',
    path: auth('/session'),
    access: { needs: 'caller', about: 'caller' },
    summary: 'Who calls, and with a session the token that every change must carry in X-CSRF-Token',
    replies: {
      200: object({
        userName: text(),
        email: nullable(text()),
        admin: flag(),
        viewOnly: flag(),
        via: text(),
        csrfToken: nullable(text()),
        expiresAt: nullable(millis()),
      }),
    },
  },
  signOut: {
    method: 'POST',
    path: auth('/sign-out'),
    access: { ...own, by: ['session'] },
    audit: true,
    summary: 'End this session',
    replies: { 200: detailed(saved({ continueAt: nullable(text()) }, 'Signed out')) },
  },
  endByProvider: {
    method: 'POST',
    path: '/login/{way}/back-channel',
    access: { needs: 'public' },
    summary: 'A provider tells that sessions are over (OpenID Connect back-channel logout)',
    params: object({ way: text({ min: 1, max: 60 }) }),
    body: form(object({ logout_token: text({ min: 1, max: 20_000 }) })),
    replies: { 200: detailed(saved()) },
    fails: ['invalid', 'absent'],
  },
  signOutEverywhere: {
    method: 'POST',
    path: auth('/sign-out-everywhere'),
    access: own,
    audit: true,
    summary: 'End every session of the caller, this one too',
    replies: { 200: detailed(saved({ ended: integer() }, 'Signed out')) },
  },
  listSessions: {
    method: 'GET',
    path: auth('/sessions'),
    access: own,
    summary: 'Sessions of the caller that go on, newest first',
    replies: {
      200: object({
        sessions: list(
          object({
            sessionId: text(),
            current: flag(),
            way: text(),
            address: text(),
            agent: text(),
            createdAt: millis(),
            lastUsedAt: millis(),
            expiresAt: millis(),
          }),
        ),
      }),
    },
  },
  endSession: {
    method: 'DELETE',
    path: auth('/sessions/{sessionId}'),
    access: own,
    audit: true,
    summary: 'End one session of the caller',
    params: object({ sessionId: text() }),
    replies: { 200: saved({}, 'Ended') },
    fails: ['absent'],
  },
  changePassword: {
    method: 'POST',
    path: auth('/password'),
    access: own,
    audit: true,
    summary: "Change the caller's password, which takes the old one; every other session ends",
    body: object({ password: secret, newPassword: secret }),
    replies: { 200: saved({}, 'Updated') },
    fails: ['invalid', 'forbidden', 'throttled'],
  },
  askForReset: {
    method: 'POST',
    path: auth('/password/reset'),
    access: { needs: 'public' },
    wire: { jsonOnly: true },
    summary: 'Ask for a link by which a password can be set; answered alike for everybody',
    body: object({ name: text({ min: 1, max: 320 }) }),
    replies: {
      200: saved({}, 'If there is such an account, what to do next has been sent to its mailbox'),
    },
    fails: ['invalid', 'forbidden', 'throttled', 'unsupported'],
  },
  setByReset: {
    method: 'POST',
    path: auth('/password/reset/set'),
    access: { needs: 'public' },
    summary: 'Set a password by a one-time link; every session ends',
    body: object({ ticket, newPassword: secret }),
    replies: { 200: saved({}, 'Updated') },
    fails: ['invalid', 'absent', 'forbidden', 'unsupported'],
    wire: { jsonOnly: true, refusals: { absent: { status: 404 } } },
  },
  makeResetLink: {
    method: 'POST',
    path: [
      '/api/admin/users/{userName}/password-link',
      '/clientlib/api/admin/users/{userName}/password-link',
    ],
    access: {
      needs: 'organization-admin',
      about: one(account, 'params.userName'),
      by: ['session', 'key', 'command'],
      unbounded: true,
    },
    audit: true,
    summary: 'Make a one-time link by which a user sets a password; it is told this once',
    params: object({ userName: text({ min: 1 }) }),
    replies: { 200: object({ link: text(), expiresAt: millis() }) },
    fails: ['absent', 'invalid'],
  },
  invite: {
    method: 'POST',
    path: auth('/invitations'),
    access: {
      needs: 'workspace-admin',
      permission: { of: 'invite', butNot: 'body.role' },
      about: one(workspace, 'body.workspaceName'),
      by: ['session', 'key'],
      unbounded: true,
    },
    audit: true,
    summary:
      'Invite a mailbox to a workspace; without a mail server the one-time link is in the reply',
    body: object({
      workspaceName: text({ min: 1 }),
      email: text({ min: 3, max: 254 }),
      role: optional(word(...roles)),
    }),
    replies: { 200: object({ invitationId: text(), ...linked }) },
    fails: ['invalid', 'absent', 'conflict', 'throttled'],
  },
  listInvitations: {
    method: 'GET',
    path: auth('/invitations'),
    access: {
      needs: 'workspace-admin',
      permission: { of: 'invite' },
      about: one(workspace, 'query.workspaceName'),
      changes: false,
    },
    summary: 'Invitations to a workspace that nobody has used yet, newest first',
    query: object({ workspaceName: text({ min: 1 }) }),
    replies: { 200: object({ invitations: list(invitationRecord) }) },
    fails: ['invalid', 'absent'],
  },
  takeBackInvitation: {
    method: 'DELETE',
    path: auth('/invitations/{invitationId}'),
    access: {
      needs: 'workspace-admin',
      permission: { of: 'invite' },
      about: one(invitation, 'params.invitationId'),
    },
    audit: true,
    summary: 'Take an invitation back',
    params: object({ invitationId: text() }),
    replies: { 200: saved({}, 'Taken back') },
    fails: ['absent'],
  },
  acceptInvitation: {
    method: 'POST',
    path: auth('/invitations/accept'),
    access: { needs: 'visitor' },
    summary:
      'Come into a workspace by an invitation: with the account that signed in, or one made for it',
    body: object({
      ticket,
      userName: optional(text({ max: 100 })),
      password: optional(text({ max: 1000 })),
    }),
    replies: {
      200: detailed(
        saved({ userName: text(), workspaceName: text(), apiKey: nullable(text()) }, 'Welcome'),
      ),
    },
    fails: ['invalid', 'absent', 'conflict', 'forbidden', 'unsupported', 'throttled'],
    wire: { jsonOnly: true, refusals: { absent: { status: 404 }, conflict: { status: 409 } } },
  },
  signUp: {
    method: 'POST',
    path: [auth('/users'), '/clientlib/api/auth/users'],
    access: { needs: 'public' },
    wire: { jsonOnly: true },
    summary: 'Make an account without being invited, where that is switched on',
    query: object({ sendEmail: optional(flag()) }),
    body: object({
      email: text({ min: 3, max: 254 }),
      userName: text({ min: 1, max: 100 }),
      signupSource: optional(text({ max: 200 })),
    }),
    replies: { 200: object({ cometUserName: text(), token: text(), apiKey: text() }) },
    fails: ['invalid', 'forbidden', 'conflict', 'throttled', 'unsupported'],
  },
  probeEmail: {
    method: 'GET',
    path: [auth('/users'), '/clientlib/api/auth/users'],
    access: { needs: 'public' },
    summary: 'Whether an e-mail has an account; without sign-up the answer is always the same',
    query: object({ email: optional(text({ max: 320 })), reason: optional(text({ max: 200 })) }),
    replies: { 200: null, 204: null },
    fails: ['throttled', 'invalid'],
  },
});
