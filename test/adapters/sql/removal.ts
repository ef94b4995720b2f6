import { expect } from 'chai';
import { encodePending } from '#adapters/storage/sql/metrics/pending';
import { prepareBatch } from '#adapters/storage/sql/metrics/prepared';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import {
  addExperiment,
  addProject,
  addWorkspace,
  freshId,
  freshKey,
  gatherPoints,
  point,
  start,
} from '#test/contract/storage/builders';
import { aRule } from '#test/contract/storage/automations';
import { aPromptRun } from '#test/contract/storage/prompt-runs';
import { anAlert } from '#test/contract/storage/alerts';
import {
  aReportedIssue,
  anInsightsJob,
  anInsightsRun,
} from '#test/contract/storage/agent-insights';
import { aSavedQuery } from '#test/contract/storage/saved-queries';
import { aDashboard } from '#test/contract/storage/dashboards';
import { aBlueprint } from '#test/contract/storage/agent-configs';
import { aQueue } from '#test/contract/storage/annotation-queues';
import { anAttachment } from '#test/contract/storage/attachments';
import { aComment, aScore } from '#test/contract/storage/feedback';
import { aSpan, aTrace } from '#test/contract/storage/traces';

/** Tables whose rows outlive the experiment or project that they came from. */
const outlive: readonly string[] = [
  'experiments',
  'artifacts',
  'artifact_versions',
  'removed_usage',
  // Records of the workspace, which name a project and stay when it goes.
  'datasets',
  'evaluations',
  'evaluation_items',
  'library_prompts',
  'optimizations',
];

/** What becomes of deleted experiments and projects, in every table there is. */
export const removalContract = (storage: () => SqlStorage): void => {
  const remove = () =>
    storage()
      .jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(new AbortController().signal);
  const tablesWith = async (column: string): Promise<readonly string[]> => {
    const { db, dialect } = storage().connection;
    const rows = (await db('information_schema.columns')
      .select({ name: 'table_name' })
      .where('column_name', column)
      .whereRaw(`table_schema = ${dialect.currentSchema}`)) as readonly { readonly name: string }[]; // the column named
    return rows
      .map((row) => row.name)
      .filter((name) => !outlive.includes(name) && !name.startsWith('p_'))
      .sort();
  };
  const tablesHolding = async (column: string, id: string): Promise<readonly string[]> => {
    const holding: string[] = [];
    for (const table of await tablesWith(column))
      if (
        (await storage()
          .connection.db(table)
          .where({ [column]: id })
          .first()) !== undefined
      )
        holding.push(table);
    return holding;
  };

  /** Gives an experiment something of everything that there is. */
  const fill = async (id: string, projectId: string): Promise<void> => {
    const { stores } = storage();
    for (let i = 0; i < 2; i++)
      await stores.metrics.append({
        experimentId: id,
        points: [point({ text: String(i) })],
        receivedAt: start,
        digest: `${i}`.repeat(64),
      });
    await stores.metrics.append({
      experimentId: id,
      points: Array.from({ length: 3000 }, (_, step) => point({ name: 'long', step })),
      receivedAt: start,
    });
    await stores.metrics.queueCompaction([id]);
    await storage()
      .jobs.find(({ name }) => name === 'merge-chunks')
      ?.run(new AbortController().signal);
    for (const text of ['0', '1'])
      await stores.metrics.append({
        experimentId: id,
        points: [point({ name: 'waiting', text })],
        receivedAt: start,
      });
    await stores.metrics.queueCompaction([id]);
    const waiting = encodePending(
      prepareBatch({ experimentId: id, points: [point({ name: 'waiting' })], receivedAt: start }),
    );
    // Where an engine takes one statement at a time nothing is let wait, so a row is made.
    await storage()
      .connection.db('pending_points')
      .insert({ experiment_id: id, seq: 1_000_000, at: start, points: waiting });
    await stores.values.write({
      experimentId: id,
      kind: 'parameter',
      values: [{ name: 'lr', context: undefined, text: '1', step: undefined, timestamp: start }],
      receivedAt: start,
    });
    await stores.texts.replace({ experimentId: id, kind: 'html', content: '<p>' });
    await stores.texts.appendOutput({
      experimentId: id,
      lines: [{ text: 'line', stderr: false, offset: 0 }],
      receivedAt: start,
      limitBytes: 1000,
    });
    await stores.documents.change(id, 'git', () => '{}');
    await stores.rpc.register(id, { name: 'f', documentation: '', argumentNames: [] });
    await stores.rpc.insert({
      id: freshId(),
      experimentId: id,
      functionName: 'f',
      builtIn: false,
      arguments: [],
      userName: 'u',
      createdAt: start,
    });
    await stores.views.insert({
      id: freshId(),
      projectId,
      experimentId: id,
      name: 'v',
      content: '{}',
      createdBy: 'u',
      createdAt: start,
      updatedAt: start,
    });
    await stores.comments.insert({
      id: freshId(),
      experimentId: id,
      versionId: undefined,
      modelId: undefined,
      firstStep: undefined,
      lastStep: undefined,
      authorId: freshId(),
      text: 'c',
      createdAt: start,
    });
    await stores.experiments.link(id, (await addProject(storage())).id);
    await stores.runCopies.insert({ toId: id, fromId: freshId(), lastStep: 1, at: start });
    await stores.artifactUses.noteUse(id, freshId(), start);
    const rowId = freshId();
    const facts = {
      id: freshKey(),
      rowId,
      experimentId: id,
      workspaceId: freshId(),
      fileName: 'a',
      type: 'asset',
      runContext: undefined,
      step: undefined,
      epoch: undefined,
      metadata: undefined,
      remoteLink: undefined,
      groupingName: undefined,
      artifactVersionId: undefined,
      extension: undefined,
      tags: [],
      partOf: undefined,
      createdAt: start,
    };
    await stores.uploads.noteUpload(`w/${rowId}`, start);
    await stores.assets.insert(
      {
        ...facts,
        fileSize: 1,
        blobKey: `w/${rowId}`,
        sha256: 'a'.repeat(64),
        width: undefined,
        height: undefined,
      },
      { replacing: false, idGiven: true },
    );
    await stores.uploads.insertDirect({
      id: freshId(),
      experimentId: id,
      facts,
      idGiven: true,
      replacing: false,
      parts: 1,
      bucket: undefined,
      expiresAt: start * 2,
      keptAs: undefined,
    });
  };

  it('removes every row of a deleted experiment from every table', async () => {
    const { id, key, projectId } = await addExperiment(storage());
    await fill(id, projectId);
    expect(await tablesHolding('experiment_id', id)).to.deep.equal(
      await tablesWith('experiment_id'),
      'the case must fill every table',
    );

    await storage().stores.experiments.markDeleted(id, start);
    await remove();

    expect(await tablesHolding('experiment_id', id)).to.deep.equal([]);
    expect(await storage().connection.db('experiments').where({ id })).to.deep.equal([]);
    await addExperiment(storage(), { key });
  });

  it('leaves a neighbour as it was', async () => {
    const project = await addProject(storage());
    const [gone, there] = [
      await addExperiment(storage(), { projectId: project.id }),
      await addExperiment(storage(), { projectId: project.id }),
    ];
    for (const { id } of [gone, there]) await fill(id, project.id);

    await storage().stores.experiments.markDeleted(gone.id, start);
    await remove();

    expect(await tablesHolding('experiment_id', there.id)).to.deep.equal(
      await tablesWith('experiment_id'),
    );
    expect(
      await gatherPoints(storage().stores.metrics.readPoints(there.id, 'loss')),
    ).to.have.length(2);
  });

  it('removes every row of a deleted project, its experiments and the links into it', async () => {
    const project = await addProject(storage());
    const [inside, linked] = [
      await addExperiment(storage(), { projectId: project.id }),
      await addExperiment(storage()),
    ];
    await fill(inside.id, project.id);
    const { stores } = storage();
    await stores.experiments.link(linked.id, project.id);
    await stores.projects.insertShareCode(project.id, 'code', start);
    await stores.projects.moveToWorkspace(
      project.id,
      (await addWorkspace(storage())).id,
      Date.now() + 60_000,
    );
    await stores.projects.writeInstanceStore(project.id, 'i', '{}');
    await stores.views.insert({
      id: freshId(),
      projectId: project.id,
      experimentId: undefined,
      name: 'v',
      content: '{}',
      createdBy: 'u',
      createdAt: start,
      updatedAt: start,
    });
    const view = {
      id: freshId(),
      projectId: project.id,
      type: 'runs' as const,
      name: 'v',
      shared: true,
      ownerId: freshId(),
      content: '{}',
      createdAt: start,
    };
    await stores.runActions.insert({
      id: freshId(),
      projectId: project.id,
      userId: freshId(),
      via: 'key',
      keyId: freshId(),
      scope: undefined,
      wish: { action: 'archive', tags: [], target: undefined },
      createdAt: start,
      runs: [inside.key],
    });
    await stores.savedViews.insert(view);
    await stores.savedViews.setDefault(view, undefined, view.id);
    const trace = aTrace({ projectId: project.id, threadId: 'a' });
    const span = aSpan({ projectId: project.id, input: '1' });
    const about = { projectId: project.id, entityId: trace.id };
    await stores.traces.changeTraces(project.id, [trace.id], () => trace);
    await stores.traces.changeSpans(project.id, [span.id], () => span);
    await storage()
      .connection.db('entry_blocks')
      .insert({
        ...{ project_id: project.id, kind: 1, last_id: span.id, after_id: trace.id },
        ...{ state: 2, at: start },
      });
    await stores.traces.mapOtelTraces(project.id, new Map([['0a'.repeat(16), trace.id]]), {
      now: start,
      forgetBefore: 0,
    });
    const authorship = {
      ...{ createdAt: start, createdBy: 'ann', lastUpdatedAt: start, lastUpdatedBy: 'ann' },
    };
    await stores.retention.insert({
      ...{ workspaceId: project.workspaceId, id: freshId(), projectId: project.id },
      ...{ retention: 'short_14d', appliesToPast: false, enabled: true, ...authorship },
    });
    await stores.dashboards.insert(
      aDashboard({ workspaceId: project.workspaceId, projectId: project.id }),
    );
    await stores.savedQueries.insert(
      aSavedQuery({ workspaceId: project.workspaceId, projectId: project.id }),
    );
    await stores.insightsJobs.insert(anInsightsJob({ projectId: project.id }));
    await stores.insightsJobs.addRun(anInsightsRun({ projectId: project.id }));
    await stores.insightsIssues.report(
      { projectId: project.id, day: '2026-05-01', issues: [aReportedIssue()] },
      { lastUpdatedAt: 1, lastUpdatedBy: 'ann' },
    );
    await stores.alerts.insert(
      anAlert({ workspaceId: project.workspaceId, projectId: project.id }),
    );
    const rule = aRule({ workspaceId: project.workspaceId, projectIds: [project.id] });
    await stores.automations.insert(rule);
    await stores.automationRuns.enqueue(project.id, 'trace', [trace.id], 0);
    await stores.promptRuns.insert([
      aPromptRun({ workspaceId: project.workspaceId, projectId: project.id }),
    ]);
    await stores.agentConfigs.create(freshId(), aBlueprint(project), 'prod');
    const queue = aQueue(project);
    await stores.annotationQueues.insert([queue]);
    await stores.annotationQueues.addItems(queue, [trace.id], start);
    await stores.annotationQueues.lock(queue, trace.id, 'ann');
    await stores.guardrails.put([
      {
        ...{ projectId: project.id, id: freshId(), traceId: trace.id, spanId: span.id },
        ...{ name: 'PII', passed: true, config: undefined, details: undefined },
        ...{ createdAt: start, createdBy: 'ann' },
      },
    ]);
    await stores.evaluationItems.putResults([
      {
        ...{ ...about, entityKind: 'trace', name: 'a', passed: true, reason: undefined },
        ...{ source: 'sdk', ...authorship },
      },
    ]);
    await stores.attachments.put(anAttachment(about));
    await stores.feedback.putScores([aScore(about)]);
    await stores.feedback.insertComment(aComment(about));
    expect(await tablesHolding('project_id', project.id)).to.deep.equal(
      await tablesWith('project_id'),
      'the case must fill every table',
    );

    await stores.projects.markDeleted(project.id, start);
    await remove();

    expect(await tablesHolding('project_id', project.id)).to.deep.equal([]);
    expect([
      await tablesHolding('experiment_id', inside.id),
      await stores.experiments.listLinks(linked.id),
    ]).to.deep.equal([[], []]);
    expect(await stores.experiments.findByKey(inside.key)).to.equal(undefined);
  });

  it('moves what turned up in a project deleted without its experiments to the one of its name, or brings the project back', async () => {
    const {
      stores,
      connection: { db },
    } = storage();
    const [project, lonely] = [await addProject(storage()), await addProject(storage())];
    const [other, late, later] = [
      await addExperiment(storage()),
      await addExperiment(storage(), { projectId: project.id }),
      await addExperiment(storage(), { projectId: lonely.id }),
    ];
    for (const { id } of [project, lonely])
      await stores.projects.markDeleted(id, start, { keepsExperiments: true });
    const again = await addProject(storage(), {
      workspaceId: project.workspaceId,
      name: project.name,
    });

    await remove();

    expect((await stores.experiments.findByKey(late.key))?.projectId).to.equal(again.id);
    expect((await stores.experiments.findByKey(later.key))?.projectId).to.equal(lonely.id);
    expect((await stores.projects.findByName(lonely.workspaceId, lonely.name))?.id).to.equal(
      lonely.id,
    );
    expect((await stores.experiments.findByKey(other.key))?.projectId).to.equal(other.projectId);
    expect(await db('projects').where({ id: project.id })).to.deep.equal([]);
  });

  it('takes along what turned up in a project while it moved to another workspace', async () => {
    const {
      stores,
      connection: { db },
    } = storage();
    const [project, target] = [await addProject(storage()), await addWorkspace(storage())];
    await stores.projects.moveToWorkspace(project.id, target.id, start);
    const late = await addExperiment(storage(), { projectId: project.id });
    await db('experiments').where({ id: late.id }).update({ workspace_id: project.workspaceId });

    await remove();

    expect((await stores.experiments.findByKey(late.key))?.workspaceName).to.equal(target.name);
    expect(await db('moved_projects').where({ project_id: project.id })).to.deep.equal([]);
  });

  it('takes at most a thousand rows of a table in one transaction', async function () {
    this.timeout(60_000);
    await remove();
    const { id } = await addExperiment(storage());
    await storage().stores.metrics.append({
      experimentId: id,
      points: Array.from({ length: 2500 }, (_, i) => point({ name: `m${i}` })),
      receivedAt: start,
    });
    for (let i = 0; i < 3; i++)
      await storage().transaction((stores) =>
        stores.metrics.append({
          experimentId: id,
          points: Array.from({ length: 10 }, (_, at) => point({ name: `m${at}` })),
          receivedAt: start,
        }),
      );
    await storage().stores.experiments.markDeleted(id, start);
    const { db } = storage().connection;
    const deletes: { readonly sql: string; readonly rows: number }[] = [];
    const note = (result: unknown, query: { readonly sql: string }) => {
      if (/^delete from .(chunks|series|experiment_values).\s/.test(query.sql))
        deletes.push({ sql: query.sql, rows: rowsOf(result) });
    };
    db.on('query-response', note);

    await remove();
    db.off('query-response', note);

    expect(deletes.reduce((sum, { rows }) => sum + rows, 0)).to.equal(2530 + 2500 + 2500);
    expect(Math.max(...deletes.map(({ rows }) => rows))).to.be.at.most(1000);
    expect(await tablesHolding('experiment_id', id)).to.deep.equal([]);
  });

  it('stops when it is told to, and goes on where it was', async () => {
    const made = await addExperiment(storage());
    await fill(made.id, made.projectId);
    await storage().stores.experiments.markDeleted(made.id, start);
    const stopped = new AbortController();
    stopped.abort();

    await storage()
      .jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(stopped.signal);
    expect(await storage().connection.db('experiments').where({ id: made.id })).to.have.length(1);
    await remove();

    expect(await tablesHolding('experiment_id', made.id)).to.deep.equal([]);
  });
};

/** How many rows a driver says that a delete took. */
const rowsOf = (result: unknown): number =>
  typeof result === 'number'
    ? result
    : ((result as { readonly rowCount?: number }).rowCount ??
      (result as readonly [{ readonly affectedRows: number }])[0].affectedRows); // the answers of the two drivers
