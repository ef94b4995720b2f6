// Gathers the stores over one connection, with every database fault told as a `Failure`.
import type { Knex } from 'knex';
import type { Methods } from '#ports/storage/methods';
import { storeMethods, type Storage, type Stores } from '#ports/storage/storage';
import {
  inTransaction,
  repeatStatement,
  failureOf,
  withPatience,
  type Connection,
  type SqlStorageNeeds,
} from './connection.js';
import type { SqlEngine } from '#ports/drivers';
import type { Dialect } from '#ports/sql-dialect';
import { artifactUseStore } from './artifact-uses.js';
import { artifactVersionStore } from './artifact-versions.js';
import { artifactStore } from './artifacts.js';
import { assetStore } from './assets/asset-store.js';
import { blobRecordStore } from './assets/blob-records.js';
import { linkStore } from './assets/links.js';
import { uploadStore } from './assets/uploads.js';
import { attemptStore } from './attempts.js';
import { auditStore } from './audit.js';
import { assetMatrixStore } from './asset-matrix.js';
import { commentStore } from './comments.js';
import { environmentStore } from './environments.js';
import { providerKeyStore } from './provider-keys.js';
import { promptRunStore } from './prompt-runs.js';
import { retentionStore } from './retention.js';
import { createRuleMemory } from './automation-memory.js';
import { automationRunStore } from './automation-runs.js';
import { automationStore } from './automations.js';
import { alertStore } from './alerts.js';
import { alertFiringStore } from './alert-firings.js';
import { analyticRowStore } from './analytic-rows.js';
import { dashboardStore } from './dashboards.js';
import { agentConfigStore } from './agent-configs.js';
import { datasetStore } from './datasets.js';
import { datasetItemStore } from './dataset-items.js';
import { evaluationStore } from './evaluations.js';
import { evaluationItemStore } from './evaluation-items.js';
import { libraryPromptStore } from './library-prompts.js';
import { annotationQueueStore } from './annotation-queues.js';
import { datasetExportStore } from './dataset-exports.js';
import { optimizationStore } from './optimizations.js';
import { feedbackDefinitionStore } from './feedback-definitions.js';
import { guardrailStore } from './guardrails.js';
import { workspaceConfigurationStore } from './workspace-configurations.js';
import { attachmentStore } from './traces/attachments.js';
import { feedbackStore } from './traces/feedback.js';
import { activityStore } from './activities.js';
import { traceFigureStore } from './traces/figures.js';
import { traceSeriesStore } from './traces/series.js';
import { traceStatisticsStore } from './traces/statistics.js';
import { threadStore } from './traces/threads.js';
import { createTraceMemory, traceStore } from './traces/traces.js';
import { savedQueryStore } from './saved-queries.js';
import { creationCountStore } from './creation-counts.js';
import { insightsIssueStore } from './insights-issues.js';
import { insightsJobStore } from './insights-jobs.js';
import { savedViewStore } from './saved-views.js';
import { changeStore } from './changes.js';
import { channelStore } from './channels.js';
import { createCurveCaches } from './curves/caches.js';
import { curveStore } from './curves/curves.js';
import { deliveryStore } from './deliveries.js';
import { documentStore } from './documents.js';
import type { Job } from '#ports/jobs';
import { forgetRunSubjects } from './event-subjects.js';
import { eventStore } from './events.js';
import { experimentStore } from './experiments.js';
import { apiKeyStore } from './api-keys.js';
import { credentialStore } from './credentials.js';
import { memberStore } from './members.js';
import { userStore } from './users.js';
import { leaseStore } from './leases.js';
import { createMetrics } from './metrics/metrics.js';
import { migrations, type Migrations } from './migrate.js';
import { countDeleted, removeDeleted } from './removal.js';
import { nameStore } from './names.js';
import { oauthStore } from './oauth/oauth-store.js';
import { optimizerStore } from './optimizer.js';
import { packOutput } from './output-packing.js';
import { panelStore } from './panels.js';
import { queueFaultStore } from './queue-faults.js';
import { approvalStore } from './registry-approvals.js';
import { registryStores } from './registry.js';
import { createFigureMemory } from './project-figures.js';
import { countWrongCounts } from './project-counts.js';
import { projectStore } from './projects.js';
import { textStore } from './texts.js';
import { usageStore } from './usage.js';
import { valueStore } from './values.js';
import { rpcStore } from './rpc.js';
import { runActionStore } from './run-actions.js';
import { runCopyStore } from './run-copies.js';
import { runTableStore } from './run-table/run-table.js';
import { searchStore } from './search.js';
import { sessionStore } from './sessions.js';
import { viewStore } from './views.js';
import { ticketStore } from './tickets.js';
import { createSemaphore } from './semaphore.js';
import { toggleStore } from './toggles.js';
import { createBlockUpkeep } from './traces/block-building.js';
import { createTransfer } from './transfer.js';
import { hideValues } from './without-values.js';
import { workspaceStore } from './workspaces.js';
import type { QueueState } from '#ports/storage/queue-faults';
import { rememberedMs } from '#ports/storage/changes';
import type { Transfer } from '#ports/storage/transfer';

export type { SqlStorageNeeds } from './connection.js';

export interface SqlStorage extends Storage {
  readonly migrations: Migrations;
  readonly connection: Connection;
  /** All of it, to be carried to another storage. */
  readonly transfer: Transfer;
  /** Connections in use, and requests that wait for one. */
  connections(): { readonly used: number; readonly waiting: number };
  /** What keeps the storage in shape. */
  readonly jobs: readonly Job[];
  /** Series whose count differs from the points in their chunks: 0, unless something is broken. */
  countBrokenSeries(): Promise<number>;
  /** Projects whose kept figure differs from the number of their experiments: 0, unless something is broken. */
  countBrokenFigures(): Promise<number>;
}

/** How long an item that failed is remembered once it was due and did not fail again, in ms. */
const faultKeptMs = 24 * 3_600_000;

/** How long the digest of a batch is kept, so that one whose reply was lost is not stored again, in ms. */
const receivedMs = 3_600_000;
/** Series that one page of what waits to be merged holds. */
const mergedAtOnce = 200;

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function* translated(
  source: AsyncIterable<unknown>,
  dialect: Dialect,
): AsyncIterable<unknown> {
  try {
    yield* source;
  } catch (thrown) {
    throw failureOf(dialect, thrown);
  }
}

/** The same store, whose repeatable methods wait for a database that is away and whose faults are `Failure`s. */
const patient = <S extends object>(store: S, methods: Methods<S>, dialect: Dialect): S => {
  const wrap =
    (name: string, method: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      const first = method(...args);
      if (isIterable(first)) return translated(first, dialect);
      let started: unknown = first;
      return withPatience(dialect, methods[name as keyof S].repeatable, async () => {
        // a name of the store's own
        const run = started ?? method(...args);
        started = undefined;
        return run;
      });
    };
  return Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      typeof method === 'function' ? wrap(name, method as (...args: unknown[]) => unknown) : method,
    ]),
  ) as S; // the same names and types
};

const patientStores = (stores: Stores, dialect: Dialect): Stores =>
  Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [
      name,
      patient(store as object, storeMethods[name as keyof Stores], dialect),
    ]),
  ) as unknown as Stores; // the same names and types

interface QueryingClient {
  query(connection: unknown, statement: unknown): Promise<unknown>;
}

/** Statements outside a transaction are repeated where the database asks for it; transactions have clients of their own, and are repeated as a whole. */
const repeatBareStatements = (db: Knex, dialect: Dialect): void => {
  const client = db.client as QueryingClient; // knex's client, of which its types tell nothing
  const query = client.query.bind(client);
  client.query = (connection, statement) =>
    repeatStatement(dialect, () => query(connection, statement));
};

/** The connections of a process: those of flushes apart, so that no number of reads keeps points from being stored. */
export interface Pools {
  readonly db: Knex;
  readonly flushing: Knex;
}

/** As many flushes as run side by side. */
const flushConnections = 2;

/** Divides a number of connections, of which at least one is for everything but flushes. */
const sharePool = (size: number, connect: (size: number) => Knex): Pools => ({
  db: connect(Math.max(1, size - flushConnections)),
  flushing: connect(Math.min(flushConnections, size)),
});

interface Pool {
  readonly max: number;
  numUsed(): number;
  numPendingAcquires(): number;
}
const poolOf = (db: Knex): Pool => (db.client as { readonly pool: Pool }).pool; // knex's pool, which its types leave out

/** A storage over an engine that a driver opened, with a limit of connections. */
export const storageOver = (
  { dialect, connect }: SqlEngine,
  poolSize: number,
  needs: SqlStorageNeeds,
): SqlStorage => openSqlStorage(sharePool(poolSize, connect), dialect, needs);

/** A storage over any of the engines. */
export const openSqlStorage = (
  { db, flushing }: Pools,
  dialect: Dialect,
  needs: SqlStorageNeeds,
): SqlStorage => {
  for (const pool of [db, flushing]) {
    hideValues(pool);
    repeatBareStatements(pool, dialect);
  }
  const connection: Connection = { ...needs, db, dialect, inTransaction: false };
  const metrics = createMetrics(connection, { ...connection, db: flushing });
  const blocks = createBlockUpkeep(connection);
  const searches = createSemaphore({
    running: Math.max(1, Math.floor(poolOf(db).max / 2)),
    waiting: 200,
    busy: 'too many searches are under way',
  });
  const curveCaches = createCurveCaches();
  const figureMemory = createFigureMemory();
  const traceMemory = createTraceMemory();
  const ruleMemory = createRuleMemory();
  const gather = (inside: Connection): Stores => ({
    users: userStore(inside),
    credentials: credentialStore(inside),
    apiKeys: apiKeyStore(inside),
    members: memberStore(inside),
    sessions: sessionStore(inside),
    tickets: ticketStore(inside),
    attempts: attemptStore(inside),
    audit: auditStore(inside),
    oauth: oauthStore(inside),
    usage: usageStore(inside, metrics.applying),
    workspaces: workspaceStore(inside),
    projects: projectStore(inside, figureMemory),
    experiments: experimentStore(inside),
    metrics: inside.inTransaction ? metrics.inside(inside) : metrics.store,
    curves: curveStore(inside, curveCaches, metrics.applying),
    leases: leaseStore(inside),
    events: eventStore(inside),
    toggles: toggleStore(inside),
    assets: assetStore(inside),
    uploads: uploadStore(inside),
    blobRecords: blobRecordStore(inside),
    links: linkStore(inside),
    assetMatrix: assetMatrixStore(inside),
    artifacts: artifactStore(inside),
    artifactVersions: artifactVersionStore(inside),
    artifactUses: artifactUseStore(inside),
    values: valueStore(inside),
    texts: textStore(inside),
    documents: documentStore(inside),
    search: searchStore(inside, metrics.searchable, searches),
    runTable: runTableStore(inside, metrics.searchable, searches),
    names: nameStore(inside, searches),
    rpc: rpcStore(inside),
    views: viewStore(inside),
    panels: panelStore(inside),
    optimizers: optimizerStore(inside),
    ...registryStores(inside),
    approvals: approvalStore(inside),
    channels: channelStore(inside),
    deliveries: deliveryStore(inside),
    queueFaults: queueFaultStore(inside),
    changes: changeStore(inside),
    runActions: runActionStore(inside),
    runCopies: runCopyStore(inside),
    savedViews: savedViewStore(inside),
    comments: commentStore(inside),
    attachments: attachmentStore(inside),
    workspaceConfigurations: workspaceConfigurationStore(inside),
    feedback: feedbackStore(inside),
    threads: threadStore(inside),
    traces: traceStore(inside, traceMemory),
    guardrails: guardrailStore(inside),
    feedbackDefinitions: feedbackDefinitionStore(inside),
    annotationQueues: annotationQueueStore(inside),
    datasetExports: datasetExportStore(inside),
    optimizations: optimizationStore(inside),
    libraryPrompts: libraryPromptStore(inside),
    evaluationItems: evaluationItemStore(inside),
    evaluations: evaluationStore(inside),
    datasetItems: datasetItemStore(inside),
    datasets: datasetStore(inside),
    environments: environmentStore(inside),
    providerKeys: providerKeyStore(inside),
    retention: retentionStore(inside),
    agentConfigs: agentConfigStore(inside),
    dashboards: dashboardStore(inside),
    alerts: alertStore(inside),
    automations: automationStore(inside, ruleMemory),
    automationRuns: automationRunStore(inside, ruleMemory),
    alertFirings: alertFiringStore(inside),
    promptRuns: promptRunStore(inside),
    analyticRows: analyticRowStore(inside),
    savedQueries: savedQueryStore(inside),
    insightsJobs: insightsJobStore(inside),
    insightsIssues: insightsIssueStore(inside),
    creationCounts: creationCountStore(inside),
    activities: activityStore(inside),
    traceFigures: traceFigureStore(inside),
    traceSeries: traceSeriesStore(inside),
    traceStatistics: traceStatisticsStore(inside),
  });
  needs.meters.gauge(
    'orrery_removal_experiments',
    'Deleted experiments whose rows are still there',
    () => countDeleted(connection),
    { of: 'installation' },
  );
  needs.meters.gauge(
    'orrery_removal_blobs',
    'Blobs no row needs, whose bytes are still there',
    async () => Number((await db('blob_removals').count({ n: '*' }))[0]?.['n'] ?? 0),
    { of: 'installation' },
  );
  const byQueue = (read: (state: QueueState) => number) => async () =>
    new Map(
      (await queueFaultStore(connection).states()).map((state) => [state.queue, read(state)]),
    );
  needs.meters.gauge(
    'orrery_queue_oldest_seconds',
    'Age of the oldest item of a queue',
    byQueue(({ oldestAt }) =>
      oldestAt === undefined ? 0 : Math.max(0, needs.clock.now() - oldestAt) / 1000,
    ),
    { of: 'installation', label: 'queue' },
  );
  needs.meters.gauge(
    'orrery_queue_parked',
    'Items of a queue that wait for an administrator',
    byQueue(({ parked }) => parked),
    { of: 'installation', label: 'queue' },
  );
  return {
    connection,
    migrations: migrations(connection),
    transfer: createTransfer(connection),
    jobs: [
      {
        name: 'merge-chunks',
        everyMs: 5000,
        run: async (signal) => {
          while (
            !signal.aborted &&
            (await metrics.compaction.run(mergedAtOnce, signal)) === mergedAtOnce
          );
        },
      },
      {
        name: 'apply-points',
        everyMs: 5000,
        run: (signal) => metrics.applying.run(signal),
      },
      {
        name: 'pack-output',
        everyMs: 10_000,
        run: async (signal) => {
          await packOutput(connection, signal);
        },
      },
      {
        name: 'sum-up-entries',
        everyMs: 8000,
        run: (signal) => blocks.run(signal),
      },
      {
        name: 'refresh-values',
        everyMs: 2000,
        run: async () => {
          await metrics.searchable.catchUp(connection);
        },
      },
      {
        name: 'forget-queue-faults',
        everyMs: 3_600_000,
        run: async () => {
          await queueFaultStore(connection).forget(needs.clock.now() - faultKeptMs);
        },
      },
      {
        name: 'forget-received',
        everyMs: 300_000,
        run: async () => {
          await db('received_requests')
            .where('at', '<', needs.clock.now() - receivedMs)
            .delete();
        },
      },
      {
        name: 'forget-subjects',
        everyMs: 600_000,
        run: async (signal) => {
          while (!signal.aborted && (await forgetRunSubjects(connection)) > 0);
        },
      },
      {
        name: 'forget-changes',
        everyMs: 60_000,
        run: async (signal) => {
          const store = changeStore(connection);
          const [row] = (await db.select({ now: db.raw(dialect.nowMs) })) as readonly {
            readonly now: unknown;
          }[]; // one row of one column
          const before = Number(row?.now) - rememberedMs;
          while (!signal.aborted && (await store.forget(before, 1000)) >= 1000);
        },
      },
      {
        name: 'forget-processes',
        everyMs: 600_000,
        run: async () => {
          await db('leases')
            .whereRaw("name like 'process:%'")
            .where('until', '<', needs.clock.now() - receivedMs)
            .delete();
        },
      },
      {
        name: 'remove-deleted',
        everyMs: 15_000,
        run: async (signal) => {
          await removeDeleted(connection, signal);
        },
      },
    ],
    stores: patientStores(gather(connection), dialect),
    transaction: (work) => inTransaction(connection, (inside) => work(gather(inside))),
    async check() {
      try {
        await db.raw('select 1');
      } catch (thrown) {
        throw failureOf(dialect, thrown);
      }
    },
    async now() {
      const [row] = (await db.select({ now: db.raw(dialect.nowMs) })) as readonly {
        readonly now: unknown;
      }[]; // one row of one column
      return Number(row?.now);
    },
    connections() {
      const pools = [poolOf(db), poolOf(flushing)];
      return {
        used: pools.reduce((sum, pool) => sum + pool.numUsed(), 0),
        waiting: pools.reduce((sum, pool) => sum + pool.numPendingAcquires(), 0),
      };
    },
    countBrokenFigures: () => countWrongCounts(connection),
    async countBrokenSeries() {
      const rows = await db('series as s')
        .leftJoin('chunks as c', (on) => {
          on.on('c.experiment_id', 's.experiment_id').andOn('c.series_id', 's.series_id');
        })
        .groupBy('s.experiment_id', 's.series_id', 's.n')
        .havingRaw('coalesce(sum(c.n), 0) <> s.n')
        .select('s.series_id')
        .limit(1000);
      return rows.length;
    },
    async close() {
      await metrics.close();
      await Promise.all([db.destroy(), flushing.destroy()]);
    },
  };
};
