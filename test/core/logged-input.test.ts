import { expect } from 'chai';
import { toTime } from '#core/logged-input';
import { calendar } from '#ports/clock';

describe('times that clients log', () => {
  const now = 1_700_000_000_000;

  it('are milliseconds, as numbers or as texts, and microseconds where they are too large for that', () => {
    for (const given of [
      1_600_000_000_123,
      '1600000000123',
      1_600_000_000_123_456,
      1_600_000_000_123.9,
    ])
      expect(toTime(given, now), String(given)).to.equal(1_600_000_000_123);
  });

  it('are now where there is none that has a date', () => {
    for (const given of [undefined, null, '', 'soon', {}, -1e300, -Number.MAX_SAFE_INTEGER, NaN])
      expect(toTime(given, now), String(given)).to.equal(now);
    expect(toTime(calendar.first, now)).to.equal(calendar.first);
  });
});
