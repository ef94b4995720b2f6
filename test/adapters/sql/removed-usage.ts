import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { keepUsage } from '#adapters/storage/sql/usage';
import { addExperiment, addProject, start } from '#test/contract/storage/builders';
import { addModelFile } from '#test/contract/storage/registry-builders';

const day = 86_400_000;

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
