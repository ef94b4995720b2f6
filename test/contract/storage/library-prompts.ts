import { expect } from 'chai';
import type { LibraryPrompt } from '#ports/model/library-prompts';
import type { NewPromptVersion, PromptListing } from '#ports/storage/library-prompts';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, rejection, start } from './builders.js';
import { byAnn, byBob } from './environments.js';

const startMicros = start * 1000;

/** What every store of prompts keeps to. */
export const libraryPromptContract = (storage: () => Storage): void => {
  const prompts = () => storage().stores.libraryPrompts;
  const add = async (given: Partial<LibraryPrompt> = {}): Promise<LibraryPrompt> => {
    const made: LibraryPrompt = {
      workspaceId: freshId(),
      id: freshId(),
      projectId: undefined,
      name: freshName('prompt'),
      description: undefined,
      structure: 'text',
      tags: undefined,
      versionCount: 0,
      ...byAnn,
      ...given,
    };
    await prompts().insert(made);
    return made;
  };
  const aVersion = (
    { workspaceId, id: promptId }: LibraryPrompt,
    given: Partial<NewPromptVersion> = {},
  ): NewPromptVersion => {
    const id = freshId();
    return {
      workspaceId,
      promptId,
      id,
      commit: id.slice(-8),
      template: 'Hello {{name}}',
      metadata: undefined,
      type: 'mustache',
      changeDescription: undefined,
      tags: undefined,
      createdAt: startMicros,
      createdBy: 'ann',
      ...given,
    };
  };
  const addVersion = async (prompt: LibraryPrompt, given: Partial<NewPromptVersion> = {}) => {
    const made = await prompts().addVersion(aVersion(prompt, given));
    if (made === undefined) throw new Error('the prompt is not there');
    return made;
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({
      projectId: freshId(),
      name: ' näme \u{1f600} ',
      description: 'words',
      structure: 'chat',
      tags: ['b', 'a'],
    });
    const other = await add({ id: made.id });

    expect(await prompts().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await prompts().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await prompts().find(freshId(), made.id)).to.equal(undefined);
    expect(await prompts().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    expect(
      await prompts().findMany(made.workspaceId, [made.id, freshId(), 'no-such-id']),
    ).to.deep.equal([made]);
  });

  it('keeps names apart by project, and finds those of the workspace first', async () => {
    const [workspaceId, projectId, name] = [freshId(), freshId(), freshName('name')];
    const ofProject = await add({ workspaceId, projectId, name });
    expect(await prompts().findAnywhere(workspaceId, name)).to.deep.equal(ofProject);
    const ofWorkspace = await add({ workspaceId, name });

    expect(await prompts().findByName(workspaceId, projectId, name)).to.deep.equal(ofProject);
    expect(await prompts().findByName(workspaceId, undefined, name)).to.deep.equal(ofWorkspace);
    expect(await prompts().findAnywhere(workspaceId, name)).to.deep.equal(ofWorkspace);
    expect(await prompts().findByName(workspaceId, freshId(), name)).to.equal(undefined);
    for (const taken of [{ name }, { name, projectId }, { id: ofProject.id }])
      expect(await rejection(add({ workspaceId, ...taken }))).to.include({ kind: 'conflict' });
  });

  it('changes what is given alone, and says whether it was there', async () => {
    const made = await add({ description: 'first' });
    const { workspaceId, id } = made;
    const other = await add({ workspaceId });
    const change = { name: 'new', tags: [], ...byBob };

    expect([
      await prompts().update(workspaceId, id, change),
      await prompts().update(workspaceId, id, change),
      await prompts().update(freshId(), id, change),
      await prompts().update(workspaceId, 'no-such-id', change),
    ]).to.deep.equal([true, true, false, false]);
    expect(await prompts().findByName(workspaceId, undefined, 'new')).to.deep.equal({
      ...made,
      ...change,
    });
    expect(
      await rejection(prompts().update(workspaceId, id, { name: other.name, ...byBob })),
    ).to.include({ kind: 'conflict' });
  });

  it('finds names whose letters are new in Unicode as they are written, and tells them apart', async () => {
    const workspaceId = freshId();
    const [a, b] = [
      await add({ workspaceId, name: 'ᎣᏏᏲ Ꟁ' }),
      await add({ workspaceId, name: 'ᎣᏏᏲ Ꟃ' }),
    ];
    const named = async (name: string) =>
      (
        await prompts().list({
          ...{ workspaceId, name, filters: [], orders: [], offset: 0, limit: 9 },
        })
      ).content.map(({ id }) => id);

    expect(await named('ᏏᏲ')).to.deep.equal([b.id, a.id]);
    for (const one of [a, b]) expect(await named(one.name)).to.deep.equal([one.id]);
  });

  it('lists those of a workspace or project, by filters, in an order, page by page', async () => {
    const [workspaceId, projectId] = [freshId(), freshId()];
    const [a, b, c] = [
      await add({ workspaceId, projectId, name: 'Alpha %_', tags: ['x'] }),
      await add({ workspaceId, name: 'beta', structure: 'chat' }),
      await add({ workspaceId, name: 'alphabet' }),
    ];
    await add();
    await addVersion(b);
    const list = async (listing: Partial<PromptListing> = {}) => {
      const { total, content } = await prompts().list({
        workspaceId,
        filters: [],
        orders: [],
        offset: 0,
        limit: 100,
        ...listing,
      });
      return [total, ...content.map(({ id }) => id)];
    };

    expect(await list()).to.deep.equal([3, c.id, b.id, a.id]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([3, b.id]);
    expect(await list({ projectId })).to.deep.equal([1, a.id]);
    expect(await list({ name: 'ALPHA' })).to.deep.equal([2, c.id, a.id]);
    expect(await list({ orders: [{ field: 'version_count', descending: true }] })).to.deep.equal([
      3,
      b.id,
      c.id,
      a.id,
    ]);
    const filtered = (filter: PromptListing['filters'][number]) => list({ filters: [filter] });
    expect(
      await filtered({ field: 'tags', is: 'list', operator: 'equals', value: 'x' }),
    ).to.deep.equal([1, a.id]);
    expect(
      await filtered({
        field: 'template_structure',
        is: 'text',
        operator: 'equals',
        value: 'CHAT',
      }),
    ).to.deep.equal([1, b.id]);
    expect(
      await filtered({ field: 'version_count', is: 'number', operator: 'atLeast', value: 1 }),
    ).to.deep.equal([1, b.id]);
  });

  it('orders names by their signs, whatever comes behind the end of a shorter one', async () => {
    const workspaceId = freshId();
    for (const name of ['a ', 'a', 'b', 'a\n', 'ab']) await add({ workspaceId, name });
    const { content } = await prompts().list({
      ...{ workspaceId, filters: [], offset: 0, limit: 9 },
      orders: [{ field: 'name', descending: false }],
    });

    expect(content.map(({ name }) => name)).to.deep.equal(['a', 'a\n', 'a ', 'ab', 'b']);
  });

  it('numbers versions one after the other, also when many come at once', async () => {
    const prompt = await add();
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(() => addVersion(prompt)));

    expect(made.map(({ number }) => number).sort()).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(await prompts().find(prompt.workspaceId, prompt.id)).to.deep.include({
      versionCount: 6,
      lastUpdatedBy: 'ann',
    });
    expect(await prompts().addVersion(aVersion({ ...prompt, id: freshId() }))).to.equal(undefined);
  });

  it('returns versions as they were stored, and refuses a commit and an id twice', async () => {
    const prompt = await add();
    const { workspaceId } = prompt;
    const made = await addVersion(prompt, {
      template: ' näme \u{1f600}\n',
      metadata: '{}',
      type: 'jinja2',
      changeDescription: 'why',
      tags: ['b', 'a'],
    });
    const plain = await addVersion(prompt);

    expect(
      await prompts().findVersions(workspaceId, [made.id, plain.id, freshId(), 'no']),
    ).to.deep.equal([made, plain]);
    expect(await prompts().findVersions(freshId(), [made.id])).to.deep.equal([]);
    for (const taken of [{ commit: made.commit }, { id: made.id }])
      expect(await rejection(addVersion(prompt, taken))).to.include({ kind: 'conflict' });
    expect((await addVersion(prompt)).number).to.equal(3);
    const other = await add({ workspaceId });
    const same = await addVersion(other, { commit: made.commit });
    expect(
      (await prompts().findByCommits(workspaceId, [made.commit, 'none'])).map(({ id }) => id),
    ).to.deep.equal([made.id, same.id]);
    expect(
      [...(await prompts().findNewest(workspaceId, [prompt.id, other.id, freshId()])).values()]
        .map(({ number }) => number)
        .sort(),
    ).to.deep.equal([1, 3]);
  });

  it('finds the version for which everything that is said holds', async () => {
    const prompt = await add();
    const { workspaceId, id } = prompt;
    const [first, second] = [await addVersion(prompt), await addVersion(prompt)];
    await prompts().setEnvironments(workspaceId, first.id, ['production']);
    const find = async (by: Parameters<ReturnType<typeof prompts>['findVersion']>[2]) =>
      (await prompts().findVersion(workspaceId, id, by))?.number;

    expect([
      await find({}),
      await find({ commit: first.commit }),
      await find({ number: 1 }),
      await find({ environment: 'production' }),
      await find({ commit: first.commit, environment: 'production' }),
      await find({ commit: second.commit, environment: 'production' }),
      await find({ number: 3 }),
      await find({ environment: 'staging' }),
    ]).to.deep.equal([2, 1, 1, 1, 1, undefined, undefined, undefined]);
    expect(await prompts().findVersion(freshId(), id, {})).to.equal(undefined);
  });

  it('lists versions, the newest first, by filters and what stands in them', async () => {
    const prompt = await add();
    const { workspaceId, id: promptId } = prompt;
    await addVersion(prompt, { template: 'One', tags: ['x'], metadata: '{"m":{"k":"v"}}' });
    await addVersion(prompt, { template: 'two', changeDescription: 'ONE more' });
    await addVersion(prompt, { template: 'three', type: 'python' });
    const list = async (
      listing: Partial<Parameters<ReturnType<typeof prompts>['listVersions']>[0]> = {},
    ) => {
      const { total, content } = await prompts().listVersions({
        workspaceId,
        promptId,
        filters: [],
        orders: [],
        offset: 0,
        limit: 10,
        ...listing,
      });
      return [total, content.map(({ number }) => number)];
    };

    expect(await list()).to.deep.equal([3, [3, 2, 1]]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([3, [2]]);
    expect(await list({ search: 'one' })).to.deep.equal([2, [2, 1]]);
    expect(await list({ orders: [{ field: 'template', descending: false }] })).to.deep.equal([
      3,
      [1, 3, 2],
    ]);
    const filtered = (filter: PromptListing['filters'][number]) => list({ filters: [filter] });
    expect(
      await filtered({ field: 'version_number', is: 'text', operator: 'equals', value: 'v2' }),
    ).to.deep.equal([1, [2]]);
    expect(
      await filtered({
        field: 'metadata',
        path: ['m', 'k'],
        is: 'text',
        operator: 'equals',
        value: 'v',
      }),
    ).to.deep.equal([1, [1]]);
  });

  it('gives tags to versions, in place of those they have or beside them', async () => {
    const prompt = await add();
    const { workspaceId } = prompt;
    const [a, b] = [await addVersion(prompt, { tags: ['x'] }), await addVersion(prompt)];
    const tags = async () =>
      (await prompts().findVersions(workspaceId, [a.id, b.id])).map((one) => one.tags);

    await prompts().tagVersions(workspaceId, [a.id, b.id, freshId(), 'no'], ['y', 'x'], true);
    expect(await tags()).to.deep.equal([
      ['x', 'y'],
      ['y', 'x'],
    ]);
    await prompts().tagVersions(workspaceId, [a.id], [], false);
    await prompts().tagVersions(freshId(), [b.id], [], false);
    expect(await tags()).to.deep.equal([[], ['y', 'x']]);
  });

  it('moves an environment from one version of a prompt to another', async () => {
    const prompt = await add();
    const { workspaceId } = prompt;
    const [a, b] = [await addVersion(prompt), await addVersion(prompt)];
    const other = await addVersion(await add({ workspaceId }));
    const environments = async () =>
      (await prompts().findVersions(workspaceId, [a.id, b.id, other.id])).map((one) =>
        one.environments.join(' '),
      );

    expect([
      await prompts().setEnvironments(workspaceId, a.id, ['p', 's', 'p']),
      await prompts().setEnvironments(workspaceId, other.id, ['p']),
      await prompts().setEnvironments(freshId(), a.id, []),
      await prompts().setEnvironments(workspaceId, 'no-such-id', []),
    ]).to.deep.equal([true, true, false, false]);
    expect(await environments()).to.deep.equal(['p s', '', 'p']);
    await prompts().setEnvironments(workspaceId, b.id, ['s', 'q']);
    expect(await environments()).to.deep.equal(['p', 'q s', 'p']);
    await prompts().setEnvironments(workspaceId, b.id, []);
    expect(await environments()).to.deep.equal(['p', '', 'p']);
  });

  it('removes prompts with their versions, of one workspace alone', async () => {
    const made = await add();
    const other = await add({ id: made.id });
    const version = await addVersion(made);
    const kept = await addVersion(other);
    await prompts().setEnvironments(made.workspaceId, version.id, ['p']);

    await prompts().remove(made.workspaceId, [made.id, freshId(), 'no-such-id']);

    expect(await prompts().find(made.workspaceId, made.id)).to.equal(undefined);
    expect(await prompts().findVersions(made.workspaceId, [version.id])).to.deep.equal([]);
    expect(await prompts().findVersions(other.workspaceId, [kept.id])).to.deep.equal([kept]);
    await add({ workspaceId: made.workspaceId, id: made.id, name: made.name });
    expect(await prompts().findVersion(made.workspaceId, made.id, {})).to.equal(undefined);
  });
};
