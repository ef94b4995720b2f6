import { expect } from 'chai';
import type { AuditEntry } from '#ports/model/audit';
import type { Storage } from '#ports/storage/storage';
import { freshId, start } from './builders.js';

/** What every store of the audit log keeps to. */
export const auditContract = (storage: () => Storage): void => {
  const audit = () => storage().stores.audit;
  const add = async (given: Partial<AuditEntry> = {}): Promise<AuditEntry> => {
    const entry: AuditEntry = {
      id: freshId(),
      at: start,
      actorId: freshId(),
      actorName: 'Ann',
      via: 'key',
      keyId: freshId(),
      address: '192.0.2.7',
      action: 'deleteProject',
      thing: { kind: 'project', id: freshId(), name: 'Räder 🚲' },
      workspaceId: freshId(),
      outcome: 'begun',
      detail: { requestId: 'r' },
      ...given,
    };
    await audit().insert(entry);
    return entry;
  };

  it('gives back what was written, and what became of it', async () => {
    const entry = await add();
    const bare = await add({
      actorId: undefined,
      actorName: undefined,
      via: 'system',
      keyId: undefined,
      address: undefined,
      thing: undefined,
      workspaceId: entry.workspaceId,
      at: start - 1,
      outcome: 'done',
      detail: {},
    });

    expect(
      await audit().update(entry.id, { outcome: 'refused', detail: { reason: 'no' } }),
    ).to.equal(true);
    expect(await audit().update(freshId(), { outcome: 'done' })).to.equal(false);

    expect(await audit().list({ workspaceId: entry.workspaceId ?? '' }, 10)).to.deep.equal([
      { ...entry, outcome: 'refused', detail: { reason: 'no' } },
      bare,
    ]);
  });

  it('fills in a thing and its workspace that were made meanwhile', async () => {
    const entry = await add({ thing: undefined, workspaceId: undefined });
    const known = {
      thing: { kind: 'user', id: freshId(), name: undefined },
      workspaceId: freshId(),
      outcome: 'done',
    } as const;

    await audit().update(entry.id, known);

    expect(await audit().list({ workspaceId: known.workspaceId }, 10)).to.deep.equal([
      { ...entry, ...known },
    ]);
  });

  it('lists by time, actor, action and thing, newest first, page by page', async () => {
    const actorId = freshId();
    const entries: AuditEntry[] = [];
    for (const at of [start, start + 1, start + 1, start + 2])
      entries.push(
        await add({ actorId, at, action: at === start ? 'addMember' : 'deleteProject' }),
      );
    const newest = [...entries].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    const [first] = newest;

    expect(await audit().list({ actorId }, 10)).to.deep.equal(newest);
    expect(await audit().list({ actorId, from: start + 1, before: start + 2 }, 10)).to.deep.equal(
      newest.slice(1, 3),
    );
    expect(await audit().list({ actorId, action: 'addMember' }, 10)).to.deep.equal(newest.slice(3));
    expect(await audit().list({ thing: { id: first?.thing?.id ?? '' } }, 10)).to.deep.equal([
      first,
    ]);
    expect(
      await audit().list({ thing: { kind: 'user', id: first?.thing?.id ?? '' } }, 10),
    ).to.deep.equal([]);
    const page = await audit().list({ actorId }, 2);
    const last = page.at(-1);
    expect([
      ...page,
      ...(last === undefined ? [] : await audit().list({ actorId }, 10, last)),
    ]).to.deep.equal(newest);
  });

  it('removes old entries, a few at a time', async () => {
    const actorId = freshId();
    for (const at of [1, 2, 3, start]) await add({ actorId, at });

    expect(await audit().removeBefore(4, 2)).to.equal(2);
    expect(await audit().removeBefore(4, 2)).to.equal(1);
    expect((await audit().list({ actorId }, 10)).map((one) => one.at)).to.deep.equal([start]);
  });
};
