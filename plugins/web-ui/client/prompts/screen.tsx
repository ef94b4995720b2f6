// One prompt: its versions, how any two of them differ, and for which environments each is.
import { useEffect, useState } from 'preact/hooks';
import { pathOf, withQuery } from '../../pure/address.js';
import { formatAgo } from '../../pure/format.js';
import { checkTemplate, editedTemplate, readMessages, shownTemplate } from '../../pure/prompts.js';
import { writeFilters } from '../../pure/trace-filters.js';
import { messagesOf } from '../../pure/trace-values.js';
import { attempt } from '../attempt.js';
import { promptsServer, type Prompt, type PromptVersion } from '../evaluating-server.js';
import { LineageWhenOpened } from '../lineage/lineage.js';
import { LiveTraces } from '../lineage/live-traces.js';
import { useLoaded, useStored } from '../loading.js';
import { useSubject } from '../subject.js';
import { mayWrite } from '../request.js';
import { server } from '../server.js';
import { deletions, deleteSoon } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Act, Asks } from '../shell/form.js';
import { Coming, Stale, Versions } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery, visit } from '../state.js';
import { Labels } from '../told/labels.js';
import { TextDiff } from '../told/text-diff.js';
import { Json } from '../trace/json.js';
import { Chat } from '../trace/value.js';
import { Fault } from '../shell/wait.js';

const mostVersions = 500;

const loadPrompt = async (id: string, signal: AbortSignal) => {
  const [prompt, versions] = await Promise.all([
    promptsServer.show({ params: { id }, query: {} }, signal),
    promptsServer.versions({ params: { id }, query: { page: 1, size: mostVersions } }, signal),
  ]);
  return { prompt, versions: versions.content };
};

const About = ({
  workspace,
  prompt,
  onChange,
}: {
  workspace: string;
  prompt: Prompt;
  onChange: () => void;
}) => {
  const params = { id: prompt.id };
  if (!mayWrite.value)
    return (
      <p dir="auto">
        {prompt.description} {(prompt.tags ?? []).join(', ')}
      </p>
    );
  // The row replaces all three at once: what is not changed here stays as it is by now.
  const change = async (now: {
    readonly name?: string;
    readonly description?: string;
    readonly tags?: readonly string[];
  }) => {
    const { name, description, tags } = {
      ...(await promptsServer.show({ params, query: {} })),
      ...now,
    };
    await promptsServer.update({
      params,
      body: {
        name,
        ...(description === undefined ? {} : { description }),
        tags: [...(tags ?? [])],
      },
    });
    onChange();
  };
  return (
    <>
      <div class="controls">
        {prompt.description === undefined || prompt.description === '' ? null : (
          <span class="faint" dir="auto">
            {prompt.description}
          </span>
        )}
        <Asks
          verb="Rename"
          label="Rename the prompt"
          send="Save"
          says="The prompt is changed"
          onSend={(field) => change({ name: field('name'), description: field('description') })}
        >
          <label>
            Name
            <input name="name" required maxLength={250} defaultValue={prompt.name} />
          </label>
          <label>
            What it is for
            <input name="description" maxLength={255} defaultValue={prompt.description ?? ''} />
          </label>
        </Asks>
        <Deletes
          what="prompt"
          name={prompt.name}
          id={prompt.id}
          warns="Its versions go with it. Whoever fetches it by its name finds nothing any more."
          onDo={() => promptsServer.remove({ params })}
          leaves={pathOf('w', workspace, 'prompts')}
        />
        <a class="button" href={`${pathOf('w', workspace, 'experiments')}?prompt=${prompt.id}`}>
          Experiments with it
        </a>
      </div>
      <Labels
        what="tag"
        labels={prompt.tags ?? []}
        stored={async () => (await promptsServer.show({ params, query: {} })).tags}
        onChange={(tags) => change({ tags })}
      />
    </>
  );
};

/** For which environments a version is; each of them has one version of a prompt at most, so it leaves the others. */
const Environments = ({ of, onChange }: { of: PromptVersion; onChange: () => void }) => {
  const { value, fault, again } = useStored(
    (signal) => promptsServer.environments({}, signal),
    [deletions.value],
  );
  // What was chosen shows at once, and not as it was until the server has told of it.
  const [chosen, setChosen] = useState(of.environments);
  useEffect(() => setChosen(of.environments), [of]);
  if (fault !== undefined) return <Fault of={fault} />;
  const names = (value?.content ?? []).map(({ name }) => name);
  const set = async (environments: readonly string[]) => {
    setChosen(environments);
    try {
      await promptsServer.setEnvironments({
        params: { versionId: of.id },
        body: { environments: [...environments] },
      });
      onChange();
    } catch (thrown) {
      setChosen(of.environments);
      throw thrown;
    }
  };
  return (
    <fieldset class="controls plain-set">
      <legend>Environments</legend>
      {names.length === 0 ? (
        <span class="faint">{value === undefined ? 'loading …' : 'The workspace has none.'}</span>
      ) : null}
      {names.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            disabled={!mayWrite.value}
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              attempt(set(checked ? [...chosen, name] : chosen.filter((one) => one !== name)))
            }
          />{' '}
          {name}
        </label>
      ))}
      {mayWrite.value ? (
        <>
          <Asks
            verb="New environment"
            label="New environment"
            send="Make it"
            says="The environment is made"
            onSend={async (field) => {
              await promptsServer.addEnvironment({ body: { name: field('environment') } });
              again();
            }}
          >
            <label>
              Name
              <input
                name="environment"
                required
                maxLength={150}
                pattern="[A-Za-z0-9_\-]+"
                title="Letters, digits, _ and -"
                autocomplete="off"
              />
            </label>
          </Asks>
          {names.length === 0 ? null : (
            <Asks
              verb="Delete one"
              label="Delete one of the environments"
              send="Delete"
              warns="Whoever asks for a prompt by it gets none any more; the versions stay."
              danger
              onSend={async (field) => {
                const id = field('environment');
                deleteSoon({
                  what: 'environment',
                  name: value?.content.find((one) => one.id === id)?.name ?? id,
                  id,
                  onDo: () => promptsServer.removeEnvironments({ body: { ids: [id] } }),
                });
                return Promise.resolve();
              }}
            >
              <label>
                Environment
                <select name="environment" required>
                  {value?.content.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            </Asks>
          )}
        </>
      ) : null}
    </fieldset>
  );
};

const NewVersion = ({
  prompt,
  of,
  onChange,
}: {
  prompt: Prompt;
  of: PromptVersion | undefined;
  onChange: () => void;
}) => {
  const structure = of?.template_structure ?? prompt.template_structure;
  const send = async (template: string, says: string) => {
    const { commit } = await promptsServer.addVersion({
      body: {
        name: prompt.name,
        ...(prompt.project_id === undefined ? {} : { project_id: prompt.project_id }),
        template_structure: structure === 'chat' ? 'chat' : 'text',
        version: {
          template: checkTemplate(template, structure),
          ...(says === '' ? {} : { change_description: says }),
          ...(of?.metadata === undefined ? {} : { metadata: of.metadata }),
          ...(of?.type === 'jinja2' || of?.type === 'python' ? { type: of.type } : {}),
        },
      },
    });
    setQuery({ version: commit, against: of?.commit });
    onChange();
  };
  return (
    <Asks
      verb="New version"
      label="New version"
      send="Make it"
      says="The version is made"
      onSend={(field) => send(field('template'), field('says'))}
    >
      <label>
        Template
        <textarea
          name="template"
          rows={14}
          required
          spellcheck={false}
          class="code-field"
          defaultValue={of === undefined ? '' : editedTemplate(of.template, structure)}
        />
      </label>
      <label>
        What you change, in a few words
        <input name="says" maxLength={255} autocomplete="off" />
      </label>
    </Asks>
  );
};

const Template = ({ of }: { of: PromptVersion }) => {
  const messages =
    of.template_structure === 'chat' ? messagesOf(readMessages(of.template)) : undefined;
  return messages === undefined ? (
    <pre class="notes template" dir="auto">
      {of.template}
    </pre>
  ) : (
    <Chat of={messages} label="Template" />
  );
};

const Against = ({ of, versions }: { of: PromptVersion; versions: readonly PromptVersion[] }) => {
  const against = query.value.get('against') ?? '';
  const other = versions.find(({ commit }) => commit === against);
  return (
    <>
      <p class="controls">
        <select
          aria-label="Compare with version"
          value={other?.commit ?? ''}
          onChange={({ currentTarget: { value } }) => setQuery({ against: value }, true)}
        >
          <option value="">Compare with …</option>
          {versions
            .filter(({ id }) => id !== of.id)
            .map(({ id, commit, version_number: number }) => (
              <option key={id} value={commit}>
                {number} · {commit}
              </option>
            ))}
        </select>
      </p>
      {other === undefined ? (
        <Template of={of} />
      ) : (
        <section aria-label={`From ${other.version_number} to ${of.version_number}`}>
          <p class="faint">
            From {other.version_number} to {of.version_number}
          </p>
          <TextDiff
            label="Difference of the template"
            from={shownTemplate(other.template, other.template_structure)}
            to={shownTemplate(of.template, of.template_structure)}
          />
        </section>
      )}
    </>
  );
};

/** Leads to traces whose metadata names this version, as SDKs write it: in the project of the prompt, or in one that is chosen. */
const UsedIn = ({
  workspace,
  prompt: { project_id: own },
  of: { commit },
}: {
  workspace: string;
  prompt: Prompt;
  of: PromptVersion;
}) => {
  const { value, fault } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  if (fault !== undefined) return <Fault of={fault} />;
  const filters = writeFilters([
    { field: 'metadata', key: 'opik_prompts', operator: 'contains', value: commit },
  ]);
  const lead = (project: string) =>
    visit(
      `${pathOf('w', workspace, 'p', project, 'traces')}${withQuery('', { range: 'all', filters })}`,
    );
  const all = value?.projects ?? [];
  const first = all.filter(({ projectId }) => projectId === own);
  return (
    <select
      aria-label="Traces that used it"
      value=""
      onChange={({ currentTarget }) => lead(currentTarget.value)}
    >
      <option value="">Traces that used it …</option>
      {[...first, ...all.filter((one) => !first.includes(one))].map(
        ({ projectId, projectName }) => (
          <option key={projectId} value={projectName}>
            in {projectName}
          </option>
        ),
      )}
    </select>
  );
};

const OneVersion = ({
  workspace,
  prompt,
  of,
  versions,
  onChange,
}: {
  workspace: string;
  prompt: Prompt;
  of: PromptVersion;
  versions: readonly PromptVersion[];
  onChange: () => void;
}) => (
  <section aria-label={`Version ${of.version_number}`}>
    <p class="controls">
      <b>{of.version_number}</b> <code>{of.commit}</code>
      <span class="faint">
        {formatAgo(Date.parse(of.created_at), Date.now())} · {of.created_by} · {of.type}
      </span>
      {mayWrite.value && of.id !== versions[0]?.id ? (
        <Act
          verb="Restore"
          label={`Restore ${of.version_number}`}
          warns="A new version like it comes after the newest one."
          says={`${of.version_number} is restored`}
          onDo={async () => {
            await promptsServer.restore({ params: { id: prompt.id, versionId: of.id } });
            setQuery({ version: undefined, against: undefined });
            onChange();
          }}
        />
      ) : null}
      <a
        class="button"
        href={`${pathOf('w', workspace, 'playground')}?prompt=${prompt.id}&version=${of.commit}`}
      >
        Try it
      </a>
      <UsedIn workspace={workspace} prompt={prompt} of={of} />
    </p>
    {of.change_description === undefined ? null : <p dir="auto">{of.change_description}</p>}
    <Against of={of} versions={versions} />
    {of.variables.length === 0 ? null : <p class="faint">Filled in: {of.variables.join(', ')}</p>}
    <Environments of={of} onChange={onChange} />
    <LineageWhenOpened of={{ promptVersion: of.id }} />
    <LiveTraces workspace={workspace} of={{ commit: of.commit }} />
    {of.metadata === undefined || of.metadata === null ? null : (
      <>
        <h2>Metadata</h2>
        <Json value={of.metadata} />
      </>
    )}
  </section>
);

export const PromptScreen = ({ workspace, id }: { workspace: string; id: string }) => {
  const loaded = useSubject(
    (signal) => loadPrompt(id, signal),
    [...[workspace, id, deletions.value]],
  );
  if (loaded.value === undefined) return <Coming of={loaded} />;
  const {
    value: { prompt, versions },
    again,
  } = loaded;
  const named = query.value.get('version') ?? undefined;
  const shown = named === undefined ? versions[0] : versions.find(({ commit }) => commit === named);
  return (
    <main class="page wide">
      <h1 dir="auto">{prompt.name}</h1>
      <WorkspaceTabs workspace={workspace} at="prompts" />
      <Stale of={loaded} what="prompt" list={pathOf('w', workspace, 'prompts')} />
      <About workspace={workspace} prompt={prompt} onChange={again} />
      {mayWrite.value ? (
        <p class="controls">
          <NewVersion prompt={prompt} of={shown ?? versions[0]} onChange={again} />
        </p>
      ) : null}
      <Versions
        what="prompt"
        named={named}
        shown={shown?.version_number}
        all={versions.map((one) => ({
          version: one.version_number,
          says: [one.commit, ...one.environments].join(' · '),
          address: location.pathname + withQuery(location.search, { version: one.commit }),
        }))}
      >
        {shown === undefined ? null : (
          <OneVersion
            key={shown.id}
            workspace={workspace}
            prompt={prompt}
            of={shown}
            versions={versions}
            onChange={again}
          />
        )}
      </Versions>
    </main>
  );
};
