// The reviewers' page of an annotation queue: one item at a time, by keyboard. The address names the item.
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatCount } from '../../pure/format.js';
import {
  faultOfScore,
  fieldsOf,
  nextOpen,
  scoreOfDigit,
  type GivenScore,
  type ScoreField,
  type Scores,
} from '../../pure/reviewing.js';
import { attempt } from '../attempt.js';
import { useLoaded } from '../loading.js';
import { useSubject } from '../subject.js';
import { usePageKeys, type KeyActs } from '../page-keys.js';
import { useUnsaved } from '../unsaved.js';
import { mayWrite, session } from '../request.js';
import { definitionsServer, queuesServer, type Queue } from '../reviewing-server.js';
import { Coming, Stale } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery, tell } from '../state.js';
import { Markdown } from '../told/markdown.js';
import { ReviewedItem } from './item.js';
import { mostItems, useItems, useLocks, type Locks, type QueueItem } from './items.js';
import { useLock, type LockState } from './lock.js';
import { Progress } from './progress.js';
import { ScoreFields } from './scores.js';
import { storeScores } from './scoring.js';
import { ChangeQueue } from './settings.js';
import { Fault, Wait } from '../shell/wait.js';

const mostDefinitions = 1000;
/** Keys that stay with what has the focus: what scrolls, slides or is pressed. */
const keeps = '.item-shown, input[type=range], button, a, summary';

const toItem = (id: string | undefined) => setQuery({ item: id }, true);

const timeOf = (at: number): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Others who hold an item. */
const holdersOf = (locks: Locks, id: string): readonly string[] =>
  (locks[id]?.locked_by ?? []).filter((name) => name !== session.value?.userName);

const isOpenItem = (queue: Queue, locks: Locks, { id, isDone, isFull }: QueueItem): boolean =>
  !isDone && !isFull && holdersOf(locks, id).length < queue.annotators_per_item;

/** What is so of the lock of the item that is shown. */
const LockLine = ({
  state,
  item,
  locks,
  onAgain,
}: {
  state: LockState;
  item: QueueItem;
  locks: Locks;
  onAgain: () => void;
}) => {
  const held = locks[item.id];
  const holders = holdersOf(locks, item.id);
  const again = (
    <button type="button" onClick={onAgain}>
      Try again
    </button>
  );
  if (item.isDone) return <p class="faint">You scored this item; you may change what you gave.</p>;
  switch (state.is) {
    case 'held':
      return <p class="faint">Yours until {timeOf(state.until)}, and longer while you look.</p>;
    case 'refused':
      return (
        <p class="warning" role="alert">
          {holders.length > 0 && held !== undefined
            ? `${holders.join(', ')} looks at this item, until ${timeOf(Date.parse(held.expires_at))} or longer. `
            : 'As many people as are asked for have scored this item or look at it. '}
          {again}
        </p>
      );
    case 'fault':
      return (
        <p class="fault" role="alert">
          {state.says} {again}
        </p>
      );
    case 'asking':
      return <p class="faint">asking for the item …</p>;
    case 'none':
      return null;
  }
};

/** What was given to items and not stored yet: it stays while one looks at others. */
const useDraft = (item: QueueItem | undefined) => {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Scores>>(new Map());
  useUnsaved(drafts.size > 0);
  const scores = (item === undefined ? undefined : drafts.get(item.id)) ?? item?.own ?? {};
  const clear = (id: string) =>
    setDrafts((before) => new Map([...before].filter(([one]) => one !== id)));
  const give = (name: string, score: GivenScore | undefined) => {
    if (item === undefined) return;
    const { [name]: _, ...rest } = scores;
    const now = score === undefined ? rest : { ...rest, [name]: score };
    if (Object.keys({ ...now, ...item.own }).length === 0) clear(item.id);
    else setDrafts((before) => new Map(before).set(item.id, now));
  };
  return { scores, give, clear };
};

interface Reviewing {
  readonly queue: Queue;
  readonly fields: readonly ScoreField[];
  readonly onStored: () => void;
}

/** The items, the one that is shown, and what is done with it. */
const useReviewing = ({ queue, fields, onStored }: Reviewing) => {
  const loaded = useItems(queue);
  const [refusals, setRefusals] = useState(0);
  const locks = useLocks(queue.id, refusals);
  const { items = [] } = loaded;
  const named = query.value.get('item');
  const open = items.map((one) => isOpenItem(queue, locks, one));
  const first = useMemo(
    () => items[nextOpen(open, 0) ?? 0]?.id,
    [loaded.items === undefined, items.length],
  );
  const place = items.findIndex(({ id }) => id === (named ?? first));
  const item = items[place];
  const draft = useDraft(item);
  const mine = mayWrite.value && item !== undefined && !item.isDone;
  const lock = useLock(queue.id, item?.id, mine);
  useEffect(() => {
    // Who has it is to be told at once.
    if (lock.state.is === 'refused') setRefusals((now) => now + 1);
  }, [lock.state]);
  const may = mayWrite.value && (item?.isDone === true || lock.state.is === 'held');
  const [undoing, setUndoing] = useState<() => void>();
  const step = (by: number) => {
    const next = items[place + by];
    if (next !== undefined) toItem(next.id);
  };
  const toNext = () => {
    const next = nextOpen(
      open.map((one, at) => one && at !== place),
      place + 1,
    );
    if (next === undefined) tell('No other item is left for you');
    else toItem(items[next]?.id);
  };
  const store = async (of: QueueItem, before: Scores, wanted: Scores) => {
    await storeScores(queue, of, before, wanted);
    loaded.give(of.id, wanted);
    draft.clear(of.id);
    onStored();
  };
  const done = () => {
    if (!may || item === undefined) return;
    const wrong = fields.flatMap((field) => {
      const given = draft.scores[field.name];
      return given === undefined ? [] : (faultOfScore(field, given) ?? []);
    });
    if (wrong[0] !== undefined) return tell(wrong[0]);
    if (Object.keys(draft.scores).length === 0) return tell('Give a score first, or skip the item');
    const before = item.own;
    attempt(
      store(item, before, draft.scores).then(() => {
        const undo = () => {
          setUndoing(undefined);
          toItem(item.id);
          attempt(
            store(item, draft.scores, before).then(() => tell('What you gave is taken back')),
          );
        };
        setUndoing(() => undo);
        tell('Scored', undo);
        toNext();
      }),
    );
  };
  const takeOut = () => {
    if (item === undefined) return;
    attempt(
      queuesServer.removeItems({ params: { id: queue.id }, body: { ids: [item.id] } }).then(() => {
        tell('The item is no longer in the queue');
        toItem(items[place + 1]?.id ?? items[place - 1]?.id);
        draft.clear(item.id);
        loaded.drop(item.id);
        onStored();
      }),
    );
  };
  return {
    ...{ loaded, locks, items, place, item, draft, lock, may, step, toNext, done, takeOut },
    undo: undoing,
    doneCount: items.filter(({ isDone }) => isDone).length,
  };
};
type State = ReturnType<typeof useReviewing>;

/** Digits give the field that one is at; arrows go through fields and items. */
const useKeys = (
  { draft, may, step, toNext, done, undo }: State,
  fields: readonly ScoreField[],
  at: number,
  setAt: (at: number) => void,
) => {
  const field = fields[at];
  const giveDigit = (digit: number) => {
    const found = field === undefined || !may ? undefined : scoreOfDigit(field, digit);
    if (found === undefined || field === undefined) return;
    draft.give(field.name, { ...found, reason: draft.scores[field.name]?.reason });
    if (at + 1 < fields.length) setAt(at + 1);
  };
  const digits: KeyActs = Object.fromEntries(
    Array.from({ length: 10 }, (_, digit) => [String(digit), () => giveDigit(digit)]),
  );
  usePageKeys(
    {
      ...digits,
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      k: () => step(-1),
      j: () => step(1),
      ArrowUp: () => setAt(Math.max(0, at - 1)),
      ArrowDown: () => setAt(Math.min(fields.length - 1, at + 1)),
      Enter: done,
      s: toNext,
      u: undo,
      c: () => document.querySelector<HTMLElement>('.item-shown .say textarea')?.focus(),
    },
    keeps,
  );
  // Before the next key comes, what it does must be that of now.
  useLayoutEffect(() => {
    // From within a field too, but for a comment, which the same keys send.
    const press = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
      if (target instanceof HTMLTextAreaElement) return;
      event.preventDefault();
      done();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
};

const ScorePane = ({
  queue,
  fields,
  of,
}: {
  queue: Queue;
  fields: readonly ScoreField[];
  of: State;
}) => {
  const [at, setAt] = useState(0);
  useKeys(of, fields, at, setAt);
  const { item, draft, lock, locks, may } = of;
  useEffect(() => setAt(0), [item?.id]);
  if (item === undefined) return null;
  return (
    <aside class="score-pane" aria-label="Score the item">
      {mayWrite.value ? (
        <LockLine state={lock.state} item={item} locks={locks} onAgain={lock.again} />
      ) : (
        <p class="faint">You may look at what is here, and not score it.</p>
      )}
      {fields.length === 0 ? (
        <p class="empty">This queue asks for no scores. “Change” chooses some.</p>
      ) : (
        <ScoreFields
          fields={fields}
          scores={draft.scores}
          at={at}
          disabled={!may}
          onGive={draft.give}
          onAt={setAt}
        />
      )}
      {mayWrite.value ? (
        <p class="controls">
          <button type="button" class="main" disabled={!may} onClick={of.done}>
            Done and next <kbd>⏎</kbd>
          </button>
          <button type="button" onClick={of.toNext}>
            Skip <kbd>s</kbd>
          </button>
          <button type="button" disabled={of.undo === undefined} onClick={of.undo}>
            Undo <kbd>u</kbd>
          </button>
          <button type="button" class="quiet" onClick={of.takeOut}>
            Take it out of the queue
          </button>
        </p>
      ) : null}
      {queue.instructions ? (
        <section aria-label="Instructions">
          <h2>Instructions</h2>
          <Markdown text={queue.instructions} />
        </section>
      ) : null}
    </aside>
  );
};

const Steps = ({ of: { items, place, step, loaded } }: { of: State }) => (
  <p class="controls">
    <button type="button" disabled={place <= 0} onClick={() => step(-1)}>
      ← Before
    </button>
    <span role="status">
      item {place + 1} of {formatCount(items.length)}
    </span>
    <button type="button" disabled={place + 1 >= items.length} onClick={() => step(1)}>
      Next →
    </button>
    <span class="faint">
      {(loaded.total ?? 0) > items.length
        ? `the newest ${formatCount(mostItems)} of ${formatCount(loaded.total ?? 0)} items`
        : ''}
    </span>
  </p>
);

const Reviewing = ({ workspace, ...given }: Reviewing & { readonly workspace: string }) => {
  const { queue, fields } = given;
  const of = useReviewing(given);
  const base = ['w', workspace, 'p', queue.project_name];
  const others = Object.entries(of.locks).flatMap(([id]) => {
    const at = of.items.findIndex((one) => one.id === id);
    return at < 0 ? [] : holdersOf(of.locks, id).map((name) => `${name} is at item ${at + 1}`);
  });
  if (of.loaded.items === undefined) return <Wait fault={of.loaded.fault} />;
  if (of.items.length === 0)
    return (
      <p class="empty">
        Nothing is in this queue yet. Select {queue.scope}s{' '}
        <a href={pathOf(...base, `${queue.scope}s`)}>in their list</a> and add them to it.
      </p>
    );
  return (
    <>
      <p class="controls">
        <Progress done={of.doneCount} of={of.items.length} />
        <span class="faint" dir="auto">
          {queue.reviewers
            .filter(({ username }) => username !== session.value?.userName)
            .map(({ username, status }) => `${username} scored ${status}`)
            .concat(others)
            .join(' · ')}
        </span>
      </p>
      <Steps of={of} />
      {of.item === undefined ? (
        <p class="fault">This item is not in the queue, or no longer.</p>
      ) : (
        <div class="reviewing">
          <section class="item-shown" aria-label="The item" tabIndex={0} key={of.item.id}>
            <ReviewedItem queue={queue} item={of.item} base={base} />
          </section>
          <ScorePane queue={queue} fields={fields} of={of} />
        </div>
      )}
      {of.items.every(({ isDone, isFull }) => isDone || isFull) ? (
        <p class="good">Every item is scored by you, or by as many others as are asked for.</p>
      ) : null}
    </>
  );
};

export const QueueScreen = ({ workspace, id }: { workspace: string; id: string }) => {
  const loaded = useSubject((signal) => queuesServer.show({ params: { id } }, signal), [id]);
  const definitions = useLoaded(
    (signal) => definitionsServer.list({ query: { size: mostDefinitions } }, signal),
    [workspace],
  );
  const queue = loaded.value;
  const fields = useMemo(
    () => fieldsOf(queue?.feedback_definition_names ?? [], definitions.value?.content ?? []),
    [queue, definitions.value],
  );
  if (queue === undefined || (definitions.value === undefined && definitions.fault === undefined))
    return <Coming of={loaded} />;
  return (
    <main class="page wide">
      <h1 dir="auto">{queue.name}</h1>
      <WorkspaceTabs workspace={workspace} at="queues" />
      <p class="controls">
        <span class="faint" dir="auto">
          {queue.scope}s of {queue.project_name}
          {queue.description ? ` · ${queue.description}` : ''}
        </span>
        {mayWrite.value ? <ChangeQueue of={queue} onChange={loaded.again} /> : null}
      </p>
      <Stale of={loaded} what="queue" list={pathOf('w', workspace, 'queues')} />
      <Fault of={definitions.fault} />
      <Reviewing workspace={workspace} queue={queue} fields={fields} onStored={loaded.again} />
    </main>
  );
};
