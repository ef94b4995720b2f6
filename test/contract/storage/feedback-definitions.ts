import { expect } from 'chai';
import type { FeedbackDefinition } from '#ports/model/feedback-definitions';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, rejection } from './builders.js';
import { byAnn, byBob } from './environments.js';

/** What every store of definitions of scores keeps to. */
export const feedbackDefinitionContract = (storage: () => Storage): void => {
  const definitions = () => storage().stores.feedbackDefinitions;
  const add = async (given: Partial<FeedbackDefinition> = {}): Promise<FeedbackDefinition> => {
    const made: FeedbackDefinition = {
      workspaceId: freshId(),
      id: freshId(),
      name: freshName('definition'),
      description: undefined,
      type: 'numerical',
      details: '{"min":0,"max":1}',
      ...byAnn,
      ...given,
    };
    await definitions().insert(made);
    return made;
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({ name: ' näme \u{1f600} ', description: 'words' });
    const other = await add({ id: made.id, name: made.name });

    expect(await definitions().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await definitions().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await definitions().find(freshId(), made.id)).to.equal(undefined);
    expect(await definitions().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    for (const taken of [{ id: made.id }, { name: made.name }])
      expect(await rejection(add({ workspaceId: made.workspaceId, ...taken }))).to.include({
        kind: 'conflict',
      });
  });

  it('lists those of a name and a type, the greatest id first', async () => {
    const workspaceId = freshId();
    const [a, b] = [
      await add({ workspaceId, name: 'Alpha' }),
      await add({ workspaceId, name: 'beta', type: 'boolean' }),
    ];
    await add();
    const list = async (
      more: Partial<Parameters<ReturnType<typeof definitions>['list']>[0]> = {},
    ) => {
      const { total, content } = await definitions().list({
        workspaceId,
        offset: 0,
        limit: 10,
        ...more,
      });
      return [total, ...content.map(({ id }) => id)];
    };

    expect(await list()).to.deep.equal([2, b.id, a.id]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([2, a.id]);
    expect(await list({ name: 'ALP' })).to.deep.equal([1, a.id]);
    expect(await list({ type: 'boolean' })).to.deep.equal([1, b.id]);
  });

  it('replaces what one says, and removes those that are there', async () => {
    const made = await add({ description: 'words' });
    const { workspaceId, id } = made;
    const other = await add({ workspaceId });
    const change = {
      name: 'new',
      description: undefined,
      type: 'categorical' as const,
      details: '{"categories":{"a":1}}',
      ...byBob,
    };

    expect([
      await definitions().replace(workspaceId, id, change),
      await definitions().replace(workspaceId, id, change),
      await definitions().replace(freshId(), id, change),
      await definitions().replace(workspaceId, 'no-such-id', change),
    ]).to.deep.equal([true, true, false, false]);
    expect(await definitions().find(workspaceId, id)).to.deep.equal({ ...made, ...change });
    expect(
      await rejection(definitions().replace(workspaceId, id, { ...change, name: other.name })),
    ).to.include({ kind: 'conflict' });
    await definitions().remove(workspaceId, [id, freshId(), 'no-such-id']);
    await definitions().remove(freshId(), [other.id]);
    expect(await definitions().find(workspaceId, id)).to.equal(undefined);
    expect(await definitions().find(workspaceId, other.id)).to.deep.equal(other);
  });
};
