// What its administrator does with a whole workspace.
import { pathOf } from '../../pure/address.js';
import { memberServer } from '../settings-server.js';
import { Act, Asks } from '../shell/form.js';
import { go } from '../state.js';

export const OwnWorkspace = ({ workspace }: { workspace: string }) => (
  <section aria-label="This workspace">
    <h2>This workspace</h2>
    <p class="controls">
      <Asks
        verb="Rename the workspace"
        label={`Rename the workspace ${workspace}`}
        send="Rename"
        says="The workspace is renamed"
        warns="Programs that name the workspace need its new name; links by keys of runs stay."
        onSend={async (field) => {
          const name = field('name');
          await memberServer.rename({
            body: { workspaceName: workspace, newWorkspaceName: name },
          });
          go(pathOf('w', name, 'members'));
        }}
      >
        <label>
          New name
          <input name="name" required maxLength={100} defaultValue={workspace} />
        </label>
      </Asks>
      <Act
        verb="Delete the workspace"
        label={`Delete the workspace ${workspace}`}
        warns="Only one that holds nothing is deleted, and not the one that you log into."
        says="The workspace is deleted"
        danger
        onDo={async () => {
          await memberServer.removeWorkspace({ body: { workspaceName: workspace } });
          go('/w');
        }}
      />
    </p>
  </section>
);
