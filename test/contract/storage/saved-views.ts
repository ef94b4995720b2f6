import { expect } from 'chai';
import type { NewSavedView } from '#ports/storage/saved-views';
import type { Storage } from '#ports/storage/storage';
import { addProject, addUser, freshId, start } from './builders.js';

/** What every store of saved views keeps to. */
export const savedViewContract = (storage: () => Storage): void => {
  const views = () => storage().stores.savedViews;
  const addView = async (
    projectId: string,
    given: Partial<NewSavedView> = {},
  ): Promise<NewSavedView> => {
    const view: NewSavedView = {
      id: freshId(),
      projectId,
      type: 'runs',
      name: 'view',
      shared: false,
      ownerId: given.ownerId ?? (await addUser(storage())).id,
      content: '{}',
      createdAt: start,
      ...given,
    };
    await views().insert(view);
    return view;
  };
  const listed = async (projectId: string, userId: string) =>
    (await views().list({ projectId, type: 'runs', userId, limit: 100 })).map(({ name }) => name);

  it('returns what was stored, whatever its content', async () => {
    const [project, user] = [await addProject(storage()), await addUser(storage())];
    const made = await addView(project.id, {
      ownerId: user.id,
      name: 'näme \u{1f600} ',
      shared: true,
      type: 'panels',
      content: JSON.stringify({ wide: 'x'.repeat(200_000) }),
    });

    expect(await views().find(made.id)).to.deep.equal({
      ...made,
      workspaceId: project.workspaceId,
      projectPublic: false,
      ownerName: user.name,
      version: 1,
      updatedAt: start,
    });
    expect(await views().find('no-such-view')).to.equal(undefined);
    expect(await views().find(freshId())).to.equal(undefined);
  });

  it("lists shared views and a user's own of one type, by name, up to a limit", async () => {
    const [project, other, user] = [
      await addProject(storage()),
      await addProject(storage()),
      await addUser(storage()),
    ];
    await addView(project.id, { name: 'b', shared: true });
    await addView(project.id, { name: 'a', ownerId: user.id });
    await addView(project.id, { name: 'hidden' });
    await addView(project.id, { name: 'panels', shared: true, type: 'panels' });
    await addView(other.id, { name: 'elsewhere', shared: true });

    expect(await listed(project.id, user.id)).to.deep.equal(['a', 'b']);
    expect(
      await views().list({ projectId: project.id, type: 'runs', userId: user.id, limit: 1 }),
    ).to.have.length(1);
    expect(await views().count(project.id)).to.equal(4);
  });

  it('changes a view once for each version, whoever comes first', async () => {
    const project = await addProject(storage());
    const { id } = await addView(project.id);

    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        views().update(id, 1, { content: `{"by":${i}}`, updatedAt: start + i }),
      ),
    );

    const winner = saved.indexOf(true);
    expect(saved.filter((one) => one)).to.have.length(1);
    expect(await views().find(id)).to.include({
      version: 2,
      content: `{"by":${winner}}`,
      updatedAt: start + winner,
    });
    expect(await views().update(id, 2, { name: 'other', shared: true, updatedAt: start })).to.equal(
      true,
    );
    expect(await views().find(id)).to.include({ version: 3, name: 'other', shared: true });
    expect(await views().update(freshId(), 1, { name: 'x', updatedAt: start })).to.equal(false);
  });

  it('keeps a default for everybody and one for each user, apart by type', async () => {
    const [project, user, other] = [
      await addProject(storage()),
      await addUser(storage()),
      await addUser(storage()),
    ];
    const place = { projectId: project.id, type: 'runs' } as const;
    const shared = await addView(project.id, { shared: true });
    const own = await addView(project.id, { ownerId: user.id });
    await views().setDefault(place, undefined, own.id);
    await views().setDefault(place, undefined, shared.id);
    await views().setDefault(place, user.id, own.id);

    expect(await views().findDefaults(place, user.id)).to.deep.equal({
      everybody: shared.id,
      own: own.id,
    });
    expect(await views().findDefaults(place, other.id)).to.deep.equal({
      everybody: shared.id,
      own: undefined,
    });
    expect(
      await views().findDefaults({ projectId: project.id, type: 'panels' }, user.id),
    ).to.deep.equal({ everybody: undefined, own: undefined });
    await views().setDefault(place, undefined, undefined);
    expect((await views().findDefaults(place, user.id)).everybody).to.equal(undefined);
  });

  it('tells nobody of a default that is not theirs to see', async () => {
    const [project, other] = [await addProject(storage()), await addUser(storage())];
    const place = { projectId: project.id, type: 'runs' } as const;
    const shared = await addView(project.id, { shared: true });
    await views().setDefault(place, undefined, shared.id);

    await views().update(shared.id, 1, { shared: false, updatedAt: start });

    expect((await views().findDefaults(place, other.id)).everybody).to.equal(undefined);
    expect((await views().findDefaults(place, shared.ownerId)).everybody).to.equal(shared.id);
  });

  it('removes a view, which is nobody’s default then, and says whether it was there', async () => {
    const project = await addProject(storage());
    const { id, ownerId } = await addView(project.id, { shared: true });
    const place = { projectId: project.id, type: 'runs' } as const;
    await views().setDefault(place, ownerId, id);

    expect([await views().remove(id), await views().remove(id)]).to.deep.equal([true, false]);
    expect(await views().find(id)).to.equal(undefined);
    expect((await views().findDefaults(place, ownerId)).own).to.equal(undefined);
  });

  it('finds and lists no view of a deleted project', async () => {
    const project = await addProject(storage());
    const { id, ownerId } = await addView(project.id, { shared: true });

    await storage().stores.projects.markDeleted(project.id, start);

    expect(await views().find(id)).to.equal(undefined);
    expect(await listed(project.id, ownerId)).to.deep.equal([]);
  });
};
