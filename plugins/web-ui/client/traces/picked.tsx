// What can be done to the traces that are selected.
import { attempt } from '../attempt.js';
import { mayWrite } from '../request.js';
import { tell } from '../state.js';
import { Deletes } from '../shell/deletes.js';
import { TextField } from '../shell/text-field.js';
import { tracesServer } from '../traces-server.js';
import { AddToQueue } from '../queues/to-queue.js';
import { AddToDataset } from './to-dataset.js';

/** As many as one request of the server takes. */
const mostAtOnce = 1000;

export const countedTraces = (count: number): string =>
  `${count} ${count === 1 ? 'trace' : 'traces'}`;

const inPieces = async (ids: readonly string[], act: (some: string[]) => Promise<unknown>) => {
  for (let from = 0; from < ids.length; from += mostAtOnce)
    await act(ids.slice(from, from + mostAtOnce));
};

/** Adds a tag or takes it away, with the way back. */
const retag = async (
  ids: readonly string[],
  tag: string,
  adds: boolean,
  after: () => void,
): Promise<void> => {
  await inPieces(ids, (some) =>
    tracesServer.update({
      body: { ids: some, update: adds ? { tags_to_add: [tag] } : { tags_to_remove: [tag] } },
    }),
  );
  after();
  tell(`${countedTraces(ids.length)} ${adds ? 'tagged' : 'no longer tagged'} ${tag}`, () =>
    attempt(retag(ids, tag, !adds, after)),
  );
};

export const PickedTraces = ({
  projectId,
  ids,
  onChange,
  onDone,
}: {
  projectId: string;
  ids: readonly string[];
  onChange: () => void;
  onDone: () => void;
}) => (
  <div class="picked-bar" role="toolbar" aria-label="Selected traces">
    <b>{ids.length} selected</b>
    {mayWrite.value ? (
      <>
        <TextField
          label="Add a tag"
          hint="add a tag"
          onText={(tag) => attempt(retag(ids, tag, true, onChange))}
        />
        <TextField
          label="Remove a tag"
          hint="remove a tag"
          onText={(tag) => attempt(retag(ids, tag, false, onChange))}
        />
        <AddToDataset ids={ids} />
        <AddToQueue projectId={projectId} scope="trace" ids={ids} />
        <Deletes
          what="trace"
          name={countedTraces(ids.length)}
          ids={ids}
          warns="They go for good, with all their spans, scores, comments and files."
          onDo={(from) =>
            inPieces(ids, (some) =>
              from(() => tracesServer.remove({ body: { ids: some, project_id: projectId } })),
            )
          }
          onAgreed={onDone}
        />
      </>
    ) : null}
    <button type="button" class="quiet" onClick={onDone}>
      Clear
    </button>
  </div>
);
