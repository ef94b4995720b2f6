import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, addUser, addWorkspace, point, start } from './builders.js';
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

  it('tells what the runs at home in a project hold, deleted ones and linked ones left out', async () => {
    const [project, other] = [await addProject(storage()), await addProject(storage())];
    const { experiments, metrics, texts } = storage().stores;
    const add = (projectId: string) => addExperiment(storage(), { projectId });
    const [one, two, gone, linked] = [
      await add(project.id),
      await add(project.id),
      await add(project.id),
      await add(other.id),
    ];
    for (const { id } of [one, two, gone, linked]) {
      await metrics.append({
        experimentId: id,
        points: [point(), point(), point({ name: 'accuracy' })],
        receivedAt: start,
      });
      await addModelFile(storage(), id, { fileSize: 100 });
      await texts.replace({ experimentId: id, kind: 'notes', content: 'é' });
      await texts.replace({ experimentId: id, kind: 'html', content: 'abc' });
    }
    await experiments.update(two.id, { archived: true });
    await experiments.link(linked.id, project.id);
    await experiments.markDeleted(gone.id, start);

    expect(await usage().ofProject(project.id)).to.deep.equal({
      runs: 2,
      archivedRuns: 1,
      series: 4,
      points: 6,
      assets: 2,
      assetBytes: 200,
      textBytes: 10,
    });
    expect((await usage().ofProject((await addProject(storage())).id)).points).to.equal(0);
  });
};
