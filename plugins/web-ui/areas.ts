// What the web UI adds to the server: the page at its addresses, and its files.
import { area, type Area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { Failure } from '#ports/failure';
import { firstReplies } from './beginning.js';
import { once } from './bytes.js';
import { appPage, dataElement, reportParts, type AppFile } from './files.js';
import { repliesId, type Replies } from './pure/asking.js';
import { faceHandlers, type FaceNeeds } from './faces/handlers.js';
import { appOperations } from './rows.js';

const yearSeconds = 31_536_000;
const encoder = new TextEncoder();

/** The page: its first piece is on its way while the replies are made. */
async function* pageWith(
  [head, tail]: readonly [string, string],
  replies: Promise<Replies>,
): AsyncIterable<Uint8Array> {
  yield encoder.encode(head);
  yield encoder.encode(dataElement(repliesId, await replies) + tail);
}

/** The areas, with these files. */
export const webUiAreas = (
  files: ReadonlyMap<string, AppFile>,
  needs: FaceNeeds,
): readonly Area[] => {
  const { operations } = needs;
  const page = appPage(files);
  const report = reportParts(files);
  const shown = (replies: Promise<Replies>) => ({
    type: 'text/html; charset=utf-8',
    ownPage: true as const,
    byAccept: true as const,
    open: () => pageWith(page, replies),
  });
  return [
    area({
      name: 'web-ui',
      summary: 'The web UI and its files.',
      family: pageFamily,
      table: appOperations,
      needs: {},
      handlers: () => ({
        showApp: async ({ caller }) => shown(firstReplies(operations, caller)),
        ...faceHandlers({ ...needs, report }, (caller, of) =>
          caller === undefined
            ? { ...shown(Promise.resolve({})), embeddable: true as const }
            : shown(firstReplies(operations, caller, of)),
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
