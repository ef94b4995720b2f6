import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, addUser, start } from './builders.js';
import { addModelFile } from './registry-builders.js';

const day = 86_400_000;

/** What every store of usage keeps to. */
export const usageContract = (storage: () => Storage): void => {
  const usage = () => storage().stores.usage;

  it('counts by user and kind, over all days, and keeps the newest time', async () => {
    const user = await addUser(storage());
    for (const at of [start, start + 1, start + day]) await usage().count(user.id, 'sdk', at);
    await usage().count(user.id, 'ui', start);

    const counts = (await usage().listCounts()).filter((one) => one.userId === user.id).sort((a, b) => (a.kind < b.kind ? -1 : 1));

    expect(counts).to.deep.equal([{ userId: user.id, kind: 'sdk', count: 3, lastAt: start + day }, { userId: user.id, kind: 'ui', count: 1, lastAt: start }]);
  });

  it('sums experiments and their bytes by project and user, and by day, without the deleted ones', async () => {
    const project = await addProject(storage());
    const [a, b, gone] = [
      await addExperiment(storage(), { projectId: project.id, createdAt: start }), await addExperiment(storage(), { projectId: project.id, createdAt: start + day }), await addExperiment(storage(), { projectId: project.id, createdAt: start }),
    ];
    for (const size of [100, 23]) await addModelFile(storage(), a.id, { fileSize: size });
    await addModelFile(storage(), b.id, { fileSize: 1000 });
    await addModelFile(storage(), gone.id, { fileSize: 5 });
    await storage().stores.experiments.update(a.id, { startTimeMillis: start, endTimeMillis: start + 500 });
    await storage().stores.experiments.markDeleted(gone.id, start);
    const mine = <T extends { readonly workspaceId: string }>(rows: readonly T[]) => rows.filter((row) => row.workspaceId === project.workspaceId);
    const userId = project.ownerId;

    const [stored] = mine(await usage().listStored(start + 2 * day));
    expect(stored).to.deep.include({ projectId: project.id, userId, experiments: 2, bytes: 1123, lastAt: start + day });
    expect(mine(await usage().listStored(start + 1))).to.deep.equal([{ workspaceId: project.workspaceId, projectId: project.id, userId, experiments: 1, runningMs: 500, bytes: 123, lastAt: start }]);
    const daily = mine(await usage().listDaily(start, start + 2 * day)).sort((x, y) => x.day - y.day);
    expect(daily.map(({ day: on, experiments, bytes }) => [on, experiments, bytes])).to.deep.equal([[Math.floor(start / day), 1, 123], [Math.floor(start / day) + 1, 1, 1000]]);
    expect(mine(await usage().listDaily(start + 1, start + day))).to.deep.equal([]);
  });
};
