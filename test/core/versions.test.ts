import { expect } from 'chai';
import fc from 'fast-check';
import { isFailure } from '#ports/failure';
import { checkVersion, compareVersions, isOf, nextVersion, orderOf } from '#core/versions';

/** In the order of https://semver.org/spec/v2.0.0.html, section 11. */
const ordered = [
  '0.0.1',
  '0.1.0',
  '1.0.0-0',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-alpha-x',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
  '1.2.0',
  '1.10.0',
  '2.0.0',
  '10.0.0',
];

describe('versions, compared', () => {
  it('sort as versions, before and after their releases', () => {
    const shuffled = [...ordered].sort(
      (one, other) => one.length - other.length || (one < other ? 1 : -1),
    );

    expect(shuffled.sort(compareVersions)).to.deep.equal(ordered);
  });

  it('are ordered the same way round from both sides', () => {
    const part = fc.nat({ max: 12 });
    const before = fc.array(fc.constantFrom('0', '2', '10', 'a', 'b', 'a-b', 'rc'), {
      maxLength: 3,
    });
    const version = fc
      .tuple(part, part, part, before)
      .map(
        ([major, minor, patch, ids]) =>
          `${major}.${minor}.${patch}${ids.length === 0 ? '' : `-${ids.join('.')}`}`,
      );

    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).to.equal(-Math.sign(compareVersions(b, a)) + 0);
        expect(compareVersions(a, b) === 0).to.equal(a === b);
        if (compareVersions(a, b) < 0 && compareVersions(b, c) < 0)
          expect(compareVersions(a, c)).to.be.below(0);
      }),
    );
  });

  it('differ in nothing by what they were built from', () => {
    expect([
      compareVersions('1.0.0+a', '1.0.0+b'),
      compareVersions('1.0.0+a', '1.0.0'),
    ]).to.deep.equal([0, 0]);
  });

  it('are refused with their reason when they are not semantic', () => {
    for (const wrong of [
      '',
      '1',
      '1.0',
      'v1.0.0',
      '1.0.0.0',
      '01.0.0',
      '1.0.0-',
      '1.0.0-01',
      '1.0.0+',
      ' 1.0.0',
      '1.0.0\n',
      '-1.0.0',
      '1.a.0',
      `1.0.0-${'x'.repeat(100)}`,
      '１.0.0',
    ])
      expect(() => {
        checkVersion(wrong);
      }, wrong)
        .to.throw()
        .with.property('reason', 'versionUnfit');
    for (const right of [...ordered, '1.0.0+20130313', '1.0.0-x.7.z.92+b-1.2'])
      expect(() => {
        checkVersion(right);
      }, right).not.to.throw();
  });

  it('go on with the next major, and begin with 1.0.0', () => {
    expect(
      [undefined, '1.0.0', '2.31.4', '3.0.0-rc.1', '3.1.0-rc.1', '0.1.0'].map(nextVersion),
    ).to.deep.equal(['1.0.0', '2.0.0', '3.0.0', '3.0.0', '4.0.0', '1.0.0']);
  });

  it('are of a major and a minor number', () => {
    expect([
      isOf('2.10.1', {}),
      isOf('2.10.1', { major: 2 }),
      isOf('2.10.1', { minor: 10 }),
      isOf('2.10.1', { major: 2, minor: 1 }),
      isOf('2.10.1', { major: 1, minor: 10 }),
      isOf('20.1.0', { major: 2 }),
    ]).to.deep.equal([true, true, true, false, false, false]);
  });
});

/** Precedence as section 11 of the standard words it, for versions without a build. */
const compare = (one: string, other: string): number => {
  const [a, b] = [one, other].map((text) => ({
    numbers: text.split('-')[0]!.split('.').map(BigInt),
    before: text.includes('-') ? text.slice(text.indexOf('-') + 1).split('.') : undefined,
  }));
  for (let i = 0; i < 3; i++)
    if (a!.numbers[i] !== b!.numbers[i]) return a!.numbers[i]! < b!.numbers[i]! ? -1 : 1;
  if (a!.before === undefined || b!.before === undefined)
    return a!.before === b!.before ? 0 : a!.before === undefined ? 1 : -1;
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
const version = fc
  .tuple(number, number, number, fc.array(identifier, { maxLength: 3 }))
  .map(
    ([major, minor, patch, before]) =>
      `${major}.${minor}.${patch}${before.length === 0 ? '' : `-${before.join('.')}`}`,
  )
  .filter((text) => text.length <= 100);

describe('versions, as texts that sort', () => {
  it('sort as the standard orders them', () => {
    const ordered = [
      '0.9.9',
      '1.0.0-0',
      '1.0.0-9',
      '1.0.0-10',
      '1.0.0--',
      '1.0.0-A',
      '1.0.0-a',
      '1.0.0-a.1',
      '1.0.0-a.b',
      '1.0.0-a-',
      '1.0.0-ab',
      '1.0.0-alpha',
      '1.0.0-beta',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1',
      '1.2.0',
      '1.10.0',
      '2.0.0',
      '10.0.0',
    ];

    expect(
      [...ordered].reverse().sort((one, other) => sign(orderOf(one), orderOf(other))),
    ).to.deep.equal(ordered);
    fc.assert(
      fc.property(version, version, (one, other) => {
        expect(sign(orderOf(one), orderOf(other)), `${one} ${other}`).to.equal(compare(one, other));
      }),
    );
  });

  it('that differ in their build alone stand side by side, each with a place of its own', () => {
    const ordered = ['1.0.0-a', '1.0.0', '1.0.0+a', '1.0.0+b', '1.0.1'];

    expect(
      [...ordered].reverse().sort((one, other) => sign(orderOf(one), orderOf(other))),
    ).to.deep.equal(ordered);
  });

  it('make texts that fit where they are kept', () => {
    for (const text of [
      `1.0.0-${'1.'.repeat(46)}1`,
      `${'9'.repeat(96)}.0.0`,
      `1.0.0+${'a.'.repeat(46)}a`,
    ])
      expect(orderOf(text).length, text).to.be.at.most(400);
    fc.assert(
      fc.property(version, (text) => {
        expect(orderOf(text)).to.match(/^[!-~]{8,400}$/);
      }),
    );
  });

  it('are refused in any other form', () => {
    for (const text of [
      '',
      '1',
      '1.0',
      'v1.0.0',
      '1.0.0.0',
      '01.0.0',
      '1.0.0-01',
      '1.0.0-',
      '1.0.0+',
      '1.0.0-a..b',
      '1.0.0 ',
      ' 1.0.0',
      '1.0.0\n',
      '1,0,0',
      '١.0.0',
      `1.0.${'1'.repeat(97)}`,
    ]) {
      let thrown: unknown;
      try {
        orderOf(text);
      } catch (fault) {
        thrown = fault;
      }
      expect(isFailure(thrown) && thrown.reason, JSON.stringify(text)).to.equal('versionUnfit');
    }
  });

  it('go on with the next whole number', () => {
    expect(
      [undefined, '1.0.0', '2.7.9', '0.0.1', '3.0.0-rc.1+b', '99999999999999999999.0.0'].map(
        nextVersion,
      ),
    ).to.deep.equal(['1.0.0', '2.0.0', '3.0.0', '1.0.0', '3.0.0', '100000000000000000000.0.0']);
    fc.assert(
      fc.property(version, (text) => {
        expect(sign(orderOf(text), orderOf(nextVersion(text)))).to.equal(-1);
      }),
    );
  });
});
