// Statuses that versions of models may have, and their rules. What is saved replaces all of them.
import { useState } from 'preact/hooks';
import { useStored } from '../loading.js';
import { saysFault } from '../request.js';
import { adminServer } from '../settings-server.js';
import { tell } from '../state.js';
import { Wait } from '../shell/wait.js';
import { useTheirs } from '../theirs.js';
import { useUnsaved } from '../unsaved.js';

type Status = Awaited<ReturnType<typeof adminServer.statuses>>['statuses'][number];

const Line = ({
  of,
  onChange,
  onRemove,
}: {
  of: Status;
  onChange: (changes: Partial<Status>) => void;
  onRemove: () => void;
}) => (
  <tr>
    <td>
      <input
        aria-label={`Name of ${of.name}`}
        required
        maxLength={100}
        value={of.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value.trim() })}
      />
    </td>
    <td>
      <input
        aria-label={`Colour of ${of.name}`}
        maxLength={100}
        size={9}
        value={of.colour}
        onChange={({ currentTarget }) => onChange({ colour: currentTarget.value.trim() })}
      />
    </td>
    {(['requiresApproval', 'exclusive'] as const).map((rule) => (
      <td key={rule}>
        <input
          type="checkbox"
          aria-label={`${of.name} ${rule === 'exclusive' ? 'is of one version at a time' : 'has to be approved'}`}
          checked={of[rule]}
          onChange={({ currentTarget }) => onChange({ [rule]: currentTarget.checked })}
        />
      </td>
    ))}
    <td class="does">
      <button type="button" aria-label={`Remove ${of.name}`} onClick={onRemove}>
        Remove
      </button>
    </td>
  </tr>
);

const Editor = ({ before, again }: { before: readonly Status[]; again: () => void }) => {
  const [all, setAll] = useState(before);
  const [fault, setFault] = useState('');
  const changed = JSON.stringify(all) !== JSON.stringify(before);
  useUnsaved(changed);
  const holdBack = useTheirs('the statuses');
  const save = async () => {
    setFault('');
    try {
      holdBack(before, (await adminServer.statuses({})).statuses);
      await adminServer.setStatuses({ body: { statuses: [...all] } });
      tell('The statuses are saved');
      again();
    } catch (thrown) {
      setFault(saysFault(thrown));
    }
  };
  return (
    <form
      aria-label="Model statuses"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="scroll" role="region" aria-label="Statuses" tabIndex={0}>
        <table class="plain many">
          <thead>
            <tr>
              {['Status', 'Colour', 'Has to be approved', 'One version at a time'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">
                <span class="unseen">acts</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map((one, at) => (
              <Line
                key={at}
                of={one}
                onChange={(changes) =>
                  setAll(all.map((other, place) => (place === at ? { ...one, ...changes } : other)))
                }
                onRemove={() => setAll(all.filter((_, place) => place !== at))}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="controls">
        <button
          type="button"
          onClick={() =>
            setAll([
              ...all,
              {
                name: `Status ${all.length + 1}`,
                colour: '#888888',
                requiresApproval: false,
                exclusive: false,
              },
            ])
          }
        >
          Add a status
        </button>
        <button type="submit" class="main" disabled={!changed}>
          Save
        </button>
        {changed ? <span class="faint">not saved yet</span> : null}
        {fault === '' ? null : (
          <span class="fault" role="alert">
            {fault}
          </span>
        )}
      </p>
    </form>
  );
};

export const Statuses = () => {
  const { value, fault, again } = useStored((signal) => adminServer.statuses({}, signal), []);
  return (
    <>
      <p class="said">
        A version keeps a status that is no longer here. What has to be approved is asked for, and
        set once somebody who may approve agrees.
      </p>
      {value === undefined ? (
        <Wait fault={fault} />
      ) : (
        <Editor key={JSON.stringify(value.statuses)} before={value.statuses} again={again} />
      )}
    </>
  );
};
