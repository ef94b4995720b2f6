// The settings of the installation as a whole; those of an area stand with it. The README's table and the loader are read from both.

import { identitySettings } from '#core/identity/settings';
import { oauthSettings } from '#core/oauth/settings';
import { flag, secret, text, url, whole, word, type ValuesOf } from '#ports/area-settings';

/** The settings of the installation, with those of areas that it is composed by. */
export const settingRows = {
  ...identitySettings.rows,
  ...oauthSettings.rows,
  ORRERY_HOST: text('127.0.0.1', 'Address to listen on'),
  ORRERY_PORT: whole(4400, 'Port to listen on; 0 takes a free one', 0, 65_535),
  ORRERY_BASE_URL: url(
    'How the outside reaches the server: scheme, host and port, and the path below which a proxy has it, if any; used in links. Empty: the listening address',
    { path: true },
  ),
  ORRERY_DATA: text('./data', 'Folder of the embedded database and of blobs'),
  ORRERY_ANALYTICS_CACHE_MB: whole(
    4096,
    'Megabytes that copies of traces, spans, scores and threads for analytic queries may take in the folder analytics of ORRERY_DATA; 0 keeps none',
  ),
  ORRERY_WORKERS: whole(1, 'Serving processes on this machine', 1, 64),
  ORRERY_CONFIG: text('', 'JSON file with settings, toggles and plugins'),
  ORRERY_PLUGINS: text('', 'Names of plugins to load, separated by commas'),
  ORRERY_STORAGE: text(
    'embedded',
    'Where records are kept: embedded, postgres, mysql, or a name that a plugin adds',
  ),
  ORRERY_POSTGRES_URL: secret(
    'Address of the Postgres database, postgres://user:password@host:port/database',
  ),
  ORRERY_POSTGRES_PREPARED: flag(
    false,
    'Keep the hottest statements prepared in each Postgres connection; not behind a pooler in transaction mode',
  ),
  ORRERY_MYSQL_URL: secret(
    'Address of the MySQL or MariaDB database, mysql://user:password@host:port/database',
  ),
  ORRERY_MIGRATE: word(
    '',
    ['', 'auto'],
    'auto: an older schema in a server database is upgraded at start',
  ),
  ORRERY_POOL_SIZE: whole(8, 'Database connections of one process', 1, 200),
  ORRERY_BLOB: text(
    'filesystem',
    'Where bytes are kept: filesystem, s3, gcs, or a name that a plugin adds',
  ),
  ORRERY_S3_ENDPOINT: url('Address of the S3 server: scheme, host and port. Empty: AWS'),
  ORRERY_S3_REGION: text('us-east-1', 'Region of the S3 bucket'),
  ORRERY_S3_BUCKET: text('', 'Name of the S3 bucket, which must exist'),
  ORRERY_S3_ACCESS_KEY: secret(
    'Access key of the account that may list, read, write and remove in the S3 bucket',
  ),
  ORRERY_S3_SECRET_KEY: secret('Secret key of that account'),
  ORRERY_S3_PATH_STYLE: flag(
    true,
    'Name the S3 bucket in the path of an address and not in its host; AWS is always addressed by host',
  ),
  ORRERY_GCS_BUCKET: text('', 'Name of the bucket of Google Cloud Storage, which must exist'),
  ORRERY_GCS_PROJECT: text('', 'Project of the bucket. Empty: the one of the credentials'),
  ORRERY_GCS_ENDPOINT: url('Address of the storage service: scheme, host and port. Empty: Google'),
  ORRERY_GCS_CREDENTIALS: secret(
    'Key of a service account as JSON, or the path of a file that holds it. Empty: what the machine offers',
  ),
  ORRERY_ADMIN_USER: text(
    'admin',
    'Name of the first administrator, made when there is no user yet',
  ),
  ORRERY_ADMIN_PASSWORD: secret('Password of the first administrator; generated when empty'),
  ORRERY_ADMIN_API_KEY: secret('API key of the first administrator; generated when empty'),
  ORRERY_ADMIN_WORKSPACE: text(
    '',
    "Workspace of the first administrator; the user's name when empty",
  ),
  ORRERY_AUTHENTICATION: word(
    'on',
    ['on', 'off'],
    'off: whoever reaches the server and shows no known key or session is the user of ORRERY_ADMIN_USER; for one person on one machine, or behind something that asks who comes',
  ),
  ORRERY_AUTH: text(
    'local',
    'How people sign in, one or several separated by commas: local (name and password), oidc (at an OpenID Connect provider), ldap (name and password of a directory), trusted-header (at a proxy before the server), or a name that a plugin adds',
  ),
  ORRERY_LOCAL_ACCOUNTS: flag(
    true,
    'Let people sign in with passwords of their accounts here beside what ORRERY_AUTH names',
  ),
  ORRERY_OIDC_ISSUER: text('', 'Address of the OpenID Connect provider, as it calls itself'),
  ORRERY_OIDC_CLIENT_ID: text(
    '',
    'By what the provider knows this server; the provider sends browsers back to /login/oidc/return',
  ),
  ORRERY_OIDC_CLIENT_SECRET: secret('Secret of that client; empty for a public one'),
  ORRERY_OIDC_SCOPES: text('openid profile email', 'Scopes that are asked for'),
  ORRERY_OIDC_LABEL: text('Single sign-on', 'What the button says'),
  ORRERY_OIDC_USER_CLAIM: text(
    'preferred_username',
    'Claim from which the name of a new user comes',
  ),
  ORRERY_OIDC_GROUPS_CLAIM: text('groups', 'Claim that holds the groups of somebody'),
  ORRERY_OIDC_GROUPS: text(
    '',
    'What groups are here: a JSON list of {"group", "workspace", "role", "permissions"}, {"group", "admin"} or {"group", "viewOnly"}',
  ),
  ORRERY_OIDC_PROVISION: word(
    'all',
    ['all', 'groups', 'none'],
    'Who gets an account at the first sign-in: everybody, those in a group that a rule names, or nobody',
  ),
  ORRERY_OIDC_DOMAINS: text(
    '',
    'Domains of verified e-mails that may sign in, separated by commas; empty is any',
  ),
  ORRERY_LDAP_URL: text(
    '',
    'Address of the directory: ldaps://host, or ldap://host with ORRERY_LDAP_STARTTLS or on this machine',
  ),
  ORRERY_LDAP_STARTTLS: flag(false, 'Encrypt a connection to an ldap:// address by StartTLS'),
  ORRERY_LDAP_CA_FILE: text(
    '',
    'PEM file with the certificates by which that of the directory is judged; empty: those of the system',
  ),
  ORRERY_LDAP_TIMEOUT_SECONDS: whole(
    10,
    'Time in which the directory must have answered a sign-in',
    1,
    25,
  ),
  ORRERY_LDAP_BIND_DN: text('', 'Account that searches for people; empty: nobody, anonymously'),
  ORRERY_LDAP_BIND_PASSWORD: secret('Password of that account'),
  ORRERY_LDAP_SEARCH_BASE: text('', 'Below what entry people are searched for'),
  ORRERY_LDAP_FILTER: text(
    '(uid={name})',
    'Filter by which somebody is found; {name} is what they typed',
  ),
  ORRERY_LDAP_USER_DN: text(
    '',
    'Name of the entry of somebody, such as uid={name},ou=people,dc=example,dc=org, instead of a search',
  ),
  ORRERY_LDAP_ID_ATTRIBUTE: text(
    'entryUUID',
    'Attribute by which somebody is known for ever; objectGUID with Active Directory',
  ),
  ORRERY_LDAP_NAME_ATTRIBUTE: text('uid', 'Attribute from which the name of a new user comes'),
  ORRERY_LDAP_EMAIL_ATTRIBUTE: text('mail', 'Attribute that holds the e-mail'),
  ORRERY_LDAP_EMAIL_PROVED: flag(
    false,
    'Take e-mails of the directory for proved, so that an account of the same proved e-mail is the same person; only where nobody can change their own',
  ),
  ORRERY_LDAP_GROUPS_ATTRIBUTE: text(
    'memberOf',
    'Attribute that holds the groups of a user; empty for none',
  ),
  ORRERY_LDAP_GROUP_BASE: text(
    '',
    'Below what entry groups are searched for as well, which are then known by their cn; empty: they are not',
  ),
  ORRERY_LDAP_GROUP_FILTER: text(
    '(member={dn})',
    'Filter by which the groups of somebody are found; {dn} is the name of the entry, {name} that of the person',
  ),
  ORRERY_LDAP_GROUPS: text('', 'What groups are here, as in ORRERY_OIDC_GROUPS'),
  ORRERY_LDAP_PROVISION: word(
    'all',
    ['all', 'groups', 'none'],
    'Who of the directory gets an account at the first sign-in: everybody, those in a group that a rule names, or nobody',
  ),
  ORRERY_HEADER_USER: text(
    'X-Remote-User',
    'Header in which a trusted proxy names who signs in; the proxy must remove what browsers send under this name',
  ),
  ORRERY_HEADER_EMAIL: text('', 'Header with their e-mail; empty: it is not read'),
  ORRERY_HEADER_EMAIL_PROVED: flag(
    false,
    'Take that e-mail for proved, so that an account of the same proved e-mail is the same person',
  ),
  ORRERY_HEADER_GROUPS_HEADER: text(
    '',
    'Header with their groups, separated by commas; empty: it is not read',
  ),
  ORRERY_HEADER_GROUPS: text('', 'What groups are here, as in ORRERY_OIDC_GROUPS'),
  ORRERY_HEADER_PROVISION: word(
    'all',
    ['all', 'groups', 'none'],
    'Whom that proxy names gets an account at the first sign-in: everybody, those in a group that a rule names, or nobody',
  ),
  ORRERY_HEADER_LABEL: text('Company account', 'What the button says'),
  ORRERY_LOG_LEVEL: word(
    'info',
    ['silent', 'error', 'warn', 'info', 'debug'],
    'Least weight of what is logged',
  ),
  ORRERY_METRICS_TOKEN: secret(
    'Token that whoever reads /metrics must bring, as Authorization: Bearer; empty asks for none',
  ),
  ORRERY_CHECK_REPLIES: flag(false, 'Hold every reply against its row; for tests and development'),
  ORRERY_CORS_ORIGINS: text(
    '',
    'Origins that browsers may call the API from, separated by commas; * for any, without credentials',
  ),
  ORRERY_TRUSTED_PROXIES: text(
    '',
    'Addresses and networks of proxies whose X-Forwarded-For is believed, separated by commas',
  ),
  ORRERY_ALLOW_PRIVATE_TARGETS: text(
    '',
    'Hosts and networks that outgoing calls may reach although they are private',
  ),
  ORRERY_PYTHON_METRICS: text(
    '',
    'Python interpreter, by its path or name, that runs the metrics of automation rules, each in a process that is shut in; Linux only. Empty: such rules are kept and skipped',
  ),
  ORRERY_SEAL_KEY: secret(
    'Key under which secrets of webhooks and channels are sealed, at least 32 characters; the same on every machine. Empty: kept in the data folder',
  ),
  ORRERY_SMTP_HOST: text('', 'Host of the mail server; empty sends no mail'),
  ORRERY_SMTP_PORT: whole(587, 'Port of the mail server', 1, 65_535),
  ORRERY_SMTP_TLS: word(
    'starttls',
    ['starttls', 'tls', 'none'],
    'How mail is encrypted on its way: after STARTTLS, from the start, or not at all',
  ),
  ORRERY_SMTP_USER: text('', 'User of the mail server; empty logs in as nobody'),
  ORRERY_SMTP_PASSWORD_FILE: text('', 'File with the password of that user'),
  ORRERY_SMTP_FROM: text('', 'Sender of mail, "Orrery <orrery@example.org>"'),
  ORRERY_SMTP_REPLY_TO: text('', 'Where replies to mail go; empty is the sender'),
  ORRERY_JSON_LIMIT_MB: whole(72, 'Largest JSON body as sent', 1, 1024),
  ORRERY_JSON_INFLATED_LIMIT_MB: whole(128, 'Largest JSON body after unpacking', 1, 1024),
  ORRERY_BODY_MEMORY_MB: whole(
    0,
    'Memory that the bodies of all requests under way may take in one process: packed, unpacked and parsed; beyond it requests get 429. 0: half of what the heap may grow to',
  ),
  ORRERY_LEAST_BODY_BYTES_PER_SECOND: whole(
    500,
    'Bytes a second that the body of a request must bring on the average, after its first 20 s; 0 is no bound',
  ),
  PG_BIN_DIR: text(
    '',
    'Folder of a system Postgres of the same major version, instead of the packaged one',
  ),
  SWAGGER_ENABLED: flag(false, 'Show the API page at /swagger'),
  HTTPS_ENABLED: word(
    '',
    ['', 'true', 'false'],
    'Whether cookies are sent over https only. Empty: as the address of ORRERY_BASE_URL begins',
  ),
  JWT_SAME_SITE: word(
    '',
    ['', 'NONE', 'LAX', 'STRICT'],
    'From which sites cookies are sent along; NONE needs https. Empty: NONE with https, else LAX',
  ),
  ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM: whole(
    30,
    'Days in which what was logged without a key can be claimed; then it is deleted',
    1,
    3650,
  ),
  ORRERY_RATE_LIMITS: flag(
    false,
    'Limit how often users and workspaces may write and read traces and spans; beyond it requests get 429, and SDKs send them again',
  ),
  ORRERY_RATE_USER_EVENTS_PER_MINUTE: whole(
    10_000,
    'With ORRERY_RATE_LIMITS: traces, spans, scores and items that a user may write; a batch counts as many as it has; 0 is off, as of each of these',
  ),
  ORRERY_RATE_WORKSPACE_EVENTS_PER_MINUTE: whole(5000, 'The same of all users of a workspace'),
  ORRERY_RATE_SINGLE_WRITES_PER_MINUTE: whole(
    800,
    'Requests of a user that write a single trace or span',
  ),
  ORRERY_RATE_SPAN_READS_PER_MINUTE: whole(250, 'Requests of a user for a single span'),
  ORRERY_RATE_TRACE_LISTS_PER_MINUTE: whole(250, 'Requests of a user for a page of traces'),
  ORRERY_RATE_TRACE_STREAMS_PER_MINUTE: whole(250, 'Searches of a user for traces'),
  ORRERY_RATE_TRACE_STATISTICS_PER_MINUTE: whole(250, 'Requests of a user for figures of traces'),
  ORRERY_THROTTLE_METRICS_PER_MINUTE: whole(
    6_000_000,
    'Metric points of an experiment; beyond it requests get 429, so that one runaway run does not hold up the others; 0 is off',
  ),
  ORRERY_THROTTLE_SYSTEM_METRICS_PER_MINUTE: whole(
    600_000,
    'System metric points of an experiment; beyond it requests get 429, so that one runaway run does not hold up the others; 0 is off',
  ),
  ORRERY_THROTTLE_PARAMETERS_PER_MINUTE: whole(
    600_000,
    'Parameters of an experiment; beyond it requests get 429, so that one runaway run does not hold up the others; 0 is off',
  ),
  ORRERY_THROTTLE_OUTPUT_PER_MINUTE: whole(
    1_200_000,
    'Lines of output of an experiment; beyond it requests get 429, so that one runaway run does not hold up the others; 0 is off',
  ),
  ORRERY_THROTTLE_ASSETS_PER_MINUTE: whole(
    120_000,
    'Assets of an experiment; beyond it requests get 429, so that one runaway run does not hold up the others; 0 is off',
  ),
  ORRERY_THROTTLE_ORGANIZATION_METRICS_PER_MINUTE: whole(
    0,
    'Metric points of the installation; 0 is off',
  ),
  ORRERY_THROTTLE_ORGANIZATION_SYSTEM_METRICS_PER_MINUTE: whole(
    0,
    'System metric points of the installation; 0 is off',
  ),
  ORRERY_THROTTLE_ORGANIZATION_PARAMETERS_PER_MINUTE: whole(
    0,
    'Parameters of the installation; 0 is off',
  ),
  ORRERY_THROTTLE_ORGANIZATION_OUTPUT_PER_MINUTE: whole(
    0,
    'Lines of output of the installation; 0 is off',
  ),
  ORRERY_THROTTLE_ORGANIZATION_ASSETS_PER_MINUTE: whole(0, 'Assets of the installation; 0 is off'),
} as const;

export type SettingName = keyof typeof settingRows;
export type SettingValues = ValuesOf<typeof settingRows>;
export const settingNames = Object.keys(settingRows) as readonly SettingName[]; // the keys of that very table
