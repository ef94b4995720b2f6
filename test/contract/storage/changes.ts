import { expect } from 'chai';
import { changeKinds } from '#ports/model/changes';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, freshId } from './builders.js';
import { addModel, addSource, addVersion } from './registry-builders.js';

/** What every store of changes keeps to. */
export const changeContract = (storage: () => Storage): void => {
  const changes = () => storage().stores.changes;
  const heard = (after: number, ...projectIds: readonly string[]) =>
    changes().list({ after, projectIds, limit: 1000 });
  const justNow = async () => (await storage().now()) - 1;

  it('tells of each kind of change of a run, at the time of the database', async () => {
    const run = await addExperiment(storage());
    const before = await justNow();
    const kinds = changeKinds.filter((kind) => kind !== 'model');

    await changes().note(kinds.map((kind) => ({ kind, subjectId: run.id })));

    const found = await heard(before, run.projectId);
    expect(found.map(({ kind }) => kind)).to.have.members(kinds);
    for (const one of found) {
      expect(one).to.include({
        subjectId: run.id,
        experimentKey: run.key,
        projectId: run.projectId,
        gone: false,
      });
      expect(one.at).to.be.within(before, await storage().now());
    }
  });

  it('keeps the newest time of a change, and tells only what is later than the time asked for', async () => {
    const run = await addExperiment(storage());
    await changes().note([{ kind: 'points', subjectId: run.id }]);
    const [first] = await heard(0, run.projectId);
    while ((await storage().now()) <= (first?.at ?? 0));

    await changes().note([{ kind: 'points', subjectId: run.id }]);

    const found = await heard(first?.at ?? 0, run.projectId);
    expect(found).to.have.length(1);
    expect(await heard(found[0]?.at ?? 0, run.projectId)).to.deep.equal([]);
  });

  it('tells the oldest change first, and no more than the limit', async () => {
    const project = await addProject(storage());
    const before = await justNow();
    const runs: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { id } = await addExperiment(storage(), { projectId: project.id });
      runs.push(id);
      await changes().note([{ kind: 'run', subjectId: id }]);
      const at = await storage().now();
      while ((await storage().now()) <= at);
    }

    const all = await heard(before, project.id);
    const some = await changes().list({ after: before, projectIds: [project.id], limit: 2 });

    expect(all.map(({ subjectId }) => subjectId)).to.deep.equal(runs);
    expect(some.map(({ subjectId }) => subjectId)).to.deep.equal(runs.slice(0, 2));
  });

  it('tells a project of runs at home in it and of those linked into it, and of no others', async () => {
    const [home, other, third] = [
      await addProject(storage()),
      await addProject(storage()),
      await addProject(storage()),
    ];
    const run = await addExperiment(storage(), { projectId: home.id });
    await storage().stores.experiments.link(run.id, other.id);
    const before = await justNow();

    await changes().note([{ kind: 'output', subjectId: run.id }]);

    const projects = async (...ids: readonly string[]) =>
      (await heard(before, ...ids)).map(({ projectId }) => projectId);
    expect(await projects(home.id)).to.deep.equal([home.id]);
    expect(await projects(other.id)).to.deep.equal([other.id]);
    expect(await projects(third.id)).to.deep.equal([]);
    expect(await projects()).to.deep.equal([]);
    expect(await projects(home.id, other.id, third.id)).to.have.members([home.id, other.id]);
  });

  it('tells that a run is gone, and nothing of what never was', async () => {
    const run = await addExperiment(storage());
    const before = await justNow();
    await storage().stores.experiments.markDeleted(run.id, 1);

    await changes().note([
      { kind: 'run', subjectId: run.id },
      { kind: 'run', subjectId: freshId() },
    ]);

    expect((await heard(before, run.projectId)).map(({ gone }) => gone)).to.deep.equal([true]);
  });

  it('tells of a version of a model in the project of its run, until it is deleted', async () => {
    const run = await addSource(storage());
    const model = await addModel(storage(), { workspaceId: run.workspaceId });
    const version = await addVersion(storage(), model, { source: run });
    const elsewhere = await addVersion(storage(), await addModel(storage()), { source: run });
    const before = await justNow();

    await changes().note([version, elsewhere].map(({ id }) => ({ kind: 'model', subjectId: id })));

    expect(await heard(before, run.projectId)).to.deep.equal([
      {
        kind: 'model',
        subjectId: version.id,
        modelId: model.id,
        experimentKey: run.key,
        projectId: run.projectId,
        gone: false,
        at: (await heard(before, run.projectId))[0]?.at,
      },
    ]);
    await storage().stores.modelVersions.markVersionDeleted(version.id, 1);
    expect(await heard(before, run.projectId)).to.deep.equal([]);
  });

  it('notes the same changes from many at once', async () => {
    const project = await addProject(storage());
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => addExperiment(storage(), { projectId: project.id })),
    );
    const before = await justNow();

    await Promise.all(
      Array.from({ length: 8 }, (_, turn) =>
        changes().note(
          (turn % 2 === 0 ? runs : [...runs].reverse()).map(({ id }) => ({
            kind: 'points',
            subjectId: id,
          })),
        ),
      ),
    );

    expect(await heard(before, project.id)).to.have.length(20);
  });

  it('forgets what was last noted before a time, some at once', async () => {
    const project = await addProject(storage());
    for (let i = 0; i < 3; i++) {
      const { id } = await addExperiment(storage(), { projectId: project.id });
      await changes().note([{ kind: 'run', subjectId: id }]);
      const at = await storage().now();
      while ((await storage().now()) <= at);
    }
    const [, , newest] = await heard(0, project.id);

    while ((await changes().forget(newest?.at ?? 0, 2)) > 0);

    expect((await heard(0, project.id)).map(({ at }) => at)).to.deep.equal([newest?.at]);
  });
};
