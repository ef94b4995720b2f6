import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ModelVersion } from '#ports/model/registry';
import {
  checkStatuses,
  checkTags,
  chooseVersion,
  compareTags,
  defaultStatuses,
  displacedTo,
  groupByDay,
  mergeMetadata,
  newestFirst,
  normalName,
  parseStoredMetadata,
  requireName,
  requireStatus,
} from '#core/registry/rules';

/** What the Python client makes of a name before it sends it on some calls. */
const asClient = (name: string): string =>
  [...name]
    .map((sign) => (/[\p{L}\p{N}]/u.test(sign) ? sign : '-'))
    .join('')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase()
    .replaceAll(/-+/g, '-');

const version = (number: string, tags: readonly string[] = [], id = number): ModelVersion => ({
  id,
  modelId: 'm',
  experimentId: 'e',
  experimentKey: 'k',
  experimentModelId: 'x',
  experimentModelName: 'net',
  version: number,
  comment: undefined,
  tags,
  status: 'None',
  files: 1,
  userName: 'u',
  createdAt: 1,
  updatedAt: 1,
});

describe('names of registered models', () => {
  it('are lower case with one dash for every run of other signs', () => {
    expect(
      ['My Model', '--a__B..c--', 'Größe 2', '模型 A', 'ONE', 'a\u0301b'].map(normalName),
    ).to.deep.equal(['my-model', 'a-b-c', 'größe-2', '模型-a', 'one', 'a-b']);
  });

  it('are the same as sent by a client that has made them normal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (name) => {
        expect(normalName(asClient(name))).to.equal(normalName(name));
      }),
    );
    expect(normalName(asClient('İstanbul'))).to.equal(normalName('İstanbul'));
  });

  it('must hold a letter or a digit', () => {
    for (const name of ['', '---', '🦄', ' '])
      expect(() => requireName(name), name).to.throw('letter');
  });
});

describe('tags of versions', () => {
  it('are kept once, in their order', () => {
    expect(checkTags(['b', 'a', 'b', 'A'])).to.deep.equal(['b', 'a', 'A']);
    for (const wrong of [
      [''],
      [' '],
      ['x'.repeat(201)],
      Array.from({ length: 1001 }, (_, i) => String(i)),
    ])
      expect(() => checkTags(wrong)).to.throw();
  });

  it('are told apart by what came and what went', () => {
    expect(compareTags(['a', 'b'], ['b', 'c'])).to.deep.equal({
      addedStages: ['c'],
      removedStages: ['a'],
    });
  });
});

describe('a choice among versions', () => {
  const fifty = Array.from({ length: 50 }, (_, i) =>
    version(`${i % 5}.${i}.0`, i % 7 === 0 ? ['seventh'] : []),
  );

  it('is the highest of those that fit', () => {
    expect(chooseVersion(fifty, {})?.version).to.equal('4.49.0');
    expect([
      chooseVersion(fifty, { major: 3 })?.version,
      chooseVersion(fifty, { major: 3, minor: 8 })?.version,
      chooseVersion(fifty, { minor: 9 })?.version,
    ]).to.deep.equal(['3.48.0', '3.8.0', '4.9.0']);
    expect([
      chooseVersion(fifty, { stage: 'seventh' })?.version,
      chooseVersion(fifty, { stage: 'seventh', major: 1 })?.version,
      chooseVersion(fifty, { version: '0.5.0' })?.version,
    ]).to.deep.equal(['4.49.0', '1.21.0', '0.5.0']);
    expect([
      chooseVersion(fifty, { stage: 'no' }),
      chooseVersion(fifty, { version: '0.5.0', stage: 'seventh' }),
      chooseVersion([], {}),
    ]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('takes the younger of two that are equal', () => {
    expect(
      newestFirst([version('1.0.0+b', [], '1'), version('1.0.0+a', [], '2')]).map(({ id }) => id),
    ).to.deep.equal(['2', '1']);
  });
});

describe('statuses of versions', () => {
  it('are named when one is refused', () => {
    expect(() => requireStatus(defaultStatuses, 'production')).to.throw(
      'None, Development, Staging, QA, Production, Archived',
    );
    expect(requireStatus(defaultStatuses, 'Production').exclusive).to.equal(true);
  });

  it('that are lost to another version become Archived where there is such a one', () => {
    expect([
      displacedTo(defaultStatuses, 'Production'),
      displacedTo(defaultStatuses, 'Archived'),
      displacedTo([], 'Production'),
    ]).to.deep.equal(['Archived', 'None', 'None']);
  });

  it('are a list of names that differ', () => {
    const [one] = defaultStatuses;
    for (const wrong of [[], [one, one], [{ ...one, name: ' ' }]])
      expect(() => {
        checkStatuses(wrong as typeof defaultStatuses);
      }).to.throw(); // lists of whole statuses
    expect(() => {
      checkStatuses(defaultStatuses);
    }).not.to.throw();
  });
});

describe('metadata of versions', () => {
  it('sets keys in the order in which they first came, and keeps values as they are', () => {
    const first = mergeMetadata(undefined, [
      { key: 'b', value: { a: [1, null] } },
      { key: '__proto__', value: 1 },
    ]);
    const second = mergeMetadata(first, [
      { key: 'c', value: null },
      { key: 'b', value: 'x' },
      { key: 'b', value: 'y' },
    ]);

    expect(parseStoredMetadata(second)).to.deep.equal([
      { key: 'b', value: 'y' },
      { key: '__proto__', value: 1 },
      { key: 'c', value: null },
    ]);
    expect(parseStoredMetadata(undefined)).to.deep.equal([]);
    expect(() => mergeMetadata(second, [{ key: 'long', value: 'x'.repeat(300_000) }])).to.throw(
      'metadata',
    );
  });
});

describe('days of a history', () => {
  it('are long English dates in UTC, in the order of the entries', () => {
    const at = (text: string) => ({ at: Date.parse(text) });
    const days = groupByDay([
      at('2023-11-16T23:59:59Z'),
      at('2023-11-16T00:00:00Z'),
      at('2023-06-06T12:00:00Z'),
    ]);

    expect([...days].map(([day, entries]) => [day, entries.length])).to.deep.equal([
      ['November 16, 2023', 2],
      ['June 6, 2023', 1],
    ]);
  });
});
