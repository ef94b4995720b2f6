import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, start } from './builders.js';
import { aScore } from './feedback.js';
import { aSpan, aTrace } from './traces.js';

const startMicros = start * 1000;
const dayMs = 24 * 3600 * 1000;

/** What every store of statistics keeps to. */
export const traceStatisticsContract = (storage: () => Storage): void => {
  const statistics = () => storage().stores.traceStatistics;
  const none = {
    ...{ count: 0, duration: undefined, inputs: 0, outputs: 0, metadata: 0, tags: 0 },
    ...{ spans: 0, llmSpans: 0, cost: undefined, usage: [], scores: [], spanScores: [] },
    ...{ guardrailsFailed: 0, errors: 0, recentErrors: 0, pastErrors: 0 },
  };

  /** Ten traces of 1 to 10 seconds; the first has two spans, scores, tags and an error. */
  const fill = async () => {
    const { id: projectId } = await addProject(storage());
    const { traces, feedback } = storage().stores;
    const made = Array.from({ length: 10 }, (_, n) =>
      aTrace({
        ...{ projectId, endTime: startMicros + (n + 1) * 1_000_000 },
        ...(n === 0
          ? {
              ...{ input: '1', output: '2', tags: ['a","b', 'c'], threadId: 't' },
              errorInfo: '{"exception_type":"E","traceback":"t"}',
            }
          : n === 1
            ? {
                metadata: '{}',
                threadId: 't',
                errorInfo: '{}',
                startTime: startMicros - 8 * dayMs * 1000,
              }
            : {}),
      }),
    );
    for (const one of made) await traces.changeTraces(projectId, [one.id], () => one);
    const [first] = made;
    const traceId = first?.id ?? freshId();
    const spans = [
      aSpan({ projectId, traceId, type: 'llm', cost: 1, usage: '{"total_tokens":4}' }),
      aSpan({ projectId, traceId, cost: 2, usage: '{"total_tokens":2,"other":1}' }),
    ];
    for (const one of spans) await traces.changeSpans(projectId, [one.id], () => one);
    const score = { projectId, entityId: traceId, name: 'q' };
    await feedback.putScores([
      aScore({ ...score, value: 1 }),
      aScore({ ...score, value: 2, author: 'bob' }),
      aScore({ ...score, entityId: made[1]?.id ?? '', value: 4 }),
      aScore({ projectId, kind: 'span', entityId: spans[0]?.id ?? '', name: 's', value: 3 }),
    ]);
    // Two of one trace count once; one of a trace that is not there does not.
    const check = { projectId, config: undefined, details: undefined, createdAt: 1 };
    await storage().stores.guardrails.put(
      [
        { traceId, passed: false },
        { traceId, passed: false },
        { traceId: made[1]?.id ?? '', passed: true },
        { traceId: freshId(), passed: false },
      ].map((one) => ({
        ...{ ...check, ...one, id: freshId(), spanId: freshId(), name: 'PII' },
        createdBy: 'ann',
      })),
    );
    return { projectId, filters: [] };
  };

  it('counts traces, with means over those that have a value and percentiles by rank', async () => {
    const selection = await fill();
    const found = await statistics().ofTraces(selection, start + 1);

    const { duration, ...rest } = found;
    expect(duration).to.deep.equal({ p50: 6000, p90: 10_000, p99: 8 * dayMs + 2000 });
    expect(rest).to.deep.equal({
      ...{ count: 10, inputs: 1, outputs: 1, metadata: 1, tags: 0.2, spans: 0.2, llmSpans: 0.1 },
      cost: { mean: 3, sum: 3 },
      usage: [
        { name: 'other', mean: 1, sum: 1 },
        { name: 'total_tokens', mean: 6, sum: 6 },
      ],
      scores: [{ name: 'q', mean: 2.75, sum: 5.5 }],
      spanScores: [{ name: 's', mean: 3, sum: 3 }],
      ...{ guardrailsFailed: 1, errors: 2, recentErrors: 1, pastErrors: 1 },
    });
  });

  it('tells percentiles by rank among durations of every length', async () => {
    const { id: projectId } = await addProject(storage());
    // None, and some twice, without an end, or ending before they begin.
    const durations = Array.from({ length: 400 }, (_, n) =>
      n % 9 === 0
        ? undefined
        : n % 10 === 0
          ? 0
          : n % 11 === 0
            ? -n * 1000
            : Math.floor(1.06 ** (n % 390)) + (n % 3),
    );
    const spans = durations.map((duration) =>
      aSpan({
        projectId,
        endTime: duration === undefined ? undefined : startMicros + duration,
      }),
    );
    const byId = new Map(spans.map((span) => [span.id, span]));
    await storage().stores.traces.changeSpans(projectId, [...byId.keys()], (id) => byId.get(id));

    for (const most of [400, 150, 31, 7, 2, 1]) {
      const some = spans.slice(0, most);
      const found = await statistics().ofSpans(
        { projectId, filters: [], toId: some.at(-1)?.id },
        start,
      );

      const ended = durations
        .slice(0, most)
        .flatMap((duration) => duration ?? [])
        .sort((one, other) => one - other);
      const at = (part: number) => (ended[Math.ceil(ended.length * part) - 1] ?? NaN) / 1000;
      expect(found.count).to.equal(most);
      expect(found.duration, String(most)).to.deep.equal(
        ended.length === 0 ? undefined : { p50: at(0.5), p90: at(0.9), p99: at(0.99) },
      );
    }
  });

  it('counts only what is selected, and nothing where nothing is', async () => {
    const selection = await fill();
    const claim = { field: 'thread_id', is: 'presence', operator: 'isNotEmpty' } as const;
    const some = { ...selection, filters: [claim] };
    expect(await statistics().ofTraces(some, start)).to.include({ count: 2, errors: 2, spans: 1 });
    const empty = { projectId: freshId(), filters: [] };
    expect(await statistics().ofTraces(empty, start)).to.deep.equal(none);
    expect(await statistics().ofSpans(empty, start)).to.deep.equal(none);
    expect(await statistics().ofThreads({ ...empty, activeSince: 0 }, start)).to.deep.equal(none);
  });

  it('counts spans one by one', async () => {
    const selection = await fill();
    expect(await statistics().ofSpans(selection, start)).to.deep.equal({
      ...none,
      ...{ count: 2, cost: { mean: 1.5, sum: 3 } },
      usage: [
        { name: 'other', mean: 1, sum: 1 },
        { name: 'total_tokens', mean: 3, sum: 6 },
      ],
      scores: [{ name: 's', mean: 3, sum: 3 }],
    });
    expect(await statistics().ofSpans({ ...selection, type: 'llm' }, start)).to.include({
      count: 1,
    });
  });

  it('counts usage of every name, also of one with colons and of numbers beyond the exact ones', async () => {
    const projectId = freshId();
    const [traceId, id] = [freshId(), freshId()];
    const put = (spanId: string, usage: string) =>
      storage().stores.traces.changeSpans(projectId, [spanId], () =>
        aSpan({ id: spanId, projectId, traceId, usage }),
      );
    await put(id, '{"a:b":1,"total_tokens":2,"prompt_tokens":1}');
    await put(freshId(), '{"total_tokens":1e30}');
    await put(freshId(), '{"total_tokens":4,"prompt_tokens":3,"completion_tokens":1}');
    const { usage } = await statistics().ofSpans({ projectId, filters: [] }, start);
    expect(usage.map(({ name, sum }) => [name, sum])).to.deep.equal([
      ['a:b', 1],
      ['completion_tokens', 1],
      ['prompt_tokens', 4],
      ['total_tokens', 1e30],
    ]);
  });

  it('counts threads by what their traces come to', async () => {
    const selection = await fill();
    const [thread] = await storage().stores.threads.find(selection.projectId, ['t']);
    const about = { projectId: selection.projectId, kind: 'thread' } as const;
    await storage().stores.feedback.putScores([
      aScore({ ...about, entityId: thread?.id ?? '', name: 'talk', value: 7 }),
    ]);
    const ms = 8 * dayMs + 2000;
    expect(await statistics().ofThreads({ ...selection, activeSince: 0 }, start)).to.deep.equal({
      ...none,
      ...{ count: 1, duration: { p50: ms, p90: ms, p99: ms }, cost: { mean: 3, sum: 3 } },
      usage: [
        { name: 'other', mean: 1, sum: 1 },
        { name: 'total_tokens', mean: 6, sum: 6 },
      ],
      scores: [{ name: 'talk', mean: 7, sum: 7 }],
    });
  });
};
