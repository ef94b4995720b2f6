// Gathers the stores over one connection, with every database fault told as a `Failure`.
import type { Knex } from 'knex';
import type { Storage, Stores } from '#ports/storage/storage';
import { inTransaction, translate, withPatience, type Connection, type SqlStorageNeeds } from './connection.js';
import type { Dialect } from './dialect.js';
import { artifactStore } from './artifacts.js';
import { assetStore } from './assets.js';
import { attemptStore } from './attempts.js';
import { auditStore } from './audit.js';
import { channelStore } from './channels.js';
import { deliveryStore } from './deliveries.js';
import { documentStore } from './documents.js';
import type { Job } from '#ports/jobs';
import { eventStore } from './events.js';
import { experimentStore } from './experiments.js';
import { identityStore } from './identity.js';
import { leaseStore } from './leases.js';
import { createMetrics } from './metrics/metrics.js';
import { migrations, type Migrations } from './migrate.js';
import { countDeleted, removeDeleted } from './removal.js';
import { optimizerStore } from './optimizers.js';
import { panelStore } from './panels.js';
import { approvalStore } from './registry-approvals.js';
import { registryStore } from './registry.js';
import { projectStore } from './projects.js';
import { textStore } from './texts.js';
import { usageStore } from './usage.js';
import { valueStore } from './values.js';
import { rpcStore } from './rpc.js';
import { searchStore } from './search.js';
import { sessionStore } from './sessions.js';
import { viewStore } from './views.js';
import { ticketStore } from './tickets.js';
import { toggleStore } from './toggles.js';
import { createTransfer } from './transfer.js';
import { workspaceStore } from './workspaces.js';
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
}

/** How long the digest of a batch is kept, so that one whose reply was lost is not stored again, in ms. */
const receivedMs = 3_600_000;

const isIterable = (value: unknown): value is AsyncIterable<unknown> => typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
const isRead = (name: string) => /^(find|list|count|read|figures)/.test(name);

async function* translated(source: AsyncIterable<unknown>, dialect: Dialect): AsyncIterable<unknown> {
  try {
    yield* source;
  } catch (thrown) {
    throw translate(dialect, thrown);
  }
}

/** The same store, whose reads wait for a database that is away and whose faults are `Failure`s. */
const patient = <S extends object>(store: S, dialect: Dialect): S => {
  const wrap = (name: string, method: (...args: unknown[]) => unknown) => (...args: unknown[]) => {
    const first = method(...args);
    if (isIterable(first)) return translated(first, dialect);
    let started: unknown = first;
    return withPatience(dialect, isRead(name), async () => {
      const run = started ?? method(...args);
      started = undefined;
      return run;
    });
  };
  return Object.fromEntries(Object.entries(store).map(([name, method]) => [name, typeof method === 'function' ? wrap(name, method as (...args: unknown[]) => unknown) : method])) as S; // the same names and types
};

const patientStores = (stores: Stores, dialect: Dialect): Stores =>
  Object.fromEntries(Object.entries(stores).map(([name, store]) => [name, patient(store as object, dialect)])) as unknown as Stores; // the same names and types

/** A storage over any of the engines. */
export const openSqlStorage = (db: Knex, dialect: Dialect, needs: SqlStorageNeeds): SqlStorage => {
  const connection: Connection = { ...needs, db, dialect, inTransaction: false };
  const metrics = createMetrics(connection);
  const gather = (inside: Connection): Stores => ({
    identity: identityStore(inside),
    sessions: sessionStore(inside),
    tickets: ticketStore(inside),
    attempts: attemptStore(inside),
    audit: auditStore(inside),
    usage: usageStore(inside),
    workspaces: workspaceStore(inside),
    projects: projectStore(inside),
    experiments: experimentStore(inside),
    metrics: inside.inTransaction ? metrics.inside(inside) : metrics.store,
    leases: leaseStore(inside),
    events: eventStore(inside),
    toggles: toggleStore(inside),
    assets: assetStore(inside),
    artifacts: artifactStore(inside),
    values: valueStore(inside),
    texts: textStore(inside),
    documents: documentStore(inside),
    search: searchStore(inside, metrics.searchable),
    rpc: rpcStore(inside),
    views: viewStore(inside),
    panels: panelStore(inside),
    optimizers: optimizerStore(inside),
    registry: registryStore(inside),
    approvals: approvalStore(inside),
    channels: channelStore(inside),
    deliveries: deliveryStore(inside),
  });
  needs.meters.gauge('orrery_removal_experiments', 'Deleted experiments whose rows are still there', () => countDeleted(connection));
  needs.meters.gauge('orrery_removal_blobs', 'Blobs no row needs, whose bytes are still there', async () => Number((await db('blob_removals').count({ n: '*' }))[0]?.['n'] ?? 0));
  return {
    connection,
    migrations: migrations(connection),
    transfer: createTransfer(connection),
    jobs: [
      { name: 'merge-chunks', everyMs: 5000, run: async (signal) => { while (!signal.aborted && (await metrics.compaction.run(50)) === 50); } },
      { name: 'refresh-values', everyMs: 2000, run: async () => { await metrics.searchable.catchUp(connection); } },
      { name: 'forget-received', everyMs: 300_000, run: async () => { await db('received').where('at', '<', needs.clock.now() - receivedMs).delete(); } },
      { name: 'forget-processes', everyMs: 600_000, run: async () => { await db('leases').whereRaw("name like 'process:%'").where('until', '<', needs.clock.now() - receivedMs).delete(); } },
      { name: 'remove-deleted', everyMs: 15_000, run: async (signal) => { await removeDeleted(connection, signal); } },
    ],
    stores: patientStores(gather(connection), dialect),
    transaction: (work) => inTransaction(connection, (inside) => work(gather(inside))),
    async check() {
      try {
        await db.raw('select 1');
      } catch (thrown) {
        throw translate(dialect, thrown);
      }
    },
    async now() {
      const [row] = await db.select({ now: db.raw(dialect.nowMs) }) as readonly { readonly now: unknown }[]; // one row of one column
      return Number(row?.now);
    },
    connections() {
      const { pool } = db.client as { readonly pool: { numUsed(): number; numPendingAcquires(): number } }; // knex's pool, which its types leave out
      return { used: pool.numUsed(), waiting: pool.numPendingAcquires() };
    },
    async countBrokenSeries() {
      const rows = await db('series as s').leftJoin('chunks as c', (on) => { on.on('c.experiment_id', 's.experiment_id').andOn('c.series_id', 's.series_id'); })
        .groupBy('s.experiment_id', 's.series_id', 's.n').havingRaw('coalesce(sum(c.n), 0) <> s.n').select('s.series_id').limit(1000);
      return rows.length;
    },
    async close() {
      await metrics.close();
      await db.destroy();
    },
  };
};
