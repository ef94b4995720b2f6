import { expect } from 'chai';
import type { FieldFilter } from '#ports/field-query';
import type { AnnotationQueue } from '#ports/model/annotation-queues';
import type { Project } from '#ports/model/projects';
import type { QueueListing } from '#ports/storage/annotation-queues';
import type { Storage } from '#ports/storage/storage';
import type { TracePageRequest } from '#ports/storage/traces';
import { addProject, freshId, freshName, rejection, start } from './builders.js';
import { byAnn, byBob } from './environments.js';
import { aScore } from './feedback.js';
import { aTrace } from './traces.js';

export const aQueue = (
  { id: projectId, workspaceId }: Pick<Project, 'id' | 'workspaceId'>,
  given: Partial<AnnotationQueue> = {},
): AnnotationQueue => ({
  workspaceId,
  id: freshId(),
  projectId,
  name: freshName('queue'),
  description: undefined,
  instructions: undefined,
  scope: 'trace',
  commentsEnabled: false,
  definitionNames: [],
  annotatorsPerItem: 1,
  lockTimeoutSeconds: 300,
  automation: undefined,
  annotatorView: undefined,
  ...byAnn,
  ...given,
});

const micros = start * 1000;
const isAbove = { scoreName: 'quality', operator: '>', value: 0.5 } as const;
const automation = { enabled: true, groups: [[isAbove]] };

/** What every store of annotation queues keeps to. */
export const annotationQueueContract = (storage: () => Storage): void => {
  const queues = () => storage().stores.annotationQueues;
  const add = async (
    given: Partial<AnnotationQueue> = {},
    among?: Pick<Project, 'id' | 'workspaceId'>,
  ): Promise<AnnotationQueue> => {
    const made = aQueue(among ?? (await addProject(storage())), given);
    await queues().insert([made]);
    return made;
  };
  const projectOf = ({ projectId: id, workspaceId }: AnnotationQueue) => ({ id, workspaceId });
  const addItems = async (queue: AnnotationQueue, many: number): Promise<readonly string[]> => {
    const ids = Array.from({ length: many }, freshId);
    await queues().addItems(queue, ids, micros);
    return ids;
  };
  const countOf = async ({ workspaceId, id }: AnnotationQueue): Promise<number | undefined> =>
    (await queues().find(workspaceId, id))?.itemsCount;
  const itemsOf = async (queue: AnnotationQueue, ids: readonly string[]) =>
    (await queues().findItems(queue, ids)).map(({ id, source }) => `${source} ${ids.indexOf(id)}`);
  const acquired = async (queue: AnnotationQueue, itemId: string | undefined, user: string) =>
    (await queues().lock(queue, itemId ?? '', user))?.acquired;
  const holders = async (queue: AnnotationQueue) =>
    (await queues().listLocks(queue)).map(({ lockedBy }) => lockedBy);

  it('returns what was stored, in its workspace alone, until its project is deleted', async () => {
    const project = await addProject(storage());
    const made = aQueue(project, {
      ...{ name: ' näme \u{1f600} ', description: 'd', instructions: 'i', scope: 'thread' },
      ...{ commentsEnabled: true, definitionNames: ['a "b"', 'c'], annotatorsPerItem: 3 },
      ...{ lockTimeoutSeconds: 7, annotatorView: '{"html":"<b>"}', automation },
    });
    const second = aQueue(project);
    await queues().insert([made, second]);
    const other = await add({ id: made.id });
    const found = { projectName: project.name, itemsCount: 0 };

    expect(await queues().find(made.workspaceId, made.id)).to.deep.equal({ ...made, ...found });
    expect(await queues().find(other.workspaceId, made.id)).to.include({ name: other.name });
    expect(await queues().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    expect(
      await queues().findMany(made.workspaceId, [second.id, freshId(), made.id, 'no-such-id']),
    ).to.deep.equal([
      { ...made, ...found },
      { ...second, ...found },
    ]);
    await storage().stores.projects.markDeleted(project.id, start);
    expect(await queues().find(made.workspaceId, made.id)).to.equal(undefined);
  });

  it('stores none of several when the workspace has the id of one', async () => {
    const made = await add();
    const fresh = aQueue(projectOf(made));

    expect(
      await rejection(queues().insert([fresh, aQueue(projectOf(made), { id: made.id })])),
    ).to.include({ kind: 'conflict' });
    expect(await queues().find(made.workspaceId, fresh.id)).to.equal(undefined);
  });

  it('lists those that are asked for, page by page', async () => {
    const a = await add({ name: 'Alpha', definitionNames: ['quality'] });
    const b = await add({ name: 'beta', scope: 'thread' }, projectOf(a));
    const elsewhere = await addProject(storage(), { workspaceId: a.workspaceId });
    const c = await add({ name: 'gamma', ...byBob }, elsewhere);
    await add();
    const list = async (listing: Partial<QueueListing> = {}) => {
      const { total, content } = await queues().list({
        ...{ workspaceId: a.workspaceId, filters: [], orders: [], offset: 0, limit: 10 },
        ...listing,
      });
      return [total, ...content.map(({ name }) => name)];
    };

    expect(await list()).to.deep.equal([3, c.name, b.name, a.name]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([3, b.name]);
    expect(await list({ projectId: a.projectId })).to.deep.equal([2, b.name, a.name]);
    expect(await list({ name: 'ALPH' })).to.deep.equal([1, a.name]);
    expect(await list({ orders: [{ field: 'name', descending: false }] })).to.deep.equal([
      3,
      a.name,
      b.name,
      c.name,
    ]);
    for (const field of ['id', 'project_id', 'description', 'instructions', 'created_by'])
      expect((await list({ orders: [{ field, descending: true }] }))[0]).to.equal(3);
    expect(
      await list({
        filters: [
          { field: 'scope', is: 'words', operator: 'in', value: ['thread'] },
          { field: 'project_id', is: 'text', operator: 'equals', value: a.projectId },
        ],
      }),
    ).to.deep.equal([1, b.name]);
    expect(
      await list({
        filters: [
          {
            ...{ field: 'feedback_definition_names', is: 'list', operator: 'equals' },
            value: 'quality',
          },
        ],
      }),
    ).to.deep.equal([1, a.name]);
    expect(
      await list({
        filters: [{ field: 'last_updated_at', is: 'instant', operator: 'above', value: micros }],
      }),
    ).to.deep.equal([1, c.name]);
  });

  it('changes what is decided about the queue as it is, and says whether it was there', async () => {
    const made = await add({ description: 'first', automation });
    const { workspaceId, id } = made;
    const change = {
      ...byBob,
      ...{ name: 'new', commentsEnabled: true, definitionNames: ['a'], annotatorsPerItem: 2 },
      automation: { ...automation, enabled: false },
    };

    expect([
      await queues().change(workspaceId, id, (stored) => ({
        ...change,
        instructions: stored.description ?? '',
      })),
      await queues().change(freshId(), id, () => byBob),
      await queues().change(workspaceId, 'no-such-id', () => byBob),
    ]).to.deep.equal([true, false, false]);
    expect(await queues().find(workspaceId, id)).to.deep.include({
      ...made,
      ...change,
      instructions: 'first',
    });
    expect(await queues().listAutomated(made.projectId, 'trace')).to.deep.equal([]);
  });

  it('removes queues with their items and locks, of one workspace alone', async () => {
    const made = await add();
    const other = await add({ id: made.id });
    const [item = ''] = await addItems(made, 1);
    await addItems(other, 1);
    await queues().lock(made, item, 'ann');

    await queues().remove(made.workspaceId, [made.id, freshId(), 'no-such-id']);

    expect(await queues().find(made.workspaceId, made.id)).to.equal(undefined);
    expect(await itemsOf(made, [item])).to.deep.equal([]);
    expect(await holders(made)).to.deep.equal([]);
    expect(await countOf(other)).to.equal(1);
  });

  it('tells a name of scores that a queue of the workspace asks for', async () => {
    const made = await add({ definitionNames: ['a "b"', 'c'] });
    const { workspaceId } = made;

    expect([
      await queues().findNameInUse(workspaceId, ['b', 'C', '']),
      await queues().findNameInUse(workspaceId, ['b', 'a "b"']),
      await queues().findNameInUse(workspaceId, []),
      await queues().findNameInUse(freshId(), ['c']),
    ]).to.deep.equal([undefined, 'a "b"', undefined, undefined]);
  });

  it('adds items once, takes them out, and lets people add them again', async () => {
    const made = await add();
    const other = await add({}, projectOf(made));
    const items = await addItems(made, 3);

    await queues().addItems(made, items.slice(1), micros);
    await queues().addItems(other, items.slice(2), micros);
    expect(await itemsOf(made, [...items, freshId(), 'no-such-id'])).to.deep.equal([
      'manual 0',
      'manual 1',
      'manual 2',
    ]);
    await queues().removeItems(made, [...items.slice(1), freshId(), 'no-such-id']);
    await queues().removeItems(made, items.slice(1));
    expect([await itemsOf(made, items), await countOf(made)]).to.deep.equal([['manual 0'], 1]);
    await queues().addItems(made, items, micros);
    expect([await countOf(made), await countOf(other)]).to.deep.equal([3, 1]);
    expect(await queues().listQueuesOf(made.projectId, items)).to.deep.equal(
      new Map(
        items.map((id, at) => [
          id,
          [made, ...(at === 2 ? [other] : [])].map((queue) => ({
            id: queue.id,
            name: queue.name,
          })),
        ]),
      ),
    );
  });

  it('adds by automation what was never there, while there is room', async () => {
    const made = await add({ automation: { ...automation, mostItems: 3 } });
    await add({ automation: { ...automation, enabled: false } }, projectOf(made));
    const thread = await add({ automation, scope: 'thread' }, projectOf(made));
    await add({ automation });
    const [first = '', second = ''] = await addItems(made, 2);
    await queues().removeItems(made, [second]);
    const items = [first, second, freshId(), freshId(), freshId()];

    await queues().addMatching(made, items, micros);
    await queues().addMatching(made, items, micros);

    expect(await itemsOf(made, items)).to.deep.equal(['manual 0', 'automated 2', 'automated 3']);
    expect(await countOf(made)).to.equal(3);
    expect(await queues().listAutomated(made.projectId, 'trace')).to.deep.equal([made]);
    expect(await queues().listAutomated(made.projectId, 'thread')).to.deep.equal([thread]);
  });

  it('counts items right when many add and take out the same ones at once', async () => {
    const made = await add();
    const items = Array.from({ length: 40 }, freshId);

    await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        at % 3 === 2
          ? queues().removeItems(made, items.slice(at, at + 20))
          : queues().addItems(made, items.slice(at, at + 20), micros),
      ),
    );

    const found = await queues().findItems(made, items);
    expect(await countOf(made)).to.equal(found.length);
  });

  it('adds up what people have scored under its names', async () => {
    const made = await add({ definitionNames: ['quality', 'tone'] });
    const { projectId } = made;
    const plain = await add({}, projectOf(made));
    const [one = '', two = '', gone = ''] = await addItems(made, 3);
    await queues().addItems(plain, [one], micros);
    await queues().removeItems(made, [gone]);
    const score = { projectId, name: 'quality' };
    await storage().stores.feedback.putScores([
      aScore({ ...score, entityId: one, author: 'ann', value: 0.4 }),
      aScore({ ...score, entityId: one, author: 'bob', value: 0.8 }),
      aScore({ ...score, entityId: one, author: 'ann', name: 'tone', value: 3 }),
      aScore({ ...score, entityId: one, author: 'eve', name: 'tone ', value: 9 }),
      aScore({ ...score, entityId: two, author: 'ann', value: 0.6 }),
      aScore({ ...score, entityId: two, author: 'eve', name: 'another' }),
      aScore({ ...score, entityId: two, author: 'eve', kind: 'thread' }),
      aScore({ ...score, entityId: gone, author: 'eve' }),
      aScore({ ...score, entityId: freshId(), author: 'eve' }),
    ]);
    const found = await queues().findMany(made.workspaceId, [made.id, plain.id]);

    const progress = await queues().progress(found);

    expect(progress.get(made.id)).to.deep.equal({
      scores: [
        { name: 'quality', value: 0.6 },
        { name: 'tone', value: 3 },
      ],
      reviewers: [
        { user: 'ann', items: 2 },
        { user: 'bob', items: 1 },
      ],
    });
    expect(progress.get(plain.id)).to.equal(undefined);
  });

  it('locks an item for as many as may look at it, and extends the lock of who holds one', async () => {
    const made = await add({ annotatorsPerItem: 2, lockTimeoutSeconds: 60 });
    const [item = '', second = ''] = await addItems(made, 2);
    const before = await queues().lock(made, item, 'ann:b');

    expect([
      await acquired(made, item, 'bob'),
      await acquired(made, item, 'eve'),
      await acquired(made, second, 'eve'),
      await acquired(made, freshId(), 'eve'),
      await acquired(made, 'no-such-id', 'eve'),
    ]).to.deep.equal([true, false, true, undefined, undefined]);
    const after = await queues().lock({ ...made, lockTimeoutSeconds: 1000 }, item, 'ann:b');
    if (before?.acquired !== true || after?.acquired !== true)
      throw new Error('who holds a lock may extend it');
    expect(after.expiresAt - before.expiresAt).to.be.greaterThan(900_000);
    const locks = await queues().listLocks(made);
    expect(locks.map(({ itemId, lockedBy }) => [itemId, lockedBy])).to.deep.equal([
      [item, 'ann:b'],
      [item, 'bob'],
      [second, 'eve'],
    ]);
    expect(locks[0]?.expiresAt).to.equal(after.expiresAt);
    expect(await acquired({ ...made, annotatorsPerItem: 3 }, item, 'eve')).to.equal(true);
  });

  it('lets a lock lapse, release or go with its item', async () => {
    const made = await add({ lockTimeoutSeconds: 0 });
    const [item = '', second = ''] = await addItems(made, 2);

    expect(await acquired(made, item, 'ann')).to.equal(true);
    expect(await holders(made)).to.deep.equal([]);
    expect(await acquired(made, item, 'bob')).to.equal(true);
    const lasting = { ...made, lockTimeoutSeconds: 300 };
    await queues().lock(lasting, item, 'eve');
    await queues().lock(lasting, second, 'eve');
    await queues().release(made.projectId, [second, freshId(), 'no-such-id'], 'bob');
    expect(await holders(made)).to.deep.equal(['eve', 'eve']);
    await queues().release(made.projectId, [second], 'eve');
    expect(await holders(made)).to.deep.equal(['eve']);
    await queues().removeItems(made, [item]);
    expect(await holders(made)).to.deep.equal([]);
    expect(await acquired(made, item, 'eve')).to.equal(undefined);
  });

  it('keeps an item from more people than may score it, but for scores that were there before it', async () => {
    const made = await add({ annotatorsPerItem: 2, definitionNames: ['quality'] });
    const { projectId } = made;
    const [item = ''] = await addItems(made, 1);
    const score = { projectId, entityId: item, lastUpdatedAt: micros + 1 };
    const { feedback } = storage().stores;

    await feedback.putScores([
      aScore({ ...score, author: 'bot', lastUpdatedAt: micros }),
      aScore({ ...score, author: 'bot', name: 'another' }),
      aScore({ ...score, author: 'ann' }),
      aScore({ ...score, author: 'bob', kind: 'thread' }),
    ]);
    expect(await acquired(made, item, 'bob')).to.equal(true);
    expect(await acquired(made, item, 'eve')).to.equal(false);
    await feedback.putScores([aScore({ ...score, author: 'eve' })]);
    expect(await acquired(made, item, 'bob')).to.equal(false);
  });

  it('locks an item for one of fifty who ask at once', async () => {
    const made = await add({ annotatorsPerItem: 3 });
    const [one = '', two = ''] = await addItems(made, 2);
    const users = Array.from({ length: 50 }, (_, at) => `user ${at}`);

    const outcomes = await Promise.all(
      users.map((user, at) => acquired(made, at % 5 === 0 ? two : one, user)),
    );

    expect(outcomes.filter((outcome) => outcome === true)).to.have.length(6);
    expect(await queues().listLocks(made)).to.have.length(6);
  });

  it('takes traces and threads that are removed out of every queue', async () => {
    const made = await add({}, await addProject(storage()));
    const { projectId, workspaceId } = made;
    const threads = await add({ scope: 'thread' }, projectOf(made));
    const trace = aTrace({ projectId, threadId: 'a' });
    const { stores } = storage();
    await stores.traces.changeTraces(projectId, [trace.id], () => trace);
    const [found] = await stores.threads.find(projectId, ['a']);
    const threadId = found?.id ?? '';
    const [other = ''] = await addItems(made, 1);
    await queues().addItems(made, [trace.id], micros);
    await queues().addItems(threads, [threadId], micros);
    await queues().lock(made, trace.id, 'ann');

    await stores.traces.removeTraces(workspaceId, [trace.id]);

    expect([await countOf(made), await countOf(threads)]).to.deep.equal([1, 0]);
    expect(await itemsOf(made, [other, trace.id])).to.deep.equal(['manual 0']);
    expect(await itemsOf(threads, [threadId])).to.deep.equal([]);
    expect(await holders(made)).to.deep.equal([]);
  });

  it('pages through the traces of a queue, and counts those that are there alone', async () => {
    const made = await add();
    const { projectId, workspaceId } = made;
    const { traces } = storage().stores;
    const all = Array.from({ length: 5 }, () => aTrace({ projectId }));
    const ids = all.map(({ id }) => id).sort();
    const put = (id: string | undefined) =>
      traces.changeTraces(projectId, [id ?? ''], () => all.find((one) => one.id === id));
    const read = async (page = 1, given: Partial<TracePageRequest> = {}) => {
      const value = made.id.toUpperCase();
      const filter = { field: 'annotation_queue_ids', is: 'list', operator: 'contains', value };
      const { content, total } = await traces.pageTraces({
        ...{ projectId, filters: [filter as FieldFilter], orders: [], page, size: 2 }, // its words are those of a list
        ...given,
      });
      return [total, ...content.map(({ id }) => ids.indexOf(id))];
    };

    expect(await read()).to.deep.equal([0]);
    for (const id of ids.slice(0, 3)) await put(id);
    await queues().addItems(made, ids.slice(0, 2), micros);
    expect(await read()).to.deep.equal([2, 1, 0]);
    // One of these comes later than its item.
    await queues().addItems(made, ids.slice(2, 4), micros);
    expect(await read()).to.deep.equal([3, 2, 1]);
    expect(await read(2)).to.deep.equal([3, 0]);
    await put(ids[3]);
    for (let again = 0; again < 3; again++) {
      expect(await read()).to.deep.equal([4, 3, 2]);
      expect(await read(2)).to.deep.equal([4, 1, 0]);
    }
    expect(await read(1, { toId: ids[1] ?? '' })).to.deep.equal([2, 1, 0]);
    expect(await read(1, { search: ids[2] ?? '' })).to.deep.equal([1, 2]);
    await queues().removeItems(made, [ids[3] ?? '']);
    expect(await read()).to.deep.equal([3, 2, 1]);
    await traces.removeTraces(workspaceId, [ids[1] ?? '']);
    expect(await read()).to.deep.equal([2, 2, 0]);
    await put(ids[4]);
    await queues().addMatching(made, [ids[4] ?? ''], micros);
    expect(await read()).to.deep.equal([3, 4, 2]);
    expect(await read(3)).to.deep.equal([3]);
  });

  it('has no trace on its pages that is removed while it comes to a queue', async () => {
    const made = await add();
    const { projectId, workspaceId } = made;
    const { traces } = storage().stores;
    const all = Array.from({ length: 20 }, () => aTrace({ projectId }));
    await traces.changeTraces(
      projectId,
      all.map(({ id }) => id),
      (id) => all.find((one) => one.id === id),
    );

    await Promise.all(
      all.flatMap(({ id }, at) => [
        queues().addItems(made, [id], micros),
        ...(at % 2 === 0 ? [traces.removeTraces(workspaceId, [id])] : []),
      ]),
    );

    const filter = { field: 'annotation_queue_ids', is: 'list', operator: 'equals' } as const;
    const { total, content } = await traces.pageTraces({
      ...{ projectId, filters: [{ ...filter, value: made.id }], orders: [], page: 1, size: 50 },
    });
    expect([total, content.length]).to.deep.equal([10, 10]);
  });

  it('finds the traces and threads of a queue', async () => {
    const made = await add();
    const { projectId } = made;
    const threads = await add({ scope: 'thread' }, projectOf(made));
    const all = [
      aTrace({ projectId, threadId: 'a' }),
      aTrace({ projectId, threadId: 'b' }),
      aTrace({ projectId }),
    ];
    const { stores } = storage();
    for (const trace of all) await stores.traces.changeTraces(projectId, [trace.id], () => trace);
    const [first, second, third] = all.map(({ id }) => id);
    const [thread] = await stores.threads.find(projectId, ['b']);
    await queues().addItems(made, [first ?? '', second ?? ''], micros);
    await queues().removeItems(made, [second ?? '']);
    await queues().addItems(threads, [thread?.id ?? ''], micros);
    const claim = (operator: 'equals' | 'differs' | 'contains' | 'notContains', value: string) =>
      ({ field: 'annotation_queue_ids', is: 'list', operator, value }) as const;
    const listed = async (filter: ReturnType<typeof claim> | 'isEmpty' | 'isNotEmpty') =>
      (
        await stores.traces.listTraces({
          projectId,
          filters: [
            typeof filter === 'string'
              ? { field: 'annotation_queue_ids', is: 'presence', operator: filter }
              : filter,
          ],
          limit: 10,
        })
      ).map(({ id }) => id);

    expect(await listed(claim('contains', made.id.toUpperCase()))).to.deep.equal([first]);
    expect(await listed(claim('equals', made.id))).to.deep.equal([first]);
    expect(await listed(claim('contains', made.id.slice(0, 20)))).to.deep.equal([first]);
    expect(await listed(claim('equals', 'no-such-id'))).to.deep.equal([]);
    expect(await listed(claim('differs', made.id))).to.deep.equal([third, second]);
    expect(await listed(claim('notContains', made.id))).to.deep.equal([third, second]);
    expect(await listed('isEmpty')).to.deep.equal([third, second]);
    expect(await listed('isNotEmpty')).to.deep.equal([first]);
    expect(
      (
        await stores.threads.list({
          projectId,
          filters: [claim('contains', threads.id)],
          activeSince: 0,
          limit: 10,
        })
      ).map(({ threadId }) => threadId),
    ).to.deep.equal(['b']);
  });
};
