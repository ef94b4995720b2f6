// What can be done to the runs that are selected.
import { useState } from 'preact/hooks';
import { pathOf, writeList } from '../../pure/address.js';
import { attempt } from '../attempt.js';
import { mayWrite } from '../request.js';
import { Dialog } from '../shell/dialog.js';
import { TextField } from '../shell/text-field.js';
import {
  countedRuns,
  countThose,
  deleteSoon,
  doTo,
  stopAll,
  type Deed,
  type Those,
} from './acting.js';

const mostCompared = 50;

interface Asked {
  readonly deed: Deed;
  readonly count: number;
}

const Sure = ({
  asked,
  onYes,
  onClose,
}: {
  asked: Asked;
  onYes: () => void;
  onClose: () => void;
}) => {
  const { deed, count } = asked;
  const says =
    deed.action === 'delete'
      ? `Delete ${countedRuns(count)} with everything they logged?`
      : `Move ${countedRuns(count)} to ${deed.target?.project}?`;
  return (
    <Dialog label={says} onClose={onClose}>
      <h2>{says}</h2>
      <p class="faint">
        {deed.action === 'delete'
          ? 'You have a few seconds to take it back; after that they are gone.'
          : 'Their keys and addresses by key stay the same.'}
      </p>
      <p class="acts">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={deed.action === 'delete' ? 'danger' : 'main'}
          onClick={() => {
            onYes();
            onClose();
          }}
        >
          {deed.action === 'delete' ? 'Delete' : 'Move'}
        </button>
      </p>
    </Dialog>
  );
};

export interface PickedProps {
  readonly project: string;
  readonly keys: readonly string[];
  /** Those of them that still run. */
  readonly running: readonly string[];
  readonly those: Those;
  readonly count: number;
  readonly place: { readonly workspace: string; readonly project: string };
  readonly archived: boolean;
  readonly onDone: () => void;
}

export const Picked = (props: PickedProps) => {
  const { project, keys, running, those, count, place, archived, onDone } = props;
  const [asked, setAsked] = useState<Asked>();
  const act = (deed: Deed) => attempt(doTo(project, those, deed).then(onDone));
  const ask = (deed: Deed) =>
    attempt(countThose(project, those, deed).then((found) => setAsked({ deed, count: found })));
  return (
    <div class="picked-bar" role="toolbar" aria-label="Selected runs">
      <b>{count} selected</b>
      {keys.length > 1 && keys.length <= mostCompared ? (
        <a
          class="button"
          href={`${pathOf('w', place.workspace, 'p', place.project, 'compare')}?runs=${writeList(keys)}`}
        >
          Compare <kbd>c</kbd>
        </a>
      ) : null}
      {mayWrite.value ? (
        <>
          <TextField
            label="Tag to add"
            hint="add a tag"
            onText={(tag) => act({ action: 'tag', tags: [tag] })}
          />
          <button type="button" onClick={() => act({ action: archived ? 'restore' : 'archive' })}>
            {archived ? 'Restore' : 'Archive'}
          </button>
          <TextField
            label="Project to move to"
            hint="move to project"
            onText={(name) =>
              ask({ action: 'move', target: { workspace: place.workspace, project: name } })
            }
          />
          {running.length === 0 ? null : (
            <button type="button" onClick={() => attempt(stopAll(running).then(onDone))}>
              Stop {running.length}
            </button>
          )}
          <button type="button" class="danger" onClick={() => ask({ action: 'delete' })}>
            Delete
          </button>
        </>
      ) : null}
      <button type="button" class="quiet" onClick={onDone}>
        Clear
      </button>
      {asked === undefined ? null : (
        <Sure
          asked={asked}
          onClose={() => setAsked(undefined)}
          onYes={() => {
            if (asked.deed.action !== 'delete') return act(asked.deed);
            deleteSoon(project, those, asked.count);
            onDone();
          }}
        />
      )}
    </div>
  );
};
