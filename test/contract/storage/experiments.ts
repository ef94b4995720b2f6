import { expect } from 'chai';
import { isFailure, type Failure } from '#ports/failure';
import type { NewExperiment } from '#ports/storage/experiments';
import type { Storage } from '#ports/storage/storage';
import {
  addExperiment,
  addProject,
  countUnderLock,
  creationIn,
  freshId,
  freshKey,
  rejection,
  start,
} from './builders.js';

/** What every experiment store keeps to. */
export const experimentContract = (storage: () => Storage): void => {
  const experiments = () => storage().stores.experiments;
  const keysIn = async (
    projectId: string,
    more: {
      readonly archived?: boolean;
      readonly limit?: number;
      readonly offset?: number;
      readonly descending?: boolean;
    } = {},
  ) =>
    (
      await experiments().list({
        projectId,
        archived: false,
        sortBy: 'startTime',
        descending: true,
        ...more,
      })
    ).map((experiment) => experiment.key);

  it('returns what was stored, with the names of project, workspace and owner', async () => {
    const project = await addProject(storage());
    const made = await addExperiment(storage(), {
      projectId: project.id,
      name: 'first',
      createdAt: start + 3,
      alive: true,
      beatMs: 5,
    });

    expect(await experiments().findByKey(made.key)).to.deep.equal(made);
    expect([
      made.projectName,
      made.workspaceName,
      made.name,
      made.alive,
      made.beatMs,
    ]).to.deep.equal([project.name, project.workspaceName, 'first', true, 5]);
    expect([made.startTimeMillis, made.endTimeMillis, made.lastSeenAt]).to.deep.equal([
      start + 3,
      start + 3,
      start + 3,
    ]);
  });

  it('places nothing in a project that is deleted or of another workspace', async () => {
    const [there, gone] = [await addProject(storage()), await addProject(storage())];
    await storage().stores.projects.markDeleted(gone.id, start);
    const run = (projectId: string, workspaceId: string): NewExperiment => ({
      id: freshId(),
      key: freshKey(),
      workspaceId,
      projectId,
      userId: there.ownerId,
      name: 'n',
      createdAt: start,
      beatMs: 1,
      alive: false,
      offline: false,
      reportsEnd: false,
    });
    const [lost, foreign, fine] = [
      run(gone.id, gone.workspaceId),
      run(there.id, gone.workspaceId),
      run(there.id, there.workspaceId),
    ];

    expect([
      await experiments().insert(lost),
      await experiments().insert(foreign),
      await experiments().insert(fine),
    ]).to.deep.equal([false, false, true]);
    expect(
      (await experiments().listByKeys([lost.key, foreign.key, fine.key])).map(({ key }) => key),
    ).to.deep.equal([fine.key]);
  });

  it('moves nothing to a project that is deleted or of another workspace', async () => {
    const [made, to, gone] = [
      await addExperiment(storage()),
      await addProject(storage()),
      await addProject(storage()),
    ];
    await storage().stores.projects.markDeleted(gone.id, start);

    expect(
      await experiments().move([made.id], { workspaceId: gone.workspaceId, projectId: gone.id }),
    ).to.equal('homeless');
    expect(
      await experiments().move([made.id], { workspaceId: gone.workspaceId, projectId: to.id }),
    ).to.equal('homeless');
    expect((await experiments().findByKey(made.key))?.projectId).to.equal(made.projectId);
    expect(
      await experiments().move([made.id], { workspaceId: to.workspaceId, projectId: to.id }),
    ).to.deep.equal([made.id]);
    expect(
      await experiments().move([freshId()], { workspaceId: to.workspaceId, projectId: to.id }),
    ).to.deep.equal([]);
  });

  it('moves many together from several projects, those that are there, and counts them where they are', async () => {
    const [one, other, to] = [
      await addProject(storage()),
      await addProject(storage()),
      await addProject(storage()),
    ];
    const made = [];
    for (const { id } of [one, one, one, other])
      made.push((await addExperiment(storage(), { projectId: id })).id);
    await experiments().markDeleted(made[1]!, start);

    const moved = await experiments().move([...made].reverse(), {
      workspaceId: to.workspaceId,
      projectId: to.id,
    });

    expect([...(moved === 'homeless' ? [] : moved)].sort()).to.deep.equal(
      [made[0], made[2], made[3]].sort(),
    );
    expect(
      await Promise.all([one, other, to].map(({ id }) => experiments().countInProject(id))),
    ).to.deep.equal([0, 0, 3]);
  });

  it('moves what others move at the same time without repeating a transaction', async () => {
    const targets = [await addProject(storage()), await addProject(storage())];
    const made: string[] = [];
    for (const { id } of [...targets, ...targets, ...targets])
      made.push((await addExperiment(storage(), { projectId: id })).id);
    let begun = 0;
    const moveTo = (to: (typeof targets)[number] | undefined, ids: readonly string[]) =>
      storage().transaction(async (stores) => {
        begun++;
        await stores.experiments.move(ids, {
          workspaceId: to?.workspaceId ?? '',
          projectId: to?.id ?? '',
        });
      });

    for (let round = 0; round < 10; round++)
      await Promise.all([moveTo(targets[0], made), moveTo(targets[1], [...made].reverse())]);

    expect(begun).to.equal(20);
    expect(
      (await Promise.all(targets.map(({ id }) => experiments().countInProject(id)))).reduce(
        (sum, n) => sum + n,
      ),
    ).to.equal(6);
  });

  it('keeps others from changing an experiment that is locked', async () => {
    const made = await addExperiment(storage());

    const counted = await countUnderLock(storage(), 12, {
      async next(stores) {
        const now = await stores.experiments.lock(made.id);
        await stores.experiments.update(made.id, {
          startTimeMillis: (now?.startTimeMillis ?? 0) + 1,
        });
      },
      read: async () => (await experiments().findByKey(made.key))?.startTimeMillis,
    });

    expect(counted).to.equal(made.startTimeMillis + 12);
    expect(await storage().transaction((stores) => stores.experiments.lock(freshId()))).to.equal(
      undefined,
    );
  });

  it('keeps every reason for which an experiment is throttled, each once', async () => {
    const made = await addExperiment(storage());

    await Promise.all(
      ['A', 'B', 'C', 'A'].map((reason) => experiments().flagThrottled(made.id, reason, 'slow')),
    );

    const found = await experiments().findByKey(made.key);
    expect([
      found?.throttle,
      found?.throttleMessage,
      [...(found?.throttleReasons ?? [])].sort(),
    ]).to.deep.equal([true, 'slow', ['A', 'B', 'C']]);
  });

  it('refuses a taken key with a conflict', async () => {
    const { key } = await addExperiment(storage());

    const refusal = await rejection(addExperiment(storage(), { key }));

    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('tells keys apart by case and trailing blanks', async () => {
    const key = `Ab${freshKey()}`;
    await addExperiment(storage(), { key });

    expect(await experiments().findByKey(key.toLowerCase())).to.equal(undefined);
    expect(await experiments().findByKey(`${key} `)).to.equal(undefined);
    expect(
      (await experiments().listByKeys([key, key.toUpperCase()])).map((one) => one.key),
    ).to.deep.equal([key]);
  });

  it('changes only what is given, and clears what is given as absent', async () => {
    const made = await addExperiment(storage());

    expect(
      await experiments().update(made.id, {
        throttle: true,
        throttleMessage: 'slow',
        throttleReasons: ['A', 'B'],
        hasCrashed: true,
      }),
    ).to.equal(true);
    expect(await experiments().findByKey(made.key)).to.deep.equal({
      ...made,
      throttle: true,
      throttleMessage: 'slow',
      throttleReasons: ['A', 'B'],
      hasCrashed: true,
    });
    await experiments().update(made.id, {
      throttle: false,
      throttleMessage: undefined,
      throttleReasons: [],
    });
    expect(await experiments().findByKey(made.key)).to.deep.equal({ ...made, hasCrashed: true });
    expect(await experiments().update(made.id, { hasCrashed: true })).to.equal(true);
  });

  it('says that what is not there was not found', async () => {
    expect(
      await experiments().update('00000000-0000-7000-8000-000000000000', { archived: true }),
    ).to.equal(false);
    expect(await experiments().markDeleted('00000000-0000-7000-8000-000000000000', start)).to.equal(
      false,
    );
  });

  it('moves signs of life forward and never back', async () => {
    const made = await addExperiment(storage(), { createdAt: start });
    await experiments().touch(made.id, start + 100);
    await experiments().touch(made.id, start + 50);

    const touched = await experiments().findByKey(made.key);
    expect([touched?.lastSeenAt, touched?.endTimeMillis]).to.deep.equal([start + 100, start + 100]);

    await experiments().update(made.id, { endTimeMillis: start + 7, endSet: true });
    await experiments().touch(made.id, start + 200);
    const ended = await experiments().findByKey(made.key);
    expect([ended?.lastSeenAt, ended?.endTimeMillis]).to.deep.equal([start + 200, start + 7]);
  });

  it('hides a deleted experiment from every read, and keeps its key taken', async () => {
    const made = await addExperiment(storage());

    expect(await experiments().markDeleted(made.id, start)).to.equal(true);

    expect(await experiments().findByKey(made.key)).to.equal(undefined);
    expect(await experiments().listByIds([made.id])).to.deep.equal([]);
    expect(await keysIn(made.projectId)).to.deep.equal([]);
    expect(await experiments().countInProject(made.projectId)).to.equal(0);
    expect(await experiments().update(made.id, { archived: true })).to.equal(false);
  });

  it('creates an experiment with its name, its event and a place in its project', async () => {
    const project = await addProject(storage());
    const creation = creationIn(project);
    const { id, key } = creation.experiment;

    const outcome = await experiments().create(creation);

    expect([
      outcome,
      (await experiments().findByKey(key))?.name,
      await keysIn(project.id),
    ]).to.deep.equal(['made', 'first', [key]]);
    expect(
      (await storage().stores.values.list(id, 'other')).map(({ name, last }) => [name, last.text]),
    ).to.deep.equal([['Name', 'first']]);
    expect(
      (await storage().stores.events.listAfter(`experiment:${id}`, 0, 9)).map(
        ({ number, name, detail }) => [number, name, detail],
      ),
    ).to.deep.equal([[1, 'experiment.created', { of: id }]]);
    expect(await experiments().countInProject(project.id)).to.equal(1);
  });

  it('creates many at once, in several projects, and refuses only the one whose key is taken', async () => {
    const [one, other] = [await addProject(storage()), await addProject(storage())];
    const there = await addExperiment(storage(), { projectId: one.id });
    const creations = Array.from({ length: 20 }, (_, i) => creationIn(i % 2 === 0 ? one : other));

    const outcomes = await Promise.allSettled([
      ...creations.map((creation) => experiments().create(creation)),
      experiments().create(creationIn(one, { key: there.key })),
    ]);

    expect(
      outcomes.map((one) =>
        one.status === 'fulfilled' ? one.value : (one.reason as Failure).kind,
      ),
    ).to.deep.equal([...creations.map(() => 'made'), 'conflict']);
    expect([
      await experiments().countInProject(one.id),
      await experiments().countInProject(other.id),
      (await keysIn(one.id)).length,
      (await keysIn(other.id)).length,
    ]).to.deep.equal([11, 10, 11, 10]);
  });

  it('creates as many as the limit of a project allows, of many at once too, and makes room by a deletion and a move', async () => {
    const [project, other] = [await addProject(storage()), await addProject(storage())];
    const make = () => experiments().create(creationIn(project, {}, 3));

    const outcomes = await Promise.all(Array.from({ length: 8 }, make));
    const ids = await experiments().listIdsAtHome(project.id, undefined, 9);
    await experiments().markDeleted(ids[0]!, start);
    const afterDeletion = [await make(), await make()];
    await experiments().move([ids[1]!], { workspaceId: other.workspaceId, projectId: other.id });

    expect(outcomes.filter((outcome) => outcome === 'made')).to.have.lengthOf(3);
    expect(outcomes.filter((outcome) => outcome === 'full')).to.have.lengthOf(5);
    expect([ids.length, ...afterDeletion, await make(), await make()]).to.deep.equal([
      3,
      'made',
      'full',
      'made',
      'full',
    ]);
  });

  it('counts an experiment once that is moved to where it is, and as many as are moved together', async () => {
    const [project, other] = [await addProject(storage()), await addProject(storage())];
    const home = { workspaceId: project.workspaceId, projectId: project.id };
    for (let i = 0; i < 3; i++) await experiments().create(creationIn(project));
    const [first = '', second = ''] = await experiments().listIdsAtHome(project.id, undefined, 2);
    await experiments().markDeleted(first, start);

    const moved = await experiments().move([second], home);
    const before = await experiments().countInProject(project.id);
    await experiments().moveAll(project.id, other.id);

    expect([
      moved,
      before,
      await experiments().countInProject(project.id),
      await experiments().countInProject(other.id),
    ]).to.deep.equal([[second], 2, 0, 2]);
  });

  it('creates nothing in a project that is deleted or of another workspace', async () => {
    const [project, other] = [await addProject(storage()), await addProject(storage())];
    await storage().stores.projects.markDeleted(project.id, start);
    const creation = creationIn(project);

    expect([
      await experiments().create(creation),
      await experiments().create(creationIn({ ...other, workspaceId: project.workspaceId })),
    ]).to.deep.equal(['homeless', 'homeless']);
    expect(await storage().stores.values.list(creation.experiment.id, 'other')).to.deep.equal([]);
    expect(await storage().stores.events.listAfter(creation.event.subject, 0, 9)).to.deep.equal([]);
  });

  it('undoes a creation with the transaction that it is part of', async () => {
    const project = await addProject(storage());
    const creation = creationIn(project);

    await rejection(
      storage().transaction(async (stores) => {
        await stores.experiments.create(creation);
        throw new Error('undone');
      }),
    );

    expect([
      await experiments().findByKey(creation.experiment.key),
      await experiments().countInProject(project.id),
    ]).to.deep.equal([undefined, 0]);
  });

  it('counts archived experiments of a project', async () => {
    const made = await addExperiment(storage());
    await experiments().update(made.id, { archived: true });

    expect(await experiments().countInProject(made.projectId)).to.equal(1);
  });

  it('lists active and archived ones apart, sorted and in pages', async () => {
    const project = await addProject(storage());
    const made = [];
    for (let i = 0; i < 5; i++)
      made.push(await addExperiment(storage(), { projectId: project.id, createdAt: start + i }));
    const keys = made.map((one) => one.key);
    await experiments().update(made[4]!.id, { archived: true });

    expect(await keysIn(project.id, { descending: false })).to.deep.equal(keys.slice(0, 4));
    expect(await keysIn(project.id, { limit: 2, offset: 1 })).to.deep.equal([keys[2], keys[1]]);
    expect(await keysIn(project.id, { archived: true })).to.deep.equal([keys[4]]);
  });

  it('shows a link in its project, and counts it at home only', async () => {
    const [home, other] = [await addProject(storage()), await addProject(storage())];
    const made = await addExperiment(storage(), { projectId: home.id });
    await experiments().link(made.id, other.id);
    await experiments().link(made.id, other.id);
    await experiments().link(made.id, home.id);

    expect(await experiments().listLinks(made.id)).to.deep.equal([other.id]);
    expect(await keysIn(other.id)).to.deep.equal([made.key]);
    expect(await experiments().countInProject(other.id)).to.equal(0);
    expect(await experiments().unlink(made.id, other.id)).to.equal(true);
    expect(await experiments().unlink(made.id, other.id)).to.equal(false);
    expect(await keysIn(other.id)).to.deep.equal([]);
  });

  it('replaces a link by the home when it is moved there', async () => {
    const [home, other] = [await addProject(storage()), await addProject(storage())];
    const made = await addExperiment(storage(), { projectId: home.id });
    await experiments().link(made.id, other.id);

    await experiments().move([made.id], { workspaceId: other.workspaceId, projectId: other.id });

    expect(await experiments().listLinks(made.id)).to.deep.equal([]);
    expect(await keysIn(other.id)).to.deep.equal([made.key]);
    expect(await keysIn(home.id)).to.deep.equal([]);
    expect((await experiments().findByKey(made.key))?.workspaceName).to.equal(other.workspaceName);
  });

  it('walks the ids at home in their order', async () => {
    const project = await addProject(storage());
    const ids = [];
    for (let i = 0; i < 3; i++)
      ids.push((await addExperiment(storage(), { projectId: project.id })).id);
    ids.sort();

    expect(await experiments().listIdsAtHome(project.id, undefined, 2)).to.deep.equal(
      ids.slice(0, 2),
    );
    expect(await experiments().listIdsAtHome(project.id, ids[1], 2)).to.deep.equal(ids.slice(2));
  });

  it('lists those whose beats have lapsed, oldest first', async () => {
    const project = await addProject(storage());
    const [old, older, fresh] = [
      await addExperiment(storage(), {
        projectId: project.id,
        alive: true,
        beatMs: 10,
        createdAt: 200,
      }),
      await addExperiment(storage(), {
        projectId: project.id,
        alive: true,
        beatMs: 10,
        createdAt: 100,
      }),
      await addExperiment(storage(), {
        projectId: project.id,
        alive: true,
        beatMs: 10_000,
        createdAt: 200,
      }),
    ];
    await addExperiment(storage(), {
      projectId: project.id,
      alive: false,
      beatMs: 10,
      createdAt: 100,
    });

    const lapsed = (await experiments().listLapsed(1000, 1000)).filter((id) =>
      [old.id, older.id, fresh.id].includes(id),
    );

    expect(lapsed).to.deep.equal([older.id, old.id].sort());
  });

  it('marks those whose beats have lapsed as not alive, and as crashed where they would have said that they end', async () => {
    const add = async (about: Parameters<typeof addExperiment>[1]) => {
      const made = await addExperiment(storage(), { alive: true, createdAt: 100, ...about });
      await experiments().update(made.id, { processing: true });
      return made;
    };
    const [silent, crashed, beating] = [
      await add({ beatMs: 10 }),
      await add({ beatMs: 10, reportsEnd: true }),
      await add({ beatMs: 10_000, reportsEnd: true }),
    ];
    const ids = [silent.id, crashed.id, beating.id];

    await experiments().markLapsed(ids, 1000);
    await experiments().markLapsed([], 1000);

    const states = new Map(
      (await experiments().listByIds(ids)).map(({ id, alive, processing, hasCrashed }) => [
        id,
        { alive, processing, hasCrashed },
      ]),
    );
    expect(states.get(silent.id)).to.deep.equal({
      alive: false,
      processing: false,
      hasCrashed: false,
    });
    expect(states.get(crashed.id)).to.deep.equal({
      alive: false,
      processing: false,
      hasCrashed: true,
    });
    expect(states.get(beating.id)).to.deep.equal({
      alive: true,
      processing: true,
      hasCrashed: false,
    });
    expect(
      (await experiments().listLapsed(1000, 10_000)).filter((id) => ids.includes(id)),
    ).to.deep.equal([]);
  });

  it('gives every run at home in a project another home, and takes away the links into it', async () => {
    const [from, to] = [await addProject(storage()), await addProject(storage())];
    const [home, twice, linked] = [
      await addExperiment(storage(), { projectId: from.id }),
      await addExperiment(storage(), { projectId: from.id }),
      await addExperiment(storage()),
    ];
    await storage().stores.experiments.link(twice.id, to.id);
    await storage().stores.experiments.link(linked.id, from.id);

    await storage().stores.experiments.moveAll(from.id, to.id);

    expect(
      (await storage().stores.experiments.listByIds([home.id, twice.id, linked.id]))
        .map(({ id, projectId }) => [id, projectId])
        .sort(),
    ).to.deep.equal(
      [
        [home.id, to.id],
        [twice.id, to.id],
        [linked.id, linked.projectId],
      ].sort(),
    );
    expect(
      await Promise.all(
        [home, twice, linked].map(({ id }) => storage().stores.experiments.listLinks(id)),
      ),
    ).to.deep.equal([[], [], []]);
    expect([
      await storage().stores.experiments.countInProject(from.id),
      await storage().stores.experiments.countInProject(to.id),
    ]).to.deep.equal([0, 2]);
  });
};
