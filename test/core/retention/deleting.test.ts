import { expect } from 'chai';
import { systemLog } from '#adapters/system/log';
import { applyRetention } from '#core/retention/deleting';
import type { Retention, RetentionRule } from '#ports/model/retention';
import type { Storage } from '#ports/storage/storage';
import { anAttachment } from '#test/contract/storage/attachments';
import { addProject, freshId, start } from '#test/contract/storage/builders';
import { aComment, aScore } from '#test/contract/storage/feedback';
import { aSpan, aTrace } from '#test/contract/storage/traces';
import { embedded } from '../opened.js';

const dayMs = 24 * 3_600_000;
const now = start + 1000 * dayMs;
const goes = new AbortController().signal;

describe('deleting traces by age', function () {
  this.timeout(60_000);
  const opened = embedded();
  const stores = () => opened().storage.stores;
  const apply = (storage: Storage = opened().storage, at = now) =>
    applyRetention({ storage, clock: { now: () => at }, log: systemLog('silent') }, goes);

  /** An id made so many days before now. */
  const idOfAge = (days: number): string => {
    const hex = (now - days * dayMs).toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}${freshId().slice(13)}`;
  };
  const addRule = async (
    workspaceId: string,
    retention: Retention,
    given: Partial<RetentionRule> = {},
  ): Promise<void> =>
    stores().retention.insert({
      workspaceId,
      id: freshId(),
      projectId: undefined,
      retention,
      appliesToPast: true,
      enabled: true,
      ...{ createdAt: now * 1000, createdBy: 'ann' },
      ...{ lastUpdatedAt: now * 1000, lastUpdatedBy: 'ann' },
      ...given,
    });
  /** A trace of an age with some spans. */
  const log = async (projectId: string, days: number, spans = 2): Promise<string> => {
    const trace = aTrace({ projectId, id: idOfAge(days), threadId: `thread ${days}` });
    await stores().traces.changeTraces(projectId, [trace.id], () => trace);
    const made = new Map(
      Array.from({ length: spans }, () => {
        const span = aSpan({ projectId, id: idOfAge(days), traceId: trace.id });
        return [span.id, span] as const;
      }),
    );
    await stores().traces.changeSpans(projectId, [...made.keys()], (id) => made.get(id));
    return trace.id;
  };
  const left = async (projectId: string) => {
    const listing = { projectId, filters: [], limit: 1000 };
    return {
      traces: (await stores().traces.listTraces(listing)).map(({ id }) => id).sort(),
      spans: (await stores().traces.listSpans(listing)).length,
    };
  };

  it('takes the old ones with everything about them, and leaves the young ones', async () => {
    const { id: projectId, workspaceId } = await addProject(opened().storage);
    const old = await log(projectId, 15, 1200);
    const young = await log(projectId, 13);
    const about = (entityId: string) => ({ projectId, entityId });
    for (const id of [old, young]) {
      await stores().feedback.putScores([aScore(about(id))]);
      await stores().feedback.insertComment(aComment(about(id)));
      await stores().attachments.put(anAttachment(about(id)));
    }
    const lonely = aSpan({ projectId, id: idOfAge(20), traceId: freshId() });
    await stores().traces.changeSpans(projectId, [lonely.id], () => lonely);
    await addRule(workspaceId, 'short_14d');

    expect(await apply()).to.equal(1);

    expect(await left(projectId)).to.deep.equal({ traces: [young], spans: 2 });
    const { db } = opened().storage.connection;
    for (const table of ['feedback_scores', 'trace_comments', 'trace_attachments'])
      expect(
        (await db(table).where({ project_id: projectId })).map(
          (row: { readonly entity_id: string }) => row.entity_id,
        ),
        table,
      ).to.deep.equal([young]);
    expect(
      await db('blob_removals').whereRaw('blob_key like ?', [`${projectId}/%`]),
    ).to.have.length(1);
    expect(await db('trace_threads').where({ project_id: projectId })).to.have.length(1);
  });

  it('takes what has become old in the meantime', async () => {
    const { id: projectId, workspaceId } = await addProject(opened().storage);
    const young = await log(projectId, 10);
    await addRule(workspaceId, 'short_14d');

    await apply();
    expect((await left(projectId)).traces).to.deep.equal([young]);
    await apply(opened().storage, now + 5 * dayMs);
    expect((await left(projectId)).traces).to.deep.equal([]);
  });

  it('goes by the rule of the project before that of the workspace', async () => {
    const first = await addProject(opened().storage);
    const { workspaceId } = first;
    const [longer, forever] = [
      await addProject(opened().storage, { workspaceId }),
      await addProject(opened().storage, { workspaceId }),
    ];
    const foreign = await addProject(opened().storage);
    const kept: string[] = [];
    for (const { id } of [first, longer, forever, foreign]) kept.push(await log(id, 30));
    await addRule(workspaceId, 'short_14d');
    await addRule(workspaceId, 'base_60d', { projectId: longer.id });
    await addRule(workspaceId, 'unlimited', { projectId: forever.id });
    await addRule(workspaceId, 'short_14d', { projectId: foreign.id });

    await apply();

    const found = [];
    for (const { id } of [first, longer, forever, foreign])
      found.push((await left(id)).traces.length);
    expect(found).to.deep.equal([0, 1, 1, 1]);
  });

  it('leaves what was there before the rule, unless that is asked for', async () => {
    const { id: projectId, workspaceId } = await addProject(opened().storage);
    const [before] = [await log(projectId, 40), await log(projectId, 20)];
    await addRule(workspaceId, 'short_14d', {
      appliesToPast: false,
      createdAt: (now - 30 * dayMs) * 1000,
    });

    await apply();

    expect((await left(projectId)).traces).to.deep.equal([before]);
  });

  it('is done by two processes at once as by one', async () => {
    const { id: projectId, workspaceId } = await addProject(opened().storage);
    for (let i = 0; i < 150; i++) await log(projectId, 15 + i, 1);
    const young = await log(projectId, 1);
    await addRule(workspaceId, 'short_14d');

    await Promise.all([apply(), apply()]);

    expect(await left(projectId)).to.deep.equal({ traces: [young], spans: 2 });
  });

  it('goes on where it was stopped', async () => {
    const { id: projectId, workspaceId } = await addProject(opened().storage);
    await log(projectId, 15);
    await addRule(workspaceId, 'short_14d');
    const stopped = new AbortController();
    stopped.abort();
    const needs = {
      storage: opened().storage,
      clock: { now: () => now },
      log: systemLog('silent'),
    };

    expect(await applyRetention(needs, stopped.signal)).to.equal(0);
    expect((await left(projectId)).traces).to.have.length(1);
    expect(await apply()).to.equal(1);
  });
});
