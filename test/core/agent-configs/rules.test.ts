import { expect } from 'chai';
import { applyMask, numberIn, repeatedKey } from '#core/agent-configs/rules';
import type { ConfigValue } from '#ports/model/agent-configs';

const value = (key: string, text: string): ConfigValue => ({
  key,
  value: text,
  type: 'string',
  description: undefined,
});

describe('versions of configurations', () => {
  it('are named by their numbers and nothing else', () => {
    expect(['v1', 'v120'].map(numberIn)).to.deep.equal([1, 120]);
    for (const name of ['1', 'v0', 'v01', 'V1', 'v-1', 'v1.0', 'v1234567890', ' v1', 'latest'])
      expect(numberIn(name), name).to.equal(undefined);
  });

  it('under a mask keep their order, and what it adds comes last', () => {
    const values = [value('a', '1'), value('b', '1'), value('c', '1')];
    const mask = [value('z', 'm'), value('b', 'm')];

    expect(applyMask(values, mask).map((one) => `${one.key}${one.value ?? ''}`)).to.deep.equal([
      'a1',
      'bm',
      'c1',
      'zm',
    ]);
    expect(applyMask(values, [])).to.deep.equal(values);
  });

  it('have each key once', () => {
    expect(repeatedKey(['a', 'b', 'a', 'b'])).to.equal('a');
    expect(repeatedKey(['a', 'A', ' a'])).to.equal(undefined);
  });
});
