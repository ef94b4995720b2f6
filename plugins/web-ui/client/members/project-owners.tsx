// Who owns the projects of a workspace; its administrators give them to other members.
import { attempt } from '../attempt.js';
import { useStored } from '../loading.js';
import { server } from '../server.js';
import { memberServer } from '../settings-server.js';
import { Rows } from '../shell/rows.js';
import { tell } from '../state.js';
import type { Member } from './role.js';

export const ProjectOwners = ({
  workspace,
  members,
}: {
  workspace: string;
  members: readonly Member[];
}) => {
  const { value, fault, again } = useStored(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  /** A name that is refused makes way for that of the owner again. */
  const give = (projectId: string, field: HTMLInputElement) =>
    attempt(
      memberServer.setProjectOwner({ body: { projectId, userName: field.value } }).then(
        () => {
          tell(`The project belongs to ${field.value}`);
          again();
        },
        (thrown: unknown) => {
          field.value = field.defaultValue;
          throw thrown;
        },
      ),
    );
  return (
    <section aria-label="Projects and their owners">
      <h2>Projects and their owners</h2>
      <Rows
        label="Owners of projects"
        of={{ value: value?.projects, fault }}
        head={['Project', 'Owner']}
        empty="There is no project yet."
      >
        {(one) => (
          <tr key={one.projectId}>
            <td class="long">{one.projectName}</td>
            <td>
              <input
                aria-label={`Owner of ${one.projectName}`}
                list="members"
                required
                key={one.ownerUserName}
                defaultValue={one.ownerUserName}
                onChange={({ currentTarget }) => give(one.projectId, currentTarget)}
              />
            </td>
          </tr>
        )}
      </Rows>
      <datalist id="members">
        {members.slice(0, 1000).map(({ userName }) => (
          <option key={userName} value={userName} />
        ))}
      </datalist>
    </section>
  );
};
