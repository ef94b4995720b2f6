// One's own account: who one is, the theme, the password, the sessions.
import { formatAgo } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { useLoaded, useStored } from '../loading.js';
import { session } from '../request.js';
import { server } from '../server.js';
import { adminServer, ownServer } from '../settings-server.js';
import { Act, Form } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { setTheme, tell, theme } from '../state.js';
import { Fault } from '../shell/wait.js';
import { addressIn } from '../../pure/address.js';

const askAgain = async () => {
  session.value = await server.whoAmI({});
};

/** Name and e-mail: an administrator changes them here, everybody else asks one. */
const Names = () => {
  const me = session.value;
  if (me === undefined) return null;
  if (!me.admin)
    return (
      <>
        <p>
          <b>{me.userName}</b> {me.email ?? 'without an e-mail'}
        </p>
        <p class="said">An administrator of the installation changes name and e-mail.</p>
      </>
    );
  const save = async (name: string, email: string) => {
    if (email !== (me.email ?? ''))
      await adminServer.updateUser({ params: { userName: me.userName }, body: { email } });
    if (name !== me.userName)
      await adminServer.renameUser({ body: { oldUserName: me.userName, newUserName: name } });
    await askAgain();
    tell('Saved');
  };
  return (
    <Form
      key={`${me.userName} ${me.email ?? ''}`}
      label="Name and e-mail"
      verb="Save"
      upright
      onSend={(field) => save(field('name'), field('email'))}
    >
      <label>
        User name
        <input name="name" required defaultValue={me.userName} autocomplete="username" />
      </label>
      <label>
        E-mail
        <input type="email" name="email" defaultValue={me.email ?? ''} autocomplete="email" />
      </label>
    </Form>
  );
};

const Choices = () => {
  const listed = useLoaded((signal) => server.listWorkspaces({}, signal), []);
  const names = listed.value?.workspaceNames;
  const { value, fault, again } = useStored((signal) => ownServer.account({}, signal), []);
  return (
    <div class="controls">
      <label>
        Theme
        <select value={theme.value} onChange={({ currentTarget }) => setTheme(currentTarget.value)}>
          <option value="system">as the system</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
      <Fault of={listed.fault ?? fault} />
      {names === undefined || value === undefined ? null : (
        <label>
          Default workspace
          <select
            value={value.defaultWorkspaceName ?? ''}
            onChange={({ currentTarget }) =>
              attempt(
                ownServer
                  .setDefault({ body: { workspaceName: currentTarget.value } })
                  .then(() => tell('Runs that name no workspace go there'))
                  .finally(again),
              )
            }
          >
            {[...new Set([...names, value.defaultWorkspaceName ?? ''])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
};

const Password = ({ onChange }: { onChange: () => void }) => {
  const change = async (password: string, newPassword: string) => {
    await ownServer.changePassword({ body: { password, newPassword } });
    tell('The password is changed, and every other session has ended');
    onChange();
  };
  return (
    <Form
      label="Password"
      verb="Change password"
      upright
      onSend={(field) => change(field('old'), field('new'))}
    >
      <label>
        Password now
        <input type="password" name="old" required autocomplete="current-password" />
      </label>
      <label>
        New password
        <input type="password" name="new" required autocomplete="new-password" />
      </label>
    </Form>
  );
};

const leave = async () => {
  const { continueAt } = await ownServer.signOut({});
  location.assign(addressIn(continueAt ?? '/login'));
};
const leaveEverywhere = async () => {
  await ownServer.signOutEverywhere({});
  location.assign(addressIn('/login'));
};

export const Account = () => {
  const sessions = useStored((signal) => ownServer.listSessions({}, signal), []);
  const shown = { value: sessions.value?.sessions, fault: sessions.fault };
  return (
    <>
      <Names />
      <h2>Choices</h2>
      <Choices />
      <h2>Password</h2>
      <Password onChange={sessions.again} />
      <h2>Sessions</h2>
      <Rows
        label="Sessions"
        of={shown}
        head={['Browser', 'Address', 'Signed in by', 'Since', 'Used', '']}
        empty="You are here without a session: by a key, or because authentication is off."
      >
        {(one) => (
          <tr key={one.sessionId}>
            <td class="long">{one.agent === '' ? 'unknown' : one.agent}</td>
            <td>{one.address}</td>
            <td>{one.way}</td>
            <td>{formatAgo(one.createdAt, Date.now())}</td>
            <td>{one.current ? 'this one' : formatAgo(one.lastUsedAt, Date.now())}</td>
            <td class="does">
              {one.current ? null : (
                <Act
                  verb="End"
                  label={`End the session from ${one.address}`}
                  says="The session has ended"
                  onDo={() =>
                    ownServer
                      .endSession({ params: { sessionId: one.sessionId } })
                      .finally(sessions.again)
                  }
                />
              )}
            </td>
          </tr>
        )}
      </Rows>
      <p class="controls">
        <button type="button" onClick={() => attempt(leave())}>
          Sign out
        </button>
        <Act
          verb="Sign out everywhere"
          label="Sign out everywhere"
          warns="Every session ends, this one too, and programs that act for you have to ask again."
          says="Signed out"
          danger
          onDo={leaveEverywhere}
        />
      </p>
    </>
  );
};
