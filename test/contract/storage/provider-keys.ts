import { expect } from 'chai';
import type { ProviderKey } from '#ports/model/provider-keys';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, rejection } from './builders.js';
import { byAnn, byBob } from './environments.js';

/** What every store of provider keys keeps to. */
export const providerKeyContract = (storage: () => Storage): void => {
  const keys = () => storage().stores.providerKeys;
  const add = async (given: Partial<ProviderKey> = {}): Promise<ProviderKey> => {
    const made: ProviderKey = {
      workspaceId: freshId(),
      id: freshId(),
      provider: 'custom-llm',
      providerName: freshName('provider'),
      name: undefined,
      sealedKey: undefined,
      maskedKey: undefined,
      sealedHeaders: undefined,
      configuration: undefined,
      baseUrl: undefined,
      ...byAnn,
      ...given,
    };
    await keys().insert(made);
    return made;
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({
      name: ' näme \u{1f600} ',
      sealedKey: 'sealed',
      maskedKey: '…1234',
      sealedHeaders: { 'X-One': 'sealed too' },
      configuration: { region: 'eu', '': '' },
      baseUrl: 'https://models.example/v1',
    });
    const other = await add({ id: made.id, providerName: made.providerName });

    expect(await keys().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await keys().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await keys().find(freshId(), made.id)).to.equal(undefined);
    expect(await keys().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
  });

  it('refuses an id, and a provider of a name, that the workspace has', async () => {
    const made = await add({ provider: 'openai', providerName: undefined });
    const { workspaceId } = made;
    const [first, second] = [await add({ workspaceId }), await add({ workspaceId })];

    for (const given of [
      { id: made.id },
      { provider: 'openai', providerName: undefined } as const,
      { providerName: first.providerName },
    ])
      expect(await rejection(add({ workspaceId, ...given }))).to.include({ kind: 'conflict' });
    expect(
      await rejection(
        keys().update(workspaceId, second.id, {
          providerName: first.providerName ?? '',
          ...byBob,
        }),
      ),
    ).to.include({ kind: 'conflict' });
    await add({ workspaceId, provider: 'ollama', providerName: first.providerName });
  });

  it('lists those of a workspace in the order of their ids', async () => {
    const workspaceId = freshId();
    const made = [await add({ workspaceId }), await add({ workspaceId })];
    await add();

    expect(await keys().list(workspaceId)).to.deep.equal(
      made.sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  it('changes only what is given, and says whether it was there', async () => {
    const made = await add({ sealedKey: 'first', maskedKey: '…', name: 'one' });
    const { workspaceId, id } = made;
    const providerName = freshName('provider');
    const change = { sealedKey: 'second', maskedKey: '…2', providerName, ...byBob };

    expect([
      await keys().update(workspaceId, id, change),
      await keys().update(workspaceId, id, change),
      await keys().update(freshId(), id, { name: 'two', ...byBob }),
      await keys().update(workspaceId, freshId(), byBob),
      await keys().update(workspaceId, 'no-such-id', byBob),
    ]).to.deep.equal([true, true, false, false, false]);
    expect(await keys().find(workspaceId, id)).to.deep.equal({ ...made, ...change });
    await add({ workspaceId, providerName: made.providerName });
  });

  it('removes those that are there, of one workspace alone', async () => {
    const made = await add();
    const other = await add({ id: made.id });
    const kept = await add({ workspaceId: made.workspaceId });

    await keys().remove(made.workspaceId, [made.id, freshId(), 'no-such-id']);

    expect(await keys().find(made.workspaceId, made.id)).to.equal(undefined);
    expect(await keys().find(made.workspaceId, kept.id)).to.deep.equal(kept);
    expect(await keys().find(other.workspaceId, made.id)).to.deep.equal(other);
  });
};
