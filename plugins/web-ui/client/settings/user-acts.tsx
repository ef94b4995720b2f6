// What an administrator does to the account of a person: in the list of all, and on the page of one.
import { session } from '../request.js';
import { adminServer } from '../settings-server.js';
import { Deletes } from '../shell/deletes.js';
import { Act } from '../shell/form.js';
import type { Secret } from '../shell/once.js';

export type User = Awaited<ReturnType<typeof adminServer.listUsers>>['accounts'][number];

export const UserActs = ({
  of,
  onLink,
  again,
  leaves,
}: {
  of: User;
  onLink: (secret: Secret) => void;
  again: () => void;
  /** Where the page is about the account: where to go once it is to be deleted. */
  leaves?: string;
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
          <Deletes
            what="user"
            name={of.userName}
            warns="Keys, sessions, memberships and e-mail go for good; what was logged stays under the name."
            onDo={() => adminServer.deleteUser(named)}
            leaves={leaves}
          />
        </>
      )}
    </>
  );
};
