// Runs the variants over a dataset: an experiment is made for each, and they are compared while their items come.
import { pathOf, writeList } from '../../pure/address.js';
import { memberOf } from '../../pure/datasets.js';
import { draftVariables, triedPrompt, type Draft } from '../../pure/playground.js';
import { wordsOf } from '../../pure/experiments.js';
import { datasetsServer, playgroundServer } from '../evaluating-server.js';
import { useLoaded } from '../loading.js';
import { server } from '../server.js';
import { Form, type Fields } from '../shell/form.js';
import { go, query, setQuery, tell } from '../state.js';
import { Fault } from '../shell/wait.js';

const mostDatasets = 500;

/** Kinds of rules that score traces; those of spans and threads have nothing to score here. */
const traceRules: readonly string[] = ['llm_as_judge', 'user_defined_metric_python'];

/** The project that traces of the run go to, and the rules of it that score the answers. */
const Scoring = ({ workspace }: { workspace: string }) => {
  const project = query.value.get('project') ?? '';
  const all = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  const rules = useLoaded(
    async (signal) =>
      project === ''
        ? undefined
        : playgroundServer.rules({ query: { project_id: project, size: 200 } }, signal),
    [project],
  );
  const offered = (rules.value?.content ?? []).filter(({ type }) => traceRules.includes(type));
  const fault = all.fault ?? rules.fault;
  return (
    <>
      <select
        name="project"
        aria-label="Project of the traces"
        value={project}
        onChange={({ currentTarget: { value } }) => setQuery({ project: value })}
      >
        <option value="">the usual project</option>
        {(all.value?.projects ?? []).map(({ projectId, projectName }) => (
          <option key={projectId} value={projectId}>
            {projectName}
          </option>
        ))}
      </select>
      {project === '' || rules.value === undefined ? null : (
        <select name="rule" aria-label="What scores the answers">
          <option value="">not scored</option>
          {offered.length > 1 ? <option value="all">scored by all rules</option> : null}
          {offered.map(({ id, name }) => (
            <option key={id} value={id}>
              scored by {name}
            </option>
          ))}
        </select>
      )}
      <Fault of={fault} />
    </>
  );
};

/** The ids of the rules that were chosen. */
const chosenRules = async (project: string, rule: string): Promise<string[]> => {
  if (rule !== 'all') return rule === '' ? [] : [rule];
  const { content } = await playgroundServer.rules({ query: { project_id: project, size: 200 } });
  return content.filter(({ type }) => traceRules.includes(type)).map(({ id }) => id);
};

export const OverDataset = ({
  workspace,
  draft,
  labelOf,
  onFill,
}: {
  workspace: string;
  draft: Draft;
  labelOf: (at: number) => string;
  /** Values of variables, from an item. */
  onFill: (values: Draft['values']) => void;
}) => {
  const dataset = query.value.get('dataset') ?? '';
  const all = useLoaded(
    (signal) => datasetsServer.list({ query: { size: mostDatasets } }, signal),
    [workspace],
  );
  const { value: items, fault } = useLoaded(
    async (signal) =>
      dataset === ''
        ? undefined
        : datasetsServer.items({ params: { id: dataset }, query: { size: 1 } }, signal),
    [dataset],
  );
  const members = (items?.columns ?? []).map(({ name }) => name);
  const variables = draftVariables(draft);
  const missing =
    items === undefined
      ? []
      : variables.filter(
          (name) => !members.includes(name) && !members.includes(name.split(/[.[]/)[0] ?? ''),
        );
  const [first] = items?.content ?? [];
  const fill = () =>
    onFill(
      Object.fromEntries(
        variables.flatMap((name) => {
          const value = memberOf(first?.data, name);
          return value === undefined ? [] : [[name, wordsOf(value)]];
        }),
      ),
    );
  const run = async (field: Fields) => {
    if (dataset === '') throw new Error('choose a dataset');
    const [name, project] = [field('name'), field('project')];
    const rules = project === '' ? [] : await chosenRules(project, field('rule'));
    const { experiments, total_items: total } = await playgroundServer.run({
      body: {
        dataset_id: dataset,
        ...(project === '' ? {} : { project_id: project }),
        ...(rules.length === 0 ? {} : { selected_rule_ids: rules }),
        prompts: draft.variants.map((one, at) =>
          triedPrompt(
            one,
            name === '' || draft.variants.length === 1 ? name : `${name} ${labelOf(at)}`,
          ),
        ),
      },
    });
    const [base, ...others] = [...experiments]
      .sort((a, b) => a.prompt_index - b.prompt_index)
      .map((one) => one.experiment_id);
    if (base === undefined) return;
    tell(`The prompts run over ${total} items`);
    go(
      `${pathOf('w', workspace, 'experiments', base)}?with=${encodeURIComponent(writeList(others))}`,
    );
  };
  return (
    <section aria-label="Over a dataset">
      <h2>Over a dataset</h2>
      <Form label="Run over a dataset" verb="Run over all items" onSend={run}>
        <select
          aria-label="Dataset"
          value={dataset}
          onChange={({ currentTarget: { value } }) => setQuery({ dataset: value })}
        >
          <option value="">choose a dataset</option>
          {(all.value?.content ?? []).map(({ id, name, dataset_items_count: count }) => (
            <option key={id} value={id}>
              {name}, {count} items
            </option>
          ))}
        </select>
        <Scoring workspace={workspace} />
        <input
          name="name"
          aria-label="Name of the experiments"
          placeholder="name, if you like"
          maxLength={200}
          autocomplete="off"
        />
      </Form>
      <Fault of={all.fault ?? fault} />
      {items === undefined ? null : (
        <p class="faint">
          Its items have {members.length === 0 ? 'nothing yet' : members.join(', ')}.{' '}
          {missing.length === 0 ? null : (
            <b role="status">They do not have {missing.join(', ')}.</b>
          )}{' '}
          {first === undefined || variables.length === 0 ? null : (
            <button type="button" class="link" onClick={fill}>
              Fill in the newest item
            </button>
          )}
        </p>
      )}
    </section>
  );
};
