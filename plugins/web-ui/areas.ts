// What the web UI adds to the server: the page at its addresses, and its files.
import { area, type Area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { Failure } from '#ports/failure';
import { basePathOf, type Settings } from '#ports/settings';
import { beginning, nothing, type Beginning } from './beginning.js';
import { once } from './bytes.js';
import { appPage, dataElement, reportParts, type AppFile } from './files.js';
import { readPlace, type Place } from './pure/address.js';
import { behindData, repliesId } from './pure/asking.js';
import { faceHandlers, type FaceNeeds } from './faces/handlers.js';
import { appOperations } from './rows.js';

const yearSeconds = 31_536_000;
const encoder = new TextEncoder();

/** The page: its first piece is on its way while the replies are made, and those while the bytes are that come last. */
async function* pageWith(
  [head, tail]: readonly [string, string],
  { replies, last }: Beginning,
): AsyncIterable<Uint8Array> {
  yield encoder.encode(head);
  yield encoder.encode(dataElement(repliesId, await replies) + behindData);
  const brought = await last;
  yield encoder.encode((brought === undefined ? '' : dataElement(brought.id, brought)) + tail);
}

/** The pages of the app, each made when it is first asked for. */
const appPages = (files: ReadonlyMap<string, AppFile>, base: string) => {
  const pages = new Map<Place['screen'], readonly [string, string]>();
  return (path: string) => {
    const { screen } = readPlace(path);
    const page = pages.get(screen) ?? appPage(files, screen, base);
    pages.set(screen, page);
    return page;
  };
};

/** The areas, with these files. */
export const webUiAreas = (
  files: ReadonlyMap<string, AppFile>,
  { settings, ...needs }: FaceNeeds & { readonly settings: Pick<Settings, 'baseUrl'> },
): readonly Area[] => {
  const { operations } = needs;
  const pageAt = appPages(files, basePathOf(settings.baseUrl));
  const report = reportParts(files);
  const shown = (path: string, began: Beginning) => ({
    type: 'text/html; charset=utf-8',
    ownPage: true as const,
    byAccept: true as const,
    open: () => pageWith(pageAt(path), began),
  });
  return [
    area({
      name: 'web-ui',
      summary: 'The web UI and its files.',
      family: pageFamily,
      table: appOperations,
      needs: {},
      handlers: () => ({
        showApp: async ({ caller, path }) => shown(path, beginning(operations, caller)),
        ...faceHandlers({ ...needs, report }, ({ caller, path }, of) =>
          caller === undefined
            ? { ...shown(path, nothing), embeddable: true as const }
            : shown(path, beginning(operations, caller, of)),
        ),
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
