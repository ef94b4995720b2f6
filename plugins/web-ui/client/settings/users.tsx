// People of the installation: added (with a key that is shown once), suspended, given the administration, ended.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { session } from '../request.js';
import { adminServer } from '../settings-server.js';
import { Act, Form, type Fields } from '../shell/form.js';
import { Once, type Secret } from '../shell/once.js';
import { Rows } from '../shell/rows.js';
import { OneUser } from './user.js';
import { query, setQuery } from '../state.js';

type User = Awaited<ReturnType<typeof adminServer.listUsers>>['accounts'][number];

const pageSize = 100;

const standing = ({ admin, viewOnly, suspendedAt, kind }: User): string =>
  [
    kind === 'person' ? undefined : kind,
    admin ? 'administrator' : undefined,
    viewOnly ? 'reads only' : undefined,
    suspendedAt === null ? undefined : 'suspended',
  ]
    .filter((word) => word !== undefined)
    .join(', ');

const Acts = ({
  of,
  onLink,
  again,
}: {
  of: User;
  onLink: (secret: Secret) => void;
  again: () => void;
}) => {
  const named = { params: { userName: of.userName } };
  const change = (body: { admin?: boolean; suspended?: boolean }) => () =>
    adminServer.updateUser({ ...named, body }).finally(again);
  const link = async () =>
    onLink({
      what: `The link by which ${of.userName} sets a password`,
      text: (await adminServer.passwordLink(named)).link,
    });
  const isSelf = of.userName === session.value?.userName;
  return (
    <>
      <Act
        verb="Password link"
        label={`Password link for ${of.userName}`}
        says="The link works once"
        onDo={link}
      />
      {isSelf ? null : (
        <>
          <Act
            verb={of.admin ? 'No administrator' : 'Administrator'}
            label={`${of.admin ? 'No administrator' : 'Administrator'}: ${of.userName}`}
            warns={
              of.admin
                ? 'This account no longer administers the installation.'
                : 'This account administers the whole installation: every workspace, every account.'
            }
            says="Saved"
            onDo={change({ admin: !of.admin })}
          />
          <Act
            verb={of.suspendedAt === null ? 'Suspend' : 'Restore'}
            label={`${of.suspendedAt === null ? 'Suspend' : 'Restore'} ${of.userName}`}
            {...(of.suspendedAt === null
              ? { warns: 'None of its passwords, sessions, keys and programs is known until then.' }
              : {})}
            says="Saved"
            danger={of.suspendedAt === null}
            onDo={change({ suspended: of.suspendedAt === null })}
          />
          <Act
            verb="Delete"
            label={`Delete ${of.userName}`}
            warns="Keys, sessions, memberships and e-mail go for good; what was logged stays under the name."
            says="The user is deleted"
            danger
            onDo={() => adminServer.deleteUser(named).finally(again)}
          />
        </>
      )}
    </>
  );
};

const AllUsers = () => {
  const [secret, setSecret] = useState<Secret>();
  const [most, setMost] = useState(pageSize);
  const search = query.value.get('search') ?? '';
  const { value, fault, again } = useStored(
    (signal) =>
      adminServer.listUsers(
        { query: { size: most, ...(search === '' ? {} : { search }) } },
        signal,
      ),
    [search, most],
  );
  const add = async (field: Fields) => {
    const [email, password] = [field('email'), field('password')];
    const made = await adminServer.createUser({
      body: {
        userName: field('name'),
        ...(email === '' ? {} : { email }),
        ...(password === '' ? {} : { password }),
        viewOnly: field('viewOnly') !== '',
      },
    });
    if (made.apiKey !== '') setSecret({ what: `The key of ${made.userName}`, text: made.apiKey });
    again();
  };
  return (
    <>
      <Form label="Add a user" verb="Add a user" onSend={add}>
        <input name="name" required aria-label="User name" placeholder="user name" />
        <input type="email" name="email" aria-label="E-mail" placeholder="e-mail" />
        <input
          type="password"
          name="password"
          aria-label="First password"
          placeholder="first password"
          autocomplete="new-password"
        />
        <label>
          <input type="checkbox" name="viewOnly" />
          reads only
        </label>
      </Form>
      <Once of={secret} onDone={() => setSecret(undefined)} />
      <p class="controls">
        <input
          type="search"
          aria-label="Search users"
          placeholder="search"
          defaultValue={search}
          onChange={({ currentTarget }) => setQuery({ search: currentTarget.value }, true)}
        />
        <span class="faint">
          {value === undefined
            ? ''
            : `${formatCount(value.accounts.length)} of ${formatCount(value.total)}`}
        </span>
      </p>
      <Rows
        label="Users"
        of={{ value: value?.accounts, fault }}
        head={['Name', 'E-mail', 'Standing', 'Made', '']}
        empty="Nobody is called that."
      >
        {(one) => (
          <tr key={one.userName}>
            <td class="long">
              <a href={`${pathOf('settings', 'users')}?user=${encodeURIComponent(one.userName)}`}>
                {one.userName}
              </a>
            </td>
            <td class="less">{one.email ?? '–'}</td>
            <td>{standing(one)}</td>
            <td class="less">{formatAgo(one.createdAt, Date.now())}</td>
            <td class="does">
              {one.kind === 'person' ? <Acts of={one} onLink={setSecret} again={again} /> : null}
            </td>
          </tr>
        )}
      </Rows>
      {value !== undefined && value.accounts.length < value.total && most < 1000 ? (
        <button type="button" onClick={() => setMost(Math.min(1000, most + 300))}>
          More users
        </button>
      ) : null}
    </>
  );
};

export const Users = () => {
  const named = query.value.get('user');
  return named === null || named === '' ? <AllUsers /> : <OneUser key={named} name={named} />;
};
