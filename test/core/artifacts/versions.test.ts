import { expect } from 'chai';
import fc from 'fast-check';
import { isFailure } from '#ports/failure';
import { nextVersion, orderOf } from '#core/artifacts/versions';

/** Precedence as section 11 of the standard words it, for versions without a build. */
const compare = (one: string, other: string): number => {
  const [a, b] = [one, other].map((text) => ({ numbers: text.split('-')[0]!.split('.').map(BigInt), before: text.includes('-') ? text.slice(text.indexOf('-') + 1).split('.') : undefined }));
  for (let i = 0; i < 3; i++) if (a!.numbers[i] !== b!.numbers[i]) return a!.numbers[i]! < b!.numbers[i]! ? -1 : 1;
  if (a!.before === undefined || b!.before === undefined) return a!.before === b!.before ? 0 : a!.before === undefined ? 1 : -1;
  for (let i = 0; i < Math.max(a!.before.length, b!.before.length); i++) {
    const [x, y] = [a!.before[i], b!.before[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [digitsX, digitsY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (digitsX !== digitsY) return digitsX ? -1 : 1;
    if (x !== y) return digitsX ? (BigInt(x) < BigInt(y) ? -1 : 1) : x < y ? -1 : 1;
  }
  return 0;
};
const sign = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const number = fc.oneof(fc.nat(12), fc.bigInt({ min: 0n, max: 10n ** 20n })).map(String);
const identifier = fc.oneof(number, fc.stringMatching(/^[0-9]{0,2}[a-zA-Z-][0-9a-zA-Z-]{0,3}$/));
const version = fc.tuple(number, number, number, fc.array(identifier, { maxLength: 3 })).map(([major, minor, patch, before]) => `${major}.${minor}.${patch}${before.length === 0 ? '' : `-${before.join('.')}`}`).filter((text) => text.length <= 100);

describe('semantic versions', () => {
  it('sort as the standard orders them', () => {
    const ordered = ['0.9.9', '1.0.0-0', '1.0.0-9', '1.0.0-10', '1.0.0--', '1.0.0-A', '1.0.0-a', '1.0.0-a.1', '1.0.0-a.b', '1.0.0-a-', '1.0.0-ab', '1.0.0-alpha', '1.0.0-beta', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0', '10.0.0'];

    expect([...ordered].reverse().sort((one, other) => sign(orderOf(one), orderOf(other)))).to.deep.equal(ordered);
    fc.assert(fc.property(version, version, (one, other) => { expect(sign(orderOf(one), orderOf(other)), `${one} ${other}`).to.equal(compare(one, other)); }));
  });

  it('that differ in their build alone stand side by side, each with a place of its own', () => {
    const ordered = ['1.0.0-a', '1.0.0', '1.0.0+a', '1.0.0+b', '1.0.1'];

    expect([...ordered].reverse().sort((one, other) => sign(orderOf(one), orderOf(other)))).to.deep.equal(ordered);
  });

  it('make texts that fit where they are kept', () => {
    for (const text of [`1.0.0-${'1.'.repeat(46)}1`, `${'9'.repeat(96)}.0.0`, `1.0.0+${'a.'.repeat(46)}a`]) expect(orderOf(text).length, text).to.be.at.most(400);
    fc.assert(fc.property(version, (text) => { expect(orderOf(text)).to.match(/^[!-~]{8,400}$/); }));
  });

  it('are refused in any other form', () => {
    for (const text of ['', '1', '1.0', 'v1.0.0', '1.0.0.0', '01.0.0', '1.0.0-01', '1.0.0-', '1.0.0+', '1.0.0-a..b', '1.0.0 ', ' 1.0.0', '1.0.0\n', '1,0,0', '١.0.0', `1.0.${'1'.repeat(97)}`]) {
      let thrown: unknown;
      try { orderOf(text); } catch (fault) { thrown = fault; }
      expect(isFailure(thrown) && thrown.code, JSON.stringify(text)).to.equal(42001);
    }
  });

  it('go on with the next whole number', () => {
    expect([undefined, '1.0.0', '2.7.9', '0.0.1', '3.0.0-rc.1+b', '99999999999999999999.0.0'].map(nextVersion)).to.deep.equal(['1.0.0', '2.0.0', '3.0.0', '1.0.0', '4.0.0', '100000000000000000000.0.0']);
    fc.assert(fc.property(version, (text) => { expect(sign(orderOf(text), orderOf(nextVersion(text)))).to.equal(-1); }));
  });
});
