import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { freshName } from './builders.js';

/** What every store of switched toggles keeps to. */
export const toggleContract = (storage: () => Storage): void => {
  const toggles = () => storage().stores.toggles;

  it('keeps the last switch of a toggle', async () => {
    const name = freshName('toggle');
    await toggles().write(name, true);
    await toggles().write(name, false);

    expect((await toggles().list()).filter((one) => one.name === name)).to.deep.equal([
      { name, enabled: false },
    ]);
  });
};
