// Workspaces of the installation: made, renamed, bounded, emptied into another, deleted.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { adminServer, placeServer } from '../settings-server.js';
import { deletions, deleteSoon, Going } from '../shell/delete-soon.js';
import { Asks, Form, type Fields } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { tell } from '../state.js';

type Workspace = Awaited<ReturnType<typeof adminServer.listWorkspaces>>['workspaces'][number];

const pageSize = 200;

interface Of {
  readonly name: string;
  readonly again: () => void;
}

const Rename = ({ name, again }: Of) => (
  <Asks
    verb="Rename"
    label={`Rename ${name}`}
    says="The workspace is renamed"
    warns="Programs that name the workspace need its new name; links by keys of runs stay."
    onSend={(field) =>
      adminServer
        .renameWorkspace({ body: { workspaceName: name, newWorkspaceName: field('name') } })
        .finally(again)
    }
  >
    <label>
      New name
      <input name="name" required maxLength={100} defaultValue={name} />
    </label>
  </Asks>
);

const Quota = ({ name, again }: Of) => {
  const save = async (field: Fields) => {
    const of = (member: string) => (field(member) === '' ? undefined : Number(field(member)));
    const [experiments, storageMb] = [of('experiments'), of('storageMb')];
    await adminServer
      .setQuota({
        body: {
          workspaceName: name,
          ...(experiments === undefined ? {} : { experiments }),
          ...(storageMb === undefined ? {} : { storageMb }),
        },
      })
      .finally(again);
  };
  return (
    <Asks
      verb="Quota"
      label={`Quota of ${name}`}
      send="Save"
      says="The quota is saved"
      warns="What is left empty stays as it is; 0 is no limit. What is there already stays."
      onSend={save}
    >
      <label>
        Runs at most
        <input type="number" name="experiments" min={0} step={1} />
      </label>
      <label>
        Megabytes at most
        <input type="number" name="storageMb" min={0} step={1} />
      </label>
    </Asks>
  );
};

const AddUser = ({ name, again }: Of) => (
  <Asks
    verb="Add a user"
    label={`Add a user to ${name}`}
    send="Add"
    says="The user is a member"
    onSend={(field) =>
      adminServer
        .addToWorkspace({
          body: {
            workspaceName: name,
            userName: field('user'),
            admin: field('admin') !== '',
          },
        })
        .finally(again)
    }
  >
    <label>
      User name
      <input name="user" required />
    </label>
    <label class="check">
      <input type="checkbox" name="admin" />
      administers the workspace
    </label>
  </Asks>
);

const MoveContents = ({ name, again }: Of) => (
  <Asks
    verb="Move contents"
    label={`Move contents of ${name}`}
    send="Move"
    says="Artifacts and models are moved"
    warns="Its artifacts and registered models go to another workspace; a name that is taken there gets a number."
    onSend={(field) =>
      adminServer
        .moveContents({ body: { workspaceName: name, targetWorkspaceName: field('target') } })
        .then(({ artifacts, models }) =>
          tell(`${formatCount(artifacts)} artifacts and ${formatCount(models)} models moved`),
        )
        .finally(again)
    }
  >
    <label>
      To the workspace
      <input name="target" required />
    </label>
  </Asks>
);

const Delete = ({ name, again }: Of) => (
  <Asks
    verb="Delete"
    label={`Delete ${name}`}
    danger
    warns="Without its contents, only a workspace that holds nothing is deleted. With them, its projects, runs, artifacts and models go for good."
    onSend={async (field) => {
      if (field('confirm') !== name) throw new Error(`write ${name} to say that you mean it`);
      const withContents = field('contents') !== '';
      const onDo = () =>
        adminServer.deleteWorkspace({ body: { workspaceName: name, withContents } });
      if (withContents) return deleteSoon({ what: 'workspace', name, onDo });
      // One that holds nothing is no loss; that it holds something is told in the dialog.
      await onDo().finally(again);
      tell(`The workspace ${name} is deleted`);
    }}
  >
    <label class="check">
      <input type="checkbox" name="contents" />
      with everything in it
    </label>
    <label>
      Its name, once more
      <input name="confirm" required autocomplete="off" />
    </label>
  </Asks>
);

const listFrom = async (count: number, signal: AbortSignal): Promise<readonly Workspace[]> => {
  const all: Workspace[] = [];
  for (;;) {
    const after = all.at(-1)?.workspaceName;
    const { workspaces } = await adminServer.listWorkspaces(
      { query: { size: pageSize, ...(after === undefined ? {} : { after }) } },
      signal,
    );
    all.push(...workspaces);
    if (workspaces.length < pageSize || all.length >= count) return all;
  }
};

export const Workspaces = () => {
  const [count, setCount] = useState(pageSize);
  const { value, fault, again } = useStored(
    (signal) => listFrom(count, signal),
    [...[count, deletions.value]],
  );
  const create = async (field: Fields) => {
    const name = field('name');
    await placeServer.createWorkspace({ body: { name } });
    tell(`${name} is made, and you administer it`);
    again();
  };
  return (
    <>
      <Form label="Make a workspace" verb="Make a workspace" onSend={create}>
        <input name="name" required maxLength={100} aria-label="Name" placeholder="name" />
      </Form>
      <Rows
        label="Workspaces"
        of={{ value, fault }}
        head={['Workspace', 'Owner', 'Members', 'Made', '']}
        empty="There is no workspace."
      >
        {({ workspaceName: name, owner, members, createdAt }) => (
          <tr key={name}>
            <td class="long">
              <a href={pathOf('w', name)}>{name}</a>
              <Going what="workspace" id={name} />
            </td>
            <td>{owner ?? '–'}</td>
            <td>{formatCount(members)}</td>
            <td>{formatAgo(createdAt, Date.now())}</td>
            <td class="does">
              <AddUser name={name} again={again} />
              <Quota name={name} again={again} />
              <Rename name={name} again={again} />
              <MoveContents name={name} again={again} />
              <Delete name={name} again={again} />
            </td>
          </tr>
        )}
      </Rows>
      {(value?.length ?? 0) >= count ? (
        <button type="button" onClick={() => setCount(count + pageSize)}>
          More workspaces
        </button>
      ) : null}
    </>
  );
};
