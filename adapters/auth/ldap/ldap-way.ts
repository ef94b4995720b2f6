// Signing in with the name and password of a directory: the entry is found, and the server binds as that entry with the password.
import {
  InappropriateAuthError,
  InvalidCredentialsError,
  InvalidDNSyntaxError,
  NoSuchObjectError,
  SizeLimitExceededError,
  UnwillingToPerformError,
} from 'ldapts';
import { Failure } from '#ports/failure';
import type { Log } from '#ports/log';
import type { Admission, Identity, PasswordWay } from '#ports/sign-in';
import {
  withConnection,
  type Connection,
  type DirectoryAddress,
  type Entry,
} from './connection.js';
import { valueOf, valuesOf, wanted, type EntryAttributes } from './entry.js';
import { filled, inFilter, inName } from './escaping.js';

/** Entries are searched for, by an account of the server's own or, where its name is empty, by nobody. */
export interface BySearch {
  readonly bindName: string;
  readonly bindPassword: string;
  readonly base: string;
  /** With `{name}` where the name goes that was typed. */
  readonly filter: string;
}

/** Entries are named: with `{name}` where the name goes that was typed. */
export interface ByName {
  readonly name: string;
}

export interface LdapSettings extends DirectoryAddress {
  readonly entries: BySearch | ByName;
  readonly attributes: EntryAttributes;
  /** Whether e-mails of the directory are known to be their owners'. */
  readonly emailProved: boolean;
  /** Groups are searched for as well: with `{dn}` where the name of the entry goes, and `{name}` that of the person. */
  readonly groupSearch: { readonly base: string; readonly filter: string } | undefined;
  readonly admission: Admission;
}

/** The longest name that is looked for. */
const maxNameLength = 256;

/** What a directory answers to a wrong password, to a name that it does not have, and to an entry that cannot bind. */
const refusals = [
  InvalidCredentialsError,
  NoSuchObjectError,
  InvalidDNSyntaxError,
  InappropriateAuthError,
  UnwillingToPerformError,
];

/** Whether the directory takes the password. */
const accepts = async (
  connection: Connection,
  name: string,
  password: string,
): Promise<boolean> => {
  // With either left out, a directory answers that all is well: nobody was identified (RFC 4513, 5.1.2).
  if (name === '' || password === '') return false;
  try {
    await connection.bind(name, password);
    return true;
  } catch (thrown) {
    if (refusals.some((refusal) => thrown instanceof refusal)) return false;
    throw thrown;
  }
};

/** A directory that is not as the settings have it. */
const misfit = (log: Log, reason: string, cause?: unknown): Failure => {
  log.error('nobody can sign in with the directory', { reason, error: cause });
  return new Failure(
    'unavailable',
    'the directory does not work with this server; ask an administrator',
    {
      cause,
      retryAfter: 60,
    },
  );
};

/** A sign-in that is under way. */
interface Attempt {
  readonly settings: LdapSettings;
  readonly log: Log;
  readonly connection: Connection;
}

const bindOwn = async ({ connection, log }: Attempt, by: BySearch): Promise<void> => {
  if (by.bindName === '') return;
  if (!(await accepts(connection, by.bindName, by.bindPassword)))
    throw misfit(log, 'it refuses ORRERY_LDAP_BIND_DN and its password');
};

/** The one entry of a name; of several nobody knows which is meant. */
const findEntry = async (
  { connection, settings: { attributes }, log }: Attempt,
  { base, filter }: BySearch,
  name: string,
): Promise<Entry | undefined> => {
  const options = {
    scope: 'sub',
    filter: filled(filter, { name }, inFilter),
    sizeLimit: 2,
    ...wanted(attributes),
  } as const;
  const found = await connection.search(base, options).catch((thrown: unknown) => {
    if (thrown instanceof SizeLimitExceededError) return undefined;
    throw thrown instanceof NoSuchObjectError
      ? misfit(log, 'ORRERY_LDAP_SEARCH_BASE is not there', thrown)
      : thrown;
  });
  if (found === undefined || found.length > 1)
    log.warn('a name stands for several entries of the directory, none of which can sign in', {
      base,
    });
  return found?.length === 1 ? found[0] : undefined;
};

const findGroups = async (
  { connection, settings: { attributes, groupSearch } }: Attempt,
  entry: Entry,
): Promise<readonly string[]> => {
  const own = attributes.groups === '' ? [] : valuesOf(entry, attributes.groups);
  if (groupSearch === undefined) return own;
  const values = { dn: entry.dn, name: valueOf(entry, attributes.name) ?? '' };
  const found = await connection.search(groupSearch.base, {
    scope: 'sub',
    filter: filled(groupSearch.filter, values, inFilter),
    attributes: ['cn'],
  });
  return [...new Set([...own, ...found.flatMap((group) => valuesOf(group, 'cn'))])];
};

const identify = async (attempt: Attempt, entry: Entry): Promise<Identity> => {
  const { attributes, emailProved } = attempt.settings;
  const subject = valueOf(entry, attributes.id);
  if (subject === undefined)
    throw misfit(attempt.log, `it shows no ${attributes.id}; set ORRERY_LDAP_ID_ATTRIBUTE`);
  return {
    subject,
    name: valueOf(entry, attributes.name),
    email: valueOf(entry, attributes.email),
    emailProved,
    groups: await findGroups(attempt, entry),
  };
};

const checkBySearch = async (
  attempt: Attempt,
  by: BySearch,
  name: string,
  password: string,
): Promise<Identity | undefined> => {
  await bindOwn(attempt, by);
  const entry = await findEntry(attempt, by, name);
  if (entry === undefined) return undefined;
  // Read before the password is tried: from then on the connection has the rights of the person alone.
  const identity = await identify(attempt, entry);
  return (await accepts(attempt.connection, entry.dn, password)) ? identity : undefined;
};

const checkByName = async (
  attempt: Attempt,
  by: ByName,
  name: string,
  password: string,
): Promise<Identity | undefined> => {
  const { connection, settings, log } = attempt;
  const dn = filled(by.name, { name }, inName);
  if (!(await accepts(connection, dn, password))) return undefined;
  const [entry] = await connection.search(dn, { scope: 'base', ...wanted(settings.attributes) });
  if (entry === undefined) throw misfit(log, 'it does not show people their own entries');
  return identify(attempt, entry);
};

export const ldapWay = (log: Log, settings: LdapSettings): PasswordWay => ({
  kind: 'password',
  name: 'ldap',
  label: 'Directory',
  admission: settings.admission,
  async check(name, password) {
    if (name === '' || name.length > maxNameLength || password === '') return undefined;
    const { entries } = settings;
    return withConnection(settings, (connection) => {
      const attempt = { settings, log, connection };
      return 'base' in entries
        ? checkBySearch(attempt, entries, name, password)
        : checkByName(attempt, entries, name, password);
    });
  },
});
