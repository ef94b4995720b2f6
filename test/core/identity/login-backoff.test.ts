import { expect } from 'chai';
import { systemSecrets } from '#adapters/system/secrets';
import { countTry, forgive, ofAccount, type GuardNeeds } from '#core/identity/login-backoff';
import { Failure, isFailure } from '#ports/failure';
import type { Attempts } from '#ports/storage/attempts';

/** Tries in memory, which several processes share; and a clock that stands still until it is moved. */
const aLaboratory = () => {
  const kept = new Map<string, Attempts>();
  let now = 1_700_000_000_000;
  const needs: GuardNeeds = {
    secrets: systemSecrets,
    clock: { now: () => now },
    storage: {
      stores: {
        attempts: {
          find: async (key) => kept.get(key),
          async replace(key, seen, next) {
            const here = kept.get(key);
            if (here?.tries !== seen?.tries || here?.lastAt !== seen?.lastAt) return false;
            kept.set(key, next);
            return true;
          },
          async takeBack(key) {
            const here = kept.get(key);
            if (here !== undefined) kept.set(key, { ...here, tries: Math.max(0, here.tries - 1) });
          },
          remove: async (key) => kept.delete(key),
          removeBefore: async () => 0,
        },
      },
    },
  };
  return {
    needs,
    kept,
    pass(ms: number) {
      now += ms;
    },
  };
};
const account = ofAccount('ada');
const address = (of = '192.0.2.7') => ({ kind: 'address', of }) as const;
/** The seconds to wait; 0 when the try was let through. */
const waitOf = async (work: Promise<unknown>): Promise<number> => {
  try {
    await work;
    return 0;
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'throttled') return thrown.retryAfter ?? -1;
    throw thrown;
  }
};

describe('guessing at an account', () => {
  it('is allowed five times, then waits, longer each time', async () => {
    const { needs, pass } = aLaboratory();
    for (let i = 0; i < 5; i++) expect(await waitOf(countTry(needs, account))).to.equal(0);

    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      expect(await waitOf(countTry(needs, account))).to.equal(seconds);
      pass(seconds * 1000);
      expect(await waitOf(countTry(needs, account))).to.equal(0);
    }
  });

  it('does not wait longer for having been refused: a flood keeps nobody out', async () => {
    const { needs, pass } = aLaboratory();
    for (let i = 0; i < 5; i++) await countTry(needs, account);
    for (let i = 0; i < 100; i++) expect(await waitOf(countTry(needs, account))).to.equal(1);
    pass(1000);

    expect(await waitOf(countTry(needs, account))).to.equal(0);
  });

  it('is forgotten when its owner comes in, or proves otherwise who it is', async () => {
    const { needs } = aLaboratory();
    for (let i = 0; i < 4; i++) await countTry(needs, account);
    await (await countTry(needs, account)).succeeded();
    for (let i = 0; i < 5; i++) expect(await waitOf(countTry(needs, account))).to.equal(0);
    expect(await waitOf(countTry(needs, account))).to.equal(1);

    for (let i = 0; i < 5; i++) await countTry(needs, ofAccount('ada@people.example'));
    await forgive(needs, { name: 'Ada', email: 'ADA@people.example' });
    for (const one of [account, ofAccount('ada@people.example')])
      expect(await waitOf(countTry(needs, one))).to.equal(0);
  });

  it('is counted by what was typed, in any case and form of it, whether or not there is such an account', () => {
    expect([ofAccount('Ada'), ofAccount('ADA'), ofAccount('\uff21da')]).to.deep.equal([
      account,
      account,
      account,
    ]);
    expect(ofAccount('ada@people.example')).to.not.deep.equal(account);
  });

  it('is forgotten after a day', async () => {
    const { needs, pass } = aLaboratory();
    for (let i = 0; i < 5; i++) await countTry(needs, account);
    pass(24 * 3_600_000);

    for (let i = 0; i < 5; i++) expect(await waitOf(countTry(needs, account))).to.equal(0);
  });

  it('at once gets no further than one after the other', async () => {
    const { needs } = aLaboratory();

    const waits = await Promise.all(
      Array.from({ length: 200 }, () => waitOf(countTry(needs, account))),
    );

    expect(waits.filter((seconds) => seconds === 0).length).to.be.at.most(5);
  });
});

describe('guessing from an address', () => {
  it('waits whichever accounts it was at', async () => {
    const { needs } = aLaboratory();
    for (let i = 0; i < 20; i++)
      await countTry(needs, address(), { kind: 'account', of: `user ${i}` });

    expect(await waitOf(countTry(needs, address(), { kind: 'account', of: 'another' }))).to.equal(
      1,
    );
    expect(
      await waitOf(countTry(needs, address('192.0.2.8'), { kind: 'account', of: 'another' })),
    ).to.equal(0);
  });

  it('is not counted where the account must wait, and gets back only its own try by success', async () => {
    const { needs, kept } = aLaboratory();
    for (let i = 0; i < 5; i++) await countTry(needs, address(), account);
    expect(await waitOf(countTry(needs, address(), account))).to.equal(1);
    await (await countTry(needs, address(), { kind: 'account', of: 'own' })).succeeded();

    expect([...kept.values()].map(({ tries }) => tries)).to.have.members([5, 5]);
  });

  it('is not counted where it could not be made', async () => {
    const { needs, kept } = aLaboratory();
    const full = new Failure('unavailable', 'too many passwords are being checked');
    for (let i = 0; i < 30; i++)
      expect(
        await (
          await countTry(needs, address(), account)
        )
          .make(() => Promise.reject(full))
          .catch((thrown: unknown) => thrown),
      ).to.equal(full);

    expect([...kept.values()].map(({ tries }) => tries)).to.deep.equal([0, 0]);
    expect(
      await (await countTry(needs, address(), account)).make(() => Promise.resolve('made')),
    ).to.equal('made');
    expect([...kept.values()].map(({ tries }) => tries)).to.deep.equal([1, 1]);
  });

  it('keeps nothing of what was typed or of where it came from', async () => {
    const { needs, kept } = aLaboratory();
    await countTry(needs, address(), account);

    for (const key of kept.keys()) expect(key).to.match(/^[0-9a-f]{64}$/);
  });
});
