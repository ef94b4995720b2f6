import { expect } from 'chai';
import type { NewChannel } from '#ports/storage/channels';
import type { Storage } from '#ports/storage/storage';
import { isFailure } from '#ports/failure';
import { addWorkspace, countUnderLock, freshId, freshName, rejection, start } from './builders.js';

/** A channel of which only what matters is named. */
export const addChannel = async (
  storage: Storage,
  given: Partial<NewChannel> = {},
): Promise<NewChannel> => {
  const channel: NewChannel = {
    id: freshId(),
    workspaceId: given.workspaceId ?? (await addWorkspace(storage)).id,
    modelId: undefined,
    use: 'webhook',
    kind: 'http',
    userId: undefined,
    place: freshName('place'),
    name: undefined,
    triggers: undefined,
    form: undefined,
    formOptions: undefined,
    sealed: 'sealed',
    enabled: true,
    failures: 0,
    fault: undefined,
    createdBy: freshId(),
    createdAt: start,
    updatedAt: start,
    ...given,
  };
  await storage.stores.channels.insert(channel);
  return channel;
};

/** What every store of webhooks and channels keeps to. */
export const channelContract = (storage: () => Storage): void => {
  const channels = () => storage().stores.channels;
  const add = (given: Partial<NewChannel> = {}) => addChannel(storage(), given);
  const shown = ({ place: _, ...channel }: NewChannel) => channel;
  const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

  it('gives back a channel as it was made, by its id and by its place', async () => {
    const full = await add({
      modelId: freshId(),
      use: 'person',
      kind: 'email',
      userId: freshId(),
      place: `p ${'é'.repeat(3000)} ${freshId()}`,
      name: 'N ',
      triggers: ['A', 'B'],
      form: 'f',
      formOptions: '{"a":1}',
      sealed: 's'.repeat(20_000),
      enabled: false,
      failures: 3,
      fault: 'why',
    });
    const bare = await add();

    expect(await channels().find(full.id)).to.deep.equal(shown(full));
    expect(await channels().findByPlace(full.place)).to.deep.equal(shown(full));
    expect(await channels().find(bare.id)).to.deep.equal(shown(bare));
    expect([
      await channels().find('x'),
      await channels().find(freshId()),
      await channels().findByPlace(`${bare.place} `),
    ]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('keeps others from changing a channel that is locked', async () => {
    const { id } = await add({ sealed: '0' });

    const counted = await countUnderLock(storage(), 12, {
      async next(stores) {
        const channel = await stores.channels.lock(id);
        await stores.channels.update(id, {
          sealed: String(Number(channel?.sealed) + 1),
          updatedAt: start,
        });
      },
      read: async () => Number((await channels().find(id))?.sealed),
    });

    expect(counted).to.equal(12);
    expect([await channels().lock(freshId()), await channels().lock('x')]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('refuses a second channel in the same place, made or moved there', async () => {
    const first = await add();
    const second = await add();

    for (const thrown of [
      await rejection(add({ place: first.place })),
      await rejection(channels().update(second.id, { place: first.place, updatedAt: start })),
    ])
      expect(isFailure(thrown) && thrown.kind).to.equal('conflict');
    expect(await channels().update(second.id, { place: second.place, updatedAt: start })).to.equal(
      true,
    );
  });

  it('changes what is named and clears what is named as nothing', async () => {
    const made = await add({
      name: 'a',
      triggers: ['A'],
      form: 'f',
      formOptions: '{}',
      fault: 'why',
      enabled: false,
      failures: 4,
    });
    const place = freshName('moved');

    expect(await channels().update(made.id, { updatedAt: start + 1 })).to.equal(true);
    expect(await channels().find(made.id)).to.deep.equal({ ...shown(made), updatedAt: start + 1 });
    await channels().update(made.id, {
      updatedAt: start + 2,
      place,
      name: 'b',
      triggers: undefined,
      form: undefined,
      formOptions: undefined,
      fault: undefined,
      sealed: 'other',
      enabled: true,
      failures: 0,
    });

    expect(await channels().findByPlace(place)).to.deep.equal({
      ...shown(made),
      updatedAt: start + 2,
      name: 'b',
      triggers: undefined,
      form: undefined,
      formOptions: undefined,
      fault: undefined,
      sealed: 'other',
      enabled: true,
      failures: 0,
    });
    expect([
      await channels().update(freshId(), { updatedAt: start }),
      await channels().update('x', { updatedAt: start }),
    ]).to.deep.equal([false, false]);
  });

  it('lists those of a workspace and a use, of one model, of every model, or all', async () => {
    const [modelId, workspaceId] = [freshId(), (await addWorkspace(storage())).id];
    const [late, early, ofModel, other] = [
      await add({ workspaceId, createdAt: start + 5 }),
      await add({ workspaceId }),
      await add({ workspaceId, modelId, createdAt: start + 6 }),
      await add({ workspaceId, use: 'channel' }),
    ];
    await add();

    expect(idsOf(await channels().list({ workspaceId, use: 'webhook' }))).to.deep.equal([
      early.id,
      late.id,
      ofModel.id,
    ]);
    expect(
      idsOf(await channels().list({ workspaceId, use: 'webhook', modelId: null })),
    ).to.deep.equal([early.id, late.id]);
    expect(idsOf(await channels().list({ workspaceId, use: 'webhook', modelId }))).to.deep.equal([
      ofModel.id,
    ]);
    expect(idsOf(await channels().list({ workspaceId, use: 'channel' }))).to.deep.equal([other.id]);
  });

  it('tells of a model those that are switched on, for it or for every model, and no person', async () => {
    const [modelId, workspaceId] = [freshId(), (await addWorkspace(storage())).id];
    const [one, every, room] = [
      await add({ workspaceId, modelId }),
      await add({ workspaceId, createdAt: start + 1 }),
      await add({ workspaceId, use: 'channel', createdAt: start + 2 }),
    ];
    for (const given of [
      { modelId: freshId() },
      { enabled: false },
      { use: 'person' as const },
      { workspaceId: freshId() },
    ])
      await add({ workspaceId, ...given });

    expect(idsOf(await channels().listRecipients(workspaceId, [modelId]))).to.deep.equal([
      one.id,
      every.id,
      room.id,
    ]);
    expect(idsOf(await channels().listRecipients(workspaceId, [freshId()]))).to.deep.equal([
      every.id,
      room.id,
    ]);
    const other = await add({ workspaceId, modelId: freshId(), createdAt: start + 3 });
    expect(
      idsOf(
        await channels().listRecipients(workspaceId, [modelId, other.modelId ?? '', freshId()]),
      ),
    ).to.deep.equal([one.id, every.id, room.id, other.id]);
  });

  it('finds several at once, those that there are', async () => {
    const [one, two] = [await add(), await add()];
    await add();

    expect(await channels().findAll([one.id, freshId(), 'x', two.id])).to.have.deep.members([
      await channels().find(one.id),
      await channels().find(two.id),
    ]);
    expect(await channels().findAll([])).to.deep.equal([]);
  });

  it('counts failures that come at once', async () => {
    const { id } = await add({ failures: 2 });

    const counted = await Promise.all(Array.from({ length: 5 }, () => channels().noteFailure(id)));

    expect(Math.max(...counted)).to.equal(7);
    expect((await channels().find(id))?.failures).to.equal(7);
  });

  it('lists channels of a model that is gone no more', async () => {
    const [modelId, workspaceId] = [freshId(), (await addWorkspace(storage())).id];
    const [gone, stays] = [await add({ workspaceId, modelId }), await add({ workspaceId })];

    await channels().endModel(modelId);

    expect(idsOf(await channels().list({ workspaceId, use: 'webhook' }))).to.deep.equal([stays.id]);
    expect((await channels().find(gone.id))?.enabled).to.equal(true);
  });

  it('removes a channel, whose place is free then', async () => {
    const { id, place } = await add();

    expect([
      await channels().remove(id),
      await channels().remove(id),
      await channels().remove('x'),
    ]).to.deep.equal([true, false, false]);
    expect(await channels().find(id)).to.equal(undefined);
    await add({ place });
  });
};
