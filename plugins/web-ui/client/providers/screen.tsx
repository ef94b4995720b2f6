// Keys for providers of models. They are stored sealed; what is shown of them is masked.
import { formatAgo } from '../../pure/format.js';
import { providersServer, type ProviderKey } from '../evaluating-server.js';
import { useStored } from '../loading.js';
import { useMembers } from '../members/role.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Asks, type Fields } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';

const providers = [
  'openai',
  'anthropic',
  'gemini',
  'openrouter',
  'vertex-ai',
  'bedrock',
  'ollama',
  'custom-llm',
] as const;
type Provider = (typeof providers)[number];
const isProvider = (name: string): name is Provider => providers.some((one) => one === name);

/** What a form says of a key; what was left empty stays out. */
const settingsOf = (field: Fields) => {
  const said = (name: string, member: string) => {
    const text = field(name);
    return text === '' ? {} : { [member]: text };
  };
  const models = field('models');
  return {
    ...said('key', 'api_key'),
    ...said('name', 'name'),
    ...said('address', 'base_url'),
    ...(models === '' ? {} : { configuration: { models } }),
  };
};

const Settings = ({ of }: { of: ProviderKey | undefined }) => (
  <>
    <label>
      Key
      <input
        type="password"
        name="key"
        autocomplete="off"
        placeholder={of?.api_key ?? ''}
        maxLength={10_000}
      />
    </label>
    <label>
      Name, for people
      <input name="name" maxLength={150} autocomplete="off" defaultValue={of?.name ?? ''} />
    </label>
    <label>
      Address, where it is not the provider’s usual one
      <input
        type="url"
        name="address"
        maxLength={2000}
        autocomplete="off"
        placeholder="https://…/v1"
        defaultValue={of?.base_url ?? ''}
      />
    </label>
    <label>
      Models of its own, with commas between them
      <input
        name="models"
        autocomplete="off"
        spellcheck={false}
        defaultValue={of?.configuration?.['models'] ?? ''}
      />
    </label>
  </>
);

const Add = ({ onChange }: { onChange: () => void }) => (
  <Asks
    verb="Add a key"
    label="Add a key"
    send="Add it"
    says="The key is stored, sealed"
    onSend={async (field) => {
      const provider = field('provider');
      if (!isProvider(provider)) throw new Error('choose a provider');
      const own = field('own');
      await providersServer.create({
        body: { provider, ...settingsOf(field), ...(own === '' ? {} : { provider_name: own }) },
      });
      onChange();
    }}
  >
    <label>
      Provider
      <select name="provider">
        {providers.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <label>
      What models begin with, where there are several keys of the provider
      <input name="own" maxLength={150} autocomplete="off" spellcheck={false} />
    </label>
    <Settings of={undefined} />
  </Asks>
);

const Row = ({
  of,
  administers,
  onChange,
}: {
  of: ProviderKey;
  administers: boolean;
  onChange: () => void;
}) => {
  const called = of.name ?? of.provider_name ?? of.provider;
  return (
    <tr>
      <th scope="row">
        {of.provider}
        {of.provider_name === undefined ? '' : `/${of.provider_name}`}
      </th>
      <td dir="auto">{of.name}</td>
      <td>
        <code>{of.api_key ?? '–'}</code>
      </td>
      <td dir="auto">{of.base_url}</td>
      <td dir="auto">{of.configuration?.['models']}</td>
      <td>
        {formatAgo(Date.parse(of.last_updated_at), Date.now())} · {of.last_updated_by}
      </td>
      <td class="does">
        {administers ? (
          <>
            <Asks
              verb="Change"
              label={`Change the key ${called}`}
              send="Save"
              says="The key is changed"
              warns="A key that is left empty stays. For another host it must be given again."
              onSend={async (field) => {
                await providersServer.update({ params: { id: of.id }, body: settingsOf(field) });
                onChange();
              }}
            >
              <Settings of={of} />
            </Asks>{' '}
            <Deletes
              what="key"
              name={called}
              id={of.id}
              warns="Prompts and rules that ask its models fail from then on."
              onDo={() => providersServer.remove({ body: { ids: [of.id] } })}
            />
          </>
        ) : null}
      </td>
    </tr>
  );
};

export const ProvidersScreen = ({ workspace }: { workspace: string }) => {
  const { value, fault, again } = useStored(
    (signal) => providersServer.list({}, signal),
    [workspace, deletions.value],
  );
  const { administers } = useMembers(workspace);
  return (
    <main class="page wide">
      <h1>Providers of models</h1>
      <WorkspaceTabs workspace={workspace} at="providers" />
      <p>
        Keys are stored sealed and never given back: what you see of one tells it from others, and
        no more.
      </p>
      {administers ? (
        <p class="controls">
          <Add onChange={again} />
        </p>
      ) : null}
      <Rows
        label="Keys for providers"
        of={{ value: value?.content, fault }}
        head={['Provider', 'Name', 'Key', 'Address', 'Models', 'Changed', '']}
        empty={
          administers
            ? 'No key yet.'
            : 'No key yet. Somebody who administers the workspace adds one.'
        }
      >
        {(one) => <Row key={one.id} of={one} administers={administers} onChange={again} />}
      </Rows>
    </main>
  );
};
