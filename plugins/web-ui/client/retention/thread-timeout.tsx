// After how long without a new trace a conversation of the workspace counts as ended.
import { useState } from 'preact/hooks';
import { useStored } from '../loading.js';
import { mayWrite, Refused } from '../request.js';
import { configurationServer } from '../settings-server.js';
import { Form, type Fields } from '../shell/form.js';
import { tell } from '../state.js';
import { Wait } from '../shell/wait.js';

/** What the workspace has settled; nothing where it has settled nothing. */
const load = async (signal?: AbortSignal) => {
  try {
    return await configurationServer.show({}, signal);
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.status === 404) return {};
    throw thrown;
  }
};

/** A number of minutes as the wire writes it, and how it is told. */
const toDuration = (minutes: number): string => `PT${minutes}M`;
const saysDuration = (text: string): string => {
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] =
    /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(text) ?? [];
  const parts = { days, hours, minutes, seconds };
  const told = Object.entries(parts).flatMap(([name, count]) =>
    Number(count) > 0 ? [`${count} ${count === '1' ? name.slice(0, -1) : name}`] : [],
  );
  return told.length === 0 ? text : told.join(' ');
};

const Timeout = ({ workspace }: { workspace: string }) => {
  const { value, fault, again } = useStored((signal) => load(signal), [workspace]);
  if (value === undefined) return <Wait fault={fault} />;
  const timeout = value.timeout_to_mark_thread_as_inactive;
  const send = async (field: Fields) => {
    const minutes = field('minutes');
    // What else is settled stays as it is by now.
    const { timeout_to_mark_thread_as_inactive: _, ...others } = await load();
    const settled =
      minutes === '' ? {} : { timeout_to_mark_thread_as_inactive: toDuration(Number(minutes)) };
    await configurationServer.put({ body: { ...others, ...settled } });
    tell(minutes === '' ? 'The usual time is in force' : 'The time is in force');
    again();
  };
  return (
    <>
      <p class="said" role="status">
        {timeout === undefined
          ? 'Nothing is settled here: the usual time of the server is in force.'
          : `A conversation has ended after ${saysDuration(timeout)} without a new trace.`}
      </p>
      {mayWrite.value ? (
        <Form label="Settle when conversations end" verb="Settle" onSend={send}>
          <label>
            after minutes{' '}
            <input
              type="number"
              name="minutes"
              min={1}
              max={10_080}
              step={1}
              placeholder="usual"
              aria-label="Minutes without a new trace"
            />
          </label>
        </Form>
      ) : null}
    </>
  );
};

export const ThreadTimeout = ({ workspace }: { workspace: string }) => {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>When conversations end</summary>
      {open ? <Timeout workspace={workspace} /> : null}
    </details>
  );
};
