// The query bar: says where a query is wrong, and offers what can come next.
import { useRef, useState } from 'preact/hooks';
import { completionAt, readQuery } from '../../pure/query.js';
import type { KnownColumns } from './chosen.js';
import { useNames } from './names.js';
import { useOffers, type Offer } from './offers.js';
import { keepQuery } from './recent.js';

/** What is written at the moment, and where; nothing while nobody writes. */
interface Typed {
  readonly text: string;
  readonly caret: number;
}

const Offers = ({
  of,
  chosen,
  onTake,
}: {
  of: readonly Offer[];
  chosen: number;
  onTake: (offer: Offer) => void;
}) =>
  of.length === 0 ? null : (
    <ul id="query-offers" role="listbox" aria-label="Completions">
      {of.map((offer, at) => (
        <li
          key={offer.head}
          role="option"
          aria-selected={at === chosen}
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(offer);
          }}
        >
          <code>{offer.shows}</code> <span class="faint">{offer.says}</span>
        </li>
      ))}
    </ul>
  );

export const QueryBar = ({
  project,
  text,
  known,
  onQuery,
}: {
  project: string;
  text: string;
  known: KnownColumns | undefined;
  onQuery: (text: string) => void;
}) => {
  const [typed, setTyped] = useState<Typed>();
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const now = typed?.text ?? text;
  const read = readQuery(now);
  const writing = typed === undefined ? undefined : completionAt(now, typed.caret);
  const names = useNames(project, known, writing?.part ?? '');
  const offers = useOffers(project, names, {
    text: now,
    caret: typed?.caret ?? 0,
    typing: typed !== undefined,
  });
  const take = ({ head }: Offer) => {
    const rest = typed?.text === '' ? '' : now.slice(typed?.caret ?? 0).replace(/^["')]+/, '');
    setTyped({ text: head + rest, caret: head.length });
    setChosen(0);
    field.current?.focus();
  };
  const enter = () => {
    if ('fault' in read) return;
    keepQuery(project, now.trim());
    onQuery(now.trim());
    setTyped(undefined);
  };
  const press = (event: KeyboardEvent) => {
    const offer = offers[Math.min(chosen, offers.length - 1)];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (offers.length === 0) return;
      event.preventDefault();
      setChosen((chosen + (event.key === 'ArrowDown' ? 1 : offers.length - 1)) % offers.length);
    } else if (event.key === 'Tab' && offer !== undefined && now !== '') {
      event.preventDefault();
      take(offer);
    } else if (event.key === 'Enter') {
      // Of queries that were asked before, the one that is chosen is asked again.
      if (now === '' && offer !== undefined && chosen > 0) take(offer);
      else enter();
    } else if (event.key === 'Escape') {
      setTyped(undefined);
      field.current?.blur();
    }
  };
  const open = (field: HTMLInputElement) => {
    setTyped({ text: field.value, caret: field.selectionStart ?? field.value.length });
    setChosen(0);
  };
  return (
    <div class="query">
      <input
        ref={field}
        id="query"
        type="text"
        role="combobox"
        aria-label="Query"
        aria-expanded={offers.length > 0}
        aria-controls="query-offers"
        aria-invalid={'fault' in read}
        spellcheck={false}
        autocomplete="off"
        dir="auto"
        placeholder={'Metric("val/acc") > 0.8 & ~Tag("bad"), or part of a name'}
        value={now}
        onInput={({ currentTarget }) => open(currentTarget)}
        onFocus={({ currentTarget }) => {
          if (currentTarget.value === '') open(currentTarget);
        }}
        onKeyDown={press}
        onBlur={() => {
          if (typed?.text === text) setTyped(undefined);
        }}
      />
      {now === '' ? null : (
        <button
          type="button"
          aria-label="Clear the query"
          onClick={() => {
            setTyped(undefined);
            onQuery('');
          }}
        >
          ×
        </button>
      )}
      <Offers of={offers} chosen={chosen} onTake={take} />
      {typed !== undefined && 'fault' in read ? (
        <p class="fault" role="status">
          at {read.fault.at + 1}: {read.fault.says}
        </p>
      ) : null}
    </div>
  );
};
