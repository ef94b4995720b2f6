// What the settings say of signing in, and what among them contradicts itself.
import { checkSecret } from '#adapters/auth/local/keys';
import { systemSecrets } from '#adapters/system/secrets';
import { cookiePolicy } from '#adapters/http/cookies';
import { faultsOf, refuseFaults, type PasswordRules } from '#core/identity/rules';
import type { Auth } from '#ports/auth';
import { isFailure } from '#ports/failure';
import type { SettingValues } from './settings.js';

const rulesOf = (values: SettingValues): PasswordRules => ({
  minLength: values.PASSWORD_MIN_LENGTH,
  maxSequence: values.PASSWORD_MAX_SEQUENCE,
  maxRepeat: values.PASSWORD_MAX_REPEAT,
  isCommon: systemSecrets.isCommonPassword,
});

/** Refuses a password by the rules that the settings make. */
export const passwordCheck = (values: SettingValues): Auth['checkNewPassword'] => {
  const rules = rulesOf(values);
  return (password, owner) => {
    refuseFaults(faultsOf(password, owner, rules), rules);
  };
};

const hourMs = 3_600_000;
export const sessionLife = (values: SettingValues) => ({
  idleMs: values.ORRERY_SESSION_IDLE_HOURS * hourMs,
  mostMs: values.ORRERY_SESSION_MOST_HOURS * hourMs,
});

/** A password that nobody chose, and that keeps to every rule. */
export const makePassword = (values: SettingValues, name: string): string => {
  const rules = rulesOf(values);
  for (;;) {
    let password = systemSecrets.password();
    while (password.length < rules.minLength) password += `-${systemSecrets.code(6)}`;
    // One in ten thousand holds four letters in their order.
    if (faultsOf(password, { name, email: undefined }, rules).length === 0) return password;
  }
};

/** The sentence of a refusal, if there is one. */
const refusalOf = (check: () => void): readonly string[] => {
  try {
    check();
    return [];
  } catch (thrown) {
    if (isFailure(thrown)) return [thrown.message];
    throw thrown;
  }
};

/** What is wrong or only half set, each a sentence that names the setting and no secret. */
export const signInFaults = (values: SettingValues): readonly string[] => [
  ...refusalOf(() =>
    cookiePolicy({
      ...values,
      baseUrl:
        values.ORRERY_BASE_URL === '' ? `http://${values.ORRERY_HOST}` : values.ORRERY_BASE_URL,
    }),
  ),
  ...(values.ORRERY_ADMIN_PASSWORD === ''
    ? []
    : refusalOf(() => {
        passwordCheck(values)(values.ORRERY_ADMIN_PASSWORD, {
          name: values.ORRERY_ADMIN_USER,
          email: undefined,
        });
      }).map((sentence) => `ORRERY_ADMIN_PASSWORD: ${sentence}`)),
  ...(values.ORRERY_ADMIN_API_KEY === ''
    ? []
    : refusalOf(() => {
        checkSecret(values.ORRERY_ADMIN_API_KEY);
      }).map((sentence) => `ORRERY_ADMIN_API_KEY: ${sentence}`)),
  ...(values.ORRERY_SESSION_IDLE_HOURS > values.ORRERY_SESSION_MOST_HOURS
    ? ['ORRERY_SESSION_IDLE_HOURS must not be more than ORRERY_SESSION_MOST_HOURS']
    : []),
  ...(values.ORRERY_SMTP_USER !== '' && values.ORRERY_SMTP_PASSWORD_FILE === ''
    ? ['ORRERY_SMTP_PASSWORD_FILE is required when ORRERY_SMTP_USER is set']
    : []),
  ...(values.ORRERY_SMTP_USER === '' && values.ORRERY_SMTP_PASSWORD_FILE !== ''
    ? ['ORRERY_SMTP_USER is required when ORRERY_SMTP_PASSWORD_FILE is set']
    : []),
  ...(values.ORRERY_SMTP_HOST === ''
    ? (
        [
          'ORRERY_SMTP_USER',
          'ORRERY_SMTP_PASSWORD_FILE',
          'ORRERY_SMTP_FROM',
          'ORRERY_SMTP_REPLY_TO',
        ] as const
      )
        .filter((name) => values[name] !== '')
        .map((name) => `ORRERY_SMTP_HOST is required when ${name} is set`)
    : []),
];
