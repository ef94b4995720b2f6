import { expect } from 'chai';
import { readInstant, showInstant } from '#core/private-wire/instants';

describe('instants', () => {
  it('are shown with six digits of a second, of any day', () => {
    const all = [
      '2024-05-01T10:00:00.123456Z',
      '2024-05-01T23:59:59.999999Z',
      '2024-05-02T00:00:00.000000Z',
      '2024-05-01T00:00:00.000001Z',
      '1969-12-31T23:59:59.999999Z',
      '1970-01-01T00:00:00.000000Z',
      '2100-02-28T12:34:56.000010Z',
    ];

    expect(all.map((text) => showInstant(readInstant(text, 'time')))).to.deep.equal(all);
    for (let at = 0; at < 1000; at++) {
      const ms = Math.floor((at * 7_919_000_017) % 4_000_000_000_000);
      expect(showInstant(ms * 1000)).to.equal(new Date(ms).toISOString().replace('Z', '000Z'));
    }
  });

  it('are of years with four digits, which every client reads', () => {
    const shown = ['9999-12-31T23:59:59.999999Z', '0001-01-01T00:00:00+02:00'].map((text) =>
      showInstant(readInstant(text, 'time')),
    );

    expect(shown).to.deep.equal(['9999-12-31T23:59:59.999968Z', '0001-01-01T00:00:00.000000Z']);
  });

  it('are of days that there are', () => {
    for (const day of ['2024-02-30', '2023-02-29', '2024-04-31'])
      expect(() => readInstant(`${day}T00:00:00Z`, 'end_time')).to.throw('end_time must be a time');
    expect(showInstant(readInstant('2024-02-29T00:00:00Z', 'time'))).to.match(/^2024-02-29/);
  });

  it('are shown alike whenever they are shown again', () => {
    const [one, other] = [1_700_000_000_000_001, 1_700_100_000_000_001];

    expect([one, other, one, one].map(showInstant)).to.deep.equal([
      '2023-11-14T22:13:20.000001Z',
      '2023-11-16T02:00:00.000001Z',
      '2023-11-14T22:13:20.000001Z',
      '2023-11-14T22:13:20.000001Z',
    ]);
  });
});
