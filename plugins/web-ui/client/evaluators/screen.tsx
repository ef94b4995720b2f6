// One rule that scores what is logged: written, tried, and what became of it. `new` in the address is one that is still to be made.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { draftOf, ruleTypes, sentRule, usualRule, type RuleDraft } from '../../pure/evaluators.js';
import { useLoaded } from '../loading.js';
import { useSubject } from '../subject.js';
import { mayWrite, saysFault } from '../request.js';
import { rulesServer } from '../reviewing-server.js';
import { server } from '../server.js';
import { Coming, Stale } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { go, query, tell } from '../state.js';
import { Json } from '../trace/json.js';
import { RuleFields, useDraft } from './editor.js';
import { RuleLog } from './log.js';
import { useTheirs } from '../theirs.js';
import { useUnsaved } from '../unsaved.js';
import { TryRule } from './try.js';

type Projects = Awaited<ReturnType<typeof server.listProjects>>['projects'];

const Editor = ({
  workspace,
  id,
  before,
  projects,
  onSaved,
}: {
  workspace: string;
  /** Of a rule that is stored. */
  id: string | undefined;
  before: RuleDraft;
  projects: Projects;
  onSaved: () => void;
}) => {
  const { draft, onDraft } = useDraft(before);
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const holdBack = useTheirs('this evaluator');
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(before));
  const project = projects.find(({ projectId }) => projectId === draft.projectIds[0]);
  const base = ['w', workspace, 'p', project?.projectName ?? ''];
  const save = async () => {
    if (busy) return;
    setBusy(true);
    setFault('');
    try {
      const body = sentRule(draft);
      if (id === undefined) await rulesServer.create({ body });
      else {
        holdBack(before, draftOf(await rulesServer.show({ params: { id }, query: {} })));
        await rulesServer.update({ params: { id }, body });
      }
      tell(id === undefined ? 'The evaluator is made' : 'The evaluator is saved');
      onSaved();
    } catch (thrown) {
      setFault(saysFault(thrown));
    }
    setBusy(false);
  };
  return (
    <>
      <form
        aria-label="The evaluator"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <RuleFields isNew={id === undefined} projects={projects} draft={draft} onDraft={onDraft} />
        {fault === '' ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <p class="controls">
          <button type="submit" class="main">
            {id === undefined ? 'Make it' : 'Save'}
          </button>
        </p>
      </form>
      <TryRule draft={draft} ruleId={id} base={base} />
    </>
  );
};

const useProjects = (workspace: string) =>
  useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );

const NewEvaluator = ({ workspace }: { workspace: string }) => {
  const loaded = useProjects(workspace);
  const named = query.value.get('project');
  const list = pathOf('w', workspace, 'evaluators');
  if (loaded.value === undefined) return <Coming of={loaded} />;
  const { projects } = loaded.value;
  const found = projects.find(({ projectName }) => projectName === named);
  return (
    <main class="page wide">
      <h1>New evaluator</h1>
      <WorkspaceTabs workspace={workspace} at="evaluators" />
      {mayWrite.value ? (
        <Editor
          workspace={workspace}
          id={undefined}
          before={usualRule('llm_as_judge', found?.projectId)}
          projects={projects}
          onSaved={() => go(named === null ? list : `${list}?project=${encodeURIComponent(named)}`)}
        />
      ) : (
        <p class="empty">You may look at evaluators, and not make them.</p>
      )}
    </main>
  );
};

const StoredEvaluator = ({ workspace, id }: { workspace: string; id: string }) => {
  const loaded = useSubject(
    (signal) => rulesServer.show({ params: { id }, query: {} }, signal),
    [id],
    true,
  );
  const projects = useProjects(workspace);
  if (loaded.value === undefined) return <Coming of={loaded} />;
  if (projects.value === undefined) return <Coming of={projects} />;
  const rule = loaded.value;
  return (
    <main class="page wide">
      <h1 dir="auto">{rule.name}</h1>
      <WorkspaceTabs workspace={workspace} at="evaluators" />
      <Stale of={loaded} what="evaluator" list={pathOf('w', workspace, 'evaluators')} />
      <p class="faint" dir="auto">
        {rule.enabled ? 'On' : 'Off'} · {ruleTypes[rule.type].says} ·{' '}
        {rule.projects.map(({ project_name: name }) => name).join(', ')}
      </p>
      {mayWrite.value ? (
        <Editor
          key={rule.last_updated_at}
          workspace={workspace}
          id={id}
          before={draftOf(rule)}
          projects={projects.value.projects}
          onSaved={loaded.again}
        />
      ) : (
        <Json value={rule.code} open={4} />
      )}
      <RuleLog id={id} base={['w', workspace, 'p', rule.project_name]} />
    </main>
  );
};

export const EvaluatorScreen = ({ workspace, id }: { workspace: string; id: string }) =>
  id === 'new' ? (
    <NewEvaluator workspace={workspace} />
  ) : (
    <StoredEvaluator workspace={workspace} id={id} />
  );
