// How the app asks the server: a row of the operation table as a function, by its types.
import { computed, signal } from '@preact/signals';
import type { Operation } from '#ports/api/operation';
import type { Static, TSchema } from '#ports/api/schema';
import { addressIn, type Place } from '../pure/address.js';
import { addressOf, requestKey } from '../pure/asking.js';
import type { Session } from './renewal.js';
import { takeReply } from './replies.js';
import { isShared, pathHere, place, readable } from './state.js';

type Plain<S> = S extends { readonly detailed: infer D }
  ? Plain<D>
  : S extends { readonly streamed: infer T extends TSchema }
    ? Static<T>
    : S extends { readonly bytes: string }
      ? ArrayBuffer
      : S extends TSchema
        ? Static<S>
        : undefined;
type Answer<O extends Operation> = O['replies'] extends
  { readonly 200: infer R } | { readonly 201: infer R } | { readonly 202: infer R }
  ? Plain<R>
  : undefined;
type Part<O, W extends string> =
  O extends Readonly<Record<W, infer S extends TSchema>>
    ? Readonly<Record<W, Static<S>>>
    : { readonly [N in W]?: never };
type Ask<O extends Operation> = Part<O, 'query'> & Part<O, 'params'> & Part<O, 'body'>;
type PathOf<O extends Operation> = O['path'] extends readonly (infer P extends string)[]
  ? P
  : O['path'];

/** What the server refused, in its words; `status` 0 where it could not be reached. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    says: string,
  ) {
    super(says);
  }
  /** Whether what was asked for is not there; rows that clients of old ask say that with 400, as those expect. */
  get absent(): boolean {
    return this.status === 404 || (this.status === 400 && this.message.endsWith(' not found'));
  }
}

/** Since when the server does not answer; the page says so and that what it shows may be old. */
export const awaySince = signal<number | undefined>(undefined);
/** Goes up whenever the server says that something is not there: what the page is about may have been deleted meanwhile. */
export const absences = signal(0);
/** Goes up when what failed is to be asked for once more: by a press, and when the server is back. */
export const retries = signal(0);
export const askAgain = (): void => {
  retries.value++;
};
/** Whether the session ended elsewhere while the page is looked at. */
export const sessionEnded = signal(false);
export const session = signal<Session | undefined>(undefined);
const held = { session, sessionEnded, askAgain };

/** Whether whoever looks may change something; the server decides what. */
export const mayWrite = computed(() => session.value?.viewOnly !== true);

const saysOf = async (reply: Response): Promise<string> => {
  try {
    const told = (await reply.json()) as { readonly message?: unknown; readonly msg?: unknown };
    const says = told.message ?? told.msg;
    return typeof says === 'string' ? says : `the server answered ${reply.status}`;
  } catch {
    return `the server answered ${reply.status}`;
  }
};

/** Where one signs in and comes back from. */
export const signInAddress = (): string =>
  addressIn(`/login?returnTo=${encodeURIComponent(pathHere() + location.search)}`);

/** A page that has not begun leads to sign-in; one that is looked at stays as it is and says that the session has ended. */
const endHere = (): never => {
  if (session.value === undefined) location.assign(signInAddress());
  else if (!sessionEnded.value) {
    sessionEnded.value = true;
    import('./renewal.js').then(
      ({ lookForSession }) => lookForSession(held),
      () => undefined, // one signs in by the link then
    );
  }
  throw new Refused(401, 'your session has ended; sign in again');
};

let asksFrom: Place | undefined;
/** Asks as from a page, whichever is looked at by now. It holds for what is asked for at once, and not for what follows a reply. */
export const askFrom = <T>(at: Place, ask: () => T): T => {
  asksFrom = at;
  try {
    return ask();
  } finally {
    asksFrom = undefined;
  }
};

/** Rows that SDKs ask too know the workspace by a header; it holds no other letters than those of names. */
const workspaceOf = (address: string, at: Place): Record<string, string> => {
  const named = 'workspace' in at && /^\/v1\/(?:private|internal)\//.test(address);
  return named && /^[ -~]+$/.test(at.workspace) ? { 'comet-workspace': at.workspace } : {};
};

/** How often one looks whether a server that was away is back. */
const lookMs = 2000;

const isBack = (): void => {
  if (awaySince.value === undefined) return;
  awaySince.value = undefined;
  askAgain();
};
const isAway = (): void => {
  if (awaySince.value !== undefined) return;
  awaySince.value = Date.now();
  const looking = setInterval(() => {
    if (awaySince.value === undefined) clearInterval(looking);
    else fetch(addressIn('/health/live')).then(isBack, () => undefined);
  }, lookMs);
};

/** One request; a reply of another status rejects with the server's sentence. */
const send = async (
  method: string,
  address: string,
  body: unknown,
  signal: AbortSignal | undefined,
  isLast = false,
): Promise<Response> => {
  const csrf = session.value?.csrfToken;
  const from = asksFrom ?? place.value;
  const headers: Record<string, string> = {
    // The browser names the type of a form with files, and what parts it.
    ...(body === undefined || body instanceof FormData
      ? {}
      : { 'Content-Type': 'application/json' }),
    ...(typeof csrf === 'string' ? { 'X-CSRF-Token': csrf } : {}),
    ...workspaceOf(address, from),
  };
  let reply: Response;
  try {
    reply = await fetch(readable(address), {
      method,
      headers,
      ...(body === undefined
        ? {}
        : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    isAway();
    throw new Refused(0, 'the server cannot be reached');
  }
  isBack();
  if (reply.status === 401 && !isShared) return endHere();
  if (reply.ok) return reply;
  // Who signed in anew beside this page has another token, by which the same is asked once more.
  if (reply.status === 403 && typeof csrf === 'string' && method !== 'GET' && !isLast) {
    const { hasNewSession } = await import('./renewal.js');
    if (await hasNewSession(held))
      return askFrom(from, () => send(method, address, body, signal, true));
  }
  const refused = new Refused(reply.status, await saysOf(reply));
  if (refused.absent) absences.value++;
  throw refused;
};

interface Given {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A row as a function. Its `now` gives the reply where it came along with the page, once; its `reply` one that was not read. */
export interface Row<A, R> {
  (ask: A, signal?: AbortSignal): Promise<R>;
  reply(ask: A, signal?: AbortSignal): Promise<Response>;
  now(ask: A): R | undefined;
}

/** A row as a function. */
export const row = <O extends Operation>(
  method: O['method'],
  path: PathOf<O>,
): Row<Ask<O>, Answer<O>> => {
  const addressFor = ({ params, query }: Given) => addressOf(String(path), params, query);
  const now = (ask: Ask<O>) => {
    const given = ask as Given; // the parts that the row has
    return takeReply(requestKey(method, addressFor(given), given.body)) as Answer<O> | undefined; // of the same row
  };
  const reply = (ask: Ask<O>, signal?: AbortSignal): Promise<Response> => {
    const given = ask as Given; // likewise
    return send(method, addressFor(given), given.body, signal);
  };
  const askFor = async (ask: Ask<O>, signal?: AbortSignal): Promise<Answer<O>> => {
    const came = now(ask);
    if (came !== undefined) return came;
    const got = await reply(ask, signal);
    const packed = got.headers.get('Content-Type')?.startsWith('application/json') !== true;
    return (packed ? await got.arrayBuffer() : await got.json()) as Answer<O>; // as the row says
  };
  return Object.assign(askFor, { now, reply });
};

/** Sends a form with files. */
export const upload = async (path: string, form: FormData): Promise<void> => {
  await send('POST', path, form, undefined);
};

/** Asks a row that answers in pieces, and gives each as it comes. */
export async function* pieces(
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const reply = await send('POST', path, body, signal);
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true as const, value: undefined };
    if (done) return;
    yield value;
  }
}

/** What the last line of a text says as a member `msg` of JSON. */
const lastMessage = (text: string): string | undefined => {
  const lines = text.trimEnd();
  try {
    const { msg } = JSON.parse(lines.slice(lines.lastIndexOf('\n') + 1)) as {
      readonly msg?: unknown;
    }; // anything that is no object of that form throws or lacks it
    return typeof msg === 'string' ? msg : undefined;
  } catch {
    return undefined;
  }
};

/** The text of a reply. One that breaks off may say why in its last line. */
const textOf = async (reply: Response): Promise<string> => {
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true as const, value: undefined };
      if (done) return text;
      text += value;
    }
  } catch {
    const msg = lastMessage(text);
    throw new Refused(0, msg ?? 'the reply broke off');
  }
};

/** Asks any row of the API, for elements of plugins, with the rights of whoever looks: JSON or a form in, JSON or a text out. */
export const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw new Refused(0, 'a path of this server begins with one slash');
  const reply = await send(method, path, body, undefined);
  const text = await textOf(reply);
  if (text === '') return undefined;
  return reply.headers.get('Content-Type')?.startsWith('application/json') === true
    ? JSON.parse(text)
    : text;
};

/** What went wrong, in a sentence. */
export const saysFault = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
