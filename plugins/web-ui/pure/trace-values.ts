// Inputs and outputs of traces as people read them: a line of them, and the messages of a conversation. Pure.

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture'; readonly address: string }
  | { readonly kind: 'json'; readonly value: unknown };

export interface Call {
  readonly name: string;
  /** As it was written, or JSON. */
  readonly given: unknown;
}
export interface Message {
  readonly role: string;
  readonly name: string | undefined;
  readonly pieces: readonly Piece[];
  readonly calls: readonly Call[];
}

type Named = Readonly<Record<string, unknown>>;
const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Pictures that are shown: those that are in the text itself, and of kinds that hold nothing but a picture. */
const shownPicture = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
export const isPicture = (text: string): boolean =>
  text.startsWith('data:image/') && shownPicture.test(text);

const addressIn = (part: Named): unknown => {
  const { image_url: image } = part;
  return isNamed(image) ? image['url'] : image;
};

const pieceOf = (part: unknown): Piece => {
  if (typeof part === 'string') return { kind: 'text', text: part };
  if (isNamed(part)) {
    const address = addressIn(part);
    if (typeof address === 'string' && isPicture(address)) return { kind: 'picture', address };
    if (typeof part['text'] === 'string') return { kind: 'text', text: part['text'] };
  }
  return { kind: 'json', value: part };
};

const piecesOf = (content: unknown): readonly Piece[] => {
  if (content === null || content === undefined || content === '') return [];
  return Array.isArray(content) ? content.map(pieceOf) : [pieceOf(content)];
};

const callsOf = (calls: unknown): readonly Call[] =>
  Array.isArray(calls)
    ? calls.filter(isNamed).map((one) => {
        const of = isNamed(one['function']) ? one['function'] : one;
        return { name: String(of['name'] ?? 'tool'), given: of['arguments'] ?? of['args'] ?? '' };
      })
    : [];

const messageOf = (value: unknown): Message | undefined => {
  if (!isNamed(value) || typeof value['role'] !== 'string') return undefined;
  if (!('content' in value) && !('tool_calls' in value)) return undefined;
  return {
    role: value['role'],
    name: typeof value['name'] === 'string' ? value['name'] : undefined,
    pieces: piecesOf(value['content']),
    calls: callsOf(value['tool_calls']),
  };
};

const allMessages = (values: readonly unknown[]): readonly Message[] | undefined => {
  const found = values.map(messageOf);
  return found.length > 0 && found.every((one) => one !== undefined) ? found : undefined;
};

/** The messages of a conversation where a value is one: a list of them, alone or as `messages` or the choices of a model. */
export const messagesOf = (value: unknown): readonly Message[] | undefined => {
  if (Array.isArray(value)) return allMessages(value);
  if (!isNamed(value)) return undefined;
  const { messages, choices } = value;
  if (Array.isArray(messages)) return allMessages(messages);
  if (Array.isArray(choices))
    return allMessages(choices.map((one: unknown) => (isNamed(one) ? one['message'] : undefined)));
  return allMessages([value['message'] ?? value]);
};

/** Members that say by themselves what a value is about, the likeliest first. */
const telling = ['input', 'output', 'text', 'content', 'question', 'answer', 'query', 'response'];

const wordsOf = (message: Message): string =>
  [
    ...message.pieces.map((one) =>
      one.kind === 'text'
        ? one.text
        : one.kind === 'picture'
          ? '[picture]'
          : JSON.stringify(one.value),
    ),
    ...message.calls.map(({ name }) => `${name}(…)`),
  ].join(' ');

const lineOf = (value: unknown, deeper: number): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  const last = messagesOf(value)?.at(-1);
  if (last !== undefined) return wordsOf(last);
  if (isNamed(value) && deeper > 0) {
    const names = Object.keys(value);
    const [only] = names.length === 1 ? names : telling.filter((one) => Object.hasOwn(value, one));
    if (only !== undefined) return lineOf(value[only], deeper - 1);
  }
  return JSON.stringify(value);
};

const mostLetters = 300;
/** What a value says, in one line. */
export const previewOf = (value: unknown): string => {
  const line = lineOf(value, 2)
    .slice(0, 4 * mostLetters)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > mostLetters ? `${line.slice(0, mostLetters)}…` : line;
};

/** Lines of JSON as a stream sends them; the last may say that the stream broke, which is an error. */
export const readLines = (bytes: ArrayBuffer | Uint8Array): readonly Named[] => {
  const lines = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const value: unknown = JSON.parse(line);
    if (!isNamed(value)) throw new Error('the server sent a line that is no object');
    if (typeof value['code'] === 'number' && typeof value['message'] === 'string')
      throw new Error(value['message']);
    return value;
  });
};

/** A cost in dollars: cents and more by two digits, less by two that tell something. */
export const formatCost = (dollars: number): string => {
  if (dollars === 0) return '$0';
  if (Math.abs(dollars) >= 0.1) return `$${dollars.toFixed(2)}`;
  return `$${Number(dollars.toPrecision(2)).toFixed(Math.min(10, 1 - Math.floor(Math.log10(Math.abs(dollars)))))}`;
};

/** A duration as spans of a trace have it: parts of a second as they are. */
export const formatDuration = (ms: number): string => {
  if (ms < 1) return `${Number(ms.toPrecision(2))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes}m ${Math.floor((ms % 60_000) / 1000)}s`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
};
