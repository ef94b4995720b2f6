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
    ...refusalOf(() => readGroupRules(String(values['ORRERY_OIDC_GROUPS']), 'ORRERY_OIDC_GROUPS')),
  ];
};
