// What a database that cannot be used is told as: one sentence that names the setting to look at.
import { Failure, isFailure } from '#ports/failure';
import type { OpenedStorage } from './drivers.js';
import type { SettingName, SettingValues } from './settings.js';

const addressSettings: Readonly<Record<string, SettingName>> = {
  postgres: 'ORRERY_POSTGRES_URL',
  mysql: 'ORRERY_MYSQL_URL',
};

/** The host of an address, and nothing of its secrets. */
const hostOf = (address: string): string => {
  const host = URL.canParse(address) ? new URL(address).host : '';
  return host === '' ? 'the socket it names' : host;
};

const causesOf = (thrown: unknown): readonly unknown[] => {
  const causes: unknown[] = [];
  for (
    let one = thrown;
    one !== undefined && one !== null && causes.length < 5;
    one = (one as { readonly cause?: unknown }).cause
  )
    causes.push(one); // any thrown value can be asked for its cause
  return causes;
};

const codesOf = (thrown: unknown): readonly string[] =>
  causesOf(thrown).flatMap((one) => {
    const { code, errors } = one as { readonly code?: unknown; readonly errors?: unknown }; // a connection tried at several addresses fails with a list
    return [
      code,
      ...(Array.isArray(errors)
        ? errors.map((each: { readonly code?: unknown }) => each.code)
        : []),
    ].filter((each) => typeof each === 'string');
  });

const sentences: readonly {
  readonly codes: readonly string[];
  readonly says: (host: string) => string;
}[] = [
  {
    codes: ['28P01', 'ER_ACCESS_DENIED_ERROR'],
    says: (host) => `the database at ${host} refuses its user or password`,
  },
  {
    codes: ['28000'],
    says: (host) => `the database at ${host} does not let its user in from here`,
  },
  {
    codes: ['3D000', 'ER_BAD_DB_ERROR'],
    says: (host) => `there is no database of its name at ${host}; create it first`,
  },
  {
    codes: ['ER_DBACCESS_DENIED_ERROR', '42501'],
    says: (host) => `its user may not use the database of its name at ${host}`,
  },
  { codes: ['ECONNREFUSED'], says: (host) => `nothing listens at ${host}` },
  { codes: ['ENOENT'], says: () => 'there is no socket where it says' },
  { codes: ['ENOTFOUND', 'EAI_AGAIN'], says: (host) => `the host of ${host} is not known` },
  {
    codes: ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
    says: (host) => `${host} does not answer`,
  },
  {
    codes: ['HANDSHAKE_NO_SSL_SUPPORT'],
    says: (host) => `the database at ${host} does not speak TLS`,
  },
  {
    codes: ['53300', 'ER_CON_COUNT_ERROR'],
    says: (host) => `the database at ${host} has no connection left`,
  },
  {
    codes: [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    says: (host) => `the certificate of ${host} is not trusted here`,
  },
];

const messageSentences: readonly {
  readonly part: string;
  readonly says: (host: string) => string;
}[] = [
  { part: 'does not support SSL', says: (host) => `the database at ${host} does not speak TLS` },
  { part: 'timeout expired', says: (host) => `${host} does not answer` },
  { part: 'imeout acquiring a connection', says: (host) => `${host} does not answer` },
];

/** The fault of a database in words of the settings; one that no sentence is known for, and any other fault, as it came. */
export const explainStorage = (values: SettingValues, thrown: unknown): unknown => {
  const setting = addressSettings[values.ORRERY_STORAGE];
  if (setting === undefined) return thrown;
  const host = hostOf(String(values[setting]));
  const codes = codesOf(thrown);
  const messages = causesOf(thrown).map((one) => (one instanceof Error ? one.message : ''));
  const says =
    sentences.find((one) => one.codes.some((code) => codes.includes(code)))?.says ??
    messageSentences.find(({ part }) => messages.some((message) => message.includes(part)))?.says;
  return says === undefined
    ? thrown
    : new Failure('unavailable', `${setting}: ${says(host)}`, { cause: thrown });
};

const patienceMs = 5000;
const pauseMs = 250;

/** Waits for a database that is only starting; rejects with a sentence that names the setting when it cannot be used. */
export const requireStorage = async (
  { storage }: OpenedStorage,
  values: SettingValues,
): Promise<void> => {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      await storage.check();
      return;
    } catch (thrown) {
      const passing =
        isFailure(thrown) && thrown.kind === 'unavailable' && performance.now() < until;
      if (!passing) throw explainStorage(values, thrown);
      await new Promise((wake) => setTimeout(wake, pauseMs));
    }
  }
};
