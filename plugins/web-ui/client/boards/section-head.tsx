// The head of a section of a board: its title, which folds it, and what changes it.
import {
  addSection,
  moveSection,
  removeSection,
  renameSection,
  storedSection,
} from '../../pure/board-sections.js';
import type { membersOf } from '../../pure/boards.js';
import {
  addWidget,
  type BoardChange,
  type BoardSection,
  type WidgetDraft,
} from '../../pure/boards.js';
import { formatCount } from '../../pure/format.js';
import { readList, writeList } from '../../pure/address.js';
import { attempt } from '../attempt.js';
import { newId } from '../boards-server.js';
import { openDialog } from '../shell/dialog.js';
import { Asks } from '../shell/form.js';
import { query, setQuery, tell } from '../state.js';
import { WidgetDialog } from './edit.js';

/** What changes a board. */
export type Change = (how: BoardChange, when: 'at once' | 'stored') => Promise<void>;

const foldedIds = () => readList(query.value.get('folded'));
/** Which sections are folded stands in the address, so that a link shows what one saw. */
export const isFolded = (id: string): boolean => foldedIds().includes(id);
const fold = (id: string, folded: boolean) => {
  const others = foldedIds().filter((one) => one !== id);
  setQuery({ folded: writeList(folded ? [...others, id] : others) });
};

/** What a section without a title is called. */
export const titleOf = ({ title }: Pick<BoardSection, 'title'>): string => title || 'Untitled';

const Acts = ({
  of,
  at,
  last,
  config,
  workspace,
  project,
  change,
}: {
  of: BoardSection;
  at: number;
  last: number;
  config: ReturnType<typeof membersOf>;
  workspace: string;
  project: string | undefined;
  change: Change;
}) => {
  const title = titleOf(of);
  const move = (by: number) => attempt(change(moveSection(of.id, by), 'at once'));
  const remove = () => {
    const found = storedSection(config, of.id);
    attempt(
      change(removeSection(of.id), 'at once').then(() =>
        tell(`The section ${title} is removed`, () => {
          if (found !== undefined) attempt(change(addSection(found.section, found.at), 'stored'));
        }),
      ),
    );
  };
  const add = () =>
    openDialog(
      <WidgetDialog
        workspace={workspace}
        boardProject={project}
        of={undefined}
        onSend={(draft: WidgetDraft) =>
          change(addWidget(newId(), draft, undefined, of.id), 'stored')
        }
      />,
    );
  return (
    <span class="acts">
      <button type="button" aria-label={`Add to ${title}`} onClick={add}>
        Add
      </button>
      <Asks
        verb="Rename"
        label={`Rename the section ${title}`}
        send="Save"
        says="The section is renamed"
        onSend={(field) => change(renameSection(of.id, field('title')), 'at once')}
      >
        <label>
          Title
          <input name="title" required maxLength={200} defaultValue={of.title} dir="auto" />
        </label>
      </Asks>
      <button
        type="button"
        aria-label={`Up with ${title}`}
        disabled={at === 0}
        onClick={() => move(-1)}
      >
        Up
      </button>
      <button
        type="button"
        aria-label={`Down with ${title}`}
        disabled={at === last}
        onClick={() => move(1)}
      >
        Down
      </button>
      <button
        type="button"
        aria-label={`Remove the section ${title}`}
        disabled={last === 0}
        onClick={remove}
      >
        Remove
      </button>
    </span>
  );
};

export const SectionHead = ({
  editing,
  ...props
}: Parameters<typeof Acts>[0] & { editing: boolean }) => {
  const { of } = props;
  const folded = isFolded(of.id);
  return (
    <header class="section-head">
      <h2>
        <button
          type="button"
          class="quiet"
          aria-expanded={!folded}
          title={folded ? 'Unfold the section' : 'Fold the section'}
          onClick={() => fold(of.id, !folded)}
        >
          <span dir="auto">{titleOf(of)}</span>
          <span class="faint" aria-hidden="true">
            {' '}
            {folded ? `▸ ${formatCount(of.widgets.length)}` : '▾'}
          </span>
        </button>
      </h2>
      {editing ? <Acts {...props} /> : null}
    </header>
  );
};
