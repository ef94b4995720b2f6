// Where a statement is written: a field with names of tables and columns to complete, and keys to run it.
import { useRef, useState } from 'preact/hooks';
import { completed, completionsFor, wordBefore, type Completion } from '../../pure/sql.js';

interface Offer {
  readonly all: readonly Completion[];
  /** Which one is chosen; none until somebody moves through them. */
  readonly at: number | undefined;
}

const listId = 'sql-completions';
const optionId = (at: number): string => `${listId}-${at}`;

export const SqlEditor = ({
  text,
  onText,
  onRun,
}: {
  text: string;
  onText: (text: string) => void;
  onRun: () => void;
}) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const [offer, setOffer] = useState<Offer>();
  const look = (always: boolean) => {
    const at = field.current?.selectionStart ?? 0;
    const now = field.current?.value ?? '';
    const all = always || wordBefore(now, at).length > 1 ? completionsFor(now, at) : [];
    setOffer(all.length === 0 ? undefined : { all, at: undefined });
  };
  const take = (one: Completion) => {
    const at = field.current;
    if (at === null) return;
    const now = completed(at.value, at.selectionStart, one.text);
    // At once: the next key may come before the page is drawn anew.
    at.value = now.text;
    at.setSelectionRange(now.at, now.at);
    at.focus();
    onText(now.text);
    setOffer(undefined);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setOffer(undefined);
      onRun();
      return;
    }
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      look(true);
      return;
    }
    if (offer === undefined) return;
    const { all, at } = offer;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      setOffer({
        all,
        at: at === undefined ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length,
      });
    } else if (event.key === 'Escape') {
      event.preventDefault();
      setOffer(undefined);
    } else if (
      (event.key === 'Tab' && !event.shiftKey) ||
      (event.key === 'Enter' && at !== undefined)
    ) {
      // Enter is a new line until one of them is chosen.
      const one = all[at ?? 0];
      if (one === undefined) return;
      event.preventDefault();
      take(one);
    }
  };
  return (
    <div class="sql-editor">
      <textarea
        ref={field}
        id="sql-text"
        class="code-field"
        rows={8}
        spellcheck={false}
        aria-label="Statement"
        aria-autocomplete="list"
        aria-controls={offer === undefined ? undefined : listId}
        aria-activedescendant={offer?.at === undefined ? undefined : optionId(offer.at)}
        value={text}
        onInput={({ currentTarget }) => {
          onText(currentTarget.value);
          look(false);
        }}
        onKeyDown={press}
        onBlur={() => setOffer(undefined)}
      />
      {offer === undefined ? null : (
        <ul class="completions" id={listId} role="listbox" aria-label="Names">
          {offer.all.map((one, at) => (
            <li
              key={one.text}
              id={optionId(at)}
              role="option"
              aria-selected={at === offer.at}
              onPointerDown={(event) => {
                // The field keeps the focus.
                event.preventDefault();
                take(one);
              }}
            >
              <span>{one.text}</span>
              <span class="faint">{one.says}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
