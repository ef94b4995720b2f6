import { expect } from 'chai';
import { readAreas } from './by-area.js';
import { sep } from 'node:path';

describe('a run of the tests that names an area', () => {
  const of = (...words: readonly string[]) => {
    const { areas, isOfThem } = readAreas(words);
    return { areas, has: (file: string) => isOfThem(file.replaceAll('/', sep)) };
  };

  it('takes the battery, and what has its word in its path', () => {
    const { areas, has } = of('registry');

    expect(areas).to.deep.equal(['registry', 'approvals']);
    for (const file of [
      'api/every-operation.test.js',
      'api/hostile-values.test.js',
      'core/registry/rules.test.js',
      'clients/wire/registry.test.js',
      'contract/storage.test.js',
    ])
      expect(has(file), file).to.equal(true);
    for (const file of ['core/oauth/rules.test.js', 'faults/bucket.test.js'])
      expect(has(file), file).to.equal(false);
  });

  it('takes no contract of storage where its area has none', () => {
    expect(of('access-checks').has('contract/storage.test.js')).to.equal(false);
  });

  it('takes an area by its own name too, and everything where none is named', () => {
    expect(of('approvals').areas).to.deep.equal(['approvals']);
    expect(of().has('faults/bucket.test.js')).to.equal(true);
  });

  it('refuses a word that is no area, and says which there are', () => {
    expect(() => of('registri')).to.throw(/^there is no area registri; there are access-checks, /);
  });
});
