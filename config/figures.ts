// The figures of /metrics that are read when somebody asks for them.
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type OpenedStorage, type SystemParts } from './drivers.js';
import type { SettingValues } from './settings.js';
import { version } from './version.js';

const figuresMs = 30_000;

/** Figures that are the same for every process: what is stored, what waits, and the room that is left. */
export const meterInstallation = (
  { storage }: OpenedStorage,
  { meters }: SystemParts,
  values: SettingValues,
): void => {
  const { events, deliveries, usage } = storage.stores;
  const gauge = (name: string, help: string, read: () => Promise<number>): void => {
    meters.gauge(name, help, read, { of: 'installation' });
  };
  gauge(
    'orrery_outbox_events',
    'Events not yet delivered to every receiver',
    async () => (await events.counts()).events,
  );
  gauge(
    'orrery_outbox_parked',
    'Deliveries that wait for an administrator',
    async () => (await events.counts()).parked,
  );
  gauge(
    'orrery_deliveries_waiting',
    'Deliveries to webhooks and channels that wait',
    async () => (await deliveries.counts()).waiting,
  );
  // Counting everything that is stored takes a while where there is much of it.
  let [figures, until]: [ReturnType<typeof usage.figures> | undefined, number] = [undefined, 0];
  const stored = () => {
    if (figures === undefined || performance.now() > until)
      [figures, until] = [usage.figures(), performance.now() + figuresMs];
    return figures;
  };
  gauge('orrery_users', 'Users', async () => (await stored()).users);
  gauge(
    'orrery_experiments',
    'Experiments that are not deleted',
    async () => (await stored()).experiments,
  );
  gauge('orrery_blob_bytes', 'Bytes of stored files', async () => (await stored()).bytes);
  gauge(
    'orrery_disk_free_bytes',
    'Bytes that are free on the disk of the data folder',
    async () => {
      const { bavail, bsize } = await statfs(resolve(values.ORRERY_DATA));
      return bavail * bsize;
    },
  );
};

export const meterProcess = (opened: OpenedStorage, { meters }: SystemParts): void => {
  meters.info('orrery_build_info', 'What is running', { version, node: process.version });
  meters
    .counter('orrery_sign_in_failures', 'Tries to sign in with a wrong name or password')
    .add(0);
  meters.gauge(
    'orrery_database_connections',
    'Database connections in use',
    () => opened.storage.connections().used,
  );
  meters.gauge(
    'orrery_database_waiting',
    'Requests that wait for a database connection',
    () => opened.storage.connections().waiting,
  );
};
