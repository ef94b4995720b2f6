// Who belongs to a workspace: members and their roles, invitations, and who owns its projects.
import { useEffect, useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { session } from '../request.js';
import { memberServer } from '../settings-server.js';
import { Act, Form, type Fields } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { go, tell } from '../state.js';
import { Invitations } from './invitations.js';
import { ProjectOwners } from './project-owners.js';
import { useMembers, type Member } from './role.js';
import { OwnWorkspace } from './workspace.js';

const roles = ['admin', 'member', 'view-only'] as const;
const permissions = { invite: 'may invite', publish: 'may publish projects' } as const;
const mostShown = 200;

const RoleOf = ({ of, workspace, again }: { of: Member; workspace: string; again: () => void }) => {
  // Who chooses by typing chooses the same one with every letter.
  const [asked, setAsked] = useState<Member['role']>();
  const shown = asked ?? of.role;
  useEffect(() => setAsked(undefined), [of]);
  const set = (role: Member['role'], allowed?: Member['permissions']) =>
    attempt(
      memberServer
        .set({
          body: {
            workspaceName: workspace,
            userName: of.userName,
            role,
            ...(allowed === undefined ? {} : { permissions: allowed }),
          },
        })
        .then(() => tell(`${of.userName} is ${role}`))
        .finally(again),
    );
  const toggled = (name: keyof typeof permissions) =>
    of.permissions.includes(name)
      ? of.permissions.filter((one) => one !== name)
      : [...of.permissions, name];
  return (
    <span class="controls">
      <select
        aria-label={`Role of ${of.userName}`}
        value={shown}
        onChange={({ currentTarget }) => {
          const role = roles.find((one) => one === currentTarget.value);
          if (role === undefined || role === shown) return;
          setAsked(role);
          set(role);
        }}
      >
        {roles.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {of.role !== 'member'
        ? null
        : (['invite', 'publish'] as const).map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                aria-label={`${of.userName} ${permissions[name]}`}
                checked={of.permissions.includes(name)}
                onChange={() => set(of.role, toggled(name))}
              />
              {permissions[name]}
            </label>
          ))}
    </span>
  );
};

const Acts = ({ of, workspace, again }: { of: Member; workspace: string; again: () => void }) => {
  const named = { body: { workspaceName: workspace, userName: of.userName } };
  return of.owner ? null : (
    <>
      {of.role === 'admin' ? (
        <Act
          verb="Make owner"
          label={`Make owner: ${of.userName}`}
          warns="The workspace then belongs to this member; who owned it stays its administrator."
          says={`${of.userName} owns the workspace`}
          onDo={() => memberServer.setOwner(named).finally(again)}
        />
      ) : null}
      <Act
        verb="Remove"
        label={`Remove ${of.userName}`}
        warns="The workspace is out of reach from then on; what was logged stays."
        says={`${of.userName} is no longer a member`}
        danger
        onDo={() => memberServer.remove(named).finally(again)}
      />
    </>
  );
};

const Leave = ({ workspace }: { workspace: string }) => (
  <Act
    verb="Leave"
    label={`Leave ${workspace}`}
    warns="Only its administrators can let you in again; what you logged stays."
    says={`You left ${workspace}`}
    danger
    onDo={() =>
      memberServer.leave({ body: { workspaceName: workspace } }).then(() => {
        go('/w');
      })
    }
  />
);

const Add = ({
  workspace,
  administers,
  again,
}: {
  workspace: string;
  administers: boolean;
  again: () => void;
}) => {
  const add = async (field: Fields) => {
    const userName = field('name');
    const admin = field('role') === 'admin';
    await memberServer.add({
      body: { workspaceName: workspace, userName, ...(admin ? { admin } : {}) },
    });
    tell(`${userName} is a member`);
    again();
  };
  return (
    <Form label="Add a member" verb="Add a member" onSend={add}>
      <input name="name" required aria-label="User name" placeholder="user name" />
      {administers ? (
        <select name="role" aria-label="Role of the new member">
          <option>member</option>
          <option>admin</option>
        </select>
      ) : null}
    </Form>
  );
};

export const MembersScreen = ({ workspace }: { workspace: string }) => {
  const [part, setPart] = useState('');
  const { members, fault, again, mine, administers, invites } = useMembers(workspace);
  const found = members?.filter(({ userName }) =>
    userName.toLowerCase().includes(part.toLowerCase()),
  );
  return (
    <main class="page wide">
      <h1>Members</h1>
      <WorkspaceTabs workspace={workspace} at="members" />
      {invites ? <Add workspace={workspace} administers={administers} again={again} /> : null}
      {(members?.length ?? 0) > 20 ? (
        <p class="controls">
          <input
            type="search"
            aria-label="Search members"
            placeholder="search"
            value={part}
            onInput={({ currentTarget }) => setPart(currentTarget.value)}
          />
        </p>
      ) : null}
      <Rows
        label="Members"
        of={{ value: found?.slice(0, mostShown), fault }}
        head={['Member', 'Role', '']}
        empty="Nobody is called that."
      >
        {(one) => (
          <tr key={one.userName}>
            <td class="long">
              {one.userName}{' '}
              <span class="faint">
                {one.owner ? 'owner' : ''} {one.userName === session.value?.userName ? 'you' : ''}
              </span>
            </td>
            <td>
              {administers && !one.owner ? (
                <RoleOf of={one} workspace={workspace} again={again} />
              ) : (
                [one.role, ...one.permissions.map((name) => permissions[name])].join(', ')
              )}
            </td>
            <td class="does">
              {administers ? <Acts of={one} workspace={workspace} again={again} /> : null}
            </td>
          </tr>
        )}
      </Rows>
      {found !== undefined && found.length > mostShown ? (
        <p class="faint">
          The first {mostShown} of {formatCount(found.length)}; search for the others.
        </p>
      ) : null}
      {mine === undefined || mine.owner ? null : <Leave workspace={workspace} />}
      {invites ? <Invitations workspace={workspace} administers={administers} /> : null}
      {administers ? <ProjectOwners workspace={workspace} members={members ?? []} /> : null}
      {administers ? <OwnWorkspace workspace={workspace} /> : null}
    </main>
  );
};
