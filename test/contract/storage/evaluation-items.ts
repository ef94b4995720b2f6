import { expect } from 'chai';
import type { EvaluationItem } from '#ports/model/evaluations';
import {
  mostOutputBytes,
  type ComparedListing,
  type NamedSpread,
  type Spread,
} from '#ports/storage/evaluation-items';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId } from './builders.js';
import { addDataset } from './datasets.js';
import { byAnn, byBob } from './environments.js';
import { addRuns, anEvaluation, anEvaluationItem } from './evaluations.js';
import { aScore } from './feedback.js';
import { aSpan } from './traces.js';

/** What every store of items of evaluations keeps to. */
export const evaluationItemContract = (storage: () => Storage): void => {
  const items = () => storage().stores.evaluationItems;

  it('returns what was stored, each once, and passes over what is there', async () => {
    const [workspaceId, evaluationId] = [freshId(), freshId()];
    const made = [1, 2, 3].map(() => anEvaluationItem({ workspaceId, evaluationId }));
    const [first, second, third] = made as [EvaluationItem, EvaluationItem, EvaluationItem]; // three were made
    const full = { ...third, projectId: freshId(), executionPolicy: '{"runs_per_item":2}' };
    await items().add([second, full, second]);
    await items().add([first, { ...full, traceId: freshId() }]);
    await items().add([]);

    expect(
      await items().list({ workspaceId, evaluationIds: [evaluationId], limit: 10 }),
    ).to.deep.equal([full, second, first]);
    expect(
      await items().list({
        workspaceId,
        evaluationIds: [freshId(), evaluationId],
        beforeId: full.id,
        limit: 1,
      }),
    ).to.deep.equal([second]);
    expect(await items().find(workspaceId, full.id)).to.deep.equal(full);
    expect(await items().find(freshId(), full.id)).to.equal(undefined);
    expect(await items().find(workspaceId, 'no-such-id')).to.equal(undefined);
    await items().remove(workspaceId, [second.id, freshId(), 'no-such-id']);
    await items().remove(freshId(), [first.id]);
    expect(
      (await items().list({ workspaceId, evaluationIds: [evaluationId], limit: 10 })).length,
    ).to.equal(2);
  });

  it('says what traces hold and what their spans add up to', async () => {
    const { workspaceId, project, traces } = await addRuns(storage(), freshId(), [5.5, undefined]);
    const [first, second] = traces.map(({ id }) => id) as [string, string]; // two were made
    const spans = [1, 2].map((n) =>
      aSpan({ projectId: project.id, traceId: first, cost: n / 10, usage: `{"t":${n}}` }),
    );
    await storage().stores.traces.changeSpans(
      project.id,
      spans.map(({ id }) => id),
      (id) => spans.find((span) => span.id === id),
    );
    const facts = await items().traceFacts(workspaceId, [first, second, freshId(), 'no-such-id']);

    expect([...facts.keys()].sort()).to.deep.equal([first, second].sort());
    expect(facts.get(first)?.cost).to.be.closeTo(0.3, 1e-9);
    expect(facts.get(first)).to.deep.include({
      traceId: first,
      projectId: project.id,
      input: '{"q":"Why?"}',
      output: '"Because"',
      metadata: '{"m":1}',
      duration: 5.5,
      usage: { t: 3 },
    });
    expect(facts.get(second)).to.deep.include({ duration: undefined, cost: undefined });
    expect((await items().traceFacts(freshId(), [first])).size).to.equal(0);
  });

  it('sums up the runs of items that are asked for, as they are added up one by one', async () => {
    const evaluationId = freshId();
    const ids = Array.from({ length: 8 }, () => freshId());
    const taken = [40, 10, 70, undefined, 30, 90, 20, 60];
    const { workspaceId, project, traces } = await addRuns(
      storage(),
      evaluationId,
      taken,
      (at) => ({ datasetItemId: ids[at] ?? '' }),
    );
    const dataset = await addDataset(storage(), { workspaceId });
    await storage().stores.datasetItems.change({
      ...{ workspaceId, datasetId: dataset.id, target: { into: 'newest' }, ids },
      ...{ versionId: freshId(), touch: byBob },
      decide: () => ({
        put: ids.map((id, at) => ({
          ...{ datasetId: dataset.id, id, traceId: undefined, spanId: undefined, source: 'sdk' },
          ...{ data: `{"half":"${at < 4 ? 'first' : 'second'}"}`, description: undefined },
          ...{ tags: undefined, evaluators: undefined, executionPolicy: undefined, ...byAnn },
        })),
        removed: [],
        columns: [],
      }),
    });
    // A second run of the first item, of the same trace, and one of another evaluation.
    const again = { workspaceId, datasetItemId: ids[0] ?? '', traceId: traces[0]?.id ?? '' };
    await items().add([
      anEvaluationItem({ ...again, evaluationId }),
      anEvaluationItem({ ...again, evaluationId: freshId() }),
    ]);
    const spans = traces.flatMap(({ id: traceId }, at) =>
      Array.from({ length: at % 3 }, (_, n) =>
        aSpan({
          ...{ projectId: project.id, traceId, cost: (at + n) / 8 },
          usage: `{"total_tokens":${at + n},"only_${at % 2}":1}`,
        }),
      ),
    );
    const byId = new Map(spans.map((span) => [span.id, span]));
    await storage().stores.traces.changeSpans(project.id, [...byId.keys()], (id) => byId.get(id));
    const scores = traces.flatMap(({ id: entityId }, at) =>
      at % 2 === 0
        ? ['ann', 'bob'].flatMap((author, n) =>
            ['q', 'q '].map((name) =>
              aScore({
                ...{ projectId: project.id, entityId, name, author },
                value: at * name.length + n,
              }),
            ),
          )
        : [],
    );
    await storage().stores.feedback.putScores(scores);

    const spread = (values: readonly number[]) => {
      const sorted = [...values].sort((one, other) => one - other);
      const at = (share: number) => {
        const place = share * (sorted.length - 1);
        const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
        return low + (high - low) * (place - Math.floor(place));
      };
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return values.length === 0 ? undefined : [mean, at(0.5), at(0.9), at(0.99)];
    };
    /** The runs: each trace once, the first one twice. */
    const truth = (kept: (at: number) => boolean) => {
      const runs = [...traces.keys(), 0].filter(kept);
      const of = (read: (at: number) => number | undefined) =>
        spread(runs.flatMap((at) => read(at) ?? []));
      const spansOf = (at: number) => spans.filter(({ traceId }) => traceId === traces[at]?.id);
      const usage = (name: string) =>
        of((at) => {
          const found = spansOf(at).flatMap(
            (one) => (JSON.parse(one.usage ?? '{}') as Record<string, number>)[name] ?? [],
          );
          return found.length === 0 ? undefined : found.reduce((sum, n) => sum + n, 0);
        });
      return {
        runs: runs.length,
        traces: new Set(runs).size,
        duration: of((at) => taken[at]),
        cost: of((at) =>
          spansOf(at).length === 0
            ? undefined
            : spansOf(at).reduce((sum, { cost = 0 }) => sum + cost, 0),
        ),
        scores: [1, 2].map((length) => [
          'q'.padEnd(length),
          of((at) => (at % 2 === 0 ? at * length + 0.5 : undefined)),
        ]),
        usage: ['only_0', 'only_1', 'total_tokens'].map((name) => [name, usage(name)]),
      };
    };
    const values = (found: Spread | undefined) =>
      found && [found.mean, found.p50, found.p90, found.p99].map((n) => Math.round(n * 1e6) / 1e6);
    const rounded = (found: unknown): unknown =>
      JSON.parse(
        JSON.stringify(found, (_, value: unknown) =>
          typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
        ),
      );
    const named = (all: readonly NamedSpread[]) => all.map((one) => [one.name, values(one)]);
    const read = async (more: Partial<ComparedListing> = {}) => {
      const found = await items().sumRuns({
        ...{ workspaceId, datasetId: dataset.id, evaluationIds: [evaluationId], filters: [] },
        ...more,
      });
      const { runs, traces: of, duration, cost } = found;
      return rounded({
        ...{ runs, traces: of, duration: values(duration), cost: values(cost) },
        scores: named(found.scores),
        usage: named(found.usage),
      });
    };

    expect(await read()).to.deep.equal(rounded(truth(() => true)));
    expect(
      await read({
        filters: [
          { field: 'data', path: ['half'], is: 'text', operator: 'equals', value: 'first' },
        ],
      }),
    ).to.deep.equal(rounded(truth((at) => at < 4)));
    expect(await read({ evaluationIds: [freshId()] })).to.deep.equal({
      ...{ runs: 0, traces: 0, scores: [], usage: [] },
    });
  });

  it('says of which evaluation traces of a project are runs, the newest one', async () => {
    const { workspaceId, project, traces } = await addRuns(storage(), freshId(), [1, 2, 3]);
    const [first = '', second = '', third = ''] = traces.map(({ id }) => id);
    const datasetId = freshId();
    const [older, newer] = [
      anEvaluation({ workspaceId, datasetId }),
      anEvaluation({ workspaceId, datasetId }),
    ];
    for (const one of [older, newer]) await storage().stores.evaluations.insert(one);
    const datasetItemId = freshId();
    const item = (evaluationId: string, traceId: string, projectId?: string) =>
      anEvaluationItem({ workspaceId, evaluationId, traceId, projectId, datasetItemId });
    await items().add([item(older.id, first), item(older.id, second, project.id)]);
    await items().add([item(newer.id, first), item(newer.id, second, freshId())]);
    await items().add([item(older.id, third, freshId())]);
    const found = await items().listOfTraces(project.id, [first, second, third, freshId(), 'x']);

    const told = ({ id, name }: { readonly id: string; readonly name: string }) => ({
      ...{ id, name, datasetId, datasetItemId },
    });
    expect(found.get(first)).to.deep.equal(told(newer));
    expect(found.get(second)).to.deep.equal(told(older));
    expect([...found.keys()].sort()).to.deep.equal([first, second].sort());
    expect((await items().listOfTraces(freshId(), [first])).size).to.equal(0);
    await storage().stores.evaluations.remove(workspaceId, [newer.id], 1);
    expect((await items().listOfTraces(project.id, [first])).get(first)).to.deep.equal(told(older));
  });

  it('gives outputs of the newest runs, and says where some are left out', async () => {
    const evaluationId = freshId();
    const { workspaceId, project, traces } = await addRuns(storage(), evaluationId, [1, 2, 3]);
    const list = (limit: number) => items().listOutputs(workspaceId, [evaluationId], limit);

    expect(await list(3)).to.deep.equal({ outputs: Array(3).fill('"Because"'), cut: false });
    expect(await list(2)).to.deep.equal({ outputs: Array(2).fill('"Because"'), cut: true });
    const [long] = traces;
    await storage().stores.traces.changeTraces(project.id, [long?.id ?? ''], (_, stored) =>
      stored === undefined
        ? undefined
        : { ...stored, output: JSON.stringify('x'.repeat(mostOutputBytes)) },
    );
    expect(await list(3)).to.deep.equal({ outputs: Array(2).fill('"Because"'), cut: true });
    expect(await items().listOutputs(workspaceId, [freshId()], 3)).to.deep.equal({
      outputs: [],
      cut: false,
    });
    expect((await items().listOutputs(freshId(), [evaluationId], 3)).outputs).to.deep.equal([]);
  });

  it('finds items of a dataset with what evaluations made of them, by either', async () => {
    const evaluationIds = [freshId(), freshId()];
    const ids = [1, 2, 3, 4].map(() => freshId());
    const { workspaceId, items: runs } = await addRuns(
      storage(),
      evaluationIds[0] ?? '',
      [100, 200, 300],
      (at) => ({ datasetItemId: ids[at] ?? '' }),
    );
    const dataset = await addDataset(storage(), { workspaceId });
    const of = { workspaceId, datasetId: dataset.id };
    const [, second = ''] = evaluationIds;
    await items().add([
      anEvaluationItem({ workspaceId, evaluationId: second, datasetItemId: ids[1] ?? '' }),
      anEvaluationItem({ workspaceId, evaluationId: freshId(), datasetItemId: ids[3] ?? '' }),
      anEvaluationItem({ workspaceId, evaluationId: second }),
    ]);
    await storage().stores.datasetItems.change({
      ...of,
      target: { into: 'newest' },
      ids,
      versionId: freshId(),
      touch: byBob,
      decide: () => ({
        put: ids.map((id, at) => ({
          datasetId: dataset.id,
          id,
          traceId: undefined,
          spanId: undefined,
          source: 'sdk',
          data: `{"city":"Town ${at}"}`,
          description: undefined,
          tags: undefined,
          evaluators: undefined,
          executionPolicy: undefined,
          ...byAnn,
        })),
        removed: [],
        columns: [],
      }),
    });
    const compare = async (more: Partial<ComparedListing> = {}, offset = 0, limit = 10) => {
      const listing = { ...of, evaluationIds, filters: [], orders: [], ...more };
      const found = await items().listCompared({ ...listing, offset, limit });
      if (offset === 0 && limit === 10)
        expect(await items().countCompared(listing)).to.equal(found.length);
      return found.map((id) => ids.indexOf(id));
    };

    expect(await compare()).to.deep.equal([2, 1, 0]);
    expect(await compare({}, 1, 1)).to.deep.equal([1]);
    expect(await compare({ evaluationIds: evaluationIds.slice(1) })).to.deep.equal([1]);
    expect(await compare({ search: 'TOWN 2' })).to.deep.equal([2]);
    expect(await compare({ search: 'because' })).to.deep.equal([2, 1, 0]);
    expect(await compare({ search: 'nothing' })).to.deep.equal([]);
    expect(
      await compare({
        filters: [{ field: 'data', path: ['city'], is: 'text', operator: 'endsWith', value: '1' }],
      }),
    ).to.deep.equal([1]);
    expect(
      await compare({
        filters: [{ field: 'duration', is: 'number', operator: 'atLeast', value: 200 }],
        orders: [{ field: 'duration', descending: false }],
      }),
    ).to.deep.equal([1, 2]);
    expect(
      await compare({ orders: [{ field: 'data', path: ['city'], descending: false }] }),
    ).to.deep.equal([0, 1, 2]);
    expect(
      (await items().listRuns(workspaceId, evaluationIds, [ids[1] ?? '', ids[2] ?? ''])).map(
        ({ id }) => id,
      ),
    ).to.have.members([
      runs[1]?.id,
      runs[2]?.id,
      ...(
        await items().list({
          workspaceId,
          evaluationIds: evaluationIds.slice(1),
          limit: 9,
        })
      ).flatMap(({ id, datasetItemId }) => (datasetItemId === ids[1] ? [id] : [])),
    ]);
  });

  it('keeps the last result of each assertion about a trace', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const [entityId, other] = [freshId(), freshId()];
    const result = (name: string, passed: boolean, more: object = {}) => ({
      projectId,
      entityKind: 'trace' as const,
      entityId,
      name,
      passed,
      reason: 'because \u{1f600}',
      source: 'sdk',
      ...byAnn,
      ...more,
    });
    await items().putResults([result('b', false), result('a', true), result('b', true)]);
    await items().putResults([
      result('a', false, { ...byBob, reason: undefined, source: 'ui' }),
      result('a', true, { entityKind: 'span' }),
      result('c', true, { entityId: other }),
    ]);
    await items().putResults([]);

    expect(await items().listResults(workspaceId, 'trace', [entityId, 'no-such-id'])).to.deep.equal(
      [{ ...result('a', false, { reason: undefined, source: 'ui' }), ...byBob }, result('b', true)],
    );
    expect((await items().listResults(workspaceId, 'span', [entityId])).length).to.equal(1);
    expect(await items().listResults(freshId(), 'trace', [entityId])).to.deep.equal([]);
  });
};
