// Who calls: which credential counts, whose it is, and whether the request is meant by its owner.
import { Failure } from '#ports/failure';
import { beginnings } from '#ports/model/credentials';
import type { Caller } from '#ports/model/identity';
import type { ToldRequest } from '#ports/sign-in';
import type { Context } from 'koa';
import {
  credentialInBody,
  credentialInHeaders,
  credentialInQuery,
  sessionIn,
} from '../identify.js';
import type { CookieJar } from '../cookies.js';
import { isForeign } from '../foreign-pages.js';
import { markKnown } from '../known-callers.js';
import { stateOf } from '../state.js';
import { readForCredential } from './body.js';
import type { AnswerNeeds, Incoming, StepMaker } from './incoming.js';
import type { Row } from './row.js';

interface Credential {
  readonly from: 'key' | 'session' | 'nowhere';
  readonly text: string | undefined;
}

/** Members of the query that may be a credential: a share code that the row asks about is none. */
const credentialsOf = (
  { operation }: Row,
  { query }: Incoming,
): Readonly<Record<string, unknown>> => {
  const { properties = {} } = (operation.query ?? {}) as { readonly properties?: object }; // JSON Schema
  const { shareCode, ...others } = query;
  return 'shareCode' in properties ? others : { ...others, shareCode };
};

/** The credential of a request. A header counts before the query, a cookie only beside neither, and the body is read only where nothing else came. */
const findCredential = async (
  row: Row,
  incoming: Incoming,
  jar: CookieJar,
): Promise<Credential> => {
  const { headers } = incoming.ctx.req;
  const code = row.operation.wire?.shareCode;
  if (code !== undefined)
    return { from: 'key', text: `${beginnings.share}${String(incoming.params[code])}` };
  const sent = credentialInHeaders(headers) ?? credentialInQuery(credentialsOf(row, incoming));
  if (sent !== undefined) return { from: 'key', text: sent };
  const session = sessionIn(jar.read(headers.cookie));
  if (session !== undefined) return { from: 'session', text: session };
  const path = row.operation.wire?.credential;
  if (!row.restricted || path === undefined) return { from: 'nowhere', text: undefined };
  await readForCredential(row, incoming);
  const inBody = credentialInBody(path, incoming.json?.value, incoming.part);
  return { from: inBody === undefined ? 'nowhere' : 'key', text: inBody };
};

const unknownCaller: Readonly<Record<Credential['from'], string>> = {
  key: 'the API key is not registered',
  session: 'the session has ended; sign in again',
  nowhere: 'an API key is required',
};

/** Whoever needs no credential here. A share code that is unknown leads nowhere all the same. */
const findAnybody = async (
  row: Row,
  { ctx }: Incoming,
  text: string | undefined,
  { auth, baseUrl }: Pick<AnswerNeeds, 'auth' | 'baseUrl'>,
): Promise<Caller | undefined> =>
  row.operation.wire?.shareCode !== undefined ||
  text?.startsWith(beginnings.share) === true ||
  isForeign(ctx.req.headers, baseUrl)
    ? undefined
    : auth.anybody();

/** The caller of a session; nobody where the headers of a trusted proxy name somebody else. */
const stillCounts = async (
  caller: Caller,
  { ctx }: Incoming,
  judge: NonNullable<AnswerNeeds['judgeSession']>,
): Promise<Caller | undefined> => {
  const { fromTrustedProxy = false } = stateOf(ctx);
  const headers = ctx.req.headers as ToldRequest['headers']; // Node joins repeated ones, except Set-Cookie, which no request has
  return (await judge(caller, { headers, fromTrustedProxy })) ? caller : undefined;
};

/** Refuses who does not bring the token that an open row asks for. */
export const requireToken: StepMaker = ({ operation: { access } }, { checkInternalToken }) =>
  access.token === undefined
    ? undefined
    : ({ ctx }) => {
        checkInternalToken(ctx.req.headers);
      };

/** Finds who calls; refuses nobody where the row only wants to know. */
export const identifyCaller: StepMaker = (row, { auth, cookies, judgeSession, baseUrl }) =>
  !row.identifies
    ? undefined
    : async (incoming) => {
        const { from, text } = await findCredential(row, incoming, cookies);
        const found =
          text === undefined ? undefined : await auth.identify(text, { isUse: !incoming.again });
        const caller =
          (found?.via === 'session' && judgeSession !== undefined
            ? await stillCounts(found, incoming, judgeSession)
            : found) ?? (await findAnybody(row, incoming, text, { auth, baseUrl }));
        if (caller === undefined && row.restricted)
          throw new Failure('unauthenticated', unknownCaller[from]);
        incoming.caller = caller;
        if (caller !== undefined) stateOf(incoming.ctx).caller = markKnown(caller);
      };

/** Refuses a client that is too old to log. A run that has begun goes on, whatever its client: its batches and beats were allowed when it was opened. */
export const judgeClient: StepMaker = (
  { writes, operation: { wire = {} }, family },
  { checkClient },
) =>
  !writes ||
  wire.retryableWith429 === true ||
  wire.anyClient === true ||
  family.judgesClients !== true
    ? undefined
    : ({ ctx }) => {
        checkClient(ctx.req.headers);
      };

/** What repeats the session's own token: a header, or the field of a form. */
const csrfOf = (ctx: Context, body: unknown): string => {
  const inBody =
    typeof body === 'object' && body !== null
      ? (body as { readonly csrf?: unknown }).csrf // any object can be asked for a member
      : undefined;
  return ctx.get('X-CSRF-Token') || (typeof inBody === 'string' ? inBody : '');
};

/** Refuses a change that a page of another site may have sent with the cookie of a session. */
export const requireCsrf: StepMaker = ({ writes, operation: { wire } }, { same }) =>
  !writes && wire?.jsonOnly !== true
    ? undefined
    : ({ ctx, caller, json }) => {
        if (caller?.csrf !== undefined && !same(caller.csrf, csrfOf(ctx, json?.value)))
          throw new Failure(
            'forbidden',
            'the request does not carry the CSRF token of its session',
          );
      };
