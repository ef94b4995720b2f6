// Adapters by the names that settings choose them by. Each is imported only when it is chosen, so that no other client library is loaded.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Auth } from '#ports/auth';
import type { Blob } from '#ports/blob';
import { asBlobStore, type BlobStore } from '#ports/blob-store';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Log } from '#ports/log';
import type { Meters } from '#ports/meters';
import type { Notifier } from '#ports/notify';
import type { Outgoing } from '#ports/outgoing';
import type { Sealer } from '#ports/sealer';
import type { Storage } from '#ports/storage/storage';
import type { EmbeddedPostgres } from '#adapters/storage/embedded/supervisor';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { SettingValues } from './settings.js';

export interface DriverNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly meters: Meters;
  /** Commands connect to a running embedded database; only a server starts and owns it. */
  readonly owns: boolean;
  /** The embedded database where its start was begun before. */
  readonly begun?: Promise<EmbeddedPostgres> | undefined;
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

export type StorageDriver = (values: SettingValues, needs: DriverNeeds) => Promise<OpenedStorage>;
export type BlobDriver = (values: SettingValues) => Promise<Blob | BlobStore>;

export const storageDrivers: Record<string, StorageDriver> = {
  async embedded(values, needs) {
    const [{ startDatabase }, { postgresStorage }] = await Promise.all([
      import('./embedded.js'),
      import('#adapters/storage/postgres/open'),
    ]);
    const server = await (needs.begun ?? startDatabase(values, needs));
    const storage = postgresStorage(
      { connection: server.connection, poolSize: values.ORRERY_POOL_SIZE, prepared: true },
      needs,
    );
    return {
      storage,
      migratesItself: true,
      state: () => server.state(),
      stop: () => (needs.owns ? server.stop() : Promise.resolve()),
    };
  },
  async postgres(values, needs) {
    const { postgresStorage } = await import('#adapters/storage/postgres/open');
    return {
      storage: postgresStorage(
        {
          connection: values.ORRERY_POSTGRES_URL,
          poolSize: values.ORRERY_POOL_SIZE,
          prepared: values.ORRERY_POSTGRES_PREPARED,
        },
        needs,
      ),
      migratesItself: false,
      state: () => 'running',
      stop: async () => undefined,
    };
  },
  async mysql(values, needs) {
    const { mysqlStorage } = await import('#adapters/storage/mysql/open');
    return {
      storage: mysqlStorage(
        { url: values.ORRERY_MYSQL_URL, poolSize: values.ORRERY_POOL_SIZE },
        needs,
      ),
      migratesItself: false,
      state: () => 'running',
      stop: async () => undefined,
    };
  },
};

export interface AuthNeeds {
  /** The product's own accounts, keys and sessions, which every other way is built on. */
  readonly local: Auth;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly baseUrl: string;
}
export type AuthDriver = (values: SettingValues, needs: AuthNeeds) => Auth | Promise<Auth>;

export const authDrivers: Record<string, AuthDriver> = {
  local: (_, { local }) => local,
  async oidc(values, needs) {
    const [{ oidcAuth }, { readGroupRules }] = await Promise.all([
      import('#adapters/auth/oidc/oidc-auth'),
      import('#adapters/auth/oidc/rules'),
    ]);
    return oidcAuth(needs, {
      issuer: values.ORRERY_OIDC_ISSUER,
      clientId: values.ORRERY_OIDC_CLIENT_ID,
      clientSecret: values.ORRERY_OIDC_CLIENT_SECRET,
      scopes: values.ORRERY_OIDC_SCOPES,
      label: values.ORRERY_OIDC_LABEL,
      returnUrl: `${needs.baseUrl}/login/oidc/return`,
      userClaim: values.ORRERY_OIDC_USER_CLAIM,
      groupsClaim: values.ORRERY_OIDC_GROUPS_CLAIM,
      rules: readGroupRules(values.ORRERY_OIDC_GROUPS),
      provision: values.ORRERY_OIDC_PROVISION as 'all' | 'groups' | 'none', // one of its words, as was read
      domains: values.ORRERY_OIDC_DOMAINS.split(',')
        .map((one) => one.trim().toLowerCase())
        .filter((one) => one !== ''),
      localAccounts: values.ORRERY_LOCAL_ACCOUNTS,
      nameMinLength: values.USER_NAME_MIN_LENGTH,
    });
  },
};

export const blobDrivers: Record<string, BlobDriver> = {
  async filesystem(values) {
    const { filesystemBlob } = await import('#adapters/blob/filesystem/filesystem-blob');
    return filesystemBlob({ folder: join(resolve(values.ORRERY_DATA), 'blobs') });
  },
  async s3(values) {
    const { s3Blob } = await import('#adapters/blob/s3/s3-blob');
    return s3Blob({
      endpoint: values.ORRERY_S3_ENDPOINT,
      region: values.ORRERY_S3_REGION,
      bucket: values.ORRERY_S3_BUCKET,
      accessKey: values.ORRERY_S3_ACCESS_KEY,
      secretKey: values.ORRERY_S3_SECRET_KEY,
      pathStyle: values.ORRERY_S3_PATH_STYLE,
    });
  },
  async gcs(values) {
    const { gcsBlob } = await import('#adapters/blob/gcs/gcs-blob');
    return gcsBlob({
      endpoint: values.ORRERY_GCS_ENDPOINT,
      project: values.ORRERY_GCS_PROJECT,
      bucket: values.ORRERY_GCS_BUCKET,
      credentials: values.ORRERY_GCS_CREDENTIALS,
    });
  },
};

export interface NotifierNeeds {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly version: string;
}
/** Opens a notifier; gives `undefined` where the settings ask for none. */
export type NotifierDriver = (
  values: SettingValues,
  needs: NotifierNeeds,
) => Promise<Notifier | undefined>;

const readPassword = (path: string): string => {
  try {
    return path === '' ? '' : readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new Failure('invalid', `ORRERY_SMTP_PASSWORD_FILE names ${path}, which cannot be read`, {
      cause,
    });
  }
};

/** All of them are there at once, by their kind. */
export const notifierDrivers: Record<string, NotifierDriver> = {
  async http(_values, { outgoing, clock, version }) {
    const { httpNotifier } = await import('#adapters/notify/http/http-notifier');
    return httpNotifier({ outgoing, clock, userAgent: `orrery/${version}` });
  },
  async slack(_values, { outgoing }) {
    const { slackNotifier } = await import('#adapters/notify/chat/slack');
    return slackNotifier(outgoing);
  },
  async teams(_values, { outgoing }) {
    const { teamsNotifier } = await import('#adapters/notify/chat/teams');
    return teamsNotifier(outgoing);
  },
  async email(values, { baseUrl }) {
    if (values.ORRERY_SMTP_HOST === '') return undefined;
    const { emailNotifier } = await import('#adapters/notify/email/email-notifier');
    return emailNotifier({
      host: values.ORRERY_SMTP_HOST,
      port: values.ORRERY_SMTP_PORT,
      tls: values.ORRERY_SMTP_TLS as 'tls' | 'starttls' | 'none',
      user: values.ORRERY_SMTP_USER,
      password: readPassword(values.ORRERY_SMTP_PASSWORD_FILE),
      from: values.ORRERY_SMTP_FROM, // one of the setting's words
      replyTo: values.ORRERY_SMTP_REPLY_TO,
      ownHost: new URL(baseUrl).hostname,
    });
  },
};

/** The driver of that name, or a sentence that tells the names there are. */
export const chooseDriver = <D>(
  drivers: Readonly<Record<string, D>>,
  setting: string,
  name: string,
): D => {
  const driver = Object.hasOwn(drivers, name) ? drivers[name] : undefined;
  if (driver === undefined)
    throw new Failure(
      'invalid',
      `${setting} is ${name}, which is none of ${Object.keys(drivers).join(', ')}`,
    );
  return driver;
};

/** Opens the place of bytes that the settings name. Rejects with a sentence when it cannot be used. */
export const openBlobs = async (values: SettingValues): Promise<BlobStore> =>
  asBlobStore(await chooseDriver(blobDrivers, 'ORRERY_BLOB', values.ORRERY_BLOB)(values));
