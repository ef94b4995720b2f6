// An input, output or other stored value: messages as a chat, the rest as JSON that folds. Stored text never becomes markup.
import { useState } from 'preact/hooks';
import { messagesOf, type Message, type Piece } from '../../pure/trace-values.js';
import { attempt } from '../attempt.js';
import { save } from '../save.js';
import { tell } from '../state.js';
import { lazy } from '../lazy.js';
import { Json, Letters } from './json.js';

const SearchIn = lazy<{ readonly value: unknown; readonly name: string }>(
  async () => (await import('./search.js')).SearchIn,
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

/** Of a conversation that repeats what was said before, the last messages are what is new. */
const mostMessages = 6;

export const Chat = ({ of, label }: { of: readonly Message[]; label: string }) => {
  const [whole, setWhole] = useState(false);
  const shown = whole || of.length <= mostMessages + 2 ? of : of.slice(-mostMessages);
  const earlier = of.length - shown.length;
  return (
    <ol class="chat" aria-label={label}>
      {earlier === 0 ? null : (
        <li>
          <button type="button" class="link" onClick={() => setWhole(true)}>
            {earlier} earlier messages
          </button>
        </li>
      )}
      {shown.map((one, at) => (
        <OneMessage key={earlier + at} of={one} />
      ))}
    </ol>
  );
};

const rawOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** A value with its title, the ways to see it, and the value itself to copy or keep. */
export const Value = ({ title, value }: { title: string; value: unknown }) => {
  const messages = messagesOf(value);
  const [asJson, setAsJson] = useState(false);
  const [searching, setSearching] = useState(false);
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
        {typeof value === 'object' ? (
          <button
            type="button"
            class="quiet"
            aria-label={`Search in the ${name}`}
            aria-expanded={searching}
            onClick={() => setSearching(!searching)}
          >
            Search
          </button>
        ) : null}
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
      {searching ? <SearchIn value={value} name={name} /> : null}
      {messages === undefined || asJson ? (
        <Json value={value} />
      ) : (
        <Chat of={messages} label={title} />
      )}
    </section>
  );
};
