// The application over HTTP, with what the settings say of its limits.
import { getHeapStatistics } from 'node:v8';
import type Koa from 'koa';
import { createBudget } from '#adapters/http/budget';
import { cookieJar, cookiePolicy } from '#adapters/http/cookies';
import { createApplication } from '#adapters/http/server';
import { trustedProxies } from '#adapters/http/source';
import { systemSecrets } from '#adapters/system/secrets';
import { judgeSessions } from '#core/identity/by-header';
import { checkInternalToken, internalSettings } from '#core/internal-token';
import { checkClient } from '#core/runs/rules';
import { runSettings } from '#core/runs/settings';
import { Gate } from '#ports/api/gate';
import { Audit } from '#ports/audit';
import { Auth } from '#ports/auth';
import { Otlp } from '#ports/otlp';
import { RateLimits } from '#ports/rate-limits';
import { Readiness } from '#ports/readiness';
import type { Assembly, Bound } from './bind-ports.js';
import { resolveNeeds } from './bind.js';
import type { Late } from './late.js';
import type { SettingValues } from './settings.js';

const mebibyte = 1024 * 1024;
const deepest = 64;

const limitsOf = (values: SettingValues) => ({
  budget: createBudget(
    values.ORRERY_BODY_MEMORY_MB === 0
      ? getHeapStatistics().heap_size_limit / 2
      : values.ORRERY_BODY_MEMORY_MB * mebibyte,
  ),
  bounds: {
    packedBytes: values.ORRERY_JSON_LIMIT_MB * mebibyte,
    inflatedBytes: values.ORRERY_JSON_INFLATED_LIMIT_MB * mebibyte,
    depth: deepest,
  },
});

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Every route that there is by now, over koa; nothing listens yet. */
export const applicationOf = async (
  { loaded: { values }, baseUrl, parts }: Assembly,
  { container, storage, ways, sealer, toggles, traffic }: Bound,
  { routes }: Late,
): Promise<Koa> => {
  const resolved = await resolveNeeds(container, {
    auth: Auth,
    audit: Audit,
    gate: Gate,
    otlp: Otlp,
    rates: RateLimits,
    readiness: Readiness,
  });
  const { runs, internal } = await resolveNeeds(container, {
    runs: runSettings.port,
    internal: internalSettings.port,
  });
  return createApplication(routes, {
    ...parts,
    ...resolved,
    ...limitsOf(values),
    cookies: cookieJar(cookiePolicy({ ...values, baseUrl })),
    judgeSession: judgeSessions({ ways, sealer, storage }),
    same: systemSecrets.same,
    proxies: trustedProxies(values.ORRERY_TRUSTED_PROXIES),
    isSecure: baseUrl.startsWith('https:'),
    toggles,
    traffic,
    checkClient: (headers) => {
      checkClient(headers, runs);
    },
    checkInternalToken: ({ authorization }) => {
      checkInternalToken(systemSecrets, internal.ORRERY_INTERNAL_TOKEN, authorization);
    },
    checkReplies: values.ORRERY_CHECK_REPLIES,
    baseUrl,
    corsOrigins: listOf(values.ORRERY_CORS_ORIGINS),
  });
};
