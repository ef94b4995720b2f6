import { expect } from 'chai';
import { forgetSearches } from '#core/upkeep/jobs';
import { addWorkspace, freshId } from '#test/contract/storage/builders';
import { embedded } from '../opened.js';

const day = 86_400_000;
const now = 40 * day; // before anything else that a test makes

describe('searches for parameters', () => {
  const opened = embedded();
  const { signal } = new AbortController();
  const clock = { now: () => now };

  it('are kept for as many days as were set, and for ever when none were', async () => {
    const { storage } = opened();
    const { optimizers } = storage.stores;
    const workspace = await addWorkspace(storage);
    const ids = Array.from({ length: 45 }, freshId);
    for (const id of ids)
      await optimizers.insert({
        id,
        workspaceId: workspace.id,
        userId: workspace.ownerId,
        algorithm: 'grid',
        name: undefined,
        parameters: '{}',
        spec: '{}',
        trials: 1,
        seed: 's',
        createdAt: id === ids[0] ? now - 29 * day : now - 31 * day,
      });
    const left = async () => {
      const found = await Promise.all(ids.map((id) => optimizers.find(id)));
      return found.filter((one) => one !== undefined).map(({ id }) => id);
    };

    expect(await forgetSearches(storage.stores, clock, 0, signal)).to.equal(0);
    expect(await forgetSearches(storage.stores, clock, 30, AbortSignal.abort())).to.equal(0);
    expect(await left()).to.have.length(45);
    expect(await forgetSearches(storage.stores, clock, 30, signal)).to.equal(44);
    expect(await left()).to.deep.equal([ids[0]]);
  });
});
