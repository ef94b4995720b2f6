import { expect } from 'chai';
import { noteChanges } from '#adapters/storage/wrap/change-notes';
import type { Change } from '#ports/model/changes';
import type { Storage } from '#ports/storage/storage';
import {
  addExperiment,
  addProject,
  creationIn,
  point,
  rejection,
  start,
} from '#test/contract/storage/builders';
import {
  addModel,
  addModelFile,
  addSource,
  addVersion,
} from '#test/contract/storage/registry-builders';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';

describe('changes that are noted', () => {
  let opened: OpenedStorage;
  let noted: Change[];
  let storage: Storage;
  before(async function () {
    this.timeout(60_000);
    const first = await storageAdapters[0]!.open();
    if ('missing' in first) throw new Error(first.missing);
    opened = first;
  });
  after(async () => {
    await opened.stop();
  });
  beforeEach(() => {
    noted = [];
    storage = noteChanges(opened.storage, (change) => noted.push(change));
  });
  const kindsOf = (id: string) =>
    noted.filter(({ subjectId }) => subjectId === id).map(({ kind }) => kind);

  it('are the making of a run, what is logged to it, and its deletion', async () => {
    const { id } = await addExperiment(storage);
    const { metrics, texts, values, experiments } = storage.stores;
    await metrics.append({ experimentId: id, points: [point()], receivedAt: start });
    await values.write({
      experimentId: id,
      kind: 'parameter',
      values: [{ name: 'lr', context: undefined, text: '1', step: undefined, timestamp: start }],
      receivedAt: start,
    });
    await values.addTags(id, ['tag'], start);
    await texts.appendOutput({
      experimentId: id,
      lines: [{ text: 'a\n', stderr: false, offset: undefined }],
      receivedAt: start,
      limitBytes: 1000,
    });
    await addModelFile(storage, id);
    await experiments.update(id, { alive: true });
    await experiments.markDeleted(id, start);

    expect(kindsOf(id)).to.deep.equal([
      'run',
      'points',
      'values',
      'values',
      'output',
      'assets',
      'run',
      'run',
    ]);
  });

  it('are the making of a run with all that it has', async () => {
    const creation = creationIn(await addProject(storage));

    await storage.stores.experiments.create(creation);

    expect(kindsOf(creation.experiment.id)).to.deep.equal(['run']);
  });

  it('are no beats, nor what was not there to be changed', async () => {
    const { id } = await addExperiment(storage);
    noted = [];
    const { experiments, values } = storage.stores;

    await experiments.update(id, { lastSeenAt: start + 1, beatMs: 5000 });
    await experiments.touch(id, start + 2);
    await values.removeTags(id, ['no such tag']);

    expect(noted).to.deep.equal([]);
  });

  it('are versions of models by their own ids', async () => {
    const run = await addSource(opened.storage);
    const model = await addModel(opened.storage, { workspaceId: run.workspaceId });

    const { id } = await addVersion(storage, model, { source: run });
    await storage.stores.modelVersions.updateVersion(id, { status: 'Ready', updatedAt: start });

    expect(noted).to.deep.equal([
      { kind: 'model', subjectId: id },
      { kind: 'model', subjectId: id },
    ]);
  });

  it('are those of a transaction once it is stored, and none of one that failed', async () => {
    const project = await addProject(storage);
    const { id } = await addExperiment(storage, { projectId: project.id });
    noted = [];

    await storage.transaction(async ({ experiments }) => {
      await experiments.update(id, { archived: true });
      expect(noted).to.deep.equal([]);
    });
    expect(kindsOf(id)).to.deep.equal(['run']);
    await rejection(
      storage.transaction(async ({ experiments }) => {
        await experiments.update(id, { archived: false });
        throw new Error('undone');
      }),
    );

    expect(kindsOf(id)).to.deep.equal(['run']);
  });

  it('are those of the run of a transaction that was stored, where it was repeated', async () => {
    const { id } = await addExperiment(opened.storage);
    const again: Storage = {
      ...opened.storage,
      async transaction(work) {
        await work(opened.storage.stores);
        return work(opened.storage.stores);
      },
    };

    await noteChanges(again, (change) => noted.push(change)).transaction(({ experiments }) =>
      experiments.update(id, { name: 'other' }),
    );

    expect(noted).to.deep.equal([{ kind: 'run', subjectId: id }]);
  });
});
