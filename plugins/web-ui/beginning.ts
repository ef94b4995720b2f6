// What the server sends along with a page: the replies to what it asks first, so that it need not wait for one after the other.
import type { Caller } from '#ports/model/identity';
import type { Operations } from '#ports/operations';
import { requestKey, addressOf, type Replies } from './pure/asking.js';
import { firstRows, rowsBody, wantedRuns, type LoggedColumn } from './pure/run-page.js';

/** A page is not held up longer than this; it asks for itself what had not come by then. */
const longestMs = 800;

interface Asked {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Asks one row after the other as the caller would, and keeps each reply by its request. Ends at the first that is refused: the page hears why by itself. */
const answering = (
  operations: Pick<Operations, 'call'>,
  caller: Caller,
  kept: Record<string, unknown>,
) => {
  const ask = async ({ id, method, path, query, body }: Asked): Promise<unknown> => {
    const reply = await operations.call(
      id,
      { ...(query === undefined ? {} : { query }), ...(body === undefined ? {} : { body }) },
      caller,
    );
    kept[requestKey(method, addressOf(path, {}, query), body)] = reply;
    return reply;
  };
  return ask;
};

const ui = '/v1/private/ui';

const runsPage = async (
  ask: (asked: Asked) => Promise<unknown>,
  { workspace, project }: { readonly workspace: string; readonly project: string },
  search: URLSearchParams,
): Promise<void> => {
  const found = (await ask({
    id: 'getProject',
    method: 'GET',
    path: '/api/rest/v2/project',
    query: { workspaceName: workspace, projectName: project },
  })) as { readonly projectId: string }; // that row's reply
  const { columns } = (await ask({
    id: 'listRunColumns',
    method: 'GET',
    path: `${ui}/runs/columns`,
    query: { project: found.projectId },
  })) as { readonly columns: readonly LoggedColumn[] }; // likewise
  const wanted = wantedRuns(found.projectId, search, columns);
  // Which runs are the newest the page finds out first, and which have a parent it asks level by level.
  if (wanted === undefined || search.has('newest') || search.has('tree')) return;
  await ask({
    id: 'queryRuns',
    method: 'POST',
    path: `${ui}/runs/query`,
    // As it would come over the wire: without members that are not there.
    body: JSON.parse(JSON.stringify(rowsBody(wanted, firstRows))) as unknown,
  });
};

/** The replies to who is asking and, of a page of runs, to what it shows first; as far as they came in time. */
export const firstReplies = async (
  operations: Pick<Operations, 'call'>,
  caller: Caller,
  of?: {
    readonly workspace: string;
    readonly project: string;
    readonly search: URLSearchParams;
  },
): Promise<Replies> => {
  const kept: Record<string, unknown> = {};
  const ask = answering(operations, caller, kept);
  const all = Promise.allSettled([
    ask({ id: 'whoAmI', method: 'GET', path: '/api/auth/session' }),
    ...(of === undefined ? [] : [runsPage(ask, of, of.search)]),
  ]);
  let late: NodeJS.Timeout | undefined;
  await Promise.race([
    all,
    new Promise((resolve) => {
      late = setTimeout(resolve, longestMs);
    }),
  ]);
  clearTimeout(late);
  return { ...kept };
};
