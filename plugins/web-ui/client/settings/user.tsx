// One account as an administrator sees it: where it belongs, and its keys, sessions and programs.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { adminServer } from '../settings-server.js';
import { Act, Asks, Form, type Fields } from '../shell/form.js';
import { Once, type Secret } from '../shell/once.js';
import { Rows } from '../shell/rows.js';
import { go } from '../state.js';
import { Wait } from '../shell/wait.js';
import { UserActs } from './user-acts.js';

const address = (name: string) => `${pathOf('settings', 'users')}?user=${encodeURIComponent(name)}`;

const agoOf = (at: number | null): string => (at === null ? '–' : formatAgo(at, Date.now()));

const Keys = ({ name }: { name: string }) => {
  const [secret, setSecret] = useState<Secret>();
  const params = { userName: name };
  const { value, fault, again } = useStored(
    (signal) => adminServer.userKeys({ params }, signal),
    [name],
  );
  const issue = async (field: Fields) => {
    const { apiKey } = await adminServer.issueUserKey({ params, body: { name: field('name') } });
    setSecret({ what: `The key ${field('name')} of ${name}`, text: apiKey });
    again();
  };
  return (
    <section aria-label="API keys">
      <h2>API keys</h2>
      <Form label="Make a key" verb="Make a key" onSend={issue}>
        <input
          name="name"
          required
          maxLength={100}
          aria-label="Name of the key"
          placeholder="name"
        />
      </Form>
      <Once of={secret} onDone={() => setSecret(undefined)} />
      <Rows
        label="Keys"
        of={{ value: value?.keys, fault }}
        head={['Name', 'Made', 'Used', '']}
        empty="This account has no key."
      >
        {(one) => (
          <tr key={one.keyId}>
            <td class="long">{one.name}</td>
            <td>{agoOf(one.createdAt)}</td>
            <td>{agoOf(one.lastUsedAt)}</td>
            <td class="does">
              <Act
                verb="Revoke"
                label={`Revoke the key ${one.name}`}
                warns="Programs that use it are refused from now on."
                says="The key is revoked"
                danger
                onDo={() =>
                  adminServer.revokeUserKey({ params: { keyId: one.keyId } }).finally(again)
                }
              />
            </td>
          </tr>
        )}
      </Rows>
    </section>
  );
};

const Sessions = ({ name }: { name: string }) => {
  const params = { userName: name };
  const { value, fault, again } = useStored(
    (signal) => adminServer.userSessions({ params }, signal),
    [name],
  );
  return (
    <section aria-label="Sessions">
      <h2>Sessions</h2>
      <Rows
        label="Sessions that go on"
        of={{ value: value?.sessions, fault }}
        head={['From', 'Program', 'Began', 'Used']}
        empty="Nobody is signed in under this name."
      >
        {(one) => (
          <tr key={one.sessionId}>
            <td>{one.address}</td>
            <td class="long">{one.agent}</td>
            <td>{agoOf(one.createdAt)}</td>
            <td>{agoOf(one.lastUsedAt)}</td>
          </tr>
        )}
      </Rows>
      {(value?.sessions.length ?? 0) > 0 ? (
        <p class="controls">
          <Act
            verb="Sign out"
            label={`Sign out ${name} everywhere`}
            warns="Every browser in which this account is signed in has to sign in again."
            says="All sessions are ended"
            danger
            onDo={() => adminServer.endUserSessions({ params }).finally(again)}
          />
        </p>
      ) : null}
    </section>
  );
};

const Programs = ({ name }: { name: string }) => {
  const { value, fault, again } = useStored(
    (signal) => adminServer.userPrograms({ params: { userName: name } }, signal),
    [name],
  );
  return (
    <section aria-label="Connected programs">
      <h2>Connected programs</h2>
      <Rows
        label="Programs"
        of={{ value: value?.programs, fault }}
        head={['Program', 'Workspaces', '']}
        empty="No program acts for this account."
      >
        {(one) => (
          <tr key={one.clientId}>
            <td class="long">{one.clientName}</td>
            <td class="long">{one.workspaces.map((of) => of.workspaceName).join(', ')}</td>
            <td class="does">
              <Act
                verb="End"
                label={`End the access of ${one.clientName}`}
                warns={`It acts for ${name} no more until it is allowed to again.`}
                says="The program has no access any more"
                danger
                onDo={() =>
                  adminServer
                    .endUserProgram({ params: { userName: name, clientId: one.clientId } })
                    .finally(again)
                }
              />
            </td>
          </tr>
        )}
      </Rows>
    </section>
  );
};

const Rename = ({ name }: { name: string }) => (
  <Asks
    verb="Rename"
    label={`Rename ${name}`}
    says="The account is renamed"
    warns="It signs in by the new name from now on."
    onSend={async (field) => {
      const newUserName = field('name');
      await adminServer.renameUser({ body: { oldUserName: name, newUserName } });
      go(address(newUserName));
    }}
  >
    <label>
      New name
      <input name="name" required defaultValue={name} />
    </label>
  </Asks>
);

export const OneUser = ({ name }: { name: string }) => {
  const { value, fault, again } = useStored(
    (signal) => adminServer.showUser({ params: { userName: name } }, signal),
    [name],
  );
  const [secret, setSecret] = useState<Secret>();
  return (
    <>
      <p>
        <a href={pathOf('settings', 'users')}>All users</a>
      </p>
      <h2 dir="auto">{name}</h2>
      {value === undefined ? (
        <Wait fault={fault} />
      ) : (
        <>
          <p class="controls">
            <span>{value.user.email ?? 'no e-mail'}</span>
            <span class="faint">made {agoOf(value.user.createdAt)}</span>
            <Rename name={name} />
            {value.user.kind === 'person' ? (
              <UserActs
                of={value.user}
                onLink={setSecret}
                again={again}
                leaves={pathOf('settings', 'users')}
              />
            ) : null}
          </p>
          <Once of={secret} onDone={() => setSecret(undefined)} />
          <Rows
            label="Workspaces of the account"
            of={{ value: value.workspaces, fault: undefined }}
            head={['Workspace', 'Role']}
            empty="It belongs to no workspace."
          >
            {(one) => (
              <tr key={one.workspaceName}>
                <td class="long">
                  <a href={pathOf('w', one.workspaceName, 'members')}>{one.workspaceName}</a>
                </td>
                <td>{one.role}</td>
              </tr>
            )}
          </Rows>
          <Keys name={name} />
          <Sessions name={name} />
          <Programs name={name} />
        </>
      )}
    </>
  );
};
