// A monitored model over the embedded database, with a clock that is set by hand and channels that note what they are told.
import { duckAnalytics } from '#adapters/analytics/duckdb/duckdb';
import { pluginChanges, pluginTables } from '#adapters/storage/sql/plugin-tables';
import { systemIds } from '#adapters/system/ids';
import { systemParquet } from '#adapters/system/parquet';
import { systemZip } from '#adapters/system/zip';
import { readItems } from '#plugins/monitoring/items';
import { ensureModel } from '#plugins/monitoring/models';
import { tables as changes } from '#plugins/monitoring/needs';
import { storeItems } from '#plugins/monitoring/storing';
import type { Announcement, Announcements } from '#ports/announcements';
import type { PluginTables } from '#ports/plugin-tables';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { freshName } from '#test/contract/storage/builders';

export const start = Date.parse('2026-11-25T08:00:00Z');
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** Opens an embedded storage with the tables of the plugin before the tests of a suite, hands them over, and stops it behind them. */
export const withTables = (use: (tables: PluginTables) => void): void => {
  let opened: OpenedStorage | undefined;
  before('open the embedded storage', async () => {
    const found = await storageAdapters[0]?.open();
    if (found === undefined || 'missing' in found)
      throw new Error('the embedded storage does not open');
    opened = found;
    const { migrations, connection } = found.storage;
    await migrations.up('monitoring', pluginChanges('monitoring', changes));
    use(pluginTables(connection, 'monitoring', changes));
  });
  after(() => opened?.stop());
};

const settings = {
  baseUrl: 'http://o',
  version: '0',
  ORRERY_METRICS_TOKEN: '',
  ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM: 1,
  HTTPS_ENABLED: '',
  JWT_SAME_SITE: '',
};

/** Engines of it end by themselves a moment after they were asked last. Nothing is stored beside what a statement is given. */
const analytics = duckAnalytics({
  rows: {
    async *stream() {
      yield [];
    },
    changes: async () => undefined,
    forgetChanges: async () => 0,
  },
});

/** A fresh model of a fresh workspace, and what is sent of it. */
export const beginModel = async (tables: PluginTables) => {
  const time = { now: start };
  const told: { readonly announcement: Announcement; readonly channels: readonly string[] }[] = [];
  const announcements: Announcements = {
    workspaceName: async () => 'w',
    channels: async () => [{ id: 'room', kind: 'slack', name: 'Room', enabled: true }],
    async announce(announcement, channels) {
      if (!told.some((one) => one.announcement.id === announcement.id))
        told.push({ announcement, channels });
    },
    deliveries: async () => [],
  };
  const needs = {
    analytics,
    clock: { now: () => time.now },
    ids: systemIds,
    parquet: systemParquet,
    zip: systemZip,
    log,
    tables,
    settings,
    announcements,
    traffic: { quiet: async () => true, begun: () => 0 },
    toggles: { isOn: () => true, list: () => [], change: async () => undefined },
  };
  const model = await ensureModel(needs, freshName(), 'm');
  let sent = 0;
  /** Sends events, each with its time, version and values; the clock is set so that they are not of the future. */
  const send = async (
    events: readonly {
      readonly at: number;
      readonly version?: string;
      readonly features?: object;
      readonly predictions?: object;
      readonly labels?: object;
    }[],
  ): Promise<void> => {
    const given = events.map(({ at, version = '1', ...more }) => ({
      ...{ workspaceName: 'w', modelName: 'm', modelVersion: version },
      ...{ predictionId: `p${sent++}`, timestamp: at },
      ...more,
    }));
    const { items, faults } = readItems(given, { onlyLabels: false, now: time.now });
    if (faults.length > 0) throw new Error(JSON.stringify(faults));
    await storeItems(needs, model, items, [], 7);
  };
  return { needs, model, send, time, told };
};
