import { expect } from 'chai';
import { metricTypes } from '#ports/api/project-metrics';
import { metricOf, readBuckets, readGrouping, toSeries } from '#core/traces/metric-buckets';

const interval = (name: string, interval_start: string, interval_end: string) => ({
  interval: name,
  interval_start,
  interval_end,
});
const timesOf = (name: string, start: string, end: string) =>
  toSeries(
    [],
    metricOf('TRACE_COUNT'),
    readBuckets(interval(name, start, end), 0),
    false,
  )[0]?.data.map(({ time }) => time.slice(0, 13));

describe('buckets of metrics', () => {
  it('begin with the hour, the day or the Monday of UTC, every one from the first to the last', () => {
    expect(timesOf('HOURLY', '2026-05-01T10:30:00Z', '2026-05-01T12:00:00Z')).to.deep.equal([
      '2026-05-01T10',
      '2026-05-01T11',
    ]);
    expect(timesOf('DAILY', '2026-05-01T10:30:00Z', '2026-05-02T00:00:01Z')).to.deep.equal([
      '2026-05-01T00',
      '2026-05-02T00',
    ]);
    expect(timesOf('WEEKLY', '2026-05-01T10:30:00Z', '2026-05-06T00:00:00Z')).to.deep.equal([
      '2026-04-27T00',
      '2026-05-04T00',
    ]);
    expect(timesOf('TOTAL', '2026-05-01T10:30:00Z', '2026-06-01T00:00:00Z')).to.have.length(1);
  });

  it('are refused where the end comes first, or where there are too many', () => {
    for (const odd of [
      interval('DAILY', '2026-05-02T00:00:00Z', '2026-05-01T00:00:00Z'),
      interval('DAILY', '2026-05-01T00:00:00Z', '2026-05-01T00:00:00Z'),
      interval('HOURLY', '1970-01-01T00:00:00Z', '2026-05-01T00:00:00Z'),
      interval('HOURLY', 'yesterday', '2026-05-01T00:00:00Z'),
    ])
      expect(() => readBuckets(odd, 0), JSON.stringify(odd)).to.throw(/interval/);
    expect(() => readGrouping({ field: 'metadata' })).to.throw('metadata_key');
    expect(() => readGrouping({ field: 'guardrail_name' })).to.throw('guardrail_name');
    expect(readGrouping({ field: 'tags' })).to.deep.equal({ by: 'tags' });
    expect(readGrouping({ field: 'metadata', metadata_key: '$.a.b' })).to.deep.equal({
      ...{ by: 'metadata', path: ['a', 'b'] },
    });
  });
});

describe('metrics', () => {
  it('are all known, and are series by the names that they have', () => {
    for (const type of metricTypes) expect(metricOf(type).of, type).to.match(/trace|span|thread/);
    const buckets = { width: 10, offset: 0, from: 0, to: 20 };
    const point = { at: 10, name: 'p50', group: undefined, value: 4 };
    const [durations] = toSeries([point], metricOf('DURATION'), buckets, false);
    expect([durations?.name, durations?.data.map(({ value }) => value)]).to.deep.equal([
      'duration.p50',
      [null, 4],
    ]);
    const grouped = toSeries([{ ...point, group: 'g' }], metricOf('TRACE_COUNT'), buckets, true);
    expect(grouped.map(({ name }) => name)).to.deep.equal(['g']);
    expect(grouped[0]?.data.map(({ value }) => value)).to.deep.equal([0, 4]);
  });
});
