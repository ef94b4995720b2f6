import { v7 } from 'uuid';
import { systemSecrets } from '#adapters/system/secrets';
import { supply, type Stocking } from '#test/api/fixtures';
import { freshKey, hashOf } from '#test/api/fresh';
import { neverStored } from '#test/clients/secrets';

interface Program {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The token of a consent page that the owner opened with the key. */
  readonly csrf: string;
  readonly refreshTokens: string[];
}
interface SparePrograms {
  /** Ids of programs that may act for the owner. */
  readonly programs: string[];
  /** One that is registered, and what it may renew for somebody who is left alone. */
  readonly registered: Program | undefined;
}

const hour = 3_600_000;
const going = { revokedAt: undefined, reason: undefined };

/** A program with a family of refresh tokens, and the CSRF token of whoever holds the key. */
const makeProgram = async (
  { storage: { stores }, owner: { workspaceId } }: Stocking,
  {
    userId,
    keyId,
    tokens,
  }: { readonly userId: string; readonly keyId: string; readonly tokens: number },
): Promise<Program> => {
  const { oauth } = stores;
  const [clientId, familyId, redirectUri] = [v7(), v7(), 'https://program.example/cb'];
  const times = { createdAt: Date.now(), expiresAt: Date.now() + hour };
  const codeHash = hashOf(familyId);
  await oauth.insertClient({
    id: clientId,
    name: 'Program',
    redirectUris: [redirectUri],
    logoUri: undefined,
    clientUri: undefined,
    softwareId: undefined,
    softwareVersion: undefined,
    createdAt: times.createdAt,
    disabledAt: undefined,
  });
  const code = { workspaceName: 'w', challenge: 'c', redirectUri: 'x', resource: 'x' };
  await oauth.insertCode({
    ...{ id: v7(), hash: codeHash, clientId, userId, workspaceId },
    ...code,
    ...times,
  });
  const family = { id: familyId, clientId, userId, workspaceId, codeHash };
  await oauth.insertFamily(
    { ...family, ...times, ...going, resource: 'https://program.example', usedAt: times.createdAt },
    [],
  );
  const refreshTokens = Array.from({ length: tokens }, () =>
    neverStored(`orrery_rt_${freshKey()}`),
  );
  await oauth.insertTokens(
    refreshTokens.map((token) => ({
      ...{ id: v7(), familyId, kind: 'refresh' as const, hash: hashOf(token) },
      ...{ rotatedFrom: undefined, pairs: 0 },
      ...times,
      ...going,
    })),
  );
  const body = `${times.expiresAt}.${freshKey()}`;
  const csrf = `${body}.${systemSecrets.sign(keyId, `consent.${body}`)}`;
  return { clientId, redirectUri, refreshTokens, csrf };
};

export const sparePrograms = supply<SparePrograms>(
  { programs: [], registered: undefined },
  async (stocking) => {
    const { storage, owner, viewerId } = stocking;
    const programs: string[] = [];
    for (let i = 0; i < 40; i++) {
      const program = await makeProgram(stocking, { userId: owner.id, keyId: '', tokens: 1 });
      programs.push(program.clientId);
    }
    const keyId = (await storage.stores.apiKeys.listKeys(owner.id))[0]?.id ?? '';
    const registered = await makeProgram(stocking, { userId: viewerId, keyId, tokens: 12 });
    return { programs, registered };
  },
);
