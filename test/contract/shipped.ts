// What the suites of auth and notifications need beside the adapter they are about, for whoever runs them from the package: the embedded
// storage, the product's own accounts, and the address check. Everything else of the product that it stands on is joined into this file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAuth } from '#adapters/auth/local/local-auth';
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { postgresEngine } from '#adapters/storage/postgres/open';
import { storageOver } from '#adapters/storage/sql/storage';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { createOutgoing } from '#adapters/system/outgoing';
import { gcmSealer } from '#adapters/system/sealer';
import { systemSecrets } from '#adapters/system/secrets';
import { judgeTargets } from '#adapters/system/targets';
import { loadSettings } from '#config/load';
import { passwordCheck } from '#config/sign-in';
import { checkWorkspaceName } from '#core/workspaces/rules';
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import type { SqlEngine } from '#ports/drivers';
import type { Outgoing } from '#ports/outgoing';
import type { Sealer } from '#ports/sealer';
import type { Storage } from '#ports/storage/storage';

/** A storage with the schema in it and nothing else. */
export interface ShippedStorage {
  readonly storage: Storage;
  /** The same database as another process sees it. */
  again(): Storage;
  /** Closes every connection, and removes what was made for it. */
  stop(): Promise<void>;
}

const poolSize = 8;

/** The product's stores on the empty database of an engine, with the schema: what proves a dialect of SQL by the suites of the stores. */
export const openStorageOver = async (
  engine: SqlEngine,
  clock: Clock = { now: () => Date.now() },
): Promise<ShippedStorage> => {
  const log = systemLog('silent');
  const open = () =>
    storageOver(engine, poolSize, { clock, ids: systemIds, log, meters: promMeters() });
  const storage = open();
  const opened = [storage];
  await storage.migrations.up();
  return {
    storage,
    again() {
      const other = open();
      opened.push(other);
      return other;
    },
    async stop() {
      for (const one of opened) await one.close();
    },
  };
};

/** The embedded storage in a folder of its own, which goes with it. */
export const openEmbeddedStorage = async (clock?: Clock): Promise<ShippedStorage> => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-contract-'));
  const server = await startEmbedded({
    folder: join(folder, 'postgres'),
    log: systemLog('silent'),
  });
  const { stop, ...opened } = await openStorageOver(
    postgresEngine({ connection: server.connection, prepared: true }),
    clock,
  );
  return {
    ...opened,
    async stop() {
      await stop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** How long a session of these accounts lives without a use, and in all. */
export const sessionLife = { idleMs: 60_000, mostMs: 150_000 };

/**
 * The product's own accounts, which stand behind every way of signing in; with the name of a user they are those of an installation with
 * authentication off, where everybody is that user.
 */
export const openAccounts = (storage: Storage, clock: Clock, everybodyIs?: string): Auth =>
  localAuth({
    storage,
    clock,
    ids: systemIds,
    secrets: systemSecrets,
    nameMinLength: 3,
    checkNewPassword: passwordCheck(loadSettings({}).values),
    checkWorkspaceName,
    sessionLife,
    keySuffix: '*suffix',
    everybodyIs,
    takesTokens: true,
  });

/** A sealer with a key of its own. */
export const openSealer = (): Sealer => {
  const key = systemSecrets.token();
  return gcmSealer(() => key);
};

/** The address check as the drivers of notifiers are given it; lets the loopback address pass, where a suite has its receivers. */
export const openOutgoing = (): Outgoing => createOutgoing(judgeTargets('127.0.0.1'));
