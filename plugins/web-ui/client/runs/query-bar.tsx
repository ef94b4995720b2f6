// The query bar: says where a query is wrong, and offers the names that there are.
import { useRef, useState } from 'preact/hooks';
import { completionAt, queryWords, readQuery } from '../../pure/query.js';

export interface KnownName {
  readonly kind: string;
  readonly name: string;
  readonly says: string;
}
const kindOf: Readonly<Record<string, string>> = {
  metric: 'metric',
  param: 'parameter',
  parameter: 'parameter',
  tag: 'tag',
  other: 'other',
  environment: 'environment',
};

export const QueryBar = ({
  text,
  names,
  onQuery,
}: {
  text: string;
  names: readonly KnownName[];
  onQuery: (text: string) => void;
}) => {
  const [typed, setTyped] = useState<string>();
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const now = typed ?? text;
  const read = readQuery(now);
  const completion = typed === undefined ? undefined : completionAt(now, caret);
  const last = /(?:^|[\s&|~(])([A-Za-z]+)$/.exec(now.slice(0, caret))?.[1] ?? '';
  const offers: readonly KnownName[] =
    completion !== undefined
      ? names
          .filter(
            ({ kind, name }) =>
              kind === kindOf[completion.word.toLowerCase()] &&
              name.toLowerCase().includes(completion.part.toLowerCase()),
          )
          .slice(0, 8)
      : typed === undefined || last === ''
        ? []
        : queryWords
            .filter((word) => word.toLowerCase().startsWith(last.toLowerCase()))
            .map((word) => ({ kind: 'word', name: word, says: '' }));
  const take = ({ kind, name }: KnownName) => {
    const from = completion?.from ?? caret - last.length;
    const tail = now.slice(caret).replace(/^["')]+/, '');
    const head = now.slice(0, from).replace(/["']$/, '');
    const middle = kind === 'word' ? `${name}("` : `"${name.replaceAll('"', '\\"')}")`;
    setTyped(head + middle + tail);
    setCaret((head + middle).length);
    field.current?.focus();
  };
  const enter = () => {
    if ('fault' in read) return;
    onQuery(now.trim());
    setTyped(undefined);
  };
  const press = (event: KeyboardEvent) => {
    const offer = offers[Math.min(chosen, offers.length - 1)];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (offers.length === 0) return;
      event.preventDefault();
      setChosen((chosen + (event.key === 'ArrowDown' ? 1 : offers.length - 1)) % offers.length);
    } else if (event.key === 'Tab' && offer !== undefined) {
      event.preventDefault();
      take(offer);
    } else if (event.key === 'Enter') enter();
    else if (event.key === 'Escape') {
      setTyped(undefined);
      field.current?.blur();
    }
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
        placeholder={'Metric("val/acc") > 0.8 & ~Tag("bad"), or part of a name'}
        value={now}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setCaret(currentTarget.selectionStart ?? currentTarget.value.length);
          setChosen(0);
        }}
        onKeyDown={press}
        onBlur={() => setTimeout(() => setChosen(0), 200)}
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
      {offers.length === 0 ? null : (
        <ul id="query-offers" role="listbox" aria-label="Completions">
          {offers.map((offer, at) => (
            <li
              key={offer.name}
              role="option"
              aria-selected={at === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                take(offer);
              }}
            >
              <code>{offer.name}</code> <span class="faint">{offer.says}</span>
            </li>
          ))}
        </ul>
      )}
      {typed !== undefined && 'fault' in read ? (
        <p class="fault" role="status">
          at {read.fault.at + 1}: {read.fault.says}
        </p>
      ) : null}
    </div>
  );
};
