// Opens what the settings name, for the server and for commands: the storage, drivers, accounts.
import { localAuth } from '#adapters/auth/local/local-auth';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { systemSecrets } from '#adapters/system/secrets';
import { checkWorkspaceName } from '#core/workspaces/rules';
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import type { Storage } from '#ports/storage/storage';
import {
  driversOf,
  ownDriverNames,
  type Drivers,
  type OpenedStorage,
  type SystemParts,
} from './drivers.js';
import type { Begun } from './own-drivers.js';
import { type Loaded } from './load.js';
import { importPlugins, type ImportedPlugin } from './plugins.js';
import type { SettingValues } from './settings.js';
import { passwordCheck, sessionLife } from './sign-in.js';

export const systemParts = (
  values: SettingValues,
  log = systemLog(values.ORRERY_LOG_LEVEL),
  clock: Clock = systemClock,
): SystemParts => ({
  clock,
  ids: systemIds,
  log,
  meters: promMeters(),
});

/** Plugins whose toggle, as the settings have it, is on. */
export const switchedOn = (
  { toggles }: Loaded,
  imported: readonly ImportedPlugin[],
): readonly ImportedPlugin[] =>
  imported.filter(
    ({ plugin: { toggle } }) =>
      toggle === undefined || (toggles.get(toggle.name)?.enabled ?? toggle.default),
  );

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

/** A key's ending that tells clients where the server is: a star and base64 without padding; nothing while that is not known. */
export const keySuffixFor = (smart: boolean, baseUrl: string | undefined): string =>
  smart && baseUrl !== undefined
    ? `*${Buffer.from(JSON.stringify({ baseUrl })).toString('base64').replaceAll('=', '')}`
    : '';

export const openAuth = (
  storage: Storage,
  values: SettingValues,
  baseUrl: string | undefined,
  clock: Clock = systemClock,
): Auth =>
  localAuth({
    storage,
    clock,
    ids: systemIds,
    secrets: systemSecrets,
    nameMinLength: values.USER_NAME_MIN_LENGTH,
    checkNewPassword: passwordCheck(values),
    checkWorkspaceName,
    sessionLife: sessionLife(values),
    keySuffix: keySuffixFor(values.SMART_API_KEY_ENABLED, baseUrl),
    everybodyIs: values.ORRERY_AUTHENTICATION === 'off' ? values.ORRERY_ADMIN_USER : undefined,
    takesTokens: values.ORRERY_OAUTH === 'on',
  });
