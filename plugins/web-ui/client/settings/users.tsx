// People of the installation: added (with a key that is shown once), suspended, given the administration, ended.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { adminServer } from '../settings-server.js';
import { deletions } from '../shell/delete-soon.js';
import { Form, type Fields } from '../shell/form.js';
import { Once, type Secret } from '../shell/once.js';
import { Rows } from '../shell/rows.js';
import { UserActs, type User } from './user-acts.js';
import { OneUser } from './user.js';
import { query, setQuery } from '../state.js';

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
    [search, most, deletions.value],
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
            <td class="long less">{one.email ?? '–'}</td>
            <td>{standing(one)}</td>
            <td class="less">{formatAgo(one.createdAt, Date.now())}</td>
            <td class="does less">
              {one.kind === 'person' ? (
                <UserActs of={one} onLink={setSecret} again={again} />
              ) : null}
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
