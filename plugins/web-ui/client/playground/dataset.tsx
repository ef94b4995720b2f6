// Runs the variants over a dataset: an experiment is made for each, and they are compared while their items come.
import { pathOf, writeList } from '../../pure/address.js';
import { memberOf } from '../../pure/datasets.js';
import { draftVariables, triedPrompt, type Draft } from '../../pure/playground.js';
import { wordsOf } from '../../pure/experiments.js';
import { datasetsServer, playgroundServer } from '../evaluating-server.js';
import { useLoaded } from '../loading.js';
import { Form } from '../shell/form.js';
import { go, query, setQuery, tell } from '../state.js';

const mostDatasets = 500;

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
  const run = async (name: string) => {
    if (dataset === '') throw new Error('choose a dataset');
    const { experiments, total_items: total } = await playgroundServer.run({
      body: {
        dataset_id: dataset,
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
      <Form
        label="Run over a dataset"
        verb="Run over all items"
        onSend={(field) => run(field('name'))}
      >
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
        <input
          name="name"
          aria-label="Name of the experiments"
          placeholder="name, if you like"
          maxLength={200}
          autocomplete="off"
        />
      </Form>
      {[all.fault, fault].map((one) =>
        one === undefined ? null : (
          <p key={one} class="fault">
            {one}
          </p>
        ),
      )}
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
