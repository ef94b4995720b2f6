// What a run is and what can be done to it.
import { useEffect, useState } from 'preact/hooks';
import { formatSpan } from '../../pure/format.js';
import { pathOf } from '../../pure/address.js';
import { attempt } from '../attempt.js';
import { doLater } from '../later.js';
import { runsChanged } from '../live.js';
import { mayWrite } from '../request.js';
import { runServer } from '../server.js';
import { Dialog } from '../shell/dialog.js';
import { Forms } from '../shell/forms.js';
import { go, tell } from '../state.js';

export type Metadata = Awaited<ReturnType<typeof runServer.getMetadata>>;

const stateOf = ({ running, hasCrashed }: Metadata) =>
  running ? 'running' : hasCrashed ? 'crashed' : 'finished';

const DeleteDialog = ({
  name,
  onYes,
  onClose,
}: {
  name: string;
  onYes: () => void;
  onClose: () => void;
}) => (
  <Dialog label={`Delete ${name}?`} onClose={onClose}>
    <h2>Delete {name} with everything it logged?</h2>
    <p class="faint">You have a few seconds to take it back; after that it is gone.</p>
    <p class="acts">
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => {
          onClose();
          onYes();
        }}
      >
        Delete
      </button>
    </p>
  </Dialog>
);

/** What was asked for and is shown before the server has said so. */
interface Claim {
  readonly archived?: boolean;
  readonly stopping?: boolean;
}

export const Head = ({ of, run, base }: { of: Metadata; run: string; base: readonly string[] }) => {
  const [sure, setSure] = useState(false);
  const name = of.experimentName ?? run;
  const [claim, setClaim] = useState<Claim>({});
  useEffect(() => setClaim({}), [of]);
  const act = (work: Promise<unknown>, claimed: Claim, says: string, undo?: () => void) => {
    setClaim(claimed);
    attempt(
      work.then(
        () => {
          runsChanged.value++;
          tell(says, undo);
        },
        (thrown: unknown) => {
          setClaim({});
          throw thrown;
        },
      ),
    );
  };
  const archived = claim.archived ?? of.archived;
  const keyed = { query: { experimentKey: run } };
  const deleteSoon = () => {
    doLater(
      () => runServer.delete(keyed).then(() => tell(`${name} deleted`)),
      `${name} will be deleted`,
      () => go(pathOf(...base, 'run', run)),
    );
    go(pathOf(...base, 'runs'));
  };
  const restore = () => act(runServer.restore(keyed), { archived: false }, 'Restored');
  return (
    <header class="run-head">
      <h1 title={`${name}\n${run}`} dir="auto">
        {name}
      </h1>
      <span class={`state ${stateOf(of)}`}>
        {of.running ? '● ' : of.hasCrashed ? '✗ ' : '✓ '}
        {stateOf(of)} · {formatSpan(of.durationMillis)}
      </span>
      {claim.stopping === true ? <span class="faint">asked to stop</span> : null}
      {archived ? <span class="faint">archived</span> : null}
      <Forms charts />
      {!mayWrite.value ? null : (
        <span class="acts">
          {of.running ? (
            <button
              type="button"
              disabled={claim.stopping === true}
              onClick={() =>
                act(runServer.stop(keyed), { stopping: true }, 'The run was asked to stop')
              }
            >
              Stop
            </button>
          ) : null}
          {archived ? (
            <button type="button" onClick={restore}>
              Restore
            </button>
          ) : (
            <button
              type="button"
              onClick={() => act(runServer.archive(keyed), { archived: true }, 'Archived', restore)}
            >
              Archive
            </button>
          )}
          <button type="button" class="danger" onClick={() => setSure(true)}>
            Delete
          </button>
        </span>
      )}
      {sure ? <DeleteDialog name={name} onYes={deleteSoon} onClose={() => setSure(false)} /> : null}
    </header>
  );
};
