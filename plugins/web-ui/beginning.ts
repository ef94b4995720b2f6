// What the server sends along with a page: the replies to what it asks first, so that it need not wait for one after the other.
import type { Caller } from '#ports/model/identity';
import type { OperationInput, Operations } from '#ports/operations';
import { readBytes, type BinaryReply } from './faces/asking.js';
import {
  requestKey,
  addressOf,
  curvesId,
  spansId,
  type BroughtBytes,
  type BroughtId,
  type Replies,
} from './pure/asking.js';
import {
  firstCurves,
  firstRows,
  rowsBody,
  wantedRuns,
  type LoggedColumn,
} from './pure/run-page.js';
import { firstSpans } from './pure/span-lines.js';
import { pageQuery, wantedTraces } from './pure/trace-list.js';

/** A page is not held up longer than this, neither by its replies nor by what comes last; it asks for itself what had not come by then. */
const longestMs = 800;

interface Asked {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: OperationInput['headers'];
  readonly body?: unknown;
}

/** What a page begins with. The last are the bytes that answer a request which stands among the replies, and come after them. */
export interface Beginning {
  readonly replies: Promise<Replies>;
  readonly last: Promise<Brought | undefined>;
}
interface Brought extends BroughtBytes {
  readonly id: BroughtId;
}
/** Of a page that asks for everything itself. */
export const nothing: Beginning = {
  replies: Promise.resolve({}),
  last: Promise.resolve(undefined),
};

type Calls = Pick<Operations, 'call'>;

/** Asks one row after the other as the caller would, and keeps each reply by its request. Ends at the first that is refused: the page hears why by itself. */
const answering = (operations: Calls, caller: Caller, kept: Record<string, unknown>) => {
  const ask = async ({ id, method, path, query, headers, body }: Asked): Promise<unknown> => {
    const reply = await operations.call(
      id,
      {
        ...(query === undefined ? {} : { query }),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
      },
      caller,
    );
    kept[requestKey(method, addressOf(path, {}, query), body)] = reply;
    return reply;
  };
  return ask;
};

const ui = '/v1/private/ui';

/** As it would come over the wire: without members that are not there. */
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body)) as unknown;

/** The project of a page, and what the page shows of it. */
export interface OfProject {
  readonly workspace: string;
  readonly project: string;
  /** The members of the address where the page shows runs. */
  readonly search?: URLSearchParams;
  /** The trace that the page shows. */
  readonly trace?: string;
  /** The members of the address where the page lists traces, and when that is, in ms. */
  readonly traces?: { readonly search: URLSearchParams; readonly now: number };
}

/** A request whose reply the page brings last, as bytes. */
interface LastRequest {
  readonly id: BroughtId;
  readonly workspace: string;
  readonly body: unknown;
}

/** Resolves with what the charts of the page, or its tree, ask for first, where it is known. */
const projectPage = async (
  ask: (asked: Asked) => Promise<unknown>,
  { workspace, project, search, trace, traces }: OfProject,
): Promise<LastRequest | undefined> => {
  const found = (await ask({
    id: 'getProject',
    method: 'GET',
    path: '/api/rest/v2/project',
    query: { workspaceName: workspace, projectName: project },
  })) as { readonly projectId: string }; // that row's reply
  if (trace !== undefined)
    return { id: spansId, workspace, body: asSent(firstSpans(found.projectId, trace)) };
  if (traces !== undefined)
    await ask({
      id: 'pageTraces',
      method: 'GET',
      path: '/v1/private/traces',
      query: {
        ...pageQuery(wantedTraces(traces.search, traces.now), 1),
        project_id: found.projectId,
      },
      headers: { 'comet-workspace': workspace },
    });
  if (search === undefined) return undefined;
  const { columns } = (await ask({
    id: 'listRunColumns',
    method: 'GET',
    path: `${ui}/runs/columns`,
    query: { project: found.projectId },
  })) as { readonly columns: readonly LoggedColumn[] }; // likewise
  const wanted = wantedRuns(found.projectId, search, columns);
  // Which runs are the newest the page finds out first, and which have a parent it asks level by level.
  if (wanted === undefined || search.has('newest') || search.has('tree')) return undefined;
  const { keys } = (await ask({
    id: 'queryRuns',
    method: 'POST',
    path: `${ui}/runs/query`,
    body: asSent(rowsBody(wanted, firstRows)),
  })) as { readonly keys: readonly string[] }; // likewise
  const drawn = firstCurves(search, keys, columns);
  return drawn === undefined ? undefined : { id: curvesId, workspace, body: asSent(drawn) };
};

/** What a promise gives, or nothing where it takes too long or fails. */
const inTime = async <T>(one: Promise<T>): Promise<T | undefined> => {
  let late: NodeJS.Timeout | undefined;
  const found = await Promise.race([
    one.catch(() => undefined),
    new Promise<undefined>((resolve) => {
      late = setTimeout(() => resolve(undefined), longestMs);
    }),
  ]);
  clearTimeout(late);
  return found;
};

const bytesOf = async (
  operations: Calls,
  caller: Caller,
  { id, workspace, body }: LastRequest,
): Promise<Brought> => {
  const call = (operation: string, headers: OperationInput['headers'] = {}) =>
    operations.call(operation, { body, headers }, caller);
  const reply =
    id === curvesId
      ? ((await call('querySeriesBinary')) as BinaryReply).body // as the row says
      : ((await call('searchSpans', { 'comet-workspace': workspace })) as BinaryReply['body']); // likewise
  const bytes = await readBytes(await reply.open());
  return { id, bytes: Buffer.from(bytes).toString('base64') };
};

/** The replies to who is asking and, of a page of a project, to what it shows first; as far as they came in time. */
export const beginning = (operations: Calls, caller: Caller, of?: OfProject): Beginning => {
  const kept: Record<string, unknown> = {};
  const ask = answering(operations, caller, kept);
  const project = of === undefined ? Promise.resolve(undefined) : projectPage(ask, of);
  const who = ask({ id: 'whoAmI', method: 'GET', path: '/api/auth/session' });
  let last: Promise<Brought | undefined> = Promise.resolve(undefined);
  const begun = async (): Promise<Replies> => {
    const [wanted] = await Promise.all([inTime(project), inTime(who)]);
    if (wanted === undefined) return { ...kept };
    last = inTime(bytesOf(operations, caller, wanted));
    return { ...kept, [wanted.id]: wanted.body };
  };
  const replies = begun();
  return { replies, last: replies.then(() => last) };
};
