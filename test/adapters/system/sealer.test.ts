import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { gcmSealer, secretInFile } from '#adapters/system/sealer';
import { isFailure } from '#ports/failure';

const kindOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (thrown) {
    return isFailure(thrown) ? thrown.kind : thrown;
  }
  return undefined;
};

describe('what is sealed', () => {
  const sealer = gcmSealer(() => 'k'.repeat(32));

  it('comes back as it was, and never looks the same twice', () => {
    for (const text of ['', 'swordfish', 'é🦄\0', 'x'.repeat(100_000)]) {
      const [one, two] = [sealer.seal(text, 'a'), sealer.seal(text, 'a')];
      expect([
        sealer.open(one, 'a'),
        one === two,
        text.length > 5 && one.includes(text),
      ]).to.deep.equal([text, false, false]);
    }
  });

  it('is opened by another sealer of the same secret, as on another machine', () => {
    expect(gcmSealer(() => 'k'.repeat(32)).open(sealer.seal('swordfish', 'a'), 'a')).to.equal(
      'swordfish',
    );
  });

  it('is refused under another key, for something else, and when it was changed', () => {
    const sealed = sealer.seal('swordfish', 'a');
    const changed = `${sealed.slice(0, -6)}${sealed.at(-6) === 'A' ? 'B' : 'A'}${sealed.slice(-5)}`;

    expect(kindOf(() => gcmSealer(() => 'x'.repeat(32)).open(sealed, 'a'))).to.equal('unavailable');
    for (const act of [
      () => sealer.open(sealed, 'b'),
      () => sealer.open(changed, 'a'),
      () => sealer.open('', 'a'),
      () => sealer.open('plain', 'a'),
      () => sealer.open(sealed.slice(0, 20), 'a'),
    ])
      expect(kindOf(act)).to.equal('unavailable');
  });
});

describe('the key of sealed texts in a file', () => {
  it('is made once, for its owner alone, and is the same from then on', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-seal-'));
    const path = join(folder, 'data', 'seal-key');

    const first = secretInFile(path);

    expect([
      first.length >= 32,
      secretInFile(path),
      readFileSync(path, 'utf8').trim(),
      statSync(path).mode & 0o777,
    ]).to.deep.equal([true, first, first, 0o600]);
    rmSync(folder, { recursive: true });
  });
});
