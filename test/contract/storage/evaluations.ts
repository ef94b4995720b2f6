import { expect } from 'chai';
import type { Evaluation, EvaluationItem } from '#ports/model/evaluations';
import type { EvaluationListing } from '#ports/storage/evaluations';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, freshName, start } from './builders.js';
import { addDataset } from './datasets.js';
import { byAnn, byBob } from './environments.js';
import { aSpan, aTrace } from './traces.js';

export const anEvaluation = (given: Partial<Evaluation> = {}): Evaluation => ({
  workspaceId: freshId(),
  id: freshId(),
  projectId: undefined,
  datasetId: undefined,
  datasetVersionId: undefined,
  optimizationId: undefined,
  name: freshName('evaluation'),
  metadata: undefined,
  tags: undefined,
  type: 'regular',
  method: 'dataset',
  status: undefined,
  scores: undefined,
  finishedAt: undefined,
  prompts: [],
  ...byAnn,
  ...given,
});
export const anEvaluationItem = (
  given: Partial<EvaluationItem> & Pick<EvaluationItem, 'workspaceId' | 'evaluationId'>,
): EvaluationItem => ({
  id: freshId(),
  datasetItemId: freshId(),
  traceId: freshId(),
  projectId: undefined,
  executionPolicy: undefined,
  ...byAnn,
  ...given,
});

const startMicros = start * 1000;

/** A project with a trace for each duration in ms, and an item of the evaluation for each trace. */
export const addRuns = async (
  storage: Storage,
  evaluationId: string,
  durations: readonly (number | undefined)[],
  given: (at: number) => Partial<EvaluationItem> = () => ({}),
) => {
  const project = await addProject(storage);
  const { workspaceId } = project;
  const traces = durations.map((ms) =>
    aTrace({
      projectId: project.id,
      startTime: startMicros,
      endTime: ms === undefined ? undefined : startMicros + ms * 1000,
      input: '{"q":"Why?"}',
      output: '"Because"',
      metadata: '{"m":1}',
    }),
  );
  for (const trace of traces)
    await storage.stores.traces.changeTraces(project.id, [trace.id], () => trace);
  const items = traces.map(({ id }, at) =>
    anEvaluationItem({ workspaceId, evaluationId, traceId: id, ...given(at) }),
  );
  await storage.stores.evaluationItems.add(items);
  return { project, workspaceId, traces, items };
};

/** What every store of evaluations keeps to. */
export const evaluationContract = (storage: () => Storage): void => {
  const evaluations = () => storage().stores.evaluations;
  const add = async (given: Partial<Evaluation> = {}): Promise<Evaluation> => {
    const made = anEvaluation(given);
    await evaluations().insert(made);
    return made;
  };
  const list = async (
    listing: Partial<EvaluationListing> & Pick<EvaluationListing, 'workspaceId'>,
  ) => {
    const asked = { filters: [], orders: [], limit: 100, ...listing };
    const ids = (await evaluations().list(asked)).map(({ id }) => id);
    const { limit: _, orders: __, offset: ___, ...counted } = asked;
    expect(await evaluations().count(counted)).to.be.at.least(ids.length);
    return ids;
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({
      projectId: freshId(),
      datasetId: freshId(),
      datasetVersionId: freshId(),
      optimizationId: freshId(),
      name: ' näme \u{1f600} ',
      metadata: '{"z":"{}","a":[null,0.1]}',
      tags: ['b', 'a'],
      type: 'mini-batch',
      method: 'evaluation_suite',
      status: 'running',
      scores: [
        { name: 'Zeta', value: 0.1 },
        { name: 'alpha', value: -2 },
      ],
      finishedAt: startMicros,
      prompts: [
        { versionId: freshId(), promptId: freshId() },
        { versionId: freshId(), promptId: freshId() },
      ],
    });
    const other = await add({ id: made.id });

    expect(await evaluations().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await evaluations().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await evaluations().find(freshId(), made.id)).to.equal(undefined);
    expect(await evaluations().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    expect(
      await evaluations().findMany(made.workspaceId, [made.id, freshId(), 'no-such-id']),
    ).to.deep.equal([made]);
  });

  it('stores one of an id, and leaves it as it was', async () => {
    const made = anEvaluation();
    const again = {
      ...made,
      name: 'other',
      prompts: [{ versionId: freshId(), promptId: freshId() }],
    };

    expect([await evaluations().insert(made), await evaluations().insert(again)]).to.deep.equal([
      true,
      false,
    ]);
    expect(await evaluations().find(made.workspaceId, made.id)).to.deep.equal(made);
  });

  it('finds those of a name in any case, the newest first', async () => {
    const [workspaceId, projectId, name] = [freshId(), freshId(), freshName('Name')];
    const a = await add({ workspaceId, name });
    const b = await add({ workspaceId, projectId, name: name.toUpperCase() });
    await add({ workspaceId, name: `${name}0` });
    await add({ name });

    expect(await evaluations().findByName(workspaceId, name.toLowerCase())).to.deep.equal([
      b.id,
      a.id,
    ]);
    expect(await evaluations().findByName(workspaceId, name, projectId)).to.deep.equal([b.id]);
  });

  it('finds names whose letters are new in Unicode as they are written, and tells them apart', async () => {
    const workspaceId = freshId();
    const [a, b] = [
      await add({ workspaceId, name: 'ᎣᏏᏲ Ꟁ' }),
      await add({ workspaceId, name: 'ᎣᏏᏲ Ꟃ' }),
    ];

    expect(await list({ workspaceId, name: 'ᏏᏲ' })).to.deep.equal([b.id, a.id]);
    for (const one of [a, b]) {
      expect(await list({ workspaceId, name: one.name })).to.deep.equal([one.id]);
      expect(await evaluations().findByName(workspaceId, one.name)).to.deep.equal([one.id]);
    }
  });

  it('lists those that are asked for, in an order, page by page', async () => {
    const [workspaceId, projectId, promptId] = [freshId(), freshId(), freshId()];
    const dataset = await addDataset(storage(), { workspaceId });
    const [a, b, c] = [
      await add({ workspaceId, datasetId: dataset.id, name: 'e10', tags: ['x'] }),
      await add({
        workspaceId,
        projectId,
        name: 'E1 %_',
        metadata: '{"model":{"name":"m-1"}}',
        scores: [{ name: 'Acc', value: 10 }],
        prompts: [{ versionId: freshId(), promptId }],
      }),
      await add({
        workspaceId,
        datasetId: freshId(),
        optimizationId: promptId,
        name: 'other',
        type: 'trial',
        scores: [{ name: 'acc', value: 9 }],
      }),
    ];
    await add();
    const by = { workspaceId };

    expect(await list(by)).to.deep.equal([c.id, b.id, a.id]);
    expect(await list({ ...by, offset: 1, limit: 1 })).to.deep.equal([b.id]);
    expect(await list({ ...by, beforeId: b.id })).to.deep.equal([a.id]);
    expect(await list({ ...by, projectId })).to.deep.equal([b.id]);
    expect(await list({ ...by, datasetId: dataset.id })).to.deep.equal([a.id]);
    expect(await list({ ...by, optimizationId: promptId })).to.deep.equal([c.id]);
    expect(await list({ ...by, promptId })).to.deep.equal([b.id]);
    expect(await list({ ...by, types: ['regular'] })).to.deep.equal([b.id, a.id]);
    expect(await list({ ...by, ids: [a.id, c.id, 'no-such-id'] })).to.deep.equal([c.id, a.id]);
    expect(await list({ ...by, name: 'e1' })).to.deep.equal([b.id, a.id]);
    expect(await list({ ...by, name: '%_' })).to.deep.equal([b.id]);
    expect(await list({ ...by, datasetDeleted: true })).to.deep.equal([c.id, b.id]);
    expect(await list({ ...by, datasetDeleted: false })).to.deep.equal([a.id]);
    expect(await list({ ...by, projectDeleted: true })).to.deep.equal([b.id]);
    expect(await list({ ...by, projectDeleted: false })).to.deep.equal([]);
    expect(await list({ ...by, orders: [{ field: 'name', descending: false }] })).to.deep.equal([
      b.id,
      a.id,
      c.id,
    ]);
    expect(
      await list({
        ...by,
        orders: [{ field: 'experiment_scores', key: 'acc', descending: true }],
      }),
    ).to.deep.equal([b.id, c.id, a.id]);
    const filtered = (filter: EvaluationListing['filters'][number]) =>
      list({ ...by, filters: [filter] });
    expect(
      await filtered({ field: 'tags', is: 'list', operator: 'contains', value: 'X' }),
    ).to.deep.equal([a.id]);
    expect(
      await filtered({
        field: 'metadata',
        path: ['model', 'name'],
        is: 'text',
        operator: 'equals',
        value: 'M-1',
      }),
    ).to.deep.equal([b.id]);
    expect(
      await filtered({
        field: 'experiment_scores',
        key: 'acc',
        is: 'number',
        operator: 'above',
        value: 9.5,
      }),
    ).to.deep.equal([b.id]);
    expect(
      await filtered({ field: 'prompt_ids', is: 'list', operator: 'contains', value: promptId }),
    ).to.deep.equal([b.id]);
    expect(
      await filtered({ field: 'prompt_ids', is: 'presence', operator: 'isEmpty' }),
    ).to.deep.equal([c.id, a.id]);
    // What is no id is none of them.
    expect(
      await filtered({ field: 'prompt_ids', is: 'list', operator: 'equals', value: 'Größe' }),
    ).to.deep.equal([]);
    expect(
      await filtered({ field: 'prompt_ids', is: 'list', operator: 'differs', value: 'Größe' }),
    ).to.deep.equal([c.id, b.id, a.id]);
    const unknown = { field: 'duration', key: 'p51' } as const;
    expect(await filtered({ ...unknown, is: 'number', operator: 'above', value: 0 })).to.deep.equal(
      [],
    );
    expect(await list({ ...by, orders: [{ ...unknown, descending: false }] })).to.deep.equal([
      c.id,
      b.id,
      a.id,
    ]);
  });

  it('changes what is given alone, and says whether it was there', async () => {
    const made = await add({
      metadata: '{}',
      prompts: [{ versionId: freshId(), promptId: freshId() }],
    });
    const { workspaceId, id } = made;
    const change = {
      name: 'new',
      scores: [{ name: 'B', value: 1 }],
      tags: [],
      status: 'failed' as const,
      ...byBob,
    };

    expect([
      await evaluations().update(workspaceId, id, change),
      await evaluations().update(workspaceId, id, change),
      await evaluations().update(freshId(), id, change),
      await evaluations().update(workspaceId, 'no-such-id', change),
    ]).to.deep.equal([true, true, false, false]);
    expect(await evaluations().find(workspaceId, id)).to.deep.equal({ ...made, ...change });
    expect(await evaluations().findByName(workspaceId, 'NEW')).to.deep.equal([id]);
    const prompts = [{ versionId: freshId(), promptId: freshId() }];
    await evaluations().update(workspaceId, id, { prompts, ...byBob });
    expect((await evaluations().find(workspaceId, id))?.prompts).to.deep.equal(prompts);
  });

  it('sets the status of many', async () => {
    const [made, other] = [await add(), await add()];
    await evaluations().setStatus(made.workspaceId, [made.id, other.id, 'no'], 'completed', {
      finishedAt: 5,
      ...byBob,
    });
    await evaluations().setStatus(made.workspaceId, [made.id], 'cancelled', byBob);

    expect(await evaluations().find(made.workspaceId, made.id)).to.deep.equal({
      ...made,
      ...byBob,
      status: 'cancelled',
      finishedAt: 5,
    });
    expect(await evaluations().find(other.workspaceId, other.id)).to.deep.equal(other);
  });

  it('removes those that are there, of one workspace alone', async () => {
    const made = await add({ prompts: [{ versionId: freshId(), promptId: freshId() }] });
    const other = await add({ id: made.id });
    const kept = await add({ workspaceId: made.workspaceId });

    await evaluations().remove(made.workspaceId, [made.id, freshId(), 'no-such-id'], start);
    await evaluations().remove(made.workspaceId, [made.id], start);

    expect(await evaluations().find(made.workspaceId, made.id)).to.equal(undefined);
    expect(await evaluations().find(made.workspaceId, kept.id)).to.deep.equal(kept);
    expect(await evaluations().find(other.workspaceId, made.id)).to.deep.equal(other);
  });

  it('adds up what traces, spans and assertions of its items say', async () => {
    const id = freshId();
    const [one, two] = [freshId(), freshId()];
    const { workspaceId, project, traces } = await addRuns(
      storage(),
      id,
      [100, 200, 300, 400, undefined],
      (at) => ({
        datasetItemId: at < 2 ? one : two,
        executionPolicy: at < 2 ? '{"pass_threshold":1}' : undefined,
      }),
    );
    const spans = [
      { cost: 1, usage: '{"total_tokens":10,"a":1}' },
      { cost: 2, usage: '{"total_tokens":20}' },
      {},
    ].map((given, at) =>
      aSpan({ projectId: project.id, traceId: traces[at % 2]?.id ?? '', ...given }),
    );
    await storage().stores.traces.changeSpans(
      project.id,
      spans.map((span) => span.id),
      (spanId) => spans.find((span) => span.id === spanId),
    );
    const result = (at: number, name: string, passed: boolean) => ({
      projectId: project.id,
      entityKind: 'trace' as const,
      entityId: traces[at]?.id ?? '',
      name,
      passed,
      reason: undefined,
      source: 'sdk',
      ...byAnn,
    });
    await storage().stores.evaluationItems.putResults([
      result(0, 'polite', true),
      result(0, 'short', true),
      result(1, 'polite', true),
      result(1, 'short', false),
      result(2, 'polite', false),
    ]);
    await storage().stores.feedback.putScores(
      [
        [0, 'Acc', 'ann', 1],
        [0, 'Acc', 'bob', 0],
        [1, 'Acc', 'ann', 0.2],
        [2, 'Tone', 'ann', -3],
      ].map(([at, name, author, value]) => ({
        projectId: project.id,
        kind: 'trace' as const,
        entityId: traces[Number(at)]?.id ?? '',
        name: String(name),
        author: String(author),
        value: Number(value),
        reason: undefined,
        categoryName: undefined,
        source: 'sdk',
        createdAt: startMicros,
        lastUpdatedAt: startMicros,
        lastUpdatedBy: 'ann',
      })),
    );
    const figures = await evaluations().figures(workspaceId, [id, freshId()]);

    expect(figures.get(id)).to.deep.include({
      traces: 5,
      items: 2,
      durations: { p50: 250, p90: 370, p99: 397 },
      cost: 3,
      averageCost: 1.5,
      usage: { total_tokens: 15, a: 0.5 },
      scores: [
        { name: 'Acc', value: 0.35 },
        { name: 'Tone', value: -3 },
      ],
      assertions: [
        { name: 'polite', value: 0.666666667 },
        { name: 'short', value: 0.5 },
      ],
    });
    expect(
      [...(figures.get(id)?.judged ?? [])].sort((a, b) => b.passedRuns - a.passedRuns),
    ).to.deep.equal([
      { datasetItemId: one, passedRuns: 1, runs: 2, executionPolicy: '{"pass_threshold":1}' },
      { datasetItemId: two, passedRuns: 0, runs: 1, executionPolicy: undefined },
    ]);
    expect([...figures.values()][1]).to.deep.include({ traces: 0, durations: undefined });
    const made = await add({ workspaceId, id });
    const other = await add({ workspaceId });
    expect(
      await list({ workspaceId, orders: [{ field: 'trace_count', descending: true }] }),
    ).to.deep.equal([made.id, other.id]);
    for (const { value, ...field } of [
      { field: 'duration', key: 'p50', value: 250 },
      { field: 'duration', key: 'p90', value: 370 },
      { field: 'duration', key: 'p99', value: 397 },
      { field: 'total_estimated_cost', value: 3 },
      { field: 'total_estimated_cost_avg', value: 1.5 },
    ]) {
      const claim = { ...field, is: 'number' } as const;
      for (const descending of [true, false])
        expect(await list({ workspaceId, orders: [{ ...field, descending }] })).to.deep.equal([
          ...[made.id, other.id], // what has none is last either way
        ]);
      expect(
        await list({
          workspaceId,
          filters: [
            { ...claim, operator: 'above', value: value - 0.01 },
            { ...claim, operator: 'below', value: value + 0.01 },
          ],
        }),
      ).to.deep.equal([made.id]);
      expect(
        await list({
          workspaceId,
          filters: [{ ...claim, operator: 'above', value: value + 0.01 }],
        }),
      ).to.deep.equal([]);
    }
    expect(
      await list({
        workspaceId,
        filters: [{ field: 'duration', key: 'p1', is: 'number', operator: 'above', value: 0 }],
      }),
    ).to.deep.equal([]);
    const scored = { field: 'feedback_scores', key: 'acc' } as const;
    expect(await list({ workspaceId, orders: [{ ...scored, descending: false }] })).to.deep.equal([
      made.id,
      other.id,
    ]);
    expect(
      await list({
        workspaceId,
        filters: [{ ...scored, is: 'number', operator: 'above', value: 0.3 }],
      }),
    ).to.deep.equal([made.id]);
    expect(
      await list({ workspaceId, filters: [{ ...scored, is: 'presence', operator: 'isEmpty' }] }),
    ).to.deep.equal([other.id]);
    expect(await evaluations().listScoreNames(workspaceId, {})).to.deep.equal(['Acc', 'Tone']);
    expect(await evaluations().listScoreNames(workspaceId, { ids: [other.id] })).to.deep.equal([]);
    expect(await evaluations().listScoreNames(workspaceId, { projectId: freshId() })).to.deep.equal(
      [],
    );
  });
};
