import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { addWorkspace, freshId } from './builders.js';

/** What every store of configurations of workspaces keeps to. */
export const workspaceConfigurationContract = (storage: () => Storage): void => {
  const configurations = () => storage().stores.workspaceConfigurations;
  const none = {
    threadInactivitySeconds: undefined,
    truncatesTables: undefined,
    colors: undefined,
  };

  it('keeps one configuration of each workspace, replaced as a whole, until it is removed', async () => {
    const [{ id }, { id: other }] = [await addWorkspace(storage()), await addWorkspace(storage())];
    const full = {
      ...{ threadInactivitySeconds: 900, truncatesTables: false },
      colors: { é: '#fff', __proto__x: '#000' },
    };
    expect(await configurations().find(id)).to.equal(undefined);
    await configurations().put(id, full);
    await configurations().put(other, { ...none, truncatesTables: true });
    expect(await configurations().find(id)).to.deep.equal(full);
    await configurations().put(id, none);
    expect(await configurations().find(id)).to.deep.equal(none);

    expect(await configurations().remove(id)).to.equal(true);
    expect([
      await configurations().remove(id),
      await configurations().remove(freshId()),
      await configurations().find(id),
      await configurations().find('no id'),
    ]).to.deep.equal([false, false, undefined, undefined]);
    expect(await configurations().find(other)).to.deep.include({ truncatesTables: true });
  });
};
