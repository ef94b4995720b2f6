// Makes items of a dataset of traces that are selected: what failed becomes what is tested.
import { useState } from 'preact/hooks';
import { datasetsServer } from '../evaluating-server.js';
import { useLoaded } from '../loading.js';
import { Asks, type Fields } from '../shell/form.js';
import { Fault } from '../shell/wait.js';

/** As many as one request of the server takes. */
const mostAtOnce = 1000;
const mostDatasets = 500;

/** The id of the dataset that is chosen, or of one that is made under the name that is given. */
const datasetOf = async (field: Fields): Promise<string> => {
  const [id, name] = [field('dataset'), field('name')];
  if (id !== '') return id;
  if (name === '') throw new Error('choose a dataset, or give a new one a name');
  await datasetsServer.create({ body: { name } });
  return (await datasetsServer.find({ body: { dataset_name: name } })).id;
};

const Choice = () => {
  const [chosen, setChosen] = useState('');
  const { value, fault } = useLoaded(
    (signal) => datasetsServer.list({ query: { size: mostDatasets } }, signal),
    [],
  );
  return (
    <>
      <label>
        Dataset
        <select
          name="dataset"
          value={chosen}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          <option value="">a new one</option>
          {(value?.content ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {chosen === '' ? (
        <label>
          Name of the new one
          <input name="name" maxLength={250} autocomplete="off" />
        </label>
      ) : null}
      <Fault of={fault} />
    </>
  );
};

export const AddToDataset = ({ ids }: { ids: readonly string[] }) => (
  <Asks
    verb="Add to a dataset"
    label="Add to a dataset"
    send="Add"
    says={`${ids.length} ${ids.length === 1 ? 'item' : 'items'} added`}
    onSend={async (field) => {
      const dataset_id = await datasetOf(field);
      for (let from = 0; from < ids.length; from += mostAtOnce)
        await datasetsServer.copyTraces({
          params: { dataset_id },
          body: {
            trace_ids: ids.slice(from, from + mostAtOnce),
            enrichment_options: { includeMetadata: true },
          },
        });
    }}
  >
    <p class="faint">
      Of each trace what went in becomes the input of an item, and what came out its expected
      output, to be put right there.
    </p>
    <Choice />
  </Asks>
);
