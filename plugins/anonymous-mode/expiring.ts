import type { PluginRow } from '#ports/plugin-tables';
import {
  asServer,
  endGuest,
  expiresAt,
  passAbsent,
  projectsOf,
  toGuest,
  type AnonymousNeeds,
  type Guest,
} from './needs.js';
import { forgetStarts } from './starting.js';

const atOnce = 50;

/** Deletes what nobody claimed in time, the oldest first: projects with their runs and files, then the guest. One that fails is logged, tried again with the next run, and holds up no other. Answers how many guests ended. */
export const expire = async (needs: AnonymousNeeds, signal: AbortSignal): Promise<number> => {
  await forgetStarts(needs);
  let after: PluginRow | undefined;
  for (let ended = 0; ;) {
    const open = await needs.tables.list(
      'guests',
      'by_state',
      { state: 'open' },
      { limit: atOnce, ...(after === undefined ? {} : { after }) },
    );
    const due = open.filter((row) => expiresAt(needs, toGuest(row)) <= needs.clock.now());
    for (const guest of due.map(toGuest)) {
      if (signal.aborted) return ended;
      if (await endInTime(needs, guest)) ended++;
    }
    if (due.length < atOnce) return ended;
    after = due.at(-1);
  }
};

/** Ends one guest; whether that succeeded. */
const endInTime = async (needs: AnonymousNeeds, guest: Guest): Promise<boolean> => {
  try {
    await needs.auth.revokeKey(guest.keyId);
    for (const { projectId } of (await projectsOf(needs, guest).catch(passAbsent)) ?? [])
      await needs.operations
        .call(
          'deleteProject',
          { body: { projectId, deleteAllExperiments: true } },
          asServer(needs, guest),
        )
        .catch(passAbsent);
    await endGuest(needs, guest, 'expired');
    await needs.audit.note({
      actorId: undefined,
      actorName: undefined,
      via: 'system',
      keyId: undefined,
      address: undefined,
      action: 'expireAnonymous',
      thing: { kind: 'account', id: guest.userId, name: guest.userName },
      workspaceId: guest.workspaceId,
      detail: {},
    });
    return true;
  } catch (error) {
    needs.log.error('a guest whose time is over could not be deleted; it is tried again', {
      guest: guest.userName,
      error,
    });
    return false;
  }
};
