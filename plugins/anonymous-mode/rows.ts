import { workspace } from '#ports/model/workspaces';
import { form, detailed, operations, one, page, redirect } from '#ports/api/operation';
import { flag, integer, nullable, object, optional, text } from '#ports/api/schema';
import { saved } from '#ports/api/tracking';

/** One version of the client asks under one root, another under the other. */
const both = (path: string) => [`/api/auth${path}`, `/api/rest/v2${path}`] as const;
const token = object({ token: text({ min: 1, max: 200 }) });
const target = {
  token: text({ min: 1, max: 200 }),
  workspaceName: text({ min: 1 }),
  projectName: optional(text()),
};

export const anonymousOperations = operations({
  startAnonymous: {
    method: 'POST',
    path: both('/anonymous-user'),
    access: { needs: 'public' },
    summary: 'A key for somebody without an account, whose runs are public and may be claimed',
    body: object({}),
    replies: { 200: saved({ apiKey: text(), claimUrl: text() }) },
    fails: ['throttled'],
  },
  isAnonymousActive: {
    method: 'GET',
    path: both('/anonymous/is-active'),
    access: { needs: 'public' },
    summary: 'Whether such a key still logs: true; was claimed: false; is none: null',
    query: object({ apiKey: optional(text()) }),
    replies: { 200: object({ active: nullable(flag()) }) },
    fails: ['invalid'],
  },
  claimAnonymous: {
    method: 'POST',
    path: '/api/rest/v2/anonymous/claim',
    access: {
      needs: 'workspace-admin',
      about: one(workspace, 'body.workspaceName'),
      by: ['session', 'key'],
      unbounded: true,
    },
    audit: true,
    summary:
      'Take what was logged without an account into a workspace: its projects become private there, and its key ends',
    body: object(target),
    replies: { 200: saved({ projects: integer() }, 'Claimed') },
    fails: ['invalid', 'absent', 'conflict'],
  },
  previewClaim: {
    method: 'GET',
    path: '/api/rest/v2/anonymous/{token}',
    access: { needs: 'public' },
    summary: 'What a claim would take, and how many days are left for it',
    params: token,
    replies: { 200: object({ projects: integer(), experiments: integer(), daysLeft: integer() }) },
    fails: ['absent'],
  },
});

export const claimPages = operations({
  showClaim: {
    method: 'GET',
    path: '/claim/{token}',
    access: { needs: 'visitor' },
    summary: 'The page on which what was logged without an account is claimed',
    params: token,
    replies: { 200: page, 404: page },
  },
  claimByForm: {
    method: 'POST',
    path: '/claim/{token}',
    access: {
      needs: 'workspace-admin',
      about: one(workspace, 'body.workspaceName'),
      by: ['session'],
      unbounded: true,
    },
    audit: true,
    summary: 'Claim it by a form',
    params: token,
    body: form(object({ csrf: optional(text({ max: 100 })), workspaceName: text({ min: 1 }) })),
    replies: { 303: detailed(redirect) },
    fails: ['invalid', 'absent', 'conflict'],
  },
});
