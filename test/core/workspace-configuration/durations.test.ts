import { expect } from 'chai';
import { readDuration, showDuration } from '#core/workspace-configuration/durations';
import { threadInactivityMs } from '#core/workspace-configuration/rules';

describe('durations of ISO 8601', () => {
  it('are read in whole seconds up to seven days, and told as short as they can be', () => {
    for (const [text, seconds, shown] of [
      ['PT15M', 900, 'PT15M'],
      ['PT1H30M', 5400, 'PT1H30M'],
      ['PT90M', 5400, 'PT1H30M'],
      ['PT45S', 45, 'PT45S'],
      ['P1DT1S', 86_401, 'PT24H1S'],
      ['P7D', 604_800, 'PT168H'],
      ['PT2.0S', 2, 'PT2S'],
    ] as const)
      expect([readDuration(text, 'm'), showDuration(seconds)], text).to.deep.equal([
        seconds,
        shown,
      ]);
  });

  it('are refused with a sentence where they are none, too long, or not whole', () => {
    for (const odd of ['', 'P', 'PT', '15', 'PT0S', 'P8D', 'PT1.5S', 'PT-1M', 'P1Y', 'pt15m'])
      expect(() => readDuration(odd, 'm'), odd).to.throw(/^m must/);
  });
});

describe('a thread', () => {
  it('is active for fifteen minutes after its last trace, or for as long as the workspace has settled', () => {
    expect(threadInactivityMs(undefined)).to.equal(900_000);
    const none = { truncatesTables: undefined, colors: undefined };
    expect(threadInactivityMs({ ...none, threadInactivitySeconds: 60 })).to.equal(60_000);
  });
});
