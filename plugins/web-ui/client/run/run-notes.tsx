// What people write about a run, edited in place.
import { useState } from 'preact/hooks';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Notes } from '../told/notes.js';

export const RunNotes = ({ run }: { run: string }) => {
  const [tick, setTick] = useState(0);
  const { value, fault } = useLoaded(
    (signal) => runServer.getNotes({ query: { experimentKey: run } }, signal),
    [run, tick],
  );
  return (
    <Notes
      stored={value?.notes}
      fault={fault}
      hint="What is worth knowing about this run; in Markdown"
      now={async () => (await runServer.getNotes({ query: { experimentKey: run } })).notes}
      onKeep={(notes) =>
        runServer.setNotes({ body: { experimentKey: run, notes } }).then(() => setTick(tick + 1))
      }
    />
  );
};
