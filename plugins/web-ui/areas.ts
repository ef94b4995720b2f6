// What the web UI adds to the server: the page at its addresses, and its files.
import { area, type Area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { Failure } from '#ports/failure';
import { appPage, type AppFile } from './files.js';
import { appOperations } from './rows.js';

const yearSeconds = 31_536_000;

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(bytes);
}

/** The areas, with these files. */
export const webUiAreas = (files: ReadonlyMap<string, AppFile>): readonly Area[] => {
  const page = new TextEncoder().encode(appPage(files));
  return [
    area({
      name: 'web-ui',
      summary: 'The web UI and its files.',
      family: pageFamily,
      table: appOperations,
      needs: {},
      handlers: () => ({
        showApp: async () => ({
          type: 'text/html; charset=utf-8',
          ownPage: true as const,
          size: page.length,
          open: () => once(page),
        }),
        async showAppFile({ params, headers }) {
          const file = files.get(params.file);
          if (file === undefined)
            throw new Failure('absent', `there is no file ${params.file}; load the page anew`);
          const packs = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
          const content = packs ? file.gzip : file.plain();
          return {
            cacheSeconds: yearSeconds,
            neverChanges: true as const,
            body: {
              type: file.type,
              ownPage: true as const,
              ...(packs ? { packed: 'gzip' as const } : {}),
              open: () => once(content),
            },
          };
        },
      }),
    }),
  ];
};
