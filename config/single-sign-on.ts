// What the settings say of the ways of signing in, and what among them is half set or contradicts itself.
import { readGroupRules } from '#core/identity/group-rules';

type Values = Readonly<Record<string, string | number | boolean>>;

/** The entries of a list with commas between them. */
export const listed = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** The ways by their drivers' names, in the order in which they are offered; passwords come last where they are not named. */
export const wayNames = (values: Values): readonly string[] => {
  const names = [...new Set(listed(String(values['ORRERY_AUTH'])))];
  return values['ORRERY_LOCAL_ACCOUNTS'] === false || names.includes('local')
    ? names
    : [...names, 'local'];
};

/** A rule that a check breaks, as its sentence. */
const refusalOf = (check: () => unknown): readonly string[] => {
  try {
    check();
    return [];
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
};

/** What a way needs, and what has no effect without it. */
const requiredBy = {
  oidc: {
    needs: ['ORRERY_OIDC_ISSUER', 'ORRERY_OIDC_CLIENT_ID'],
    idle: ['ORRERY_OIDC_ISSUER', 'ORRERY_OIDC_CLIENT_ID', 'ORRERY_OIDC_CLIENT_SECRET'],
  },
  ldap: {
    needs: ['ORRERY_LDAP_URL', 'ORRERY_LDAP_ID_ATTRIBUTE', 'ORRERY_LDAP_NAME_ATTRIBUTE'],
    idle: ['ORRERY_LDAP_URL', 'ORRERY_LDAP_BIND_DN', 'ORRERY_LDAP_BIND_PASSWORD'],
  },
  // Without a proxy that is trusted nobody's header would be believed.
  'trusted-header': { needs: ['ORRERY_HEADER_USER', 'ORRERY_TRUSTED_PROXIES'], idle: [] },
} as const;

const pairingFaults = (values: Values): readonly string[] => {
  const auth = String(values['ORRERY_AUTH']);
  const names = listed(auth);
  return Object.entries(requiredBy).flatMap(([way, { needs, idle }]) =>
    names.includes(way)
      ? needs
          .filter((name) => values[name] === '')
          .map((name) => `${name} is required when ORRERY_AUTH is ${auth}`)
      : idle
          .filter((name) => values[name] !== '')
          .map((name) => `${name} is set, but ORRERY_AUTH is ${auth}`),
  );
};

const localFaults = (values: Values): readonly string[] => {
  const auth = String(values['ORRERY_AUTH']);
  const names = listed(auth);
  if (names.length === 0) return ['ORRERY_AUTH names no way of signing in'];
  return values['ORRERY_LOCAL_ACCOUNTS'] === false && names.includes('local')
    ? [
        `ORRERY_LOCAL_ACCOUNTS is off, but ORRERY_AUTH is ${auth}${names.length === 1 ? ': nobody could sign in' : ''}`,
      ]
    : [];
};

const isSafeIssuer = (issuer: string): boolean =>
  URL.canParse(issuer) &&
  (issuer.startsWith('https://') ||
    /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(issuer));

const isSafeDirectory = (url: string, startTls: boolean): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, pathname } = new URL(url);
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return (
    hostname !== '' &&
    ['', '/'].includes(pathname) &&
    (protocol === 'ldaps:' ? !startTls : protocol === 'ldap:' && (startTls || isHere))
  );
};

const directoryFaults = (values: Values): readonly string[] => {
  const text = (name: string): string => String(values[name]);
  const [url, startTls] = [text('ORRERY_LDAP_URL'), values['ORRERY_LDAP_STARTTLS'] === true];
  const [base, template] = [text('ORRERY_LDAP_SEARCH_BASE'), text('ORRERY_LDAP_USER_DN')];
  const hasPassword = values['ORRERY_LDAP_BIND_PASSWORD'] !== '';
  const rules: readonly (readonly [boolean, string])[] = [
    [
      url !== '' && !isSafeDirectory(url, startTls),
      'ORRERY_LDAP_URL must be ldaps:// and a host without ORRERY_LDAP_STARTTLS, or ldap:// and a host with it or on this machine',
    ],
    [
      (base === '') === (template === ''),
      'ORRERY_LDAP_SEARCH_BASE or ORRERY_LDAP_USER_DN is required when ORRERY_AUTH names ldap, and not both',
    ],
    [template !== '' && !template.includes('{name}'), 'ORRERY_LDAP_USER_DN must hold {name}'],
    [!text('ORRERY_LDAP_FILTER').includes('{name}'), 'ORRERY_LDAP_FILTER must hold {name}'],
    [
      (text('ORRERY_LDAP_BIND_DN') !== '') !== hasPassword,
      'ORRERY_LDAP_BIND_DN and ORRERY_LDAP_BIND_PASSWORD must be set together',
    ],
    [
      template !== '' && hasPassword,
      'ORRERY_LDAP_BIND_DN is set, but with ORRERY_LDAP_USER_DN nobody searches',
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence);
};

const headerFaults = (values: Values): readonly string[] =>
  ['ORRERY_HEADER_USER', 'ORRERY_HEADER_EMAIL', 'ORRERY_HEADER_GROUPS_HEADER']
    .filter((name) => !/^[\w-]*$/.test(String(values[name])))
    .map((name) => `${name} must be the name of a header`);

/** What is half set, or contradicts itself, of the ways of signing in. */
export const wayFaults = (values: Values): readonly string[] => {
  const names = listed(String(values['ORRERY_AUTH']));
  const issuer = String(values['ORRERY_OIDC_ISSUER']);
  return [
    ...pairingFaults(values),
    ...localFaults(values),
    ...(names.includes('oidc') && issuer !== '' && !isSafeIssuer(issuer)
      ? ['ORRERY_OIDC_ISSUER must be an https:// address, or http:// on this machine']
      : []),
    ...(names.includes('ldap') ? directoryFaults(values) : []),
    ...headerFaults(values),
    ...['ORRERY_OIDC_GROUPS', 'ORRERY_LDAP_GROUPS', 'ORRERY_HEADER_GROUPS'].flatMap((name) =>
      refusalOf(() => readGroupRules(String(values[name]), name)),
    ),
  ];
};
