import { expect } from 'chai';
import type { NewPanel } from '#ports/storage/panels';
import type { Storage } from '#ports/storage/storage';
import { addUser, addWorkspace, freshId, start } from './builders.js';

/** What every store of panels keeps to. */
export const panelContract = (storage: () => Storage): void => {
  const panels = () => storage().stores.panels;
  const addPanel = async (given: Partial<NewPanel> = {}): Promise<NewPanel> => {
    const panel: NewPanel = {
      id: freshId(),
      workspaceId: given.workspaceId ?? (await addWorkspace(storage())).id,
      ownerId: given.ownerId ?? (await addUser(storage())).id,
      name: 'panel',
      template: '{}',
      archive: new Uint8Array([0, 1, 255]),
      createdAt: start,
      ...given,
    };
    await panels().insert(panel);
    return panel;
  };

  it('returns what was stored byte for byte, with the name of its owner', async () => {
    const owner = await addUser(storage());
    const archive = Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251);
    const made = await addPanel({ ownerId: owner.id, archive, template: '{"é":"\u{1f600}"}' });

    expect(await panels().find(made.id)).to.deep.equal({
      id: made.id,
      workspaceId: made.workspaceId,
      ownerName: owner.name,
      name: 'panel',
      template: '{"é":"\u{1f600}"}',
      createdAt: start,
      revisedAt: start,
    });
    expect(
      Buffer.compare(
        Buffer.from((await panels().readArchive(made.id)) ?? []),
        Buffer.from(archive),
      ),
    ).to.equal(0);
  });

  it('replaces a panel in its own workspace only', async () => {
    const [made, other] = [await addPanel(), await addWorkspace(storage())];
    const change = {
      name: 'second',
      template: '{"a":1}',
      archive: new Uint8Array([7]),
      revisedAt: start + 9,
    };

    expect(await panels().revise(other.id, made.id, change)).to.equal(false);
    expect((await panels().find(made.id))?.name).to.equal('panel');
    expect([
      await panels().revise(made.workspaceId, made.id, change),
      await panels().revise(made.workspaceId, made.id, change),
    ]).to.deep.equal([true, true]);
    const found = await panels().find(made.id);
    expect([found?.name, found?.template, found?.createdAt, found?.revisedAt]).to.deep.equal([
      'second',
      '{"a":1}',
      start,
      start + 9,
    ]);
    expect([...((await panels().readArchive(made.id)) ?? [])]).to.deep.equal([7]);
  });

  it('removes one panel with its archive, and says whether there was one', async () => {
    const made = await addPanel();
    const kept = await addPanel({ workspaceId: made.workspaceId });

    expect([
      await panels().remove(made.id),
      await panels().remove(made.id),
      await panels().remove('x'),
    ]).to.deep.equal([true, false, false]);
    expect([await panels().find(made.id), await panels().readArchive(made.id)]).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect((await panels().list(made.workspaceId)).map((panel) => panel.id)).to.deep.equal([
      kept.id,
    ]);
  });

  it('knows no id that is none', async () => {
    expect([
      await panels().find('x'),
      await panels().find(freshId()),
      await panels().readArchive('x'),
    ]).to.deep.equal([undefined, undefined, undefined]);
    expect(
      await panels().revise(freshId(), 'x', {
        name: '',
        template: '',
        archive: new Uint8Array(),
        revisedAt: 1,
      }),
    ).to.equal(false);
  });

  it('lists the panels of one workspace in the order they were made', async () => {
    const { workspaceId } = await addPanel({ name: 'second', createdAt: start + 2 });
    await addPanel({ name: 'first', workspaceId, createdAt: start + 1 });
    await addPanel({ name: 'elsewhere' });

    expect((await panels().list(workspaceId)).map((panel) => panel.name)).to.deep.equal([
      'first',
      'second',
    ]);
  });
};
