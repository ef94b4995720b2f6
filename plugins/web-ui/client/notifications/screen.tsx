// Where a workspace is told of changes in its registry: rooms and mailboxes, and addresses that programs listen at.
import { useMembers } from '../members/role.js';
import { Webhooks } from '../registry/webhooks.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { Channels } from './channels.js';
import { Wait } from '../shell/wait.js';

export const NotificationsScreen = ({ workspace }: { workspace: string }) => {
  const { members, fault, administers } = useMembers(workspace);
  return (
    <main class="page wide">
      <h1>Notifications</h1>
      <WorkspaceTabs workspace={workspace} at="notifications" />
      {members === undefined ? (
        <Wait fault={fault} />
      ) : administers ? (
        <>
          <h2>Channels</h2>
          <Channels workspace={workspace} />
          <h2>Webhooks for every model</h2>
          <Webhooks workspace={workspace} />
        </>
      ) : (
        <p class="empty">Only administrators of the workspace see where it is told of changes.</p>
      )}
    </main>
  );
};
