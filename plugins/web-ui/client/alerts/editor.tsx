// The form in which an alert is written: whom it tells, and of what; with a test that sends a sample.
import { useEffect, useState } from 'preact/hooks';
import {
  addressHints,
  channels,
  draftOf,
  isChannel,
  sentAlert,
  type AlertDraft,
} from '../../pure/alerts.js';
import { useLoaded } from '../loading.js';
import { saysFault } from '../request.js';
import { alertsServer } from '../reviewing-server.js';
import { Json } from '../trace/json.js';
import { Triggers } from './triggers.js';
import { Fault } from '../shell/wait.js';
import { useTheirs } from '../theirs.js';
import { useUnsaved } from '../unsaved.js';

interface DraftProps {
  readonly draft: AlertDraft;
  readonly onDraft: (changes: Partial<AlertDraft>) => void;
}
interface Project {
  readonly projectId: string;
  readonly projectName: string;
}

const Headers = ({ draft: { headers }, onDraft }: DraftProps) => {
  const set = (at: number, by: readonly [string, string] | undefined) =>
    onDraft({
      headers: headers.flatMap((one, place) =>
        place === at ? (by === undefined ? [] : [by]) : [one],
      ),
    });
  return (
    <>
      {headers.map(([name, value], at) => (
        <p key={at} class="controls">
          <input
            aria-label={`Name of header ${at + 1}`}
            placeholder="header"
            value={name}
            onInput={({ currentTarget }) => set(at, [currentTarget.value, value])}
          />
          <input
            aria-label={`Value of header ${at + 1}`}
            placeholder="value, stored sealed"
            autocomplete="off"
            value={value}
            onInput={({ currentTarget }) => set(at, [name, currentTarget.value])}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => set(at, undefined)}
          >
            ×
          </button>
        </p>
      ))}
      <button type="button" onClick={() => onDraft({ headers: [...headers, ['', '']] })}>
        + Header
      </button>
    </>
  );
};

const Receiver = (props: DraftProps) => {
  const { draft, onDraft } = props;
  const { channel } = draft;
  return (
    <section aria-label="Whom it tells">
      <h2>Whom it tells</h2>
      <p class="controls">
        <select
          aria-label="Channel"
          value={channel}
          onChange={({ currentTarget: { value } }) =>
            isChannel(value) && onDraft({ channel: value })
          }
        >
          {Object.entries(channels).map(([name, says]) => (
            <option key={name} value={name}>
              {says}
            </option>
          ))}
        </select>
        <input
          type="url"
          class="grows"
          aria-label="Address"
          placeholder={addressHints[channel]}
          maxLength={2000}
          value={draft.url}
          onInput={({ currentTarget }) => onDraft({ url: currentTarget.value })}
        />
        {channel === 'pagerduty' ? (
          <input
            aria-label="Routing key"
            placeholder="routing key"
            autocomplete="off"
            value={draft.routingKey}
            onInput={({ currentTarget }) => onDraft({ routingKey: currentTarget.value })}
          />
        ) : null}
      </p>
      {channel === 'general' ? (
        <>
          <p class="controls">
            <input
              aria-label="Token"
              placeholder="token, sent as Bearer and stored sealed"
              class="grows"
              autocomplete="off"
              maxLength={250}
              value={draft.token}
              onInput={({ currentTarget }) => onDraft({ token: currentTarget.value })}
            />
          </p>
          <Headers {...props} />
        </>
      ) : null}
    </section>
  );
};

type Tested = Awaited<ReturnType<typeof alertsServer.test>>;

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a text, then
  }
};

/** Sends a sample of the first event; and shows what is sent for each. */
const Test = ({ draft }: { draft: AlertDraft }) => {
  const [tested, setTested] = useState<Tested | string>();
  const [busy, setBusy] = useState(false);
  const type = draft.channel === 'teams' ? 'general' : draft.channel;
  const examples = useLoaded(
    (signal) => alertsServer.examples({ query: { alert_type: type } }, signal),
    [type],
  );
  const send = async () => {
    setBusy(true);
    try {
      const body = {
        ...sentAlert(draft),
        ...(draft.id === undefined ? {} : { id: draft.id }),
      };
      setTested(await alertsServer.test({ body }));
    } catch (thrown) {
      setTested(saysFault(thrown));
    }
    setBusy(false);
  };
  return (
    <section aria-label="What it sends">
      <h2>What it sends</h2>
      <p class="controls">
        <button type="button" disabled={busy} onClick={() => void send()}>
          Send a test
        </button>
        <span role="status">
          {tested === undefined ? (
            ''
          ) : typeof tested === 'string' ? (
            <span class="fault">{tested}</span>
          ) : tested.status === 'success' ? (
            <span class="good">✓ it was taken</span>
          ) : (
            <span class="fault">
              ✗ it was not taken
              {tested.status_code === 0 ? '' : `, status ${tested.status_code}`}:{' '}
              {tested.error_message}
            </span>
          )}
        </span>
      </p>
      {typeof tested === 'object' ? (
        <details>
          <summary>What was sent</summary>
          <Json value={readJson(tested.request_body)} open={2} />
        </details>
      ) : null}
      {draft.triggers.map(({ event }) => (
        <details key={event}>
          <summary>An example of {event}</summary>
          <Json value={examples.value?.response_examples[event]} open={6} />
        </details>
      ))}
      <Fault of={examples.fault} />
    </section>
  );
};

const storedDraft = async (params: { readonly id: string }) => ({
  ...draftOf(await alertsServer.show({ params })),
  enabled: true,
});

export const AlertEditor = ({
  before,
  projects,
  onDraft,
  onSaved,
}: {
  before: AlertDraft;
  projects: readonly Project[];
  /** Told of each change, so that what stands beside the form follows it. */
  onDraft: (draft: AlertDraft) => void;
  onSaved: () => void;
}) => {
  const [draft, setDraft] = useState(before);
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(before));
  const holdBack = useTheirs('this alert');
  const change = (changes: Partial<AlertDraft>) => {
    const next = { ...draft, ...changes };
    setDraft(next);
    onDraft(next);
  };
  useEffect(() => {
    if (before.enabled !== draft.enabled) change({ enabled: before.enabled });
  }, [before.enabled]);
  const save = async () => {
    if (busy) return;
    setBusy(true);
    setFault('');
    try {
      const body = sentAlert(draft);
      if (draft.id === undefined) await alertsServer.create({ body });
      else {
        const params = { id: draft.id };
        // Who mutes it changes nothing that is written here.
        holdBack({ ...before, enabled: true }, await storedDraft(params));
        await alertsServer.update({ params, body });
      }
      onSaved();
    } catch (thrown) {
      setFault(saysFault(thrown));
    }
    setBusy(false);
  };
  return (
    <>
      <form
        aria-label="The alert"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p class="controls">
          <input
            class="grows"
            aria-label="Name of the alert"
            placeholder="name"
            maxLength={255}
            value={draft.name}
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          <select
            aria-label="About"
            value={draft.projectId ?? ''}
            onChange={({ currentTarget: { value } }) =>
              change({ projectId: value === '' ? undefined : value })
            }
          >
            <option value="">all projects</option>
            {projects.map(({ projectId, projectName }) => (
              <option key={projectId} value={projectId}>
                {projectName}
              </option>
            ))}
          </select>
          <label class="check">
            <input
              type="checkbox"
              checked={draft.enabled}
              onChange={({ currentTarget }) => change({ enabled: currentTarget.checked })}
            />{' '}
            On
          </label>
        </p>
        <Receiver draft={draft} onDraft={change} />
        <Triggers of={draft.triggers} onChange={(triggers) => change({ triggers })} />
        {fault === '' ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <p class="controls">
          <button type="submit" class="main">
            {draft.id === undefined ? 'Make it' : 'Save'}
          </button>
        </p>
      </form>
      <Test draft={draft} />
    </>
  );
};
