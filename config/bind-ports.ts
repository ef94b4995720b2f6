// Binds every port of the server to what stands behind it: the system, the storage, what was opened outside, and what is known late.
import { join, resolve } from 'node:path';
import { httpChatModels } from '#adapters/chat-model/http/chat-models';
import { inProcess } from '#adapters/http/operations';
import { noMetrics } from '#adapters/metric-runner/off';
import { openPythonMetrics } from '#adapters/metric-runner/python/python-metrics';
import { streamableMcp } from '#adapters/mcp/streamable-http';
import { noteChanges } from '#adapters/storage/wrap/change-notes';
import { cacheExperiments } from '#adapters/storage/wrap/experiment-cache';
import { createImages } from '#adapters/system/images';
import { linearPatterns } from '#adapters/system/name-patterns';
import { systemOtlp } from '#adapters/system/otlp';
import { createOutgoing } from '#adapters/system/outgoing';
import { systemParquet } from '#adapters/system/parquet';
import { gcmSealer, secretInFile } from '#adapters/system/sealer';
import { systemSecrets } from '#adapters/system/secrets';
import { judgeTargets } from '#adapters/system/targets';
import { bucketLimits } from '#adapters/system/rate-limits';
import { bucketThrottle } from '#adapters/system/throttle';
import { systemZip } from '#adapters/system/zip';
import { ownAnalyser } from '#core/agent-insights/analysing';
import { explainingAnalyser } from '#core/agent-insights/explaining';
import { insightsSettings } from '#core/agent-insights/settings';
import { areas } from '#core/areas';
import { createAudit } from '#core/audit/audit';
import { createGate } from '#core/gate';
import { createHub } from '#core/live/hub';
import { createNotes } from '#core/live/noting';
import { liveSettings } from '#core/live/settings';
import { traceSettings } from '#core/traces/settings';
import { createAnnouncements } from '#core/webhooks/announcing';
import { Announcements } from '#ports/announcements';
import { Gate } from '#ports/api/gate';
import { Audit } from '#ports/audit';
import { Auth } from '#ports/auth';
import { Blob } from '#ports/blob';
import { BlobStore } from '#ports/blob-store';
import { Catalogue } from '#ports/catalogue';
import { Analytics, GivenAnalytics } from '#ports/analytics';
import { ChatModels } from '#ports/chat-model';
import { Clock } from '#ports/clock';
import type { Opened } from '#ports/drivers';
import { Ids } from '#ports/ids';
import { Images } from '#ports/images';
import { NamePatterns } from '#ports/name-patterns';
import { Otlp } from '#ports/otlp';
import { InsightAnalyser } from '#ports/insight-analyser';
import { Installation } from '#ports/installation';
import { Live } from '#ports/live';
import { Log } from '#ports/log';
import { Mcp } from '#ports/mcp';
import { Meters } from '#ports/meters';
import { MetricRunner } from '#ports/metric-runner';
import { Notifiers } from '#ports/notify';
import { Operations } from '#ports/operations';
import { Outgoing } from '#ports/outgoing';
import { Parquet } from '#ports/parquet';
import { PluginUi } from '#ports/plugin-ui';
import { Readiness } from '#ports/readiness';
import { Sealer } from '#ports/sealer';
import { Secrets } from '#ports/secrets';
import { Settings } from '#ports/settings';
import { ShownSettings } from '#ports/settings-shown';
import { SignInWays } from '#ports/sign-in';
import { ExperimentFinder } from '#ports/storage/experiments';
import { Storage } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { RateLimits } from '#ports/rate-limits';
import { Throttle } from '#ports/throttle';
import { Toggles } from '#ports/toggles';
import { Traffic } from '#ports/traffic';
import { WebhookForms } from '#ports/webhook-forms';
import { Zip } from '#ports/zip';
import { openAnalytics } from './analytics.js';
import { watchTraffic, type WatchedTraffic } from './background-throttle.js';
import { provideSettings } from './area-routes.js';
import { Container, provide, resolveNeeds } from './bind.js';
import type { Drivers, OpenedStorage, SystemParts } from './drivers.js';
import { installationOf } from './installation.js';
import { findForm, type Late } from './late.js';
import { liveToggles, type LiveToggles } from './live-toggles.js';
import { shown, type Loaded } from './load.js';
import { openAuth } from './opening.js';
import type { ImportedPlugin } from './plugins.js';
import { countProcesses } from './processes.js';
import { readinessOf } from './readiness.js';
import { watchSchema, type SchemaWatch } from './schema-watch.js';
import type { SettingValues } from './settings.js';
import type { Stop } from './stopping.js';
import { version } from './version.js';

export interface Assembly {
  readonly loaded: Loaded;
  readonly baseUrl: string;
  readonly parts: SystemParts;
  readonly opened: OpenedStorage;
  readonly imported: readonly ImportedPlugin[];
  readonly drivers: Drivers;
  /** Takes in how each thing is stopped that was begun. */
  readonly stops: Stop[];
}

/** What stands once every port is bound, for whoever puts the rest together. */
export interface Bound {
  readonly container: Container;
  /** With the caches of this process before it. */
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly settings: Settings;
  readonly toggles: LiveToggles;
  readonly ways: SignInWays;
  readonly notifiers: Notifiers;
  readonly sealer: Sealer;
  readonly processes: ReturnType<typeof countProcesses>;
  readonly notes: ReturnType<typeof createNotes>;
  readonly hub: ReturnType<typeof createHub>;
  readonly schema: SchemaWatch;
  readonly traffic: WatchedTraffic;
}

const ratesOf = (values: SettingValues) => ({
  experiment: {
    metrics: values.ORRERY_THROTTLE_METRICS_PER_MINUTE,
    systemMetrics: values.ORRERY_THROTTLE_SYSTEM_METRICS_PER_MINUTE,
    parameters: values.ORRERY_THROTTLE_PARAMETERS_PER_MINUTE,
    output: values.ORRERY_THROTTLE_OUTPUT_PER_MINUTE,
    assets: values.ORRERY_THROTTLE_ASSETS_PER_MINUTE,
  },
  organization: {
    metrics: values.ORRERY_THROTTLE_ORGANIZATION_METRICS_PER_MINUTE,
    systemMetrics: values.ORRERY_THROTTLE_ORGANIZATION_SYSTEM_METRICS_PER_MINUTE,
    parameters: values.ORRERY_THROTTLE_ORGANIZATION_PARAMETERS_PER_MINUTE,
    output: values.ORRERY_THROTTLE_ORGANIZATION_OUTPUT_PER_MINUTE,
    assets: values.ORRERY_THROTTLE_ORGANIZATION_ASSETS_PER_MINUTE,
  },
});

const rateLimitsOf = (values: SettingValues) =>
  values.ORRERY_RATE_LIMITS
    ? {
        userEvents: values.ORRERY_RATE_USER_EVENTS_PER_MINUTE,
        workspaceEvents: values.ORRERY_RATE_WORKSPACE_EVENTS_PER_MINUTE,
        singleWrites: values.ORRERY_RATE_SINGLE_WRITES_PER_MINUTE,
        spanReads: values.ORRERY_RATE_SPAN_READS_PER_MINUTE,
        traceLists: values.ORRERY_RATE_TRACE_LISTS_PER_MINUTE,
        traceStreams: values.ORRERY_RATE_TRACE_STREAMS_PER_MINUTE,
        traceStatistics: values.ORRERY_RATE_TRACE_STATISTICS_PER_MINUTE,
      }
    : undefined;

const bindSystem = (container: Container, { parts, stops }: Assembly): void => {
  provide(container, Clock, {}, () => parts.clock);
  provide(container, Ids, {}, () => parts.ids);
  provide(container, Log, {}, () => parts.log);
  provide(container, Meters, {}, () => parts.meters);
  provide(container, Secrets, {}, () => systemSecrets);
  provide(container, Zip, {}, () => systemZip);
  provide(container, Parquet, {}, () => systemParquet);
  provide(container, NamePatterns, {}, () => linearPatterns);
  provide(container, Otlp, {}, () => systemOtlp);
  provide(container, Mcp, {}, streamableMcp);
  const images = createImages();
  stops.push(async () => {
    images.stop();
  });
  provide(container, Images, {}, () => images);
};

const bindAnalytics = (
  container: Container,
  { loaded: { values }, opened, parts, stops }: Assembly,
): void => {
  const analytics = openAnalytics(values, opened.storage.stores.analyticRows, parts.log);
  stops.push(async () => {
    analytics.stop();
  });
  provide(container, Analytics, {}, () => analytics);
  provide(container, GivenAnalytics, {}, () => analytics);
};

/** What runs metrics that people write; a start ends here where they could not be run safely. */
const bindMetrics = async (
  container: Container,
  { loaded: { values }, stops }: Assembly,
): Promise<void> => {
  const python = values.ORRERY_PYTHON_METRICS;
  if (python === '') {
    provide(container, MetricRunner, {}, () => noMetrics);
    return;
  }
  const { made, stop } = await openPythonMetrics(python);
  stops.push(stop);
  provide(container, MetricRunner, {}, () => made);
};

/** What looks through traces: a model explains what is found where one is named. */
const bindInsights = (container: Container): void => {
  provide(
    container,
    InsightAnalyser,
    {
      storage: Storage,
      secrets: Secrets,
      models: ChatModels,
      sealer: Sealer,
      traces: traceSettings.port,
      insights: insightsSettings.port,
    },
    ({ storage: { stores }, secrets, models, sealer, traces, insights }) => {
      const model = insights.ORRERY_INSIGHTS_MODEL;
      return model === ''
        ? ownAnalyser({ stores, secrets })
        : explainingAnalyser({
            ...{ stores, secrets, models, sealer, model },
            providerKeys: stores.providerKeys,
            prices: traces.ORRERY_MODEL_PRICES,
          });
    },
  );
};

/** The storage as handlers see it: what changes is noted for listeners, and runs are remembered for a while. */
const bindStorage = (
  container: Container,
  { opened, parts, stops }: Assembly,
): Pick<Bound, 'storage' | 'notes'> => {
  const notes = createNotes(opened.storage.stores.changes, parts.clock);
  const { storage, finder, places } = cacheExperiments(
    noteChanges(opened.storage, (change) => {
      notes.add(change);
    }),
    parts.clock,
  );
  stops.push(() => notes.flush(true));
  provide(container, Storage, {}, () => storage);
  provide(container, ExperimentFinder, {}, () => finder);
  provide(container, PlaceFinder, {}, () => places);
  return { storage, notes };
};

const settingsOf = (values: SettingValues, baseUrl: string): Settings => ({
  baseUrl,
  version,
  ORRERY_METRICS_TOKEN: values.ORRERY_METRICS_TOKEN,
  ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM: values.ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM,
  HTTPS_ENABLED: values.HTTPS_ENABLED,
  JWT_SAME_SITE: values.JWT_SAME_SITE,
});

const bindSettings = async (
  container: Container,
  { loaded, imported, baseUrl, opened }: Assembly,
  late: Late,
): Promise<Pick<Bound, 'settings' | 'toggles'>> => {
  const settings = settingsOf(loaded.values, baseUrl);
  provide(container, Settings, {}, () => settings);
  for (const area of areas) provideSettings(container, area, loaded.all);
  provide(container, ShownSettings, {}, () => ({
    list: () =>
      [...loaded.all, ...late.joined.flatMap((one) => one.settings)].map((one) => ({
        name: one.name,
        value: shown(one),
        default: one.row.default,
        source: one.source,
        effect: one.row.says,
      })),
  }));
  const toggles = liveToggles(loaded, imported, opened.storage.stores.toggles);
  await toggles.refresh();
  provide(container, Toggles, {}, () => toggles);
  return { settings, toggles };
};

const bindOutside = async (
  container: Container,
  { loaded: { values }, parts, drivers, baseUrl, stops }: Assembly,
  late: Late,
): Promise<Pick<Bound, 'blobs' | 'notifiers' | 'sealer'>> => {
  const keep = <T>({ made, stop }: Opened<T>): T => {
    stops.push(stop);
    return made;
  };
  const blobs = keep(await drivers.openBlobs());
  const notifiers = keep(await drivers.openNotifiers({ baseUrl, version }));
  const outgoing = createOutgoing(judgeTargets(values.ORRERY_ALLOW_PRIVATE_TARGETS));
  const sealer = gcmSealer(() =>
    values.ORRERY_SEAL_KEY === ''
      ? secretInFile(join(resolve(values.ORRERY_DATA), 'seal-key'))
      : values.ORRERY_SEAL_KEY,
  );
  provide(container, Blob, {}, () => blobs.blob);
  provide(container, BlobStore, {}, () => blobs);
  provide(container, Outgoing, {}, () => outgoing);
  provide(container, ChatModels, {}, () =>
    httpChatModels({ outgoing, now: () => parts.clock.now() }),
  );
  provide(container, Notifiers, {}, () => notifiers);
  provide(container, Sealer, {}, () => sealer);
  provide(container, WebhookForms, {}, () => ({ find: (name) => findForm(late, name) }));
  return { blobs, notifiers, sealer };
};

const bindAccess = async (
  container: Container,
  storage: Storage,
  { loaded: { values }, parts, drivers, baseUrl, stops }: Assembly,
  late: Late,
): Promise<SignInWays> => {
  const auth = openAuth(storage, values, baseUrl, parts.clock);
  const { made: ways, stop } = await drivers.openWays({
    checkPassword: auth.checkPassword,
    baseUrl,
  });
  stops.push(stop);
  provide(container, Auth, {}, () => auth);
  provide(container, SignInWays, {}, () => ways);
  provide(container, Audit, { storage: Storage, clock: Clock, ids: Ids }, createAudit);
  provide(container, Announcements, { clock: Clock, ids: Ids }, (given) =>
    createAnnouncements({ ...given, storage }),
  );
  provide(container, Gate, {}, () => createGate(() => late.kinds));
  provide(
    container,
    Operations,
    { gate: Gate, audit: Audit, toggles: Toggles, readiness: Readiness },
    (resolved) => inProcess(() => late.routes, resolved),
  );
  return ways;
};

const bindLive = async (
  container: Container,
  storage: Storage,
  { clock, meters }: SystemParts,
): Promise<Bound['hub']> => {
  const { settings } = await resolveNeeds(container, { settings: liveSettings.port });
  const hub = createHub({
    changes: storage.stores.changes,
    now: () => storage.now(),
    clock,
    settings,
  });
  meters.gauge('orrery_listeners', 'Clients that listen for changes', () => hub.count());
  provide(container, Live, {}, () => hub);
  return hub;
};

/** Binds all of them; those about what plugins bring read `late` when they are asked. */
export const bindPorts = async (assembly: Assembly, late: Late): Promise<Bound> => {
  const { loaded, parts, opened, drivers } = assembly;
  const container = new Container();
  const processes = countProcesses(opened.storage.stores.leases, parts.ids);
  const schema = watchSchema(opened.storage.migrations);
  const traffic = watchTraffic();
  provide(container, Traffic, {}, () => traffic);
  bindSystem(container, assembly);
  bindAnalytics(container, assembly);
  await bindMetrics(container, assembly);
  const kept = bindStorage(container, assembly);
  const outside = await bindOutside(container, assembly, late);
  const chosen = await bindSettings(container, assembly, late);
  bindInsights(container);
  const hub = await bindLive(container, kept.storage, parts);
  provide(container, Readiness, {}, () => readinessOf(opened, schema));
  provide(container, Installation, {}, () =>
    installationOf(loaded, opened, outside.blobs, drivers, parts.clock),
  );
  provide(container, Catalogue, {}, () => ({
    rows: () => late.routes.map(({ handle: _, ...row }) => row),
  }));
  provide(container, PluginUi, {}, () => ({
    list: () =>
      late.joined.flatMap(({ plugin, contribution: { ui } }) =>
        ui === undefined ? [] : [{ plugin: plugin.plugin.name, ui }],
      ),
  }));
  provide(container, Throttle, { clock: Clock }, ({ clock }) =>
    bucketThrottle(ratesOf(loaded.values), clock, () => processes.count()),
  );
  provide(container, RateLimits, { clock: Clock }, ({ clock }) =>
    bucketLimits(rateLimitsOf(loaded.values), clock, () => processes.count()),
  );
  const ways = await bindAccess(container, kept.storage, assembly, late);
  return { container, ...kept, ...outside, ...chosen, ways, processes, hub, schema, traffic };
};
