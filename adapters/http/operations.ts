// Operations in process: the same validation, gate and handlers as a request, without a socket.
import { Failure, isFailure } from '#ports/failure';
import type { Gate, Named } from '#ports/api/gate';
import { changes, subjectsOf } from '#ports/api/operation';
import type { Audit } from '#ports/audit';
import type { Caller } from '#ports/model/identity';
import type { OperationInput, Operations } from '#ports/operations';
import type { Readiness } from '#ports/readiness';
import type { Toggles } from '#ports/toggles';
import { SwitchedOff } from './answer/available.js';
import { noteRefused, underAudit } from './audited.js';
import { reader } from './input.js';
import { markKnown, requireKnown } from './known-callers.js';
import { isJsonBody, validated, type Route } from './route.js';

interface InProcessNeeds {
  readonly gate: Gate;
  readonly audit: Audit;
  readonly toggles: Pick<Toggles, 'isOn'>;
  readonly readiness: Readiness;
}

/** Refuses what a request would be refused for before anybody asks whose it is. */
const requireAvailable = (
  { operation }: Route,
  { toggles, readiness }: InProcessNeeds,
  as: Caller,
): void => {
  if (as.via === 'command') return;
  const { toggle } = operation;
  if (toggle !== undefined && !toggles.isOn(toggle))
    throw new SwitchedOff('invalid', `this is switched off here (toggle ${toggle})`);
  const refusal = changes(operation) ? readiness.refusal() : undefined;
  if (refusal !== undefined) throw new Failure('unavailable', refusal, { retryAfter: 10 });
};

const holdsNul = (given: unknown): boolean => {
  if (typeof given === 'string') return given.includes('\0');
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(given).some(([name, value]) => name.includes('\0') || holdsNul(value));
};

/** Refuses a character that some databases cannot store, as a request is refused that holds it. */
const refuseNul = ({ query, params, body }: OperationInput): void => {
  if ([query, params, body].some(holdsNul))
    throw new Failure('invalid', 'a text must not hold the character U+0000');
};

const namedIn = ({ query, params, body, headers }: OperationInput): Named => ({
  query: query ?? {},
  params: params ?? {},
  body,
  part: {},
  header: headers ?? {},
});

/** The input in the row's own types. */
const validate = ({ operation, family }: Route, input: OperationInput) => {
  const read = (
    schema: Parameters<typeof reader>[0] | undefined,
    whole: string,
    given: unknown,
    brokenRule: Parameters<typeof reader>[2] = 'invalid',
  ) =>
    schema === undefined
      ? undefined
      : reader(schema, whole, brokenRule)(structuredClone(given ?? {}));
  return {
    query: read(operation.query, 'the query', input.query),
    params: read(operation.params, 'the path', input.params),
    body: isJsonBody(operation.body)
      ? read(operation.body, 'the body', input.body, family.dress.brokenRule)
      : undefined,
  };
};

/** What a handler is told of a request, of which there is none. */
const withoutRequest = ({ headers, from }: OperationInput) => ({
  signal: from?.signal ?? new AbortController().signal,
  address: from?.address ?? '',
  source: from?.source ?? '',
  fromTrustedProxy: false,
  cookies: {},
  agent: '',
  path: '',
  heldVersions: [],
  bearer: undefined,
  declaredBytes: undefined,
  headers: headers ?? {},
  digest: () => '',
});

/** Calls over these routes; asked for late, since plugins that call bring routes themselves. */
export const inProcess = (
  routes: () => readonly Route[],
  { gate, audit, ...others }: InProcessNeeds,
): Operations => {
  const admit = async (route: Route, input: OperationInput, as: Caller) => {
    const { operation } = route;
    requireAvailable(route, { gate, audit, ...others }, as);
    refuseNul(input);
    const named = namedIn(input);
    const admitted = await gate.admit(operation, subjectsOf(operation), named, as, {});
    const asked = validate(route, input);
    await gate.permit(operation, validated(named, asked), as, admitted);
    return { asked, admitted };
  };
  /** Writes down what the gate keeps from an audited row, as of a request. */
  const noteTurnedAway = async (
    { id, operation }: Route,
    { from }: OperationInput,
    who: Caller,
    thrown: unknown,
  ): Promise<void> => {
    if (operation.audit !== true || !isFailure(thrown) || thrown.kind !== 'forbidden') return;
    const address = from?.address;
    await noteRefused(audit, { id, who, address, requestId: undefined, reason: thrown.message });
  };
  return {
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
      const { asked, admitted } = await admit(route, input, as).catch(async (thrown: unknown) => {
        await noteTurnedAway(route, input, as, thrown);
        throw thrown;
      });
      const call = { ...withoutRequest(input), ...asked, caller: as, ...admitted };
      return underAudit(
        audit,
        {
          id,
          operation,
          who: as,
          address: input.from?.address,
          requestId: undefined,
          admitted,
          params: asked.params,
          body: asked.body,
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
  };
};
