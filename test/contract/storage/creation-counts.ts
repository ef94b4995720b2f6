import { expect } from 'chai';
import { countedKinds, type CountedKind } from '#ports/storage/creation-counts';
import type { Storage } from '#ports/storage/storage';
import { addProject, addWorkspace, freshId, freshIdAt, freshName, start } from './builders.js';
import { addDataset } from './datasets.js';
import { anEvaluation } from './evaluations.js';
import { aSpan, aTrace } from './traces.js';

const day = 86_400_000_000;
/** Each case counts a day that no other one makes anything in. */
let days = 0;
const freshDay = (): number => Math.floor((start * 1000) / day) * day + ++days * 1000 * day;

/** What every store of these counts keeps to. */
export const creationCountContract = (storage: () => Storage): void => {
  const counts = () => storage().stores.creationCounts;
  const make = async (
    kind: CountedKind,
    id: string,
    createdBy: string,
    place: { readonly workspaceId: string; readonly projectId: string },
  ): Promise<void> => {
    const { traces, evaluations } = storage().stores;
    const { workspaceId, projectId } = place;
    // When it began, and when it came, says nothing.
    const times = { createdBy, startTime: 1, createdAt: 1 };
    if (kind === 'trace')
      await traces.changeTraces(projectId, [id], () => aTrace({ projectId, id, ...times }));
    else if (kind === 'span')
      await traces.changeSpans(projectId, [id], () => aSpan({ projectId, id, ...times }));
    else if (kind === 'dataset') await addDataset(storage(), { workspaceId, id, createdBy });
    else await evaluations.insert(anEvaluation({ workspaceId, id, createdBy }));
  };
  const aPlace = async (workspaceId?: string) => {
    const project = await addProject(storage(), workspaceId === undefined ? {} : { workspaceId });
    return { ...project, projectId: project.id };
  };

  for (const kind of countedKinds)
    it(`counts each ${kind} of a span of time, its beginning and not its end, by workspace and user`, async () => {
      const from = freshDay();
      const [one, other] = [await aPlace(), await aPlace()];
      const sibling = await aPlace(one.workspaceId);
      const within = [from, from + 1000, from + day - 1000];
      for (const at of [from - 1000, ...within, from + day])
        await make(kind, freshIdAt(at), 'änn', one);
      await make(kind, freshIdAt(from), 'Änn', one);
      await make(kind, freshIdAt(from), 'änn', sibling);
      await make(kind, freshIdAt(from), 'änn', other);

      const found = await counts().count(kind, from, from + day);
      const rows = [
        { workspaceId: one.workspaceId, userName: 'Änn', count: 1 },
        { workspaceId: one.workspaceId, userName: 'änn', count: 4 },
        { workspaceId: other.workspaceId, userName: 'änn', count: 1 },
      ];
      const ofOther = rows.slice(2);
      const ofOne = rows.slice(0, 2);
      expect(found).to.deep.equal(
        one.workspaceId < other.workspaceId ? [...ofOne, ...ofOther] : [...ofOther, ...ofOne],
      );
      expect(await counts().count(kind, from + 10 * day, from + 11 * day)).to.deep.equal([]);
    });

  it('counts spans by project and user, and leaves out the name of a project that was deleted', async () => {
    const from = freshDay();
    const one = await aPlace();
    const gone = await aPlace(one.workspaceId);
    await make('span', freshIdAt(from), 'ann', one);
    await make('span', freshIdAt(from + 5000), 'ann', one);
    await make('span', freshIdAt(from), 'bob', one);
    await make('span', freshIdAt(from + day), 'bob', one);
    await make('span', freshIdAt(from), 'ann', gone);
    await storage().stores.projects.markDeleted(gone.id, start);

    const row = { workspaceId: one.workspaceId, projectId: one.id, projectName: one.name };
    const found = await counts().countSpans(from, from + day);
    expect(found.filter(({ projectId }) => projectId === one.id)).to.deep.equal([
      { ...row, userName: 'ann', count: 2 },
      { ...row, userName: 'bob', count: 1 },
    ]);
    expect(found.filter(({ projectId }) => projectId === gone.id)).to.deep.equal([
      { ...row, projectId: gone.id, projectName: undefined, userName: 'ann', count: 1 },
    ]);
    expect(found).to.have.length(3);
  });

  it('finds projects of workspaces by a part of their names, in any case, and no deleted one', async () => {
    const { id: workspaceId } = await addWorkspace(storage());
    const other = await aPlace();
    const names = ['Beta 50%', 'alpha BETA', 'gamma'].map((name) => `${name} ${freshName('x')}`);
    const made = [];
    for (const name of names) made.push(await addProject(storage(), { workspaceId, name }));
    const [first, second, third] = made;
    const gone = await addProject(storage(), { workspaceId, name: freshName('beta') });
    await storage().stores.projects.markDeleted(gone.id, start);
    const find = async (given: object) =>
      (await counts().findProjects({ workspaceIds: [workspaceId], limit: 100, ...given }))
        .map(({ id }) => id)
        .sort();
    const idsOf = (...all: readonly ({ readonly id: string } | undefined)[]) =>
      all.map((one) => one?.id).sort();

    expect(await find({})).to.deep.equal(idsOf(first, second, third));
    expect(await find({ name: 'beta' })).to.deep.equal(idsOf(first, second));
    expect(await find({ name: '0%' })).to.deep.equal(idsOf(first));
    expect(await find({ name: '_' })).to.deep.equal([]);
    expect(await find({ projectIds: [third?.id ?? '', gone.id, other.id, 'x'] })).to.deep.equal(
      idsOf(third),
    );
    expect(await find({ workspaceIds: [freshId(), 'no-such-id'] })).to.deep.equal([]);
    expect(await find({ workspaceIds: [workspaceId, other.workspaceId] })).to.deep.equal(
      idsOf(first, second, third, other),
    );
    expect(await counts().findProjects({ workspaceIds: [workspaceId], limit: 1 })).to.have.length(
      1,
    );
    expect(
      await counts().findProjects({ workspaceIds: [other.workspaceId], limit: 9 }),
    ).to.deep.equal([{ workspaceId: other.workspaceId, id: other.id, name: other.name }]);
    const sorted = await counts().findProjects({ workspaceIds: [workspaceId], limit: 9 });
    expect(sorted.map(({ name }) => name).at(-1)).to.equal(third?.name);
  });
};
