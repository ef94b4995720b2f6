// The product's own adapters as drivers. Each is imported only when it is chosen, so that no other client library is loaded.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readGroupRules } from '#core/identity/group-rules';
import type { Auth } from '#ports/auth';
import type {
  AuthDriver,
  AuthDriverNeeds,
  BlobDriver,
  Driver,
  NotifierDriver,
  Opened,
  StorageDriver,
} from '#ports/drivers';
import { Failure } from '#ports/failure';
import type { Admission } from '#ports/sign-in';
import type { LdapSettings } from '#adapters/auth/ldap/ldap-way';
import type { EmbeddedPostgres } from '#adapters/storage/embedded/supervisor';
import type { SettingValues } from './settings.js';
import { listed } from './single-sign-on.js';

/** An embedded database whose start was begun before the rest was loaded. */
export type Begun = Promise<EmbeddedPostgres> | undefined;

/** What holds nothing that would have to be given back. */
const withoutStop = <T>(made: T): Opened<T> => ({ made, stop: async () => undefined });

const embedded = (begun: Begun): StorageDriver<SettingValues> => ({
  port: 'storage',
  name: 'embedded',
  async open({ settings, log, owns }) {
    const [{ startDatabase }, { postgresEngine }] = await Promise.all([
      import('./embedded.js'),
      import('#adapters/storage/postgres/open'),
    ]);
    const server = await (begun ?? startDatabase(settings, { log, owns }));
    return {
      made: {
        ...postgresEngine({ connection: server.connection, prepared: true }),
        migratesItself: true,
        state: () => server.state(),
      },
      stop: () => (owns ? server.stop() : Promise.resolve()),
    };
  },
});

const postgres: StorageDriver<SettingValues> = {
  port: 'storage',
  name: 'postgres',
  async open({ settings }) {
    const { postgresEngine } = await import('#adapters/storage/postgres/open');
    return withoutStop(
      postgresEngine({
        connection: settings.ORRERY_POSTGRES_URL,
        prepared: settings.ORRERY_POSTGRES_PREPARED,
      }),
    );
  },
};

const mysql: StorageDriver<SettingValues> = {
  port: 'storage',
  name: 'mysql',
  async open({ settings }) {
    const { mysqlEngine } = await import('#adapters/storage/mysql/open');
    return withoutStop(mysqlEngine(settings.ORRERY_MYSQL_URL));
  },
};

/** The way by the accounts' own passwords is handed the check beside what every driver is. */
interface LocalNeeds extends AuthDriverNeeds<SettingValues>, Pick<Auth, 'checkPassword'> {}

const local: AuthDriver<SettingValues> = {
  port: 'auth',
  name: 'local',
  async open(accounts: LocalNeeds) {
    const { passwordWay } = await import('#adapters/auth/local/password-way');
    return withoutStop(passwordWay(accounts));
  },
};

type Provision = Admission['provision'];

const oidc: AuthDriver<SettingValues> = {
  port: 'auth',
  name: 'oidc',
  async open({ settings, clock, returnUrl }) {
    const { oidcWay } = await import('#adapters/auth/oidc/oidc-way');
    const way = oidcWay(
      { clock },
      {
        issuer: settings.ORRERY_OIDC_ISSUER,
        clientId: settings.ORRERY_OIDC_CLIENT_ID,
        clientSecret: settings.ORRERY_OIDC_CLIENT_SECRET,
        scopes: settings.ORRERY_OIDC_SCOPES,
        label: settings.ORRERY_OIDC_LABEL,
        returnUrl,
        userClaim: settings.ORRERY_OIDC_USER_CLAIM,
        groupsClaim: settings.ORRERY_OIDC_GROUPS_CLAIM,
        admission: {
          groupRules: readGroupRules(settings.ORRERY_OIDC_GROUPS, 'ORRERY_OIDC_GROUPS'),
          provision: settings.ORRERY_OIDC_PROVISION as Provision, // one of its words, as was read
          domains: listed(settings.ORRERY_OIDC_DOMAINS.toLowerCase()),
        },
      },
    );
    return withoutStop(way);
  },
};

/** The text of a file that a setting names; `undefined` when it names none. */
const readCertificates = (path: string): string | undefined => {
  try {
    return path === '' ? undefined : readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure('invalid', `ORRERY_LDAP_CA_FILE names ${path}, which cannot be read`, {
      cause,
    });
  }
};

const ldapSettings = (settings: SettingValues): LdapSettings => ({
  url: settings.ORRERY_LDAP_URL,
  startTls: settings.ORRERY_LDAP_STARTTLS,
  ca: readCertificates(settings.ORRERY_LDAP_CA_FILE),
  timeoutMs: settings.ORRERY_LDAP_TIMEOUT_SECONDS * 1000,
  entries:
    settings.ORRERY_LDAP_USER_DN === ''
      ? {
          bindName: settings.ORRERY_LDAP_BIND_DN,
          bindPassword: settings.ORRERY_LDAP_BIND_PASSWORD,
          base: settings.ORRERY_LDAP_SEARCH_BASE,
          filter: settings.ORRERY_LDAP_FILTER,
        }
      : { name: settings.ORRERY_LDAP_USER_DN },
  attributes: {
    id: settings.ORRERY_LDAP_ID_ATTRIBUTE,
    name: settings.ORRERY_LDAP_NAME_ATTRIBUTE,
    email: settings.ORRERY_LDAP_EMAIL_ATTRIBUTE,
    groups: settings.ORRERY_LDAP_GROUPS_ATTRIBUTE,
  },
  emailProved: settings.ORRERY_LDAP_EMAIL_PROVED,
  groupSearch:
    settings.ORRERY_LDAP_GROUP_BASE === ''
      ? undefined
      : { base: settings.ORRERY_LDAP_GROUP_BASE, filter: settings.ORRERY_LDAP_GROUP_FILTER },
  admission: {
    groupRules: readGroupRules(settings.ORRERY_LDAP_GROUPS, 'ORRERY_LDAP_GROUPS'),
    provision: settings.ORRERY_LDAP_PROVISION as Provision, // one of its words, as was read
    domains: [],
  },
});

const ldap: AuthDriver<SettingValues> = {
  port: 'auth',
  name: 'ldap',
  async open({ settings, log }) {
    const { ldapWay } = await import('#adapters/auth/ldap/ldap-way');
    return withoutStop(ldapWay(log, ldapSettings(settings)));
  },
};

const trustedHeader: AuthDriver<SettingValues> = {
  port: 'auth',
  name: 'trusted-header',
  async open({ settings }) {
    const { headerWay } = await import('#adapters/auth/trusted-header/header-way');
    const way = headerWay({
      label: settings.ORRERY_HEADER_LABEL,
      userHeader: settings.ORRERY_HEADER_USER.toLowerCase(),
      emailHeader: settings.ORRERY_HEADER_EMAIL.toLowerCase(),
      groupsHeader: settings.ORRERY_HEADER_GROUPS_HEADER.toLowerCase(),
      emailProved: settings.ORRERY_HEADER_EMAIL_PROVED,
      admission: {
        groupRules: readGroupRules(settings.ORRERY_HEADER_GROUPS, 'ORRERY_HEADER_GROUPS'),
        provision: settings.ORRERY_HEADER_PROVISION as Provision, // one of its words, as was read
        domains: [],
      },
    });
    return withoutStop(way);
  },
};

const filesystem: BlobDriver<SettingValues> = {
  port: 'blob',
  name: 'filesystem',
  async open({ settings }) {
    const { filesystemBlob } = await import('#adapters/blob/filesystem/filesystem-blob');
    return withoutStop(
      await filesystemBlob({ folder: join(resolve(settings.ORRERY_DATA), 'blobs') }),
    );
  },
};

const s3: BlobDriver<SettingValues> = {
  port: 'blob',
  name: 's3',
  async open({ settings }) {
    const { s3Blob } = await import('#adapters/blob/s3/s3-blob');
    return withoutStop(
      await s3Blob({
        endpoint: settings.ORRERY_S3_ENDPOINT,
        region: settings.ORRERY_S3_REGION,
        bucket: settings.ORRERY_S3_BUCKET,
        accessKey: settings.ORRERY_S3_ACCESS_KEY,
        secretKey: settings.ORRERY_S3_SECRET_KEY,
        pathStyle: settings.ORRERY_S3_PATH_STYLE,
      }),
    );
  },
};

const gcs: BlobDriver<SettingValues> = {
  port: 'blob',
  name: 'gcs',
  async open({ settings }) {
    const { gcsBlob } = await import('#adapters/blob/gcs/gcs-blob');
    return withoutStop(
      await gcsBlob({
        endpoint: settings.ORRERY_GCS_ENDPOINT,
        project: settings.ORRERY_GCS_PROJECT,
        bucket: settings.ORRERY_GCS_BUCKET,
        credentials: settings.ORRERY_GCS_CREDENTIALS,
      }),
    );
  },
};

const http: NotifierDriver<SettingValues> = {
  port: 'notifications',
  name: 'http',
  async open({ outgoing, clock, version }) {
    const { httpNotifier } = await import('#adapters/notify/http/http-notifier');
    return withoutStop(httpNotifier({ outgoing, clock, userAgent: `orrery/${version}` }));
  },
};

const slack: NotifierDriver<SettingValues> = {
  port: 'notifications',
  name: 'slack',
  async open({ outgoing }) {
    const { slackNotifier } = await import('#adapters/notify/chat/slack');
    return withoutStop(slackNotifier(outgoing));
  },
};

const teams: NotifierDriver<SettingValues> = {
  port: 'notifications',
  name: 'teams',
  async open({ outgoing }) {
    const { teamsNotifier } = await import('#adapters/notify/chat/teams');
    return withoutStop(teamsNotifier(outgoing));
  },
};

const pagerduty: NotifierDriver<SettingValues> = {
  port: 'notifications',
  name: 'pagerduty',
  async open({ outgoing }) {
    const { pagerDutyNotifier } = await import('#adapters/notify/chat/pagerduty');
    return withoutStop(pagerDutyNotifier(outgoing));
  },
};

const readPassword = (path: string): string => {
  try {
    return path === '' ? '' : readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new Failure('invalid', `ORRERY_SMTP_PASSWORD_FILE names ${path}, which cannot be read`, {
      cause,
    });
  }
};

const email: NotifierDriver<SettingValues> = {
  port: 'notifications',
  name: 'email',
  async open({ settings, baseUrl }) {
    if (settings.ORRERY_SMTP_HOST === '') return undefined;
    const { emailNotifier } = await import('#adapters/notify/email/email-notifier');
    return withoutStop(
      emailNotifier({
        host: settings.ORRERY_SMTP_HOST,
        port: settings.ORRERY_SMTP_PORT,
        tls: settings.ORRERY_SMTP_TLS as 'tls' | 'starttls' | 'none',
        user: settings.ORRERY_SMTP_USER,
        password: readPassword(settings.ORRERY_SMTP_PASSWORD_FILE),
        from: settings.ORRERY_SMTP_FROM, // one of the setting's words
        replyTo: settings.ORRERY_SMTP_REPLY_TO,
        ownHost: new URL(baseUrl).hostname,
      }),
    );
  },
};

/** Every adapter of the product; their settings are the installation's. */
export const ownDrivers = (begun?: Begun): readonly Driver<SettingValues>[] => [
  embedded(begun),
  postgres,
  mysql,
  local,
  oidc,
  ldap,
  trustedHeader,
  filesystem,
  s3,
  gcs,
  http,
  slack,
  teams,
  pagerduty,
  email,
];
