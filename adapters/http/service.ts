// The area in which the server speaks of itself.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { plainFamily } from '#ports/api/families/plain';
import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { serviceOperations, swaggerOperations, versionOperations } from '#ports/api/service';
import { Catalogue } from '#ports/catalogue';
import { Failure } from '#ports/failure';
import { Meters } from '#ports/meters';
import { Readiness } from '#ports/readiness';
import { Secrets } from '#ports/secrets';
import { Settings } from '#ports/settings';
import { describeRows } from './openapi.js';
import { style } from './pages/frame.js';

async function* once(content: string | Buffer): AsyncIterable<Uint8Array> {
  yield typeof content === 'string' ? Buffer.from(content) : content;
}

export const serviceArea = area({
  name: 'service',
  summary: 'Health, metrics of the server, and this description.',
  family: plainFamily,
  table: serviceOperations,
  needs: {
    readiness: Readiness,
    meters: Meters,
    catalogue: Catalogue,
    secrets: Secrets,
    settings: Settings,
  },
  handlers: ({ readiness, meters, catalogue, secrets, settings }) => {
    const { version, baseUrl, ORRERY_METRICS_TOKEN: token } = settings;
    return {
      showPage: async () => ({
        page: 'home' as const,
        shows: { version, baseUrl, fault: await readiness.fault() },
      }),
      showStyle: async () => ({
        cacheSeconds: 86_400,
        body: { type: 'text/css; charset=utf-8', ownPage: true as const, open: () => once(style) },
      }),
      isLive: async () => ({ status: 'live', reason: null, version }),
      async isReady() {
        const fault = await readiness.fault();
        return fault === undefined
          ? ({ status: 200, body: { status: 'ready', reason: null, version } } as const)
          : ({ status: 503, body: { status: 'not ready', reason: fault, version } } as const);
      },
      async showMetrics({ headers }) {
        if (token !== '' && !secrets.same(headers['authorization'] ?? '', `Bearer ${token}`))
          throw new Failure('unauthenticated', 'the figures are for who brings their token');
        const figures = await meters.show();
        return { type: 'text/plain; version=0.0.4', open: () => once(figures) };
      },
      describe: async () =>
        describeRows(catalogue.rows(), version, baseUrl) as Record<string, unknown>, // readonly members, which the reply's type does not ask for
    };
  },
});

const probe = { code: 200, data: null, sdk_error_code: 0 } as const;

export const versionArea = area({
  name: 'version',
  summary: 'The version of the server, for clients.',
  family: trackingFamily,
  table: versionOperations,
  needs: { settings: Settings },
  handlers: ({ settings }) => ({
    probeVersion: async () => ({ msg: 'Healthy Server', ...probe, version: settings.version }),
    ping: async () => ({ msg: 'Healthy Server', ...probe }),
  }),
});

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  png: 'image/png',
};
const start = `window.onload=()=>{window.ui=SwaggerUIBundle({url:'../openapi.json',dom_id:'#swagger-ui',presets:[SwaggerUIBundle.presets.apis]})}`;
const swaggerPage =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Orrery API</title><link rel="stylesheet" href="swagger-ui.css"></head><body><div id="swagger-ui"></div><script src="swagger-ui-bundle.js"></script><script src="swagger-initializer.js"></script></body></html>';

export const swaggerArea = area({
  name: 'swagger',
  summary: 'The page that shows this description.',
  family: plainFamily,
  table: swaggerOperations,
  needs: {},
  handlers: () => ({
    showSwagger: async () => '/swagger/index.html',
    async showSwaggerFile({ params: { file } }) {
      const type = types[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      if (file === 'index.html')
        return {
          type,
          ownPage: true as const,
          inlineStyles: true as const,
          open: () => once(swaggerPage),
        };
      if (file === 'swagger-initializer.js')
        return { type, ownPage: true as const, open: () => once(start) };
      const folder = dirname(
        createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'),
      );
      const content = await readFile(join(folder, file)).catch((cause: unknown) => {
        throw new Failure('absent', `there is nothing at /swagger/${file}`, { cause });
      });
      return { type, ownPage: true as const, open: () => once(content) };
    },
  }),
});
