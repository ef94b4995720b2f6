import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { namePatternBounds, type NamePatterns } from '#ports/name-patterns';

/** What every engine of regular expressions over names keeps. */
export const namePatternContract = (patterns: () => NamePatterns): void => {
  const finds = (pattern: string, name: string) => patterns().compile(pattern)(name);
  const refusal = (pattern: string): string => {
    try {
      patterns().compile(pattern);
    } catch (thrown) {
      if (isFailure(thrown) && thrown.kind === 'invalid') return thrown.message;
      throw thrown;
    }
    return 'nothing';
  };

  it('finds a pattern wherever it is in a name, and by its ends', () => {
    expect(finds('vit-0\\d+', 'a vit-012 b')).to.equal(true);
    expect(finds('vit-0\\d+', 'vit-1')).to.equal(false);
    expect(finds('^vit-(a|b)$', 'vit-b')).to.equal(true);
    expect(finds('^vit-(a|b)$', 'vit-bb')).to.equal(false);
    expect(finds('^VIT', 'vit-b')).to.equal(false);
    expect(finds('(?i)^VIT', 'vit-b')).to.equal(true);
    expect(finds('^\\p{L}+$', 'naïveté')).to.equal(true);
    expect(finds('^.$', '😀')).to.equal(true);
  });

  it('answers the same however often it is asked', () => {
    const matches = patterns().compile('a+$');

    expect([matches('ba'), matches('ab'), matches('ba'), matches('')]).to.deep.equal([
      ...[true, false, true, false],
    ]);
  });

  it('needs time by the length of a name, whatever the pattern', () => {
    const name = `${'a'.repeat(5000)}!`;
    const begun = performance.now();

    for (const terrible of ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(x+x+)+y', '^(.*a){20}$'])
      expect(finds(terrible, name)).to.equal(false);

    // A matcher that goes back over what it read would need longer than there is time.
    expect(performance.now() - begun).to.be.below(10_000);
  });

  it('refuses what goes back or looks around, and says so', () => {
    for (const pattern of ['a(?=b)', 'a(?!b)', '(?<=a)b', '(?<!a)b'])
      expect(refusal(pattern)).to.equal('the regular expression must not look ahead or behind');
    expect(refusal('(a)\\1')).to.equal('the regular expression must not refer back to a group');
    expect(refusal('\\\\1')).to.equal('nothing');
    expect(refusal('(?P<name>a)')).to.equal('nothing');
  });

  it('refuses what is no pattern, is empty, or is too much', () => {
    expect(refusal('a(b')).to.match(/^the regular expression is not understood: /);
    expect(refusal('[z-a]')).to.match(/^the regular expression is not understood: /);
    expect(refusal('')).to.equal('the regular expression must not be empty');
    expect(refusal('a'.repeat(namePatternBounds.characters))).to.equal('nothing');
    expect(refusal('a'.repeat(namePatternBounds.characters + 1))).to.equal(
      `the regular expression must have at most ${namePatternBounds.characters} characters`,
    );
    expect(refusal('(a{30}){30}')).to.match(/^the regular expression repeats too much: /);
    expect(refusal('((a{100}){100}){100}')).to.match(/^the regular expression /);
  });
};
