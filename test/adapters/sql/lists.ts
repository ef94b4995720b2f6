// Lists read their page and no more, however much there is: a table of lists, each with how many rows it may go through.
import { expect } from 'chai';
import { listDueOutput } from '#adapters/storage/sql/output-packing';
import { createCompaction } from '#adapters/storage/sql/metrics/compaction';
import { mostListed } from '#ports/page';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import {
  addExperiment,
  addProject,
  addUser,
  freshId,
  freshKey,
  point,
  start,
} from '#test/contract/storage/builders';
import { aBlueprint } from '#test/contract/storage/agent-configs';
import { addChannel } from '#test/contract/storage/channels';
import { aRule, tellOf } from '#test/contract/storage/automations';
import { anAlert } from '#test/contract/storage/alerts';
import { aDashboard } from '#test/contract/storage/dashboards';
import { addModel, addVersion } from '#test/contract/storage/registry-builders';
import { examine } from './examined.js';

/** Rows of each table, of which a page shows twenty. */
const many = 6000;
const page = 20;

/** Makes copies of the newest row of a table; what changes is told for each. */
const multiply = async (
  { connection: { db } }: SqlStorage,
  table: string,
  where: Readonly<Record<string, string>>,
  change: (at: number) => Readonly<Record<string, unknown>>,
  times = many,
): Promise<void> => {
  const row = (await db(table).where(where).first()) as object | undefined;
  if (row === undefined) throw new Error(`no row of ${table} to copy`);
  for (let at = 0; at < times; at += 500)
    await db(table).insert(
      Array.from({ length: Math.min(500, times - at) }, (_, i) => ({ ...row, ...change(at + i) })),
    );
};

/** What is asked for, made once for all lists. */
interface Grown {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Of a few runs among very many. */
  readonly smallId: string;
  readonly experimentId: string;
  readonly userId: string;
  readonly channelId: string;
  readonly subjectId: string;
  readonly modelId: string;
  readonly modelWorkspaceId: string;
  readonly optimizerId: string;
  /** Of a configuration of very many versions, and where it stands. */
  readonly configId: string;
  readonly configWorkspaceId: string;
}

const growRuns = async (storage: SqlStorage) => {
  const project = await addProject(storage);
  const run = await addExperiment(storage, { projectId: project.id });
  await multiply(storage, 'experiments', { id: run.id }, (at) => ({
    id: freshId(),
    key: freshKey(),
    created_at: start + at * 1000,
    start_time: start + at * 1000,
    alive: at < 10,
    last_seen_at: start,
  }));
  await growSeries(storage, project.id);
  return { project, run };
};

/** Some metrics of many runs, a point each. */
const growSeries = async (storage: SqlStorage, projectId: string): Promise<void> => {
  const { db } = storage.connection;
  const ids = (await db('experiments')
    .where({ project_id: projectId })
    .limit(1000)
    .pluck('id')) as readonly string[]; // the column named
  const [first = ''] = ids;
  await storage.stores.metrics.append({
    experimentId: first,
    points: Array.from({ length: 20 }, (_, at) => point({ name: `m${at}` })),
    receivedAt: start,
  });
  const rows = (await db('series').where({ experiment_id: first })) as readonly object[]; // whole rows
  for (let at = 1; at < ids.length; at += 25)
    await db('series').insert(
      ids
        .slice(at, at + 25)
        .flatMap((experiment_id) => rows.map((row) => ({ ...row, experiment_id }))),
    );
};

const growDeliveries = async (storage: SqlStorage, workspaceId: string) => {
  const channel = await addChannel(storage, { workspaceId });
  const subjectId = freshId();
  const id = freshId();
  await storage.stores.deliveries.enqueue([
    {
      id,
      channelId: channel.id,
      workspaceId,
      subjectId,
      eventId: freshId(),
      trigger: 'T',
      content: '{}',
      createdAt: start,
    },
  ]);
  const made = 3 * mostListed + 1000;
  await multiply(
    storage,
    'deliveries',
    { id },
    (at) => ({
      id: freshId(),
      number: at + 10,
      subject_id: at % 100 === 0 ? subjectId : freshId(),
      once_key: freshKey() + freshKey(),
      event_id: freshId(),
      created_at: start + at,
      state: at % 50 === 0 ? 'FAILED' : 'DELIVERED',
    }),
    made,
  );
  return { channelId: channel.id, subjectId };
};

const growRequests = async (storage: SqlStorage) => {
  const model = await addModel(storage);
  const version = await addVersion(storage, model);
  const id = freshId();
  await storage.stores.approvals.insertRequest({
    id,
    workspaceId: model.workspaceId,
    modelId: model.id,
    versionId: version.id,
    status: 'Production',
    from: 'None',
    comment: undefined,
    userId: (await addUser(storage)).id,
    createdAt: start,
  });
  await multiply(
    storage,
    'registry_requests',
    { id },
    (at) => ({
      id: freshId(),
      created_at: start + at,
      state: at % 50 === 0 ? 'PENDING' : 'APPROVED',
    }),
    3 * mostListed + 1000,
  );
  return model;
};

const growRest = async (
  storage: SqlStorage,
  { project, run }: Awaited<ReturnType<typeof growRuns>>,
) => {
  const { stores } = storage;
  const user = await addUser(storage);
  const optimizerId = freshId();
  await stores.optimizers.insert({
    id: optimizerId,
    workspaceId: project.workspaceId,
    userId: user.id,
    algorithm: 'random',
    name: undefined,
    parameters: '{}',
    spec: '{}',
    trials: 1,
    seed: 's',
    createdAt: start,
  });
  await stores.optimizers.putTrial(optimizerId, {
    pid: 'p',
    trial: 0,
    count: 0,
    parameters: '{}',
    status: 'completed',
    score: undefined,
    epoch: undefined,
    tries: 1,
    retries: 0,
    startTime: start,
    endTime: undefined,
    updatedAt: start,
    metadata: undefined,
  });
  await multiply(storage, 'optimizer_trials', { optimizer_id: optimizerId }, (at) => ({
    pid: `p${at}`,
    count: at + 1,
    status: at % 50 === 0 ? 'aborted' : 'completed',
    retries: 100,
  }));
  const comment = { id: freshId(), experimentId: run.id, versionId: undefined, modelId: undefined };
  await stores.comments.insert({
    ...comment,
    firstStep: undefined,
    lastStep: undefined,
    authorId: user.id,
    text: 'words',
    createdAt: start,
  });
  await multiply(storage, 'comments', { id: comment.id }, () => ({ id: freshId() }));
  await stores.audit.insert({
    id: freshId(),
    at: start,
    actorId: user.id,
    actorName: 'Ann',
    via: 'key',
    keyId: undefined,
    address: undefined,
    action: 'deleteProject',
    thing: { kind: 'project', id: project.id, name: 'x' },
    workspaceId: project.workspaceId,
    outcome: 'done',
    detail: {},
  });
  await multiply(storage, 'audit', { actor_id: user.id }, (at) => ({
    id: freshId(),
    at: start + at,
  }));
  await growOutput(storage, run.id);
  await growQueues(storage, project.id);
  return { optimizerId, userId: user.id };
};

/** A configuration each of whose versions took the place of the one before, also in an environment; and dashboards beside it. */
const growConfig = async (
  storage: SqlStorage,
): Promise<{ readonly configId: string; readonly configWorkspaceId: string }> => {
  const { stores, connection } = storage;
  const project = await addProject(storage);
  const first = await stores.agentConfigs.create(freshId(), aBlueprint(project), 'prod');
  const ids = Array.from({ length: many }, freshId);
  await multiply(storage, 'agent_blueprints', { id: first.id }, (at) => ({
    id: ids[at],
    number: at + 2,
  }));
  await multiply(storage, 'agent_config_values', { blueprint_id: first.id }, (at) => ({
    blueprint_id: ids[at],
    set_by: at + 2,
    ...(at + 1 < many ? { closed_by: at + 3 } : {}),
  }));
  await multiply(storage, 'agent_config_environments', { project_id: project.id }, (at) => ({
    id: freshId(),
    active_key: null,
    ended_at: start + at,
  }));
  const { db } = connection;
  await db('agent_config_values').where({ blueprint_id: first.id }).update({ closed_by: 2 });
  await db('agent_configs')
    .where({ project_id: project.id })
    .update({ blueprint_count: many + 1 });
  const { id } = await stores.dashboards.insert(
    aDashboard({ workspaceId: project.workspaceId, projectId: project.id }),
  );
  await multiply(storage, 'dashboards', { id }, (at) => ({
    id: freshId(),
    name_key: freshKey() + freshKey(),
    slug: `d-${at}`,
    ...(at % 100 === 0 ? {} : { project_id: null }),
  }));
  const alert = anAlert({ workspaceId: project.workspaceId, projectId: project.id });
  await stores.alerts.insert(alert);
  await multiply(storage, 'alerts', { id: alert.id }, (at) => ({
    id: freshId(),
    ...(at % 100 === 0 ? {} : { project_id: null }),
  }));
  const rule = aRule({ id: project.id, workspaceId: project.workspaceId });
  await stores.automations.insert({ ...rule, projectIds: [project.id] });
  const line = { ruleId: rule.id, id: freshId(), at: start, level: 'INFO', message: 'm' } as const;
  await tellOf(storage, rule.id, [{ ...line, markers: {} }]);
  await multiply(storage, 'automation_logs', { id: line.id }, () => ({ id: freshId() }));
  return { configId: project.id, configWorkspaceId: project.workspaceId };
};

const growOutput = async ({ connection: { db } }: SqlStorage, id: string): Promise<void> => {
  for (let at = 0; at < many; at += 500)
    await db('output_lines').insert(
      Array.from({ length: 500 }, (_, i) => ({
        experiment_id: id,
        run: 0,
        first_offset: at + i,
        part: 0,
        last_offset: at + i,
        stderr: false,
        content: Buffer.from('line'),
      })),
    );
};

/** Points that wait to be merged and to be copied, of as many runs. */
const growQueues = async ({ connection: { db } }: SqlStorage, projectId: string): Promise<void> => {
  for (let at = 0; at < many; at += 500) {
    const keys = Array.from({ length: 500 }, () => ({
      experiment_id: freshId(),
      series_id: freshId(),
      at: start,
    }));
    await db('compactions').insert(keys);
    await db('output_packings').insert(
      keys.map(({ experiment_id }) => ({ experiment_id, due_at: start })),
    );
    await db('stale_values').insert(keys.map((key) => ({ ...key, project_id: projectId })));
  }
};

const grow = async (storage: SqlStorage): Promise<Grown> => {
  const runs = await growRuns(storage);
  const small = await addExperiment(storage);
  await multiply(
    storage,
    'experiments',
    { id: small.id },
    () => ({ id: freshId(), key: freshKey() }),
    4,
  );
  const { workspaceId } = runs.project;
  const [deliveries, model, rest] = [
    await growDeliveries(storage, workspaceId),
    await growRequests(storage),
    await growRest(storage, runs),
  ];
  return {
    workspaceId,
    projectId: runs.project.id,
    smallId: small.projectId,
    experimentId: runs.run.id,
    ...deliveries,
    ...rest,
    ...(await growConfig(storage)),
    modelId: model.id,
    modelWorkspaceId: model.workspaceId,
  };
};

interface List {
  /** Most rows that it may go through in all. */
  readonly rows: number;
  readonly read: (storage: SqlStorage, grown: Grown) => Promise<unknown>;
}

const lists: Readonly<Record<string, List>> = {
  'runs of a project': {
    rows: 200,
    read: ({ stores }, { projectId }) =>
      stores.experiments.list({
        projectId,
        archived: false,
        sortBy: 'startTime',
        descending: true,
        limit: page,
      }),
  },
  'metrics of a page of runs': {
    rows: 2 * many + 600, // all of them are counted, from an index,
    read: ({ stores }, { projectId }) =>
      stores.runTable.page({
        projectId,
        condition: { type: 'all', of: [] },
        archived: false,
        sort: [],
        columns: ['m1', 'm7', 'm13'].map((name) => ({ kind: 'metric', name, value: 'last' })),
        limit: page,
      }),
  },
  'runs of a small project': {
    rows: 200,
    read: ({ stores }, { smallId }) =>
      stores.experiments.list({
        projectId: smallId,
        archived: false,
        sortBy: 'startTime',
        descending: true,
        limit: page,
      }),
  },
  'a page of runs of a small project': {
    rows: 300,
    read: ({ stores }, { smallId }) =>
      stores.runTable.page({
        projectId: smallId,
        condition: { type: 'all', of: [] },
        archived: false,
        sort: [],
        columns: [{ kind: 'metric', name: 'm1', value: 'last' }],
        limit: page,
      }),
  },
  'figures of a small project': {
    rows: 200,
    read: ({ stores }, { smallId }) => stores.projects.figures([smallId]),
  },
  'a search in a small project': {
    rows: 300,
    read: ({ stores }, { smallId }) =>
      stores.search.find(smallId, { type: 'all', of: [] }, { archived: false, limit: page }),
  },
  'usage of a small project': {
    rows: 3000, // few assets are there beside those of the project, and read as a whole
    read: ({ stores }, { smallId }) => stores.usage.ofProject(smallId),
  },
  'deliveries of a workspace': {
    rows: 2 * mostListed + 200,
    read: ({ stores }, { workspaceId }) =>
      stores.deliveries.search({ workspaceId, offset: 0, limit: page }),
  },
  'deliveries of a channel': {
    rows: 2 * mostListed + 200,
    read: ({ stores }, { workspaceId, channelId }) =>
      stores.deliveries.search({ workspaceId, channelId, offset: 0, limit: page }),
  },
  'deliveries about a thing': {
    rows: 400,
    read: ({ stores }, { workspaceId, subjectId }) =>
      stores.deliveries.search({ workspaceId, subjectId, offset: 0, limit: page }),
  },
  'requests of a workspace': {
    rows: 6 * mostListed + 500, // of each that is counted, its model and version
    read: ({ stores }, { modelWorkspaceId }) =>
      stores.approvals.listRequests({ workspaceId: modelWorkspaceId, offset: 0, limit: page }),
  },
  'requests about a model': {
    rows: 6 * mostListed + 500, // of each that is counted, its model and version
    read: ({ stores }, { modelWorkspaceId, modelId }) =>
      stores.approvals.listRequests({
        workspaceId: modelWorkspaceId,
        modelId,
        offset: 0,
        limit: page,
      }),
  },
  'requests that wait': {
    rows: 1600,
    read: ({ stores }, { modelWorkspaceId }) =>
      stores.approvals.listRequests({
        workspaceId: modelWorkspaceId,
        state: 'PENDING',
        offset: 0,
        limit: page,
      }),
  },
  'trials of an optimizer': {
    rows: 200,
    read: ({ stores }, { optimizerId }) =>
      stores.optimizers.listTrials(optimizerId, { limit: page }),
  },
  'an output from a place on': {
    rows: 200,
    read: async ({ stores }, { experimentId }) => {
      const pieces = stores.texts.readOutputFrom(experimentId, { run: 0, offset: 5000, part: 0 });
      for await (const _ of pieces) break;
    },
  },
  'an output from a place on, counted': {
    rows: 200,
    read: async ({ stores }, { experimentId }) => {
      const pieces = stores.texts.measureOutputFrom(experimentId, {
        run: 0,
        offset: 5000,
        part: 0,
      });
      for await (const _ of pieces) break;
    },
  },
  'output to pack': {
    rows: 310, // a page of a hundred, of each of which it is asked whether it is held back, and the few that are
    read: async ({ connection }) => listDueOutput(connection),
  },
  'series to merge': {
    rows: 200,
    read: async ({ connection }) => createCompaction(connection).run(page, AbortSignal.abort()),
  },
  'aborted trials': {
    rows: 200,
    read: ({ stores }, { optimizerId }) =>
      stores.optimizers.listTrials(optimizerId, { statuses: ['aborted'], limit: page }),
  },
  'a trial to repeat': {
    rows: 400,
    read: ({ stores }, { optimizerId }) =>
      stores.optimizers.findRepeatable(optimizerId, { aborted: 1, silent: 1, silentSince: start }),
  },
  'the newest values of a configuration': {
    rows: 200,
    read: ({ stores }, { configId }) => stores.agentConfigs.listValues(configId, many + 1),
  },
  'the first values of a configuration': {
    rows: 200,
    read: ({ stores }, { configId }) => stores.agentConfigs.listValues(configId, 1),
  },
  'versions of a configuration': {
    rows: 200,
    read: ({ stores }, { configId }) => stores.agentConfigs.page(configId, { page: 1, size: page }),
  },
  'the newest version of a configuration': {
    rows: 200,
    read: ({ stores }, { configId }) => stores.agentConfigs.findIn(configId, 'newest'),
  },
  'the version of an environment': {
    rows: 200,
    read: ({ stores }, { configId }) =>
      stores.agentConfigs.findIn(configId, { environment: 'prod' }),
  },
  'dashboards of a project': {
    rows: 600, // all of them are counted
    read: async ({ stores }, { configId, configWorkspaceId: workspaceId }) => {
      return stores.dashboards.list({
        ...{ workspaceId, scope: 'workspace', projectId: configId },
        ...{ filters: [], orders: [], offset: 0, limit: page },
      });
    },
  },
  'alerts of a project': {
    rows: 600, // all of them are counted
    read: async ({ stores }, { configId, configWorkspaceId: workspaceId }) => {
      return stores.alerts.list({
        ...{ workspaceId, projectId: configId },
        ...{ filters: [], orders: [], offset: 0, limit: page },
      });
    },
  },
  'the log of a rule': {
    rows: 60,
    read: ({ stores }, { configId }) => stores.automationRuns.listLogs(configId, page),
  },
  'comments on a run': {
    rows: 200,
    read: ({ stores }, { experimentId }) =>
      stores.comments.list({ about: { experimentId }, limit: page }),
  },
  'the audit log': { rows: 200, read: ({ stores }) => stores.audit.list({}, page) },
  'the audit log of a workspace': {
    rows: 200,
    read: ({ stores }, { workspaceId }) => stores.audit.list({ workspaceId }, page),
  },
  'the audit log of a person': {
    rows: 200,
    read: ({ stores }, { userId }) => stores.audit.list({ actorId: userId }, page),
  },
  'the audit log from a place on': {
    rows: 200,
    read: ({ stores }) => stores.audit.list({}, page, { at: start + 3000, id: freshId() }),
  },
  'a report on the use of some time': {
    rows: 800,
    read: ({ stores }) => stores.usage.listDaily(start + 3_000_000, start + 3_100_000),
  },
  'runs that fell silent': {
    rows: 400,
    read: ({ stores }) => stores.experiments.listLapsed(start + 100_000_000, page),
  },
  'deliveries that failed': {
    rows: 800,
    read: ({ stores }, { workspaceId }) =>
      stores.deliveries.search({ workspaceId, state: 'FAILED', offset: 0, limit: page }),
  },
};

/** How an SQL storage lists what there is much of. */
export const listContract = (storage: () => SqlStorage): void => {
  let grown: Grown;
  before(async function () {
    this.timeout(120_000);
    grown = await grow(storage());
    const { db } = storage().connection;
    await db.raw(
      db.client.dialect === 'postgresql'
        ? 'analyze'
        : 'analyze table experiments, series, deliveries, registry_requests, optimizer_trials, comments, audit, compactions, stale_values, output_lines, output_packings',
    );
  });

  for (const [title, { rows, read }] of Object.entries(lists))
    it(`goes through few rows for ${title}`, async () => {
      const examined = await examine(storage(), () => read(storage(), grown));

      expect(examined).to.have.length.above(0);
      const all = examined.reduce((sum, one) => sum + one.rows, 0);
      expect(
        all,
        examined.map((one) => `${one.rows} ${one.sql} BY ${one.says}`).join('\n'),
      ).to.be.at.most(rows);
    });
};
