// A stored value as JSON that folds. Stored text never becomes markup.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isPicture } from '../../pure/trace-values.js';
import { Markdown } from '../told/markdown.js';

const mostLetters = 2000;
const mostMembers = 100;
/** Marks of a longer text are not read. */
const mostMarked = 20_000;

export const Letters = ({ text, marked = false }: { text: string; marked?: boolean }) => {
  const [whole, setWhole] = useState(false);
  if (isPicture(text)) return <img class="stored" src={text} alt="A picture that was stored" />;
  const cut = text.length > mostLetters && !whole;
  const shown = cut ? text.slice(0, mostLetters) : text;
  return (
    <>
      {marked && shown.length <= mostMarked ? (
        <Markdown text={shown} />
      ) : (
        <span class="notes" dir="auto">
          {shown}
        </span>
      )}
      {cut ? (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          … all {text.length} characters
        </button>
      ) : null}
    </>
  );
};

const countOf = (value: object): string => {
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return Array.isArray(value) ? `[${count}]` : `{${count}}`;
};

/** The members of a list or object; of many the first, and more when asked for. */
const Members = ({ of, open }: { of: object; open: number }) => {
  const [most, setMost] = useState(mostMembers);
  const names = Object.keys(of);
  return (
    <ul class="json">
      {names.slice(0, most).map((name) => (
        <li key={name}>
          <Node name={name} value={(of as Readonly<Record<string, unknown>>)[name]} open={open} />
        </li>
      ))}
      {names.length > most ? (
        <li>
          <button type="button" class="link" onClick={() => setMost(most + 10 * mostMembers)}>
            {names.length - most} more
          </button>
        </li>
      ) : null}
    </ul>
  );
};

const Node = ({
  name,
  value,
  open,
}: {
  name: string | undefined;
  value: unknown;
  /** How many levels are open from here. */
  open: number;
}): ComponentChildren => {
  const [shown, setShown] = useState(open > 0);
  const label = name === undefined ? null : <b>{name}: </b>;
  if (typeof value !== 'object' || value === null)
    return (
      <span>
        {label}
        {typeof value === 'string' ? (
          <Letters text={value} />
        ) : (
          <code>{value === undefined ? 'nothing' : String(value)}</code>
        )}
      </span>
    );
  return (
    <details open={open > 0} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        {label}
        <span class="faint">{countOf(value)}</span>
      </summary>
      {shown ? <Members of={value} open={open - 1} /> : null}
    </details>
  );
};

export const Json = ({ value, open = 2 }: { value: unknown; open?: number }) => (
  <Node name={undefined} value={value} open={open} />
);
