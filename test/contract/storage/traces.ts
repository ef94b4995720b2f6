import { expect } from 'chai';
import type { Span, Trace } from '#ports/model/traces';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, start } from './builders.js';

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
    ...given,
  };
};

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
    const { id: projectId, workspaceId } = await addProject(storage());
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
    });
    const bareSpan = await addSpan({ projectId });

    expect(await traces().findTrace(workspaceId, full.id)).to.deep.equal(full);
    expect(await traces().findTrace(workspaceId, bare.id)).to.deep.equal(bare);
    expect(await traces().findSpan(workspaceId, fullSpan.id)).to.deep.equal(fullSpan);
    expect(await traces().findSpan(workspaceId, bareSpan.id)).to.deep.equal(bareSpan);
  });

  it('finds nothing by an id of another workspace, of the other kind, or in no form of an id', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { workspaceId: elsewhere } = await addProject(storage());
    const trace = await addTrace({ projectId });
    const span = await addSpan({ projectId });

    expect([
      await traces().findTrace(elsewhere, trace.id),
      await traces().findSpan(elsewhere, span.id),
      await traces().findTrace(workspaceId, span.id),
      await traces().findSpan(workspaceId, trace.id),
      await traces().findTrace(workspaceId, 'no id'),
      await traces().findSpan(workspaceId, 'no id'),
    ]).to.deep.equal([undefined, undefined, undefined, undefined, undefined, undefined]);
  });

  it('keeps the entries of two projects apart that have the same id, and finds the one that was changed last', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { id: other } = await addProject(storage(), { workspaceId });
    const [id, spanId] = [freshId(), freshId()];
    const older = await addTrace({ projectId, id, name: 'older' });
    const newer = await addTrace({ projectId: other, id, lastUpdatedAt: startMicros + 1 });
    const olderSpan = await addSpan({ projectId, id: spanId, name: 'older' });
    const newerSpan = await addSpan({
      projectId: other,
      id: spanId,
      lastUpdatedAt: startMicros + 1,
    });

    expect(await traces().findTrace(workspaceId, id)).to.deep.equal(newer);
    expect(await traces().findSpan(workspaceId, spanId)).to.deep.equal(newerSpan);
    expect(await traces().listTraces({ projectId, limit: 5 })).to.deep.equal([older]);
    expect(await traces().listSpans({ projectId, limit: 5 })).to.deep.equal([olderSpan]);
  });

  it('gives what is stored to who decides, stores what is decided, and leaves the rest as it was', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
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
    expect(await traces().findTrace(workspaceId, first.id)).to.include({ name: 'changed' });
    expect(await traces().findTrace(workspaceId, second.id)).to.deep.equal(second);
    expect(await traces().findTrace(workspaceId, fresh.id)).to.deep.equal(fresh);
    expect(await traces().findSpan(workspaceId, span.id)).to.deep.equal({ ...span, model: 'm' });
  });

  it('stores nothing of a batch when a decision throws', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
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
    expect(await traces().findTrace(workspaceId, stored.id)).to.deep.equal(stored);
    expect(await traces().findTrace(workspaceId, fresh.id)).to.equal(undefined);
  });

  it('loses no change of twenty that come at once, to an entry that was not there', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
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
      expect((await traces().findTrace(workspaceId, id))?.tags).to.have.members(numbers);
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

    expect(await traces().listTraces({ projectId, limit: 2 })).to.deep.equal(made.slice(0, 2));
    expect(
      await traces().listTraces({ projectId, beforeId: made[1]?.id ?? '', limit: 9 }),
    ).to.deep.equal(made.slice(2));
    expect(await traces().listSpans({ projectId, limit: 9 })).to.deep.equal(spans);
    expect(
      await traces().listSpans({ projectId, beforeId: spans[0]?.id ?? '', limit: 2 }),
    ).to.deep.equal(spans.slice(1, 3));
    expect(
      await traces().listSpans({ projectId, traceId: made[1]?.id ?? '', limit: 9 }),
    ).to.deep.equal(spans.filter(({ traceId }) => traceId === made[1]?.id));
  });

  it('gives the figures of every span of some traces', async () => {
    const { id: projectId } = await addProject(storage());
    const [traceId, second] = [freshId(), freshId()];
    const facts = { type: 'llm', provider: 'p', usage: '{"total_tokens":5}', cost: 0.25 };
    await addSpan({ projectId, traceId, ...facts });
    await addSpan({ projectId, traceId: second });
    await addSpan({ projectId });

    expect(await traces().listSpanFigures(projectId, [traceId, second])).to.deep.equal([
      { traceId, ...facts },
      { traceId: second, type: undefined, provider: undefined, usage: undefined, cost: undefined },
    ]);
    expect(await traces().listSpanFigures(projectId, [])).to.deep.equal([]);
  });

  it('removes traces with their spans, and none of another workspace', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { id: foreign, workspaceId: elsewhere } = await addProject(storage());
    const [gone, kept, theirs] = [
      await addTrace({ projectId }),
      await addTrace({ projectId }),
      await addTrace({ projectId: foreign }),
    ];
    const goneSpan = await addSpan({ projectId, traceId: gone.id });
    const keptSpan = await addSpan({ projectId, traceId: kept.id });
    await traces().removeTraces(workspaceId, [gone.id, theirs.id, freshId(), gone.id]);

    expect(await traces().listTraces({ projectId, limit: 9 })).to.deep.equal([kept]);
    expect(await traces().listSpans({ projectId, limit: 9 })).to.deep.equal([keptSpan]);
    expect(await traces().findSpan(workspaceId, goneSpan.id)).to.equal(undefined);
    expect(await traces().findTrace(elsewhere, theirs.id)).to.deep.equal(theirs);
  });
};
