import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemSecrets } from '#adapters/system/secrets';
import { isFailure } from '#ports/failure';

describe('passwords', function () {
  this.timeout(60_000);

  it('are hashed a few at a time, so that files are read meanwhile', async () => {
    const hashes = Promise.all(
      Array.from({ length: 40 }, (_, i) => systemSecrets.hashPassword(`password ${i}`)),
    );
    let longest = 0;
    let reads = 0;
    let over = false;
    void hashes.finally(() => {
      over = true;
    });
    while (!over) {
      const began = performance.now();
      await readFile(fileURLToPath(import.meta.url));
      longest = Math.max(longest, performance.now() - began);
      reads++;
    }

    expect(reads).to.be.above(20);
    expect(longest).to.be.below(500);
    expect(await systemSecrets.verifyPassword('password 3', (await hashes)[3] ?? '')).to.equal(
      true,
    );
  });

  it('are refused with the time to wait once too many wait', async () => {
    const hashes = await Promise.allSettled(
      Array.from({ length: 100 }, () => systemSecrets.hashPassword('a password')),
    );

    const refused = hashes.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    expect(refused.length).to.equal(100 - 66);
    for (const reason of refused)
      expect(isFailure(reason) && [reason.kind, reason.retryAfter]).to.deep.equal([
        'unavailable',
        2,
      ]);
    expect(await systemSecrets.hashPassword('a password')).to.match(/^\$argon2id\$/);
  });
});
