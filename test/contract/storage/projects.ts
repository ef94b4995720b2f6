import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { projectFields, type ProjectListing } from '#ports/storage/projects';
import type { Storage } from '#ports/storage/storage';
import {
  addArtifact,
  addExperiment,
  addProject,
  addUser,
  addVersion,
  addWorkspace,
  freshId,
  freshKey,
  freshName,
  rejection,
  start,
} from './builders.js';
import { aTrace } from './traces.js';
import { addModel, addModelFile, addVersion as addModelVersion } from './registry-builders.js';

/** What every project store keeps to. */
export const projectContract = (storage: () => Storage): void => {
  const projects = () => storage().stores.projects;

  it('finds a project by id and by its name in the workspace', async () => {
    const made = await addProject(storage(), { description: 'd', public: true });

    expect(await projects().findById(made.id)).to.deep.equal(made);
    expect(await projects().findByName(made.workspaceId, made.name)).to.deep.equal(made);
    expect([made.description, made.public, made.kind]).to.deep.equal(['d', true, 'em']);
  });

  it('finds a project by a name that differs in capitals and outer blanks', async () => {
    const made = await addProject(storage());
    const other = ` ${made.name.toUpperCase()} `;

    expect(await projects().findByFoldedName(made.workspaceId, other)).to.deep.equal(made);
    expect(await projects().findByFoldedName(made.workspaceId, `${made.name}x`)).to.equal(
      undefined,
    );
    expect(await projects().findByFoldedName(freshId(), made.name)).to.equal(undefined);
  });

  it('pages the projects of a workspace by id, or as they are sorted, with when their newest trace was changed', async () => {
    const first = await addProject(storage(), { name: 'B 100%' });
    const { workspaceId, ownerId } = first;
    const more = async (name: string) => {
      const id = freshId();
      await projects().insert({
        ...{ id, workspaceId, ownerId, name, createdAt: start, public: false, kind: 'em' },
        description: undefined,
      });
      return id;
    };
    const [second, third] = [await more('a 100'), await more('c Ꟁ ᏏᏲ')];
    const trace = aTrace({ projectId: second, lastUpdatedAt: 7 });
    await storage().stores.traces.changeTraces(second, [trace.id], () => trace);
    const read = async (asked: Partial<ProjectListing>) => {
      const page = await projects().page({ workspaceId, orders: [], page: 1, size: 10, ...asked });
      return [page.total, page.content.map(({ id }) => id)];
    };
    const by = (field: string, descending = false) => ({ orders: [{ field, descending }] });

    const ids = [first.id, second, third].sort().reverse();
    expect(await read({})).to.deep.equal([3, ids]);
    expect(await read({ page: 2, size: 2 })).to.deep.equal([3, ids.slice(2)]);
    expect(await read({ page: 9, size: 2 })).to.deep.equal([3, []]);
    expect(await read({ name: '100%' })).to.deep.equal([1, [first.id]]);
    for (const [name, count] of Object.entries({ Ꟁ: 1, ᏏᏲ: 1, Ꟃ: 0 }))
      expect(await read({ name }), name).to.deep.equal([count, [third].slice(0, count)]);
    expect(await read(by('name', true))).to.deep.equal([3, [third, second, first.id]]);
    expect((await read(by('last_updated_trace_at')))[1]).to.have.property('0', second);
    for (const field of projectFields) expect((await read(by(field)))[0], field).to.equal(3);
    expect(await read({ workspaceId: freshId() })).to.deep.equal([0, []]);
    expect([...(await projects().listTraceTimes([first.id, second, freshId()]))]).to.deep.equal([
      [second, 7],
    ]);
  });

  it('keeps a project that is locked from being deleted, and from taking an experiment in', async () => {
    const { id, workspaceId, ownerId } = await addProject(storage());
    const order: string[] = [];
    let others: Promise<unknown> = Promise.resolve();
    const run = {
      id: freshId(),
      key: freshKey(),
      workspaceId,
      projectId: id,
      userId: ownerId,
      name: 'n',
      createdAt: start,
      beatMs: 1,
      alive: false,
      offline: false,
      reportsEnd: false,
    };

    await storage().transaction(async (stores) => {
      expect([await stores.projects.lock(id), await stores.projects.lock(freshId())]).to.deep.equal(
        [true, false],
      );
      others = Promise.all([
        storage()
          .stores.projects.markDeleted(id, start)
          .then(() => order.push('deleted')),
        storage()
          .stores.experiments.insert(run)
          .then(() => order.push('placed')),
      ]);
      for (let i = 0; i < 20; i++) await stores.projects.findById(id);
      order.push('locked');
    });
    await others;

    expect(order[0]).to.equal('locked');
  });

  it('makes no project in a workspace that is gone, and moves none there', async () => {
    const [project, workspace] = [await addProject(storage()), await addWorkspace(storage())];
    await storage().stores.workspaces.removeEmpty(workspace.id);

    for (const refusal of [
      await rejection(
        addProject(storage(), { workspaceId: workspace.id, ownerId: workspace.ownerId }),
      ),
      await rejection(projects().moveToWorkspace(project.id, workspace.id, start)),
    ])
      expect(isFailure(refusal) && refusal.kind).to.equal('absent');
    expect((await projects().findById(project.id))?.workspaceId).to.equal(project.workspaceId);
  });

  it('finds nothing for a malformed id', async () => {
    expect(await projects().findById('no id')).to.equal(undefined);
  });

  it('tells names apart by case, accents and trailing blanks', async () => {
    const { workspaceId, name } = await addProject(storage(), { name: `Café-${freshName()}` });
    const others = [name.toUpperCase(), name.replace('é', 'e'), `${name} `];

    for (const other of others) await addProject(storage(), { workspaceId, name: other });

    for (const other of [name, ...others])
      expect((await projects().findByName(workspaceId, other))?.name).to.equal(other);
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

  it('hides a deleted project at once and frees its name', async () => {
    const { id, workspaceId, name } = await addProject(storage());

    expect(await projects().markDeleted(id, start)).to.equal(true);
    expect(await projects().markDeleted(id, start)).to.equal(false);
    expect(await projects().findById(id)).to.equal(undefined);
    expect(await projects().findByName(workspaceId, name)).to.equal(undefined);
    expect((await addProject(storage(), { workspaceId, name })).name).to.equal(name);
  });

  it('changes only what is given', async () => {
    const made = await addProject(storage(), { description: 'before' });

    expect(
      await projects().update(made.id, { name: `${made.name}2`, updatedAt: start + 5 }),
    ).to.equal(true);
    expect(await projects().findById(made.id)).to.deep.equal({
      ...made,
      name: `${made.name}2`,
      updatedAt: start + 5,
    });
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

    expect((await projects().findByName(target.id, project.name))?.workspaceName).to.equal(
      target.name,
    );
    expect((await storage().stores.experiments.findByKey(experiment.key))?.workspaceName).to.equal(
      target.name,
    );
    const again = await addProject(storage(), {
      workspaceId: project.workspaceId,
      name: project.name,
    });
    const refusal = await rejection(projects().moveToWorkspace(again.id, target.id, start));
    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('lists artifacts and registered models of its workspace that its experiments have made, and says which other projects share', async () => {
    const project = await addProject(storage());
    const other = await addProject(storage(), {
      workspaceId: project.workspaceId,
      ownerId: project.ownerId,
    });
    const [inside, outside] = [
      await addExperiment(storage(), { projectId: project.id }),
      await addExperiment(storage(), { projectId: other.id }),
    ];
    const [own, both, foreign, gone] = [
      await addArtifact(storage(), inside),
      await addArtifact(storage(), outside),
      await addArtifact(storage(), outside),
      await addArtifact(storage(), inside),
    ];
    for (const [maker, artifact, version] of [
      [inside, own, '1.0.0'],
      [inside, own, '2.0.0'],
      [inside, both, '1.0.0'],
      [outside, both, '2.0.0'],
      [outside, foreign, '1.0.0'],
      [inside, gone, '1.0.0'],
    ] as const)
      await addVersion(storage(), maker, artifact, { version, order: version });
    await storage().stores.artifacts.markDeleted(gone.id, start);
    for (const { id } of [inside, outside]) await addModelFile(storage(), id);
    const [ownModel, bothModel] = [
      await addModel(storage(), { workspaceId: project.workspaceId }),
      await addModel(storage(), { workspaceId: project.workspaceId }),
    ];
    await addModelVersion(storage(), ownModel, { source: inside });
    await addModelVersion(storage(), bothModel, { source: inside });
    const left = await addModelVersion(storage(), bothModel, { source: outside, version: '2.0.0' });
    const expected = (shared: boolean) => [
      { kind: 'artifact', id: own.id, name: own.name, shared: false },
      { kind: 'artifact', id: both.id, name: both.name, shared: true },
      { kind: 'model', id: ownModel.id, name: ownModel.name, shared: false },
      { kind: 'model', id: bothModel.id, name: bothModel.name, shared },
    ];

    expect(await projects().listProducts(project.id, 10)).to.deep.equal(expected(true));
    expect((await projects().listProducts(project.id, 1)).map(({ id }) => id)).to.deep.equal([
      own.id,
      ownModel.id,
    ]);
    await storage().stores.modelVersions.markVersionDeleted(left.id, start);
    expect(await projects().listProducts(project.id, 10)).to.deep.equal(expected(false));
    await projects().moveToWorkspace(project.id, (await addWorkspace(storage())).id, start);
    expect(
      await projects().listProducts(project.id, 10),
      'what it left in another workspace',
    ).to.deep.equal([]);
  });

  it('lists the projects of a workspace by name', async () => {
    const workspace = await addWorkspace(storage());
    for (const name of ['b', 'a', 'c'])
      await addProject(storage(), { workspaceId: workspace.id, name });

    expect(
      (await projects().listByWorkspace(workspace.id)).map((project) => project.name),
    ).to.deep.equal(['a', 'b', 'c']);
  });

  it('keeps notes of any length and any letters', async () => {
    const { id } = await addProject(storage());
    const notes = `${'long '.repeat(40_000)}✓ 𝄞 ü`;

    expect(await projects().readNotes(id)).to.equal('');
    await projects().writeNotes(id, notes);

    expect(await projects().readNotes(id)).to.equal(notes);
  });

  it('finds the project that a code shares until the code is taken back or the project is deleted', async () => {
    const [shared, other] = [await addProject(storage()), await addProject(storage())];
    const [code, second] = [freshName('Code'), freshName('code')];
    for (const [id, one] of [
      [shared.id, code],
      [other.id, second],
    ] as const)
      await projects().insertShareCode(id, one, start);

    expect([
      (await projects().findByShareCode(code))?.id,
      (await projects().findByShareCode(second))?.id,
    ]).to.deep.equal([shared.id, other.id]);
    expect([
      await projects().findByShareCode(code.toLowerCase()),
      await projects().findByShareCode(''),
    ]).to.deep.equal([undefined, undefined]);
    await projects().removeShareCode(shared.id, code);
    await projects().markDeleted(other.id, start);
    expect([
      await projects().findByShareCode(code),
      await projects().findByShareCode(second),
    ]).to.deep.equal([undefined, undefined]);
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
