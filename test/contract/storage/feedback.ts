import { expect } from 'chai';
import type { Score, TraceComment } from '#ports/model/traces';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, start } from './builders.js';
import { addRuns } from './evaluations.js';
import { aSpan } from './traces.js';

const startMicros = start * 1000;

export const aScore = (given: Partial<Score> & Pick<Score, 'projectId' | 'entityId'>): Score => ({
  kind: 'trace',
  name: 'quality',
  author: 'ann',
  value: 1,
  reason: undefined,
  categoryName: undefined,
  source: 'sdk',
  createdAt: startMicros,
  lastUpdatedAt: startMicros,
  lastUpdatedBy: 'ann',
  ...given,
});

export const aComment = (
  given: Partial<TraceComment> & Pick<TraceComment, 'projectId' | 'entityId'>,
): TraceComment => ({
  id: freshId(),
  kind: 'trace',
  text: 'seen',
  createdAt: startMicros,
  createdBy: 'ann',
  lastUpdatedAt: startMicros,
  lastUpdatedBy: 'ann',
  ...given,
});

/** What every store of scores and comments keeps to. */
export const feedbackContract = (storage: () => Storage): void => {
  const feedback = () => storage().stores.feedback;

  it('keeps one score of an author under a name, by nine digits, and when it was created', async () => {
    const { id: projectId } = await addProject(storage());
    const entityId = freshId();
    const first = aScore({ projectId, entityId, value: 0.1, reason: 'so', categoryName: 'good' });
    const other = aScore({ projectId, entityId, value: -999_999_999.999_999_9, author: 'bob' });
    const again = {
      ...first,
      ...{ value: 0.123_456_789, reason: undefined, createdAt: startMicros + 5 },
      lastUpdatedAt: startMicros + 5,
    };
    await feedback().putScores([first, other]);
    expect(await feedback().listScores(projectId, 'trace', [entityId])).to.deep.equal([
      first,
      { ...other, value: -999_999_999.999_999_9 },
    ]);

    await feedback().putScores([{ ...first, value: 5 }, again]);
    await feedback().putScores([]);
    expect(await feedback().listScores(projectId, 'trace', [entityId])).to.deep.equal([
      { ...again, createdAt: startMicros },
      other,
    ]);
    expect(await feedback().listScores(projectId, 'span', [entityId])).to.deep.equal([]);
    expect(await feedback().listScores(freshId(), 'trace', [entityId])).to.deep.equal([]);
    expect(await feedback().listScores(projectId, 'trace', [])).to.deep.equal([]);
  });

  it('removes scores by name, of one author or of all', async () => {
    const { id: projectId } = await addProject(storage());
    const about = { kind: 'trace', entityId: freshId() } as const;
    const score = (name: string, author: string) => aScore({ projectId, ...about, name, author });
    await feedback().putScores([score('a', 'ann'), score('a', 'bob'), score('b', 'ann')]);
    const left = async () =>
      (await feedback().listScores(projectId, 'trace', [about.entityId])).map(
        ({ name, author }) => `${name} ${author}`,
      );

    await feedback().removeScores(projectId, about, ['a ', 'none']);
    await feedback().removeScores(projectId, about, ['a', 'none'], 'bob');
    expect(await left()).to.deep.equal(['a ann', 'b ann']);
    await feedback().removeScores(projectId, { ...about, kind: 'span' }, ['a']);
    await feedback().removeScores(projectId, { ...about, entityId: 'no id' }, ['a']);
    await feedback().removeScores(projectId, about, ['a']);
    expect(await left()).to.deep.equal(['b ann']);
  });

  it('stores the scores of twenty who score at once', async () => {
    const { id: projectId } = await addProject(storage());
    const [one, other] = [freshId(), freshId()];
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        feedback().putScores(
          (n % 2 === 0 ? [one, other] : [other, one]).map((entityId) =>
            aScore({ projectId, entityId, value: n }),
          ),
        ),
      ),
    );
    expect(await feedback().listScores(projectId, 'trace', [one, other])).to.have.length(2);
  });

  it('lists scores of the spans of traces, with the trace of each', async () => {
    const { id: projectId } = await addProject(storage());
    const traceId = freshId();
    const spans = [
      aSpan({ projectId, traceId, type: 'llm' }),
      aSpan({ projectId, traceId }),
      aSpan({ projectId }),
    ];
    for (const span of spans)
      await storage().stores.traces.changeSpans(projectId, [span.id], () => span);
    const scores = spans.map(({ id }, n) =>
      aScore({ projectId, kind: 'span', entityId: id, name: `n${n}` }),
    );
    await feedback().putScores(scores);

    expect(await feedback().listSpanScores(projectId, [traceId])).to.deep.equal([
      { ...scores[0], traceId, spanType: 'llm' },
      { ...scores[1], traceId, spanType: undefined },
    ]);
    expect(await feedback().listSpanScores(projectId, [])).to.deep.equal([]);
  });

  it('lists the names of scores, of some projects, a workspace or one type of span', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { id: second } = await addProject(storage(), { workspaceId });
    const { id: foreign } = await addProject(storage());
    const span = aSpan({ projectId, type: 'llm' });
    await storage().stores.traces.changeSpans(projectId, [span.id], () => span);
    await feedback().putScores([
      aScore({ projectId, entityId: freshId(), name: 'b' }),
      aScore({ projectId, entityId: freshId(), name: 'a' }),
      aScore({ projectId: second, entityId: freshId(), name: 'c' }),
      aScore({ projectId: foreign, entityId: freshId(), name: 'd' }),
      aScore({ projectId, kind: 'span', entityId: span.id, name: 'e' }),
      aScore({ projectId, kind: 'span', entityId: freshId(), name: 'f' }),
    ]);
    const names = (among: object, kind: Score['kind'] = 'trace') =>
      feedback().listScoreNames({ workspaceId, ...among }, kind);

    expect(await names({})).to.deep.equal(['a', 'b', 'c']);
    expect(await names({ projectIds: [projectId] })).to.deep.equal(['a', 'b']);
    expect(await names({}, 'span')).to.deep.equal(['e', 'f']);
    expect(await names({ spanType: 'llm' }, 'span')).to.deep.equal(['e']);
  });

  it('tells names apart that differ by a blank at the end or by a capital, wherever scores are added up', async () => {
    const evaluationId = freshId();
    const { project, workspaceId, traces } = await addRuns(storage(), evaluationId, [1, 2]);
    const { id: projectId } = project;
    const spans = [{ total_tokens: 1 }, { 'total_tokens ': 2, total_tokens: 4 }].map((usage, at) =>
      aSpan({ projectId, traceId: traces[at]?.id ?? '', usage: JSON.stringify(usage) }),
    );
    for (const span of spans)
      await storage().stores.traces.changeSpans(projectId, [span.id], () => span);
    const values = { Good: 1, good: 2, 'good ': 4 };
    const names = Object.keys(values).sort();
    await feedback().putScores(
      traces.flatMap(({ id: entityId }, at) =>
        Object.entries(values).flatMap(([name, value]) => [
          aScore({ projectId, entityId, name, value: value + at }),
          aScore({ projectId, entityId: spans[at]?.id ?? '', kind: 'span', name, value }),
        ]),
      ),
    );
    const { traceStatistics, traceSeries, traceFigures, evaluations } = storage().stores;
    const selection = { projectId, filters: [] };
    const all = { width: 8.64e15, offset: 0, from: 0, to: 8.64e15 };
    const means = names.map((name) => [name, values[name as keyof typeof values] + 0.5]); // from its keys
    const read = (found: readonly { readonly name?: string; readonly mean: number }[]) =>
      found.map(({ name, mean }) => [name, mean]);

    expect(await feedback().listScoreNames({ workspaceId }, 'trace')).to.deep.equal(names);
    const statistics = await traceStatistics.ofTraces(selection, start);
    expect(read(statistics.scores)).to.deep.equal(means);
    expect(read(statistics.spanScores)).to.deep.equal(
      names.map((name) => [name, values[name as keyof typeof values]]), // from its keys
    );
    expect(read(statistics.usage)).to.deep.equal([
      ['total_tokens', 2.5],
      ['total_tokens ', 2],
    ]);
    const series = await traceSeries.ofTraces(selection, { measure: 'scores', buckets: all });
    expect(series.map(({ name, value }) => [name, value])).to.deep.equal(means);
    const usage = await traceSeries.ofTraces(selection, { measure: 'usage', buckets: all });
    expect(usage.map(({ name, value }) => [name, value])).to.deep.equal([
      ['total_tokens', 5],
      ['total_tokens ', 2],
    ]);
    const sums = await traceFigures.sumScores([projectId], all);
    expect(sums.map(({ name, sum, count }) => [name, sum / count])).to.deep.equal(means);
    const [one, ...others] = await traceFigures.sumScores([projectId], all, 'good');
    expect([one?.name, one?.sum, others.length]).to.deep.equal(['good', 5, 0]);
    const figures = (await evaluations.figures(workspaceId, [evaluationId])).get(evaluationId);
    expect(figures?.scores.map(({ name, value }) => [name, value])).to.deep.equal(means);
    expect(await evaluations.listScoreNames(workspaceId, { ids: [evaluationId] })).to.deep.equal(
      names,
    );
  });

  it('keeps comments, changes what they say and removes those of a workspace', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { workspaceId: elsewhere } = await addProject(storage());
    const entityId = freshId();
    const [first, second] = [
      aComment({ projectId, entityId, createdAt: startMicros + 1 }),
      aComment({ projectId, entityId, text: 'é \u{1f600}' }),
    ];
    for (const comment of [first, second]) await feedback().insertComment(comment);
    const list = () => feedback().listComments(projectId, 'trace', [entityId]);
    expect(await list()).to.deep.equal([second, first]);
    expect(await feedback().findComment(first.id)).to.deep.equal(first);

    const change = { text: 'new', lastUpdatedAt: startMicros + 9, lastUpdatedBy: 'bob' };
    expect([
      await feedback().changeComment(first.id, change),
      await feedback().changeComment(freshId(), change),
      await feedback().changeComment('no id', change),
    ]).to.deep.equal([true, false, false]);
    expect(await feedback().findComment(first.id)).to.deep.equal({ ...first, ...change });

    await feedback().removeComments(elsewhere, 'trace', [first.id]);
    await feedback().removeComments(workspaceId, 'span', [first.id]);
    await feedback().removeComments(workspaceId, 'trace', [first.id], freshId());
    expect(await list()).to.have.length(2);
    await feedback().removeComments(workspaceId, 'trace', [first.id, freshId(), 'no id']);
    expect(await list()).to.deep.equal([second]);
    expect(await feedback().findComment('no id')).to.equal(undefined);
  });
};
