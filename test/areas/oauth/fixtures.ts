import type { AreaFixtures } from '#test/api/fixtures';
import { sparePrograms } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['programs', 'program-administration', 'oauth', 'consent'],
  supplies: [sparePrograms],
  rows: {
    listPrograms: { aboutCaller: "lists the caller's own" },
    endProgram: {
      aboutCaller: 'ends what the caller allowed',
      with: (world) => ({ 'params.clientId': world.of(sparePrograms).programs.pop() }),
    },
    endUserProgram: {
      with: (world) => ({
        'params.userName': world.owner.name,
        'params.clientId': world.of(sparePrograms).programs.pop(),
      }),
    },
    disableProgram: {
      aboutCaller: 'is about the installation',
      with: (world) => ({ 'params.clientId': world.of(sparePrograms).programs.pop() }),
    },
    describeOAuth: { open: 'is read by programs that know nothing yet' },
    describeProtectedResource: { open: 'is read by programs that know nothing yet' },
    registerClient: {
      open: 'makes a program known that may do nothing until a user consents',
      with: (world) => ({
        'body.redirect_uris': [world.of(sparePrograms).registered?.redirectUri],
      }),
    },
    authorize: {
      open: 'leads to sign-in whoever has no session',
      with: (world) => ({
        'query.client_id': world.of(sparePrograms).registered?.clientId,
        'query.redirect_uri': world.of(sparePrograms).registered?.redirectUri,
      }),
    },
    readAuthorizeContext: {
      aboutCaller: 'lists the workspaces that the caller belongs to',
      with: (world) => ({
        'query.client_id': world.of(sparePrograms).registered?.clientId,
        'query.redirect_uri': world.of(sparePrograms).registered?.redirectUri,
      }),
    },
    consent: {
      aboutCaller:
        "allows a program what the caller may do; the workspace is held against the caller's own",
      with: (world) => ({
        'body.client_id': world.of(sparePrograms).registered?.clientId,
        'body.redirect_uri': world.of(sparePrograms).registered?.redirectUri,
        'body.code_challenge': 'c'.repeat(43),
        'body.code_challenge_method': 'S256',
        'body.workspace_name': world.workspace,
        'body.csrf': world.of(sparePrograms).registered?.csrf,
        'header.cookie': `orreryConsent=${world.of(sparePrograms).registered?.csrf ?? ''}`,
      }),
      notOurs: {
        'body.workspace_id': 'held against the workspaces of the caller, as the name beside it is',
      },
    },
    issueToken: {
      open: 'takes a code or a refresh token',
      with: (world) => ({
        'body.grant_type': 'refresh_token',
        'body.client_id': world.of(sparePrograms).registered?.clientId,
        'body.refresh_token': world.of(sparePrograms).registered?.refreshTokens.pop(),
      }),
    },
    revokeToken: { open: 'takes the token itself' },
    introspectToken: { open: 'takes the token itself, as its bearer' },
    showConsent: {
      open: 'leads to sign-in whoever has no session',
      with: (world) => ({
        'query.client_id': world.of(sparePrograms).registered?.clientId,
        'query.redirect_uri': world.of(sparePrograms).registered?.redirectUri,
      }),
    },
    answerConsent: {
      open: 'leads to sign-in whoever has no session',
      with: (world) => ({
        'body.client_id': world.of(sparePrograms).registered?.clientId,
        'body.redirect_uri': world.of(sparePrograms).registered?.redirectUri,
      }),
    },
  },
};
