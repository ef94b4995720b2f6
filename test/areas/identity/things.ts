import { v7 } from 'uuid';
import { supply, thing } from '#test/api/fixtures';
import { freshKey, freshName, hashOf } from '#test/api/fresh';
import { neverStored } from '#test/clients/secrets';

/** A key of the owner's, which nothing else uses, and an invitation to the workspace. */
export const credentials = thing(async ({ ask, owner }) => {
  const { keyId = '', apiKey = '' } = await ask('/api/auth/keys', { name: 'spare' });
  neverStored(apiKey);
  const { invitationId = '' } = await ask('/api/auth/invitations', {
    workspaceName: owner.workspace,
    email: `${freshName('guest')}@people.example`,
  });
  return { keyId, invitationId };
});

/** Somebody's account: a user who is left alone, or the owner's own where there is none to spare. */
export const accounts = thing(({ owner }) => Promise.resolve({ ownName: owner.name }));

interface SpareCredentials {
  /** Ids of the owner's sessions that go on. */
  readonly sessions: string[];
  /** Secrets of one-time links that set a password of somebody else's. */
  readonly resets: string[];
  /** Secrets of invitations to the workspace. */
  readonly invitations: string[];
}

const oneTime = () => {
  const secret = neverStored(`orrery_ot_${freshKey()}`);
  const ticket = {
    id: v7(),
    hash: hashOf(secret),
    email: undefined,
    mailed: false,
    role: undefined,
    userId: undefined,
    workspaceId: undefined,
    permissions: [],
    madeBy: undefined,
    createdAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
  };
  return { secret, ticket };
};

export const spareCredentials = supply<SpareCredentials>(
  { sessions: [], resets: [], invitations: [] },
  async ({ auth, storage, owner, memberId }) => {
    const spare: SpareCredentials = { sessions: [], resets: [], invitations: [] };
    const { tickets } = storage.stores;
    const opening = { address: '192.0.2.1', agent: 'a test', way: 'password' } as const;
    for (let i = 0; i < 12; i++) {
      const { sessionId, token } = await auth.openSession(owner.id, opening);
      neverStored(token);
      spare.sessions.push(sessionId);
      const [reset, invitation] = [oneTime(), oneTime()];
      await tickets.insert({ ...reset.ticket, kind: 'reset', userId: memberId });
      await tickets.insert({
        ...invitation.ticket,
        kind: 'invitation',
        email: `${freshName('guest')}@people.example`,
        workspaceId: owner.workspaceId,
        role: 'member',
      });
      spare.resets.push(reset.secret);
      spare.invitations.push(invitation.secret);
    }
    return spare;
  },
);
