// The OAuth 2.1 authorization server: public clients, codes with PKCE, rotating refresh tokens. Errors are those of RFC 6749.
import { mcpMetadataPath } from './mcp.js';
import { form, formOrJson, detailed, operations, page, redirect } from './operation.js';
import { flag, integer, list, object, optional, record, text, shape } from './schema.js';

/** Every path is served at the root, to which the metadata points, and below the base that clients of the API know. */
const both = <const P extends string>(path: P) => [path, `/api${path}`] as const;

const asked = {
  client_id: text({ min: 1 }),
  redirect_uri: text({ min: 1 }),
  response_type: optional(text()),
  code_challenge: optional(text()),
  code_challenge_method: optional(text()),
  resource: optional(text()),
  state: optional(text()),
};
const metadata = shape('OAuthMetadata', 'Metadata of the authorization server.', {
  issuer: text(),
  authorization_endpoint: text(),
  token_endpoint: text(),
  registration_endpoint: text(),
  revocation_endpoint: text(),
  response_types_supported: list(text()),
  response_modes_supported: list(text()),
  grant_types_supported: list(text()),
  code_challenge_methods_supported: list(text()),
  token_endpoint_auth_methods_supported: list(text()),
  revocation_endpoint_auth_methods_supported: list(text()),
  authorization_response_iss_parameter_supported: flag(),
});
const resourceMetadata = shape('OAuthResourceMetadata', 'Metadata of what access tokens are for.', {
  resource: text(),
  resource_name: text(),
  authorization_servers: list(text()),
  bearer_methods_supported: list(text()),
});
const registered = shape('RegisteredClient', 'A client that registered.', {
  client_id: text(),
  client_id_issued_at: integer(),
  client_name: text(),
  redirect_uris: list(text()),
  logo_uri: optional(text()),
  client_uri: optional(text()),
  software_id: optional(text()),
  software_version: optional(text()),
  token_endpoint_auth_method: text(),
  grant_types: list(text()),
  response_types: list(text()),
});
const words = <const N extends string>(...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, optional(text())])) as {
    readonly [K in N]: ReturnType<typeof optional<ReturnType<typeof text>>>;
  }; // each name is one of those given

export const oauthOperations = operations({
  describeOAuth: {
    method: 'GET',
    path: [
      ...both('/.well-known/oauth-authorization-server'),
      '/.well-known/oauth-authorization-server/api',
    ],
    access: { needs: 'public' },
    wire: { cors: 'open' },
    summary: 'What this authorization server offers and where (RFC 8414)',
    replies: { 200: detailed(metadata) },
  },
  describeProtectedResource: {
    method: 'GET',
    path: ['/.well-known/oauth-protected-resource', mcpMetadataPath],
    access: { needs: 'public' },
    wire: { cors: 'open' },
    summary: 'What access tokens are for, and who gives them out (RFC 9728)',
    replies: { 200: detailed(resourceMetadata) },
  },
  registerClient: {
    method: 'POST',
    path: both('/oauth/register'),
    access: { needs: 'public' },
    wire: { cors: 'open', refusals: { invalid: { status: 400, word: 'invalid_client_metadata' } } },
    summary: 'Register a public client (RFC 7591)',
    body: record(),
    replies: { 201: detailed(registered) },
    fails: ['invalid', 'throttled'],
  },
  authorize: {
    method: 'GET',
    path: both('/oauth/authorize'),
    access: { needs: 'visitor' },
    wire: { once: true },
    summary:
      'Begin to ask a user for access; the browser goes on to sign-in, consent or back to the client',
    query: object(asked),
    replies: { 302: detailed(redirect) },
    fails: ['invalid'],
  },
  readAuthorizeContext: {
    method: 'GET',
    path: both('/oauth/authorize/context'),
    access: { needs: 'caller', about: 'caller', by: ['session', 'key'] },
    wire: { once: true },
    summary: 'What a consent page shows: the client, the workspaces to choose from, a CSRF token',
    query: object({ client_id: text({ min: 1 }), redirect_uri: text({ min: 1 }) }),
    replies: {
      200: detailed(
        object({
          client_name: text(),
          client_logo_uri: optional(text()),
          workspaces: list(object({ id: text(), name: text(), is_default: flag() })),
          csrf_token: text(),
        }),
      ),
    },
    fails: ['invalid', 'forbidden'],
  },
  consent: {
    method: 'POST',
    path: both('/oauth/authorize'),
    access: { needs: 'caller', about: 'caller', by: ['session', 'key'], changes: false },
    audit: true,
    wire: { mostBytes: 65_536 },
    summary:
      'Allow a client access to one workspace; the reply says where the browser goes with the code',
    body: object(
      words(
        'client_id',
        'redirect_uri',
        'code_challenge',
        'code_challenge_method',
        'resource',
        'state',
        'workspace_id',
        'workspace_name',
        'csrf',
      ),
    ),
    replies: { 200: detailed(object({ redirect_to: text() })) },
    fails: ['invalid', 'forbidden', 'unprocessable'],
  },
  issueToken: {
    method: 'POST',
    path: both('/oauth/token'),
    access: { needs: 'public' },
    wire: { cors: 'open' },
    summary: 'Exchange a code or a refresh token for a pair of tokens',
    body: formOrJson(
      object(
        words(
          'grant_type',
          'code',
          'redirect_uri',
          'client_id',
          'code_verifier',
          'refresh_token',
          'resource',
        ),
      ),
    ),
    replies: {
      200: detailed(
        object({
          access_token: text(),
          refresh_token: text(),
          token_type: text(),
          expires_in: integer(),
          workspace_id: text(),
          workspace_name: text(),
        }),
      ),
    },
    fails: ['invalid'],
  },
  revokeToken: {
    method: 'POST',
    path: both('/oauth/revoke'),
    access: { needs: 'public' },
    wire: { cors: 'open', refusals: { every: { status: 200 } } },
    summary: 'Give a token back; answers alike whether or not it was known (RFC 7009)',
    body: formOrJson(object(words('token', 'client_id', 'token_type_hint'))),
    replies: { 200: null },
  },
  introspectToken: {
    method: 'POST',
    path: [...both('/svc/auth-oauth'), ...both('/opik/auth-oauth')],
    access: { needs: 'public' },
    summary: 'Whom the bearer access token stands for',
    replies: {
      200: detailed(
        object({
          user_name: text(),
          workspace_id: text(),
          workspace_name: text(),
          resource: text(),
          expires_at: text(),
        }),
      ),
      401: detailed(null),
    },
  },
});

export const consentOperations = operations({
  showConsent: {
    method: 'GET',
    path: both('/oauth/consent'),
    access: { needs: 'visitor' },
    wire: { once: true },
    summary: 'The page that asks a user whether a client may act for them',
    query: object(asked),
    replies: { 200: detailed(page), 302: detailed(redirect) },
    fails: ['invalid'],
  },
  answerConsent: {
    method: 'POST',
    path: both('/oauth/consent'),
    access: { needs: 'visitor' },
    summary: 'What the user answered on that page',
    body: form(
      object(
        words(
          'client_id',
          'redirect_uri',
          'response_type',
          'code_challenge',
          'code_challenge_method',
          'resource',
          'state',
          'workspace_id',
          'csrf',
          'answer',
        ),
      ),
    ),
    replies: { 303: detailed(redirect), 403: detailed(page) },
    fails: ['invalid'],
  },
});
