// Use-cases about rights that read in order to write, each by fifty at once on every engine: none is told that the database was too busy.
import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { localAuth } from '#adapters/auth/local/local-auth';
import { systemIds } from '#adapters/system/ids';
import { systemSecrets } from '#adapters/system/secrets';
import { changeUser, endUser } from '#core/directory/users';
import { membersArea } from '#core/members/members';
import { issueTokens } from '#core/oauth/tokens';
import type { Auth } from '#ports/auth';
import { isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Storage } from '#ports/storage/storage';
import { pendingUnlessAll } from '#test/pending';
import { storageAdapters, type OpenedStorage } from './adapters.js';
import { addUser, addWorkspace, freshName } from './storage/builders.js';

const atOnce = 50;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const clock = { now: () => Date.now() };

/** What became of each: `done`, or the kind of its refusal. */
const outcomes = async (works: readonly (() => Promise<unknown>)[]): Promise<readonly string[]> =>
  Promise.all(
    works.map((work) =>
      work().then(
        () => 'done',
        (thrown: unknown) => {
          if (isFailure(thrown)) return thrown.kind;
          throw thrown;
        },
      ),
    ),
  );
const count = (all: readonly string[], of: string): number =>
  all.filter((one) => one === of).length;

for (const adapter of storageAdapters) {
  describe(`rights, changed by many at once on ${adapter.name}`, function () {
    this.timeout(60_000);
    let opened: OpenedStorage;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.open();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      opened = result;
    });
    after(() => opened?.stop());

    const storage = (): Storage => opened.storage;
    const auth = (by: Storage = storage()): Auth =>
      localAuth({
        storage: by,
        clock,
        ids: systemIds,
        secrets: systemSecrets,
        nameMinLength: 3,
        checkNewPassword: () => undefined,
        checkWorkspaceName: () => undefined,
        sessionLife: { idleMs: 60_000, mostMs: 60_000 },
        keySuffix: '',
        takesTokens: true,
      });
    const administrators = async () => {
      const workspace = await addWorkspace(storage());
      const users = await Promise.all(Array.from({ length: atOnce }, () => addUser(storage())));
      for (const { id } of users)
        await storage().stores.members.setRole(workspace.id, id, 'admin', []);
      return { workspace, users };
    };
    const handlers = () =>
      membersArea.handlers({ storage: storage(), auth: auth() } as never) as Readonly<
        Record<string, (call: unknown) => Promise<unknown>>
      >; // what these handlers are given and ask for

    it('administrators of a workspace who all leave at once leave one', async () => {
      const { workspace, users } = await administrators();

      const ends = await outcomes(
        users.map(
          ({ id, name }) =>
            () =>
              handlers()['leaveWorkspace']?.({
                workspace,
                caller: { userId: id, userName: name } as Caller,
              }) ?? Promise.reject(new Error('there is no such handler')),
        ),
      );

      expect([count(ends, 'done'), count(ends, 'conflict')]).to.deep.equal([atOnce - 1, 1]);
      expect(await storage().stores.members.countAdmins(workspace.id)).to.equal(1);
    });

    it('administrators of a workspace who take the role from each other leave one', async () => {
      const { workspace, users } = await administrators();

      const ends = await outcomes(
        users.map(
          ({ name }, i) =>
            () =>
              handlers()[i % 2 === 0 ? 'removeMember' : 'setMember']?.({
                workspace,
                body: { workspaceName: workspace.name, userName: name, role: 'member' },
              }) ?? Promise.reject(new Error('there is no such handler')),
        ),
      );

      expect([count(ends, 'done'), count(ends, 'conflict')]).to.deep.equal([atOnce - 1, 1]);
      expect(await storage().stores.members.countAdmins(workspace.id)).to.equal(1);
    });

    it('a workspace that changes hands while its administrators leave belongs to one who is still there', async () => {
      const { workspace, users } = await administrators();

      await outcomes(
        users.flatMap(({ id, name }) => [
          () =>
            handlers()['setWorkspaceOwner']?.({
              workspace,
              body: { workspaceName: workspace.name, userName: name },
            }) ?? Promise.resolve(),
          () =>
            handlers()['leaveWorkspace']?.({
              workspace,
              caller: { userId: id, userName: name } as Caller,
            }) ?? Promise.resolve(),
        ]),
      );

      const owner = (await storage().stores.workspaces.findById(workspace.id))?.ownerId ?? '';
      expect((await storage().stores.members.findMember(workspace.id, owner))?.role).to.equal(
        'admin',
      );
    });

    it('administrators of the installation who end or demote each other leave one', async () => {
      const { users } = storage().stores;
      const administrators = await Promise.all(
        Array.from({ length: atOnce }, () => addUser(storage(), { admin: true })),
      );
      const needs = { storage: storage(), auth: auth(), clock };

      const ends = await outcomes(
        administrators.map(
          (user, i) => () =>
            i % 3 === 0
              ? endUser(needs, user)
              : changeUser(needs, user, i % 3 === 1 ? { admin: false } : { suspended: true }),
        ),
      );

      expect(await users.countAdministrators()).to.equal(1);
      expect(count(ends, 'done') + count(ends, 'conflict')).to.equal(atOnce);
    });

    it('a code that fifty programs bring at once gives no more than one pair, and is told too busy to none', async () => {
      const { oauth, members } = storage().stores;
      const [user, workspace] = [await addUser(storage()), await addWorkspace(storage())];
      await members.setRole(workspace.id, user.id, 'admin', []);
      const [clientId, code, verifier, now] = [
        v7(),
        freshName('code'),
        randomBytes(40).toString('base64url'),
        Date.now(),
      ];
      await oauth.insertClient({
        id: clientId,
        name: 'Editor',
        redirectUris: ['https://p.example/cb'],
        logoUri: undefined,
        clientUri: undefined,
        softwareId: undefined,
        softwareVersion: undefined,
        createdAt: now,
        disabledAt: undefined,
      });
      await oauth.insertCode({
        id: v7(),
        hash: hashOf(code),
        clientId,
        userId: user.id,
        workspaceId: workspace.id,
        workspaceName: workspace.name,
        challenge: systemSecrets.challenge(verifier),
        redirectUri: 'https://p.example/cb',
        resource: 'x',
        createdAt: now,
        expiresAt: now + 60_000,
      });
      const settings = {
        ORRERY_OAUTH_FAMILY_SECONDS: 3600,
        ORRERY_OAUTH_ACCESS_SECONDS: 60,
        ORRERY_OAUTH_REFRESH_SECONDS: 600,
        ORRERY_OAUTH_GRACE_SECONDS: 10,
      };
      const processes = [storage(), opened.again(), opened.again()].map(
        (by) =>
          ({
            storage: by,
            clock,
            ids: systemIds,
            secrets: systemSecrets,
            settings,
            auth: auth(by),
            audit: { note: async () => '', settle: async () => undefined },
          }) as never,
      ); // the settings that are read

      const ends = await outcomes(
        Array.from(
          { length: atOnce },
          (_, i) => () =>
            issueTokens(processes[i % processes.length] as never, {
              grant_type: 'authorization_code',
              code,
              redirect_uri: 'https://p.example/cb',
              client_id: clientId,
              code_verifier: verifier,
            }),
        ),
      );

      expect(count(ends, 'done')).to.be.lessThanOrEqual(1);
      expect(count(ends, 'done') + count(ends, 'invalid'), ends.join(' ')).to.equal(atOnce);
    });

    it('an account that fifty try to sign in to counts every try, and none is told that the database was too busy', async () => {
      const { attempts } = storage().stores;
      const key = hashOf(freshName('try'));

      const ends = await outcomes(
        Array.from({ length: atOnce }, () => async () => {
          for (;;) {
            const seen = await attempts.find(key);
            if (await attempts.replace(key, seen, { tries: (seen?.tries ?? 0) + 1, lastAt: 1 }))
              return;
          }
        }),
      );

      expect([count(ends, 'done'), (await attempts.find(key))?.tries]).to.deep.equal([
        atOnce,
        atOnce,
      ]);
    });
  });
}
