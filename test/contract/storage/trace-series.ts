import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import type { SeriesRequest } from '#ports/storage/trace-series';
import { addProject, freshId, freshIdAt, start } from './builders.js';
import { aScore } from './feedback.js';
import { aSpan, aTrace } from './traces.js';

const second = 1_000_000;
const hour = 3600 * second;
/** The beginning of an hour. */
const noon = Math.floor((start * 1000) / hour) * hour;

/** What every store of series keeps to. */
export const traceSeriesContract = (storage: () => Storage): void => {
  const series = () => storage().stores.traceSeries;
  const buckets = { width: hour, offset: 0, from: noon, to: noon + 3 * hour };

  /** Three traces in the first hour, one in the third, one before the range; spans, scores and a thread. */
  const fill = async () => {
    const { id: projectId } = await addProject(storage());
    const { traces, feedback, guardrails } = storage().stores;
    const trace = (given: Partial<ReturnType<typeof aTrace>>) =>
      aTrace({
        id: freshIdAt(given.startTime ?? 0),
        ...{ projectId, name: 'a', metadata: '{"k":{"v":"x"}}' },
        ...given,
      });
    const made = [
      trace({ startTime: noon, endTime: noon + second, threadId: 't', tags: ['t1', 't "2"'] }),
      trace({ startTime: noon + 5, endTime: noon + 5 + 3 * second, name: 'b', tags: ['t1'] }),
      trace({
        ...{ startTime: noon + 2 * second, errorInfo: '{"exception_type":"E","message":"m"}' },
        threadId: 't',
      }),
      trace({
        startTime: noon + 2 * hour,
        endTime: noon + 2 * hour + 7 * second,
        metadata: undefined,
      }),
      trace({ startTime: noon - 1 }),
      // Filled in later: it counts when it was made.
      trace({ startTime: noon, id: freshIdAt(noon - hour) }),
    ];
    for (const one of made) await traces.changeTraces(projectId, [one.id], () => one);
    const ids = made.map(({ id }) => id);
    const span = (at: number, given: Partial<ReturnType<typeof aSpan>>) =>
      aSpan({
        id: freshIdAt(given.startTime ?? noon),
        projectId,
        traceId: ids[at] ?? '',
        startTime: noon,
        endTime: noon + second,
        ...given,
      });
    for (const one of [
      span(0, { model: 'm', cost: 0.5, usage: '{"total_tokens":3}' }),
      span(0, { model: 'm', cost: 1, usage: '{"total_tokens":4,"other":1}' }),
      span(3, { startTime: noon + 2 * hour, usage: '{"total_tokens":9}', type: 'llm' }),
    ])
      await traces.changeSpans(projectId, [one.id], () => one);
    await feedback.putScores([
      aScore({ projectId, entityId: ids[0] ?? '', name: 'q', value: 0 }),
      aScore({ projectId, entityId: ids[0] ?? '', name: 'q', value: 2, author: 'bob' }),
      aScore({ projectId, entityId: ids[1] ?? '', name: 'q', value: 2 }),
    ]);
    await guardrails.put([
      {
        ...{ projectId, id: freshId(), traceId: ids[1] ?? '', spanId: freshId(), name: 'PII' },
        ...{ passed: false, config: undefined, details: undefined, createdAt: 1, createdBy: 'ann' },
      },
    ]);
    return { projectId, filters: [] };
  };
  type Of = 'ofTraces' | 'ofSpans';
  const read = async (
    of: Of,
    selection: { readonly projectId: string; readonly filters: readonly [] | readonly never[] },
    request: Omit<SeriesRequest, 'buckets'>,
  ) =>
    (await series()[of](selection, { ...request, buckets })).map(({ at, name, group, value }) => [
      (at - noon) / hour,
      name ?? group,
      value,
    ]);

  it('counts and measures what was made in each bucket, and leaves empty ones out', async () => {
    const selection = await fill();
    const of = (measure: SeriesRequest['measure']) => read('ofTraces', selection, { measure });

    expect(await of('count')).to.deep.equal([
      [0, undefined, 3],
      [2, undefined, 1],
    ]);
    expect(await of('meanDuration')).to.deep.equal([
      [0, undefined, 2000],
      [2, undefined, 7000],
    ]);
    expect((await of('errorRate'))[0]?.[2]).to.be.closeTo(100 / 3, 0.01);
    expect(await of('cost')).to.deep.equal([[0, undefined, 1.5]]);
    expect(await of('guardrailsFailed')).to.deep.equal([
      [0, undefined, 1],
      [2, undefined, 0],
    ]);
    expect(await of('duration')).to.deep.equal([
      [0, 'p50', 1000],
      [2, 'p50', 7000],
      [0, 'p90', 3000],
      [2, 'p90', 7000],
      [0, 'p99', 3000],
      [2, 'p99', 7000],
    ]);
    expect(await of('p95Duration')).to.deep.equal([
      [0, undefined, 3000],
      [2, undefined, 7000],
    ]);
    expect(await of('scores')).to.deep.equal([[0, 'q', 1.5]]);
    expect(await of('usage')).to.deep.equal([
      [0, 'other', 1],
      [0, 'total_tokens', 7],
      [2, 'total_tokens', 9],
    ]);
  });

  it('counts in the last bucket what a clock that is ahead has made, where the range has no end', async () => {
    const { projectId } = await fill();
    const { traces } = storage().stores;
    const ahead = new Date('2201-08-30T03:18:08Z').getTime() * 1000;
    const [traceId, spanId] = [freshIdAt(ahead), freshIdAt(ahead)];
    const trace = aTrace({ projectId, id: traceId, startTime: noon + hour, threadId: 'ahead' });
    await traces.changeTraces(projectId, [traceId], () => trace);
    const span = aSpan({ projectId, id: spanId, traceId, startTime: noon + hour, cost: 2 });
    await traces.changeSpans(projectId, [spanId], () => span);
    const request = { measure: 'count', buckets: { ...buckets, endless: true } } as const;
    const selection = { projectId, filters: [] };
    const placed = (found: readonly { readonly at: number; readonly value: number }[]) =>
      found.map(({ at, value }) => [(at - noon) / hour, value]);

    expect(placed(await series().ofTraces(selection, request))).to.deep.equal([
      [0, 3],
      [2, 2],
    ]);
    expect(placed(await series().ofSpans(selection, request))).to.deep.equal([
      [0, 2],
      [2, 2],
    ]);
    expect(
      placed(await series().ofTraces(selection, { ...request, measure: 'p95Duration' })),
    ).to.deep.equal([
      [0, 3000],
      [2, 7000],
    ]);
    expect(placed(await series().ofSpans(selection, { measure: 'count', buckets }))).to.deep.equal([
      [0, 2],
      [2, 1],
    ]);
  });

  it('divides buckets by a member, or by a place within the metadata', async () => {
    const selection = await fill();
    const grouped = async (of: Of, grouping: SeriesRequest['grouping']) =>
      (await read(of, selection, { measure: 'count', grouping })).sort();

    expect(await grouped('ofTraces', { by: 'name' })).to.deep.equal([
      [0, 'a', 2],
      [0, 'b', 1],
      [2, 'a', 1],
    ]);
    expect(await grouped('ofTraces', { by: 'error_type' })).to.deep.include.members([[0, 'E', 1]]);
    expect(await grouped('ofTraces', { by: 'error_info' })).to.deep.include.members([[0, 'm', 1]]);
    expect(await grouped('ofTraces', { by: 'metadata', path: ['k', 'v'] })).to.deep.equal([
      [0, 'x', 3],
      [2, undefined, 1],
    ]);
    expect(await grouped('ofTraces', { by: 'tags' })).to.deep.equal(
      [
        [0, 't1', 2],
        [0, 't "2"', 1],
        [0, undefined, 1],
        [2, undefined, 1],
      ].sort(),
    );
    const scored = await read('ofTraces', selection, {
      measure: 'scores',
      grouping: { by: 'tags' },
    });
    expect(scored.map(([, , value]) => value)).to.deep.equal([1, 1.5]);
    expect(await grouped('ofSpans', { by: 'model' })).to.deep.include.members([[0, 'm', 2]]);
    expect(await grouped('ofSpans', { by: 'type' })).to.deep.equal([
      [0, 'general', 2],
      [2, 'llm', 1],
    ]);
    expect(await grouped('ofSpans', { by: 'provider' })).to.have.length(2);
  });

  it('measures spans and threads by what they have', async () => {
    const selection = await fill();
    expect(await read('ofSpans', selection, { measure: 'usage' })).to.deep.equal([
      [0, 'other', 1],
      [0, 'total_tokens', 7],
      [2, 'total_tokens', 9],
    ]);
    expect(await read('ofSpans', selection, { measure: 'cost' })).to.deep.include.members([
      [0, undefined, 1.5],
    ]);
    const threads = { ...selection, activeSince: 0 };
    // A thread stands where the trace does with which it was made.
    const ofThreads = async (measure: SeriesRequest['measure']) =>
      (await series().ofThreads(threads, { measure, buckets })).map(({ at, value }) => [
        (at - noon) / hour,
        value,
      ]);
    expect([
      await ofThreads('count'),
      await ofThreads('meanDuration'),
      await ofThreads('cost'),
      await ofThreads('scores'),
    ]).to.deep.equal([[[0, 1]], [[0, 2000]], [[0, 1.5]], []]);
    const none = { projectId: freshId(), filters: [] };
    expect(await read('ofTraces', none, { measure: 'count' })).to.deep.equal([]);
  });
};
