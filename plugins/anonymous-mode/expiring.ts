import { isFailure } from '#ports/failure';
import { asServer, endGuest, expiresAt, projectsOf, toGuest, type AnonymousNeeds } from './needs.js';
import { forgetStarts } from './starting.js';

const atOnce = 50;

/** Deletes what nobody claimed in time, the oldest first: projects with their runs and files, then the guest. Answers how many guests ended. */
export const expire = async (needs: AnonymousNeeds, signal: AbortSignal): Promise<number> => {
  await forgetStarts(needs);
  for (let ended = 0; ;) {
    const open = (await needs.tables.list('guests', 'by_state', { state: 'open' }, { limit: atOnce })).map(toGuest);
    const due = open.filter((guest) => expiresAt(needs, guest) <= needs.clock.now());
    for (const guest of due) {
      if (signal.aborted) return ended;
      await needs.auth.revokeKey(guest.keyId);
      for (const { projectId } of await projectsOf(needs, guest).catch(noWorkspace)) await needs.operations.call('deleteProject', { body: { projectId, deleteAllExperiments: true } }, asServer(guest));
      await endGuest(needs, guest, 'expired').catch(noWorkspace);
      await needs.audit.note({ actorId: undefined, actorName: undefined, via: 'system', keyId: undefined, address: undefined, action: 'expireAnonymous', thing: { kind: 'account', id: guest.userId, name: guest.userName }, workspaceId: guest.workspaceId, detail: {} });
      ended++;
    }
    if (due.length < atOnce) return ended;
  }
};

/** A run of this job that broke off may have taken it away already. */
const noWorkspace = (thrown: unknown): never[] => {
  if (isFailure(thrown) && thrown.kind === 'absent') return [];
  throw thrown;
};
