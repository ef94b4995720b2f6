// Who belongs to a workspace, and what that lets who signed in do there. The server decides; the page only leaves out what it would refuse.
import { useStored } from '../loading.js';
import { session } from '../request.js';
import { memberServer } from '../settings-server.js';

export type Member = Awaited<ReturnType<typeof memberServer.list>>['members'][number];

const pageSize = 1000;
/** Members that are listed at most. */
const mostMembers = 10_000;

const listAll = async (workspaceName: string, signal: AbortSignal): Promise<readonly Member[]> => {
  const all: Member[] = [];
  for (;;) {
    const after = all.at(-1)?.userName;
    const { members } = await memberServer.list(
      { query: { workspaceName, size: pageSize, ...(after === undefined ? {} : { after }) } },
      signal,
    );
    all.push(...members);
    if (members.length < pageSize || all.length >= mostMembers) return all;
  }
};

/** Whether who signed in administers a workspace. */
export const isAdministrator = async (workspace: string, signal: AbortSignal): Promise<boolean> =>
  session.value?.admin === true ||
  (await listAll(workspace, signal)).some(
    ({ userName, role }) => role === 'admin' && userName === session.value?.userName,
  );

/** The members of a workspace, and whether who signed in administers it and may invite to it. */
export const useMembers = (workspace: string) => {
  const { value, fault, again } = useStored((signal) => listAll(workspace, signal), [workspace]);
  const mine = value?.find(({ userName }) => userName === session.value?.userName);
  const administers = session.value?.admin === true || mine?.role === 'admin';
  const invites = administers || (mine?.role === 'member' && mine.permissions.includes('invite'));
  return { members: value, fault, again, mine, administers, invites };
};
