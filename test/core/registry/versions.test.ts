import { expect } from 'chai';
import * as fc from 'fast-check';
import { checkVersion, compareVersions, isOf, nextVersion } from '#core/registry/versions';

/** In the order of https://semver.org/spec/v2.0.0.html, section 11. */
const ordered = ['0.0.1', '0.1.0', '1.0.0-0', '1.0.0-2', '1.0.0-10', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-alpha-x', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0', '10.0.0'];

describe('versions of models', () => {
  it('sort as versions, before and after their releases', () => {
    const shuffled = [...ordered].sort((one, other) => (one.length - other.length) || (one < other ? 1 : -1));

    expect(shuffled.sort(compareVersions)).to.deep.equal(ordered);
  });

  it('are ordered the same way round from both sides', () => {
    const part = fc.nat({ max: 12 });
    const before = fc.array(fc.constantFrom('0', '2', '10', 'a', 'b', 'a-b', 'rc'), { maxLength: 3 });
    const version = fc.tuple(part, part, part, before).map(([major, minor, patch, ids]) => `${major}.${minor}.${patch}${ids.length === 0 ? '' : `-${ids.join('.')}`}`);

    fc.assert(fc.property(version, version, version, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b))).to.equal(-Math.sign(compareVersions(b, a)) + 0);
      expect(compareVersions(a, b) === 0).to.equal(a === b);
      if (compareVersions(a, b) < 0 && compareVersions(b, c) < 0) expect(compareVersions(a, c)).to.be.below(0);
    }));
  });

  it('differ in nothing by what they were built from', () => {
    expect([compareVersions('1.0.0+a', '1.0.0+b'), compareVersions('1.0.0+a', '1.0.0')]).to.deep.equal([0, 0]);
  });

  it('are refused with their code when they are not semantic', () => {
    for (const wrong of ['', '1', '1.0', 'v1.0.0', '1.0.0.0', '01.0.0', '1.0.0-', '1.0.0-01', '1.0.0+', ' 1.0.0', '1.0.0\n', '-1.0.0', '1.a.0', `1.0.0-${'x'.repeat(100)}`, '1.0.9999999999999999', '１.0.0']) expect(() => { checkVersion(wrong); }, wrong).to.throw().with.property('code', 42001);
    for (const right of [...ordered, '1.0.0+20130313', '1.0.0-x.7.z.92+b-1.2']) expect(() => { checkVersion(right); }, right).not.to.throw();
  });

  it('go on with the next major, and begin with 1.0.0', () => {
    expect([undefined, '1.0.0', '2.31.4', '3.0.0-rc.1', '3.1.0-rc.1', '0.1.0'].map(nextVersion)).to.deep.equal(['1.0.0', '2.0.0', '3.0.0', '3.0.0', '4.0.0', '1.0.0']);
  });

  it('are of a major and a minor number', () => {
    expect([isOf('2.10.1', {}), isOf('2.10.1', { major: 2 }), isOf('2.10.1', { minor: 10 }), isOf('2.10.1', { major: 2, minor: 1 }), isOf('2.10.1', { major: 1, minor: 10 }), isOf('20.1.0', { major: 2 })]).to.deep.equal([true, true, true, false, false, false]);
  });
});
