// Runs the numbered changes of each owner, up and down, under a lease so that two processes do not run them at once.
import type { Knex } from 'knex';
import { hostname } from 'node:os';
import { Failure } from '#ports/failure';
import { isTrue, type Connection } from './connection.js';
import { annotationQueueChanges } from './migrations/annotation-queues.js';
import { artifactChanges } from './migrations/artifacts.js';
import { assetChanges } from './migrations/assets.js';
import type { Change } from './migrations/change.js';
import { liveChanges } from './migrations/live.js';
import { eventChanges } from './migrations/events.js';
import { experimentChanges } from './migrations/experiments.js';
import { auditChanges } from './migrations/audit.js';
import { identityChanges } from './migrations/identity.js';
import { metricChanges } from './migrations/metrics.js';
import { ticketChanges } from './migrations/tickets.js';
import { textChanges } from './migrations/texts.js';
import { oauthChanges } from './migrations/oauth.js';
import { optimizerChanges } from './migrations/optimizer.js';
import { panelChanges } from './migrations/panels.js';
import { registryChanges } from './migrations/registry.js';
import { channelChanges } from './migrations/channels.js';
import { usageChanges } from './migrations/usage.js';
import { queueChanges } from './migrations/queues.js';
import { traceChanges } from './migrations/traces.js';
import { environmentChanges } from './migrations/environments.js';
import { providerKeyChanges } from './migrations/provider-keys.js';
import { promptRunChanges } from './migrations/prompt-runs.js';
import { retentionChanges } from './migrations/retention.js';
import { automationChanges } from './migrations/automations.js';
import { alertChanges } from './migrations/alerts.js';
import { agentInsightsChanges } from './migrations/agent-insights.js';
import { savedQueryChanges } from './migrations/saved-queries.js';
import { guardrailPolicyChanges } from './migrations/guardrail-policies.js';
import { dashboardChanges } from './migrations/dashboards.js';
import { agentConfigChanges } from './migrations/agent-configs.js';
import { datasetChanges } from './migrations/datasets.js';
import { evaluationChanges } from './migrations/evaluations.js';
import { libraryPromptChanges } from './migrations/library-prompts.js';
import { feedbackDefinitionChanges } from './migrations/feedback-definitions.js';
import { valueChanges } from './migrations/values.js';

export const coreChanges: readonly Change[] = [
  ...identityChanges,
  ...ticketChanges,
  ...experimentChanges,
  ...metricChanges,
  ...valueChanges,
  ...eventChanges,
  ...textChanges,
  ...assetChanges,
  ...artifactChanges,
  ...panelChanges,
  ...optimizerChanges,
  ...registryChanges,
  ...channelChanges,
  ...auditChanges,
  ...oauthChanges,
  ...usageChanges,
  ...queueChanges,
  ...liveChanges,
  ...traceChanges,
  ...feedbackDefinitionChanges,
  ...annotationQueueChanges,
  ...libraryPromptChanges,
  ...evaluationChanges,
  ...datasetChanges,
  ...environmentChanges,
  ...providerKeyChanges,
  ...retentionChanges,
  ...agentConfigChanges,
  ...dashboardChanges,
  ...savedQueryChanges,
  ...guardrailPolicyChanges,
  ...agentInsightsChanges,
  ...alertChanges,
  ...automationChanges,
  ...promptRunChanges,
].sort((a, b) => a.number - b.number);

export interface MigrationStatus {
  readonly owner: string;
  readonly number: number;
  readonly name: string;
  /** When it was run; `undefined` while it waits. */
  readonly at: number | undefined;
  /** Whether this release knows it. */
  readonly known: boolean;
  /** Set where it differs from the change that was run under its number. */
  readonly changed?: true;
}

/** What one undone change takes with it. */
export interface Loss {
  readonly number: number;
  readonly name: string;
  /** The table that goes, with its rows; absent for a change that made none. */
  readonly table?: { readonly name: string; readonly rows: number };
}

/** How the schema of the database differs from the one that this release writes. */
export interface SchemaGap {
  /** Changes of this release that were not made. */
  readonly missing: number;
  /** Names of changes of a newer release that this one must not write beside. */
  readonly newer: readonly string[];
}

export interface Migrations {
  /** Runs what waits, in order. Answers how many changes were run. */
  up(owner?: string, changes?: readonly Change[]): Promise<number>;
  /** Undoes the newest `count` changes that were made, newest first, with everything that they hold. Answers how many were undone. */
  undo(count: number, owner?: string, changes?: readonly Change[]): Promise<number>;
  /** What `undo` would take: the newest `count` changes that were made, newest first, with the rows of the tables that they made. */
  losses(count: number, owner?: string, changes?: readonly Change[]): Promise<readonly Loss[]>;
  status(owner?: string, changes?: readonly Change[]): Promise<readonly MigrationStatus[]>;
  /** Owners with changes in this database. */
  owners(): Promise<readonly string[]>;
  /** What the names of a plugin's tables begin with. */
  prefixOf(owner: string): string;
  /** Removes everything that an owner's changes made: its tables all begin with the owner's prefix. Answers how many tables went. */
  drop(owner: string): Promise<number>;
  /** How the core's schema stands at the moment; one small query. */
  gap(): Promise<SchemaGap>;
  /** Waits while another process is changing the schema, for a minute at most; rejects with `conflict` then. */
  settled(): Promise<void>;
  /** Whether the database holds no schema of ours at all. */
  isEmpty(): Promise<boolean>;
}

export const ledger = 'orrery_migrations';
const locks = 'orrery_migration_lease';
/** Tables that tell of the schema itself. */
export const schemaTables: readonly string[] = [ledger, locks];
const defaultLeaseMs = 60_000;
const tooLong = 'another process has been changing the schema of this database for a minute';

/** What the tables of a plugin begin with. */
export const pluginPrefix = (owner: string): string =>
  `p_${owner
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 24)}_`;

/** Every table of the schema that a connection is in. */
export const listTables = async ({ db, dialect }: Connection): Promise<readonly string[]> => {
  const rows = (await db('information_schema.tables')
    .select({ name: 'table_name' })
    .whereRaw(`table_schema = ${dialect.currentSchema}`)) as readonly { readonly name: string }[]; // the column named above
  return rows.map((row) => row.name);
};

const prepare = async ({ db, dialect }: Connection): Promise<void> => {
  if (!(await db.schema.hasTable(ledger)))
    await db.schema
      .createTable(ledger, (table) => {
        table.string('owner', 80).notNullable();
        table.integer('number').notNullable();
        table.string('name', 200).notNullable();
        table.bigInteger('at').notNullable();
        table.boolean('older_may_write').notNullable();
        table.string('digest', 64).nullable();
        table.primary(['owner', 'number'], 'orrery_migrations_key');
        dialect.finishTable(table);
      })
      .catch((fault: unknown) => ignoreRace(db, ledger, fault));
  if (!(await db.schema.hasTable(locks)))
    await db.schema
      .createTable(locks, (table) => {
        table.integer('id').notNullable().primary();
        table.string('holder', 120).notNullable();
        table.bigInteger('until').notNullable();
        dialect.finishTable(table);
      })
      .catch((fault: unknown) => ignoreRace(db, locks, fault));
  await db(locks).insert({ id: 1, holder: '', until: 0 }).onConflict('id').ignore();
};
/** Adds the column of digests to a ledger of an older release. */
const prepareDigests = async ({ db }: Connection): Promise<void> => {
  if (await db.schema.hasColumn(ledger, 'digest')) return;
  await db.schema.alterTable(ledger, (table) => {
    table.string('digest', 64).nullable();
  });
};

const ignoreRace = async (db: Knex, table: string, fault: unknown): Promise<void> => {
  if (!(await db.schema.hasTable(table))) throw fault;
};

const knownNumbers: ReadonlySet<number> = new Set(coreChanges.map((change) => change.number));

/** Those of the changes that were made, the newest `count`, newest first. */
const newest = (
  ran: ReadonlyMap<number, unknown>,
  changes: readonly Change[],
  count: number,
): readonly Change[] =>
  changes
    .filter((change) => ran.has(change.number))
    .sort((a, b) => b.number - a.number)
    .slice(0, count);

/** More changes than any owner has. */
const changesAtMost = 10_000;

/** A change that was run. */
interface Run {
  readonly name: string;
  readonly at: number;
  readonly digest: string | undefined;
}

/** Whether a change is not the one that was run. */
const isAnother = ({ digest }: Change, ran: Run | undefined): boolean =>
  digest !== undefined && ran?.digest !== undefined && ran.digest !== digest;

/** A change as the ledger notes it. */
const entryOf = (
  owner: string,
  { number, name, olderMayWrite = false, digest }: Change,
  at: number,
) => ({
  owner,
  number,
  name,
  at,
  older_may_write: olderMayWrite,
  ...(digest === undefined ? {} : { digest }),
});

/** Whether nothing of what changes make is there, so that none of them has to look. */
const areFresh = async (connection: Connection, changes: readonly Change[]): Promise<boolean> => {
  if (connection.dialect.changeSchema === undefined) return false;
  const made = new Set(changes.flatMap(({ creates }) => creates ?? []));
  return made.size > 0 && !(await listTables(connection)).some((name) => made.has(name));
};

/** Changes that are made by one message together, all or none of them; one that has to look is by itself. */
const togetherIn = (changes: readonly Change[], fresh: boolean): readonly (readonly Change[])[] => {
  const parts: Change[][] = [];
  for (const change of changes) {
    const last = parts.at(-1);
    if (fresh && change.fresh !== undefined && last?.[0]?.fresh !== undefined) last.push(change);
    else parts.push([change]);
  }
  return parts;
};

const make = async (
  { db, dialect, clock }: Connection,
  owner: string,
  changes: readonly Change[],
  fresh: boolean,
): Promise<void> => {
  const noted = db(ledger).insert(changes.map((change) => entryOf(owner, change, clock.now())));
  if (fresh && dialect.changeSchema !== undefined) {
    const statements = changes.flatMap((change) => change.fresh?.(db, dialect).toQuery() ?? []);
    if (statements.length === changes.length) {
      await dialect.changeSchema(db, [...statements, noted.toQuery()]);
      return;
    }
  }
  for (const change of changes) await change.up(db, dialect);
  await noted;
};

export const migrations = (
  connection: Connection,
  { leaseMs = defaultLeaseMs }: { readonly leaseMs?: number } = {},
): Migrations => {
  const { db, dialect, ids } = connection;
  const holder = `${hostname()}:${process.pid}:${ids.next()}`;

  const take = async (): Promise<void> => {
    for (let tries = 0; tries < 600; tries++) {
      const taken = await db(locks)
        .where({ id: 1 })
        .andWhere((open) => open.where({ holder }).orWhere('until', '<', db.raw(dialect.nowMs)))
        .update({ holder, until: db.raw(`${dialect.nowMs} + ${leaseMs}`) });
      if (taken > 0) return;
      await new Promise((wake) => setTimeout(wake, 100));
    }
    throw new Failure('conflict', tooLong);
  };
  const renew = async (): Promise<void> => {
    await db(locks)
      .where({ id: 1, holder })
      .update({ until: db.raw(`${dialect.nowMs} + ${leaseMs}`) });
  };
  const release = async (): Promise<void> => {
    await db(locks).where({ id: 1, holder }).update({ until: 0 });
  };
  const leased = async <T>(work: () => Promise<T>): Promise<T> => {
    await prepare(connection);
    await take();
    const renewing = setInterval(() => {
      renew().catch(() => undefined);
    }, leaseMs / 4).unref(); // a change may run longer than the lease; one renewal may be missed
    try {
      return await work();
    } finally {
      clearInterval(renewing);
      await release();
    }
  };
  const done = async (owner: string): Promise<ReadonlyMap<number, Run>> => {
    const rows = (await db(ledger).where({ owner }).limit(changesAtMost)) as readonly {
      readonly number: number;
      readonly name: string;
      readonly at: unknown;
      readonly digest?: string | null;
    }[]; // the columns of that table; the digest is missing from one of an older release
    return new Map(
      rows.map(({ number, name, at, digest }) => [
        number,
        { name, at: Number(at), digest: digest ?? undefined },
      ]),
    );
  };

  return {
    up: (owner = 'core', changes = coreChanges) =>
      leased(async () => {
        if (changes.some(({ digest }) => digest !== undefined)) await prepareDigests(connection);
        const ran = await done(owner);
        for (const { number, digest } of changes)
          if (digest !== undefined && ran.has(number) && ran.get(number)?.digest === undefined)
            await db(ledger).where({ owner, number }).update({ digest }); // run by a release that kept none
        const waiting = changes.filter((change) => !ran.has(change.number));
        const fresh = ran.size === 0 && (await areFresh(connection, waiting));
        for (const some of togetherIn(waiting, fresh)) {
          await take();
          await make(connection, owner, some, fresh);
        }
        return waiting.length;
      }),
    undo: (count, owner = 'core', changes = coreChanges) =>
      leased(async () => {
        const undone = newest(await done(owner), changes, count);
        for (const change of undone) {
          await take();
          await change.down(db, dialect);
          await db(ledger).where({ owner, number: change.number }).delete();
        }
        return undone.length;
      }),
    async losses(count, owner = 'core', changes = coreChanges) {
      const losses: Loss[] = [];
      for (const { number, name, creates } of newest(await done(owner), changes, count)) {
        const rows =
          creates === undefined || !(await db.schema.hasTable(creates))
            ? undefined
            : Number((await db(creates).count({ n: '*' }))[0]?.['n'] ?? 0);
        losses.push({
          number,
          name,
          ...(creates === undefined || rows === undefined
            ? {}
            : { table: { name: creates, rows } }),
        });
      }
      return losses;
    },
    async gap() {
      if (!(await db.schema.hasTable(ledger))) return { missing: coreChanges.length, newer: [] };
      const rows = (await db(ledger)
        .select('number', 'name', 'older_may_write')
        .where({ owner: 'core' })) as readonly {
        readonly number: number;
        readonly name: string;
        readonly older_may_write: unknown;
      }[]; // the columns named above
      const ran = new Set(rows.map((row) => row.number));
      return {
        missing: coreChanges.filter((change) => !ran.has(change.number)).length,
        newer: rows
          .filter((row) => !knownNumbers.has(row.number) && !isTrue(row.older_may_write))
          .map((row) => row.name),
      };
    },
    async status(owner = 'core', changes = coreChanges) {
      const ran = (await db.schema.hasTable(ledger)) ? await done(owner) : new Map<number, Run>();
      const known = changes.map((change) => ({
        owner,
        number: change.number,
        name: change.name,
        at: ran.get(change.number)?.at,
        known: true,
        ...(isAnother(change, ran.get(change.number)) ? { changed: true as const } : {}),
      }));
      const unknown = [...ran]
        .filter(([number]) => !changes.some((change) => change.number === number))
        .map(([number, row]) => ({
          owner,
          number,
          name: row.name,
          at: row.at,
          known: false,
        }));
      return [...known, ...unknown].sort((a, b) => a.number - b.number);
    },
    async owners() {
      if (!(await db.schema.hasTable(ledger))) return [];
      return ((await db(ledger).distinct('owner')) as readonly { readonly owner: string }[])
        .map((row) => row.owner)
        .sort(); // the column named above
    },
    prefixOf: pluginPrefix,
    drop: (owner) =>
      leased(async () => {
        const prefix = pluginPrefix(owner);
        const tables = (await listTables(connection)).filter((name) => name.startsWith(prefix));
        for (const table of tables) await db.schema.dropTableIfExists(table);
        await db(ledger).where({ owner }).delete();
        return tables.length;
      }),
    async settled() {
      if (!(await db.schema.hasTable(locks))) return;
      for (let tries = 0; tries < 600; tries++) {
        if (
          (await db(locks)
            .where({ id: 1 })
            .whereNot({ holder })
            .where('until', '>=', db.raw(dialect.nowMs))
            .select('id')
            .first()) === undefined
        )
          return;
        await new Promise((wake) => setTimeout(wake, 100));
      }
      throw new Failure('conflict', tooLong);
    },
    async isEmpty() {
      return (
        !(await db.schema.hasTable(ledger)) ||
        (await db(ledger).select('number').first()) === undefined
      );
    },
  };
};
