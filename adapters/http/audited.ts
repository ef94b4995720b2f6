// Rows that are audited: an entry is begun before their handler and told what became of it, so that nothing audited happens unseen.
import type { Context } from 'koa';
import type { Audit } from '#ports/audit';
import { isFailure } from '#ports/failure';
import type { AuditedThing } from '#ports/model/audit';
import type { Caller } from '#ports/model/identity';
import type { Route } from './mount.js';

interface Identified {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly key?: unknown;
  readonly workspaceId?: unknown;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What a request touches, as the gate met it: the last thing that the row names, and its workspace. */
export const touched = (met: Readonly<Record<string, unknown>>): { readonly thing: AuditedThing | undefined; readonly workspaceId: string | undefined } => {
  const things = Object.entries(met).filter(([, one]) => typeof one === 'object' && one !== null && 'id' in one) as [string, Identified][]; // records that have an id
  const [kind, record] = things.at(-1) ?? [];
  const workspace = met['workspace'] as Identified | undefined; // the gate's own name for it
  return {
    thing: kind === undefined || record === undefined ? undefined : { kind, id: String(record.id), name: textOf(record.name) ?? textOf(record.key) },
    workspaceId: textOf(record?.workspaceId) ?? textOf(workspace?.id) ?? (kind === 'workspace' ? textOf(record?.id) : undefined),
  };
};

/** Runs the handler of an audited row between the two halves of its entry. */
export const settleAudited = ({ id, handle }: Route, audit: Audit) => async (ctx: Context, call: never): Promise<unknown> => {
  const who = ctx.state['who'] as Caller | undefined; // set where the caller was identified
  const entry = await audit.note({
    actorId: who?.userId, actorName: who?.userName, via: who?.via ?? 'nobody', keyId: who?.keyId, address: ctx.state['address'] as string, action: id,
    ...touched(ctx.state['met'] as Record<string, unknown>), outcome: 'begun', detail: { requestId: ctx.state['requestId'] },
  });
  try {
    const result = await handle(call);
    await audit.settle(entry, 'done');
    return result;
  } catch (thrown) {
    await audit.settle(entry, isFailure(thrown) && thrown.kind !== 'unavailable' ? 'refused' : 'failed', isFailure(thrown) ? { detail: { requestId: ctx.state['requestId'], reason: thrown.message } } : {}).catch(() => undefined); // the cause is what the caller must hear
    throw thrown;
  }
};
