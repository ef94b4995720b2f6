import { readGroupRules } from '#adapters/auth/oidc/rules';

/** What is half set, or contradicts itself, of signing in at a provider. */
export const providerFaults = (
  values: Readonly<Record<string, string | number | boolean>>,
): readonly string[] => {
  const faults: string[] = [];
  const [isOidc, issuer] = [values['ORRERY_AUTH'] === 'oidc', String(values['ORRERY_OIDC_ISSUER'])];
  for (const name of ['ORRERY_OIDC_ISSUER', 'ORRERY_OIDC_CLIENT_ID'] as const) {
    if (isOidc && values[name] === '') faults.push(`${name} is required when ORRERY_AUTH is oidc`);
    if (!isOidc && values[name] !== '')
      faults.push(`${name} is set, but ORRERY_AUTH is ${String(values['ORRERY_AUTH'])}`);
  }
  if (!isOidc && values['ORRERY_OIDC_CLIENT_SECRET'] !== '')
    faults.push(
      `ORRERY_OIDC_CLIENT_SECRET is set, but ORRERY_AUTH is ${String(values['ORRERY_AUTH'])}`,
    );
  if (values['ORRERY_AUTH'] === 'local' && values['ORRERY_LOCAL_ACCOUNTS'] === false)
    faults.push('ORRERY_LOCAL_ACCOUNTS is off, but ORRERY_AUTH is local: nobody could sign in');
  if (
    isOidc &&
    issuer !== '' &&
    !(
      URL.canParse(issuer) &&
      (issuer.startsWith('https://') ||
        /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(issuer))
    )
  )
    faults.push('ORRERY_OIDC_ISSUER must be an https:// address, or http:// on this machine');
  try {
    readGroupRules(String(values['ORRERY_OIDC_GROUPS']));
  } catch (thrown) {
    faults.push(thrown instanceof Error ? thrown.message : String(thrown));
  }
  return faults;
};
