import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { readAliases, readLabels, readArtifactMetadata } from '#core/artifacts/requests';
import { spellingsOf } from '#core/artifacts/rules';

const kindOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (thrown) {
    return isFailure(thrown) ? thrown.kind : thrown;
  }
};

describe('what clients send of artifacts', () => {
  it('keeps metadata to the letter, clears it for an empty text, and leaves it for none', () => {
    expect([
      readArtifactMetadata('{"b": 1.0, "a":[]}', 'm'),
      readArtifactMetadata('{}', 'm'),
      readArtifactMetadata('', 'm'),
      readArtifactMetadata('null', 'm'),
      readArtifactMetadata(null, 'm'),
      readArtifactMetadata(undefined, 'm'),
    ]).to.deep.equal(['{"b": 1.0, "a":[]}', '{}', null, null, null, undefined]);
  });

  it('takes metadata as the object itself, and numbers that are no JSON as texts', () => {
    expect([
      readArtifactMetadata({ a: [1, null] }, 'm'),
      readArtifactMetadata('{"NaN": NaN, "x": -Infinity}', 'm'),
    ]).to.deep.equal(['{"a":[1,null]}', '{"NaN": "NaN", "x": "-Infinity"}']);
  });

  it('refuses metadata that is no object, or too long', () => {
    for (const unfit of ['{', 'text', '5', '[]', [1], 5, true])
      expect(
        kindOf(() => readArtifactMetadata(unfit, 'm')),
        JSON.stringify(unfit),
      ).to.equal('invalid');
    expect(kindOf(() => readArtifactMetadata(`{"a":"${'x'.repeat(1024 * 1024)}"}`, 'm'))).to.equal(
      'tooLarge',
    );
  });

  it('keeps labels in their order, each once, and aliases whatever their case', () => {
    expect([
      readLabels(['b', '', 'a', 'B', 'b'], 'tags'),
      readAliases(['b', 'a', 'B']),
      readAliases([]),
      readAliases(undefined),
    ]).to.deep.equal([['b', 'a', 'B'], ['b', 'a'], [], undefined]);
    expect([
      kindOf(() => readLabels(['x'.repeat(1001)], 'tags')),
      kindOf(() => readAliases(Array.from({ length: 1001 }, (_, at) => String(at)))),
    ]).to.deep.equal(['invalid', 'invalid']);
  });

  it('spells a name as it came and decoded once more', () => {
    expect(['plain', 'my%20data', '100%', '%E9', 'a%252e'].map(spellingsOf)).to.deep.equal([
      ['plain'],
      ['my%20data', 'my data'],
      ['100%'],
      ['%E9'],
      ['a%252e', 'a%2e'],
    ]);
  });
});
