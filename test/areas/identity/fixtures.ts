import { account } from '#ports/model/identity';
import { invitation } from '#ports/model/tickets';
import { apiKey } from '#ports/storage/api-keys';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { sparePrograms } from '#test/areas/oauth/things';
import { freshKey, freshName } from '#test/api/fresh';
import { spareAccounts } from '#test/areas/workspaces/things';
import { accounts, credentials, spareCredentials } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['identity', 'pages'],
  kinds: [
    kindIn(account, accounts, {
      name: ({ ownName }, world) => world.of(spareAccounts).newcomers[0] ?? ownName,
      unknown: freshKey,
    }),
    kindIn(apiKey, credentials, {
      name: ({ keyId }) => keyId,
      unknown: freshKey,
      ownersAlone: true,
    }),
    kindIn(invitation, credentials, {
      name: ({ invitationId }) => invitationId,
      unknown: freshKey,
    }),
  ],
  supplies: [spareCredentials],
  settings: { ORRERY_SIGN_UP: '1' },
  rows: {
    signIn: {
      open: 'is how a session begins',
      with: (world) => ({ 'body.name': world.owner.name, 'body.password': world.owner.password }),
    },
    whoAmI: { aboutCaller: 'tells of the caller' },
    signOut: { aboutCaller: "ends the caller's own session" },
    endByProvider: { open: "the provider's signature proves it", refusesEverybody: true },
    signOutEverywhere: { aboutCaller: "ends the caller's own sessions", asks: 'keeper' },
    listSessions: { aboutCaller: "lists the caller's own" },
    endSession: {
      aboutCaller: "ends the caller's own session",
      with: (world) => ({ 'params.sessionId': world.of(spareCredentials).sessions.pop() }),
    },
    changePassword: {
      aboutCaller: "is the caller's own",
      with: (world) => ({
        'body.password': world.owner.password,
        'body.newPassword': world.owner.password,
      }),
      asks: 'keeper',
    },
    askForReset: { open: 'is for who cannot sign in' },
    setByReset: {
      open: 'the ticket proves it',
      with: (world) => ({
        'body.ticket': world.of(spareCredentials).resets.pop(),
        'body.newPassword': world.owner.password,
      }),
    },
    invite: { with: () => ({ 'body.email': `${freshName('guest')}@people.example` }) },
    takeBackInvitation: { consumes: true },
    acceptInvitation: {
      open: 'the ticket proves it',
      with: (world) => ({
        'body.ticket': world.of(spareCredentials).invitations.pop(),
        'body.userName': freshName('guest'),
        'body.password': world.owner.password,
      }),
    },
    signUp: {
      open: 'is switched off unless it is wished for',
      with: () => ({
        'body.email': `${freshName('new')}@people.example`,
        'body.userName': freshName('new'),
      }),
    },
    probeEmail: { open: 'answers always alike unless sign-up is switched on' },
    showLogin: { open: 'is how a session begins' },
    login: { open: 'is how a session begins' },
    beginSignIn: { open: 'is how a session begins' },
    finishSignIn: { open: 'is how a session begins' },
    showLogout: { open: 'leads to sign-in whoever has no session' },
    logout: { aboutCaller: "ends the caller's own session" },
    showForgot: { open: 'is for who cannot sign in' },
    forgot: { open: 'is for who cannot sign in' },
    showReset: {
      open: 'the ticket proves it',
      with: (world) => ({ 'params.ticket': world.of(spareCredentials).resets[0] }),
    },
    setByForm: {
      open: 'the ticket proves it',
      with: (world) => ({ 'params.ticket': world.of(spareCredentials).resets[0] }),
    },
    showInvitation: {
      open: 'the ticket proves it',
      with: (world) => ({ 'params.ticket': world.of(spareCredentials).invitations[0] }),
    },
    enter: {
      open: 'the ticket proves it',
      with: (world) => ({ 'params.ticket': world.of(spareCredentials).invitations[0] }),
    },
    showSignUp: { open: 'is switched off unless it is wished for' },
    signUpByForm: { open: 'is switched off unless it is wished for' },
    showAccount: { aboutCaller: "shows the caller's own" },
    changeMyPassword: {
      aboutCaller: "is the caller's own",
      with: (world) => ({
        'body.password': world.owner.password,
        'body.newPassword': world.owner.password,
      }),
      asks: 'keeper',
    },
    endMySession: {
      aboutCaller: "ends the caller's own session",
      with: (world) => ({ 'body.sessionId': world.of(spareCredentials).sessions.pop() }),
    },
    endMySessions: { aboutCaller: "ends the caller's own sessions", asks: 'keeper' },
    endMyProgram: {
      aboutCaller: 'ends what the caller allowed',
      with: (world) => ({ 'body.clientId': world.of(sparePrograms).programs.pop() }),
    },
    makeMyKey: {
      aboutCaller: "becomes the caller's own",
      with: () => ({ 'body.name': 'by a form' }),
    },
    revokeMyKey: {
      aboutCaller: "ends the caller's own key",
      with: (world) => ({ 'body.keyId': world.of(credentials).keyId }),
      consumes: true,
    },
  },
};
