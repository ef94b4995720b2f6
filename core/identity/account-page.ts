// The account of whoever is signed in, with its sessions, keys and programs.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { AccountView } from '#ports/pages';
import { endProgram, listPrograms } from '../oauth/offers.js';
import { dropSession } from './cookies.js';
import { requireOwnSession } from './identity.js';
import { originOf, type IdentityNeeds } from './needs.js';
import { tellKeyChange } from './offers.js';
import { changeOwnPassword } from './signing-in.js';
import { hasOwnPasswords } from './ways.js';
import {
  shown,
  show,
  sentTo,
  shownAgain,
  usual,
  requireText,
  noticeOf,
  home,
  type PageHandlers,
} from './page-replies.js';

const readAccount = async (needs: IdentityNeeds, caller: Caller): Promise<AccountView> => {
  const {
    storage: { stores },
    clock,
    settings,
  } = needs;
  const now = clock.now();
  const [user, sessions, keys, programs, password, workspace] = await Promise.all([
    stores.users.findUser({ id: caller.userId }),
    stores.sessions.listOf(caller.userId, now),
    stores.apiKeys.listKeys(caller.userId),
    listPrograms(needs, caller.userId),
    stores.credentials.findPassword(caller.userId),
    caller.defaultWorkspaceId === undefined
      ? undefined
      : stores.workspaces.findById(caller.defaultWorkspaceId),
  ]);
  return {
    caller,
    email: user?.email,
    workspaceName: workspace?.name,
    sessions,
    keys,
    programs,
    hasPassword: password !== undefined && hasOwnPasswords(needs.ways),
    minLength: settings.PASSWORD_MIN_LENGTH,
    now,
  };
};

export const accountPages = (
  needs: IdentityNeeds,
): PageHandlers<
  | 'showAccount'
  | 'changeMyPassword'
  | 'endMySession'
  | 'endMySessions'
  | 'endMyProgram'
  | 'makeMyKey'
  | 'revokeMyKey'
> => {
  const {
    storage: { stores },
    auth,
  } = needs;
  return {
    showAccount: async ({ caller, query }) =>
      shown('account', { ...(await readAccount(needs, caller)), ...noticeOf(query.told) }),
    async changeMyPassword(call) {
      try {
        await changeOwnPassword(
          needs,
          call.caller,
          {
            password: requireText(call.body.password, 'the old password'),
            newPassword: requireText(call.body.newPassword, 'the new password'),
          },
          originOf(call),
        );
        return sentTo(`${home}?told=changed`);
      } catch (thrown) {
        const { status, fault, details } = shownAgain(thrown, usual);
        return show(
          status,
          'account',
          { ...(await readAccount(needs, call.caller)), fault },
          details,
        );
      }
    },
    async endMySession({ body, caller }) {
      await requireOwnSession(needs, body.sessionId, caller);
      await auth.endSession(body.sessionId);
      return sentTo(`${home}?told=ended`);
    },
    async endMySessions({ caller }) {
      await auth.endSessions(caller.userId);
      return sentTo('/login?told=out', { cookies: [dropSession] });
    },
    async endMyProgram({ body, caller }) {
      await endProgram(needs, caller.userId, body.clientId);
      return sentTo(`${home}?told=program`);
    },
    async makeMyKey({ body, caller }) {
      const name = requireText(body.name?.trim(), 'the name of the key').slice(0, 100);
      const { apiKey } = await auth.issueKey(caller.userId, { name });
      tellKeyChange(needs, { userId: caller.userId, name }, 'made');
      return shown('account', { ...(await readAccount(needs, caller)), apiKey });
    },
    async revokeMyKey({ body, caller }) {
      const key = await stores.apiKeys.findKey(body.keyId);
      if (key?.userId !== caller.userId)
        throw new Failure('absent', `key ${body.keyId.slice(0, 80)} not found`);
      await auth.revokeKey(body.keyId);
      tellKeyChange(needs, key, 'ended');
      return sentTo(`${home}?told=revoked`);
    },
  };
};
