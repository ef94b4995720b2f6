import { expect } from 'chai';
import type { RetentionRule } from '#ports/model/retention';
import type { Storage } from '#ports/storage/storage';
import { freshId, rejection } from './builders.js';
import { byAnn, byBob } from './environments.js';
import { aSpan, aTrace } from './traces.js';

/** What every store of retention rules keeps to. */
export const retentionContract = (storage: () => Storage): void => {
  const rules = () => storage().stores.retention;
  const traces = () => storage().stores.traces;
  const first = { page: 1, size: 10 };
  const add = async (given: Partial<RetentionRule> = {}): Promise<RetentionRule> => {
    const made: RetentionRule = {
      workspaceId: freshId(),
      id: freshId(),
      projectId: undefined,
      retention: 'base_60d',
      appliesToPast: false,
      enabled: true,
      ...byAnn,
      ...given,
    };
    await rules().insert(made);
    return made;
  };
  const idAt = (ms: number): string => {
    const hex = ms.toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}${freshId().slice(13)}`;
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({ projectId: freshId(), appliesToPast: true });
    const other = await add({ id: made.id, retention: 'unlimited' });

    expect(await rules().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await rules().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await rules().find(freshId(), made.id)).to.equal(undefined);
    expect(await rules().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    expect(await rejection(add({ workspaceId: made.workspaceId, id: made.id }))).to.include({
      kind: 'conflict',
    });
  });

  it('disables the rule of the same scope when another is stored', async () => {
    const [workspaceId, projectId] = [freshId(), freshId()];
    const whole = await add({ workspaceId });
    const ofProject = await add({ workspaceId, projectId });
    const newer = await add({ workspaceId, projectId, ...byBob });

    expect(await rules().listEnabled(workspaceId)).to.deep.equal([whole, newer]);
    expect(await rules().find(workspaceId, ofProject.id)).to.deep.equal({
      ...ofProject,
      enabled: false,
      ...byBob,
    });
  });

  it('leaves one rule of a scope enabled when many are stored at once', async () => {
    const workspaceId = freshId();

    await Promise.all(Array.from({ length: 5 }, () => add({ workspaceId })));

    expect(await rules().listEnabled(workspaceId)).to.have.length(1);
    expect(
      (await rules().page({ workspaceId, projectId: undefined, disabledToo: true }, first)).total,
    ).to.equal(5);
  });

  it('pages the rules of a workspace or of a project, the newest first', async () => {
    const [workspaceId, projectId] = [freshId(), freshId()];
    const [one, two, three] = [
      await add({ workspaceId }),
      await add({ workspaceId, projectId, enabled: false }),
      await add({ workspaceId, projectId }),
    ];
    await add();
    const page = async (of: object, at = first) => {
      const { total, content } = await rules().page(
        { workspaceId, projectId: undefined, disabledToo: false, ...of },
        at,
      );
      return [total, ...content.map(({ id }) => id)];
    };

    expect(await page({})).to.deep.equal([2, three.id, one.id]);
    expect(await page({ disabledToo: true }, { page: 2, size: 2 })).to.deep.equal([3, one.id]);
    expect(await page({ disabledToo: true, projectId })).to.deep.equal([2, three.id, two.id]);
  });

  it('disables a rule, and says whether there is one', async () => {
    const made = await add();
    const { workspaceId, id } = made;

    expect([
      await rules().disable(workspaceId, id, byBob),
      await rules().disable(workspaceId, id, byBob),
      await rules().disable(freshId(), id, byBob),
      await rules().disable(workspaceId, 'no-such-id', byBob),
    ]).to.deep.equal([true, true, false, false]);
    expect(await rules().find(workspaceId, id)).to.deep.equal({
      ...made,
      enabled: false,
      ...byBob,
    });
    await add({ workspaceId });
  });

  it('lists each workspace with an enabled rule once', async () => {
    const made = [await add(), await add()].sort((a, b) =>
      a.workspaceId < b.workspaceId ? -1 : 1,
    );
    await add({ workspaceId: made[0]?.workspaceId ?? '', projectId: freshId() });
    const off = await add({ enabled: false });
    const ids = made.map(({ workspaceId }) => workspaceId);

    const after = await rules().listWorkspaces(ids[0], 1);
    const found: string[] = [];
    for (let last: string | undefined; ;) {
      const some = await rules().listWorkspaces(last, 2);
      found.push(...some);
      if (some.length < 2) break;
      last = some.at(-1);
    }

    expect(after).to.have.length(1);
    expect((after[0] ?? '') > (ids[0] ?? '')).to.equal(true);
    expect(found.filter((id) => ids.includes(id))).to.deep.equal(ids);
    expect(found).not.to.include(off.workspaceId);
  });

  it('lists the traces of a project that were made in a range, and their spans', async () => {
    const projectId = freshId();
    const at = [1000, 2000, 3000].map(idAt);
    for (const id of at) {
      await traces().changeTraces(projectId, [id], () => aTrace({ projectId, id }));
      const span = aSpan({ projectId, traceId: id });
      await traces().changeSpans(projectId, [span.id], () => span);
    }
    const lonely = aSpan({ projectId, id: idAt(1500), traceId: freshId() });
    await traces().changeSpans(projectId, [lonely.id], () => lonely);
    const range = { fromId: undefined, beforeId: idAt(2500) };

    expect(await rules().listTraces(projectId, range, 10)).to.deep.equal(at.slice(0, 2));
    expect(await rules().listTraces(projectId, range, 1)).to.deep.equal(at.slice(0, 1));
    expect(await rules().listTraces(projectId, { ...range, fromId: idAt(1500) }, 10)).to.deep.equal(
      at.slice(1, 2),
    );
    expect(await rules().listTraces(freshId(), range, 10)).to.deep.equal([]);
    expect(await rules().listSpans(projectId, at.slice(0, 2), 10)).to.have.length(2);
    expect(await rules().listSpans(projectId, at, 1)).to.have.length(1);
    expect(await rules().listSpans(freshId(), at, 10)).to.deep.equal([]);
    expect(await rules().listSpansWithoutTrace(projectId, range, 10)).to.deep.equal([lonely.id]);
    expect(
      await rules().listSpansWithoutTrace(projectId, { ...range, fromId: idAt(2000) }, 10),
    ).to.deep.equal([]);
  });
};
