// What leads to a code: an authorization request that is checked, a user who is signed in, a token that proves the consent page.
import type { CookieChange } from '#ports/api/operation';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { OAuthClient } from '#ports/model/oauth';
import type { Workspace } from '#ports/model/workspaces';
import type { Secrets } from '#ports/secrets';
import type { StorageOf } from '#ports/storage/storage';
import { roleOf } from '../permissions.js';
import { isChallenge, requireRedirect, withParameters, type Texts } from './rules.js';
import type { OAuthSettings } from './settings.js';

export interface ConsentNeeds {
  readonly storage: StorageOf<'oauth' | 'workspaces'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly settings: OAuthSettings;
}

/** What a client asks for, as it sent it. */
export type Asked = Texts<
  | 'client_id'
  | 'redirect_uri'
  | 'response_type'
  | 'code_challenge'
  | 'code_challenge_method'
  | 'resource'
  | 'state'
>;

/** What access tokens are for. */
export const resourceOf = ({
  baseUrl,
  ORRERY_OAUTH_RESOURCE: chosen,
}: Pick<OAuthSettings, 'baseUrl' | 'ORRERY_OAUTH_RESOURCE'>): string =>
  chosen === '' ? `${baseUrl}/api/v1/mcp` : chosen;

export const requireClient = async (
  { storage }: Pick<ConsentNeeds, 'storage'>,
  { client_id = '', redirect_uri = '' }: Asked,
): Promise<OAuthClient> =>
  requireRedirect(await storage.stores.oauth.findClient(client_id), redirect_uri);

/** Where the client is told that its request came to nothing. */
export const refusedAt = (
  { settings }: Pick<ConsentNeeds, 'settings'>,
  { redirect_uri = '', state }: Asked,
  error: string,
  description: string,
): string =>
  withParameters(redirect_uri, {
    error,
    error_description: description,
    state,
    iss: settings.baseUrl,
  });

/** The client of a request, and where it is told of a fault in it. Rejects, since nobody is sent anywhere, when the client or its address are not known. */
export const checkAsked = async (
  needs: ConsentNeeds,
  asked: Asked,
): Promise<{ readonly client: OAuthClient; readonly refused: string | undefined }> => {
  const client = await requireClient(needs, asked);
  const refuse = (error: string, description: string) => ({
    client,
    refused: refusedAt(needs, asked, error, description),
  });
  if (asked.response_type !== 'code')
    return refuse('unsupported_response_type', 'response_type must be code');
  if (asked.code_challenge_method !== 'S256' || !isChallenge(asked.code_challenge ?? ''))
    return refuse('invalid_request', 'code_challenge must be a challenge of the method S256');
  if (asked.resource !== resourceOf(needs.settings))
    return refuse('invalid_target', `resource must be ${resourceOf(needs.settings)}`);
  return { client, refused: undefined };
};

/** An own path that repeats the request. */
export const pathOf = (path: string, asked: Asked): string => {
  const {
    client_id,
    redirect_uri,
    response_type,
    code_challenge,
    code_challenge_method,
    resource,
    state,
  } = asked;
  return withParameters(path, {
    client_id,
    redirect_uri,
    response_type,
    code_challenge,
    code_challenge_method,
    resource,
    state,
  });
};
/** Where somebody signs in and then goes on with the request. */
export const loginFor = ({ settings }: Pick<ConsentNeeds, 'settings'>, asked: Asked): string =>
  withParameters(`${settings.baseUrl}/login`, { returnTo: pathOf('/oauth/authorize', asked) });

/** Refuses a key that reaches less than its owner: it must not hand out more. */
export const checkWhole = (caller: Caller): void => {
  if (caller.scope !== undefined)
    throw new Failure('forbidden', 'a key that is narrowed cannot allow a program anything');
};

const csrfMs = 600_000;
/** Known to whoever holds the credential, and bound to it. */
const proofOf = (caller: Caller): string => caller.csrf ?? caller.keyId;

const isLive = (
  { secrets }: ConsentNeeds,
  caller: Caller,
  token: string,
  until: number,
): boolean => {
  const [end = '', random = '', signature = ''] = token.split('.');
  return (
    Number(end) > until && secrets.verify(proofOf(caller), `consent.${end}.${random}`, signature)
  );
};

/** The token that a consent must repeat, and the cookie that it must equal. One that lives for a while yet is kept, so that two pages beside each other both work. */
export const openCsrf = (
  needs: ConsentNeeds,
  caller: Caller,
  held: string | undefined,
): { readonly token: string; readonly cookie: CookieChange } => {
  const { secrets, clock } = needs;
  const now = clock.now();
  const body = `${now + csrfMs}.${secrets.token()}`;
  const token =
    held !== undefined && isLive(needs, caller, held, now + csrfMs / 2)
      ? held
      : `${body}.${secrets.sign(proofOf(caller), `consent.${body}`)}`;
  return { token, cookie: { cookie: 'consent', value: token, seconds: csrfMs / 1000 } };
};

/** Refuses with `forbidden` what does not come from a page that was opened for this caller. */
export const checkCsrf = (needs: ConsentNeeds, caller: Caller, held = '', repeated = ''): void => {
  if (!needs.secrets.same(held, repeated) || !isLive(needs, caller, held, needs.clock.now()))
    throw new Failure('forbidden', 'the CSRF token is missing, too old or not that of its cookie');
};

/** The workspaces among which a caller may choose, in the order of their names. */
export const eligible = async (
  { storage }: Pick<ConsentNeeds, 'storage'>,
  caller: Caller,
): Promise<readonly Workspace[]> => {
  const home = caller.defaultWorkspaceId;
  const ids = new Set([
    ...caller.roles.keys(),
    ...(home !== undefined && roleOf(caller, home) !== undefined ? [home] : []),
  ]);
  return storage.stores.workspaces.listByIds([...ids]);
};

/** The workspace that was chosen, by name or id; of both, both must mean the same. */
export const requireChosen = async (
  { storage }: Pick<ConsentNeeds, 'storage'>,
  caller: Caller,
  { workspace_id: id, workspace_name: name }: Texts<'workspace_id' | 'workspace_name'>,
): Promise<Workspace> => {
  const [given, known] = [id ?? '', name ?? ''];
  const found =
    known !== ''
      ? await storage.stores.workspaces.findByName(known)
      : /^[0-9a-f-]{36}$/.test(given)
        ? (await storage.stores.workspaces.listByIds([given]))[0]
        : undefined;
  if (
    found === undefined ||
    roleOf(caller, found.id) === undefined ||
    (given !== '' && given !== found.id)
  )
    throw new Failure('forbidden', 'the workspace is not one that you belong to');
  return found;
};

/** Makes a code of what a user allowed, and says where the browser brings it. */
export const allow = async (
  { storage, clock, ids, secrets, settings }: ConsentNeeds,
  caller: Caller,
  client: OAuthClient,
  asked: Asked,
  workspace: Workspace,
): Promise<string> => {
  const { redirect_uri: redirectUri = '', code_challenge: challenge = '', state } = asked;
  const [code, now] = [secrets.token(), clock.now()];
  await storage.stores.oauth.insertCode({
    id: ids.next(),
    hash: secrets.hash(code),
    clientId: client.id,
    userId: caller.userId,
    workspaceId: workspace.id,
    workspaceName: workspace.name,
    challenge,
    redirectUri,
    resource: resourceOf(settings),
    createdAt: now,
    expiresAt: now + settings.ORRERY_OAUTH_CODE_SECONDS * 1000,
  });
  return withParameters(redirectUri, { code, state, iss: settings.baseUrl });
};
