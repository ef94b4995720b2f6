// What is wrong with the value that a plugin exports, found before anything of it runs.
import type { DriverPort } from '#ports/drivers';
import type { ColumnKind, Plugin, TableChange } from '#ports/plugin';
import { nearest } from './nearest.js';

type Members = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const words = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 60 && words.test(value);

/** What an unknown name is told as, short enough for a sentence. */
export const quoted = (value: unknown): string => String(value).slice(0, 60);

/** A sentence for the first member that is none of the known ones. */
export const unknownMember = (
  of: string,
  value: object,
  known: readonly string[],
): string | undefined => {
  const stray = Object.keys(value).find((name) => !known.includes(name));
  return stray === undefined
    ? undefined
    : `${of} has the member ${quoted(stray)}, which means nothing; did you mean ${nearest(stray, known)}?`;
};

const columnKinds: Readonly<Record<ColumnKind, true>> = {
  key: true,
  text: true,
  whole: true,
  real: true,
  flag: true,
  bytes: true,
};
const isColumnKind = (kind: unknown): boolean =>
  typeof kind === 'string' && Object.hasOwn(columnKinds, kind);

type Columns = Readonly<Record<string, unknown>>;

const columnsFault = (table: string, columns: Columns, before: Columns): string | undefined => {
  for (const [column, kind] of Object.entries(columns)) {
    if (!/^[a-z][a-z0-9_]{0,39}$/.test(column) || !isColumnKind(kind))
      return `column ${quoted(column)} of its table ${table} has not one of the kinds ${Object.keys(columnKinds).join(', ')}`;
    if (Object.hasOwn(before, column))
      return `it adds column ${column} to its table ${table} twice`;
  }
  return undefined;
};

const createFault = (change: Extract<TableChange, { create: string }>): string | undefined => {
  const { create: name, columns, key } = change;
  if (
    !Array.isArray(key) ||
    key.length === 0 ||
    key.some((column) => !['key', 'whole'].includes(columns[column] ?? ''))
  )
    return `the key of its table ${name} is not made of columns of kind key or whole`;
  for (const [index, of] of Object.entries(change.indexes ?? {}))
    if (of.some((column) => !['key', 'whole', 'real', 'flag'].includes(columns[column] ?? '')))
      return `index ${index} of its table ${name} names a column that cannot be indexed`;
  return undefined;
};

const tablesFault = (tables: readonly unknown[]): string | undefined => {
  const made = new Map<string, Columns>();
  for (const given of tables) {
    if (!isObject(given) || !isObject(given['columns']))
      return 'one of its changes of tables is not an object with columns';
    const change = given as unknown as TableChange; // its members are checked one by one
    const creates = 'create' in change;
    const name = creates ? change.create : change.add;
    const stray = unknownMember(
      `a change of its table ${quoted(name)}`,
      change,
      creates ? ['create', 'columns', 'key', 'indexes'] : ['add', 'columns'],
    );
    if (stray !== undefined) return stray;
    if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,23}$/.test(name))
      return `its table name ${quoted(name)} is not lower-case words of at most 24 characters`;
    const before = made.get(name);
    if (creates && before !== undefined) return `it makes the table ${name} twice`;
    if (!creates && before === undefined)
      return `it adds to the table ${name}, which it does not make before`;
    const fault =
      columnsFault(name, change.columns, before ?? {}) ??
      (creates ? createFault(change) : undefined);
    if (fault !== undefined) return fault;
    made.set(name, { ...before, ...change.columns });
  }
  return undefined;
};

const driverPorts: Readonly<Record<DriverPort, true>> = {
  storage: true,
  blob: true,
  auth: true,
  notifications: true,
};

const driversFault = (drivers: readonly unknown[]): string | undefined => {
  const seen = new Set<string>();
  for (const driver of drivers) {
    if (!isObject(driver)) return 'one of its drivers is not an object';
    const { port, name, open } = driver;
    if (typeof port !== 'string' || !Object.hasOwn(driverPorts, port))
      return `it brings a driver for ${quoted(port)}; there are drivers for ${Object.keys(driverPorts).join(', ')}`;
    if (!isName(name))
      return `the name of its ${port} driver ${quoted(name)} is not lower-case words with dashes`;
    if (typeof open !== 'function') return `its ${port} driver ${name} has no method open`;
    if (seen.has(`${port} ${name}`)) return `it brings the ${port} driver ${name} twice`;
    seen.add(`${port} ${name}`);
  }
  return undefined;
};

const toggleFault = (toggle: unknown): string | undefined => {
  if (!isObject(toggle) || typeof toggle['name'] !== 'string') return 'its toggle has no name';
  if (!isName(toggle['name']))
    return `the name of its toggle ${quoted(toggle['name'])} is not lower-case words with dashes`;
  if (typeof toggle['default'] !== 'boolean') return 'its toggle has no default of true or false';
  return typeof toggle['says'] === 'string' ? undefined : 'its toggle does not say what it is for';
};

const members: Readonly<Record<keyof Plugin, true>> = {
  name: true,
  api: true,
  toggle: true,
  settings: true,
  needs: true,
  tables: true,
  drivers: true,
  contribute: true,
};

const listFault = (
  what: string,
  value: unknown,
  fault: (list: readonly unknown[]) => string | undefined,
): string | undefined =>
  value === undefined
    ? undefined
    : Array.isArray(value)
      ? fault(value)
      : `its ${what} are not a list`;

/** What is wrong with a manifest, in one sentence; `undefined` when nothing is. */
export const manifestFault = (value: unknown): string | undefined => {
  if (!isObject(value)) return 'its entry has no default export that is a plugin';
  const { name, api, needs, settings, contribute, tables, drivers, toggle } = value;
  if (!isName(name)) return 'its name is not lower-case words with dashes';
  if (api !== 1)
    return `it is written for version ${String(api)} of the plugin contract; this server speaks version 1`;
  if (typeof contribute !== 'function') return 'it has no contribute';
  if (!isObject(settings)) return 'it has no schema of settings';
  if (!isObject(needs)) return 'its needs are not ports by name';
  const odd = Object.keys(needs).find((need) => typeof needs[need] !== 'symbol');
  if (odd !== undefined)
    return `what it needs as ${quoted(odd)} is no port: import one from orrery/ports, such as Clock of orrery/ports/clock`;
  return (
    unknownMember('it', value, Object.keys(members)) ??
    (toggle === undefined ? undefined : toggleFault(toggle)) ??
    listFault('tables', tables, tablesFault) ??
    listFault('drivers', drivers, driversFault)
  );
};
