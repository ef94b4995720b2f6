import { expect } from 'chai';
import type { Trace } from '#ports/model/traces';
import type { FieldFilter } from '#ports/field-query';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, rejection, start } from './builders.js';
import { aComment, aScore } from './feedback.js';
import { aSpan, aTrace } from './traces.js';

const startMicros = start * 1000;
const threadSortFields = [
  ...['id', 'start_time', 'end_time', 'duration', 'number_of_messages', 'status', 'created_by'],
  ...['created_at', 'last_updated_at', 'feedback_scores', 'usage', 'total_estimated_cost', 'tags'],
];

/** What every store of threads keeps to. */
export const threadContract = (storage: () => Storage): void => {
  const threads = () => storage().stores.threads;
  const addTrace = async (given: Partial<Trace> & Pick<Trace, 'projectId'>): Promise<Trace> => {
    const trace = aTrace(given);
    await storage().stores.traces.changeTraces(trace.projectId, [trace.id], () => trace);
    return trace;
  };
  const all = (projectId: string) => ({ projectId, filters: [], activeSince: 0 });

  it('tells scores apart whose names differ by a blank at the end', async () => {
    const { id: projectId } = await addProject(storage());
    const ids = await threads().require(projectId, ['one', 'two'], { at: startMicros, by: 'ann' });
    const about = (threadId: string) => ({
      ...{ projectId, kind: 'thread' as const, entityId: ids.get(threadId) ?? '' },
    });
    await storage().stores.feedback.putScores([
      aScore({ ...about('one'), name: 'Good', value: 1 }),
      aScore({ ...about('two'), name: 'good ', value: 2 }),
    ]);
    const filters: readonly FieldFilter[] = [
      { field: 'feedback_scores', key: 'good', is: 'number', operator: 'above', value: 0 },
    ];
    const found = await threads().list({ ...all(projectId), filters, limit: 9 });
    const { content } = await threads().page({
      ...{ ...all(projectId), page: 1, size: 9 },
      orders: [{ field: 'feedback_scores', key: 'good', descending: true }],
    });

    expect(found.map(({ threadId }) => threadId)).to.deep.equal(['one']);
    expect(content.map(({ threadId }) => threadId)).to.deep.equal(['one', 'two']);
  });

  it('makes a thread with its first trace, and tells what its traces come to', async () => {
    const { id: projectId } = await addProject(storage());
    const first = await addTrace({
      ...{ projectId, threadId: 'talk 1', input: '"hi"', output: '"hello"' },
      environment: 'production',
    });
    await addTrace({
      ...{ projectId, threadId: 'talk 1', startTime: startMicros + 1_000_000 },
      ...{ endTime: startMicros + 3_000_000, input: '"and?"', output: '"bye"' },
    });
    await addTrace({ projectId, threadId: 'talk 2' });
    await addTrace({ projectId });
    for (const n of [1, 2]) {
      const span = aSpan({
        ...{ projectId, traceId: first.id, cost: 0.5 * n },
        usage: `{"total_tokens":${n}}`,
      });
      await storage().stores.traces.changeSpans(projectId, [span.id], () => span);
    }

    const [found, ...others] = await threads().find(projectId, ['talk 1', 'none']);
    expect(others).to.deep.equal([]);
    expect(found?.id.slice(0, 13), 'when it was made').to.equal(first.id.slice(0, 13));
    expect(found?.id).not.to.equal(first.id);
    expect(found).to.deep.include({
      ...{ projectId, threadId: 'talk 1', tags: undefined, closed: false, traces: 2, cost: 1.5 },
      ...{ startTime: startMicros, endTime: startMicros + 3_000_000, createdBy: 'ann' },
      ...{ firstMessage: '"hi"', lastMessage: '"bye"', usage: { total_tokens: 3 } },
      environment: 'production',
    });
    const listed = await threads().list({ ...all(projectId), limit: 9 });
    expect(listed.map(({ threadId }) => threadId)).to.have.members(['talk 1', 'talk 2']);
    expect(listed.map(({ id }) => id)).to.deep.equal(
      listed
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    expect(listed.find(({ threadId }) => threadId === 'talk 1')).to.deep.equal(found);
    expect(await threads().list({ ...all(freshId()), limit: 9 })).to.deep.equal([]);
    expect(
      await threads().list({ ...all(projectId), beforeId: listed[0]?.id, limit: 9 }),
    ).to.deep.equal(listed.slice(1));
  });

  it('makes what is missing of threads, each once, also for many at once', async () => {
    const { id: projectId } = await addProject(storage());
    const change = { at: startMicros, by: 'ann' };
    const made = await Promise.all(
      Array.from({ length: 10 }, () => threads().require(projectId, ['a', 'b', 'a'], change)),
    );
    const [first] = made;
    expect([...(first?.keys() ?? [])].sort()).to.deep.equal(['a', 'b']);
    for (const other of made) expect([...other].sort()).to.deep.equal([...(first ?? [])].sort());
    expect(await threads().require(projectId, [], change)).to.have.property('size', 0);
  });

  it('closes a thread until somebody reopens it or a trace comes', async () => {
    const { id: projectId } = await addProject(storage());
    await addTrace({ projectId, threadId: 'a' });
    const isClosed = async () => (await threads().find(projectId, ['a']))[0]?.closed;
    const ids = (await threads().find(projectId, ['a'])).map(({ id }) => id);
    const change = { at: startMicros + 5, by: 'bob' };

    await threads().setClosed([...ids, 'no id'], true, change);
    expect(await isClosed()).to.equal(true);
    expect((await threads().find(projectId, ['a']))[0]).to.include({ lastUpdatedBy: 'bob' });
    await threads().setClosed(ids, false, change);
    expect(await isClosed()).to.equal(false);
    await threads().setClosed(ids, true, change);
    await addTrace({ projectId, threadId: 'a' });
    expect(await isClosed()).to.equal(false);
  });

  it('decides about tags one after the other, and stores none when a decision throws', async () => {
    const { id: projectId } = await addProject(storage());
    const made = await threads().require(projectId, ['a'], { at: startMicros, by: 'ann' });
    const ids = [...made.values()];
    const change = { at: startMicros + 5, by: 'bob' };
    const numbers = Array.from({ length: 8 }, (_, n) => `${n}`);
    await Promise.all(
      numbers.map((n) => threads().changeTags(ids, (tags) => [...tags, n], change)),
    );
    const refused = await rejection(
      threads().changeTags(
        ids,
        () => {
          throw new Error('decided against');
        },
        change,
      ),
    );
    expect(refused).to.be.an('error');
    expect((await threads().find(projectId, ['a']))[0]?.tags).to.have.members(numbers);
  });

  it('pages threads by filters, search and every order, and says where each stands', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { workspaceId: elsewhere } = await addProject(storage());
    await addTrace({ projectId, threadId: 'long', input: '"Find me"' });
    await addTrace({ projectId, threadId: 'long', endTime: startMicros + 5_000 });
    await addTrace({ projectId, threadId: 'short' });
    const [long, short] = await Promise.all(
      ['long', 'short'].map(async (id) => (await threads().find(projectId, [id]))[0]),
    );
    await threads().changeTags([long?.id ?? ''], () => ['x'], { at: 1, by: 'ann' });
    await storage().stores.feedback.putScores([
      aScore({ projectId, kind: 'thread', entityId: long?.id ?? '', name: 'Good', value: 2 }),
    ]);
    const page = async (asked: object) => {
      const found = await threads().page({
        ...all(projectId),
        ...{ orders: [], page: 1, size: 9 },
        ...asked,
      });
      return found.content.map(({ threadId }) => threadId);
    };
    const by = (claim: FieldFilter) => page({ filters: [claim] });
    const active = { field: 'status', is: 'words', operator: 'in', value: ['active'] } as const;

    expect([
      await by({ field: 'number_of_messages', is: 'number', operator: 'above', value: 2 }),
      await by({ field: 'id', is: 'text', operator: 'equals', value: 'short' }),
      await by({ field: 'id', is: 'text', operator: 'equals', value: 'SHORT' }),
      await by({ field: 'first_message', is: 'text', operator: 'contains', value: 'find' }),
      await by({ field: 'tags', is: 'list', operator: 'equals', value: 'x' }),
      await by({ field: 'duration', is: 'number', operator: 'equals', value: 5 }),
      await by({
        field: 'feedback_scores',
        key: 'good',
        is: 'number',
        operator: 'equals',
        value: 2,
      }),
      await page({ search: 'FIND ME' }),
      (await by(active)).length,
      (await page({ filters: [active], activeSince: Number.MAX_SAFE_INTEGER })).length,
    ]).to.deep.equal([
      ['long'],
      ['short'],
      [],
      ['long'],
      ['long'],
      ['long'],
      ['long'],
      ['long'],
      2,
      0,
    ]);
    for (const field of threadSortFields)
      for (const descending of [true, false]) {
        const orders = [{ field, key: 'good', path: ['good'], descending }];
        expect(await page({ orders }), field).to.have.members(['long', 'short']);
      }
    const { total, content } = await threads().page({
      ...all(projectId),
      ...{ orders: [{ field: 'id', descending: true }], page: 2, size: 1 },
    });
    expect([total, content.map(({ threadId }) => threadId)]).to.deep.equal([2, ['long']]);
    const ids = [long?.id ?? '', short?.id ?? '', freshId(), 'no id'];
    expect(await threads().findPlaces(workspaceId, ids)).to.have.deep.members([
      { id: long?.id, projectId },
      { id: short?.id, projectId },
    ]);
    expect(await threads().findPlaces(elsewhere, ids)).to.deep.equal([]);
  });

  it('removes threads with their traces and what is about them', async () => {
    const { id: projectId } = await addProject(storage());
    const gone = await addTrace({ projectId, threadId: 'a' });
    const kept = await addTrace({ projectId, threadId: 'b' });
    const [thread] = await threads().find(projectId, ['a']);
    const { feedback, traces } = storage().stores;
    const about = { projectId, kind: 'thread', entityId: thread?.id ?? '' } as const;
    await feedback.putScores([aScore(about)]);
    await feedback.insertComment(aComment(about));
    await threads().remove(projectId, ['a', 'none']);

    expect(
      (await traces.listTraces({ projectId, filters: [], limit: 9 })).map(({ id }) => id),
    ).to.deep.equal([kept.id]);
    expect(await threads().find(projectId, ['a'])).to.deep.equal([]);
    expect(await threads().find(projectId, ['b'])).to.have.length(1);
    expect(await feedback.listScores(projectId, 'thread', [about.entityId])).to.deep.equal([]);
    expect(await feedback.listComments(projectId, 'thread', [about.entityId])).to.deep.equal([]);
    expect(await traces.readTraces(projectId, [gone.id])).to.deep.equal([]);
  });
};
