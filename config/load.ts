// Settings and toggles in force: defaults ← the file named by ORRERY_CONFIG ← the environment. Every fault is told at once.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { areas } from '#core/areas';
import type { SettingKind, SettingRow, SettingRows, SettingValue } from '#ports/area-settings';
import { Failure } from '#ports/failure';
import { nearest } from './nearest.js';
import { addressFaults } from './addresses.js';
import { areaSettingRows } from './area-rows.js';
import { settingRows, type SettingName, type SettingValues } from './settings.js';
import { signInFaults } from './sign-in.js';
import { wayFaults } from './single-sign-on.js';
import { toggleRows, toggleVariable } from './toggles.js';

export type Source = 'default' | 'file' | 'environment';

/** A plugin as the configuration lists it. */
export interface ListedPlugin {
  readonly name: string;
  readonly settings: unknown;
  readonly optional: boolean;
  readonly trusted: boolean;
}

/** A setting in force, of the installation or of an area. */
export interface LoadedSetting {
  readonly name: string;
  readonly row: SettingRow;
  readonly value: SettingValue;
  readonly source: Source;
}

export interface Loaded {
  /** The installation's. */
  readonly values: SettingValues;
  /** Those of the installation and of the product's areas. */
  readonly all: readonly LoadedSetting[];
  /** What is in force of settings that a plugin's area brings, which are known when it has joined. Rejects with `invalid` and every fault. */
  readonly more: (rows: SettingRows) => readonly LoadedSetting[];
  readonly sources: Readonly<Record<SettingName, Source>>;
  readonly toggles: ReadonlyMap<
    string,
    { readonly enabled: boolean; readonly source: Source; readonly fixed: boolean }
  >;
  readonly plugins: readonly ListedPlugin[];
  /** Folder from which plugins are resolved. */
  readonly pluginFolder: string;
  /** The file that ORRERY_CONFIG names; empty for none. */
  readonly sourceFile: string;
  /** Sentences for the log. */
  readonly warnings: readonly string[];
  /** Names that are no setting of the product; an area of a plugin may bring them. */
  readonly unknown: {
    readonly inFile: readonly string[];
    readonly inEnvironment: readonly string[];
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

const readFlag = (given: unknown): boolean | undefined => {
  if (typeof given === 'boolean') return given;
  const word = String(given).toLowerCase();
  return ['true', '1', 'on', 'yes'].includes(word)
    ? true
    : ['false', '0', 'off', 'no'].includes(word)
      ? false
      : undefined;
};

/** Words between slashes that look the same wherever they are written. */
const plainPath = /^(?:\/[\w.~-]+)*\/?$/;

const readUrl = (given: string, withPath: boolean): string | undefined => {
  if (given === '') return '';
  if (!URL.canParse(given)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(given);
  const isPlain = [search, hash, username, password].every((part) => part === '');
  const fits = withPath ? plainPath.test(pathname) : pathname === '/';
  return /^https?:$/.test(protocol) && isPlain && fits
    ? `${origin}${pathname.replace(/\/$/, '')}`
    : undefined;
};

/** The value in its own type, or the rule that it breaks. */
const read = (
  kind: SettingKind,
  given: unknown,
): { readonly value: string | number | boolean } | { readonly rule: string } => {
  if (kind.is === 'flag') {
    const value = readFlag(given);
    return value === undefined ? { rule: 'must be true or false' } : { value };
  }
  if (kind.is === 'whole') {
    const value = Number(given);
    return String(given).trim() !== '' &&
      Number.isSafeInteger(value) &&
      value >= kind.min &&
      value <= kind.max
      ? { value }
      : { rule: `must be a whole number from ${kind.min} to ${kind.max}` };
  }
  if (kind.is === 'word' && kind.words.includes('true') && given !== '') {
    const value = readFlag(given);
    return value === undefined
      ? { rule: 'must be true or false, or empty' }
      : { value: String(value) };
  }
  if (typeof given !== 'string') return { rule: 'must be a text' };
  if (kind.is === 'word')
    return kind.words.includes(given)
      ? { value: given }
      : {
          rule: `must be one of ${kind.words.map((one) => (one === '' ? 'empty' : one)).join(', ')}`,
        };
  if (kind.is === 'url') {
    const withPath = kind.path === true;
    const value = readUrl(given, withPath);
    return value === undefined
      ? {
          rule: `must be http:// or https:// with a host and ${withPath ? 'at most a path of plain words' : 'no path'}`,
        }
      : { value };
  }
  return { value: given };
};

const readFile = (path: string): Readonly<Record<string, unknown>> => {
  if (path === '') return {};
  if (!existsSync(path))
    throw new Failure('invalid', `ORRERY_CONFIG names ${path}, which does not exist`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure('invalid', `ORRERY_CONFIG names ${path}, which cannot be read`, { cause });
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>; // an object, as was just checked
  } catch (cause) {
    throw new Failure('invalid', `ORRERY_CONFIG names ${path}, which is not JSON`, { cause });
  }
  throw new Failure('invalid', `ORRERY_CONFIG names ${path}, which does not hold an object`);
};

/** What container platforms and tests put into the environment, and no setting is. */
const isForeign = (name: string, value: string): boolean =>
  /^ORRERY_(TEST_|SERVICE_|PORT_)/.test(name) ||
  (name === 'ORRERY_PORT' && value.startsWith('tcp://'));

const pluginMembers = ['name', 'settings', 'optional', 'trusted'];

const readPlugins = (listed: unknown, faults: string[]): ListedPlugin[] => {
  if (listed === undefined) return [];
  if (!Array.isArray(listed)) {
    faults.push('plugins must be a list');
    return [];
  }
  return listed.flatMap((entry: unknown): ListedPlugin[] => {
    const one =
      typeof entry === 'string'
        ? { name: entry }
        : ((entry ?? {}) as {
            name?: unknown;
            settings?: unknown;
            optional?: unknown;
            trusted?: unknown;
          }); // members are checked below
    if (typeof one.name !== 'string' || one.name === '') {
      faults.push('every entry of plugins must have a name');
      return [];
    }
    const { settings, optional, trusted } = one as {
      settings?: unknown;
      optional?: unknown;
      trusted?: unknown;
    }; // any of them may be absent
    const stray = Object.keys(one).find((member) => !pluginMembers.includes(member));
    if (stray !== undefined)
      faults.push(
        `plugin ${one.name} has the member ${stray.slice(0, 60)}; did you mean ${nearest(stray, pluginMembers)}?`,
      );
    for (const [member, value] of Object.entries({ optional, trusted }))
      if (value !== undefined && typeof value !== 'boolean')
        faults.push(`${member} of plugin ${one.name} must be true or false`);
    return [
      {
        name: one.name,
        settings: settings ?? {},
        optional: optional === true,
        trusted: trusted === true,
      },
    ];
  });
};

/** What a bucket cannot do without. */
const bucketSettings: Readonly<Record<string, readonly SettingName[]>> = {
  s3: ['ORRERY_S3_BUCKET', 'ORRERY_S3_ACCESS_KEY', 'ORRERY_S3_SECRET_KEY'],
  gcs: ['ORRERY_GCS_BUCKET'],
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether programs may be given tokens under these settings: over plain http only on this machine, where nobody else listens. */
const oauthOf = (
  values: Readonly<Record<string, string | number | boolean>>,
  wished: boolean,
): { readonly fault?: string; readonly warning?: string } => {
  const resource = String(values['ORRERY_OAUTH_RESOURCE'] ?? '');
  if (resource !== '' && (!URL.canParse(resource) || resource.includes('#')))
    return { fault: 'ORRERY_OAUTH_RESOURCE must be an absolute URI without a fragment' };
  const [base, host] = [
    String(values['ORRERY_BASE_URL'] ?? ''),
    String(values['ORRERY_HOST'] ?? ''),
  ];
  const listening = ['0.0.0.0', '::', ''].includes(host) ? 'localhost' : host;
  if (
    values['ORRERY_OAUTH'] !== 'on' ||
    base.startsWith('https:') ||
    loopback.test(base === '' ? listening : new URL(base).hostname)
  )
    return {};
  const why = `the base URL ${base === '' ? `http://${listening}` : base} is plain http beyond this machine`;
  return wished
    ? { fault: `ORRERY_OAUTH is on, but ${why}; set ORRERY_BASE_URL to an https address` }
    : { warning: `OAuth is off, since ${why}` };
};

/** Every setting of the product, those of its areas too. */
export const allSettingRows: SettingRows = { ...settingRows, ...areaSettingRows(areas) };

/** Reads settings from the environment, else the file, else their defaults; what is wrong is added to the faults. */
const readAll = (
  rows: SettingRows,
  environment: Environment,
  file: Readonly<Record<string, unknown>>,
  faults: string[],
): readonly LoadedSetting[] =>
  Object.entries(rows).flatMap(([name, row]): LoadedSetting[] => {
    const inEnvironment = environment[name];
    const [given, source]: readonly [unknown, Source] =
      inEnvironment !== undefined && !isForeign(name, inEnvironment)
        ? [inEnvironment, 'environment']
        : name in file
          ? [file[name], 'file']
          : [row.default, 'default'];
    const result = read(row.kind, given);
    if ('value' in result) return [{ name, row, value: result.value, source }];
    faults.push(`${name} ${result.rule}`);
    return [];
  });

type ToggleStates = Map<
  string,
  { readonly enabled: boolean; readonly source: Source; readonly fixed: boolean }
>;

/** Toggles as their rows have them, and then the file. */
const togglesIn = (file: Readonly<Record<string, unknown>>, faults: string[]): ToggleStates => {
  const toggles: ToggleStates = new Map(
    Object.entries(toggleRows).map(([name, row]) => [
      name,
      { enabled: row.default, source: 'default', fixed: false },
    ]),
  );
  const given: unknown = file['toggles'] ?? {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    faults.push('toggles must be an object of their names');
    return toggles;
  }
  for (const [name, value] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    const enabled = readFlag(value);
    if (enabled === undefined) faults.push(`toggle ${name} must be true or false`);
    else toggles.set(name, { enabled, source: 'file', fixed: false });
  }
  return toggles;
};

/** Lets the environment switch toggles; returns its other names of ours that are no setting of the product. */
const switchByEnvironment = (
  environment: Environment,
  toggles: ToggleStates,
  faults: string[],
): readonly string[] => {
  const variables = new Map([...toggles.keys()].map((name) => [toggleVariable(name), name]));
  const unknown: string[] = [];
  for (const [variable, given] of Object.entries(environment)) {
    if (
      given === undefined ||
      !variable.startsWith('ORRERY_') ||
      isForeign(variable, given) ||
      Object.hasOwn(allSettingRows, variable)
    )
      continue;
    if (!variable.startsWith('ORRERY_TOGGLE_')) {
      unknown.push(variable);
      continue;
    }
    const name =
      variables.get(variable) ??
      variable.slice('ORRERY_TOGGLE_'.length).toLowerCase().replaceAll('_', '-');
    const enabled = readFlag(given);
    if (enabled === undefined) faults.push(`${variable} must be true or false`);
    else toggles.set(name, { enabled, source: 'environment', fixed: true });
  }
  return unknown;
};

/** The plugins that the file and the environment list. */
const pluginsIn = (
  file: Readonly<Record<string, unknown>>,
  names: string,
  faults: string[],
): readonly ListedPlugin[] => {
  const plugins = readPlugins(file['plugins'], faults);
  for (const name of names
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== ''))
    if (!plugins.some((one) => one.name === name))
      plugins.push({ name, settings: {}, optional: false, trusted: false });
  return plugins;
};

/** What is wrong with settings together, each of which is right alone. */
const togetherFaults = (values: Readonly<Record<string, SettingValue>>): readonly string[] => [
  ...(values['ORRERY_STORAGE'] === 'postgres' && values['ORRERY_POSTGRES_URL'] === ''
    ? ['ORRERY_POSTGRES_URL is required when ORRERY_STORAGE is postgres']
    : []),
  ...(values['ORRERY_STORAGE'] === 'mysql' && values['ORRERY_MYSQL_URL'] === ''
    ? ['ORRERY_MYSQL_URL is required when ORRERY_STORAGE is mysql']
    : []),
  ...addressFaults(values),
  ...(bucketSettings[String(values['ORRERY_BLOB'])] ?? [])
    .filter((name) => values[name] === '')
    .map((name) => `${name} is required when ORRERY_BLOB is ${String(values['ORRERY_BLOB'])}`),
  ...(values['ORRERY_SMTP_HOST'] !== '' && values['ORRERY_SMTP_FROM'] === ''
    ? ['ORRERY_SMTP_FROM is required when ORRERY_SMTP_HOST is set']
    : []),
  ...(values['ORRERY_SEAL_KEY'] !== '' && String(values['ORRERY_SEAL_KEY']).length < 32
    ? ['ORRERY_SEAL_KEY must have at least 32 characters']
    : []),
];

/** A sentence for each name that is no setting of the product nor one of these: in the file it is a fault, while a name in the environment may be somebody else's. */
export const unknownSettings = (
  { unknown, sourceFile }: Pick<Loaded, 'unknown' | 'sourceFile'>,
  ofPlugins: readonly string[] = [],
): { readonly faults: readonly string[]; readonly warnings: readonly string[] } => {
  const known = [...Object.keys(allSettingRows), ...fileMembers, ...ofPlugins];
  return {
    faults: unknown.inFile
      .filter((name) => !known.includes(name))
      .map(
        (name) =>
          `${name} in ${sourceFile} is not a setting; did you mean ${nearest(name, known)}?`,
      ),
    warnings: unknown.inEnvironment
      .filter((name) => !known.includes(name))
      .map((name) => `${name} in the environment is not a setting`),
  };
};

const fileMembers = ['toggles', 'plugins'];

/** Reads everything, or rejects with `invalid` and every fault by name and rule; a secret's value is never told. */
export const loadSettings = (environment: Environment): Loaded => {
  const faults: string[] = [];
  const sourceFile = environment['ORRERY_CONFIG'] ?? '';
  const file = readFile(sourceFile);
  const all = readAll(allSettingRows, environment, file, faults);
  const values: Record<string, SettingValue> = Object.fromEntries(
    all.map(({ name, value }) => [name, value]),
  );
  const sources = Object.fromEntries(all.map(({ name, source }) => [name, source]));
  const toggles = togglesIn(file, faults);
  const unknown = {
    inFile: Object.keys(file).filter(
      (name) => !Object.hasOwn(allSettingRows, name) && !fileMembers.includes(name),
    ),
    inEnvironment: switchByEnvironment(environment, toggles, faults),
  };
  const plugins = pluginsIn(file, String(values['ORRERY_PLUGINS'] ?? ''), faults);
  // Where a plugin is listed, its areas may bring the rest; the start asks again once they have.
  if (plugins.length === 0) faults.push(...unknownSettings({ unknown, sourceFile }).faults);
  faults.push(...togetherFaults(values));
  const oauth = oauthOf(values, sources['ORRERY_OAUTH'] !== 'default');
  if (oauth.fault !== undefined) faults.push(oauth.fault);
  if (oauth.warning !== undefined) values['ORRERY_OAUTH'] = 'off';
  if (faults.length === 0) faults.push(...signInFaults(values as unknown as SettingValues)); // every name of the table was filled above
  faults.push(...wayFaults(values));
  if (faults.length > 0) throw new Failure('invalid', faults.join('; '));
  return {
    values: values as unknown as SettingValues,
    all: all.map((one) => ({ ...one, value: values[one.name] ?? one.value })), // one may have been switched off above
    more(rows) {
      const wrong: string[] = [];
      const found = readAll(rows, environment, file, wrong);
      if (wrong.length > 0) throw new Failure('invalid', wrong.join('; '));
      return found;
    },
    sources: sources as Record<SettingName, Source>,
    toggles,
    plugins,
    pluginFolder: sourceFile === '' ? process.cwd() : dirname(resolve(sourceFile)),
    warnings: [
      ...(oauth.warning === undefined ? [] : [oauth.warning]),
      ...(values['ORRERY_AUTHENTICATION'] === 'off'
        ? [
            'authentication is off: whoever reaches this server may do everything here (ORRERY_AUTHENTICATION)',
          ]
        : []),
    ],
    unknown,
    sourceFile,
  }; // every name of the table was filled above
};

/** The value as it may be shown. */
export const shown = ({ row, value }: LoadedSetting): SettingValue =>
  row.kind.is === 'secret' && value !== '' ? '…' : value;
