// Who asks: people of two workspaces that know nothing of each other, and who may do what there.
import { openBeside, type StartedServer } from '#test/clients/server';
import { neverStored } from '#test/clients/secrets';
import { allFixtures } from './all-fixtures.js';
import type { AreaFixtures, Member, Owner, Supply } from './fixtures.js';
import { freshName } from './fresh.js';
import type { Supplies } from './world.js';

export interface People {
  readonly home: Owner;
  readonly stranger: Owner;
  /** A view-only member of `home`'s workspace. */
  readonly viewer: Member;
  /** An ordinary member of it. */
  readonly member: Member;
  /** Somebody whose sessions may end. */
  readonly keeper: Member;
  /** Keys of members of it who may go. */
  readonly leavers: string[];
  /** What tests of `home`'s world use up. */
  readonly supplies: Supplies;
}

/** Makes the people that the product has no call for yet, in the running server's database, and lays in what the areas want. */
export const makePeople = async (
  server: StartedServer,
  fixtures: readonly AreaFixtures[] = allFixtures,
): Promise<People> => {
  const { storage, auth, close } = await openBeside(server);
  const add = async (start: string) => {
    const name = freshName(start);
    const added = await auth.addUser({ name, workspace: freshName(`${start}-space`) });
    return { ...added, name, apiKey: neverStored(added.apiKey) };
  };
  try {
    const [home, stranger] = [await add('home'), await add('stranger')];
    const [viewer, member, keeper] = [
      await add('viewer'),
      await add('member'),
      await add('keeper'),
    ];
    const workspaceId = home.user.defaultWorkspaceId ?? '';
    const { members } = storage.stores;
    await members.setRole(workspaceId, viewer.user.id, 'view-only', []);
    await members.setRole(workspaceId, member.user.id, 'member', []);
    const leavers: string[] = [];
    for (let i = 0; i < 12; i++) {
      const { user, apiKey } = await auth.addUser({ name: freshName('leaver') });
      await members.setRole(workspaceId, user.id, 'member', []);
      leavers.push(neverStored(apiKey));
    }
    const password = neverStored('velvet-Harbor-91-quill');
    for (const { user } of [home, keeper]) await auth.setPassword(user.id, password);
    const stocking = {
      storage,
      auth,
      owner: { id: home.user.id, workspaceId },
      viewerId: viewer.user.id,
      memberId: member.user.id,
    };
    const supplies = new Map<Supply, unknown>();
    for (const supply of fixtures.flatMap((one) => one.supplies ?? []))
      supplies.set(supply, await supply.stock(stocking));
    const asMember = ({ name, apiKey, workspace }: typeof home): Owner => ({
      name,
      apiKey,
      workspace,
    });
    return {
      home: { ...asMember(home), password },
      stranger: asMember(stranger),
      viewer: asMember(viewer),
      member: asMember(member),
      keeper: { ...asMember(keeper), password },
      leavers,
      supplies,
    };
  } finally {
    await close();
  }
};
