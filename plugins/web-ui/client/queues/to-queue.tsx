// Adds traces or threads that are selected to an annotation queue.
import { useState } from 'preact/hooks';
import { useLoaded } from '../loading.js';
import { queuesServer } from '../reviewing-server.js';
import { Asks } from '../shell/form.js';
import { Fault } from '../shell/wait.js';

/** As many as one request of the server takes. */
const mostAtOnce = 1000;
const mostQueues = 500;

interface Of {
  readonly projectId: string;
  readonly scope: 'trace' | 'thread';
}

const Choice = ({ projectId, scope }: Of) => {
  const [chosen, setChosen] = useState('');
  const filters = JSON.stringify([
    { field: 'project_id', operator: '=', value: projectId },
    { field: 'scope', operator: '=', value: scope },
  ]);
  const { value, fault } = useLoaded(
    (signal) => queuesServer.list({ query: { size: mostQueues, filters } }, signal),
    [filters],
  );
  return (
    <>
      <label>
        Queue
        <select
          name="queue"
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
          <input name="name" maxLength={255} autocomplete="off" />
        </label>
      ) : null}
      <Fault of={fault} />
    </>
  );
};

const makeQueue = async ({ projectId, scope }: Of, name: string): Promise<string> => {
  if (name === '') throw new Error('choose a queue, or give a new one a name');
  const before = { size: mostQueues, name };
  await queuesServer.create({ body: { name, scope, project_id: projectId } });
  // The newest comes first.
  const { content } = await queuesServer.list({ query: before });
  const made = content.find((one) => one.name === name && one.project_id === projectId);
  if (made === undefined) throw new Error(`the queue ${name} is gone already`);
  return made.id;
};

export const AddToQueue = ({ ids, ...of }: Of & { readonly ids: readonly string[] }) => (
  <Asks
    verb="Add to a queue"
    label="Add to a queue"
    send="Add"
    says={`${ids.length} ${of.scope}${ids.length === 1 ? '' : 's'} added`}
    onSend={async (field) => {
      const id = field('queue') === '' ? await makeQueue(of, field('name')) : field('queue');
      for (let from = 0; from < ids.length; from += mostAtOnce)
        await queuesServer.addItems({
          params: { id },
          body: { ids: ids.slice(from, from + mostAtOnce) },
        });
    }}
  >
    <p class="faint">Those that are in the queue already stay as they are.</p>
    <Choice {...of} />
  </Asks>
);
