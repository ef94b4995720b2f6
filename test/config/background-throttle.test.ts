import { expect } from 'chai';
import { watchTraffic } from '#config/background-throttle';

describe('traffic', () => {
  it('is quiet without requests, and as soon as the last one is answered', async () => {
    const traffic = watchTraffic();
    expect(await traffic.quiet(0)).to.equal(true);
    const [one, two] = [traffic.begin(), traffic.begin()];
    let isQuiet = false;
    const quiet = traffic.quiet(60_000).then((said) => {
      isQuiet = said;
    });
    one();
    await new Promise(setImmediate);
    expect(isQuiet).to.equal(false);
    two();
    await quiet;

    expect(isQuiet).to.equal(true);
  });

  it('tells whether requests came since', () => {
    const traffic = watchTraffic();
    const before = traffic.begun();
    expect(traffic.begun()).to.equal(before);
    traffic.begin()();

    expect(traffic.begun()).to.not.equal(before);
  });

  it('is waited for no longer than asked', async () => {
    const traffic = watchTraffic();
    const over = traffic.begin();

    expect(await traffic.quiet(10)).to.equal(false);
    over();
  });

  it('is not held up by a request that streams', async () => {
    const traffic = watchTraffic();
    traffic.begin();

    expect(await traffic.quiet(60_000)).to.equal(true);
  });
});
