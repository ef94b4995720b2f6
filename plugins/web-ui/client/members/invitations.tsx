// Invitations to a workspace that nobody has used yet.
import { useState } from 'preact/hooks';
import { formatAgo, formatSpan } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { memberServer } from '../settings-server.js';
import { Act, Form, type Fields } from '../shell/form.js';
import { Once, type Secret } from '../shell/once.js';
import { Rows } from '../shell/rows.js';
import { tell } from '../state.js';

export const Invitations = ({
  workspace,
  administers,
}: {
  workspace: string;
  administers: boolean;
}) => {
  const [secret, setSecret] = useState<Secret>();
  const { value, fault, again } = useStored(
    (signal) => memberServer.invitations({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  const invite = async (field: Fields) => {
    const email = field('email');
    const role = (['member', 'admin', 'view-only'] as const).find((one) => one === field('role'));
    const made = await memberServer.invite({
      body: { workspaceName: workspace, email, ...(role === undefined ? {} : { role }) },
    });
    if (made.link === null) tell(`An invitation was mailed to ${email}`);
    else setSecret({ what: `The link of the invitation for ${email}`, text: made.link });
    again();
  };
  return (
    <section aria-label="Invitations">
      <h2>Invitations</h2>
      <Form label="Invite" verb="Invite" onSend={invite}>
        <input
          type="email"
          name="email"
          required
          aria-label="E-mail to invite"
          placeholder="e-mail"
        />
        {administers ? (
          <select name="role" aria-label="Role of who is invited">
            <option>member</option>
            <option>view-only</option>
            <option>admin</option>
          </select>
        ) : null}
      </Form>
      <Once of={secret} onDone={() => setSecret(undefined)} />
      <Rows
        label="Open invitations"
        of={{ value: value?.invitations, fault }}
        head={['E-mail', 'As', 'By', 'Sent', 'Good for', '']}
        empty="No invitation is open."
      >
        {(one) => (
          <tr key={one.invitationId}>
            <td class="long">{one.email}</td>
            <td>{one.role}</td>
            <td>{one.invitedBy ?? '–'}</td>
            <td>{formatAgo(one.createdAt, Date.now())}</td>
            <td>{formatSpan(one.expiresAt - Date.now())}</td>
            <td class="does">
              <Act
                verb="Take back"
                label={`Take back the invitation for ${one.email}`}
                says="The invitation is taken back"
                danger
                onDo={() =>
                  memberServer
                    .takeBack({ params: { invitationId: one.invitationId } })
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
