// Builds the whole server: adapters outside, areas inside, and the application over them. After this nobody holds the container.
import { statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type Koa from 'koa';
import { localAuth } from '#adapters/auth/local/local-auth';
import { cookieJar, cookiePolicy } from '#adapters/http/cookies';
import { createApplication } from '#adapters/http/server';
import { trustedProxies } from '#adapters/http/source';
import { inProcess } from '#adapters/http/operations';
import { pluginChanges, pluginTables } from '#adapters/storage/sql/plugin-tables';
import { dispatchDue, type EventHandlers, type Receiver } from '#core/events/dispatching';
import { createBudget } from '#adapters/http/budget';
import { compiles } from '#adapters/http/input';
import type { Route } from '#adapters/http/route';
import { noteChanges } from '#adapters/storage/wrap/change-notes';
import { cacheExperiments } from '#adapters/storage/wrap/experiment-cache';
import { serviceArea, swaggerArea, versionArea } from '#adapters/http/service';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { createOutgoing } from '#adapters/system/outgoing';
import { gcmSealer, secretInFile } from '#adapters/system/sealer';
import { judgeTargets } from '#adapters/system/targets';
import { systemSecrets } from '#adapters/system/secrets';
import { bucketThrottle } from '#adapters/system/throttle';
import { systemParquet } from '#adapters/system/parquet';
import { systemZip } from '#adapters/system/zip';
import { createGate } from '#core/gate';
import { gatherKinds } from '#core/kinds';
import { checkWorkspaceName } from '#core/workspaces/rules';
import { createAudit } from '#core/audit/audit';
import { areas, oauthAreas } from '#core/areas';
import { checkClient } from '#core/runs/rules';
import { anonymousOffArea } from '#core/identity/anonymous-off';
import { judgeSessions } from '#core/identity/by-header';
import { weblinksArea } from '#core/weblinks/weblinks';
import { registrySettings } from '#core/registry/settings';
import { experimentSettings } from '#core/experiments/settings';
import { runActionJobs } from '#core/run-actions/applying';
import { upkeepJobs } from '#core/upkeep/jobs';
import { createHub } from '#core/live/hub';
import { createNotes } from '#core/live/noting';
import { liveSettings } from '#core/live/settings';
import { fanOut } from '#core/webhooks/fan-out';
import type { DeliveringNeeds } from '#core/webhooks/delivering';
import type { Area } from '#ports/api/area';
import { Gate } from '#ports/api/gate';
import type { ResolvedKind } from '#ports/api/kind-definition';
import { Audit } from '#ports/audit';
import { Auth } from '#ports/auth';
import { Blob } from '#ports/blob';
import { BlobStore } from '#ports/blob-store';
import { Catalogue, type CatalogueRow } from '#ports/catalogue';
import { Clock } from '#ports/clock';
import type { Opened } from '#ports/drivers';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { Installation } from '#ports/installation';
import type { Job } from '#ports/jobs';
import { Parquet } from '#ports/parquet';
import { Live } from '#ports/live';
import { Log } from '#ports/log';
import { Meters } from '#ports/meters';
import { Notifiers } from '#ports/notify';
import { Operations } from '#ports/operations';
import { Outgoing } from '#ports/outgoing';
import { PluginTables } from '#ports/plugin-tables';
import type { Contribution } from '#ports/plugin';
import type { Port } from '#ports/port';
import { Readiness } from '#ports/readiness';
import { Sealer } from '#ports/sealer';
import { Secrets } from '#ports/secrets';
import { Settings } from '#ports/settings';
import { ShownSettings } from '#ports/settings-shown';
import { SignInWays } from '#ports/sign-in';
import { ExperimentFinder } from '#ports/storage/experiments';
import { PlaceFinder } from '#ports/storage/workspaces';
import { Storage, storesNamedBy } from '#ports/storage/storage';
import { Throttle } from '#ports/throttle';
import { Toggles } from '#ports/toggles';
import { WebhookForms, type WebhookForm } from '#ports/webhook-forms';
import { Zip } from '#ports/zip';
import { Container, provide, resolveNeeds, resolvePort } from './bind.js';
import { deliveryJobs } from './deliveries.js';
import {
  driversOf,
  ownDriverNames,
  type Drivers,
  type OpenedStorage,
  type SystemParts,
} from './drivers.js';
import type { Begun } from './own-drivers.js';
import { installationOf } from './installation.js';
import { giveWay, watchTraffic } from './background-throttle.js';
import { recordTogether } from './delivery-results.js';
import { areaSettingRows, areaToggles } from './area-rows.js';
import { liveToggles, type LiveToggles } from './live-toggles.js';
import { allSettingRows, shown, unknownSettings, type Loaded, type LoadedSetting } from './load.js';
import { contributionFault } from './plugin-contribution.js';
import { countProcesses } from './processes.js';
import { contribute, importPlugins, unlessOptional, type ImportedPlugin } from './plugins.js';
import { requireSchema } from './first-start.js';
import { schemasOf } from './schemas.js';
import type { SettingValues } from './settings.js';
import { passwordCheck, sessionLife } from './sign-in.js';
import { unknownToggles } from './toggles.js';
import { readVersion } from './version.js';
import { watchSchema, type SchemaWatch } from './schema-watch.js';
import { requireStorage } from './storage-faults.js';
import { explainFolder, probeFolder } from './data-folder.js';
import { auditSettings } from '#core/audit/settings';
import { oauthSettings } from '#core/oauth/settings';
import { runSettings } from '#core/runs/settings';

export const version = readVersion();

/** Something that every process does for itself, again and again; a failure is waited out. */
export interface Beat {
  readonly everyMs: number;
  beat(): Promise<void>;
}

/** A plugin that takes part, with what it brings. */
interface Joined {
  readonly plugin: ImportedPlugin;
  readonly contribution: Contribution;
  readonly routes: readonly Route[];
  /** What is in force of the settings that its areas bring. */
  readonly settings: readonly LoadedSetting[];
}

export interface Composed {
  readonly app: Koa;
  readonly opened: OpenedStorage;
  readonly storage: Storage;
  readonly auth: Auth;
  readonly log: Log;
  readonly settings: Settings;
  readonly readiness: Readiness;
  readonly rows: readonly CatalogueRow[];
  /** Every row, in process. */
  readonly operations: Operations;
  readonly jobs: readonly Job[];
  /** What this process does now and then for itself. */
  readonly beats: readonly Beat[];
  /** Ends what clients listen to for as long as they like. */
  endListening(): void;
  /** Says that this process no longer serves. */
  leaveProcesses(): Promise<void>;
  /** Ends what plugins and drivers began, the last one first. */
  stop(): Promise<void>;
  readonly ids: Ids;
}

export interface ComposeOptions {
  readonly loaded: Loaded;
  readonly baseUrl: string;
  /** Whether this process starts and owns the embedded database. */
  readonly owns: boolean;
  readonly storage?: OpenedStorage;
  /** The embedded database where its start was begun before. */
  readonly begun?: Begun;
  /** Standard error when left out. */
  readonly log?: Log | undefined;
}

/** A key's ending that tells clients where the server is: a star and base64 without padding; nothing while that is not known. */
export const keySuffixFor = (smart: boolean, baseUrl: string | undefined): string =>
  smart && baseUrl !== undefined
    ? `*${Buffer.from(JSON.stringify({ baseUrl })).toString('base64').replaceAll('=', '')}`
    : '';

const systemParts = (
  values: SettingValues,
  log = systemLog(values.ORRERY_LOG_LEVEL),
): SystemParts => ({
  clock: systemClock,
  ids: systemIds,
  log,
  meters: promMeters(),
});

/** Opens the storage that the settings name. Commands connect, servers own. */
export const openStorage = async (
  loaded: Loaded,
  owns: boolean,
  begun?: Begun,
): Promise<OpenedStorage> => {
  const { values } = loaded;
  const parts = systemParts(values);
  const isOwn = ownDriverNames('storage').includes(values.ORRERY_STORAGE);
  const imported = isOwn ? [] : switchedOn(loaded, await importPlugins(loaded, parts.log));
  return driversOf({ values, imported, parts, begun }).openStorage(owns);
};

/** What commands open beside a storage: the drivers of these plugins and the product's own. */
export const openDrivers = (loaded: Loaded, imported: readonly ImportedPlugin[]): Drivers =>
  driversOf({
    values: loaded.values,
    imported: switchedOn(loaded, imported),
    parts: systemParts(loaded.values),
  });

export const openAuth = (
  storage: Storage,
  values: SettingValues,
  baseUrl: string | undefined,
): Auth =>
  localAuth({
    storage,
    clock: systemClock,
    ids: systemIds,
    secrets: systemSecrets,
    nameMinLength: values.USER_NAME_MIN_LENGTH,
    checkNewPassword: passwordCheck(values),
    checkWorkspaceName,
    sessionLife: sessionLife(values),
    keySuffix: keySuffixFor(values.SMART_API_KEY_ENABLED, baseUrl),
    takesTokens: values.ORRERY_OAUTH === 'on',
  });

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

const readinessOf = (opened: OpenedStorage, schema: SchemaWatch): Readiness => {
  let [starting, ending] = [true, false];
  return {
    async fault() {
      if (starting) return 'the server is starting';
      if (ending) return 'the server is stopping';
      if (opened.state() !== 'running') return `the embedded database is ${opened.state()}`;
      try {
        await opened.storage.check();
        return await schema.look();
      } catch (thrown) {
        return isFailure(thrown) ? thrown.message : 'the database does not answer as it should';
      }
    },
    refusal: () =>
      opened.state() === 'disk full' ? 'the disk of the database is full' : schema.fault(),
    started() {
      starting = false;
    },
    stopping() {
      ending = true;
    },
  };
};

/** Binds the port of an area's settings to what is in force of them. */
const provideSettings = (
  container: Container,
  { settings }: Area,
  loaded: readonly LoadedSetting[],
): void => {
  if (settings === undefined) return;
  const own = loaded.filter(({ name }) => Object.hasOwn(settings.rows, name));
  const values = Object.fromEntries(own.map(({ name, value }) => [name, value]));
  provide(container, settings.port as Port<unknown>, { common: Settings }, ({ common }) => ({
    ...common,
    ...values,
  })); // a port is a symbol, whose type the area knows
};

const routesOf = async (container: Container, some: readonly Area[]): Promise<readonly Route[]> => {
  const routes: Route[] = [];
  for (const one of some) {
    const handlers = one.handlers((await resolveNeeds(container, one.needs)) as never); // the area's own needs, which type its handlers
    const { name: area, summary: areaSummary, family } = one;
    for (const [id, operation] of Object.entries(one.table)) {
      const handle = handlers[id];
      if (handle === undefined) throw new Error(`operation ${id} of ${area} has no handler`);
      routes.push({ id, area, areaSummary, family, operation, handle });
    }
  }
  return routes;
};

const kindsOf = async (
  container: Container,
  some: readonly Area[],
): Promise<ReadonlyMap<string, ResolvedKind>> => {
  const kinds = new Map<string, ResolvedKind>();
  for (const { kind, parents, needs, rules } of gatherKinds(some))
    kinds.set(kind.name, {
      parents,
      rules: rules((await resolveNeeds(container, needs)) as never),
    }); // the kind's own needs, which type its rules
  return kinds;
};

/** What a plugin is handed for a port: its own tables, or what everybody gets. */
const meetFor =
  (container: Container, opened: OpenedStorage, { plugin }: ImportedPlugin) =>
  (port: Port<unknown>): Promise<unknown> =>
    port === (PluginTables as Port<unknown>)
      ? Promise.resolve(pluginTables(opened.storage.connection, plugin.name, plugin.tables ?? []))
      : container.isBound(port) || storesNamedBy(port) !== undefined
        ? resolvePort(container, port)
        : Promise.reject(
            new Failure('invalid', `it needs ${String(port.description)}, which this server lacks`),
          );

/** Plugins whose toggle, as the settings have it, is on. */
const switchedOn = (
  { toggles }: Loaded,
  imported: readonly ImportedPlugin[],
): readonly ImportedPlugin[] =>
  imported.filter(
    ({ plugin: { toggle } }) =>
      toggle === undefined || (toggles.get(toggle.name)?.enabled ?? toggle.default),
  );

/** Makes the tables of a plugin that is new here; older ones are brought up to date where that is this start's to do, as for the product's own. */
const requirePluginSchema = async (
  { storage, migratesItself }: OpenedStorage,
  { plugin }: ImportedPlugin,
  values: SettingValues,
): Promise<void> => {
  const changes = pluginChanges(plugin.name, plugin.tables ?? []);
  const status = await storage.migrations.status(plugin.name, changes);
  const changed = status.find((one) => one.changed === true);
  if (changed !== undefined)
    throw new Failure(
      'conflict',
      `change ${changed.number} of its tables (${changed.name}) is not the one that was made here: a list of changes only grows`,
    );
  const newer = status.find(({ known }) => !known);
  if (newer !== undefined)
    throw new Failure(
      'conflict',
      `its tables were changed by a newer version of it, or its list of changes was shortened (${newer.name})`,
    );
  const waiting = status.filter(({ at }) => at === undefined).length;
  if (waiting === 0) return;
  if (waiting < status.length && !migratesItself && values.ORRERY_MIGRATE !== 'auto')
    throw new Failure(
      'conflict',
      `the tables of plugin ${plugin.name} are ${waiting} changes behind; run "orrery migrate up", or set ORRERY_MIGRATE=auto`,
    );
  await storage.migrations.up(plugin.name, changes);
};

/** Toggles that are set and that nothing has: one of the file is a fault, as a setting is, one of the environment a warning. */
export const checkToggles = (
  { toggles }: Loaded,
  imported: readonly ImportedPlugin[],
  ofAreas: readonly string[] = [],
): { readonly faults: readonly string[]; readonly warnings: readonly string[] } => {
  const brought = [...imported.flatMap(({ plugin }) => plugin.toggle?.name ?? []), ...ofAreas];
  const from = (source: string) =>
    unknownToggles(
      [...toggles].filter(([, toggle]) => toggle.source === source).map(([name]) => name),
      brought,
    );
  return { faults: from('file'), warnings: from('environment') };
};

/** Rejects with `invalid` and every name in the file that is no setting or toggle, of the product nor of a plugin; those in the environment are logged. */
const requireKnownNames = (
  loaded: Loaded,
  imported: readonly ImportedPlugin[],
  log: Log,
  joined: readonly Joined[],
): void => {
  const areas = joined.flatMap(({ contribution }) => contribution.areas ?? []);
  const found = [
    checkToggles(loaded, imported, Object.keys(areaToggles(areas))),
    unknownSettings(loaded, Object.keys(areaSettingRows(areas))),
  ];
  for (const { warnings } of found) for (const sentence of warnings) log.warn(sentence);
  const faults = found.flatMap((one) => one.faults);
  if (faults.length > 0) throw new Failure('invalid', faults.join('; '));
};

/** What plugins join: the container that meets their needs, and what there is already. */
interface Joining {
  readonly container: Container;
  readonly opened: OpenedStorage;
  readonly toggles: LiveToggles;
  readonly loaded: Loaded;
  readonly stops: Stop[];
}

/** Lets a plugin contribute to what there is. Rejects with a sentence that names it when it cannot. */
const joinOne = async (
  plugin: ImportedPlugin,
  joined: readonly Joined[],
  { container, opened, toggles, loaded, stops }: Joining,
): Promise<Joined> => {
  await requirePluginSchema(opened, plugin, loaded.values);
  const contribution = await contribute(plugin, meetFor(container, opened, plugin));
  if (typeof contribution?.stop === 'function')
    stops.push(async () => {
      await contribution.stop?.();
    });
  const before = joined.map((one) => one.contribution);
  const fault = contributionFault(contribution, {
    trusted: plugin.listed.trusted,
    areas: [
      ...[...areas, versionArea, serviceArea, swaggerArea],
      ...before.flatMap((one) => one.areas ?? []),
    ],
    toggles: toggles.list().map(({ name }) => name),
    settings: [
      ...Object.keys(allSettingRows),
      ...joined.flatMap((one) => one.settings.map(({ name }) => name)),
    ],
    forms: before.flatMap((one) => (one.webhookForms ?? []).map(({ name }) => name)),
  });
  if (fault !== undefined) throw new Failure('invalid', fault);
  const brought = contribution.areas ?? [];
  for (const area of brought) for (const schema of schemasOf(area.table)) compiles(schema);
  toggles.bring(areaToggles(brought));
  const settings = loaded.more(areaSettingRows(brought));
  for (const area of brought) provideSettings(container, area, settings);
  return { plugin, contribution, settings, routes: await routesOf(container, brought) };
};

const joinPlugins = async (
  imported: readonly ImportedPlugin[],
  joining: Joining,
  log: Log,
): Promise<readonly Joined[]> => {
  const joined: Joined[] = [];
  for (const plugin of imported)
    await unlessOptional(plugin.listed, log, async () => {
      joined.push(await joinOne(plugin, joined, joining));
    });
  return joined;
};

const dispatchEveryMs = 500;
const settleMs = 200;

/** The job that delivers events to the product's own receivers and to plugins. */
const dispatchJob = (
  opened: OpenedStorage,
  joined: readonly Joined[],
  parts: SystemParts,
  own: readonly Receiver[],
  giveWay: () => Promise<void>,
): Job => {
  const plugins: readonly Receiver[] = joined
    .filter(({ contribution }) => contribution.on !== undefined)
    .map(({ plugin, contribution }) => ({
      name: `plugin:${plugin.plugin.name}`,
      on: (contribution.on ?? {}) as unknown as EventHandlers, // an event of a name is told with the detail of that name
    }));
  const receivers = [...own, ...plugins];
  const holder = parts.ids.next();
  return {
    name: 'dispatch-events',
    everyMs: dispatchEveryMs,
    async run(signal) {
      while (
        (await dispatchDue(
          {
            events: opened.storage.stores.events,
            receivers,
            clock: parts.clock,
            log: parts.log,
            holder,
            giveWay,
          },
          signal,
        )) > 0 &&
        !signal.aborted
      );
    },
  };
};

const figuresMs = 30_000;

/** Figures that are the same for every process: what is stored, what waits, and the room that is left. */
const meterInstallation = (
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

const meterProcess = (opened: OpenedStorage, { meters }: SystemParts): void => {
  meters.told('orrery_build_info', 'What is running', { version, node: process.version });
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

/** Puts everything together; nothing listens yet. */
export const compose = async ({
  loaded,
  baseUrl,
  owns,
  storage,
  begun,
  log,
}: ComposeOptions): Promise<Composed> => {
  const { values } = loaded;
  const parts = systemParts(values, log);
  const imported = await importPlugins(loaded, parts.log);
  if (
    storage === undefined &&
    (values.ORRERY_STORAGE === 'embedded' || values.ORRERY_BLOB === 'filesystem')
  )
    await probeFolder(values);
  const drivers = driversOf({ values, imported: switchedOn(loaded, imported), parts, begun });
  const opened =
    storage ??
    (await drivers.openStorage(owns).catch((thrown: unknown) => {
      throw explainFolder(values, thrown);
    }));
  const stops: Stop[] = [];
  try {
    await requireStorage(opened, values);
    await requireSchema(opened, values);
    return await assemble({ loaded, baseUrl, parts, opened, imported, drivers, stops });
  } catch (thrown) {
    await stopAll(stops, parts.log);
    await opened.storage.close();
    await opened.stop();
    throw explainFolder(values, thrown);
  }
};

type Stop = () => Promise<void>;

/** Stops what was begun, the last one first; one that fails keeps no other from it. */
const stopAll = async (stops: readonly Stop[], log: Log): Promise<void> => {
  for (const stop of [...stops].reverse())
    await stop().catch((error: unknown) => {
      log.error('a part of the server did not stop in order', { error });
    });
};

interface Assembly {
  readonly loaded: Loaded;
  readonly baseUrl: string;
  readonly parts: SystemParts;
  readonly opened: OpenedStorage;
  readonly imported: readonly ImportedPlugin[];
  readonly drivers: Drivers;
  /** Takes in how each thing is stopped that was begun. */
  readonly stops: Stop[];
}

/** Together they say how late a change is heard: a second at most, behind another process too. */
const [noteEveryMs, lookEveryMs] = [200, 400];

const createLive = async (
  container: Container,
  storage: Storage,
  { clock, meters }: SystemParts,
): Promise<ReturnType<typeof createHub>> => {
  const { settings } = await resolveNeeds(container, { settings: liveSettings.port });
  const hub = createHub({
    changes: storage.stores.changes,
    now: () => storage.now(),
    clock,
    settings,
  });
  meters.gauge('orrery_listeners', 'Clients that listen for changes', () => hub.count());
  return hub;
};

const assemble = async ({
  loaded,
  baseUrl,
  parts,
  opened,
  imported,
  drivers,
  stops,
}: Assembly): Promise<Composed> => {
  const { values } = loaded;
  const keep = <T>({ made, stop }: Opened<T>): T => {
    stops.push(stop);
    return made;
  };
  const blobs = keep(await drivers.openBlobs());
  const { blob } = blobs;
  const settings: Settings = {
    baseUrl,
    version,
    ORRERY_METRICS_TOKEN: values.ORRERY_METRICS_TOKEN,
    ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM: values.ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM,
    HTTPS_ENABLED: values.HTTPS_ENABLED,
    JWT_SAME_SITE: values.JWT_SAME_SITE,
  };
  let rows: readonly CatalogueRow[] = [];
  let routes: readonly Route[] = [];

  const processes = countProcesses(opened.storage.stores.leases, parts.ids);
  const container = new Container();
  provide(container, Clock, {}, () => parts.clock);
  provide(container, Ids, {}, () => parts.ids);
  provide(container, Log, {}, () => parts.log);
  provide(container, Meters, {}, () => parts.meters);
  provide(container, Secrets, {}, () => systemSecrets);
  provide(container, Zip, {}, () => systemZip);
  provide(container, Parquet, {}, () => systemParquet);
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
  provide(container, Blob, {}, () => blob);
  provide(container, BlobStore, {}, () => blobs);
  provide(container, Settings, {}, () => settings);
  const toggles = liveToggles(loaded, imported, opened.storage.stores.toggles);
  await toggles.refresh();
  provide(container, Toggles, {}, () => toggles);
  const outgoing = createOutgoing(judgeTargets(values.ORRERY_ALLOW_PRIVATE_TARGETS));
  const notifiers = keep(await drivers.openNotifiers({ baseUrl, version }));
  const sealer = gcmSealer(() =>
    values.ORRERY_SEAL_KEY === ''
      ? secretInFile(join(resolve(values.ORRERY_DATA), 'seal-key'))
      : values.ORRERY_SEAL_KEY,
  );
  let forms: ReadonlyMap<string, WebhookForm> = new Map();
  provide(container, Outgoing, {}, () => outgoing);
  provide(container, Notifiers, {}, () => notifiers);
  provide(container, Sealer, {}, () => sealer);
  provide(container, WebhookForms, {}, () => ({ find: (name) => forms.get(name) }));
  for (const area of areas) provideSettings(container, area, loaded.all);
  let ofPlugins: readonly Joined[] = [];
  provide(container, ShownSettings, {}, () => ({
    list: () =>
      [...loaded.all, ...ofPlugins.flatMap((one) => one.settings)].map((one) => ({
        name: one.name,
        value: shown(one),
        default: one.row.default,
        source: one.source,
        effect: one.row.says,
      })),
  }));
  const hub = await createLive(container, storage, parts);
  provide(container, Live, {}, () => hub);
  const schema = watchSchema(opened.storage.migrations);
  provide(container, Readiness, {}, () => readinessOf(opened, schema));
  provide(container, Installation, {}, () => installationOf(loaded, opened, blobs, drivers));
  provide(container, Catalogue, {}, () => ({ rows: () => rows }));
  provide(container, Throttle, { clock: Clock }, ({ clock }) =>
    bucketThrottle(ratesOf(values), clock, () => processes.count()),
  );
  const auth = openAuth(storage, values, baseUrl);
  const ways = keep(await drivers.openWays({ checkPassword: auth.checkPassword, baseUrl }));
  provide(container, Auth, {}, () => auth);
  provide(container, SignInWays, {}, () => ways);
  provide(container, Audit, { storage: Storage, clock: Clock, ids: Ids }, createAudit);
  let kinds: ReadonlyMap<string, ResolvedKind> = new Map();
  provide(container, Gate, {}, () => createGate(() => kinds));
  provide(container, Operations, { gate: Gate, audit: Audit }, ({ gate, audit }) =>
    inProcess(() => routes, gate, audit),
  );

  const on = imported.filter(({ plugin: { name, toggle } }) => {
    const takesPart = toggle === undefined || toggles.isOn(toggle.name);
    if (!takesPart)
      parts.log.info('a plugin is switched off by its toggle', {
        plugin: name,
        toggle: toggle.name,
      });
    return takesPart;
  });
  const joined = await joinPlugins(
    on,
    {
      container,
      opened,
      toggles,
      loaded,
      stops,
    },
    parts.log,
  );
  ofPlugins = joined;
  requireKnownNames(loaded, imported, parts.log, joined);
  forms = new Map(
    joined.flatMap(({ contribution }) =>
      (contribution.webhookForms ?? []).map((form) => [form.name, form] as const),
    ),
  );
  const holder = parts.ids.next();
  const traffic = watchTraffic();
  const givingWay = giveWay(traffic);
  const telling: DeliveringNeeds = {
    storage,
    baseUrl,
    ...parts,
    sealer,
    notifiers,
    toggles,
    forms: { find: (name) => forms.get(name) },
    users: storage.stores.users,
    holder,
    giveWay: givingWay,
    recordAttempts: recordTogether(
      (attempts, given) => storage.stores.deliveries.recordAttempts(holder, attempts, given),
      async () => {
        await wait(settleMs);
        await givingWay();
      },
    ),
  };
  const ownAreas = [
    ...areas.filter(
      (one) => one !== weblinksArea && (values.ORRERY_OAUTH === 'on' || !oauthAreas.includes(one)),
    ),
    versionArea,
    serviceArea,
    ...(values.SWAGGER_ENABLED ? [swaggerArea] : []),
  ];
  // Links come after everything, plugins too: their paths are the widest.
  const lastAreas = [
    ...(joined.some(({ plugin }) => plugin.plugin.name === 'anonymous-mode')
      ? []
      : [anonymousOffArea]),
    weblinksArea,
  ];
  kinds = await kindsOf(container, [
    ...ownAreas,
    ...joined.flatMap(({ contribution }) => contribution.areas ?? []),
    ...lastAreas,
  ]);
  routes = [
    ...(await routesOf(container, ownAreas)),
    ...joined.flatMap((one) => one.routes),
    ...(await routesOf(container, lastAreas)),
  ];
  rows = routes.map(({ handle: _, ...row }) => row);
  meterInstallation(opened, parts, values);
  meterProcess(opened, parts);

  const met = await resolveNeeds(container, {
    auth: Auth,
    audit: Audit,
    gate: Gate,
    readiness: Readiness,
    operations: Operations,
    runSettings: runSettings.port,
    experimentSettings: experimentSettings.port,
    oauthSettings: oauthSettings.port,
    auditSettings: auditSettings.port,
    registrySettings: registrySettings.port,
  });
  const mebibyte = 1024 * 1024;
  const app = createApplication(routes, {
    ...parts,
    ...met,
    cookies: cookieJar(cookiePolicy({ ...values, baseUrl })),
    judgeSession: judgeSessions({ ways, sealer, storage }),
    same: systemSecrets.same,
    proxies: trustedProxies(values.ORRERY_TRUSTED_PROXIES),
    isSecure: baseUrl.startsWith('https:'),
    toggles,
    traffic,
    checkClient: (headers) => {
      checkClient(headers, met.runSettings);
    },
    checkReplies: values.ORRERY_CHECK_REPLIES,
    corsOrigins: values.ORRERY_CORS_ORIGINS.split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
    budget: createBudget(
      values.ORRERY_BODY_MEMORY_MB === 0
        ? getHeapStatistics().heap_size_limit / 2
        : values.ORRERY_BODY_MEMORY_MB * mebibyte,
    ),
    bounds: {
      packedBytes: values.ORRERY_JSON_LIMIT_MB * mebibyte,
      inflatedBytes: values.ORRERY_JSON_INFLATED_LIMIT_MB * mebibyte,
      depth: 64,
    },
  });
  const pluginJobs = joined.flatMap(({ plugin, contribution }) =>
    (contribution.jobs ?? []).map((job) => ({ ...job, name: `${plugin.plugin.name}:${job.name}` })),
  );
  return {
    app,
    opened,
    storage,
    auth: met.auth,
    log: parts.log,
    settings,
    readiness: met.readiness,
    rows,
    operations: met.operations,
    ids: parts.ids,
    jobs: [
      ...opened.storage.jobs,
      ...upkeepJobs(storage.stores, parts, blobs, {
        ...met.oauthSettings,
        ...met.auditSettings,
        ...met.registrySettings,
      }),
      dispatchJob(
        opened,
        joined,
        parts,
        [
          {
            name: 'webhooks',
            on: { '*': (event) => fanOut(telling)([event]) },
            together: fanOut(telling),
          },
        ],
        telling.giveWay,
      ),
      ...runActionJobs({
        ...parts,
        ...met,
        storage,
        toggles,
        settings: met.experimentSettings,
      }),
      ...deliveryJobs(telling),
      ...pluginJobs,
    ],
    beats: [
      { everyMs: 5000, beat: () => processes.beat() },
      { everyMs: 2000, beat: () => toggles.refresh() },
      { everyMs: noteEveryMs, beat: () => notes.flush() },
      { everyMs: lookEveryMs, beat: () => hub.look() },
      {
        everyMs: 2000,
        async beat() {
          await schema.look();
        },
      },
    ],
    endListening: () => {
      hub.end();
    },
    leaveProcesses: () => processes.leave(),
    stop: () => stopAll(stops, parts.log),
  };
};
