// A server with people who have sessions, a browser without a window, and a client written by hand.
import { createHash, randomBytes } from 'node:crypto';
import type { Auth } from '#ports/auth';
import { listTables } from '#adapters/storage/sql/migrate';
import type { Storage } from '#ports/storage/storage';
import { neverStored } from '#test/clients/secrets';
import {
  openBeside,
  borrowServer,
  startServer,
  type StartedServer,
  type ServerOptions,
} from '#test/clients/server';
import type { Member } from '../fixtures.js';
import { makePeople, type People } from '../people.js';

export interface OAuthWorld {
  readonly server: StartedServer;
  readonly url: string;
  readonly people: People;
  readonly resource: string;
  /** The server's own database beside it, and who is who there. */
  readonly storage: Storage;
  readonly auth: Auth;
  /** A browser in which somebody has signed in. */
  signIn(member: Pick<Member, 'name'>): Promise<Browser>;
  /** Everything that the database holds, as text. */
  dump(): Promise<string>;
  stop(): Promise<void>;
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const common = {
  ORRERY_CHECK_REPLIES: '1',
  ORRERY_LOG_LEVEL: 'debug',
  ORRERY_OAUTH_REGISTRATIONS_PER_MINUTE: '100000',
};

/** Starts a server with people; where there is nothing to set, people of their own come to one that others use too. */
export const startWorld = async (
  env: Readonly<Record<string, string>> = {},
  { storage = 'embedded', clock }: Partial<Pick<ServerOptions, 'storage' | 'clock'>> = {},
): Promise<OAuthWorld | { readonly missing: string }> => {
  const server = await (Object.keys(env).length === 0 ? borrowServer : startServer)({
    storage,
    env: { ...common, ...env },
    ...(clock === undefined ? {} : { clock }),
  });
  if ('missing' in server) return server;
  const people = await makePeople(server);
  const { storage: stored, auth, close } = await openBeside(server);
  return {
    server,
    url: server.url,
    people,
    resource: `${server.url}/api/v1/mcp`,
    storage: stored,
    auth,
    async signIn({ name }) {
      const user = await stored.stores.users.findUser({ name });
      const { token } = await auth.openSession(user?.id ?? '', {
        address: '127.0.0.1',
        agent: 'a test',
        way: 'password',
      });
      return browse(server.url, `sessionToken=${neverStored(token)}`);
    },
    async dump() {
      const { connection } = stored;
      const all = await Promise.all(
        (await listTables(connection)).map(
          async (table) => `${table} ${JSON.stringify(await connection.db(table).select())}`,
        ),
      );
      return all.join('\n');
    },
    async stop() {
      await close();
      await server.stop();
    },
  };
};

/** What every test of a file shares. */
export const openWorld = (env: Readonly<Record<string, string>> = {}): (() => OAuthWorld) => {
  let world: OAuthWorld | undefined;
  before('start a server', async () => {
    const started = await startWorld(env);
    if ('missing' in started) throw new Error(started.missing);
    world = started;
  });
  after(() => world?.stop());
  return () => {
    if (world === undefined) throw new Error('the server is not started');
    return world;
  };
};

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly location: URL | undefined;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

const pageOf = async (reply: Response): Promise<Page> => {
  const text = await reply.text();
  const location = reply.headers.get('location');
  return {
    status: reply.status,
    headers: reply.headers,
    location: location === null ? undefined : new URL(location, reply.url),
    text,
    get json() {
      return JSON.parse(text) as Record<string, unknown>;
    },
  }; // every JSON reply read so is an object
};

export const ask = async (url: string, init: RequestInit = {}): Promise<Page> =>
  pageOf(await fetch(url, { redirect: 'manual', ...init }));
export const postForm = (
  url: string,
  fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Page> =>
  ask(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(
      Array.isArray(fields)
        ? fields.map((pair) => [...pair] as [string, string])
        : (fields as Record<string, string>),
    ).toString(),
  }); // pairs, or a record
export const postJson = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Page> =>
  ask(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

export interface Browser {
  readonly cookies: Map<string, string>;
  cookieHeader(): string;
  get(path: string): Promise<Page>;
  postForm(path: string, fields: Readonly<Record<string, string>>): Promise<Page>;
  postJson(path: string, body: unknown): Promise<Page>;
}

/** Keeps cookies and follows nothing by itself. */
export const browse = (root: string, ...first: readonly string[]): Browser => {
  const cookies = new Map(
    first.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const kept = (page: Page): Page => {
    for (const line of page.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return page;
  };
  const whole = (path: string) => new URL(path, root).href;
  return {
    cookies,
    cookieHeader,
    get: async (path) => kept(await ask(whole(path), { headers: { Cookie: cookieHeader() } })),
    postForm: async (path, fields) =>
      kept(await postForm(whole(path), fields, { Cookie: cookieHeader() })),
    postJson: async (path, body) =>
      kept(await postJson(whole(path), body, { Cookie: cookieHeader() })),
  };
};

/** The hidden fields and choices of a page's form that posts to a path. */
export const fieldsOf = (page: Page, action: string): Record<string, string> => {
  const [, form = ''] = page.text.split(`action="${action}"`);
  const plain = (text: string) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of (form.split('</form>')[0] ?? '').matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)">/g,
  ))
    found[name] = plain(value);
  const chosen =
    /<option value="([^"]*)" selected>/.exec(form) ?? /<option value="([^"]*)"/.exec(form);
  if (chosen?.[1] !== undefined) found['workspace_id'] = chosen[1];
  return found;
};

export const makePkce = (): { readonly verifier: string; readonly challenge: string } => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const callback = 'http://127.0.0.1:9/callback';

/** Registers a client by hand and gives its id. */
export const register = async (
  url: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const { status, text, json } = await postJson(`${url}/oauth/register`, {
    client_name: 'Editor',
    redirect_uris: [callback],
    ...metadata,
  });
  if (status !== 201) throw new Error(`registration answered ${status}: ${text}`);
  return String(json['client_id']);
};

export interface Begun {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
}

/** A request for access as a client begins it. */
export const begin = async (
  world: OAuthWorld,
  { redirectUri = callback, ...given }: Partial<Begun> = {},
): Promise<Begun> => {
  const pkce = makePkce();
  return {
    clientId: given.clientId ?? (await register(world.url, { redirect_uris: [redirectUri] })),
    redirectUri,
    state: randomBytes(8).toString('hex'),
    ...pkce,
    ...given,
  };
};

/** Its parameters; `undefined` leaves one out. */
export const parameters = (
  world: OAuthWorld,
  { clientId, redirectUri, challenge, state }: Begun,
  change: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: world.resource,
      state,
      ...change,
    }).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
export const authorizePath = (
  world: OAuthWorld,
  begun: Begun,
  change: Readonly<Record<string, string | undefined>> = {},
): string => `/oauth/authorize?${new URLSearchParams(parameters(world, begun, change)).toString()}`;

/** What a consent is told, with the token that its context gave. */
export const consentBody = async (
  world: OAuthWorld,
  browser: Browser,
  begun: Begun,
): Promise<Record<string, string>> => {
  const context = await browser.get(
    `/oauth/authorize/context?${new URLSearchParams({ client_id: begun.clientId, redirect_uri: begun.redirectUri }).toString()}`,
  );
  const { response_type: _, ...rest } = parameters(world, begun);
  const workspaces = context.json['workspaces'] as { readonly name: string }[]; // the row's reply
  return {
    ...rest,
    workspace_name: workspaces[0]?.name ?? '',
    csrf: String(context.json['csrf_token']),
  };
};

/** Consents over JSON and gives the code. */
export const obtainCode = async (
  world: OAuthWorld,
  browser: Browser,
  begun: Begun,
): Promise<string> => {
  const allowed = await browser.postJson(
    '/oauth/authorize',
    await consentBody(world, browser, begun),
  );
  if (allowed.status !== 200)
    throw new Error(`consent answered ${allowed.status}: ${allowed.text}`);
  return neverStored(new URL(String(allowed.json['redirect_to'])).searchParams.get('code') ?? '');
};

export const exchange = (
  world: OAuthWorld,
  begun: Begun,
  code: string,
  change: Readonly<Record<string, string>> = {},
): Promise<Page> =>
  postForm(`${world.url}/oauth/token`, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: begun.redirectUri,
    client_id: begun.clientId,
    code_verifier: begun.verifier,
    ...change,
  });
export const refresh = (world: OAuthWorld, clientId: string, token: string): Promise<Page> =>
  postForm(`${world.url}/oauth/token`, {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: clientId,
  });

export interface Pair {
  readonly access: string;
  readonly refresh: string;
}
export const pairOf = (page: Page): Pair => {
  if (page.status !== 200) throw new Error(`no pair: ${page.status} ${page.text}`);
  return {
    access: neverStored(String(page.json['access_token'])),
    refresh: neverStored(String(page.json['refresh_token'])),
  };
};
/** A pair from a consent of its own. */
export const obtainPair = async (
  world: OAuthWorld,
  member: Pick<Member, 'name'>,
  given: Partial<Begun> = {},
): Promise<Pair & { readonly begun: Begun; readonly code: string }> => {
  const begun = await begin(world, given);
  const code = await obtainCode(world, await world.signIn(member), begun);
  return { ...pairOf(await exchange(world, begun, code)), begun, code };
};

/** What the API answers to a bearer. */
export const withToken = (
  world: OAuthWorld,
  path: string,
  token: string,
  init: RequestInit = {},
): Promise<Page> =>
  ask(`${world.url}${path}`, {
    ...init,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(init.headers as Record<string, string> | undefined),
    },
  }); // only objects are handed in
export const works = async (world: OAuthWorld, token: string): Promise<boolean> =>
  (await withToken(world, '/api/v1/private/auth/workspace', token)).status === 200;
/** Whether the server itself knows the token, past what a process remembers for a moment. */
export const isLive = async (world: OAuthWorld, token: string): Promise<boolean> =>
  (await postForm(`${world.url}/opik/auth-oauth`, {}, { Authorization: `Bearer ${token}` }))
    .status === 200;
