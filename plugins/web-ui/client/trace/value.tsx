// An input, output or other stored value: messages as a chat, the rest as JSON that folds. Stored text never becomes markup.
import { useMemo, useState } from 'preact/hooks';
import { messagesOf, type Message, type Piece } from '../../pure/trace-values.js';
import { attempt } from '../attempt.js';
import { save } from '../save.js';
import { tell } from '../state.js';
import { lazy } from '../lazy.js';
import { useLoaded } from '../loading.js';
import { Json, Letters } from './json.js';
import { LargeValue } from './large.js';
import { Fault, Wait } from '../shell/wait.js';

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

const lettersOf = (one: Piece): number =>
  one.kind === 'text'
    ? one.text.length
    : one.kind === 'json' && one.value instanceof LargeValue
      ? one.value.count
      : 0;

/** Messages of the system are long and always the same, so they begin folded. */
const isFolded = ({ role, pieces }: Message): boolean =>
  role === 'system' && pieces.reduce((sum, one) => sum + lettersOf(one), 0) > 300;

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
const moreMessages = 50;

const Messages = ({
  of,
  earlier,
  label,
  onMore,
}: {
  of: readonly Message[];
  /** How many came before them. */
  earlier: number;
  label: string;
  onMore: () => void;
}) => (
  <ol class="chat" aria-label={label}>
    {earlier === 0 ? null : (
      <li>
        <button type="button" class="link" onClick={onMore}>
          {earlier} earlier messages
        </button>
      </li>
    )}
    {of.map((one, at) => (
      <OneMessage key={earlier + at} of={one} />
    ))}
  </ol>
);

export const Chat = ({ of, label }: { of: readonly Message[]; label: string }) => {
  const [most, setMost] = useState(mostMessages);
  const shown = of.length <= most + 2 ? of : of.slice(-most);
  return (
    <Messages
      of={shown}
      earlier={of.length - shown.length}
      label={label}
      onMore={() => setMost(most + moreMessages)}
    />
  );
};

/** What was said, where a value is a conversation; the rest as JSON. */
export const Said = ({
  value,
  label,
  onlyNew = false,
}: {
  value: unknown;
  label: string;
  /** Of an input that repeats the conversation so far, the last message is what is new. */
  onlyNew?: boolean;
}) => {
  if (value instanceof LargeValue)
    return <LargeSaid of={value} label={label} first={onlyNew ? 1 : mostMessages} />;
  const messages = messagesOf(value);
  return messages === undefined ? (
    <Json value={value} open={1} />
  ) : (
    <Chat of={onlyNew ? messages.slice(-1) : messages} label={label} />
  );
};

const LargeSaid = ({
  of,
  label,
  first = mostMessages,
}: {
  of: LargeValue;
  label: string;
  first?: number;
}) => {
  const [most, setMost] = useState(first);
  const { value, fault, busy } = useLoaded(() => of.messages(most), [of, most]);
  if (fault !== undefined) return <Fault of={fault} />;
  if (value !== undefined)
    return (
      <Messages
        of={value.last}
        earlier={value.total - value.last.length}
        label={label}
        onMore={() => setMost(most + moreMessages)}
      />
    );
  return busy ? <Wait /> : <Json value={of} />;
};

const rawOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);
const fileOf = (value: unknown): Promise<Blob> =>
  value instanceof LargeValue
    ? value.file()
    : Promise.resolve(new Blob([rawOf(value)], { type: 'application/octet-stream' }));
const textOf = async (value: unknown): Promise<string> =>
  value instanceof LargeValue ? (await value.file()).text() : rawOf(value);
const isText = (value: unknown): boolean =>
  typeof value === 'string' || (value instanceof LargeValue && value.kind === 'text');

/** A value with its title, the ways to see it, and the value itself to copy or keep. */
export const Value = ({ title, value }: { title: string; value: unknown }) => {
  const isLarge = value instanceof LargeValue;
  const messages = useMemo(() => (isLarge ? undefined : messagesOf(value)), [value]);
  const [asJson, setAsJson] = useState(false);
  const [searching, setSearching] = useState(false);
  const name = title.toLowerCase();
  if (value === undefined || value === null) return null;
  return (
    <section class="value" aria-label={title}>
      <header class="controls">
        <h2>{title}</h2>
        {messages === undefined && !(isLarge && !isText(value)) ? null : (
          <button
            type="button"
            class="quiet"
            aria-pressed={asJson}
            onClick={() => setAsJson(!asJson)}
          >
            JSON
          </button>
        )}
        {typeof value !== 'object' || isText(value) ? null : (
          <button
            type="button"
            class="quiet"
            aria-label={`Search in the ${name}`}
            aria-expanded={searching}
            onClick={() => setSearching(!searching)}
          >
            Search
          </button>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={`Copy the ${name}`}
          onClick={() =>
            attempt(
              textOf(value)
                .then((text) => navigator.clipboard.writeText(text))
                .then(() => tell('Copied')),
            )
          }
        >
          Copy
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={`Download the ${name}`}
          onClick={() =>
            attempt(
              fileOf(value).then((file) =>
                save(isText(value) ? `${name}.txt` : `${name}.json`, file),
              ),
            )
          }
        >
          Download
        </button>
      </header>
      {searching ? <SearchIn value={value} name={name} /> : null}
      {asJson ? (
        <Json value={value} />
      ) : isLarge && !isText(value) ? (
        <LargeSaid of={value} label={title} />
      ) : messages === undefined ? (
        <Json value={value} />
      ) : (
        <Chat of={messages} label={title} />
      )}
    </section>
  );
};
