import { Failure, isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import {
  asServer,
  dayMs,
  endGuest,
  expiresAt,
  findGuest,
  passAbsent,
  projectsOf,
  type AnonymousNeeds,
  type Guest,
} from './needs.js';

const gone = () =>
  new Failure(
    'absent',
    'there is nothing to claim here: it was claimed already, or its time is over',
  );

/** The guest behind a token, while there is something to claim. Rejects with `absent`. */
export const requireGuest = async (needs: AnonymousNeeds, token: string): Promise<Guest> => {
  const guest = await findGuest(needs, token);
  if (guest?.state !== 'open' || expiresAt(needs, guest) <= needs.clock.now()) throw gone();
  return guest;
};

export const preview = async (needs: AnonymousNeeds, token: string) => {
  const guest = await requireGuest(needs, token);
  const projects = await projectsOf(needs, guest);
  return {
    projects: projects.length,
    experiments: projects.reduce((sum, one) => sum + one.numberOfExperiments, 0),
    daysLeft: Math.ceil((expiresAt(needs, guest) - needs.clock.now()) / dayMs),
  };
};

/** Gives a project its new name and hides it, with a number behind the name where that is taken in the other workspace. */
const hand = async (
  { operations }: AnonymousNeeds,
  projectId: string,
  name: string,
  target: Workspace,
  caller: Caller,
): Promise<void> => {
  for (let n = 1; ; n++) {
    const newProjectName = n === 1 ? name : `${name}-${n}`;
    await operations.call(
      'updateProject',
      { body: { projectId, newProjectName, isPublic: false } },
      caller,
    );
    try {
      await operations.call(
        'moveProject',
        { body: { projectId, targetWorkspaceName: target.name, contents: 'leave' } },
        caller,
      ); // what projects share is moved when all of them are there
      return;
    } catch (thrown) {
      if (!isFailure(thrown) || thrown.kind !== 'conflict' || n >= 100) throw thrown;
    }
  }
};

/** Takes the projects, artifacts and registered models of a guest into a workspace that the caller administers. Begun again after a failure, it goes on where it stopped. */
export const claim = async (
  needs: AnonymousNeeds,
  {
    token,
    target,
    projectName,
    caller,
  }: {
    readonly token: string;
    readonly target: Workspace;
    readonly projectName?: string | undefined;
    readonly caller: Caller;
  },
): Promise<number> => {
  const guest = await requireGuest(needs, token);
  const { auth } = needs;
  // No more is logged from here on, so that what is moved is all there is.
  await auth.revokeKey(guest.keyId);
  const projects = await projectsOf(needs, guest);
  const both = needs.operations.withRights(caller, {
    roles: new Map([...caller.roles, [guest.workspaceId, 'admin']]),
    permissions: new Map([
      ...caller.permissions,
      [target.id, ['publish']],
      [guest.workspaceId, ['publish']],
    ]),
  });
  for (const { projectId, projectName: before } of projects) {
    const name =
      projectName === undefined || projectName === ''
        ? before === 'general'
          ? guest.userName
          : before
        : projectName;
    await hand(needs, projectId, name, target, both);
    await needs.operations
      .call('setProjectOwner', { body: { projectId, userName: caller.userName } }, both)
      .catch(passAbsent); // an administrator of the installation need not be a member
  }
  // What is left besides projects; whatever still turns up afterwards keeps the workspace from being deleted.
  await needs.operations.call(
    'moveWorkspaceContents',
    { body: { workspaceName: guest.workspaceName, targetWorkspaceName: target.name } },
    asServer(needs, guest),
  );
  await endGuest(needs, guest, 'claimed');
  return projects.length;
};
