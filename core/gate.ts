// The gate. Rows say whose thing a request touches; here it is loaded and the caller's access is checked, once, for all of them.
import type { Gate, Named } from '#ports/api/gate';
import type { Kind } from '#ports/api/kind';
import type { Asking, ResolvedKind } from '#ports/api/kind-definition';
import { kindOf, subjectsOf, type Operation, type Subject } from '#ports/api/operation';
import { isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { admitSubject, type Found } from './admission.js';
import { checkCaller, checkPermission, roleOf } from './permissions.js';
import { administratorsOnly } from './places.js';

/** The gate over these kinds, by name; asked for late, since plugins that bring kinds may ask for the gate. */
export const createGate = (kinds: () => ReadonlyMap<string, ResolvedKind>): Gate => {
  const resolved = ({ name }: Kind): ResolvedKind => {
    const found = kinds().get(name);
    if (found === undefined) throw new Error(`no area defines the kind ${name}`);
    return found;
  };
  const admitAll = async (subjects: readonly Subject[], request: Request): Promise<Found> => {
    let { found } = request;
    for (const subject of subjects) {
      const asking = askingOf({ ...request, found });
      found = { ...found, ...(await admitSubject(subject, resolved(kindOf(subject)), asking)) };
    }
    return found;
  };
  /** What is read in place of what a row is about. */
  const findCopy = async (subjects: readonly Subject[], request: Request): Promise<Found> => {
    for (const kind of subjects.map(kindOf)) {
      const copy = await resolved(kind).rules.findCopy?.(askingOf(request));
      if (copy !== undefined) return { [kind.name]: copy };
    }
    return {};
  };

  return {
    async admit(operation, subjects, named, caller, found) {
      const request = { operation, named, caller, found };
      checkCaller(operation, caller);
      if (operation.access.needs === 'organization-admin' && !caller.admin)
        throw administratorsOnly();
      try {
        return { ...(await admitAll(subjects, request)) };
      } catch (refusal) {
        if (!takesCopy(request, refusal)) throw refusal;
        const copy = await findCopy(subjects, request);
        if (Object.keys(copy).length === 0) throw refusal;
        return { ...found, ...copy };
      }
    },
    async permit(operation, named, caller, found) {
      if (operation.access.permission === undefined) return;
      const asking = askingOf({ operation, named, caller, found });
      // What a row names last lies within what it names before.
      for (const kind of subjectsOf(operation).map(kindOf).reverse()) {
        const record = found[kind.name];
        const place =
          record === undefined ? 'parent' : await resolved(kind).rules.placeOf(record, asking);
        if (typeof place === 'string' || 'userId' in place) continue;
        const { workspaceId, public: before = false } = place;
        const role = roleOf(caller, workspaceId);
        checkPermission(operation.access, named, caller, { workspaceId, role, before });
        return;
      }
    },
    async workspaceOf(operation, named, caller, found) {
      const asking = askingOf({ operation, named, caller, found });
      for (const kind of subjectsOf(operation).map(kindOf)) {
        const many = found[`${kind.name}s`];
        const record: unknown = found[kind.name] ?? (Array.isArray(many) ? many[0] : undefined);
        const place =
          record === undefined ? 'parent' : await resolved(kind).rules.placeOf(record, asking);
        if (typeof place !== 'string' && 'workspaceId' in place) return place.workspaceId;
      }
      return caller.defaultWorkspaceId;
    },
  };
};

interface Request {
  readonly operation: Operation;
  readonly named: Named;
  readonly caller: Caller;
  /** What was found before. */
  readonly found: Found;
}

const askingOf = ({ operation, named, caller, found }: Request): Asking => ({
  operation,
  named,
  caller,
  found: <Record>(kind: Kind<string, Record>) => found[kind.name] as Record | undefined, // stored under the name of its kind, by this gate
});

/** A key of one project reads no copy: that lies in no project. */
const takesCopy = ({ operation, caller }: Request, refusal: unknown): boolean =>
  operation.access.fallBackToRegistryCopy === true &&
  caller.scope?.projectId === undefined &&
  isFailure(refusal) &&
  refusal.kind === 'absent';
