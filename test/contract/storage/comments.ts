import { expect } from 'chai';
import type { NewComment } from '#ports/storage/comments';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addUser, freshId, start } from './builders.js';
import { addModel, addVersion } from './registry-builders.js';

/** What every store of comments keeps to. */
export const commentContract = (storage: () => Storage): void => {
  const comments = () => storage().stores.comments;
  const addComment = async (given: Partial<NewComment> = {}): Promise<NewComment> => {
    const comment: NewComment = {
      id: freshId(),
      experimentId: given.versionId === undefined ? freshId() : undefined,
      versionId: undefined,
      modelId: undefined,
      firstStep: undefined,
      lastStep: undefined,
      authorId: given.authorId ?? freshId(),
      text: 'words',
      createdAt: start,
      ...given,
    };
    await comments().insert(comment);
    return comment;
  };

  it('returns what was stored, of a range of steps too', async () => {
    const [run, user] = [await addExperiment(storage()), await addUser(storage())];
    const made = await addComment({
      experimentId: run.id,
      firstStep: -5,
      lastStep: 9_000_000_000,
      authorId: user.id,
      text: `<b>näme</b> \u{1f600}\n${'x'.repeat(16_000)} `,
    });

    expect(await comments().find(made.id)).to.deep.equal({
      ...made,
      authorName: user.name,
      editedAt: undefined,
    });
    expect(await comments().find(freshId())).to.equal(undefined);
    expect(await comments().find('no-such-comment')).to.equal(undefined);
  });

  it('lists and counts comments on a run and on a version apart, in the order they were made', async () => {
    const run = await addExperiment(storage());
    const model = await addModel(storage());
    const version = await addVersion(storage(), model);
    const first = await addComment({ experimentId: run.id });
    const second = await addComment({ experimentId: run.id });
    const other = await addComment({ versionId: version.id, modelId: model.id });
    await addComment();
    const idsOf = async (
      about: Parameters<ReturnType<typeof comments>['list']>[0]['about'],
      more: { readonly afterId?: string; readonly limit?: number } = {},
    ) => (await comments().list({ about, limit: 10, ...more })).map(({ id }) => id);
    const onRun = { experimentId: run.id };
    const onVersion = { modelId: model.id, versionId: version.id };

    expect(await idsOf(onRun)).to.deep.equal([first.id, second.id]);
    expect(await idsOf(onRun, { limit: 1 })).to.deep.equal([first.id]);
    expect(await idsOf(onRun, { afterId: first.id })).to.deep.equal([second.id]);
    expect(await idsOf(onVersion)).to.deep.equal([other.id]);
    expect([await comments().count(onRun), await comments().count(onVersion)]).to.deep.equal([
      2, 1,
    ]);
  });

  it('changes the words of a comment, also to the same ones, and says whether it was there', async () => {
    const { id } = await addComment();

    expect([
      await comments().edit(id, 'other', start + 1),
      await comments().edit(id, 'other', start + 1),
      await comments().edit(freshId(), 'other', start + 1),
      await comments().edit('no-such-comment', 'other', start + 1),
    ]).to.deep.equal([true, true, false, false]);
    expect(await comments().find(id)).to.include({ text: 'other', editedAt: start + 1 });
  });

  it('removes a comment once', async () => {
    const { id } = await addComment();

    expect([
      await comments().remove(id),
      await comments().remove(id),
      await comments().remove('no-such-comment'),
    ]).to.deep.equal([true, false, false]);
    expect(await comments().find(id)).to.equal(undefined);
  });
};
