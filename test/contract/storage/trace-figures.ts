import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { mostSpansNamed } from '#ports/storage/trace-figures';
import { addProject, freshId, freshIdAt, start } from './builders.js';
import { aScore } from './feedback.js';
import { aSpan, aTrace } from './traces.js';

const second = 1_000_000;
const hour = 3600 * second;
const noon = Math.floor((start * 1000) / hour) * hour;

/** What every store of figures keeps to. */
export const traceFigureContract = (storage: () => Storage): void => {
  const figures = () => storage().stores.traceFigures;
  const buckets = { width: hour, offset: 0, from: noon, to: noon + 4 * hour };

  /** Traces, spans and scores of two projects, many of them outside the range, and what they come to, counted one by one. */
  const fill = async () => {
    const { traces, feedback } = storage().stores;
    const places = [await addProject(storage()), await addProject(storage())];
    const projectIds = places.map(({ id }) => id).sort();
    const madeTraces = [];
    const madeSpans = [];
    const scores = [];
    for (let n = 0; n < 60; n += 1) {
      const projectId = projectIds[n % 2] ?? '';
      const startTime = noon + (n % 7) * hour - hour + n * second;
      const trace = aTrace({
        ...{ projectId, id: freshIdAt(startTime), startTime, name: n % 3 === 0 ? 'x' : 'y' },
        ...(n % 4 === 0 ? {} : { endTime: startTime + n * 1000 }),
        ...(n % 5 === 0 ? { errorInfo: '{"exception_type":"E"}' } : {}),
        ...(n % 10 === 0 ? { threadId: `talk ${n % 20}` } : {}),
      });
      madeTraces.push(trace);
      for (let of = 0; of < n % 3; of += 1)
        madeSpans.push(
          aSpan({
            ...{ projectId, traceId: trace.id, id: freshIdAt(startTime + of * 1000), startTime },
            ...(of === 0 ? { cost: n / 4 } : { endTime: startTime + n * 2000 }),
            ...(of === 0 ? { usage: `{"kind_${n % 3}":1}` } : {}),
          }),
        );
      if (n % 2 === 0 || n % 3 === 0)
        scores.push(
          ...(n % 4 === 0 ? ['ann', 'bob'] : ['ann']).map((author, at) =>
            aScore({
              ...{ projectId, entityId: trace.id, name: n % 3 === 0 ? 'q' : 'r', author },
              value: n + at,
            }),
          ),
        );
    }
    for (const projectId of projectIds) {
      const [ownTraces, ownSpans] = [madeTraces, madeSpans].map((all) =>
        all.filter((one) => one.projectId === projectId),
      ) as [typeof madeTraces, typeof madeSpans]; // in the order of the list
      const trace = new Map(ownTraces.map((one) => [one.id, one]));
      const span = new Map(ownSpans.map((one) => [one.id, one]));
      await traces.changeTraces(projectId, [...trace.keys()], (id) => trace.get(id));
      await traces.changeSpans(projectId, [...span.keys()], (id) => span.get(id));
    }
    await feedback.putScores([
      ...scores,
      // Of a trace that is not there, and of a span.
      aScore({ projectId: projectIds[0] ?? '', entityId: freshIdAt(noon), name: 'q', value: 99 }),
      aScore({
        ...{ projectId: projectIds[0] ?? '', kind: 'span', name: 'q', value: 99 },
        entityId: madeSpans.find(({ projectId }) => projectId === projectIds[0])?.id ?? '',
      }),
    ]);
    return { projectIds, traces: madeTraces, spans: madeSpans, scores };
  };
  type Made = Awaited<ReturnType<typeof fill>>;
  const mean = (all: readonly number[]) =>
    all.length === 0 ? undefined : all.reduce((sum, one) => sum + one, 0) / all.length;
  const sum = (all: readonly number[]) => all.reduce((before, one) => before + one, 0);
  const durations = (all: readonly { readonly startTime: number; readonly endTime?: unknown }[]) =>
    all.flatMap(({ startTime, endTime }) =>
      typeof endTime === 'number' ? [(endTime - startTime) / 1000] : [],
    );

  const close = (found: number | undefined, truth: number | undefined): void => {
    if (truth === undefined) expect(found).to.equal(undefined);
    else expect(found).to.be.closeTo(truth, 1e-6);
  };

  it('totals traces and spans of a project, made within bounds, as they are counted one by one', async () => {
    const made = await fill();
    const projectId = made.projectIds[0] ?? '';
    const [fromId, toId] = [freshIdAt(noon), freshIdAt(noon + 3 * hour)];
    const within = ({ id, projectId: of }: Made['traces'][number] | Made['spans'][number]) =>
      of === projectId && id >= fromId && id <= toId;
    const selection = { projectId, filters: [], fromId, toId };

    const found = await figures().totalTraces(selection);
    const traces = made.traces.filter(within);
    const spansOf = made.spans.filter(({ traceId }) => traces.some(({ id }) => id === traceId));
    expect(traces.length).to.be.greaterThan(3);
    expect([found.count, found.errors]).to.deep.equal([
      traces.length,
      traces.filter(({ errorInfo }) => errorInfo !== undefined).length,
    ]);
    close(found.meanDuration, mean(durations(traces)));
    close(found.cost, sum(spansOf.map(({ cost }) => cost ?? 0)));

    const spans = made.spans.filter(within);
    const ofSpans = await figures().totalSpans(selection);
    expect(ofSpans).to.include({ count: spans.length, errors: 0 });
    close(ofSpans.meanDuration, mean(durations(spans)));
    close(ofSpans.cost, sum(spans.map(({ cost }) => cost ?? 0)));

    const named = { field: 'name', is: 'text', operator: 'equals', value: 'x' } as const;
    expect((await figures().totalTraces({ ...selection, filters: [named] })).count).to.equal(
      traces.filter(({ name }) => name === 'x').length,
    );
    const nothing = { count: 0, errors: 0, meanDuration: undefined, cost: undefined };
    const nowhere = { projectId: freshId(), filters: [] };
    expect(await figures().totalTraces(nowhere)).to.deep.equal(nothing);
    expect(await figures().totalSpans(nowhere)).to.deep.equal(nothing);
    expect(await figures().totalThreads({ ...nowhere, activeSince: 0 })).to.deep.equal(nothing);
  });

  it('totals threads by what their traces come to', async () => {
    const made = await fill();
    const projectId = made.projectIds[0] ?? '';
    const talks = new Map<string, Made['traces'][number][]>();
    for (const one of made.traces)
      if (one.projectId === projectId && one.threadId !== undefined)
        talks.set(one.threadId, [...(talks.get(one.threadId) ?? []), one]);
    const lasted = [...talks.values()].map(
      (all) =>
        (Math.max(...all.map(({ startTime, endTime }) => endTime ?? startTime)) -
          Math.min(...all.map(({ startTime }) => startTime))) /
        1000,
    );
    const ids = new Set([...talks.values()].flat().map(({ id }) => id));
    const costs = made.spans.flatMap(({ traceId, cost }) => (ids.has(traceId) ? [cost ?? 0] : []));

    const found = await figures().totalThreads({ projectId, filters: [], activeSince: 0 });
    expect([found.count, found.errors]).to.deep.equal([talks.size, 0]);
    expect(talks.size).to.equal(2);
    close(found.meanDuration, mean(lasted));
    close(found.cost, sum(costs));
  });

  it('sums scores and costs of several projects by buckets, as they are added up one by one', async () => {
    const made = await fill();
    const bucket = (id: string) =>
      Math.floor((Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000) / hour) * hour;
    const inRange = (id: string) => bucket(id) >= noon && bucket(id) < noon + 4 * hour;

    const byTrace = new Map<string, { key: string; values: number[] }>();
    for (const { projectId, entityId, name, value } of made.scores)
      if (inRange(entityId)) {
        const key = `${name} ${projectId} ${bucket(entityId)}`;
        const of = byTrace.get(`${key} ${entityId}`) ?? { key, values: [] };
        byTrace.set(`${key} ${entityId}`, { key, values: [...of.values, value] });
      }
    const truth = new Map<string, number[]>();
    for (const { key, values } of byTrace.values())
      truth.set(key, [...(truth.get(key) ?? []), mean(values) ?? 0]);
    const found = await figures().sumScores(made.projectIds, buckets);
    expect(found.map(({ name, projectId, at }) => `${name} ${projectId} ${at}`)).to.deep.equal(
      [...truth.keys()].sort(),
    );
    for (const one of found) {
      const values = truth.get(`${one.name} ${one.projectId} ${one.at}`) ?? [];
      expect(one.count).to.equal(values.length);
      close(one.sum, sum(values));
    }
    const ofName = await figures().sumScores(made.projectIds, buckets, 'q');
    expect(ofName).to.deep.equal(found.filter(({ name }) => name === 'q'));
    const [one = ''] = made.projectIds;
    expect(await figures().sumScores([one, one], buckets)).to.deep.equal(
      found.filter(({ projectId }) => projectId === one),
    );

    const costs = new Map<string, number[]>();
    for (const { projectId, id, cost } of made.spans)
      if (cost !== undefined && inRange(id)) {
        const key = `${projectId} ${bucket(id)}`;
        costs.set(key, [...(costs.get(key) ?? []), cost]);
      }
    const spent = await figures().sumCosts(made.projectIds, buckets);
    expect(spent.map(({ projectId, at }) => `${projectId} ${at}`)).to.deep.equal(
      [...costs.keys()].sort(),
    );
    for (const { projectId, at, cost } of spent)
      close(cost, sum(costs.get(`${projectId} ${at}`) ?? []));

    expect(await figures().sumScores([], buckets)).to.deep.equal([]);
    expect(await figures().sumCosts([freshId()], buckets)).to.deep.equal([]);
  });

  it('adds up errors and durations of traces, and scores of threads', async () => {
    const project = await addProject(storage());
    const { id: projectId } = project;
    const { traces, threads, feedback } = storage().stores;
    const made = [
      aTrace({ projectId, endTime: start * 1000 + 3_000_000, errorInfo: '{}' }),
      aTrace({ projectId, endTime: start * 1000 + 1_000_000 }),
      aTrace({ projectId, errorInfo: '{}' }),
    ].map((one) => ({ ...one, startTime: start * 1000 }));
    const byId = new Map(made.map((one) => [one.id, one]));
    await traces.changeTraces(projectId, [...byId.keys()], (id) => byId.get(id));
    await threads.require(projectId, ['talk'], { at: Date.now() * 1000, by: 'ann' });
    const [thread] = await threads.find(projectId, ['talk']);
    if (thread === undefined) throw new Error('there is no thread');
    await feedback.putScores([
      aScore({ projectId, entityId: thread.id, kind: 'thread', name: 'q', value: 0.25 }),
      aScore({ projectId, entityId: made[0]?.id ?? '', name: 'q', value: 1 }),
    ]);
    const from = Date.now() * 1000 - 3_600_000_000;
    const buckets = { width: 7_200_000_000, offset: from, from, to: from + 7_200_000_000 };

    expect(await figures().sumTraces([projectId, freshId()], buckets)).to.deep.equal([
      { projectId, at: from, errors: 2, ended: 2, duration: 4000 },
    ]);
    const before = { ...buckets, from: from - 9_000_000, to: from };
    expect(await figures().sumTraces([projectId], before)).to.deep.equal([]);
    expect(await figures().sumTraces([], buckets)).to.deep.equal([]);
    expect(await figures().sumScores([projectId], buckets, 'q', 'thread')).to.deep.equal([
      { projectId, at: from, name: 'q', sum: 0.25, count: 1 },
    ]);
    expect(await figures().sumScores([projectId], buckets, 'q')).to.deep.equal([
      { projectId, at: from, name: 'q', sum: 1, count: 1 },
    ]);
  });

  it('names the counts of the newest spans of each project', async () => {
    const made = await fill();
    const truth = new Set(
      made.spans.flatMap(({ usage }) =>
        usage === undefined ? [] : Object.keys(JSON.parse(usage) as object),
      ),
    );
    expect(truth.size).to.be.greaterThan(1);
    expect(mostSpansNamed).to.be.greaterThan(made.spans.length);
    expect(await figures().listUsageNames([...made.projectIds, freshId()])).to.deep.equal({
      names: [...truth].sort(),
      cut: false,
    });
    expect(await figures().listUsageNames([])).to.deep.equal({ names: [], cut: false });
  });
};
