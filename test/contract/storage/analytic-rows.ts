import { expect } from 'chai';
import { analyticTables, type AnalyticTable } from '#ports/analytics';
import {
  analyticMembers,
  type AnalyticReading,
  type TimeRanges,
} from '#ports/storage/analytic-rows';
import type { Storage } from '#ports/storage/storage';
import { addProject, addWorkspace, freshId, gather, start } from './builders.js';
import { addDataset } from './datasets.js';
import { byAnn } from './environments.js';
import { anEvaluation, anEvaluationItem } from './evaluations.js';
import { aScore } from './feedback.js';
import { aSpan, aTrace } from './traces.js';

const micros = start * 1000;
const membersOf = (table: AnalyticTable): ReadonlySet<string> =>
  new Set(analyticMembers[table === 'authored_feedback_scores' ? 'feedback_scores' : table]);

/** What every store of rows for analytic queries keeps to. */
export const analyticRowContract = (storage: () => Storage): void => {
  const read = (reading: Omit<AnalyticReading, 'members'>, members = membersOf(reading.table)) =>
    gather(storage().stores.analyticRows.stream({ ...reading, members }));

  /** One row of each table in a project of a workspace. */
  const fill = async (workspaceId: string) => {
    const { stores } = storage();
    const { id: projectId } = await addProject(storage(), { workspaceId });
    const trace = aTrace({
      projectId,
      name: 'näme',
      startTime: micros + 1,
      endTime: micros + 2500,
      input: '{"q":1.50}',
      output: '"o"',
      metadata: '{"k":"v"}',
      tags: ['a', 'b'],
      ttft: 1.5,
      threadId: 'thread',
    });
    await stores.traces.changeTraces(projectId, [trace.id], () => trace);
    const span = aSpan({
      projectId,
      traceId: trace.id,
      input: '{"in":1}',
      output: '{"out":2}',
      model: 'gpt',
      type: 'llm',
      usage: '{"total_tokens":3}',
      cost: 0.25,
    });
    await stores.traces.changeSpans(projectId, [span.id], () => span);
    const score = aScore({ projectId, entityId: trace.id, value: 0.5, reason: 'so' });
    await stores.feedback.putScores([score]);
    const evaluation = anEvaluation({
      workspaceId,
      metadata: '{"m":1}',
      scores: [{ name: 's', value: 1 }],
      finishedAt: start + 5,
      prompts: [{ promptId: freshId(), versionId: freshId() }],
    });
    await stores.evaluations.insert(evaluation);
    const item = anEvaluationItem({ workspaceId, evaluationId: evaluation.id, traceId: trace.id });
    const stray = anEvaluationItem({ workspaceId, evaluationId: freshId() });
    await stores.evaluationItems.add([item, stray]);
    const dataset = await addDataset(storage(), { workspaceId });
    const itemId = freshId();
    for (const data of ['{"n":1}', '{"n":2}'])
      await stores.datasetItems.change({
        ...{ workspaceId, datasetId: dataset.id, target: { into: 'fresh' }, ids: [itemId] },
        ...{ versionId: freshId(), touch: byAnn },
        decide: () => ({
          put: [
            {
              ...{ datasetId: dataset.id, id: itemId, traceId: trace.id, spanId: undefined },
              ...{ source: 'sdk', data, description: undefined, tags: undefined },
              ...{ evaluators: undefined, executionPolicy: undefined, ...byAnn },
            },
          ],
          removed: [],
          columns: [],
        }),
      });
    return { projectId, trace, span, evaluation, item, dataset, itemId };
  };

  it('streams the rows of a workspace with the members that are asked for', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const made = await fill(workspaceId);
    const [prompt] = made.evaluation.prompts;
    const one = async (table: AnalyticTable) => {
      const rows = await read({ table, workspaceId });
      expect(rows.length, table).to.equal(1);
      return rows[0];
    };

    expect(await one('traces')).to.include({
      id: made.trace.id,
      workspace_id: workspaceId,
      project_id: made.projectId,
      name: 'näme',
      start_time: micros + 1,
      end_time: micros + 2500,
      input: '{"q":1.50}',
      output: '"o"',
      metadata: '{"k":"v"}',
      tags: '["a","b"]',
      ttft: 1.5,
      thread_id: 'thread',
      created_at: micros,
      created_by: 'ann',
    });
    expect(await one('spans')).to.include({
      id: made.span.id,
      trace_id: made.trace.id,
      parent_span_id: undefined,
      input: '{"in":1}',
      output: '{"out":2}',
      type: 'llm',
      usage: '{"total_tokens":3}',
      total_estimated_cost: 0.25,
    });
    for (const table of ['feedback_scores', 'authored_feedback_scores'] as const)
      expect(await one(table)).to.include({
        entity_id: made.trace.id,
        entity_type: 'trace',
        name: 'quality',
        value: 0.5,
        reason: 'so',
        author: 'ann',
        created_by: 'ann',
        last_updated_at: micros,
      });
    expect(await one('trace_threads')).to.include({ thread_id: 'thread', status: 'active' });
    expect(await one('experiments')).to.include({
      id: made.evaluation.id,
      metadata: '{"m":1}',
      prompt_versions: JSON.stringify({ [prompt?.promptId ?? '']: [prompt?.versionId] }),
      evaluation_method: 'dataset',
      finished_at: micros + 5000,
      created_at: byAnn.createdAt * 1000,
    });
    expect(await one('experiment_items')).to.include({
      id: made.item.id,
      experiment_id: made.evaluation.id,
      trace_id: made.trace.id,
    });
    expect(await one('dataset_items')).to.include({
      id: made.itemId,
      dataset_id: made.dataset.id,
      data: '{"n":2}',
      trace_id: made.trace.id,
    });
  });

  it('keeps to the workspace and to the project, also of a project that was deleted', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const [{ projectId }, other] = [await fill(workspaceId), await fill(workspaceId)];
    const foreign = await addWorkspace(storage());
    const elsewhere = await fill(foreign.id);
    const count = async (given: Omit<AnalyticReading, 'members' | 'table'>) =>
      (
        await Promise.all(
          analyticTables.map(async (table) => (await read({ table, ...given })).length),
        )
      ).join(' ');

    expect(await count({ workspaceId })).to.equal('2 2 2 2 2 2 2 2');
    expect(await count({ workspaceId, projectId })).to.equal('1 1 1 1 1 2 2 2');
    expect(await count({ workspaceId, projectId: elsewhere.projectId })).to.equal(
      '0 0 0 0 0 2 2 2',
    );
    expect(await count({ workspaceId, projectId: 'no-such-id' })).to.match(/^0 0 0 0 0 /);
    expect(await count({ workspaceId: freshId() })).to.equal('0 0 0 0 0 0 0 0');
    await storage().stores.projects.markDeleted(other.projectId, start);
    expect(await count({ workspaceId })).to.equal('1 1 1 1 1 2 2 2');
  });

  it('streams each row once, over as many pages as it takes', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const { id: projectId } = await addProject(storage(), { workspaceId });
    const spans = Array.from({ length: 12 }, () =>
      aSpan({ projectId, metadata: JSON.stringify('m'.repeat(2 * 1024 * 1024)) }),
    );
    for (const one of spans)
      await storage().stores.traces.changeSpans(projectId, [one.id], () => one);
    const scores = spans.flatMap(({ id }) =>
      Array.from({ length: 200 }, (_, at) =>
        aScore({ projectId, entityId: id, kind: 'span', name: `score ${at}` }),
      ),
    );
    await storage().stores.feedback.putScores(scores);
    const pages: number[] = [];
    const seen: unknown[] = [];
    for await (const page of storage().stores.analyticRows.stream({
      ...{ table: 'spans', workspaceId, members: new Set(['metadata']) },
    })) {
      pages.push(page.length);
      seen.push(...page.map(({ id }) => id));
    }

    expect(pages.length).to.be.greaterThan(3);
    expect(seen).to.deep.equal(spans.map(({ id }) => id).sort());
    const read2 = await read({ table: 'feedback_scores', workspaceId });
    expect(new Set(read2.map((row) => `${row['entity_id']} ${row['name']}`)).size).to.equal(2400);
    expect(read2.length).to.equal(2400);
  });

  /** What changed since a mark, asked for until there is no more. */
  const follow = async (workspaceId: string, since?: string) => {
    const changed: string[] = [];
    for (let mark = since; ;) {
      const found = await storage().stores.analyticRows.changes(workspaceId, mark);
      if (found === undefined) throw new Error('what changed is not remembered');
      for (const { table, projectId, ids } of found.changed)
        if (table === 'traces' || table === 'spans')
          changed.push(...ids.map((id) => `${table} ${projectId} ${id}`));
      if (!found.more) return { ...found, changed: changed.sort() };
      ({ mark } = found);
    }
  };
  const named = (table: string, ...entries: readonly { projectId: string; id: string }[]) =>
    entries.map(({ projectId, id }) => `${table} ${projectId} ${id}`).sort();

  it('tells which traces and spans were stored, changed or removed since a mark', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const made = await fill(workspaceId);
    const { stores } = storage();
    const elsewhere = await fill((await addWorkspace(storage())).id);
    const start = await follow(workspaceId);
    const first = await follow(workspaceId, start.mark);
    await stores.traces.changeSpans(made.projectId, [made.span.id], (_, found) =>
      found === undefined ? undefined : { ...found, name: 'new' },
    );
    await stores.traces.changeSpans(elsewhere.projectId, [elsewhere.span.id], (_, found) =>
      found === undefined ? undefined : { ...found, name: 'new' },
    );
    const changed = await follow(workspaceId, first.mark);
    await stores.traces.removeTraces(workspaceId, [made.trace.id]);
    const removed = await follow(workspaceId, changed.mark);
    const { id: newProjectId } = await addProject(storage(), { workspaceId });
    const many = Array.from({ length: 12 }, () => aSpan({ projectId: newProjectId }));
    await stores.traces.changeSpans(
      newProjectId,
      many.map(({ id }) => id),
      (id) => many.find((one) => one.id === id),
    );
    await stores.traces.removeSpans(newProjectId, [many[3]?.id ?? '']);
    const added = await follow(workspaceId, removed.mark);

    expect(start.changed).to.deep.equal([]);
    expect(changed.changed).to.deep.equal(named('spans', made.span));
    expect(removed.changed).to.deep.equal(
      [...named('spans', made.span), ...named('traces', made.trace)].sort(),
    );
    expect(added.changed).to.deep.equal(named('spans', ...many));
    expect(start.projectIds).to.deep.equal([made.projectId]);
    expect(added.projectIds).to.deep.equal([made.projectId, newProjectId].sort());
    expect((await follow(workspaceId, added.mark)).changed).to.deep.equal([]);
  });

  it('tells which scores and threads were stored, changed or removed since a mark', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const { id: projectId } = await addProject(storage(), { workspaceId });
    const { stores } = storage();
    const trace = aTrace({ projectId, threadId: 'talk' });
    let { mark } = await follow(workspaceId);
    /** The tables and members of the rows that are told of, as they are now: `gone` where none is. */
    const changedBy = async (work: () => Promise<unknown>) => {
      await work();
      const told: string[] = [];
      for (;;) {
        const found = await stores.analyticRows.changes(workspaceId, mark);
        if (found === undefined) throw new Error('what changed is not remembered');
        ({ mark } = found);
        for (const { table, ids } of found.changed) {
          if (table !== 'feedback_scores' && table !== 'trace_threads') continue;
          const rows = await read({ table, workspaceId, projectId, ids });
          const values = rows.map((row) =>
            table === 'trace_threads'
              ? `${row['thread_id']} ${row['status']} ${row['tags'] ?? ''}`.trim()
              : `${row['name']} ${row['author']} ${row['value']}`,
          );
          told.push(`${table}: ${values.length === 0 ? 'gone' : values.sort().join(', ')}`);
        }
        if (!found.more) return told.sort();
      }
    };
    const by = { at: micros, by: 'ann' };
    const score = (given: { name?: string; author?: string; value?: number } = {}) =>
      aScore({ projectId, entityId: trace.id, ...given });
    const told = {
      trace: await changedBy(() => stores.traces.changeTraces(projectId, [trace.id], () => trace)),
      scores: await changedBy(() =>
        stores.feedback.putScores([score(), score({ name: 'other' }), score({ author: 'bob' })]),
      ),
      again: await changedBy(() => stores.feedback.putScores([score({ value: 0.5 })])),
      without: await changedBy(() =>
        stores.feedback.removeScores(
          projectId,
          { kind: 'trace', entityId: trace.id },
          ['other'],
          'ann',
        ),
      ),
      nothing: await changedBy(() =>
        stores.feedback.removeScores(projectId, { kind: 'trace', entityId: trace.id }, ['none']),
      ),
      required: await changedBy(() => stores.threads.require(projectId, ['talk', 'new'], by)),
    };
    const ids = await stores.threads.require(projectId, ['talk', 'new'], by);
    const changed = {
      closed: await changedBy(() => stores.threads.setClosed([...ids.values()], true, by)),
      tagged: await changedBy(() =>
        stores.threads.changeTags([ids.get('talk') ?? ''], () => ['a'], by),
      ),
      thread: await changedBy(() => stores.threads.remove(projectId, ['new'])),
      removed: await changedBy(() => stores.traces.removeTraces(workspaceId, [trace.id])),
    };

    expect(told).to.deep.equal({
      trace: ['trace_threads: talk active'],
      scores: ['feedback_scores: other ann 1, quality ann 1, quality bob 1'],
      again: ['feedback_scores: other ann 1, quality ann 0.5, quality bob 1'],
      without: ['feedback_scores: quality ann 0.5, quality bob 1'],
      nothing: [],
      required: ['trace_threads: new active'],
    });
    expect(changed).to.deep.equal({
      closed: ['trace_threads: new inactive, talk inactive'],
      tagged: ['trace_threads: talk inactive ["a"]'],
      thread: ['trace_threads: gone'],
      removed: ['feedback_scores: gone', 'trace_threads: gone'],
    });
  });

  it('tells of a change that others were told after, once its transaction has ended', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const { id: projectId } = await addProject(storage(), { workspaceId });
    const [early, late] = [aSpan({ projectId }), aSpan({ projectId })];
    const { mark } = await follow(workspaceId);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = storage().transaction(async (stores) => {
      await stores.traces.changeSpans(projectId, [late.id], () => late);
      begun();
      await ended;
    });
    await hasBegun;
    await storage().stores.traces.changeSpans(projectId, [early.id], () => early);
    const meanwhile = await follow(workspaceId, mark);
    end();
    await slow;
    const after = await follow(workspaceId, meanwhile.mark);

    expect(meanwhile.changed).to.deep.equal(named('spans', early));
    expect(after.changed).to.deep.equal(named('spans', late));
  });

  it('reads the rows of some ids of a project', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const { id: projectId } = await addProject(storage(), { workspaceId });
    const spans = Array.from({ length: 5 }, () => aSpan({ projectId }));
    for (const one of spans)
      await storage().stores.traces.changeSpans(projectId, [one.id], () => one);
    const ids = [spans[1]?.id ?? '', spans[4]?.id ?? '', freshId(), 'no-such-id'];
    const rows = await read({ table: 'spans', workspaceId, projectId, ids });

    expect(rows.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2).sort());
  });

  it('reads the rows whose instants lie in all ranges, both ends included', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const { id: projectId } = await addProject(storage(), { workspaceId });
    const entries = [0, 10, 20, 30].map((after) => ({
      ...{ projectId, startTime: micros + after },
      endTime: after === 20 ? undefined : micros + 100 - after,
    }));
    const traces = entries.map((given) => aTrace(given));
    const spans = entries.map((given) => aSpan(given));
    for (const one of traces)
      await storage().stores.traces.changeTraces(projectId, [one.id], () => one);
    for (const one of spans)
      await storage().stores.traces.changeSpans(projectId, [one.id], () => one);
    const evaluations = [undefined, start + 1, start + 2].map((finishedAt) =>
      anEvaluation({ workspaceId, finishedAt }),
    );
    for (const one of evaluations) await storage().stores.evaluations.insert(one);
    const found = async (
      table: AnalyticTable,
      entered: readonly { readonly id: string }[],
      times: TimeRanges,
    ) => {
      const rows = await read({ table, workspaceId, times });
      return rows.map((row) => entered.findIndex(({ id }) => id === row['id'])).sort();
    };
    const from10 = { start_time: { from: micros + 10 } };
    const upTo80 = { end_time: { to: micros + 80 } };

    for (const [table, of] of [
      ['traces', traces],
      ['spans', spans],
    ] as const) {
      expect(await found(table, of, from10), table).to.deep.equal([1, 2, 3]);
      expect(await found(table, of, { start_time: { to: micros + 10 } })).to.deep.equal([0, 1]);
      expect(await found(table, of, { ...from10, ...upTo80 }), table).to.deep.equal([3]);
      expect(await found(table, of, { end_time: {} }), table).to.deep.equal([0, 1, 3]);
      expect(await found(table, of, { start_time: { from: 2, to: 1 } })).to.deep.equal([]);
    }
    const finished = (from: number, to: number) =>
      found('experiments', evaluations, { finished_at: { from, to } });
    expect(await finished(micros + 1000, micros + 2000)).to.deep.equal([1, 2]);
    expect(await finished(micros + 1001, micros + 2999)).to.deep.equal([2]);
  });

  it('keeps the newest notes about changes, however old all of them may be', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const { mark } = await follow(workspaceId);
    const made = await fill(workspaceId);
    const forgotten = await storage().stores.analyticRows.forgetChanges(
      Date.now() + 24 * 3_600_000,
      1000,
    );

    expect(forgotten).to.equal(0);
    expect((await follow(workspaceId, mark)).changed).to.deep.equal(
      [...named('spans', made.span), ...named('traces', made.trace)].sort(),
    );
  });
};
