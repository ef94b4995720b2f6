// Rows that are audited: an entry is begun before their handler and told what became of it, so that nothing audited happens unseen.
import type { Operation } from '#ports/api/operation';
import type { Audit } from '#ports/audit';
import { isFailure } from '#ports/failure';
import type { AuditedThing } from '#ports/model/audit';
import type { Caller } from '#ports/model/identity';

interface Identified {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly key?: unknown;
  readonly workspaceId?: unknown;
}
/** A scope or a target: nothing by itself, but in a workspace. */
interface Placed {
  readonly workspace?: Identified;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** What a request touches, as the gate admitted it: the last thing that the row names, and its workspace. */
const touched = (
  admitted: Readonly<Record<string, unknown>>,
): { readonly thing: AuditedThing | undefined; readonly workspaceId: string | undefined } => {
  const things = Object.entries(admitted).filter(
    ([, one]) => typeof one === 'object' && one !== null && 'id' in one,
  ) as [string, Identified][]; // records that have an id
  const [kind, record] = things.at(-1) ?? [];
  const placed = Object.values(admitted) as readonly (Placed | undefined)[]; // any record may be asked for its workspace
  const workspace =
    (admitted['workspace'] as Identified | undefined) ?? // the gate's own name for it
    placed.find((one) => one?.workspace !== undefined)?.workspace;
  return {
    thing:
      kind === undefined || record === undefined
        ? undefined
        : { kind, id: String(record.id), name: textOf(record.name) ?? textOf(record.key) },
    workspaceId: textOf(record?.workspaceId) ?? textOf(workspace?.id),
  };
};

/** Members of a request that say what it was about, and hold no secret. */
const told = [
  'id',
  'ids',
  'userName',
  'userEmail',
  'oldUserName',
  'newUserName',
  'name',
  'role',
  'admin',
  'permissions',
  'readOnly',
  'viewOnly',
  'suspended',
  'restricted',
  'enabled',
  'isPublic',
  'status',
  'projectId',
  'projectName',
  'templateId',
  'template_id',
  'workspaceName',
  'newWorkspaceName',
  'targetWorkspaceName',
  'deleteAllExperiments',
  'email',
  'clientId',
];
const [mostCharacters, mostItems] = [200, 100];
const cut = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.slice(0, mostCharacters)
    : Array.isArray(value)
      ? value.slice(0, mostItems).map(cut)
      : value;
const facts = (body: unknown): Readonly<Record<string, unknown>> => {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name, value]) => told.includes(name) && value !== undefined)
      .map(([name, value]) => [name, cut(value)]),
  );
};

/** One call of an audited row. */
export interface AuditedCall {
  readonly id: string;
  readonly operation: Operation;
  readonly who: Caller | undefined;
  readonly address: string | undefined;
  readonly requestId: string | undefined;
  readonly admitted: Readonly<Record<string, unknown>>;
  readonly params: unknown;
  readonly body: unknown;
}

/** Whether a handler that answers in several ways has answered with a refusal, as pages do that show a form again. */
const isRefusal = (result: unknown): boolean =>
  typeof result === 'object' &&
  result !== null &&
  'status' in result &&
  typeof result.status === 'number' &&
  result.status >= 400;

/** Anybody may become a guest, and whatever a guest does is gone after a while: neither is written down, else strangers could fill the log. */
const isGuest = (who: Caller | undefined): boolean =>
  who?.kind === 'guest' && who.via !== 'command';

/** Runs the handler between the two halves of its entry; rows that are not audited just run. */
export const underAudit = async (
  audit: Audit,
  { id, operation, who, address, requestId, admitted, params, body }: AuditedCall,
  run: () => Promise<unknown>,
): Promise<unknown> => {
  if (operation.audit !== true || isGuest(who)) return run();
  const detail = {
    ...facts(params),
    ...facts(body),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const entry = await audit.note({
    actorId: who?.userId,
    actorName: who?.userName,
    via: who?.via ?? 'nobody',
    keyId: who?.via === 'command' ? undefined : who?.keyId,
    address,
    action: id,
    ...touched(admitted),
    outcome: 'begun',
    detail,
  });
  try {
    const result = await run();
    await audit.complete(entry, isRefusal(result) ? 'refused' : 'done');
    return result;
  } catch (thrown) {
    const refused = isFailure(thrown) && thrown.kind !== 'unavailable';
    await audit
      .complete(
        entry,
        refused ? 'refused' : 'failed',
        refused ? { detail: { ...detail, reason: thrown.message } } : {},
      )
      .catch(() => undefined); // the cause is what the caller must hear
    throw thrown;
  }
};

/** Writes down what was kept from an audited row before its handler. */
export const noteRefused = async (
  audit: Audit,
  {
    id,
    who,
    address,
    requestId,
    reason,
  }: {
    readonly id: string;
    readonly who: Caller;
    readonly address: string | undefined;
    readonly requestId: string | undefined;
    readonly reason: string;
  },
): Promise<void> => {
  if (isGuest(who)) return;
  await audit.note({
    actorId: who.userId,
    actorName: who.userName,
    via: who.via,
    keyId: who.via === 'command' ? undefined : who.keyId,
    address,
    action: id,
    thing: undefined,
    workspaceId: undefined,
    outcome: 'refused',
    detail: { ...(requestId === undefined ? {} : { requestId }), reason },
  });
};
