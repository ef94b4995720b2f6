// Operations in process: the same validation, gate and handlers as a request, without a socket.
import { Failure } from '#ports/failure';
import type { Gate, Named } from '#ports/api/gate';
import { subjectsOf } from '#ports/api/operation';
import type { Audit } from '#ports/audit';
import type { Operations } from '#ports/operations';
import { underAudit } from './audited.js';
import { reader } from './input.js';
import { markKnown, requireKnown } from './known-callers.js';
import { isJsonBody, validated, type Route } from './route.js';

/** Calls over these routes; asked for late, since plugins that call bring routes themselves. */
export const inProcess = (
  routes: () => readonly Route[],
  gate: Gate,
  audit: Audit,
): Operations => ({
  async call(id, input, as) {
    requireKnown(as);
    const route = routes().find((one) => one.id === id);
    if (route === undefined) throw new Failure('absent', `there is no operation ${id}`);
    const { operation, handle } = route;
    if (operation.body !== undefined && !isJsonBody(operation.body))
      throw new Failure(
        'unsupported',
        `operation ${id} takes a stream, which is not passed in process`,
      );
    const named: Named = {
      query: input.query ?? {},
      params: input.params ?? {},
      body: input.body,
      part: {},
      header: {},
    };
    const admitted = await gate.admit(operation, subjectsOf(operation), named, as, {});
    const read = (
      schema: Parameters<typeof reader>[0] | undefined,
      whole: string,
      given: unknown,
    ) => (schema === undefined ? undefined : reader(schema, whole)(structuredClone(given ?? {})));
    const asked = {
      query: read(operation.query, 'the query', input.query),
      params: read(operation.params, 'the path', input.params),
      body: isJsonBody(operation.body) ? read(operation.body, 'the body', input.body) : undefined,
    };
    await gate.permit(operation, validated(named, asked), as, admitted);
    const call = {
      ...asked,
      signal: new AbortController().signal,
      address: '',
      source: '',
      fromTrustedProxy: false,
      cookies: {},
      agent: '',
      heldVersions: [],
      bearer: undefined,
      declaredBytes: undefined,
      headers: {},
      digest: () => '',
      caller: as,
      ...admitted,
    };
    return underAudit(
      audit,
      {
        id,
        operation,
        who: as,
        address: undefined,
        requestId: undefined,
        admitted,
        params: call.params,
        body: call.body,
      },
      () => handle(call as never),
    ); // its parts were just made from the row that types the handler
  },
  forInstallation: ({ id, name, kind, defaultWorkspaceId }) =>
    markKnown({
      userId: id,
      userName: name,
      kind,
      admin: true,
      everywhere: true,
      viewOnly: false,
      defaultWorkspaceId,
      via: 'command',
      keyId: 'command',
      scope: undefined,
      csrf: undefined,
      roles: new Map(),
      permissions: new Map(),
    }),
  withRights(caller, { everywhere, roles, permissions }) {
    requireKnown(caller);
    return markKnown({
      ...caller,
      everywhere: everywhere ?? caller.everywhere,
      roles: roles ?? caller.roles,
      permissions: permissions ?? caller.permissions,
    });
  },
});
