import { expect } from 'chai';
import { followPrompt, linkPrompts } from '#core/agent-configs/offers';
import type { Caller } from '#ports/model/identity';
import { addProject, freshId, freshName, start } from '#test/contract/storage/builders';
import { aBlueprint } from '#test/contract/storage/agent-configs';
import { byAnn } from '#test/contract/storage/environments';
import { embedded } from '../opened.js';

describe('values of configurations that hold prompts', function () {
  this.timeout(60_000);
  const opened = embedded();
  const stores = () => opened().storage.stores;
  const clock = { now: () => start };
  const ids = { next: freshId } as never; // nothing else is asked of it
  const callerOf = (projectId?: string): Caller =>
    ({ userName: 'bob', ...(projectId && { scope: { projectId } }) }) as unknown as Caller; // what is read of one

  /** A prompt with so many versions, in a project or of the workspace; their commits. */
  const addPrompt = async (
    workspaceId: string,
    projectId: string | undefined,
    commits: string[],
  ) => {
    const prompt = { workspaceId, id: freshId(), projectId, name: freshName('prompt') };
    await stores().libraryPrompts.insert({
      ...{ ...prompt, description: undefined, structure: 'text', tags: undefined, ...byAnn },
    });
    for (const commit of commits)
      await stores().libraryPrompts.addVersion({
        ...{ workspaceId, promptId: prompt.id, id: freshId(), commit, template: commit },
        ...{ metadata: undefined, type: 'mustache', changeDescription: undefined },
        ...{ tags: undefined, createdAt: start, createdBy: 'ann' },
      });
    return prompt;
  };
  const held = (type: 'prompt' | 'prompt_commit' | 'string', commit: string) => ({
    ...{ key: `${type} ${commit}`, value: commit, type, description: undefined },
  });

  it('follow the one prompt whose version they name, where the credential reaches it', async () => {
    const project = await addProject(opened().storage);
    const { workspaceId } = project;
    const [a, b] = ['a1', 'b1'].map(() => freshName());
    const same = freshName();
    const inProject = await addPrompt(workspaceId, project.id, [a ?? '', same]);
    const outside = await addPrompt(workspaceId, undefined, [freshName(), b ?? '']);
    await addPrompt(workspaceId, undefined, [same]);
    const values = [
      held('prompt', a ?? ''),
      held('prompt', b ?? ''),
      held('prompt', same),
      held('prompt', 'unknown'),
      held('prompt_commit', a ?? ''),
      held('string', a ?? ''),
    ];
    const link = async (caller: Caller) =>
      (await linkPrompts(stores(), workspaceId, values, caller)).map(({ follows }) => follows);
    const [first, second] = [
      { promptId: inProject.id, number: 1 },
      { promptId: outside.id, number: 2 },
    ];
    const none = [undefined, undefined, undefined];

    expect(await link(callerOf())).to.deep.equal([first, second, undefined, ...none]);
    const narrowed = await link(callerOf(project.id));
    expect(narrowed.slice(0, 3)).to.deep.equal([
      first,
      undefined,
      { promptId: inProject.id, number: 2 },
    ]);
  });

  it('move on in every project, or in that of a credential of one project alone', async () => {
    const one = await addProject(opened().storage);
    const { workspaceId } = one;
    const other = await addProject(opened().storage, { workspaceId });
    const prompt = await addPrompt(workspaceId, undefined, [freshName()]);
    const follows = { promptId: prompt.id, number: 1 };
    const values = [{ ...held('prompt', 'c1'), follows }];
    for (const project of [one, other])
      await stores().agentConfigs.create(freshId(), aBlueprint(project, { values }), 'prod');
    const move = (number: number, caller: Caller) =>
      followPrompt(stores(), { clock, ids }, prompt, { number, commit: `c${number}` }, caller);
    const newest = async () =>
      Promise.all(
        [one, other].map(
          async ({ id }) => (await stores().agentConfigs.findIn(id, 'newest'))?.description,
        ),
      );

    await move(1, callerOf());
    expect(await newest()).to.deep.equal([undefined, undefined]);
    await move(2, callerOf(other.id));
    expect(await newest()).to.deep.equal([undefined, `v2 of the prompt ${prompt.name}`]);
    await move(3, callerOf());
    await move(2, callerOf());
    expect(await newest()).to.deep.equal(Array(2).fill(`v3 of the prompt ${prompt.name}`));
  });
});
