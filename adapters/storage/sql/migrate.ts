// Runs the numbered changes of each owner, up and down, under a lease so that two processes do not run them at once.
import type { Knex } from 'knex';
import { hostname } from 'node:os';
import { Failure } from '#ports/failure';
import type { Connection } from './connection.js';
import { artifactChanges } from './migrations/artifacts.js';
import { assetChanges } from './migrations/assets.js';
import type { Change } from './migrations/change.js';
import { eventChanges } from './migrations/events.js';
import { experimentChanges } from './migrations/experiments.js';
import { auditChanges } from './migrations/audit.js';
import { identityChanges } from './migrations/identity.js';
import { metricChanges } from './migrations/metrics.js';
import { ticketChanges } from './migrations/tickets.js';
import { textChanges } from './migrations/texts.js';
import { optimizerChanges } from './migrations/optimizer.js';
import { panelChanges } from './migrations/panels.js';
import { registryChanges } from './migrations/registry.js';
import { channelChanges } from './migrations/channels.js';
import { usageChanges } from './migrations/usage.js';
import { valueChanges } from './migrations/values.js';

export const coreChanges: readonly Change[] = [...identityChanges, ...ticketChanges, ...experimentChanges, ...metricChanges, ...valueChanges, ...eventChanges, ...textChanges, ...assetChanges, ...artifactChanges, ...panelChanges, ...optimizerChanges, ...registryChanges, ...channelChanges, ...auditChanges, ...usageChanges].sort((a, b) => a.number - b.number);

export interface MigrationStatus {
  readonly owner: string;
  readonly number: number;
  readonly name: string;
  /** When it was run; `undefined` while it waits. */
  readonly at: number | undefined;
  /** Whether this release knows it. */
  readonly known: boolean;
}

export interface Migrations {
  /** Runs what waits, in order. Answers how many changes were run. */
  up(owner?: string, changes?: readonly Change[]): Promise<number>;
  /** Takes back every change above `to`, newest first. */
  down(to: number, owner?: string, changes?: readonly Change[]): Promise<number>;
  status(owner?: string, changes?: readonly Change[]): Promise<readonly MigrationStatus[]>;
  /** Owners with changes in this database. */
  owners(): Promise<readonly string[]>;
  /** Removes everything that an owner's changes made: its tables all begin with the owner's prefix. Answers how many tables went. */
  drop(owner: string): Promise<number>;
  /** Waits while another process is changing the schema. */
  settled(): Promise<void>;
  /** Whether the database holds no schema of ours at all. */
  isEmpty(): Promise<boolean>;
}

export const ledger = 'orrery_migrations';
const locks = 'orrery_migration_lease';
/** Tables that tell of the schema itself. */
export const schemaTables: readonly string[] = [ledger, locks];
const leaseMs = 60_000;

/** What the tables of a plugin begin with. */
export const pluginPrefix = (owner: string): string => `p_${owner.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_').slice(0, 24)}_`;

/** Every table of the schema that a connection is in. */
export const listTables = async ({ db, dialect }: Connection): Promise<readonly string[]> => {
  const rows = await db('information_schema.tables').select({ name: 'table_name' }).whereRaw(`table_schema = ${dialect.currentSchema}`) as readonly { readonly name: string }[]; // the column named above
  return rows.map((row) => row.name);
};

const prepare = async ({ db, dialect }: Connection): Promise<void> => {
  if (!(await db.schema.hasTable(ledger)))
    await db.schema.createTable(ledger, (table) => { table.string('owner', 80).notNullable(); table.integer('number').notNullable(); table.string('name', 200).notNullable(); table.bigInteger('at').notNullable(); table.primary(['owner', 'number'], 'orrery_migrations_key'); dialect.finishTable(table); }).catch((fault: unknown) => ignoreRace(db, ledger, fault));
  if (!(await db.schema.hasTable(locks)))
    await db.schema.createTable(locks, (table) => { table.integer('id').notNullable().primary(); table.string('holder', 120).notNullable(); table.bigInteger('until').notNullable(); dialect.finishTable(table); }).catch((fault: unknown) => ignoreRace(db, locks, fault));
  await db(locks).insert({ id: 1, holder: '', until: 0 }).onConflict('id').ignore();
};
const ignoreRace = async (db: Knex, table: string, fault: unknown): Promise<void> => {
  if (!(await db.schema.hasTable(table))) throw fault;
};

/** Runs changes on a database that holds nothing yet, all at once or not at all; `false` where it holds something, or this cannot be done. */
const makeAtOnce = async (connection: Connection, owner: string, changes: readonly Change[]): Promise<boolean> => {
  const { db, dialect, clock } = connection;
  if (dialect.changeSchema === undefined || changes.length === 0) return false;
  if ((await listTables(connection)).some((name) => !schemaTables.includes(name))) return false;
  const made = changes.map((change) => change.fresh?.(db, dialect).toQuery());
  const noted = db(ledger).insert(changes.map(({ number, name }) => ({ owner, number, name, at: clock.now() }))).toQuery();
  if (!made.every((statements) => statements !== undefined)) return false;
  await dialect.changeSchema(db, [...made, noted]);
  return true;
};

export const migrations = (connection: Connection): Migrations => {
  const { db, dialect, clock, ids } = connection;
  const holder = `${hostname()}:${process.pid}:${ids.next()}`;

  const take = async (): Promise<void> => {
    for (let tries = 0; tries < 600; tries++) {
      const taken = await db(locks).where({ id: 1 }).andWhere((open) => open.where({ holder }).orWhere('until', '<', db.raw(dialect.nowMs))).update({ holder, until: db.raw(`${dialect.nowMs} + ${leaseMs}`) });
      if (taken > 0) return;
      await new Promise((wake) => setTimeout(wake, 100));
    }
    throw new Failure('conflict', 'another process has been migrating this database for a minute');
  };
  const release = async (): Promise<void> => { await db(locks).where({ id: 1, holder }).update({ until: 0 }); };
  const leased = async <T>(work: () => Promise<T>): Promise<T> => {
    await prepare(connection);
    await take();
    try {
      return await work();
    } finally {
      await release();
    }
  };
  const done = async (owner: string): Promise<ReadonlyMap<number, { readonly name: string; readonly at: number }>> => {
    const rows = await db(ledger).select('number', 'name', 'at').where({ owner }) as readonly { readonly number: number; readonly name: string; readonly at: unknown }[]; // the columns named above
    return new Map(rows.map((row) => [row.number, { name: row.name, at: Number(row.at) }]));
  };

  return {
    up: (owner = 'core', changes = coreChanges) => leased(async () => {
      const ran = await done(owner);
      const waiting = changes.filter((change) => !ran.has(change.number));
      if (ran.size === 0 && await makeAtOnce(connection, owner, waiting)) return waiting.length;
      for (const change of waiting) {
        await take();
        await change.up(db, dialect);
        await db(ledger).insert({ owner, number: change.number, name: change.name, at: clock.now() });
      }
      return waiting.length;
    }),
    down: (to, owner = 'core', changes = coreChanges) => leased(async () => {
      const ran = await done(owner);
      const undone = changes.filter((change) => change.number > to && ran.has(change.number)).sort((a, b) => b.number - a.number);
      for (const change of undone) {
        await take();
        await change.down(db, dialect);
        await db(ledger).where({ owner, number: change.number }).delete();
      }
      return undone.length;
    }),
    async status(owner = 'core', changes = coreChanges) {
      const ran = (await db.schema.hasTable(ledger)) ? await done(owner) : new Map<number, { readonly name: string; readonly at: number }>();
      const known = changes.map((change) => ({ owner, number: change.number, name: change.name, at: ran.get(change.number)?.at, known: true }));
      const unknown = [...ran].filter(([number]) => !changes.some((change) => change.number === number)).map(([number, row]) => ({ owner, number, name: row.name, at: row.at, known: false }));
      return [...known, ...unknown].sort((a, b) => a.number - b.number);
    },
    async owners() {
      if (!(await db.schema.hasTable(ledger))) return [];
      return (await db(ledger).distinct('owner') as readonly { readonly owner: string }[]).map((row) => row.owner).sort(); // the column named above
    },
    drop: (owner) => leased(async () => {
      const prefix = pluginPrefix(owner);
      const tables = (await listTables(connection)).filter((name) => name.startsWith(prefix));
      for (const table of tables) await db.schema.dropTableIfExists(table);
      await db(ledger).where({ owner }).delete();
      return tables.length;
    }),
    async settled() {
      if (!(await db.schema.hasTable(locks))) return;
      for (let tries = 0; tries < 600; tries++) {
        if ((await db(locks).where({ id: 1 }).whereNot({ holder }).where('until', '>=', db.raw(dialect.nowMs)).select('id').first()) === undefined) return;
        await new Promise((wake) => setTimeout(wake, 100));
      }
    },
    async isEmpty() {
      return !(await db.schema.hasTable(ledger)) || (await db(ledger).select('number').first()) === undefined;
    },
  };
};
