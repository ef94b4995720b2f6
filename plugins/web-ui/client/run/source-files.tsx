// The files of code that a run logged beside its script, one at a time.
import { useState } from 'preact/hooks';
import { useLoaded } from '../loading.js';
import { addressOf } from '../media/files.js';
import { runServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { Copy, Lines } from './lines.js';
import { Fault } from '../shell/wait.js';
import { Wait } from './wait.js';

const mostFiles = 200;

const Source = ({ run, id, name }: { run: string; id: string; name: string }) => {
  const found = useLoaded(
    async (signal) => {
      const reply = await fetch(addressOf({ run, id }), { signal });
      if (!reply.ok)
        throw new Error(`${name} could not be read: the server answered ${reply.status}`);
      return await reply.text();
    },
    [run, id],
  );
  if (found.value === undefined) return <Wait of={found} />;
  return (
    <>
      <p class="controls">
        <b>{name}</b> <Copy text={found.value} what={name} />
      </p>
      <Lines text={found.value} label={name} />
    </>
  );
};

/** Nothing where there are none. */
export const SourceFiles = ({ run }: { run: string }) => {
  const { value, fault } = useLoaded(
    (signal) =>
      runServer.listAssets({ query: { experimentKey: run, type: 'source_code' } }, signal),
    [run],
  );
  const [open, setOpen] = useState<string>();
  if (fault !== undefined) return <Fault of={fault} />;
  const files = value?.assets ?? [];
  const shown = files.find(({ assetId }) => assetId === open);
  if (files.length === 0) return null;
  return (
    <>
      <h2>Files of code</h2>
      <div class="controls" role="group" aria-label="Files of code">
        {files.slice(0, mostFiles).map(({ assetId, fileName }) => (
          <button
            key={assetId}
            type="button"
            aria-pressed={assetId === open}
            onClick={() => setOpen(assetId === open ? undefined : assetId)}
          >
            {fileName}
          </button>
        ))}
      </div>
      <Cut shown={mostFiles} of={files.length} what="files" how="“files” lists them" />
      {shown === undefined ? null : (
        <Source key={shown.assetId} run={run} id={shown.assetId} name={shown.fileName} />
      )}
    </>
  );
};
