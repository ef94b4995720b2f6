// Replies of many megabytes: read by a thread of their own, which keeps them, so that the page is never held up.
import {
  filled,
  type Answered,
  type Asked,
  type Path,
  type Stub,
} from '../../pure/large-values.js';
import type { Message } from '../../pure/trace-values.js';
import type { FoundPlace } from '../../pure/json-search.js';
import type { Row } from '../request.js';
import { addressIn } from '../../pure/address.js';

/** The address of the thread's script, put in when the files are built. */
declare const LARGE_WORKER: string;

/** Bytes of a reply that the page reads by itself in no time. */
const mostHere = 256 * 1024;

interface Waiting {
  readonly resolve: (one: Answered) => void;
  readonly reject: (thrown: unknown) => void;
}

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

const start = (): Worker => {
  if (worker !== undefined) return worker;
  const made = new Worker(addressIn(LARGE_WORKER));
  made.addEventListener('message', ({ data }) => {
    const one = data as Answered; // the thread sends nothing else
    const asker = waiting.get(one.id);
    waiting.delete(one.id);
    if ('fault' in one) asker?.reject(new Error(one.fault));
    else asker?.resolve(one);
  });
  // What it kept is gone with it; what is asked for anew starts another.
  made.addEventListener('error', () => {
    worker = undefined;
    for (const { reject } of waiting.values())
      reject(new Error('this is too large for the browser; download it as a file'));
    waiting.clear();
  });
  worker = made;
  return made;
};

type Wanted = Asked extends infer A ? (A extends Asked ? Omit<A, 'id'> : never) : never;

const askFor = (wanted: Wanted, moved: Transferable[] = []): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    start().postMessage({ ...wanted, id }, moved);
  });

/** A reply that the thread keeps for as long as something of it is shown. */
interface Kept {
  readonly reply: number;
}
const gone = new FinalizationRegistry<number>((reply) => {
  void askFor({ what: 'forget', reply });
});

export interface LastMessages {
  readonly total: number;
  readonly last: readonly Message[];
}

const withLargeTexts = (message: Message): Message => ({
  ...message,
  pieces: message.pieces.map((one) =>
    one.kind === 'text' && typeof one.text !== 'string' ? { kind: 'json', value: one.text } : one,
  ),
});

/** A part of a stored value that is too large for the page; the thread that keeps it is asked for what is looked at. */
export class LargeValue {
  readonly kind: Stub['kind'];
  /** Its members, or its letters. */
  readonly count: number;
  readonly begins: string;

  constructor(
    private readonly kept: Kept,
    private readonly root: number,
    { path, kind, count, begins }: Stub,
  ) {
    this.path = path;
    this.kind = kind;
    this.count = count;
    this.begins = begins;
  }
  private readonly path: Path;

  /** Its members from one on, with what they hold. */
  async members(from: number, most: number): Promise<readonly (readonly [string, unknown])[]> {
    return (await this.ask({ what: 'members', from, most })) as readonly [string, unknown][]; // as the thread makes them
  }

  /** The last messages, where it is a conversation; a text that is too large for the page is a piece of any kind. */
  async messages(most: number): Promise<LastMessages | undefined> {
    const found = (await this.ask({ what: 'messages', most })) as LastMessages | undefined; // likewise
    return found && { ...found, last: found.last.map(withLargeTexts) };
  }

  async search(text: string, most: number): Promise<readonly FoundPlace[]> {
    return (await this.ask({ what: 'search', text, most })) as readonly FoundPlace[]; // likewise
  }

  /** Letters of a text. */
  async text(from: number, to: number): Promise<string> {
    return String(await this.ask({ what: 'text', from, to }));
  }

  /** All of it: a text as it is, the rest as JSON. */
  async file(): Promise<Blob> {
    const one = await askFor({ what: 'file', ...this.place() });
    if (!('file' in one)) throw new Error('the browser made no file of it');
    return one.file;
  }

  private place() {
    return { reply: this.kept.reply, root: this.root, path: this.path };
  }

  private async ask(
    wanted:
      | { readonly what: 'members'; readonly from: number; readonly most: number }
      | { readonly what: 'messages'; readonly most: number }
      | { readonly what: 'search'; readonly text: string; readonly most: number }
      | { readonly what: 'text'; readonly from: number; readonly to: number },
  ): Promise<unknown> {
    return open(this.kept, await askFor({ ...wanted, ...this.place() }));
  }
}

const open = (kept: Kept, one: Answered): unknown =>
  'light' in one ? filled(one.light, (stub) => new LargeValue(kept, one.root, stub)) : undefined;

const readElsewhere = async (bytes: ArrayBuffer): Promise<unknown> => {
  const kept: Kept = { reply: ++last };
  gone.register(kept, kept.reply);
  return open(kept, await askFor({ what: 'read', reply: kept.reply, bytes }, [bytes]));
};

/** Asks a row whose reply may be large: inputs, outputs and metadata that are come as `LargeValue`. */
export const askLarge = async <A, R>(row: Row<A, R>, ask: A, signal?: AbortSignal): Promise<R> => {
  const bytes = await (await row.reply(ask, signal)).arrayBuffer();
  return (
    bytes.byteLength <= mostHere
      ? JSON.parse(new TextDecoder().decode(bytes))
      : await readElsewhere(bytes)
  ) as R; // as the row says; what may be large is of any type there
};
