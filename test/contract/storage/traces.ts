import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { FieldFilter, OrderOperator } from '#ports/field-query';
import type { Span, Trace } from '#ports/model/traces';
import type { Storage } from '#ports/storage/storage';
import type { TracePageRequest } from '#ports/storage/traces';
import { aComment, aScore } from './feedback.js';
import { addProject, freshId, rejection, start } from './builders.js';

const startMicros = start * 1000;

export const aTrace = (given: Partial<Trace> & Pick<Trace, 'projectId'>): Trace => ({
  id: freshId(),
  name: undefined,
  startTime: startMicros,
  endTime: undefined,
  input: undefined,
  output: undefined,
  metadata: undefined,
  tags: undefined,
  errorInfo: undefined,
  ttft: undefined,
  source: undefined,
  environment: undefined,
  createdAt: startMicros,
  createdBy: 'ann',
  lastUpdatedAt: startMicros,
  lastUpdatedBy: 'ann',
  partial: false,
  threadId: undefined,
  ...given,
});

export const aSpan = (given: Partial<Span> & Pick<Span, 'projectId'>): Span => {
  const { threadId: _, ...entry } = aTrace({ projectId: given.projectId });
  return {
    ...entry,
    traceId: freshId(),
    parentSpanId: undefined,
    type: undefined,
    model: undefined,
    provider: undefined,
    usage: undefined,
    cost: undefined,
    costVersion: undefined,
    ...given,
  };
};

const path = (
  field: string,
  steps: readonly (string | number)[],
  operator: OrderOperator,
  value: number,
): FieldFilter => ({ field, path: steps, is: 'number', operator, value });

/** What traces are sorted by, and spans. */
const entryFields = [
  ...['id', 'name', 'input', 'output', 'start_time', 'end_time', 'duration', 'ttft', 'metadata'],
  ...['usage', 'total_estimated_cost', 'tags', 'error_info', 'created_by', 'created_at'],
  ...['last_updated_at', 'feedback_scores', 'environment'],
];
const traceFields = [...entryFields, 'thread_id', 'span_count', 'llm_span_count'];
const spanFields = [...entryFields, 'model', 'provider', 'type', 'trace_id', 'parent_span_id'];

/** What every store of traces and spans keeps to. */
export const traceContract = (storage: () => Storage): void => {
  const traces = () => storage().stores.traces;
  const addTrace = async (given: Partial<Trace> & Pick<Trace, 'projectId'>): Promise<Trace> => {
    const trace = aTrace(given);
    await traces().changeTraces(trace.projectId, [trace.id], () => trace);
    return trace;
  };
  const addSpan = async (given: Partial<Span> & Pick<Span, 'projectId'>): Promise<Span> => {
    const span = aSpan(given);
    await traces().changeSpans(span.projectId, [span.id], () => span);
    return span;
  };
  const all = (projectId: string) => ({ projectId, filters: [], limit: 9 });
  const findTrace = async (projectId: string, id: string) =>
    (await traces().readTraces(projectId, [id]))[0];
  const findSpan = async (projectId: string, id: string) =>
    (await traces().readSpans(projectId, [id]))[0];
  const entry = {
    name: ' näme \u{1f600} ',
    endTime: startMicros + 1_234_567,
    input: '{"z":1,"a":[null,"\\ud83d\\ude00"]}',
    output: `"${'x'.repeat(100_000)}"`,
    metadata: '{}',
    tags: ['b', 'a', ''],
    errorInfo: '{"exception_type":"E"}',
    ttft: 0.1,
    source: 'sdk',
    environment: 'production',
    lastUpdatedAt: startMicros + 7,
    lastUpdatedBy: 'bob',
    partial: true,
  };

  it('returns a trace and a span as they were stored, with every member and with none', async () => {
    const { id: projectId } = await addProject(storage());
    const full = await addTrace({ projectId, ...entry, threadId: 'thread 1 ' });
    const bare = await addTrace({ projectId, startTime: -5 });
    const fullSpan = await addSpan({
      projectId,
      ...entry,
      parentSpanId: freshId(),
      type: 'llm',
      model: 'm-1',
      provider: 'p',
      usage: '{"total_tokens":5}',
      cost: 0.000_001,
      costVersion: 'prices-1',
    });
    const bareSpan = await addSpan({ projectId });

    expect(await findTrace(projectId, full.id)).to.deep.equal(full);
    expect(await findTrace(projectId, bare.id)).to.deep.equal(bare);
    expect(await findSpan(projectId, fullSpan.id)).to.deep.equal(fullSpan);
    expect(await findSpan(projectId, bareSpan.id)).to.deep.equal(bareSpan);
  });

  it('finds nothing by an id of another project, of the other kind, or in no form of an id', async () => {
    const { id: projectId } = await addProject(storage());
    const { id: elsewhere } = await addProject(storage());
    const trace = await addTrace({ projectId });
    const span = await addSpan({ projectId });

    expect([
      await findTrace(elsewhere, trace.id),
      await findSpan(elsewhere, span.id),
      await findTrace(projectId, span.id),
      await findSpan(projectId, trace.id),
      await findTrace(projectId, 'no id'),
      await findSpan(projectId, 'no id'),
    ]).to.deep.equal([undefined, undefined, undefined, undefined, undefined, undefined]);
    expect(await traces().readTraces(projectId, [])).to.deep.equal([]);
  });

  it('stores nothing before what is to be there first, and nothing where that fails', async () => {
    const { id: projectId } = await addProject(storage());
    const [late, lost] = [aSpan({ projectId, ...entry }), aTrace({ projectId, ...entry })];
    let open: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      open = resolve;
    });
    const storing = traces().changeSpans(projectId, [late.id], () => late, ready);
    const before = await Promise.race([
      storing.then(() => 'stored'),
      wait(200).then(async () => (await findSpan(projectId, late.id)) ?? 'not there'),
    ]);
    open();
    await storing;
    const failed = await rejection(
      traces().changeTraces(projectId, [lost.id], () => lost, Promise.reject(new Error('no room'))),
    );

    expect(before).to.equal('not there');
    expect(await findSpan(projectId, late.id)).to.deep.equal(late);
    expect(failed).to.have.property('message', 'no room');
    expect(await findTrace(projectId, lost.id)).to.equal(undefined);
  });

  it('keeps the entries of two projects apart that have the same id, and says where each stands, what was changed last first', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { id: other } = await addProject(storage(), { workspaceId });
    const { id: foreign, workspaceId: elsewhere } = await addProject(storage());
    const [id, spanId] = [freshId(), freshId()];
    const older = await addTrace({ projectId, id, name: 'older' });
    await addTrace({ projectId: other, id, lastUpdatedAt: startMicros + 1 });
    await addTrace({ projectId: foreign, id });
    const olderSpan = await addSpan({ projectId, id: spanId, name: 'older' });
    await addSpan({ projectId: other, id: spanId, lastUpdatedAt: startMicros + 1 });
    const places = (kind: 'trace' | 'span', workspace: string, ids: string[], project?: string) =>
      traces().findPlaces(kind, workspace, ids, project);
    const at = (one: string, project: string) => ({ id: one, projectId: project });

    expect(await places('trace', workspaceId, [id, 'no id', freshId()])).to.deep.equal([
      at(id, other),
      at(id, projectId),
    ]);
    expect(await places('span', workspaceId, [spanId])).to.deep.equal([
      at(spanId, other),
      at(spanId, projectId),
    ]);
    expect(await places('trace', workspaceId, [id], projectId)).to.deep.equal([at(id, projectId)]);
    expect(await places('trace', elsewhere, [id])).to.deep.equal([at(id, foreign)]);
    expect(await places('span', elsewhere, [spanId])).to.deep.equal([]);
    expect(await traces().listTraces(all(projectId))).to.deep.equal([older]);
    expect(await traces().listSpans(all(projectId))).to.deep.equal([olderSpan]);
  });

  it('gives what is stored to who decides, stores what is decided, and leaves the rest as it was', async () => {
    const { id: projectId } = await addProject(storage());
    const [first, second] = [await addTrace({ projectId }), await addTrace({ projectId })];
    const fresh = aTrace({ projectId, name: 'fresh' });
    const seen = new Map<string, Trace | undefined>();
    await traces().changeTraces(
      projectId,
      [second.id, fresh.id, first.id, fresh.id],
      (id, stored) => {
        seen.set(id, stored);
        if (id === first.id) return { ...first, name: 'changed' };
        return id === fresh.id ? fresh : undefined;
      },
    );
    const span = await addSpan({ projectId });
    let seenSpan: Span | undefined;
    await traces().changeSpans(projectId, [span.id], (_, stored) => {
      seenSpan = stored;
      return { ...span, model: 'm' };
    });

    expect([seen.get(first.id), seen.get(second.id), seen.get(fresh.id)]).to.deep.equal([
      first,
      second,
      undefined,
    ]);
    expect(seenSpan).to.deep.equal(span);
    expect(await findTrace(projectId, first.id)).to.include({ name: 'changed' });
    expect(await findTrace(projectId, second.id)).to.deep.equal(second);
    expect(await findTrace(projectId, fresh.id)).to.deep.equal(fresh);
    expect(await findSpan(projectId, span.id)).to.deep.equal({ ...span, model: 'm' });
  });

  it('stores nothing of a batch when a decision throws', async () => {
    const { id: projectId } = await addProject(storage());
    const [stored, fresh] = [await addTrace({ projectId }), aTrace({ projectId })];
    const work = traces().changeTraces(projectId, [stored.id, fresh.id], (id) => {
      if (id === fresh.id) throw new Error('decided against');
      return { ...stored, name: 'changed' };
    });

    expect(
      await work.then(
        () => 'stored',
        () => 'refused',
      ),
    ).to.equal('refused');
    expect(await findTrace(projectId, stored.id)).to.deep.equal(stored);
    expect(await findTrace(projectId, fresh.id)).to.equal(undefined);
  });

  it('loses no change of twenty that come at once, to an entry that was not there', async () => {
    const { id: projectId } = await addProject(storage());
    const [one, other] = [aTrace({ projectId }), aTrace({ projectId })];
    const numbers = Array.from({ length: 20 }, (_, n) => `${n}`);
    await Promise.all(
      numbers.map((n) =>
        traces().changeTraces(
          projectId,
          Number(n) % 2 === 0 ? [one.id, other.id] : [other.id, one.id],
          (id, stored) => {
            const before = stored ?? (id === one.id ? one : other);
            return { ...before, tags: [...(before.tags ?? []), n] };
          },
        ),
      ),
    );

    for (const { id } of [one, other])
      expect((await findTrace(projectId, id))?.tags).to.have.members(numbers);
  });

  it('lists the traces and spans of a project, the greatest id first, behind a cursor and of one trace', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { id: other } = await addProject(storage(), { workspaceId });
    const made: Trace[] = [];
    for (let n = 0; n < 3; n++) made.unshift(await addTrace({ projectId }));
    await addTrace({ projectId: other });
    const spans: Span[] = [];
    for (const trace of made)
      for (let n = 0; n < 2; n++) spans.unshift(await addSpan({ projectId, traceId: trace.id }));
    await addSpan({ projectId: other, traceId: made[0]?.id ?? '' });

    const from = { projectId, filters: [] };
    expect(await traces().listTraces({ ...from, limit: 2 })).to.deep.equal(made.slice(0, 2));
    expect(await traces().listTraces({ ...from, beforeId: made[1]?.id, limit: 9 })).to.deep.equal(
      made.slice(2),
    );
    expect(await traces().listSpans({ ...from, limit: 9 })).to.deep.equal(spans);
    expect(await traces().listSpans({ ...from, beforeId: spans[0]?.id, limit: 2 })).to.deep.equal(
      spans.slice(1, 3),
    );
    const traceId = made[1]?.id ?? '';
    expect(await traces().listSpans({ ...from, traceId, limit: 9 })).to.deep.equal(
      spans.filter((one) => one.traceId === traceId),
    );
    const inThread = await addTrace({ projectId, threadId: 'Ä' });
    for (const given of [
      { projectId, threadId: 'ä' },
      { projectId: other, threadId: 'Ä' },
    ])
      await addTrace(given);
    expect(await traces().listTraces({ ...from, threadId: 'Ä', limit: 9 })).to.deep.equal([
      inThread,
    ]);
    const [newest, middle, oldest] = made;
    expect(
      await traces().listTraces({ ...from, fromId: middle?.id, toId: newest?.id, limit: 9 }),
    ).to.deep.equal(made.slice(0, 2));
    expect(await traces().listTraces({ ...from, toId: oldest?.id, limit: 9 })).to.deep.equal(
      made.slice(2),
    );
  });

  it('pages traces and spans, sorted by every field there is and counted', async () => {
    const { id: projectId } = await addProject(storage());
    const late = await addTrace({ projectId, name: 'a', endTime: startMicros + 9_000 });
    const early = await addTrace({ projectId, name: 'B', endTime: startMicros + 1_000 });
    const open = await addTrace({ projectId, metadata: '{"k":{"n":"7"}}' });
    const page = async (orders: TracePageRequest['orders'], number = 1, size = 9) => {
      const found = await traces().pageTraces({
        ...{ projectId, filters: [], orders },
        page: number,
        size,
      });
      return [found.total, found.content.map(({ id }) => id)];
    };

    expect(await page([])).to.deep.equal([3, [open.id, early.id, late.id]]);
    expect(await page([], 2, 2)).to.deep.equal([3, [late.id]]);
    const by = (descending: boolean) => page([{ field: 'duration', descending }]);
    expect(await by(false)).to.deep.equal([3, [early.id, late.id, open.id]]);
    expect(await by(true)).to.deep.equal([3, [late.id, early.id, open.id]]);
    expect(
      await page([{ field: 'metadata', key: 'k.n', path: ['k', 'n'], descending: true }]),
    ).to.deep.equal([3, [open.id, early.id, late.id]]);
    for (const field of traceFields)
      expect((await page([{ field, key: 'k', path: ['k'], descending: true }]))[0], field).to.equal(
        3,
      );
    const span = await addSpan({ projectId, model: 'm' });
    for (const field of spanFields) {
      const orders = [{ field, key: 'k', path: ['k'], descending: false }];
      const found = await traces().pageSpans({ projectId, filters: [], orders, page: 1, size: 2 });
      expect(found, field).to.deep.equal({
        ...{ page: 1, size: 2, total: 1, atLeast: false, cut: false },
        content: [span],
      });
    }
  });

  it('reads no more at once than is asked for, however long the rows are', async () => {
    const { id: projectId } = await addProject(storage());
    const long = JSON.stringify('é'.repeat(60_000));
    const made = { input: long, output: long };
    const [first, second, third] = [
      await addTrace({ projectId, ...made }),
      await addTrace({ projectId, ...made }),
      await addTrace({ projectId, input: '1' }),
    ];
    const spans = [
      await addSpan({ projectId, ...made }),
      await addSpan({ projectId, ...made }),
      await addSpan({ projectId, input: '1' }),
    ];
    const of = { projectId, filters: [], limit: 9, mostBytes: 300_000 };

    expect((await traces().listTraces(of)).map(({ id }) => id)).to.deep.equal([
      third.id,
      second.id,
    ]);
    expect(
      (await traces().listTraces({ ...of, beforeId: third.id, mostBytes: 1 })).map(({ id }) => id),
    ).to.deep.equal([second.id]);
    expect((await traces().listSpans({ ...of, mostBytes: 150_000 })).length).to.equal(2);
    const page = {
      ...{ projectId, filters: [], orders: [], page: 1, size: 9 },
      mostBytes: 300_000,
    };
    for (const reading of [
      traces().pageTraces(page),
      traces().pageSpans({ ...page, mostBytes: 200_000 }),
    ])
      expect(await rejection(reading)).to.have.property('kind', 'invalid');
    const short = await traces().pageTraces({ ...page, characters: 100 });
    expect(short.content.map(({ input }) => input?.length)).to.deep.equal([1, 100, 100]);
    expect(short.content[2]?.output).to.equal(first.output?.slice(0, 100));
    const shortSpans = await traces().pageSpans({ ...page, characters: 100 });
    expect(shortSpans.content.map(({ output }) => output?.length)).to.deep.equal([
      undefined,
      100,
      100,
    ]);
    expect(shortSpans.content[2]?.id).to.equal(spans[0]?.id);
  });

  it('reads rows with short and long texts alike, on every page and in its order', async () => {
    const { id: projectId } = await addProject(storage());
    const long = JSON.stringify('ü'.repeat(3000));
    const made = [];
    for (let at = 0; at < 7; at++)
      made.push({
        ...{ projectId, name: `n${at % 2}`, startTime: at },
        ...{ input: at % 2 === 0 ? long : '"short"', output: String(at) },
        metadata: at % 3 === 0 ? long : '{"a":1}',
      });
    const rows: Trace[] = [];
    const spans: Span[] = [];
    for (const one of made) {
      rows.push(await addTrace(one));
      spans.push(await addSpan(one));
    }
    const byName = [...made.keys()].sort((one, other) => (one % 2) - (other % 2) || other - one);
    const page = {
      ...{ projectId, filters: [], size: 3 },
      orders: [{ field: 'name', descending: false }],
    };

    for (const number of [1, 2, 3]) {
      const wanted = byName.slice((number - 1) * 3, number * 3);
      const [ofTraces, ofSpans] = [
        await traces().pageTraces({ ...page, page: number }),
        await traces().pageSpans({ ...page, page: number }),
      ];
      expect(ofTraces.content).to.deep.equal(wanted.map((at) => rows[at]));
      expect(ofSpans.content).to.deep.equal(wanted.map((at) => spans[at]));
      expect([ofTraces.total, ofSpans.total]).to.deep.equal([7, 7]);
    }
    const beyond = await traces().pageTraces({ ...page, page: 4 });
    expect([beyond.content, beyond.total]).to.deep.equal([[], 7]);
  });

  it('leaves texts out that are omitted, which count for nothing', async () => {
    const { id: projectId } = await addProject(storage());
    const long = JSON.stringify('x'.repeat(50_000));
    const made = { projectId, input: long, output: long, metadata: '{"a":1}' };
    await addTrace(made);
    await addSpan(made);
    const page = {
      ...{ projectId, filters: [], orders: [], page: 1, size: 9, mostBytes: 1000 },
      omitted: new Set(['input', 'output']),
    };

    for (const { content } of [await traces().pageTraces(page), await traces().pageSpans(page)])
      expect(content.map(({ metadata }) => metadata)).to.deep.equal(['{"a":1}']);
  });

  it('finds what filters claim, each field by its own kind of claim', async () => {
    const { id: projectId } = await addProject(storage());
    const first = await addTrace({
      projectId,
      name: 'Checkout Flow',
      endTime: startMicros + 2_000_000,
      input: '{"question":"Why 100%?","n":[1,{"deep":"12.5"}]}',
      output: '{"text":"because"}',
      metadata: '{"model":"gpt","weights":{"a":0.5},"empty":"","gone":null}',
      tags: ['alpha', 'beta "x"', 'with,comma'],
      errorInfo: '{"exception_type":"ValueError","traceback":"t"}',
      threadId: 'thread-1',
      environment: 'production',
      ttft: 10,
    });
    const second = await addTrace({ projectId, name: 'other', source: 'experiment' });
    await addSpan({
      ...{ projectId, traceId: first.id, type: 'llm', model: 'Gpt-4', provider: 'openai' },
      usage: '{"total_tokens":7,"prompt_tokens":4}',
      cost: 0.25,
    });
    await addSpan({ projectId, traceId: first.id, usage: '{"total_tokens":5}', cost: 0.5 });
    await storage().stores.feedback.putScores([
      aScore({ projectId, entityId: first.id, name: 'Acc', value: 0.4 }),
      aScore({ projectId, entityId: first.id, name: 'Acc', value: 0.8, author: 'bob' }),
    ]);
    const find = async (...filters: readonly FieldFilter[]) =>
      (await traces().listTraces({ projectId, filters, limit: 9 })).map(({ name }) => name);
    const [both, one, none] = [['other', 'Checkout Flow'], ['Checkout Flow'], []];
    const claims: readonly (readonly [FieldFilter, readonly string[]])[] = [
      [{ field: 'name', is: 'text', operator: 'equals', value: 'checkout flow' }, one],
      [{ field: 'name', is: 'text', operator: 'differs', value: 'CHECKOUT FLOW' }, ['other']],
      [{ field: 'name', is: 'text', operator: 'contains', value: 'OUT FL' }, one],
      [{ field: 'name', is: 'text', operator: 'notContains', value: 'out' }, ['other']],
      [{ field: 'name', is: 'text', operator: 'startsWith', value: 'check' }, one],
      [{ field: 'name', is: 'text', operator: 'endsWith', value: 'FLOW' }, one],
      [{ field: 'name', is: 'text', operator: 'above', value: 'd' }, ['other']],
      [{ field: 'id', is: 'text', operator: 'equals', value: first.id.toUpperCase() }, one],
      [{ field: 'input', is: 'text', operator: 'contains', value: '100%' }, one],
      [{ field: 'output', is: 'text', operator: 'notContains', value: 'because' }, ['other']],
      [path('input_json', ['n', 1, 'deep'], 'above', 12), one],
      [path('input_json', ['n', 0], 'equals', 1), one],
      [path('input_json', ['question'], 'above', 1), none],
      [path('metadata', ['weights', 'a'], 'atMost', 0.5), one],
      [{ field: 'metadata', path: ['model'], is: 'text', operator: 'equals', value: 'GPT' }, one],
      ...(
        [
          ['contains', 'P', one],
          ['contains', 'pp', none],
          ['notContains', 'p', ['other']],
          ['notContains', 'x', both],
          ['startsWith', 'GP', one],
          ['endsWith', 'pT', one],
          ['differs', 'gpt', ['other']],
          ['above', 'gp', one],
        ] as const
      ).map(
        ([operator, value, found]) =>
          [{ field: 'metadata', path: ['model'], is: 'text', operator, value }, found] as const,
      ),
      [
        { field: 'metadata', path: ['weights'], is: 'text', operator: 'contains', value: '"a"' },
        one,
      ],
      [{ field: 'metadata', path: ['empty'], is: 'presence', operator: 'isEmpty' }, both],
      [{ field: 'metadata', path: ['gone'], is: 'presence', operator: 'isNotEmpty' }, none],
      [{ field: 'tags', is: 'list', operator: 'equals', value: 'beta "x"' }, one],
      [{ field: 'tags', is: 'list', operator: 'equals', value: 'x' }, none],
      [{ field: 'tags', is: 'list', operator: 'equals', value: 'comma' }, none],
      [{ field: 'tags', is: 'list', operator: 'contains', value: 'BETA' }, one],
      [{ field: 'tags', is: 'list', operator: 'differs', value: 'alpha' }, ['other']],
      [{ field: 'tags', is: 'presence', operator: 'isEmpty' }, ['other']],
      [{ field: 'duration', is: 'number', operator: 'equals', value: 2000 }, one],
      [{ field: 'ttft', is: 'number', operator: 'below', value: 11 }, one],
      [{ field: 'start_time', is: 'instant', operator: 'atLeast', value: startMicros }, both],
      [{ field: 'end_time', is: 'instant', operator: 'above', value: startMicros }, one],
      [{ field: 'error_info', is: 'presence', operator: 'isNotEmpty' }, one],
      [{ field: 'error_type', is: 'text', operator: 'equals', value: 'valueerror' }, one],
      [{ field: 'source', is: 'words', operator: 'in', value: ['sdk'] }, one],
      [{ field: 'source', is: 'words', operator: 'notIn', value: ['sdk'] }, ['other']],
      [{ field: 'environment', is: 'words', operator: 'notIn', value: ['production'] }, ['other']],
      [{ field: 'thread_id', is: 'text', operator: 'equals', value: 'thread-1' }, one],
      [{ field: 'visibility_mode', is: 'words', operator: 'in', value: ['default'] }, both],
      [{ field: 'total_estimated_cost', is: 'number', operator: 'equals', value: 0.75 }, one],
      [{ field: 'llm_span_count', is: 'number', operator: 'equals', value: 1 }, one],
      [{ field: 'llm_span_count', is: 'number', operator: 'below', value: 1 }, ['other']],
      [{ field: 'usage.total_tokens', is: 'number', operator: 'atLeast', value: 12 }, one],
      [{ field: 'feedback_scores', key: 'acc', is: 'number', operator: 'equals', value: 0.6 }, one],
      [{ field: 'feedback_scores', key: 'acc', is: 'presence', operator: 'isEmpty' }, ['other']],
      [{ field: 'span_feedback_scores', key: 'a', is: 'presence', operator: 'isEmpty' }, both],
    ];
    for (const [claim, found] of claims)
      expect(await find(claim), JSON.stringify(claim)).to.deep.equal(found);
    expect(
      await find(...claims.filter(([, found]) => found === one).map(([claim]) => claim)),
    ).to.deep.equal(one);
    const spansBy = async (claim: FieldFilter) =>
      (await traces().listSpans({ projectId, filters: [claim], limit: 9 })).length;
    expect([
      await spansBy({ field: 'model', is: 'text', operator: 'equals', value: 'gpt-4' }),
      await spansBy({ field: 'type', is: 'words', operator: 'in', value: ['general'] }),
      await spansBy({ field: 'usage.total_tokens', is: 'number', operator: 'above', value: 5 }),
      await spansBy({ field: 'trace_id', is: 'text', operator: 'equals', value: first.id }),
      (await traces().listSpans({ ...all(projectId), type: 'llm' })).length,
    ]).to.deep.equal([1, 1, 1, 2, 1]);
    const search = async (text: string) =>
      (await traces().listTraces({ ...all(projectId), search: text })).map(({ name }) => name);
    expect([
      await search('WHY 100%'),
      await search('with,COMMA'),
      await search('valueerror'),
      await search(second.id.slice(3, 30)),
      await search('100_'),
    ]).to.deep.equal([one, one, one, ['other'], none]);
    expect([
      await traces().exist('trace', all(projectId)),
      await traces().exist('span', { ...all(projectId), type: 'tool' }),
    ]).to.deep.equal([true, false]);
  });

  it('finds letters of other scripts in any case, in rows and in bodies of spans alike', async () => {
    const { id: projectId } = await addProject(storage());
    const text = 'Große STRAẞE, İzmir, ΟΔΟΣ';
    const body = JSON.stringify({ said: text });
    const trace = await addTrace({
      projectId,
      name: text,
      input: body,
      metadata: body,
      tags: [text],
    });
    await addTrace({ projectId, name: 'strasse', input: '{}' });
    await addSpan({ projectId, traceId: trace.id, name: text, input: body, metadata: body });
    await storage().stores.feedback.putScores([
      aScore({ projectId, entityId: trace.id, name: text, value: 1 }),
    ]);
    const sought = ['straße', 'STRAẞE', 'izmir', 'İZMIR', 'οδοσ', 'ΟΔΟΣ'];
    for (const value of sought)
      for (const claim of [
        { field: 'name', is: 'text', operator: 'contains', value },
        { field: 'input', is: 'text', operator: 'contains', value },
        { field: 'metadata', path: ['said'], is: 'text', operator: 'contains', value },
        { field: 'input_json', path: ['said'], is: 'text', operator: 'contains', value },
      ] as const) {
        const asked = { projectId, filters: [claim], limit: 9 };
        const told = `${claim.field} ${value}`;
        expect((await traces().listTraces(asked)).length, `traces by ${told}`).to.equal(1);
        expect((await traces().listSpans(asked)).length, `spans by ${told}`).to.equal(1);
      }
    for (const search of sought) {
      expect((await traces().listTraces({ ...all(projectId), search })).length, search).to.equal(1);
      expect((await traces().listSpans({ ...all(projectId), search })).length, search).to.equal(1);
    }
    const listed = async (...filters: readonly FieldFilter[]) =>
      (await traces().listTraces({ projectId, filters, limit: 9 })).length;
    expect([
      await listed({ field: 'tags', is: 'list', operator: 'contains', value: 'straße' }),
      await listed({ field: 'tags', is: 'list', operator: 'contains', value: 'strasse' }),
      await listed({ field: 'name', is: 'text', operator: 'endsWith', value: 'ΟΔΟΣ' }),
      await listed({ field: 'name', is: 'text', operator: 'equals', value: text.toLowerCase() }),
      await listed({ field: 'name', is: 'text', operator: 'differs', value: text }),
    ]).to.deep.equal([1, 0, 1, 0, 1]);
  });

  it('finds letters that are new in Unicode as they are written, wherever they stand', async () => {
    const { id: projectId } = await addProject(storage());
    const text = 'ᎣᏏᏲ ᲗᲑᲘᲚᲘᲡᲘ 𐒰';
    const body = JSON.stringify({ deep: [{ said: text }] });
    const entry = { projectId, name: text, input: body, metadata: body, tags: [text] };
    const trace = await addTrace(entry);
    await addSpan({ ...entry, traceId: trace.id });
    await addTrace({ projectId, name: 'other', input: '{}' });
    for (const value of ['ᎣᏏᏲ', 'ᲗᲑᲘᲚᲘᲡᲘ', '𐒰', text])
      for (const claim of [
        { field: 'name', is: 'text', operator: 'contains', value },
        { field: 'tags', is: 'list', operator: 'contains', value },
        { field: 'input', is: 'text', operator: 'contains', value },
        { field: 'metadata', path: ['deep', 0, 'said'], is: 'text', operator: 'contains', value },
        { field: 'input_json', path: ['deep', 0, 'said'], is: 'text', operator: 'contains', value },
      ] as const) {
        const asked = { projectId, filters: [claim], limit: 9 };
        const told = `${claim.field} ${value}`;
        expect((await traces().listTraces(asked)).length, `traces by ${told}`).to.equal(1);
        expect((await traces().listSpans(asked)).length, `spans by ${told}`).to.equal(1);
        const search = { ...all(projectId), search: value };
        expect((await traces().listTraces(search)).length, value).to.equal(1);
        expect((await traces().listSpans(search)).length, value).to.equal(1);
      }
    const named = async (operator: 'startsWith' | 'endsWith' | 'notContains', value: string) =>
      (
        await traces().listTraces({
          projectId,
          filters: [{ field: 'name', is: 'text', operator, value }],
          limit: 9,
        })
      ).map(({ name }) => name);
    expect([
      await named('startsWith', 'ᎣᏏ'),
      await named('endsWith', '𐒰'),
      await named('notContains', '𐒰'),
    ]).to.deep.equal([[text], [text], ['other']]);
  });

  it('sums what the spans of some traces have', async () => {
    const { id: projectId } = await addProject(storage());
    const [traceId, second] = [freshId(), freshId()];
    const usage = '{"total_tokens":5,"__proto__":1}';
    await addSpan({ projectId, traceId, type: 'llm', provider: 'q', usage, cost: 0.25 });
    await addSpan({ projectId, traceId, type: 'tool', provider: 'p', usage: '{"total_tokens":2}' });
    await addSpan({ projectId, traceId: second, provider: 'p' });
    await addSpan({ projectId });

    const sums = await traces().sumSpans(projectId, [traceId, second, freshId()]);
    expect([...sums.keys()].sort()).to.deep.equal([traceId, second].sort());
    const { usage: summed, ...rest } = sums.get(traceId) ?? {};
    expect(Object.entries(summed ?? {}).sort()).to.deep.equal([
      ['__proto__', 1],
      ['total_tokens', 7],
    ]);
    expect(rest).to.deep.equal({
      ...{ spans: 2, llmSpans: 1, hasTool: true, cost: 0.25, providers: ['p', 'q'] },
    });
    expect(sums.get(second)).to.deep.equal({
      ...{ spans: 1, llmSpans: 0, hasTool: false, cost: undefined, usage: undefined },
      providers: ['p'],
    });
    expect(await traces().sumSpans(projectId, [])).to.have.property('size', 0);
  });

  it('removes traces with their spans, scores, comments and emptied threads, and none of another workspace', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { id: sibling } = await addProject(storage(), { workspaceId });
    const { id: foreign } = await addProject(storage());
    const [gone, kept, theirs] = [
      await addTrace({ projectId, threadId: 'a' }),
      await addTrace({ projectId, threadId: 'b' }),
      await addTrace({ projectId: foreign }),
    ];
    const twin = await addTrace({ projectId: sibling, id: gone.id });
    const goneSpan = await addSpan({ projectId, traceId: gone.id });
    const keptSpan = await addSpan({ projectId, traceId: kept.id });
    const { feedback, threads } = storage().stores;
    for (const entityId of [gone.id, kept.id]) {
      await feedback.putScores([aScore({ projectId, entityId })]);
      await feedback.insertComment(aComment({ projectId, entityId }));
    }
    await feedback.putScores([aScore({ projectId, kind: 'span', entityId: goneSpan.id })]);
    await traces().removeTraces(workspaceId, [gone.id, theirs.id, freshId(), gone.id], projectId);

    expect(await traces().listTraces(all(projectId))).to.deep.equal([kept]);
    expect(await traces().listSpans(all(projectId))).to.deep.equal([keptSpan]);
    expect(await traces().listTraces(all(sibling))).to.deep.equal([twin]);
    expect(await traces().listTraces(all(foreign))).to.deep.equal([theirs]);
    const ids = [gone.id, kept.id];
    expect(await feedback.listScores(projectId, 'trace', ids)).to.have.length(1);
    expect(await feedback.listComments(projectId, 'trace', ids)).to.have.length(1);
    expect(await feedback.listScores(projectId, 'span', [goneSpan.id])).to.deep.equal([]);
    expect(
      (await threads.find(projectId, ['a', 'b'])).map(({ threadId }) => threadId),
    ).to.deep.equal(['b']);
    await traces().removeTraces(workspaceId, [gone.id]);
    expect(await traces().listTraces(all(sibling))).to.deep.equal([]);
  });

  it('keeps a trace of OpenTelemetry under one id, whoever comes first, until it was not seen for long', async () => {
    const { id: projectId } = await addProject(storage());
    const { id: other } = await addProject(storage());
    const [otel, second] = ['0a'.repeat(16), '0b'.repeat(16)];
    const map = async (project: string, now = start, ids = [otel]) => {
      const proposed = new Map(ids.map((id) => [id, freshId()]));
      const times = { now, forgetBefore: now - 1000 };
      return [proposed, await traces().mapOtelTraces(project, proposed, times)] as const;
    };

    const all = await Promise.all(Array.from({ length: 10 }, () => map(projectId)));
    const kept = all[0]?.[1].get(otel);
    expect(all.some(([proposed]) => proposed.get(otel) === kept)).to.equal(true);
    for (const [, mapped] of all) expect([...mapped]).to.deep.equal([[otel, kept]]);
    const [proposed, elsewhere] = await map(other);
    expect([...elsewhere]).to.deep.equal([...proposed]);
    const [, both] = await map(projectId, start + 900, [otel, second]);
    expect(both.get(otel)).to.equal(kept);
    expect(both.get(second)).to.not.equal(kept);
    expect((await map(projectId, start + 1800))[1].get(otel)).to.equal(kept);
    expect((await map(projectId, start + 9000))[1].get(otel)).to.not.equal(kept);
    expect(
      (await traces().mapOtelTraces(projectId, new Map(), { now: 0, forgetBefore: 0 })).size,
    ).to.equal(0);
  });

  it('removes single spans with their scores', async () => {
    const { id: projectId } = await addProject(storage());
    const [gone, kept] = [await addSpan({ projectId }), await addSpan({ projectId })];
    const { feedback } = storage().stores;
    const score = aScore({ projectId, kind: 'span', entityId: gone.id });
    await feedback.putScores([score]);
    await traces().removeSpans(projectId, [gone.id, freshId(), 'no id']);

    expect(await traces().listSpans(all(projectId))).to.deep.equal([kept]);
    expect(await feedback.listScores(projectId, 'span', [gone.id])).to.deep.equal([]);
  });
};
