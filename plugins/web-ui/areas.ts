// What the web UI adds to the server: the page at its addresses, and its files.
import { area, type Area } from '#ports/api/area';
import { pageFamily } from '#ports/api/families/page';
import { Failure } from '#ports/failure';
import type { Operations } from '#ports/operations';
import { firstReplies } from './beginning.js';
import { once } from './bytes.js';
import { appPage, dataElement, type AppFile } from './files.js';
import { repliesId, type Replies } from './pure/asking.js';
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

/** Members of an address as a browser reads them; the first of each, as texts. */
const searchOf = (query: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      return typeof first === 'string' ? [[name, first] as [string, string]] : [];
    }),
  );

/** The areas, with these files. */
export const webUiAreas = (
  files: ReadonlyMap<string, AppFile>,
  operations: Pick<Operations, 'call'>,
): readonly Area[] => {
  const page = appPage(files);
  const shown = (replies: Promise<Replies>) => ({
    type: 'text/html; charset=utf-8',
    ownPage: true as const,
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
        showRuns: async ({ caller, params, query }) =>
          shown(firstReplies(operations, caller, { ...params, search: searchOf(query) })),
        showShared: async () => shown(Promise.resolve({})),
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
