import { expect } from 'chai';
import type { Environment } from '#ports/model/environments';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, rejection, start } from './builders.js';

const startMicros = start * 1000;

/** Who made it, for records of which that is no matter. */
export const byAnn = {
  createdAt: startMicros,
  createdBy: 'ann',
  lastUpdatedAt: startMicros,
  lastUpdatedBy: 'ann',
};
export const byBob = { lastUpdatedAt: startMicros + 1, lastUpdatedBy: 'bob' };

/** What every store of environments keeps to. */
export const environmentContract = (storage: () => Storage): void => {
  const environments = () => storage().stores.environments;
  const add = async (given: Partial<Environment> = {}): Promise<Environment> => {
    const made: Environment = {
      workspaceId: freshId(),
      id: freshId(),
      name: freshName('environment'),
      description: undefined,
      color: undefined,
      position: undefined,
      ...byAnn,
      ...given,
    };
    await environments().insert(made);
    return made;
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({ description: ' näme \u{1f600} ', color: '#00ff00', position: 3 });
    const other = await add({ id: made.id, name: made.name });

    expect(await environments().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await environments().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await environments().find(freshId(), made.id)).to.equal(undefined);
    expect(await environments().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
  });

  it('refuses an id and a name that the workspace has', async () => {
    const made = await add();
    const { workspaceId } = made;
    const second = await add({ workspaceId });

    for (const taken of [{ id: made.id }, { name: made.name }])
      expect(await rejection(add({ workspaceId, ...taken }))).to.include({ kind: 'conflict' });
    expect(
      await rejection(environments().update(workspaceId, second.id, { name: made.name, ...byBob })),
    ).to.include({ kind: 'conflict' });
    await add({ name: made.name });
    await add({ workspaceId, name: made.name.toUpperCase() });
  });

  it('lists those of a workspace by position, then in the order of their ids', async () => {
    const workspaceId = freshId();
    const [a, b, c, d] = [
      await add({ workspaceId }),
      await add({ workspaceId, position: 2 }),
      await add({ workspaceId, position: 1 }),
      await add({ workspaceId }),
    ];
    await add();

    expect((await environments().list(workspaceId)).map(({ id }) => id)).to.deep.equal(
      [c, b, a, d].map(({ id }) => id),
    );
  });

  it('changes what is given alone, and says whether it was there', async () => {
    const made = await add({ description: 'first', position: 1 });
    const { workspaceId, id } = made;

    expect([
      await environments().update(workspaceId, id, { color: '#ffffff', ...byBob }),
      await environments().update(workspaceId, id, { color: '#ffffff', ...byBob }),
      await environments().update(freshId(), id, { color: '#000000', ...byBob }),
      await environments().update(workspaceId, freshId(), byBob),
      await environments().update(workspaceId, 'no-such-id', byBob),
    ]).to.deep.equal([true, true, false, false, false]);
    expect(await environments().find(workspaceId, id)).to.deep.equal({
      ...made,
      ...byBob,
      color: '#ffffff',
    });
  });

  it('removes those that are there, of one workspace alone', async () => {
    const made = await add();
    const other = await add({ id: made.id });
    const kept = await add({ workspaceId: made.workspaceId });

    await environments().remove(made.workspaceId, [made.id, freshId(), 'no-such-id']);

    expect(await environments().find(made.workspaceId, made.id)).to.equal(undefined);
    expect(await environments().find(made.workspaceId, kept.id)).to.deep.equal(kept);
    expect(await environments().find(other.workspaceId, made.id)).to.deep.equal(other);
  });
};
