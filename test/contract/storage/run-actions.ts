import { expect } from 'chai';
import { mostRunActionFailures, type NewRunAction } from '#ports/storage/run-actions';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, freshKey, start } from './builders.js';

/** What every store of actions on many runs keeps to. */
export const runActionContract = (storage: () => Storage): void => {
  const actions = () => storage().stores.runActions;
  const addAction = async (given: Partial<NewRunAction> = {}): Promise<NewRunAction> => {
    const action: NewRunAction = {
      id: freshId(),
      projectId: given.projectId ?? (await addProject(storage())).id,
      userId: freshId(),
      via: 'key',
      keyId: freshId(),
      scope: undefined,
      wish: { action: 'archive', tags: [], target: undefined },
      createdAt: start,
      runs: [freshKey(), freshKey(), freshKey()],
      ...given,
    };
    await actions().insert(action);
    return action;
  };
  const waiting = async () => (await actions().listRunning(1_000_000)).map(({ id }) => id);

  it('returns what was stored, with its runs in their order', async () => {
    const project = await addProject(storage());
    const { runs, ...made } = await addAction({
      projectId: project.id,
      via: 'session',
      scope: { readOnly: false, workspaceId: project.workspaceId, projectId: project.id },
      wish: { action: 'move', tags: ['ä \u{1f600}'], target: { workspace: 'w', project: 'p p' } },
      runs: Array.from({ length: 20_000 }, freshKey),
    });

    expect(await actions().find(made.id)).to.deep.equal({
      ...made,
      workspaceId: project.workspaceId,
      state: 'running',
      total: 20_000,
      done: 0,
      failed: 0,
      failures: [],
      reason: undefined,
      endedAt: undefined,
    });
    expect(await actions().listRuns(made.id)).to.deep.equal(runs);
    expect((await actions().find((await addAction()).id))?.scope).to.equal(undefined);
    for (const unknown of ['no-such-action', freshId()]) {
      expect(await actions().find(unknown)).to.equal(undefined);
      expect(await actions().listRuns(unknown)).to.deep.equal([]);
    }
  });

  it('is through at once with an action on no runs', async () => {
    const { id } = await addAction({ runs: [] });

    const found = await actions().find(id);
    expect([found?.state, found?.endedAt]).to.deep.equal(['done', start]);
    expect(await actions().listRuns(id)).to.deep.equal([]);
    expect(await waiting()).not.to.include(id);
  });

  it('lists running actions, the one that has waited longest first, and counts those of a project', async () => {
    const { id: projectId } = await addProject(storage());
    const first = await addAction({ projectId, createdAt: start - 2 });
    const second = await addAction({ projectId, createdAt: start - 1 });
    const own = async () => (await waiting()).filter((id) => id === first.id || id === second.id);

    expect(await own()).to.deep.equal([first.id, second.id]);
    await actions().advance(first.id, { from: 0, to: 1, failures: [], at: start });
    expect(await own()).to.deep.equal([second.id, first.id]);
    expect(await actions().listRunning(1)).to.have.length(1);
    expect(await actions().countRunning(projectId)).to.equal(2);
    await actions().end(second.id, { state: 'cancelled', at: start });
    expect(await own()).to.deep.equal([first.id]);
    expect(await actions().countRunning(projectId)).to.equal(1);
  });

  it('takes each step once, and is done with the last', async () => {
    const { id, runs } = await addAction();
    const [run = ''] = runs;
    const step = (
      from: number,
      to: number,
      failures: readonly { run: string; message: string }[],
    ) => actions().advance(id, { from, to, failures, at: start + to });
    const failure = { run, message: 'näme \u{1f600}' };

    const taken = await Promise.all([step(0, 2, [failure]), step(0, 2, [failure])]);
    expect(taken.filter(Boolean)).to.have.length(1);
    expect(await actions().find(id)).to.deep.include({
      state: 'running',
      done: 2,
      failed: 1,
      failures: [failure],
      endedAt: undefined,
    });
    expect([await step(2, 3, []), await step(3, 4, [])]).to.deep.equal([true, false]);
    expect(await actions().find(id)).to.deep.include({
      state: 'done',
      done: 3,
      failed: 1,
      endedAt: start + 3,
    });
    expect(await actions().advance(freshId(), { from: 0, to: 1, failures: [], at: 1 })).to.equal(
      false,
    );
  });

  it('counts every failure and keeps the first', async () => {
    const { id } = await addAction({ runs: Array.from({ length: 200 }, freshKey) });
    const failures = Array.from({ length: 75 }, (_, at) => ({ run: String(at), message: 'm' }));
    await actions().advance(id, { from: 0, to: 75, failures, at: start });
    await actions().advance(id, { from: 75, to: 150, failures, at: start });

    const found = await actions().find(id);
    expect(found?.failed).to.equal(150);
    expect(found?.failures).to.deep.equal(
      [...failures, ...failures].slice(0, mostRunActionFailures),
    );
  });

  it('ends an action once, and notes no step after it', async () => {
    const { id } = await addAction();

    expect([
      await actions().end(id, { state: 'refused', reason: 'gone', at: start + 1 }),
      await actions().end(id, { state: 'cancelled', at: start + 2 }),
      await actions().end('no-such-action', { state: 'cancelled', at: start + 2 }),
      await actions().advance(id, { from: 0, to: 1, failures: [], at: start + 3 }),
    ]).to.deep.equal([true, false, false, false]);
    expect(await actions().find(id)).to.deep.include({
      state: 'refused',
      reason: 'gone',
      done: 0,
      endedAt: start + 1,
    });
  });

  it('forgets what ended before a time and what is of a project that was deleted, some at a time', async () => {
    const { id: projectId } = await addProject(storage());
    const [old, recent, running] = [await addAction(), await addAction(), await addAction()];
    const lost = await addAction({ projectId });
    await actions().end(old.id, { state: 'cancelled', at: 10 });
    await actions().end(recent.id, { state: 'cancelled', at: start });
    await storage().stores.projects.markDeleted(projectId, start);

    expect(await actions().find(lost.id)).to.equal(undefined);
    expect(await waiting()).not.to.include(lost.id);
    let [gone, some] = [0, 0];
    do gone += some = await actions().removeEnded(11, 1);
    while (some > 0);
    expect(gone).to.be.greaterThanOrEqual(2);
    expect(await actions().listRuns(old.id)).to.deep.equal([]);
    expect(await actions().listRuns(lost.id)).to.deep.equal([]);
    expect((await actions().find(recent.id))?.state).to.equal('cancelled');
    expect((await actions().find(running.id))?.state).to.equal('running');
  });
};
