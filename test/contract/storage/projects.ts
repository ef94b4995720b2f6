import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, addUser, addWorkspace, freshName, rejection, start } from './builders.js';

/** What every project store keeps to. */
export const projectContract = (storage: () => Storage): void => {
  const projects = () => storage().stores.projects;

  it('finds a project by id and by its name in the workspace', async () => {
    const made = await addProject(storage(), { description: 'd', public: true });

    expect(await projects().findById(made.id)).to.deep.equal(made);
    expect(await projects().findByName(made.workspaceId, made.name)).to.deep.equal(made);
    expect([made.description, made.public, made.kind]).to.deep.equal(['d', true, 'em']);
  });

  it('finds nothing for an id that is none', async () => {
    expect(await projects().findById('no id')).to.equal(undefined);
  });

  it('tells names apart by case, accents and trailing blanks', async () => {
    const { workspaceId, name } = await addProject(storage(), { name: `Café-${freshName()}` });
    const others = [name.toUpperCase(), name.replace('é', 'e'), `${name} `];

    for (const other of others) await addProject(storage(), { workspaceId, name: other });

    for (const other of [name, ...others]) expect((await projects().findByName(workspaceId, other))?.name).to.equal(other);
  });

  it('refuses a name that the workspace has already', async () => {
    const { workspaceId, name } = await addProject(storage());

    const refusal = await rejection(addProject(storage(), { workspaceId, name }));

    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('keeps names too long to be indexed apart', async () => {
    const name = 'n'.repeat(900);
    const { workspaceId } = await addProject(storage(), { name });
    await addProject(storage(), { workspaceId, name: `${name}x` });

    expect((await projects().findByName(workspaceId, `${name}x`))?.name).to.have.length(901);
  });

  it('misses a deleted project at once and frees its name', async () => {
    const { id, workspaceId, name } = await addProject(storage());

    expect(await projects().markDeleted(id, start)).to.equal(true);
    expect(await projects().markDeleted(id, start)).to.equal(false);
    expect(await projects().findById(id)).to.equal(undefined);
    expect(await projects().findByName(workspaceId, name)).to.equal(undefined);
    expect((await addProject(storage(), { workspaceId, name })).name).to.equal(name);
  });

  it('changes only what is given', async () => {
    const made = await addProject(storage(), { description: 'before' });

    expect(await projects().update(made.id, { name: `${made.name}2`, updatedAt: start + 5 })).to.equal(true);
    expect(await projects().findById(made.id)).to.deep.equal({ ...made, name: `${made.name}2`, updatedAt: start + 5 });
    expect(await projects().findByName(made.workspaceId, made.name)).to.equal(undefined);
  });

  it('counts experiments at home there and tells the newest activity', async () => {
    const project = await addProject(storage());
    const one = await addExperiment(storage(), { projectId: project.id, createdAt: start + 10 });
    await addExperiment(storage(), { projectId: project.id, createdAt: start + 7 });
    const empty = await addProject(storage());

    const figures = await projects().figures([project.id, empty.id]);

    expect(figures.get(project.id)).to.deep.equal({ experiments: 2, lastUpdated: one.createdAt });
    expect(figures.get(empty.id)).to.deep.equal({ experiments: 0, lastUpdated: start });
  });

  it('moves to another workspace with its experiments', async () => {
    const project = await addProject(storage());
    const experiment = await addExperiment(storage(), { projectId: project.id });
    const target = await addWorkspace(storage());

    await projects().moveToWorkspace(project.id, target.id, start + 1);

    expect((await projects().findByName(target.id, project.name))?.workspaceName).to.equal(target.name);
    expect((await storage().stores.experiments.findByKey(experiment.key))?.workspaceName).to.equal(target.name);
    const again = await addProject(storage(), { workspaceId: project.workspaceId, name: project.name });
    const refusal = await rejection(projects().moveToWorkspace(again.id, target.id, start));
    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('lists the projects of a workspace by name', async () => {
    const workspace = await addWorkspace(storage());
    for (const name of ['b', 'a', 'c']) await addProject(storage(), { workspaceId: workspace.id, name });

    expect((await projects().listByWorkspace(workspace.id)).map((project) => project.name)).to.deep.equal(['a', 'b', 'c']);
  });

  it('keeps notes of any length and any letters', async () => {
    const { id } = await addProject(storage());
    const notes = `${'long '.repeat(40_000)}✓ 𝄞 ü`;

    expect(await projects().readNotes(id)).to.equal('');
    await projects().writeNotes(id, notes);

    expect(await projects().readNotes(id)).to.equal(notes);
  });

  it('keeps share codes in the order they were made', async () => {
    const { id } = await addProject(storage());
    await projects().insertShareCode(id, 'bbb', start);
    await projects().insertShareCode(id, 'aaa', start + 1);

    expect(await projects().listShareCodes(id)).to.deep.equal(['bbb', 'aaa']);
    expect(await projects().removeShareCode(id, 'bbb')).to.equal(true);
    expect(await projects().removeShareCode(id, 'bbb')).to.equal(false);
    expect(await projects().listShareCodes(id)).to.deep.equal(['aaa']);
  });

  it('replaces the store of a panel instance', async () => {
    const { id } = await addProject(storage());

    expect(await projects().readInstanceStore(id, 'one')).to.equal(undefined);
    await projects().writeInstanceStore(id, 'one', '{"a":1}');
    await projects().writeInstanceStore(id, 'one', '{"a":2}');

    expect(await projects().readInstanceStore(id, 'one')).to.equal('{"a":2}');
    expect(await projects().readInstanceStore(id, 'two')).to.equal(undefined);
  });

  it('gives a project to another owner', async () => {
    const { id } = await addProject(storage());
    const owner = await addUser(storage());

    await projects().update(id, { ownerId: owner.id, updatedAt: start });

    expect((await projects().findById(id))?.ownerUserName).to.equal(owner.name);
  });
};
