import { expect } from 'chai';
import type { AutomationLog } from '#ports/model/automations';
import {
  mostLogs,
  mostRules,
  type AutomationStore,
  type RuleListing,
  type RuleSample,
} from '#ports/storage/automations';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, freshName, rejection, start } from './builders.js';
import { byAnn, byBob } from './environments.js';

type WrittenRule = Parameters<AutomationStore['insert']>[0];

/** A rule as it is written. */
export const aRule = (given: Partial<WrittenRule> = {}): WrittenRule => ({
  workspaceId: freshId(),
  id: freshId(),
  projectIds: [],
  type: 'llm_as_judge',
  name: freshName('Rule'),
  samplingRate: 1,
  enabled: true,
  filters: [],
  code: { model: { name: 'gpt-4o' }, messages: [], variables: {}, schema: [] },
  ...byAnn,
  ...given,
});

/** A rule of a project of its own. */
const adder =
  (storage: () => Storage) =>
  async (given: Partial<WrittenRule> = {}): Promise<WrittenRule> => {
    const project = given.projectIds === undefined ? await addProject(storage()) : undefined;
    const own = project && { workspaceId: project.workspaceId, projectIds: [project.id] };
    const made = aRule({ ...own, ...given });
    await storage().stores.automations.insert(made);
    return made;
  };

/** What every store of rules keeps to. */
export const automationContract = (storage: () => Storage): void => {
  const rules = () => storage().stores.automations;
  const add = adder(storage);
  const found = async ({ projectIds, ...rule }: WrittenRule) => {
    const projects = await Promise.all(
      projectIds.map((id) => storage().stores.projects.findById(id)),
    );
    return {
      ...rule,
      projects: projects
        .map((project) => ({ id: project?.id ?? '', name: project?.name ?? '' }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
    };
  };

  it('returns what was stored, in its workspace alone', async () => {
    const one = await addProject(storage());
    const { workspaceId } = one;
    const other = await addProject(storage(), { workspaceId });
    const made = await add({
      ...{ workspaceId, projectIds: [one.id, other.id], name: ' näme \u{1f600} ' },
      ...{ samplingRate: 0.25, enabled: false, type: 'span_user_defined_metric_python' },
      filters: [{ field: 'metadata', operator: '=', key: 'a.b', value: 'c' }],
      code: { metric: 'class Metric: pass', arguments: { output: 'output.answer' } },
    });
    const second = await add({ workspaceId, projectIds: [one.id] });

    expect(await rules().find(workspaceId, made.id)).to.deep.equal(await found(made));
    expect(await rules().find(freshId(), made.id)).to.equal(undefined);
    expect(await rules().find(workspaceId, 'no-such-id')).to.equal(undefined);
    expect(
      await rules().findMany(workspaceId, [second.id, freshId(), 'no-such-id', made.id]),
    ).to.deep.equal([await found(made), await found(second)]);
    expect(await rules().findMany(workspaceId, [])).to.deep.equal([]);
  });

  it('refuses a taken id, and more than a workspace may have', async () => {
    const made = await add();
    expect(await rejection(rules().insert(made))).to.include({ kind: 'conflict' });
    const { id, workspaceId } = await addProject(storage());
    const addMany = (length: number) =>
      Array.from({ length }, () => add({ workspaceId, projectIds: [id] }));
    for (let at = 0; at < mostRules - 10; at += 10) await Promise.all(addMany(10));
    await Promise.all(addMany(7));
    const last = await Promise.allSettled(addMany(8));
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
    expect(await rejection(add({ workspaceId, projectIds: [id] }))).to.include({
      kind: 'conflict',
    });
  });

  it('lists those that are asked for, page by page', async () => {
    const one = await addProject(storage());
    const { workspaceId } = one;
    const other = await addProject(storage(), { workspaceId });
    const [a, b, c] = [
      await add({ workspaceId, projectIds: [one.id], name: 'Alpha', samplingRate: 0.5 }),
      await add({
        ...{ workspaceId, projectIds: [one.id, other.id], name: 'beta', enabled: false },
        type: 'span_llm_as_judge',
      }),
      await add({
        ...{ workspaceId, projectIds: [other.id], name: 'Gamma 100%', samplingRate: 0.25 },
        ...{ createdBy: 'bob', createdAt: byAnn.createdAt + 5 },
      }),
    ];
    await add();
    const list = async (listing: Partial<RuleListing> = {}) => {
      const { total, content } = await rules().list({
        ...{ workspaceId, filters: [], orders: [], offset: 0, limit: 10 },
        ...listing,
      });
      return [total, ...content.map(({ id }) => id)];
    };

    expect(await list()).to.deep.equal([3, c.id, b.id, a.id]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([3, b.id]);
    expect(await list({ projectId: one.id })).to.deep.equal([2, b.id, a.id]);
    expect(await list({ onlyProjectId: one.id })).to.deep.equal([1, a.id]);
    expect(await list({ projectId: 'no-such-id' })).to.deep.equal([0]);
    expect(await list({ id: b.id.slice(4).toUpperCase() })).to.deep.equal([1, b.id]);
    expect(await list({ name: 'ALPH' })).to.deep.equal([1, a.id]);
    expect(await list({ name: '0%' })).to.deep.equal([1, c.id]);
    expect(await list({ name: '_' })).to.deep.equal([0]);
    expect(await list({ orders: [{ field: 'sampling_rate', descending: false }] })).to.deep.equal([
      ...[3, c.id, a.id, b.id],
    ]);
    expect(await list({ orders: [{ field: 'enabled', descending: false }] })).to.deep.equal([
      ...[3, b.id, c.id, a.id],
    ]);
    expect(
      await list({
        filters: [
          { field: 'type', is: 'words', operator: 'in', value: ['llm_as_judge'] },
          { field: 'enabled', is: 'words', operator: 'in', value: ['true'] },
          { field: 'sampling_rate', is: 'number', operator: 'below', value: 0.5 },
          { field: 'created_at', is: 'instant', operator: 'above', value: byAnn.createdAt },
          { field: 'created_by', is: 'text', operator: 'equals', value: 'BOB' },
        ],
      }),
    ).to.deep.equal([1, c.id]);
    const { content } = await rules().list({
      ...{ workspaceId, filters: [], orders: [], offset: 2, limit: 1 },
    });
    expect(content).to.deep.equal([await found(a)]);
  });

  it('lists those of a project about one kind of thing', async () => {
    const { id, workspaceId } = await addProject(storage());
    const of = { workspaceId, projectIds: [id] };
    const [a, b] = [await add(of), await add({ ...of, type: 'user_defined_metric_python' })];
    const thread = await add({ ...of, type: 'trace_thread_llm_as_judge', enabled: false });
    await add();

    expect(await rules().listOfProject(id, 'trace')).to.deep.equal([
      await found(a),
      await found(b),
    ]);
    expect(await rules().listOfProject(id, 'thread')).to.deep.equal([await found(thread)]);
    expect(await rules().listOfProject(id, 'span')).to.deep.equal([]);
  });

  it('replaces all but type, who made it and when, as one whole', async () => {
    const made = await add();
    const { workspaceId, id, type, createdAt, createdBy } = made;
    const others = [
      await addProject(storage(), { workspaceId }),
      await addProject(storage(), { workspaceId }),
    ];
    const next = (projectId: string) => {
      const name = `of ${projectId}`;
      return aRule({ ...byBob, workspaceId, id, projectIds: [projectId], name, createdBy: 'bob' });
    };

    expect(
      await rules().replace({ ...next(others[0]?.id ?? ''), type: 'span_llm_as_judge' }),
    ).to.equal(true);
    const first = await found({ ...next(others[0]?.id ?? ''), type, createdAt, createdBy });
    expect(await rules().find(workspaceId, id)).to.deep.equal(first);
    await Promise.all([...others, ...others].map((project) => rules().replace(next(project.id))));
    const last = await rules().find(workspaceId, id);
    expect(last?.projects.map((project) => `of ${project.id}`)).to.deep.equal([last?.name]);
    for (const other of [
      { ...next(''), workspaceId: freshId() },
      { ...next(''), id: freshId() },
      { ...next(''), id: 'no-such-id' },
    ])
      expect(await rules().replace(other)).to.equal(false);
  });

  it('finds none whose projects are all deleted', async () => {
    const [one, kept] = [await addProject(storage()), await addProject(storage())];
    const { workspaceId } = one;
    const made = await add({ workspaceId, projectIds: [one.id] });
    const both = await add({ workspaceId, projectIds: [one.id, kept.id] });

    await storage().stores.projects.markDeleted(one.id, start);

    expect(await rules().find(workspaceId, made.id)).to.equal(undefined);
    const left = await found({ ...both, projectIds: [kept.id] });
    const listing = { ...{ workspaceId, filters: [], orders: [] }, offset: 0, limit: 10 };
    expect(await rules().list(listing)).to.deep.equal({ total: 1, content: [left] });
  });

  it('removes those that are there with their logs, of one workspace alone', async () => {
    const made = await add();
    const kept = await add({ workspaceId: made.workspaceId, projectIds: made.projectIds });
    const runs = storage().stores.automationRuns;
    const of = [aLine({ ruleId: made.id }), aLine({ ruleId: kept.id })];
    await tellOf(storage(), made.id, of);

    await rules().remove(freshId(), [made.id]);
    expect(await rules().find(made.workspaceId, made.id)).not.to.equal(undefined);
    await rules().remove(made.workspaceId, [made.id, freshId(), 'no-such-id']);
    await rules().remove(made.workspaceId, []);

    expect(await rules().find(made.workspaceId, made.id)).to.equal(undefined);
    expect(await runs.listLogs(made.id, 10)).to.deep.equal([]);
    expect(await rules().find(kept.workspaceId, kept.id)).to.deep.equal(await found(kept));
    expect(await runs.listLogs(kept.id, 10)).to.have.length(1);
  });
};

const aLine = (given: Partial<AutomationLog> = {}): AutomationLog => ({
  ruleId: freshId(),
  id: freshId(),
  at: start * 1000,
  level: 'INFO',
  message: 'a line \u{1f600}',
  markers: { trace_id: 'a' },
  ...given,
});

/** Adds lines to logs, as the end of a run of a rule does. */
export const tellOf = async (
  storage: Storage,
  ruleId: string,
  lines: readonly AutomationLog[],
): Promise<void> => {
  const { automationRuns } = storage.stores;
  const entityId = freshId();
  await automationRuns.enqueueFor(freshId(), 'trace', [entityId], [ruleId]);
  const claimed = await automationRuns.claim('tells', 1000, 3_600_000);
  for (const { id, entityId: about } of claimed)
    await automationRuns.finish('tells', id, about === entityId ? lines : []);
};

/** What every queue of things that wait to be scored keeps to. */
export const automationRunContract = (storage: () => Storage): void => {
  const runs = () => storage().stores.automationRuns;
  const add = adder(storage);
  const minute = 60_000;
  /** Whoever else waits stands in nobody's way: everything of other cases is claimed, and held for long. */
  const clear = async () => {
    while ((await runs().claim('others', 100, 60 * minute)).length > 0);
  };
  const ruleFor = async (type: WrittenRule['type']) => {
    const { id, projectIds } = await add({ ...(await ownProject()), type });
    return { ruleId: id, projectId: projectIds[0] ?? '' };
  };
  const ownProject = async () => {
    const { id, workspaceId } = await addProject(storage());
    return { projectIds: [id], workspaceId };
  };
  const claimed = async (holder = 'me', limit = 10, ms = minute) =>
    (await runs().claim(holder, limit, ms)).map((run) => run.entityId);

  it('takes in only what rules that are enabled are about, and hears of changes', async () => {
    await clear();
    const { projectId, ruleId } = await ruleFor('llm_as_judge');
    const [trace, span, late] = [freshId(), freshId(), freshId()];
    const { id: bare } = await addProject(storage());

    await runs().enqueue(bare, 'trace', [freshId()], 0);
    await runs().enqueue(projectId, 'span', [span], 0);
    await runs().enqueue(projectId, 'thread', [span], 0);
    await runs().enqueue(projectId, 'trace', [trace, trace, 'no-such-id'], 0);
    await runs().enqueue(projectId, 'trace', [late], minute);
    await runs().enqueue(projectId, 'trace', [], 0);

    const [first, ...more] = await runs().claim('me', 10, minute);
    expect(more).to.deep.equal([]);
    expect(first).to.include({ projectId, kind: 'trace', entityId: trace, tries: 1 });
    expect(first?.ruleId).to.equal(undefined);
    expect(first?.ageMs).to.be.within(0, minute);
    expect(await claimed()).to.deep.equal([]);

    const rule = aRule({ projectIds: [projectId], id: ruleId });
    const stored = await storage().stores.automations.listOfProject(projectId, 'trace');
    const workspaceId = stored[0]?.workspaceId ?? '';
    await storage().stores.automations.replace({ ...rule, workspaceId, enabled: false });
    await runs().enqueue(projectId, 'trace', [freshId()], 0);
    expect(await claimed()).to.deep.equal([]);
    await storage().stores.automations.replace({ ...rule, workspaceId });
    await runs().enqueue(projectId, 'trace', [span], 0);
    expect(await claimed()).to.deep.equal([span]);
    await storage().stores.automations.remove(workspaceId, [ruleId]);
    await runs().enqueue(projectId, 'trace', [freshId()], 0);
    expect(await claimed()).to.deep.equal([]);

    const threads = await ruleFor('trace_thread_llm_as_judge');
    await runs().enqueue(threads.projectId, 'thread', [span], 0);
    await runs().enqueue(threads.projectId, 'trace', [trace], 0);
    expect((await claimed()).sort()).to.deep.equal([span, trace].sort());
  });

  it('lets nothing wait that is in the sample of no rule, and tells its log of some', async () => {
    await clear();
    const { projectId, ruleId } = await ruleFor('span_llm_as_judge');
    const [inside, outside, other] = [freshId(), freshId(), freshId()];
    const sample: RuleSample = {
      holds: ({ id, samplingRate }, entityId) =>
        id === ruleId && samplingRate === 1 && entityId === inside,
      lineOf: ({ name }, entityId) => ({
        level: 'INFO',
        message: `${name} leaves out ${entityId}`,
        markers: { span_id: entityId },
      }),
    };

    await runs().enqueue(projectId, 'span', [inside, outside], 0, sample);
    await runs().enqueue(projectId, 'span', [other], 0, sample);

    expect(await claimed()).to.deep.equal([inside]);
    const lines = await runs().listLogs(ruleId, 10);
    expect(lines.map(({ message }) => message.replace(/^.* leaves/, 'leaves'))).to.deep.equal([
      `leaves out ${outside}`,
    ]);
    expect(lines[0]).to.deep.include({ ruleId, level: 'INFO', markers: { span_id: outside } });
    expect(Math.abs((lines[0]?.at ?? 0) / 1000 - Date.now())).to.be.lessThan(minute);

    const threads = await ruleFor('trace_thread_llm_as_judge');
    await runs().enqueue(threads.projectId, 'trace', [outside], 0, sample);
    expect(await claimed()).to.deep.equal([outside]);
  });

  it('gives each thing to one claimant, and again once it was held too long', async () => {
    await clear();
    const { projectId } = await ruleFor('llm_as_judge');
    const ids = Array.from({ length: 20 }, () => freshId());
    await runs().enqueue(projectId, 'trace', ids, 0);

    expect(await runs().claim('me', 10, minute, [projectId])).to.deep.equal([]);
    const got = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => claimed(holder, 8)));
    expect(got.flat().sort()).to.deep.equal([...ids].sort());

    await runs().enqueue(projectId, 'trace', ids.slice(0, 1), 0);
    const [held] = await runs().claim('slow', 1, 0);
    const [again] = await runs().claim('next', 1, minute);
    expect([held?.tries, again?.tries, again?.id]).to.deep.equal([1, 2, held?.id]);
    await runs().finish('slow', again?.id ?? '');
    await runs().postpone('slow', again?.id ?? '', 0, true);
    expect(await runs().choose('slow', again ?? never(), [freshId()])).to.equal(false);
    expect(await claimed()).to.deep.equal([]);
    await runs().postpone('next', again?.id ?? '', 0, false);
    const [third] = await runs().claim('next', 1, minute);
    expect([third?.id, third?.tries]).to.deep.equal([held?.id, 2]);
    await runs().postpone('next', third?.id ?? '', 0, true);
    const [fourth] = await runs().claim('next', 1, 0);
    expect(fourth?.tries).to.equal(3);
    await runs().finish('next', fourth?.id ?? '');
    expect(await claimed()).to.deep.equal([]);
  });

  it('has things wait for the rules that they are asked for, anew when asked again', async () => {
    await clear();
    const { projectId, ruleId } = await ruleFor('span_llm_as_judge');
    const [other, a, b] = [freshId(), freshId(), freshId()];

    await runs().enqueueFor(projectId, 'span', [a, b, a, 'no-such-id'], [ruleId, other, ruleId]);
    await runs().enqueueFor(projectId, 'span', [a], []);
    await runs().enqueueFor(projectId, 'span', [], [ruleId]);

    const all = await runs().claim('me', 10, minute);
    const pairs = (of: typeof all) => of.map((run) => `${run.entityId} ${run.ruleId}`).sort();
    const wanted = [a, b].flatMap((id) => [`${id} ${ruleId}`, `${id} ${other}`]).sort();
    expect(pairs(all)).to.deep.equal(wanted);
    for (const run of all)
      expect(run).to.include({ projectId, kind: 'span', asked: true, tries: 1 });
    await runs().enqueueFor(projectId, 'span', [a], [ruleId]);
    const again = await runs().claim('other', 10, minute);
    expect(pairs(again)).to.deep.equal([`${a} ${ruleId}`]);
    expect(again[0]?.tries).to.equal(1);
    await runs().finish('me', again[0]?.id ?? '');
    await runs().postpone('other', again[0]?.id ?? '', 0, true);
    expect(await claimed()).to.deep.equal([a]);

    // What rules choose by themselves is not asked for.
    await runs().enqueue(projectId, 'span', [b], 0);
    const [looked] = await runs().claim('me', 1, minute);
    expect(looked?.asked).to.equal(false);
    await runs().choose('me', looked ?? never(), [ruleId]);
    const [chosen] = await runs().claim('me', 1, minute);
    expect([chosen?.ruleId, chosen?.asked]).to.deep.equal([ruleId, false]);
  });

  it('has each chosen rule wait in place of what was looked at', async () => {
    await clear();
    const { projectId } = await ruleFor('span_llm_as_judge');
    const [entityId, ...rules] = [freshId(), freshId(), freshId()];
    await runs().enqueue(projectId, 'span', [entityId], 0);
    const [looked] = await runs().claim('me', 1, minute);

    expect(await runs().choose('me', looked ?? never(), rules)).to.equal(true);

    const chosen = await runs().claim('me', 10, minute);
    expect(chosen.map((run) => [run.entityId, run.kind, run.tries])).to.deep.equal([
      [entityId, 'span', 1],
      [entityId, 'span', 1],
    ]);
    expect(chosen.map(({ ruleId }) => ruleId).sort()).to.deep.equal([...rules].sort());
  });

  it('does not end what came to wait anew meanwhile', async () => {
    await clear();
    const { projectId } = await ruleFor('llm_as_judge');
    const entityId = freshId();
    await runs().enqueue(projectId, 'trace', [entityId], 0);
    const [held] = await runs().claim('me', 1, minute);

    await runs().enqueue(projectId, 'trace', [entityId], 0);
    await runs().finish('me', held?.id ?? '');

    const [again] = await runs().claim('me', 1, minute);
    expect(again).to.include({ id: held?.id, entityId, tries: 1 });
  });

  it('adds lines with what becomes of a claim, and none where the holder lost it', async () => {
    await clear();
    const { projectId } = await ruleFor('llm_as_judge');
    const ruleId = freshId();
    const told = async () =>
      (await runs().listLogs(ruleId, 10)).map(({ message }) => message).reverse();
    const line = (message: string) => [aLine({ ruleId, message })];
    await runs().enqueue(projectId, 'trace', [freshId()], 0);
    const [held] = await runs().claim('me', 1, minute);
    const id = held?.id ?? '';

    await runs().finish('other', id, line('finished by another'));
    await runs().postpone('other', id, 0, true, line('postponed by another'));
    await runs().choose('other', held ?? never(), [ruleId], line('chosen by another'));
    expect(await told()).to.deep.equal([]);
    await runs().postpone('me', id, 0, true, line('postponed'));
    const [again] = await runs().claim('me', 1, minute);
    await runs().choose('me', again ?? never(), [ruleId], line('chosen'));
    const [judged] = await runs().claim('me', 1, minute);
    expect(judged?.ruleId).to.equal(ruleId);
    await runs().finish('me', judged?.id ?? '', [...line('finished'), ...line('really')]);
    await runs().finish('me', judged?.id ?? '', line('finished twice'));
    expect(await told()).to.deep.equal(['postponed', 'chosen', 'finished', 'really']);
    expect(await claimed()).to.deep.equal([]);
  });

  it('lists lines of a log, the newest first, and keeps the newest', async () => {
    const ruleId = freshId();
    const lines = Array.from({ length: 3 }, (_, at) =>
      aLine({ ruleId, at: start * 1000 + at, level: 'ERROR', markers: { at: String(at) } }),
    );
    const tell = (told: readonly AutomationLog[]) => tellOf(storage(), ruleId, told);
    await tell(lines);
    await tell([]);
    await tell([aLine()]);

    expect(await runs().listLogs(ruleId, 10)).to.deep.equal([...lines].reverse());
    expect(await runs().listLogs(ruleId, 1)).to.deep.equal(lines.slice(2));
    expect(await runs().listLogs('no-such-id', 1)).to.deep.equal([]);
    const more = Array.from({ length: mostLogs }, () => aLine({ ruleId }));
    for (let at = 0; at < more.length; at += 500) await tell(more.slice(at, at + 500));
    const kept = await runs().listLogs(ruleId, mostLogs * 2);
    expect([kept.length, kept.at(-1)?.id]).to.deep.equal([mostLogs, more[0]?.id]);
  });
};

const never = (): never => {
  throw new Error('nothing was claimed');
};
