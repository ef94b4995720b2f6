import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { identityOperations } from '#ports/api/identity';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { dropSession, keepSession } from './cookies.js';
import { enterByInvitation, inviteTo, joinByInvitation } from './inviting.js';
import { identityNeeds, originOf, type IdentityNeeds } from './needs.js';
import { askForReset, makeResetLink, setByReset } from './resetting.js';
import { changeOwnPassword, openFor, signInByPassword } from './signing-in.js';
import { isKnownEmail, requireSignUp, signUp, welcome } from './signing-up.js';
import { accountKind, apiKeyKind, invitationKind } from './kinds.js';
import { endByProvider, endSession } from './ways.js';
import { identitySettings } from './settings.js';

/** A session of the caller. Rejects with `absent`, also for somebody else's. */
export const requireOwnSession = async (
  { storage: { stores } }: IdentityNeeds,
  sessionId: string,
  caller: Caller,
): Promise<void> => {
  if ((await stores.sessions.find(sessionId))?.userId !== caller.userId)
    throw new Failure('absent', `session ${sessionId.slice(0, 80)} not found`);
};

export const identityArea = area({
  name: 'identity',
  summary: 'Sign-in, sessions, passwords, sign-up and invitations.',
  family: trackingFamily,
  table: identityOperations,
  kinds: [accountKind, apiKeyKind, invitationKind],
  settings: identitySettings,
  needs: identityNeeds,
  handlers: (needs) => {
    const {
      storage: { stores },
      auth,
      clock,
      settings,
    } = needs;
    return {
      async signIn(call) {
        const opened = await signInByPassword(needs, call.body, originOf(call));
        return {
          ...keepSession(needs, opened),
          body: { userName: opened.user.name, csrfToken: opened.csrf, expiresAt: opened.expiresAt },
        };
      },
      async whoAmI({ caller }) {
        const [user, session] = await Promise.all([
          stores.users.findUser({ id: caller.userId }),
          caller.via === 'session' ? stores.sessions.find(caller.keyId) : undefined,
        ]);
        return {
          userName: caller.userName,
          email: user?.email ?? null,
          admin: caller.admin,
          viewOnly: caller.viewOnly,
          via: caller.via,
          csrfToken: caller.csrf ?? null,
          expiresAt: session?.expiresAt ?? null,
        };
      },
      async signOut({ caller }) {
        const continueAt = await endSession(needs, caller.keyId, `${settings.baseUrl}/login`);
        return {
          cookies: [dropSession],
          body: { continueAt: continueAt ?? null },
        };
      },
      async endByProvider({ params: { way }, body, address }) {
        const ended = await endByProvider(needs, way, body.logout_token);
        if (ended > 0)
          await needs.audit.note({
            actorId: undefined,
            actorName: undefined,
            via: 'nobody',
            keyId: undefined,
            address,
            action: 'endByProvider',
            thing: undefined,
            workspaceId: undefined,
            detail: { way, ended },
          });
        return { secret: true, body: {} };
      },
      async signOutEverywhere({ caller }) {
        return {
          cookies: [dropSession],
          body: { ended: await auth.endSessions(caller.userId) },
        };
      },
      async listSessions({ caller }) {
        const found = await stores.sessions.listOf(caller.userId, clock.now());
        return {
          sessions: found.map(({ id, way, address, agent, createdAt, lastUsedAt, expiresAt }) => ({
            sessionId: id,
            current: id === caller.keyId,
            way,
            address,
            agent,
            createdAt,
            lastUsedAt,
            expiresAt,
          })),
        };
      },
      async endSession({ params, caller }) {
        await requireOwnSession(needs, params.sessionId, caller);
        await auth.endSession(params.sessionId);
        return {};
      },
      async changePassword(call) {
        await changeOwnPassword(needs, call.caller, call.body, originOf(call));
        return {};
      },
      async askForReset(call) {
        await askForReset(needs, call.body.name, originOf(call));
        return {};
      },
      async setByReset(call) {
        await setByReset(needs, call.body.ticket, call.body.newPassword, originOf(call));
        return {};
      },
      async makeResetLink({ account, caller }) {
        const { link, expiresAt } = await makeResetLink(needs, account, caller);
        return { link, expiresAt };
      },
      invite: (call) =>
        inviteTo(
          needs,
          call.workspace,
          { email: call.body.email, role: call.body.role ?? 'member' },
          call.caller,
        ),
      async listInvitations({ workspace }) {
        const found = await stores.tickets.listInvitations(workspace.id, clock.now());
        const makers = new Map(
          (
            await Promise.all(
              [...new Set(found.flatMap(({ madeBy }) => madeBy ?? []))].map((id) =>
                stores.users.findUser({ id }),
              ),
            )
          ).flatMap((user) => (user === undefined ? [] : [[user.id, user.name] as const])),
        );
        return {
          invitations: found.map(({ id, email, role, madeBy, createdAt, expiresAt }) => ({
            invitationId: id,
            email,
            role,
            invitedBy: makers.get(madeBy ?? '') ?? null,
            createdAt,
            expiresAt,
          })),
        };
      },
      async takeBackInvitation({ invitation }) {
        if (!(await stores.tickets.remove(invitation.id)))
          throw new Failure('absent', `invitation ${invitation.id} not found`);
        return {};
      },
      async acceptInvitation(call) {
        const {
          caller,
          body: { ticket, userName, password },
        } = call;
        if (caller !== undefined) {
          const workspace = await joinByInvitation(needs, ticket, caller, originOf(call));
          return {
            body: { userName: caller.userName, workspaceName: workspace.name, apiKey: null },
          };
        }
        if (userName === undefined || password === undefined)
          throw new Failure(
            'invalid',
            'userName and password are required to make an account; sign in to join with the one you have',
          );
        const { user, apiKey, workspace } = await enterByInvitation(
          needs,
          ticket,
          { name: userName, password },
          originOf(call),
        );
        const opened = await openFor(needs, { user, way: 'invitation' }, originOf(call));
        return {
          ...keepSession(needs, opened),
          body: { userName: user.name, workspaceName: workspace.name, apiKey },
        };
      },
      async signUp(call) {
        requireSignUp(needs);
        const { user, apiKey } = await signUp(
          needs,
          { name: call.body.userName, email: call.body.email },
          originOf(call),
        );
        return {
          cometUserName: user.name,
          token: await welcome(needs, user, call.query.sendEmail !== false),
          apiKey,
        };
      },
      async probeEmail(call) {
        return (await isKnownEmail(needs, call.query.email ?? '', originOf(call)))
          ? ({ status: 200, body: undefined } as const)
          : ({ status: 204, body: undefined } as const);
      },
    };
  },
});
