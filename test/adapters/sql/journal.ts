import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { addProject, addWorkspace } from '#test/contract/storage/builders';
import { aSpan } from '#test/contract/storage/traces';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The journal of traces and spans, of which others keep copies. */
export const journalContract = (storage: () => SqlStorage): void => {
  const rows = () => storage().stores.analyticRows;
  const entries = () => storage().connection.db('entry_changes');
  const write = async (projectId: string): Promise<string> => {
    const span = aSpan({ projectId });
    await storage().stores.traces.changeSpans(projectId, [span.id], () => span);
    return span.id;
  };
  const age = (ms: number) => entries().decrement('at', ms);
  const start = async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const { id: projectId } = await addProject(storage(), { workspaceId });
    return { workspaceId, projectId };
  };
  const changesSince = (workspaceId: string, mark: string | undefined) =>
    rows().changes(workspaceId, mark);
  /** A mark behind all that there is. Where a transaction of anybody else on the server takes long, what was told is told again, so that another one is asked for. */
  const markOfNow = async (workspaceId: string) => {
    for (let attempt = 1; ; attempt++) {
      const found = await changesSince(workspaceId, undefined);
      const { pending } = JSON.parse(found?.mark ?? '{}') as { readonly pending?: unknown };
      if (pending === undefined || attempt === 10) return found;
    }
  };
  const ids = (found: Awaited<ReturnType<typeof changesSince>>) =>
    found?.changed.flatMap((one) => one.ids);

  it('forgets what is old, and says so to whoever has not heard of all of it', async () => {
    const { workspaceId, projectId } = await start();
    await write(projectId);
    await write(projectId);
    await age(5 * dayMs);
    const old = await changesSince(workspaceId, undefined);
    const last = await write(projectId);
    const heard = await changesSince(workspaceId, old?.mark);
    const before = Date.now() - 3 * dayMs;
    let forgotten = 0;
    for (let some = 1; some > 0; forgotten += some) some = await rows().forgetChanges(before, 10);
    const fresh = await write(projectId);

    expect(ids(heard)).to.deep.equal([last]);
    expect(forgotten).to.be.at.least(2);
    expect(await changesSince(workspaceId, old?.mark)).to.equal(undefined);
    expect(ids(await changesSince(workspaceId, heard?.mark))).to.deep.equal([fresh]);
  });

  it('tells from a mark on what came later, once', async () => {
    const { workspaceId, projectId } = await start();
    await write(projectId);
    const begun = await markOfNow(workspaceId);
    const later = await write(projectId);
    const heard = await changesSince(workspaceId, begun?.mark);

    expect(ids(heard)).to.deep.equal([later]);
    expect(ids(await changesSince(workspaceId, heard?.mark))).to.deep.equal([]);
  });

  it('tells what a transaction brings that was under way at a mark, however long it takes', async () => {
    const { workspaceId, projectId } = await start();
    let [slow, first, heard] = ['', '', await changesSince(workspaceId, undefined)];
    await storage().transaction(async (stores) => {
      const span = aSpan({ projectId });
      slow = span.id;
      await stores.traces.changeSpans(projectId, [span.id], () => span);
      first = await write(projectId);
      const [newest] = (await entries().max({ number: 'number' })) as readonly {
        readonly number: unknown;
      }[]; // one row
      await entries()
        .where({ number: Number(newest?.number) })
        .decrement('at', hourMs);
      heard = await changesSince(workspaceId, heard?.mark);
      heard = await changesSince(workspaceId, heard?.mark);
    });
    const last = await changesSince(workspaceId, heard?.mark);

    expect(first).not.to.equal(slow);
    expect(ids(last)).to.deep.equal([slow]);
  });

  it('begins while a transaction is under way with what that one brings', async () => {
    const { workspaceId, projectId } = await start();
    let slow = '';
    let begun: Awaited<ReturnType<typeof changesSince>>;
    await storage().transaction(async (stores) => {
      const span = aSpan({ projectId });
      slow = span.id;
      await stores.traces.changeSpans(projectId, [span.id], () => span);
      begun = await changesSince(workspaceId, undefined);
    });

    expect(ids(await changesSince(workspaceId, begun?.mark))).to.include(slow);
  });

  it('remembers nothing for the mark of another database', async () => {
    const { workspaceId, projectId } = await start();
    await write(projectId);
    const found = await markOfNow(workspaceId);
    const mark = JSON.parse(found?.mark ?? '{}') as { readonly lastAt: number };
    const other = JSON.stringify({ ...mark, lastAt: mark.lastAt - 1 });

    expect(ids(await changesSince(workspaceId, found?.mark))).to.have.length(0);
    expect(await changesSince(workspaceId, other)).to.equal(undefined);
  });
};
