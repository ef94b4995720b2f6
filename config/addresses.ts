// Addresses of databases and names of buckets, judged before anything is connected to.
const postgresWords = [
  'ssl',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'uselibpqcompat',
  'host',
  'port',
  'user',
  'password',
  'application_name',
  'client_encoding',
  'options',
  'query_timeout',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'keepalives',
];
/** How a connection to MySQL is encrypted, by the words of its own clients. */
export const mysqlModes = [
  'DISABLED',
  'PREFERRED',
  'REQUIRED',
  'VERIFY_CA',
  'VERIFY_IDENTITY',
] as const;
const mysqlWords = ['socketPath', 'ssl', 'sslmode', 'ssl-mode', 'ssl-ca', 'ssl-cert', 'ssl-key'];

const parameterFaults = (
  setting: string,
  address: string,
  known: readonly string[],
): readonly string[] =>
  [...new URL(address).searchParams.keys()]
    .filter((name) => !known.includes(name))
    .map(
      (name) =>
        `${setting} has the parameter ${name.slice(0, 60)}, which is not known here; those that are: ${known.join(', ')}`,
    );

const postgresFaults = (address: string): readonly string[] => {
  const form = 'ORRERY_POSTGRES_URL must look like postgres://user:password@host:port/database';
  if (address.startsWith('socket:') || address.startsWith('/')) return [];
  if (!/^postgres(?:ql)?:\/\//.test(address)) return [form];
  // A host may stand in the parameters, which a URL cannot do without.
  const readable = address.replace(/^(postgres(?:ql)?:\/\/(?:[^/@]*@)?)\//, '$1localhost/');
  if (!URL.canParse(readable)) return [form];
  return parameterFaults('ORRERY_POSTGRES_URL', readable, postgresWords);
};

const mysqlFaults = (address: string): readonly string[] => {
  const form = 'ORRERY_MYSQL_URL must look like mysql://user:password@host:port/database';
  if (
    !/^(?:mysql|mariadb):\/\//.test(address) ||
    !URL.canParse(address) ||
    new URL(address).pathname.length < 2
  )
    return [form];
  const { searchParams } = new URL(address);
  const mode = (searchParams.get('ssl-mode') ?? searchParams.get('sslmode'))?.toUpperCase();
  return [
    ...parameterFaults('ORRERY_MYSQL_URL', address, mysqlWords),
    ...(mode === undefined || (mysqlModes as readonly string[]).includes(mode)
      ? []
      : [`ssl-mode in ORRERY_MYSQL_URL must be one of ${mysqlModes.join(', ')}`]),
    ...(['true', 'false', '1', '0', null].includes(searchParams.get('ssl'))
      ? []
      : [
          'ssl in ORRERY_MYSQL_URL must be true or false; ssl-mode, ssl-ca, ssl-cert and ssl-key say more',
        ]),
  ];
};

const s3Faults = (bucket: string): readonly string[] =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/.test(bucket) && !bucket.includes('..')
    ? []
    : [
        'ORRERY_S3_BUCKET is not a name that a bucket can have: 3 to 63 letters, digits, dots and dashes',
      ];
const gcsFaults = (bucket: string): readonly string[] =>
  /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket) && !bucket.includes('..')
    ? []
    : [
        'ORRERY_GCS_BUCKET is not a name that a bucket can have: 3 to 222 lower-case letters, digits, dots, dashes and underscores',
      ];

/** What is wrong with the addresses that these settings use, each a sentence that names the setting and no secret. */
export const addressFaults = (
  values: Readonly<Record<string, string | number | boolean>>,
): readonly string[] => {
  const text = (name: string): string => String(values[name] ?? '');
  const uses = (setting: string, choice: string, address: string): boolean =>
    values[setting] === choice && text(address) !== '';
  return [
    ...(uses('ORRERY_STORAGE', 'postgres', 'ORRERY_POSTGRES_URL')
      ? postgresFaults(text('ORRERY_POSTGRES_URL'))
      : []),
    ...(uses('ORRERY_STORAGE', 'mysql', 'ORRERY_MYSQL_URL')
      ? mysqlFaults(text('ORRERY_MYSQL_URL'))
      : []),
    ...(uses('ORRERY_BLOB', 's3', 'ORRERY_S3_BUCKET') ? s3Faults(text('ORRERY_S3_BUCKET')) : []),
    ...(uses('ORRERY_BLOB', 'gcs', 'ORRERY_GCS_BUCKET')
      ? gcsFaults(text('ORRERY_GCS_BUCKET'))
      : []),
  ];
};
