import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { namePatternBounds, type NamePatterns } from '#ports/name-patterns';

/** What every engine of regular expressions over names keeps. */
export const namePatternContract = (patterns: () => NamePatterns): void => {
  const finds = async (pattern: string, name: string) => (await patterns().compile(pattern))(name);
  const refusal = async (pattern: string): Promise<string> => {
    try {
      await patterns().compile(pattern);
    } catch (thrown) {
      if (isFailure(thrown) && thrown.kind === 'invalid') return thrown.message;
      throw thrown;
    }
    return 'nothing';
  };

  it('finds a pattern wherever it is in a name, and by its ends', async () => {
    expect(await finds('vit-0\\d+', 'a vit-012 b')).to.equal(true);
    expect(await finds('vit-0\\d+', 'vit-1')).to.equal(false);
    expect(await finds('^vit-(a|b)$', 'vit-b')).to.equal(true);
    expect(await finds('^vit-(a|b)$', 'vit-bb')).to.equal(false);
    expect(await finds('^VIT', 'vit-b')).to.equal(false);
    expect(await finds('(?i)^VIT', 'vit-b')).to.equal(true);
    expect(await finds('^\\p{L}+$', 'naïveté')).to.equal(true);
    expect(await finds('^.$', '😀')).to.equal(true);
  });

  it('answers the same however often it is asked', async () => {
    const matches = await patterns().compile('a+$');

    expect([matches('ba'), matches('ab'), matches('ba'), matches('')]).to.deep.equal([
      ...[true, false, true, false],
    ]);
  });

  it('needs time by the length of a name, whatever the pattern', async () => {
    const name = `${'a'.repeat(5000)}!`;
    const begun = performance.now();

    for (const terrible of ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(x+x+)+y', '^(.*a){20}$'])
      expect(await finds(terrible, name)).to.equal(false);

    // A matcher that goes back over what it read would need longer than there is time.
    expect(performance.now() - begun).to.be.below(10_000);
  });

  it('refuses what goes back or looks around, and says so', async () => {
    for (const pattern of ['a(?=b)', 'a(?!b)', '(?<=a)b', '(?<!a)b'])
      expect(await refusal(pattern)).to.equal(
        'the regular expression must not look ahead or behind',
      );
    expect(await refusal('(a)\\1')).to.equal(
      'the regular expression must not refer back to a group',
    );
    expect(await refusal('\\\\1')).to.equal('nothing');
    expect(await refusal('(?P<name>a)')).to.equal('nothing');
  });

  it('refuses what is no pattern, is empty, or is too much', async () => {
    expect(await refusal('a(b')).to.match(/^the regular expression is not understood: /);
    expect(await refusal('[z-a]')).to.match(/^the regular expression is not understood: /);
    expect(await refusal('')).to.equal('the regular expression must not be empty');
    expect(await refusal('a'.repeat(namePatternBounds.characters))).to.equal('nothing');
    expect(await refusal('a'.repeat(namePatternBounds.characters + 1))).to.equal(
      `the regular expression must have at most ${namePatternBounds.characters} characters`,
    );
    expect(await refusal('(a{30}){30}')).to.match(/^the regular expression repeats too much: /);
    expect(await refusal('((a{100}){100}){100}')).to.match(/^the regular expression /);
  });
};
