import { expect } from 'chai';
import type { NewView } from '#ports/storage/views';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, countUnderLock, freshId, start } from './builders.js';

/** What every store of views keeps to. */
export const viewContract = (storage: () => Storage): void => {
  const views = () => storage().stores.views;
  const addView = async (projectId: string, given: Partial<NewView> = {}): Promise<NewView> => {
    const view: NewView = {
      id: freshId(),
      projectId,
      experimentId: undefined,
      name: 'view',
      content: '{}',
      createdBy: 'ann',
      createdAt: start,
      updatedAt: start,
      ...given,
    };
    await views().insert(view);
    return view;
  };

  it('returns what was stored, whatever its content', async () => {
    const project = await addProject(storage());
    const { experimentId: _, ...made } = await addView(project.id, {
      name: 'näme \u{1f600} ',
      content: JSON.stringify({ v2: 'x'.repeat(2_000_000) }),
    });

    expect(await views().find(project.id, made.id)).to.deep.equal({
      ...made,
      experimentKey: undefined,
    });
  });

  it('finds no view of another project, nor one for a malformed id', async () => {
    const [project, other] = [await addProject(storage()), await addProject(storage())];
    const { id } = await addView(project.id);

    expect(await views().find(other.id, id)).to.equal(undefined);
    expect(await views().find(project.id, 'no-such-view')).to.equal(undefined);
    expect(
      await views().update(other.id, id, { name: 'stolen', content: '{}', updatedAt: start }),
    ).to.equal(false);
    expect(
      await views().update(project.id, 'no-such-view', {
        name: 'x',
        content: '{}',
        updatedAt: start,
      }),
    ).to.equal(false);
    expect((await views().find(project.id, id))?.name).to.equal('view');
  });

  it('keeps others from changing a view that is locked', async () => {
    const project = await addProject(storage());
    const { id } = await addView(project.id, { content: '0' });

    const counted = await countUnderLock(storage(), 12, {
      async next(stores) {
        const view = await stores.views.lock(project.id, id);
        await stores.views.update(project.id, id, {
          name: 'v',
          content: String(Number(view?.content) + 1),
          updatedAt: start,
        });
      },
      read: async () => Number((await views().find(project.id, id))?.content),
    });

    expect(counted).to.equal(12);
    expect(
      await storage().transaction((stores) => stores.views.lock(project.id, 'no-such-view')),
    ).to.equal(undefined);
  });

  it('removes a view of its own project only, and says whether there was one', async () => {
    const [project, other] = [await addProject(storage()), await addProject(storage())];
    const [{ id }, kept] = [await addView(project.id), await addView(project.id)];

    expect(await views().remove(other.id, id)).to.equal(false);
    expect((await views().find(project.id, id))?.id).to.equal(id);
    expect([
      await views().remove(project.id, id),
      await views().remove(project.id, id),
      await views().remove(project.id, 'no-such-view'),
    ]).to.deep.equal([true, false, false]);
    expect((await views().list(project.id, undefined)).map((view) => view.id)).to.deep.equal([
      kept.id,
    ]);
  });

  it('changes a view, and says so also when nothing differs', async () => {
    const project = await addProject(storage());
    const { id } = await addView(project.id);
    const change = { name: 'other', content: '{"v2":1}', updatedAt: start + 5 };

    expect([
      await views().update(project.id, id, change),
      await views().update(project.id, id, change),
    ]).to.deep.equal([true, true]);
    const found = await views().find(project.id, id);
    expect([found?.name, found?.content, found?.createdAt, found?.updatedAt]).to.deep.equal([
      'other',
      '{"v2":1}',
      start,
      start + 5,
    ]);
  });

  it('lists views of a project and of one experiment apart, in the order they were made', async () => {
    const project = await addProject(storage());
    const experiment = await addExperiment(storage(), { projectId: project.id });
    await addView(project.id, { name: 'second', createdAt: start + 2 });
    await addView(project.id, { name: 'first', createdAt: start + 1 });
    await addView(project.id, { name: 'own', experimentId: experiment.id });

    expect((await views().list(project.id, undefined)).map((view) => view.name)).to.deep.equal([
      'first',
      'second',
    ]);
    expect(
      (await views().list(project.id, experiment.id)).map((view) => [
        view.name,
        view.experimentKey,
      ]),
    ).to.deep.equal([['own', experiment.key]]);
  });
};
