// The boards of a workspace or project.
import { pathOf } from '../../pure/address.js';
import { emptyBoard, readBoard } from '../../pure/boards.js';
import { formatAgo } from '../../pure/format.js';
import { asJson, boardsServer, newId, type Board } from '../boards-server.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Asks } from '../shell/form.js';
import { ListBar, Paging, useListing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { go } from '../state.js';

const MakeBoard = ({
  workspace,
  projectId,
}: {
  workspace: string;
  projectId: string | undefined;
}) => (
  <Asks
    verb="New board"
    label="New board"
    send="Make it"
    says="The board is made"
    onSend={async (field) => {
      const description = field('description');
      const made = await boardsServer.create({
        body: {
          name: field('name'),
          config: asJson(emptyBoard(newId(), Date.now())),
          ...(description === '' ? {} : { description }),
          ...(projectId === undefined ? {} : { project_id: projectId }),
        },
      });
      go(`${pathOf('w', workspace, 'boards', made.id)}?edit=on`);
    }}
  >
    <label>
      Name
      <input name="name" required maxLength={120} autocomplete="off" />
    </label>
    <label>
      What it is for
      <input name="description" maxLength={1000} autocomplete="off" />
    </label>
  </Asks>
);

const widgetsIn = (of: Board): number =>
  readBoard(of.config).reduce((sum, { widgets }) => sum + widgets.length, 0);

const Row = ({
  of,
  workspace,
  projectName,
  onChange,
}: {
  of: Board;
  workspace: string;
  projectName: string | undefined;
  onChange: () => void;
}) => (
  <tr>
    <th scope="row" class="long" dir="auto">
      <a href={pathOf('w', workspace, 'boards', of.id)}>{of.name}</a>{' '}
      <span class="faint">{of.description}</span>
    </th>
    <td dir="auto">{of.project_id === undefined ? 'the workspace' : projectName}</td>
    <td class="number">{widgetsIn(of)}</td>
    <td>{formatAgo(Date.parse(of.last_updated_at), Date.now())}</td>
    <td>{of.last_updated_by}</td>
    <td>
      {mayWrite.value ? (
        <span class="controls">
          <Asks
            verb="Rename"
            label={`Rename ${of.name}`}
            send="Save"
            says="The board is renamed"
            onSend={async (field) => {
              await boardsServer.update({
                params: { dashboardId: of.id },
                body: { name: field('name'), description: field('description') },
              });
              onChange();
            }}
          >
            <label>
              Name
              <input name="name" required maxLength={120} defaultValue={of.name} />
            </label>
            <label>
              What it is for
              <input name="description" maxLength={1000} defaultValue={of.description ?? ''} />
            </label>
          </Asks>
          <Deletes
            what="board"
            name={of.name}
            id={of.id}
            warns="What it shows stays where it was logged."
            onDo={() => boardsServer.remove({ params: { dashboardId: of.id } })}
          />
        </span>
      ) : null}
    </td>
  </tr>
);

export const BoardsScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked } = listing;
  const { value, fault, again } = useStored(
    async (signal) =>
      asked === undefined ? undefined : boardsServer.list({ query: asked }, signal),
    [workspace, JSON.stringify(asked), deletions.value],
  );
  const narrowed = asked?.name !== undefined;
  return (
    <main class="page wide">
      <h1>Boards</h1>
      <WorkspaceTabs workspace={workspace} at="boards" />
      <ListBar what="boards" of={listing}>
        {mayWrite.value ? <MakeBoard workspace={workspace} projectId={asked?.project_id} /> : null}
      </ListBar>
      <Rows
        label="Boards"
        of={{ value: value?.content, fault: listing.fault ?? fault }}
        head={['Board', 'Of', 'Widgets', 'Changed', 'By', '']}
        empty={
          narrowed
            ? 'No board matches this.'
            : 'No board yet: it shows figures of traces, curves of runs, queries and texts side by side. create_dashboard() of the SDK makes one, and so does the button above.'
        }
      >
        {(one) => (
          <Row
            key={one.id}
            of={one}
            workspace={workspace}
            projectName={listing.nameOf(one.project_id) ?? 'a project'}
            onChange={again}
          />
        )}
      </Rows>
      {value === undefined ? null : <Paging page={asked?.page ?? 1} total={value.total} />}
    </main>
  );
};
