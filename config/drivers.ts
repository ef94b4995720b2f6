// Drivers by the names that settings choose them by: those of the product and those of plugins, opened through one door and checked there.
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { createOutgoing } from '#adapters/system/outgoing';
import { systemSecrets } from '#adapters/system/secrets';
import { judgeTargets } from '#adapters/system/targets';
import type { Auth } from '#ports/auth';
import type { Blob } from '#ports/blob';
import { asBlobStore, type BlobStore } from '#ports/blob-store';
import {
  driverMethods,
  type AuthDriverNeeds,
  type Driver,
  type DriverNeeds,
  type DriverPort,
  type NotifierDriverNeeds,
  type Opened,
  type SqlEngine,
} from '#ports/drivers';
import { Failure } from '#ports/failure';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Log } from '#ports/log';
import type { Meters } from '#ports/meters';
import type { Notifier, Notifiers } from '#ports/notify';
import type { SignInWay, SignInWays } from '#ports/sign-in';
import { isObject, missingMethod } from './methods.js';
import { ownDrivers, type Begun } from './own-drivers.js';
import { cannotLoad, endsInTime, reasonOf, type ImportedPlugin } from './plugins.js';
import type { SettingValues } from './settings.js';
import { wayNames } from './single-sign-on.js';
import { wayFault } from './way-fault.js';

/** What the process itself has, and hands to whatever is opened. */
export interface SystemParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly meters: Meters;
}

export interface OpenedStorage {
  readonly storage: SqlStorage;
  /** Whether its schema is brought up to date by whoever opens it. */
  readonly migratesItself: boolean;
  /** A word for readiness: `running`, or what is wrong. */
  state(): string;
  /** Ends what runs beneath the connections, after they were closed. */
  stop(): Promise<void>;
}

type AuthParts = Pick<AuthDriverNeeds, 'baseUrl'> & Pick<Auth, 'checkPassword'>;
type NotifierParts = Pick<NotifierDriverNeeds, 'baseUrl' | 'version'>;

/** Opens what the settings name. Each rejects with a sentence when it cannot be used, which names the plugin where one brought the driver. */
export interface Drivers {
  openStorage(owns: boolean): Promise<OpenedStorage>;
  openBlobs(): Promise<Opened<BlobStore>>;
  /** Rejects with `invalid` where a way of signing in is named that nobody brings. */
  requireWays(): void;
  /** The ways of signing in that are switched on. */
  openWays(parts: AuthParts): Promise<Opened<SignInWays>>;
  /** Every notifier that the settings give something to work with. */
  openNotifiers(parts: NotifierParts): Promise<Opened<Notifiers>>;
}

type DriverNeedsOf = Omit<DriverNeeds, 'settings'>;

/** A driver with the settings of whoever brings it. */
interface Offered {
  readonly driver: Driver;
  readonly settings: unknown;
  /** The plugin that brings it; `undefined` for the product's own. */
  readonly plugin: ImportedPlugin['listed'] | undefined;
}

const offeredBy = (imported: readonly ImportedPlugin[], begun: Begun, values: SettingValues) => [
  ...ownDrivers(begun).map((driver): Offered => ({
    driver: driver as Driver, // its settings are the installation's, which it is given below
    settings: values,
    plugin: undefined,
  })),
  ...imported.flatMap(({ plugin, listed, settings }) =>
    (plugin.drivers ?? []).map((driver): Offered => ({ driver, settings, plugin: listed })),
  ),
];

/** The names of the product's own drivers of a port. */
export const ownDriverNames = (port: DriverPort): readonly string[] =>
  ownDrivers()
    .filter((driver) => driver.port === port)
    .map(({ name }) => name);

const chosenBy = { storage: 'ORRERY_STORAGE', blob: 'ORRERY_BLOB', auth: 'ORRERY_AUTH' } as const;

/** Why what a driver made is not what its port asks for; `undefined` when it is. */
const faultOf = (driver: Driver, made: unknown): string | undefined => {
  const lacks = (value: unknown, methods: object, of = '') => {
    const name = missingMethod(value, methods);
    return name === undefined ? undefined : `${of}${name}`;
  };
  const whole = isObject(made) ? made : {};
  let lacking: string | undefined;
  if (driver.port === 'storage')
    lacking =
      lacks(whole, driverMethods.engine) ??
      lacks(whole['dialect'], driverMethods.dialect, 'dialect.');
  else if (driver.port === 'blob')
    lacking =
      'blob' in whole
        ? (lacks(whole['blob'], driverMethods.blob, 'blob.') ??
          (whole['links'] === undefined
            ? undefined
            : lacks(whole['links'], driverMethods.links, 'links.')) ??
          (whole['multipart'] === undefined
            ? undefined
            : lacks(whole['multipart'], driverMethods.multipart, 'multipart.')))
        : lacks(whole, driverMethods.blob);
  else if (driver.port === 'auth') return wayFault(whole, driver.name);
  else lacking = lacks(whole, driverMethods[driver.port]);
  if (lacking !== undefined) return `opens something without the method ${lacking}`;
  return driver.port === 'notifications' && whole['kind'] !== driver.name
    ? `opens a notifier of the kind ${String(whole['kind']).slice(0, 60)}`
    : undefined;
};

/** Opens a driver and checks what it gives. Rejects with a sentence that names the plugin, the port and what is missing. */
const openOne = async <T>(
  { driver, plugin, settings }: Offered,
  needs: object,
): Promise<Opened<T> | undefined> => {
  const open = driver.open as (needs: object) => Promise<unknown>; // `needs` was made for drivers of this port
  const words = `its ${driver.port} driver ${driver.name}`;
  const opening = async () => open.call(driver, { ...needs, settings });
  if (plugin === undefined) return (await opening()) as Opened<T> | undefined; // our own is held to its type
  const opened = await endsInTime(opening(), `${words} does not open within 30 s`).catch(
    (thrown: unknown) => {
      throw cannotLoad(plugin.name, `${words} does not open: ${reasonOf(thrown)}`, thrown);
    },
  );
  if (opened === undefined && driver.port === 'notifications') return undefined;
  if (!isObject(opened) || !isObject(opened['made']))
    throw cannotLoad(plugin.name, `${words} opens nothing: it must give { made, stop }`);
  const fault =
    faultOf(driver, opened['made']) ??
    (missingMethod(opened, { stop: true }) === undefined
      ? undefined
      : 'gives no method stop beside what it made');
  if (fault !== undefined) throw cannotLoad(plugin.name, `${words} ${fault}`);
  return opened as unknown as Opened<T>; // its methods were just checked
};

/** The driver that a setting names, or a sentence that tells the names there are. */
const choose = (
  offered: readonly Offered[],
  port: keyof typeof chosenBy,
  name: string,
): Offered => {
  const candidates = offered.filter(({ driver }) => driver.port === port);
  const found = candidates.find(({ driver }) => driver.name === name);
  if (found === undefined)
    throw new Failure(
      'invalid',
      `${chosenBy[port]} is ${name}, which is none of ${candidates.map(({ driver }) => driver.name).join(', ')}`,
    );
  return found;
};

const mustOpen = async <T>(offered: Offered, needs: object): Promise<Opened<T>> => {
  const opened = await openOne<T>(offered, needs);
  if (opened === undefined) throw new Error(`driver ${offered.driver.name} opened nothing`); // only notifiers may
  return opened;
};

/** Every way of signing in that the settings name, in their order. */
const openWays = async (
  offered: readonly Offered[],
  values: SettingValues,
  needs: DriverNeedsOf & AuthParts,
): Promise<Opened<SignInWays>> => {
  const { checkPassword, ...shared } = needs;
  const opened: Opened<SignInWay>[] = [];
  for (const name of wayNames(values)) {
    const driver = choose(offered, 'auth', name);
    const returnUrl = `${needs.baseUrl}/login/${name}/return`;
    opened.push(
      await mustOpen<SignInWay>(driver, {
        ...shared,
        returnUrl,
        ...(driver.plugin === undefined ? { checkPassword } : {}),
      }),
    );
  }
  return {
    made: { all: opened.map(({ made }) => made) },
    async stop() {
      for (const { stop } of opened) await stop();
    },
  };
};

/** Notifiers by their kind; one that an optional plugin cannot open is left out with a warning. */
const openNotifiers = async (
  offered: readonly Offered[],
  needs: object,
  log: Log,
): Promise<Opened<Notifiers>> => {
  const opened = await Promise.all(
    offered
      .filter(({ driver }) => driver.port === 'notifications')
      .map(async (one) => {
        const notifier = await openOne<Notifier>(one, needs).catch((thrown: unknown) => {
          if (one.plugin?.optional !== true) throw thrown;
          log.warn('a driver of an optional plugin was left out', {
            plugin: one.plugin.name,
            reason: reasonOf(thrown),
          });
          return undefined;
        });
        return notifier === undefined ? [] : [notifier];
      }),
  );
  const all = opened.flat();
  const byKind = new Map(all.map(({ made }) => [made.kind, made]));
  return {
    made: { find: (kind) => byKind.get(kind), kinds: () => [...byKind.keys()].sort() },
    async stop() {
      for (const one of all) await one.stop();
    },
  };
};

export interface DriverOptions {
  readonly values: SettingValues;
  /** Plugins whose drivers may be chosen. */
  readonly imported: readonly ImportedPlugin[];
  readonly parts: SystemParts;
  /** The embedded database where its start was begun before. */
  readonly begun?: Begun;
}

/** Every driver that these settings may name. */
export const driversOf = ({ values, imported, parts, begun }: DriverOptions): Drivers => {
  const offered = offeredBy(imported, begun, values);
  const needs: DriverNeedsOf = {
    installation: { ...values },
    clock: parts.clock,
    ids: parts.ids,
    log: parts.log,
    secrets: systemSecrets,
    outgoing: createOutgoing(judgeTargets(values.ORRERY_ALLOW_PRIVATE_TARGETS)),
  };
  return {
    async openStorage(owns) {
      const [{ made: engine, stop }, { storageOver }] = await Promise.all([
        mustOpen<SqlEngine>(choose(offered, 'storage', values.ORRERY_STORAGE), { ...needs, owns }),
        import('#adapters/storage/sql/storage'),
      ]);
      return {
        storage: storageOver(engine, values.ORRERY_POOL_SIZE, parts),
        migratesItself: engine.migratesItself,
        state: () => engine.state(),
        stop,
      };
    },
    async openBlobs() {
      const { made, stop } = await mustOpen<Blob | BlobStore>(
        choose(offered, 'blob', values.ORRERY_BLOB),
        needs,
      );
      return { made: asBlobStore(made), stop };
    },
    requireWays() {
      for (const name of wayNames(values)) choose(offered, 'auth', name);
    },
    openWays: (more) => openWays(offered, values, { ...needs, ...more }),
    openNotifiers: (more) => openNotifiers(offered, { ...needs, ...more }, parts.log),
  };
};
