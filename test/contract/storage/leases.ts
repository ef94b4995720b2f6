import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { freshName } from './builders.js';

/** What every store of leases keeps to. */
export const leaseContract = (storage: () => Storage): void => {
  const leases = () => storage().stores.leases;

  it('gives a lease to one of many who take it at once', async () => {
    const name = freshName('lease');

    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, i) => leases().take(name, `holder-${i}`, 60_000)),
    );

    expect(taken.filter((held) => held)).to.have.length(1);
  });

  it('renews a lease for its holder and refuses everybody else', async () => {
    const name = freshName('lease');

    expect([
      await leases().take(name, 'a', 60_000),
      await leases().take(name, 'a', 60_000),
      await leases().take(name, 'b', 60_000),
    ]).to.deep.equal([true, true, false]);
  });

  it('gives a lease that was not renewed in time to whoever asks next', async () => {
    const name = freshName('lease');
    await leases().take(name, 'a', 30);

    let taken = false;
    for (let tries = 0; tries < 200 && !taken; tries++) {
      await wait(10);
      taken = await leases().take(name, 'b', 60_000);
    }

    expect([taken, await leases().take(name, 'a', 60_000)]).to.deep.equal([true, false]);
  });

  it('frees a lease for its holder only', async () => {
    const name = freshName('lease');
    await leases().take(name, 'a', 60_000);

    await leases().release(name, 'b');
    expect(await leases().take(name, 'b', 60_000)).to.equal(false);
    await leases().release(name, 'a');

    expect(await leases().take(name, 'b', 60_000)).to.equal(true);
  });

  it('keeps leases of different names apart', async () => {
    const name = freshName('lease');

    expect([
      await leases().take(`${name}:1`, 'a', 60_000),
      await leases().take(`${name}:2`, 'b', 60_000),
    ]).to.deep.equal([true, true]);
  });

  it('counts the live leases of a prefix, taking wildcard characters literally', async () => {
    const prefix = `${freshName('pre')}_%:`;
    await leases().take(`${prefix}1`, 'a', 60_000);
    await leases().take(`${prefix}2`, 'b', 60_000);
    await leases().take(`${prefix.replace('_%', 'xx')}3`, 'c', 60_000);
    await leases().take(`${prefix}4`, 'd', 60_000);
    await leases().release(`${prefix}4`, 'd');

    expect(await leases().count(prefix)).to.equal(2);
  });
};
