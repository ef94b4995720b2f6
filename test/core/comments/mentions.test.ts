import { expect } from 'chai';
import { mentionsIn } from '#core/comments/mentions';

describe('who is named in a comment', () => {
  const members = new Set(['ann', 'bob.b', 'c-3', 'dr.']);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['@ann look at this', ['ann']],
    ['look, @ann.', ['ann']],
    ['(@bob.b, @c-3!) and @dr. too', ['bob.b', 'c-3', 'dr.']],
    ['@ann and @ann again', ['ann']],
    ['mail ann@example.org or @nobody', []],
    ['@', []],
    ['@Ann', []],
    ['@ann\n@c-3', ['ann', 'c-3']],
  ];
  for (const [text, names] of cases)
    it(`is ${names.join(' and ') || 'nobody'} in ${JSON.stringify(text)}`, () => {
      expect(mentionsIn(text, members)).to.deep.equal(names);
    });

  it('is found in time in proportion to the text, and never more than a bound', () => {
    const many = new Set(Array.from({ length: 200 }, (_, i) => `m${i}`));
    const text = [...many].map((name) => `@${name}`).join(' ');

    expect(mentionsIn(text, many)).to.have.length(50);
    expect(mentionsIn(`@${'.'.repeat(16_000)}`, many)).to.deep.equal([]);
  });
});
