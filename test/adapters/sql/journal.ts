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

  it('tells from a mark on what came lately, and nothing that is older than any transaction', async () => {
    const { workspaceId, projectId } = await start();
    await write(projectId);
    await age(hourMs / 2);
    const lately = await write(projectId);
    const begun = await changesSince(workspaceId, undefined);
    const later = await write(projectId);
    const heard = await changesSince(workspaceId, begun?.mark);

    expect(new Set(ids(heard))).to.deep.equal(new Set([lately, later]));
    expect(ids(await changesSince(workspaceId, heard?.mark))).to.deep.equal([]);
  });

  it('remembers nothing for the mark of another database', async () => {
    const { workspaceId, projectId } = await start();
    await write(projectId);
    const found = await changesSince(workspaceId, undefined);
    const mark = JSON.parse(found?.mark ?? '{}') as { readonly lastAt: number };
    const other = JSON.stringify({ ...mark, lastAt: mark.lastAt - 1 });

    expect(ids(await changesSince(workspaceId, found?.mark))).to.have.length(1);
    expect(await changesSince(workspaceId, other)).to.equal(undefined);
  });
};
