import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { keepUsage } from '#adapters/storage/sql/usage';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, addUser, addWorkspace, start } from './builders.js';
import { addModelFile } from './registry-builders.js';

const day = 86_400_000;

/** What every store of usage keeps to. */
export const usageContract = (storage: () => Storage): void => {
  const usage = () => storage().stores.usage;
  const first = Math.floor(start / day);

  it('counts by user, workspace and kind, over all days, and keeps the newest time', async () => {
    const [user, workspace] = [await addUser(storage()), await addWorkspace(storage())];
    for (const at of [start, start + 1, start + day])
      await usage().count({ userId: user.id, workspaceId: workspace.id, kind: 'sdk', at });
    await usage().count({ userId: user.id, workspaceId: undefined, kind: 'sdk', at: start });
    await usage().count({ userId: user.id, workspaceId: workspace.id, kind: 'ui', at: start });

    const counts = (await usage().listCounts()).filter((one) => one.userId === user.id);

    expect(counts).to.have.deep.members([
      { userId: user.id, workspaceId: workspace.id, kind: 'sdk', count: 3, lastAt: start + day },
      { userId: user.id, workspaceId: undefined, kind: 'sdk', count: 1, lastAt: start },
      { userId: user.id, workspaceId: workspace.id, kind: 'ui', count: 1, lastAt: start },
    ]);
  });

  it('tells how much there is, deleted experiments left out', async () => {
    const before = await usage().figures();
    const project = await addProject(storage());
    const [kept, gone] = [
      await addExperiment(storage(), { projectId: project.id, createdAt: start }),
      await addExperiment(storage(), { projectId: project.id, createdAt: start }),
    ];
    await addModelFile(storage(), kept.id, { fileSize: 1234 });
    await storage().stores.experiments.markDeleted(gone.id, start);

    const after = await usage().figures();

    expect([after.experiments - before.experiments, after.bytes - before.bytes]).to.deep.equal([
      1, 1234,
    ]);
    await addUser(storage());
    expect((await usage().figures()).users).to.equal(after.users + 1);
  });

  it('sums experiments and their bytes by project and user, and by day, deleted ones included', async () => {
    const project = await addProject(storage());
    const [a, b, gone] = [
      await addExperiment(storage(), { projectId: project.id, createdAt: start }),
      await addExperiment(storage(), { projectId: project.id, createdAt: start + day }),
      await addExperiment(storage(), { projectId: project.id, createdAt: start }),
    ];
    for (const size of [100, 23]) await addModelFile(storage(), a.id, { fileSize: size });
    await addModelFile(storage(), b.id, { fileSize: 1000 });
    await addModelFile(storage(), gone.id, { fileSize: 5 });
    await storage().stores.experiments.update(a.id, {
      startTimeMillis: start,
      endTimeMillis: start + 500,
    });
    await storage().stores.experiments.update(gone.id, {
      startTimeMillis: start,
      endTimeMillis: start + 3000,
      gpus: 4,
    });
    const mine = <T extends { readonly workspaceId: string }>(rows: readonly T[]) =>
      rows.filter((row) => row.workspaceId === project.workspaceId);
    const userId = project.ownerId;

    const both = async () => {
      const [stored] = mine(await usage().listStored(start + 2 * day));
      expect(stored).to.deep.equal({
        workspaceId: project.workspaceId,
        projectId: project.id,
        userId,
        experiments: 3,
        runningMs: 3500,
        bytes: 1128,
        lastAt: start + day,
      });
      const daily = mine(await usage().listDaily(first * day, start + 2 * day)).sort(
        (x, y) => x.day - y.day,
      );
      expect(
        daily.map(({ day: on, experiments, runningMs, gpuMs, bytes }) => [
          on,
          experiments,
          runningMs,
          gpuMs,
          bytes,
        ]),
      ).to.deep.equal([
        [first, 2, 3500, 12_000, 128],
        [first + 1, 1, 0, 0, 1000],
      ]);
      expect(mine(await usage().listDaily(start + 1, start + day))).to.deep.equal([]);
    };

    await both();
    await storage().stores.experiments.markDeleted(gone.id, start);
    await both();
  });
};

/** What removed experiments have used is counted as before. */
export const removedUsageContract = (storage: () => SqlStorage): void => {
  const usage = () => storage().stores.usage;
  const first = Math.floor(start / day);
  const remove = () =>
    storage()
      .jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(new AbortController().signal);

  it('tells the same of each day, project and user after the rows of an experiment were removed', async () => {
    const project = await addProject(storage());
    const [kept, gone] = [
      await addExperiment(storage(), { projectId: project.id, createdAt: start }),
      await addExperiment(storage(), { projectId: project.id, createdAt: start + 1 }),
    ];
    for (const { id } of [kept, gone]) await addModelFile(storage(), id, { fileSize: 100 });
    await storage().stores.experiments.update(gone.id, {
      startTimeMillis: start,
      endTimeMillis: start + 3000,
      gpus: 4,
    });
    const mine = <T extends { readonly workspaceId: string }>(rows: readonly T[]) =>
      rows.filter((row) => row.workspaceId === project.workspaceId);
    const told = async () => [
      mine(await usage().listStored(start + day)),
      mine(await usage().listDaily(first * day, start + day)),
    ];
    const before = await told();

    await storage().stores.experiments.markDeleted(gone.id, start);
    await remove();

    expect(await storage().connection.db('experiments').where({ id: gone.id })).to.deep.equal([]);
    const used = {
      workspaceId: project.workspaceId,
      userId: project.ownerId,
      experiments: 2,
      runningMs: 3000,
      bytes: 200,
    };
    expect(await told()).to.deep.equal(before);
    expect(before).to.deep.equal([
      [{ ...used, projectId: project.id, lastAt: start + 1 }],
      [{ ...used, day: first, gpuMs: 12_000 }],
    ]);
  });

  it('counts what several removed experiments of a day used, each once, also where their removal began twice', async () => {
    const project = await addProject(storage());
    const made = [];
    for (let i = 0; i < 3; i++)
      made.push(await addExperiment(storage(), { projectId: project.id, createdAt: start + i }));
    for (const { id } of made) await addModelFile(storage(), id, { fileSize: 10 });
    const stored = async () =>
      (await usage().listStored(start + day))
        .filter((row) => row.workspaceId === project.workspaceId)
        .map(({ experiments, bytes, lastAt }) => [experiments, bytes, lastAt]);

    for (const { id } of made) await storage().stores.experiments.markDeleted(id, start);
    await keepUsage(storage().connection, made[1]?.id ?? '');
    expect(await stored()).to.deep.equal([[3, 30, start + 2]]);
    await remove();

    expect(await stored()).to.deep.equal([[3, 30, start + 2]]);
  });

  it('leaves out of a period what was made and removed before or after it', async () => {
    const project = await addProject(storage());
    const { id } = await addExperiment(storage(), { projectId: project.id, createdAt: start });
    await storage().stores.experiments.markDeleted(id, start);
    await remove();
    const found = async (from: number, before: number) =>
      (await usage().listDaily(from, before)).filter(
        (row) => row.workspaceId === project.workspaceId,
      ).length;

    expect([
      await found(0, first * day),
      await found(first * day, (first + 1) * day),
      await found((first + 1) * day, start * 2),
      (await usage().listStored(first * day)).filter(
        (row) => row.workspaceId === project.workspaceId,
      ).length,
    ]).to.deep.equal([0, 1, 0, 0]);
  });
};
