import { area } from '#ports/api/area';
import { configurationOperations } from '#ports/api/configuration';
import { privateFamily } from '#ports/api/families/private';
import { Settings } from '#ports/settings';
import { ShownSettings } from '#ports/settings-shown';
import { SignInWays } from '#ports/sign-in';
import { Toggles } from '#ports/toggles';

/** Limits that pages show or keep to. What is not named here is told to administrators only. */
const limits = new Set([
  'ASSET_REDIRECT_SIZE_LIMIT',
  'EXPERIMENTS_IN_EM_PROJECT_LIMIT',
  'EXPERIMENTS_IN_LLM_PROJECT_LIMIT',
  'HTML_PER_EXPERIMENT_LIMIT_MB',
  'MAX_ASSETS_IN_PANEL',
  'MAX_EXPERIMENTS_FOR_CHART_TYPE_DETECTION',
  'METRICS_PER_EXPERIMENT_LIMIT',
  'ORRERY_ASSETS_PER_KIND_LIMIT',
  'ORRERY_IMAGES_PER_EXPERIMENT_LIMIT',
  'ORRERY_LISTENERS_PER_USER',
  'OUTPUT_PER_EXPERIMENT_LIMIT_MB',
  'PASSWORD_MIN_LENGTH',
  'USER_NAME_MIN_LENGTH',
]);

export const configurationArea = area({
  name: 'configuration',
  summary: 'What pages must know of the server.',
  family: privateFamily,
  table: configurationOperations,
  needs: { settings: Settings, shown: ShownSettings, toggles: Toggles, ways: SignInWays },
  handlers: ({ settings: { version, baseUrl }, shown, toggles, ways }) => ({
    getConfiguration() {
      const all = shown.list();
      return Promise.resolve({
        version,
        baseUrl,
        basePath: new URL(baseUrl).pathname,
        toggles: Object.fromEntries(toggles.list().map(({ name, enabled }) => [name, enabled])),
        limits: Object.fromEntries(
          all.flatMap(({ name, value }) =>
            limits.has(name) && typeof value === 'number' ? [[name, value]] : [],
          ),
        ),
        signIn: ways.all.map(({ name, label, kind }) => ({ name, label, kind })),
        signUp: String(all.find(({ name }) => name === 'ORRERY_SIGN_UP')?.value ?? ''),
      });
    },
  }),
});
