import { expect } from 'chai';
import type { Blueprint } from '#ports/model/agent-configs';
import {
  mostConfigEnvironments,
  mostConfigKeys,
  type NewBlueprint,
  type NewConfigValue,
} from '#ports/storage/agent-configs';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, rejection } from './builders.js';
import { byAnn } from './environments.js';

const aValue = (given: Partial<NewConfigValue> = {}): NewConfigValue => ({
  key: 'model',
  value: 'm-1',
  type: 'string',
  description: undefined,
  follows: undefined,
  ...given,
});

/** A blueprint in a project, with one value where nothing is said. */
export const aBlueprint = (
  project: { readonly id: string; readonly workspaceId: string },
  given: Partial<NewBlueprint> = {},
): NewBlueprint => ({
  workspaceId: project.workspaceId,
  projectId: project.id,
  id: freshId(),
  type: 'blueprint',
  description: undefined,
  values: [aValue()],
  ...byAnn,
  ...given,
});

/** What every store of configurations of agents keeps to. */
export const agentConfigContract = (storage: () => Storage): void => {
  const configs = () => storage().stores.agentConfigs;
  const at = { at: byAnn.createdAt + 1, userName: 'bob' };
  const begin = async (given: Partial<NewBlueprint> = {}) => {
    const project = await addProject(storage());
    const first = await configs().create(freshId(), aBlueprint(project, given), 'prod');
    return { project, first };
  };
  const must = (made: Blueprint | undefined): Blueprint => {
    if (made === undefined) throw new Error('nothing was added');
    return made;
  };
  const texts = async (projectId: string, number: number) =>
    (await configs().listValues(projectId, number)).map(
      ({ key, value }) => `${key}=${value ?? ''}`,
    );

  it('begins a configuration with version 1 for an environment, once in a project', async () => {
    const values = [
      aValue({ key: ' schlüssel \u{1f600} ', value: 'a'.repeat(65_536), description: 'd' }),
      aValue({ key: 'none', value: undefined, type: 'integer' }),
    ];
    const { project, first } = await begin({ description: 'first', values });
    const { id: projectId, workspaceId } = project;

    expect(first).to.deep.include({ projectId, number: 1, environments: ['prod'] });
    expect(await configs().exists(projectId)).to.equal(true);
    expect(await configs().exists(freshId())).to.equal(false);
    expect(await configs().findIn(projectId, 'newest')).to.deep.equal(first);
    expect(await configs().find(workspaceId, first.id)).to.deep.equal({ ...first, workspaceId });
    expect(await configs().listValues(projectId, 1)).to.deep.equal(
      values.map(({ follows: _, ...value }) => value),
    );
    expect(await rejection(configs().create(freshId(), aBlueprint(project), 'prod'))).to.include({
      kind: 'conflict',
    });
    expect(await configs().add(aBlueprint(await addProject(storage())))).to.equal(undefined);
  });

  it('numbers versions in their order, each with what it set and all that holds', async () => {
    const { project, first } = await begin({
      values: [aValue({ key: 'a', value: '1' }), aValue({ key: 'b', value: '1' })],
    });
    const { id: projectId, workspaceId } = project;
    const second = must(
      await configs().add(
        aBlueprint(project, {
          id: '01890000-0000-7000-8000-000000000000',
          values: [aValue({ key: 'b', value: '2' }), aValue({ key: 'c', value: '2' })],
        }),
      ),
    );

    expect(second.number).to.equal(2);
    expect(await texts(projectId, 1)).to.deep.equal(['a=1', 'b=1']);
    expect(await texts(projectId, 2)).to.deep.equal(['a=1', 'b=2', 'c=2']);
    expect(
      (await configs().listDeltas(projectId, [second.id, freshId(), 'no-such-id']))
        .get(second.id)
        ?.map(({ key }) => key),
    ).to.deep.equal(['b', 'c']);
    expect(await configs().findIn(projectId, 'newest')).to.deep.equal(second);
    expect(await configs().findIn(projectId, { number: 1 })).to.deep.equal(first);
    expect(await configs().findIn(projectId, { number: 3 })).to.equal(undefined);
    expect(await configs().findIn(projectId, { id: 'no-such-id' })).to.equal(undefined);
    expect(await configs().findIn(freshId(), { id: first.id })).to.equal(undefined);
    expect(await configs().find(freshId(), first.id)).to.equal(undefined);
    expect(await configs().find(workspaceId, 'no-such-id')).to.equal(undefined);
  });

  it('pages versions, the newest first', async () => {
    const { project, first } = await begin();
    const made = [first];
    for (let n = 0; n < 2; n++) made.unshift(must(await configs().add(aBlueprint(project))));
    await configs().add(aBlueprint(project, { type: 'mask' }));
    const page = (page: number, size: number) => configs().page(project.id, { page, size });

    expect(await page(1, 2)).to.deep.equal({ total: 3, content: made.slice(0, 2) });
    expect(await page(2, 2)).to.deep.equal({ total: 3, content: made.slice(2) });
    expect(await page(3, 2)).to.deep.equal({ total: 3, content: [] });
    expect(await configs().page(freshId(), { page: 1, size: 2 })).to.deep.equal({
      total: 0,
      content: [],
    });
  });

  it('makes one version without a gap of each of many that are added at once, and one configuration', async () => {
    const project = await addProject(storage());
    const created = await Promise.allSettled(
      Array.from({ length: 4 }, () => configs().create(freshId(), aBlueprint(project), 'prod')),
    );
    expect(created.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    for (const one of created)
      if (one.status === 'rejected') expect(one.reason).to.include({ kind: 'conflict' });

    const added = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        configs().add(aBlueprint(project, { values: [aValue({ value: String(n) })] })),
      ),
    );

    expect(added.map((one) => one?.number).sort()).to.deep.equal([2, 3, 4, 5, 6, 7]);
    const newest = added.find((one) => one?.number === 7);
    const deltas = await configs().listDeltas(project.id, [newest?.id ?? '']);
    expect(await configs().listValues(project.id, 7)).to.deep.equal(deltas.get(newest?.id ?? ''));
  });

  it('refuses an id that another blueprint of the workspace has', async () => {
    const { project, first } = await begin();
    const beside = await addProject(storage(), { workspaceId: project.workspaceId });

    expect(await rejection(configs().add(aBlueprint(project, { id: first.id })))).to.include({
      kind: 'conflict',
    });
    expect(
      await rejection(configs().create(freshId(), aBlueprint(beside, { id: first.id }), 'prod')),
    ).to.include({ kind: 'conflict' });
    expect(await configs().exists(beside.id)).to.equal(false);
    const elsewhere = await begin({ id: first.id });
    expect((await configs().find(project.workspaceId, first.id))?.projectId).to.equal(project.id);
    expect((await configs().find(elsewhere.project.workspaceId, first.id))?.projectId).to.equal(
      elsewhere.project.id,
    );
  });

  it('keeps masks apart from versions', async () => {
    const { project, first } = await begin();
    const mask = must(
      await configs().add(
        aBlueprint(project, { type: 'mask', values: [aValue({ value: 'masked' })] }),
      ),
    );

    expect(mask).to.deep.include({ type: 'mask', number: undefined, environments: [] });
    expect(await configs().findIn(project.id, 'newest')).to.deep.equal(first);
    expect(await configs().findIn(project.id, { id: mask.id })).to.deep.equal(mask);
    expect(await texts(project.id, 1)).to.deep.equal(['model=m-1']);
    expect(
      (await configs().listDeltas(project.id, [mask.id])).get(mask.id)?.map(({ value }) => value),
    ).to.deep.equal(['masked']);
  });

  it('removes keys by a version of its own, where the newest one has any of them', async () => {
    const { project } = await begin({ values: [aValue({ key: 'a' }), aValue({ key: 'b' })] });
    const remove = (keys: readonly string[], of = project) => {
      const { values: _, type: __, ...next } = aBlueprint(of);
      return configs().removeKeys(keys, next);
    };

    const made = await remove(['a', 'unknown']);
    expect(made).to.deep.include({ number: 2, type: 'blueprint' });
    expect(await remove(['a'])).to.equal(undefined);
    expect(await remove(['a'], await addProject(storage()))).to.equal(undefined);
    expect(await texts(project.id, 1)).to.deep.equal(['a=m-1', 'b=m-1']);
    expect(await texts(project.id, 2)).to.deep.equal(['b=m-1']);
    expect(
      (await configs().listDeltas(project.id, [made?.id ?? ''])).get(made?.id ?? ''),
    ).to.deep.equal([]);
  });

  it('points environments at versions, all or none, and ends them', async () => {
    const { project, first } = await begin();
    const second = must(await configs().add(aBlueprint(project)));
    const mask = must(await configs().add(aBlueprint(project, { type: 'mask' })));
    const [stranger, unknown] = [(await begin()).first.id, freshId()];
    const point = (environments: Readonly<Record<string, string>>, projectId = project.id) =>
      configs().setEnvironments(
        projectId,
        Object.entries(environments).map(([name, blueprintId]) => ({ name, blueprintId })),
        at,
      );
    const by = async (environment: string) =>
      (await configs().findIn(project.id, { environment }))?.number;

    expect(await point({ prod: second.id, staging: first.id })).to.equal(true);
    expect(await point({ prod: second.id })).to.equal(true);
    for (const id of [mask.id, stranger, unknown, 'no-such-id'])
      expect(await point({ staging: second.id, other: id }), id).to.equal(false);
    expect(await point({ prod: first.id }, (await addProject(storage())).id)).to.equal(false);
    expect([await by('prod'), await by('staging'), await by('other')]).to.deep.equal([
      2,
      1,
      undefined,
    ]);
    await configs().endEnvironment(project.id, 'prod', at.at);
    await configs().endEnvironment(project.id, 'prod', at.at);
    await configs().endEnvironment(freshId(), 'staging', at.at);
    expect([await by('prod'), await by('staging')]).to.deep.equal([undefined, 1]);
    await point({ prod: first.id, Prod: first.id });
    expect((await configs().findIn(project.id, { number: 1 }))?.environments).to.deep.equal([
      'Prod',
      'prod',
      'staging',
    ]);
  });

  it('leaves one version in an environment that is pointed at several at once', async () => {
    const { project, first } = await begin();
    const ids = [first.id];
    for (let n = 0; n < 3; n++) ids.push(must(await configs().add(aBlueprint(project))).id);

    await Promise.all(
      ids.map((blueprintId) =>
        configs().setEnvironments(project.id, [{ name: 'staging', blueprintId }], at),
      ),
    );

    const { content } = await configs().page(project.id, { page: 1, size: 10 });
    expect(content.flatMap(({ environments }) => environments).sort()).to.deep.equal([
      'prod',
      'staging',
    ]);
  });

  it('moves what follows a prompt on to a newer version of it', async () => {
    const promptId = freshId();
    const follows = { promptId, number: 1 };
    const values = [
      aValue({ key: 'p', value: 'c1', type: 'prompt', follows }),
      aValue({ key: 'q', value: 'c1', type: 'prompt_commit' }),
    ];
    const { project } = await begin({ values });
    const beside = await addProject(storage(), { workspaceId: project.workspaceId });
    await configs().create(freshId(), aBlueprint(beside, { values }), 'prod');
    await begin({ values });
    await configs().add(aBlueprint(project, { type: 'mask', values }));
    const { id: projectId, workspaceId } = project;
    const version = { workspaceId, promptId, number: 2, commit: 'c2' };
    const follow = (wanted = version) => {
      const { values: _, type: __, ...next } = aBlueprint(project);
      return configs().follow(wanted, next);
    };
    const both = [projectId, beside.id].sort();

    expect(await configs().listFollowers(version, undefined, 10)).to.deep.equal(both);
    expect(await configs().listFollowers(version, both[0], 10)).to.deep.equal(both.slice(1));
    expect(await configs().listFollowers(version, undefined, 1)).to.deep.equal(both.slice(0, 1));
    expect(await configs().listFollowers({ ...version, number: 1 }, undefined, 10)).to.deep.equal(
      [],
    );
    expect(await follow()).to.deep.include({ number: 2, environments: [] });
    expect(await follow()).to.equal(undefined);
    expect(await follow({ ...version, promptId: freshId() })).to.equal(undefined);
    expect(await configs().listFollowers(version, undefined, 10)).to.deep.equal([beside.id]);
    expect(await texts(projectId, 1)).to.deep.equal(['p=c1', 'q=c1']);
    expect(await texts(projectId, 2)).to.deep.equal(['q=c1', 'p=c2']);
    expect(await follow({ ...version, number: 3, commit: 'c3' })).to.include({ number: 3 });
  });

  it('holds no more than so many keys and environments', async () => {
    const { project, first } = await begin();
    const keys = (n: number) =>
      aBlueprint(project, {
        values: Array.from({ length: n }, (_, at) => aValue({ key: `k${at}`, value: undefined })),
      });

    await configs().add(keys(mostConfigKeys - 1));
    const refused = aBlueprint(project, { values: [aValue({ key: 'one more' })] });
    expect(await rejection(configs().add(refused))).to.include({ kind: 'unprocessable' });
    expect((await configs().findIn(project.id, 'newest'))?.number).to.equal(2);
    expect(await configs().findIn(project.id, { id: refused.id })).to.equal(undefined);
    expect(await configs().listValues(project.id, 2)).to.have.length(mostConfigKeys);
    expect(
      await rejection(
        configs().setEnvironments(
          project.id,
          Array.from({ length: mostConfigEnvironments }, (_, n) => ({
            name: `e${n}`,
            blueprintId: first.id,
          })),
          at,
        ),
      ),
    ).to.include({ kind: 'conflict' });
    expect(await configs().findIn(project.id, { environment: 'e0' })).to.equal(undefined);
  });
};
