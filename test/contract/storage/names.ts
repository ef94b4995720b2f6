import { expect } from 'chai';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { NameQuery } from '#ports/storage/names';
import type { Storage } from '#ports/storage/storage';
import { addArtifact, addExperiment, addProject, freshId, freshName, start } from './builders.js';

/** What every store that finds things by their names keeps to. */
export const nameContract = (storage: () => Storage): void => {
  let [mine, open, theirs]: readonly (Project | undefined)[] = [];
  let word: string;
  let run: Experiment;
  const project = (given: Project | undefined): Project => {
    if (given === undefined) throw new Error('the project was not made');
    return given;
  };
  const addModel = async (workspaceId: string, name: string): Promise<string> => {
    const id = freshId();
    await storage().stores.registry.insertModel({
      id,
      workspaceId,
      name,
      normalName: name,
      description: undefined,
      public: false,
      userId: freshId(),
      createdAt: start,
    });
    return id;
  };

  before(async () => {
    word = freshName('needle');
    mine = await addProject(storage(), { name: `the ${word.toUpperCase()}` });
    open = await addProject(storage(), { name: `${word} in the open`, public: true });
    theirs = await addProject(storage(), { name: `${word} of others` });
    run = await addExperiment(storage(), { projectId: mine.id, name: `run ${word}` });
  });
  const find = (asked: Partial<NameQuery> = {}) =>
    storage().stores.names.find({
      text: word,
      reach: { workspaceIds: [project(mine).workspaceId], public: false },
      limit: 10,
      ...asked,
    });
  const namesOf = async (asked: Partial<NameQuery> = {}) =>
    (await find(asked)).things.map(({ kind, name }) => [kind, name]);

  it('finds a thing of each kind by part of its name in any case', async () => {
    const at = project(mine);
    const own = freshName('each');
    const inside = await addProject(storage(), { workspaceId: at.workspaceId, name: `A ${own} b` });
    const made = await addExperiment(storage(), {
      projectId: inside.id,
      name: `x${own.toUpperCase()}y`,
    });
    const model = await addModel(at.workspaceId, `model-${own}`);
    const artifact = await addArtifact(storage(), made, { name: `artifact ${own}` });

    const place = { key: undefined, workspaceName: at.workspaceName };
    const nowhere = { projectId: undefined, projectName: undefined };
    expect(await find({ text: own.toUpperCase() })).to.deep.equal({
      things: [
        {
          ...place,
          kind: 'project',
          id: inside.id,
          name: inside.name,
          projectId: inside.id,
          projectName: inside.name,
        },
        {
          ...place,
          kind: 'run',
          id: made.id,
          name: made.name,
          key: made.key,
          projectId: inside.id,
          projectName: inside.name,
        },
        { ...place, ...nowhere, kind: 'model', id: model, name: `model-${own}` },
        { ...place, ...nowhere, kind: 'artifact', id: artifact.id, name: `artifact ${own}` },
      ],
      more: [],
    });
  });

  it('finds nothing of a workspace that is out of reach, except what is public where that is asked for', async () => {
    expect(await namesOf()).to.deep.equal([
      ['project', `the ${word.toUpperCase()}`],
      ['run', `run ${word}`],
    ]);
    const workspaceIds = [project(mine).workspaceId];
    expect(await namesOf({ reach: { workspaceIds, public: true } })).to.deep.equal([
      ['project', `${word} in the open`],
      ['project', `the ${word.toUpperCase()}`],
      ['run', `run ${word}`],
    ]);
    expect(await namesOf({ reach: { workspaceIds: [], public: false } })).to.deep.equal([]);
    expect(await namesOf({ reach: { workspaceIds: 'all', public: false } })).to.have.length(4);
  });

  it('finds only what lies in the one workspace or the one project that is asked for', async () => {
    const reach = { workspaceIds: 'all', public: false } as const;
    expect(
      await namesOf({ reach: { ...reach, within: project(theirs).workspaceId } }),
    ).to.deep.equal([['project', `${word} of others`]]);
    expect(await namesOf({ reach: { ...reach, projectId: project(mine).id } })).to.deep.equal([
      ['project', `the ${word.toUpperCase()}`],
      ['run', `run ${word}`],
    ]);
    expect(await namesOf({ reach: { ...reach, projectId: project(open).id } })).to.deep.equal([
      ['project', `${word} in the open`],
    ]);
  });

  it('leaves models and artifacts out where one project is asked for, since they are the workspace’s', async () => {
    const own = freshName('project-only');
    await addModel(project(mine).workspaceId, own);
    await addArtifact(storage(), run, { name: own });

    expect(await namesOf({ text: own })).to.have.length(2);
    expect(
      await namesOf({
        text: own,
        reach: { workspaceIds: 'all', public: true, projectId: project(mine).id },
      }),
    ).to.deep.equal([]);
  });

  it('finds a run by the beginning of its key', async () => {
    expect(await namesOf({ text: run.key.slice(0, 12) })).to.deep.equal([['run', run.name]]);
    expect(
      await namesOf({
        text: run.key.slice(0, 12),
        reach: { workspaceIds: [project(theirs).workspaceId], public: true },
      }),
    ).to.deep.equal([]);
  });

  it('gives names that begin with the text first, up to the limit of each kind, and says of which there are more', async () => {
    const own = freshName('many');
    const { workspaceId } = project(mine);
    for (const name of [`${own} 1`, `a ${own}`, `b ${own}`])
      await addProject(storage(), { workspaceId, name });

    expect(await namesOf({ text: own })).to.deep.equal([
      ['project', `${own} 1`],
      ['project', `b ${own}`],
      ['project', `a ${own}`],
    ]);
    expect(await find({ text: own, limit: 2 })).to.deep.include({ more: ['project'] });
    expect(await namesOf({ text: own, limit: 2 })).to.have.length(2);
  });

  it('takes signs of patterns as they are', async () => {
    const own = freshName('signs');
    const { workspaceId } = project(mine);
    await addProject(storage(), { workspaceId, name: `${own} 100%_!` });

    expect(await namesOf({ text: `${own} 100%_!` })).to.have.length(1);
    expect(await namesOf({ text: `${own}_100` })).to.deep.equal([]);
    expect(await namesOf({ text: `${own}%` })).to.deep.equal([]);
  });

  it('finds no deleted project, nor its runs, nor archived or deleted ones', async () => {
    const own = freshName('gone');
    const { stores } = storage();
    const { workspaceId, id: projectId } = project(mine);
    const gone = await addProject(storage(), { workspaceId, name: own });
    await addExperiment(storage(), { projectId: gone.id, name: own });
    const archived = await addExperiment(storage(), { projectId, name: own });
    const deleted = await addExperiment(storage(), { projectId, name: own });
    expect(await namesOf({ text: own })).to.have.length(4);

    await stores.projects.markDeleted(gone.id, start);
    await stores.experiments.update(archived.id, { archived: true });
    await stores.experiments.markDeleted(deleted.id, start);

    expect(await namesOf({ text: own })).to.deep.equal([]);
    expect(await namesOf({ text: archived.key })).to.deep.equal([]);
  });
};
