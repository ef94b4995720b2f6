import { oauthFamily } from '#ports/api/families/oauth';
import { area } from '#ports/api/area';
import { oauthOperations } from '#ports/api/oauth';
import { Audit } from '#ports/audit';
import { Auth } from '#ports/auth';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { beginnings } from '#ports/model/credentials';
import { Secrets } from '#ports/secrets';
import { storageOf } from '#ports/storage/storage';
import {
  allow,
  checkAsked,
  checkCsrf,
  checkWhole,
  eligible,
  loginFor,
  openCsrf,
  pathOf,
  requireChosen,
  requireClient,
  resourceOf,
} from './authorization-request.js';
import { isChallenge, toInstant } from './rules.js';
import { registering } from './registering.js';
import { revokeToken, issueTokens, reaches } from './tokens.js';
import { oauthSettings } from './settings.js';

const grantTypes = ['authorization_code', 'refresh_token'] as const;

/** RFC 8414. What is not there is not told: no scopes, no secrets, no introspection as RFC 7662 has it. */
const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypes,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
});

export const oauthArea = area({
  name: 'oauth',
  summary:
    'The authorization server: programs register, ask users for access and get tokens (OAuth 2.1).',
  family: oauthFamily,
  table: oauthOperations,
  settings: oauthSettings,
  needs: {
    storage: storageOf('members', 'oauth', 'users', 'workspaces'),
    clock: Clock,
    ids: Ids,
    secrets: Secrets,
    settings: oauthSettings.port,
    auth: Auth,
    audit: Audit,
  },
  handlers: (needs) => {
    const { storage, secrets, clock, settings } = needs;
    const register = registering(needs);
    return {
      describeOAuth: async () => ({
        cacheSeconds: 3600,
        body: metadataOf(settings.baseUrl),
      }),
      describeProtectedResource: async () => ({
        cacheSeconds: 3600,
        body: {
          resource: resourceOf(settings),
          resource_name: 'Orrery',
          authorization_servers: [settings.baseUrl],
          bearer_methods_supported: ['header'],
        },
      }),
      async registerClient({ body, source }) {
        const client = await register(body, source);
        return {
          secret: true,
          body: {
            client_id: client.id,
            client_id_issued_at: Math.floor(client.createdAt / 1000),
            client_name: client.name,
            redirect_uris: client.redirectUris,
            logo_uri: client.logoUri,
            client_uri: client.clientUri,
            software_id: client.softwareId,
            software_version: client.softwareVersion,
            token_endpoint_auth_method: 'none',
            grant_types: grantTypes,
            response_types: ['code'],
          },
        };
      },
      async authorize({ query, caller }) {
        const { refused } = await checkAsked(needs, query);
        const next =
          refused ??
          (caller?.via === 'session'
            ? `${settings.baseUrl}${pathOf('/oauth/consent', query)}`
            : loginFor(needs, query));
        return { secret: true, body: next };
      },
      async readAuthorizeContext({ query, caller, cookies }) {
        checkWhole(caller);
        const client = await requireClient(needs, query);
        const workspaces = await eligible(needs, caller);
        const { token, cookie } = openCsrf(needs, caller, cookies.consent);
        return {
          secret: true,
          cookies: [cookie],
          body: {
            client_name: client.name,
            client_logo_uri: client.logoUri,
            workspaces: workspaces.map(({ id, name }) => ({
              id,
              name,
              is_default: id === caller.defaultWorkspaceId,
            })),
            csrf_token: token,
          },
        };
      },
      async consent({ body, caller, cookies }) {
        checkWhole(caller);
        const missing = (
          ['client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'] as const
        ).find((name) => (body[name] ?? '').trim() === '');
        if (missing !== undefined) throw new Failure('unprocessable', `${missing} is required`);
        if ((body.workspace_id ?? '') === '' && (body.workspace_name ?? '') === '')
          throw new Failure('unprocessable', 'workspace_name or workspace_id is required');
        const client = await requireClient(needs, body);
        if (body.code_challenge_method !== 'S256' || !isChallenge(body.code_challenge ?? ''))
          throw new Failure('invalid', 'code_challenge must be a challenge of the method S256');
        if (body.resource !== undefined && body.resource !== resourceOf(settings))
          throw new Failure(
            'invalid',
            'invalid_target: resource is not the one that tokens are for here',
            { word: 'invalid_target' },
          );
        checkCsrf(needs, caller, cookies.consent, body.csrf);
        return {
          secret: true,
          body: {
            redirect_to: await allow(
              needs,
              caller,
              client,
              body,
              await requireChosen(needs, caller, body),
            ),
          },
        };
      },
      issueToken: async ({ body }) => ({
        secret: true,
        body: await issueTokens(needs, body),
      }),
      revokeToken: async ({ body }) => {
        await revokeToken(needs, body);
        return undefined;
      },
      async introspectToken({ bearer: token }) {
        const held = token?.startsWith(beginnings.access)
          ? await storage.stores.oauth.findAccess(secrets.hash(token), clock.now())
          : undefined;
        if (held === undefined || !reaches(held.user, held.roles.get(held.family.workspaceId)))
          return { status: 401, secret: true, challenge: 'Bearer', body: undefined } as const;
        return {
          status: 200,
          secret: true,
          body: {
            user_name: held.user.name,
            workspace_id: held.family.workspaceId,
            workspace_name: held.workspaceName,
            resource: held.family.resource,
            expires_at: toInstant(held.token.expiresAt),
          },
        } as const;
      },
    };
  },
});
