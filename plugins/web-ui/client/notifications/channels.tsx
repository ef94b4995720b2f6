// Rooms, mailboxes and addresses that a workspace is told in: added, tried, changed, switched off, removed.
import { attempt } from '../attempt.js';
import { useStored } from '../loading.js';
import { channelServer } from '../settings-server.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Act, Asks, Form, type Fields } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { tell } from '../state.js';

type Channel = Awaited<ReturnType<typeof channelServer.list>>['channels'][number];

const kinds = {
  slack: 'Slack',
  teams: 'Teams',
  pagerduty: 'PagerDuty',
  email: 'e-mail',
  http: 'plain address',
} as const;

/** A channel changed: its secrets come masked and stay as they are where nothing is written. */
const Change = ({ of, again }: { of: Channel; again: () => void }) => {
  const save = async (field: Fields) => {
    const secret = field('secret');
    await channelServer
      .change({
        params: { channelId: of.channelId },
        body: {
          name: field('name'),
          ...(field('target') === of.target ? {} : { target: field('target') }),
          ...(secret === '' ? {} : { secret }),
          triggers: field('triggers')
            .split(/[\s,]+/)
            .filter((one) => one !== ''),
        },
      })
      .finally(again);
  };
  return (
    <Asks verb="Change" label={`Change ${of.name}`} send="Save" says="Saved" onSend={save}>
      <label>
        Name
        <input name="name" required maxLength={200} defaultValue={of.name} />
      </label>
      <label>
        Address
        <input name="target" required maxLength={2000} defaultValue={of.target} />
      </label>
      <label>
        Secret; empty leaves it as it is
        <input type="password" name="secret" autocomplete="off" maxLength={1000} />
      </label>
      <label>
        Told of; empty is stages, tags and status
        <textarea name="triggers" rows={3} defaultValue={of.triggers.join('\n')} />
      </label>
    </Asks>
  );
};

const standing = (of: Channel): string => {
  if (of.fault !== null) return of.fault;
  if (!of.enabled) return 'off';
  return of.lastError ?? (of.lastStatus === null ? 'on' : `on, answered ${of.lastStatus}`);
};

const Acts = ({ of, again }: { of: Channel; again: () => void }) => {
  const named = { params: { channelId: of.channelId } };
  const test = () =>
    attempt(
      channelServer.test(named).then((came) => {
        tell(came.error ?? `Answered ${came.status ?? ''} in ${came.durationMillis} ms`);
        again();
      }),
    );
  return (
    <>
      <button type="button" aria-label={`Test ${of.name}`} onClick={test}>
        Test
      </button>
      <Change of={of} again={again} />
      <Act
        verb={of.enabled ? 'Switch off' : 'Switch on'}
        label={`${of.enabled ? 'Switch off' : 'Switch on'} ${of.name}`}
        says="Saved"
        onDo={() =>
          channelServer.change({ ...named, body: { enabled: !of.enabled } }).finally(again)
        }
      />
      <Deletes
        verb="Remove"
        what="channel"
        name={of.name}
        id={of.channelId}
        warns="Nobody is told there any more, and the log of what was sent goes."
        onDo={() => channelServer.remove(named)}
      />
    </>
  );
};

export const Channels = ({ workspace }: { workspace: string }) => {
  const { value, fault, again } = useStored(
    (signal) => channelServer.list({ query: { workspaceName: workspace } }, signal),
    [workspace, deletions.value],
  );
  const add = async (field: Fields) => {
    const secret = field('secret');
    await channelServer.add({
      body: {
        workspaceName: workspace,
        kind: field('kind'),
        name: field('name'),
        target: field('target'),
        ...(secret === '' ? {} : { secret }),
      },
    });
    tell('The channel is added');
    again();
  };
  return (
    <>
      <Form label="Add a channel" verb="Add a channel" onSend={add}>
        <select name="kind" aria-label="Kind of channel">
          {Object.entries(kinds).map(([kind, says]) => (
            <option key={kind} value={kind}>
              {says}
            </option>
          ))}
        </select>
        <input name="name" required maxLength={200} aria-label="Name" placeholder="name" />
        <input
          name="target"
          required
          maxLength={2000}
          aria-label="Address of the channel"
          placeholder="https://… or mailbox"
        />
        <input
          type="password"
          name="secret"
          maxLength={1000}
          autocomplete="off"
          aria-label="Secret of the channel"
          placeholder="secret, to sign with, or routing key"
        />
      </Form>
      <Rows
        label="Channels"
        of={{ value: value?.channels, fault }}
        head={['Name', 'Kind', 'Told at', 'State', '']}
        empty="Nobody is told in a room or a mailbox."
      >
        {(one) => (
          <tr key={one.channelId}>
            <td class="long">
              {one.name}{' '}
              {one.modelName === null ? null : <span class="faint">{one.modelName}</span>}
            </td>
            <td>{one.kind}</td>
            <td class="long">{one.target}</td>
            <td class={one.fault === null ? 'long' : 'long fault'}>{standing(one)}</td>
            <td class="does">
              <Acts of={one} again={again} />
            </td>
          </tr>
        )}
      </Rows>
    </>
  );
};
