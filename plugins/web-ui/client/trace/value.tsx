// An input, output or other stored value: messages as a chat, the rest as JSON that folds. Stored text never becomes markup.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isPicture, messagesOf, type Message, type Piece } from '../../pure/trace-values.js';
import { attempt } from '../attempt.js';
import { save } from '../save.js';
import { tell } from '../state.js';
import { Markdown } from '../told/markdown.js';

const mostLetters = 2000;
const mostMembers = 100;
/** Marks of a longer text are not read. */
const mostMarked = 20_000;

const Letters = ({ text, marked = false }: { text: string; marked?: boolean }) => {
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

const OnePiece = ({ of }: { of: Piece }) => {
  switch (of.kind) {
    case 'text':
      return <Letters text={of.text} marked />;
    case 'picture':
      return <img class="stored" src={of.address} alt="A picture of the conversation" />;
    case 'json':
      return <Json value={of.value} open={1} />;
  }
};

/** What a tool was given: JSON where it is one, whether or not it was written as text. */
const givenOf = (given: unknown): unknown => {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given; // a text, then
  }
};

/** Messages of the system are long and always the same, so they begin folded. */
const isFolded = ({ role, pieces }: Message): boolean =>
  role === 'system' &&
  pieces.reduce((sum, one) => sum + (one.kind === 'text' ? one.text.length : 0), 0) > 300;

const OneMessage = ({ of }: { of: Message }) => {
  const inside = (
    <>
      {of.pieces.map((one, at) => (
        <div key={at}>
          <OnePiece of={one} />
        </div>
      ))}
      {of.calls.map(({ name, given }, at) => (
        <div key={at} class="call">
          <b>⚒ {name}</b> <Json value={givenOf(given)} open={1} />
        </div>
      ))}
    </>
  );
  const role = of.name === undefined ? of.role : `${of.role} ${of.name}`;
  return (
    <li class={`message ${of.role === 'user' ? 'of-user' : ''}`}>
      {isFolded(of) ? (
        <details>
          <summary class="faint">{role}</summary>
          {inside}
        </details>
      ) : (
        <>
          <p class="faint role">{role}</p>
          {inside}
        </>
      )}
    </li>
  );
};

export const Chat = ({ of, label }: { of: readonly Message[]; label: string }) => (
  <ol class="chat" aria-label={label}>
    {of.map((one, at) => (
      <OneMessage key={at} of={one} />
    ))}
  </ol>
);

const rawOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** A value with its title, the ways to see it, and the value itself to copy or keep. */
export const Value = ({ title, value }: { title: string; value: unknown }) => {
  const messages = messagesOf(value);
  const [asJson, setAsJson] = useState(false);
  const name = title.toLowerCase();
  if (value === undefined || value === null) return null;
  return (
    <section class="value" aria-label={title}>
      <header class="controls">
        <h2>{title}</h2>
        {messages === undefined ? null : (
          <button
            type="button"
            class="quiet"
            aria-pressed={asJson}
            onClick={() => setAsJson(!asJson)}
          >
            JSON
          </button>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={`Copy the ${name}`}
          onClick={() =>
            attempt(navigator.clipboard.writeText(rawOf(value)).then(() => tell('Copied')))
          }
        >
          Copy
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={`Download the ${name}`}
          onClick={() =>
            save(
              typeof value === 'string' ? `${name}.txt` : `${name}.json`,
              new Blob([rawOf(value)], { type: 'application/octet-stream' }),
            )
          }
        >
          Download
        </button>
      </header>
      {messages === undefined || asJson ? (
        <Json value={value} />
      ) : (
        <Chat of={messages} label={title} />
      )}
    </section>
  );
};
