import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { freshKey, start } from './builders.js';

/** What every store of tries keeps to. */
export const attemptContract = (storage: () => Storage): void => {
  const attempts = () => storage().stores.attempts;
  const once = { tries: 1, lastAt: start };

  it('starts a count for the caller that saw none', async () => {
    const key = freshKey();

    expect(await attempts().find(key)).to.equal(undefined);
    expect(await attempts().replace(key, undefined, once)).to.equal(true);
    expect(await attempts().find(key)).to.deep.equal(once);
    expect(await attempts().find(freshKey())).to.equal(undefined);
  });

  it('changes a count only where it is still what was seen', async () => {
    const key = freshKey();
    await attempts().replace(key, undefined, once);

    expect(await attempts().replace(key, undefined, { tries: 9, lastAt: start })).to.equal(false);
    expect(
      await attempts().replace(key, { tries: 1, lastAt: start - 1 }, { tries: 9, lastAt: start }),
    ).to.equal(false);
    expect(
      await attempts().replace(key, { tries: 2, lastAt: start }, { tries: 9, lastAt: start }),
    ).to.equal(false);
    expect(await attempts().replace(key, once, { tries: 2, lastAt: start + 5 })).to.equal(true);
    expect(await attempts().find(key)).to.deep.equal({ tries: 2, lastAt: start + 5 });
  });

  it('accepts one of many callers that saw the same count', async () => {
    const key = freshKey();

    const begun = await Promise.all(
      Array.from({ length: 8 }, () => attempts().replace(key, undefined, once)),
    );
    const gone = await Promise.all(
      Array.from({ length: 8 }, () =>
        attempts().replace(key, once, { tries: 2, lastAt: start + 1 }),
      ),
    );

    expect([begun, gone].map((some) => some.filter((one) => one).length)).to.deep.equal([1, 1]);
  });

  it('takes one attempt back, never below zero', async () => {
    const key = freshKey();
    await attempts().replace(key, undefined, { tries: 2, lastAt: start });

    for (const left of [1, 0, 0]) {
      await attempts().takeBack(key);
      expect(await attempts().find(key)).to.deep.equal({ tries: left, lastAt: start });
    }
  });

  it('forgets a key, and keys that were not tried for long, a few at a time', async () => {
    const [gone, kept, ...old] = [freshKey(), freshKey(), freshKey(), freshKey(), freshKey()];
    for (const key of [gone, kept]) await attempts().replace(key, undefined, once);
    for (const [at, key] of old.entries())
      await attempts().replace(key, undefined, { tries: 1, lastAt: at + 1 });

    expect(await attempts().remove(gone)).to.equal(true);
    expect(await attempts().remove(gone)).to.equal(false);
    expect(await attempts().removeBefore(4, 2)).to.equal(2);
    expect(await attempts().removeBefore(4, 2)).to.equal(1);
    expect(await attempts().removeBefore(4, 2)).to.equal(0);
    expect(await Promise.all([gone, ...old].map((key) => attempts().find(key)))).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(await attempts().find(kept)).to.deep.equal(once);
  });
};
