// The prompts of a workspace or project.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { checkTemplate } from '../../pure/prompts.js';
import { promptsServer } from '../evaluating-server.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { deletions, Going } from '../shell/delete-soon.js';
import { Asks } from '../shell/form.js';
import { ListBar, Paging, useListing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';

const MakePrompt = ({
  projectId,
  onMade,
}: {
  projectId: string | undefined;
  onMade: () => void;
}) =>
  mayWrite.value ? (
    <Asks
      verb="New prompt"
      label="New prompt"
      send="Make it"
      says="The prompt is made"
      onSend={async (field) => {
        const description = field('description');
        const structure = field('structure') === 'chat' ? 'chat' : 'text';
        await promptsServer.create({
          body: {
            name: field('name'),
            template: checkTemplate(field('template'), structure),
            template_structure: structure,
            ...(description === '' ? {} : { description }),
            ...(projectId === undefined ? {} : { project_id: projectId }),
          },
        });
        onMade();
      }}
    >
      <label>
        Name
        <input name="name" required maxLength={250} autocomplete="off" />
      </label>
      <label>
        What it is for
        <input name="description" maxLength={255} autocomplete="off" />
      </label>
      <label>
        It is
        <select name="structure">
          <option value="text">a text</option>
          <option value="chat">messages, as a JSON list</option>
        </select>
      </label>
      <label>
        Template, with {'{{names}}'} where something is filled in
        <textarea name="template" rows={8} required class="code-field" spellcheck={false} />
      </label>
    </Asks>
  ) : null;

export const PromptsScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked } = listing;
  const { value, fault, again } = useStored(
    async (signal) =>
      asked === undefined ? undefined : promptsServer.list({ query: asked }, signal),
    [workspace, JSON.stringify(asked), deletions.value],
  );
  return (
    <main class="page wide">
      <h1>Prompts</h1>
      <WorkspaceTabs workspace={workspace} at="prompts" />
      <ListBar what="prompts" of={listing}>
        <MakePrompt projectId={asked?.project_id} onMade={again} />
      </ListBar>
      <Rows
        label="Prompts"
        of={{ value: value?.content, fault: listing.fault ?? fault }}
        head={['Prompt', 'Kind', 'Versions', 'Tags', 'Changed', 'By']}
        empty={
          asked?.name === undefined
            ? 'No prompt yet: create_prompt() of the SDK makes one, and so does the button above.'
            : 'No prompt matches this.'
        }
      >
        {(one) => (
          <tr key={one.id}>
            <th scope="row" class="long" dir="auto">
              <a href={pathOf('w', workspace, 'prompts', one.id)}>{one.name}</a>{' '}
              <span class="faint">{one.description}</span>
              <Going what="prompt" id={one.id} />
            </th>
            <td>{one.template_structure === 'chat' ? 'messages' : 'text'}</td>
            <td class="number">{formatCount(one.version_count)}</td>
            <td dir="auto">{(one.tags ?? []).join(', ')}</td>
            <td>{formatAgo(Date.parse(one.last_updated_at), Date.now())}</td>
            <td>{one.last_updated_by}</td>
          </tr>
        )}
      </Rows>
      {value === undefined ? null : <Paging page={asked?.page ?? 1} total={value.total} />}
    </main>
  );
};
