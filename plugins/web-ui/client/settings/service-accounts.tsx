// Accounts of programs: made with a key that is shown once, restricted to workspaces, ended.
import { useState } from 'preact/hooks';
import { formatAgo } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { adminServer } from '../settings-server.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Act, Asks, Form, type Fields } from '../shell/form.js';
import { Once, type Secret } from '../shell/once.js';
import { Rows } from '../shell/rows.js';

type Account = Awaited<
  ReturnType<typeof adminServer.listServiceAccounts>
>['serviceAccounts'][number];

const readNames = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Which workspaces an account reaches: all of them, or those that are listed. */
const Reach = ({ of, again }: { of: Account; again: () => void }) => {
  const save = async (field: Fields) => {
    const restricted = field('restricted') !== '';
    const workspace = field('workspace');
    const workspaceNames = [...readNames(field('workspaces'))];
    await adminServer
      .updateServiceAccount({
        params: { name: of.name },
        body: {
          restricted,
          ...(restricted && workspaceNames.length > 0 ? { workspaceNames } : {}),
          ...(workspace === '' ? {} : { defaultWorkspaceName: workspace }),
        },
      })
      .finally(again);
  };
  return (
    <Asks verb="Reach" label={`Reach of ${of.name}`} send="Save" says="Saved" onSend={save}>
      <label class="check">
        <input type="checkbox" name="restricted" defaultChecked={of.restricted} />
        only the workspaces below
      </label>
      <label>
        Workspaces, one a line; empty leaves those it has
        <textarea name="workspaces" rows={3} />
      </label>
      <label>
        Logs into, when none is named
        <input name="workspace" defaultValue={of.defaultWorkspaceName ?? ''} />
      </label>
    </Asks>
  );
};

export const ServiceAccounts = () => {
  const [secret, setSecret] = useState<Secret>();
  const { value, fault, again } = useStored(
    (signal) => adminServer.listServiceAccounts({}, signal),
    [deletions.value],
  );
  const create = async (field: Fields) => {
    const workspace = field('workspace');
    const made = await adminServer.createServiceAccount({
      body: {
        name: field('name'),
        restricted: field('restricted') !== '',
        ...(workspace === '' ? {} : { teamName: workspace }),
      },
    });
    if (made.apiKey !== undefined)
      setSecret({ what: `The key of ${made.name}`, text: made.apiKey });
    again();
  };
  const rotate = async (name: string) => {
    const { apiKey } = await adminServer.rotateServiceAccount({ params: { name } });
    setSecret({ what: `The new key of ${name}`, text: apiKey });
    again();
  };
  return (
    <>
      <p class="said">
        Accounts of programs, each with a key. One that is not restricted administers every
        workspace.
      </p>
      <Form label="Make a service account" verb="Make a service account" onSend={create}>
        <input name="name" required aria-label="Name" placeholder="name" />
        <input name="workspace" aria-label="Workspace it logs into" placeholder="workspace" />
        <label>
          <input type="checkbox" name="restricted" defaultChecked />
          only that workspace
        </label>
      </Form>
      <Once of={secret} onDone={() => setSecret(undefined)} />
      <Rows
        label="Service accounts"
        of={{ value: value?.serviceAccounts, fault }}
        head={['Name', 'Reaches', 'Logs into', 'Made', 'Active', '']}
        empty="There is no service account."
      >
        {(one) => (
          <tr key={one.name}>
            <td class="long">{one.name}</td>
            <td>{one.restricted ? 'some workspaces' : 'every workspace'}</td>
            <td>{one.defaultWorkspaceName ?? '–'}</td>
            <td>
              {formatAgo(one.createdAt, Date.now())}
              {one.createdBy === null ? '' : ` by ${one.createdBy}`}
            </td>
            <td>
              {one.lastActivityAt === null ? 'never' : formatAgo(one.lastActivityAt, Date.now())}
            </td>
            <td class="does">
              <Reach of={one} again={again} />
              <Act
                verb="Rotate"
                label={`Rotate the key of ${one.name}`}
                warns="The key it has is known no more; its programs need the new one."
                says="Here is the new key"
                onDo={() => rotate(one.name)}
              />
              <Deletes
                what="service account"
                name={one.name}
                warns="Its programs are refused from then on; what they logged stays."
                onDo={() => adminServer.deleteServiceAccount({ params: { name: one.name } })}
              />
            </td>
          </tr>
        )}
      </Rows>
    </>
  );
};
