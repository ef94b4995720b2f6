// Reads server-sent events as a page does, without coming back by itself.
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface ReadEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventReader {
  readonly status: number;
  /** What a refusal says. */
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  readonly events: readonly ReadEvent[];
  /** Whether the server has ended it. */
  isOver(): boolean;
  /** Waits for an event that was or will be read; fails after this many ms. */
  until(find: (event: ReadEvent) => boolean, ms?: number): Promise<ReadEvent>;
  /** Waits until the server ends it; fails after this many ms. */
  end(ms?: number): Promise<void>;
  /** Takes nothing more from the socket. */
  pause(): void;
  resume(): void;
  close(): void;
}

const parse = (block: string): ReadEvent | undefined => {
  const fields = new Map(
    block
      .split('\n')
      .filter((line) => line.includes(': ') && !line.startsWith(':'))
      .map((line) => {
        const at = line.indexOf(': ');
        return [line.slice(0, at), line.slice(at + 2)] as const;
      }),
  );
  const data = fields.get('data');
  return data === undefined
    ? undefined
    : {
        id: fields.get('id') ?? '',
        event: fields.get('event') ?? '',
        data: JSON.parse(data) as Record<string, unknown>, // every event of the product is an object
      };
};

const open = (
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly sent: ClientRequest; readonly reply: IncomingMessage }> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false });
    sent.once('error', reject);
    sent.once('response', (reply) => {
      resolve({ sent, reply });
    });
    sent.end();
  });

export const readEvents = async (
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventReader> => {
  const { sent, reply } = await open(url, headers);
  const events: ReadEvent[] = [];
  let [text, over] = ['', false];
  reply.setEncoding('utf8');
  reply.on('data', (piece: string) => {
    text += piece;
    if ((reply.statusCode ?? 0) !== 200) return;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.map(parse).filter((event) => event !== undefined));
  });
  const finish = (): void => {
    over = true;
  };
  reply.on('end', finish).on('close', finish).on('error', finish);
  sent.on('error', finish);
  const waitFor = async <T>(look: () => T | undefined, ms: number, what: string): Promise<T> => {
    for (const until = performance.now() + ms; performance.now() < until; await wait(5)) {
      const found = look();
      if (found !== undefined) return found;
    }
    throw new Error(`${what} within ${ms} ms; events: ${JSON.stringify(events).slice(0, 2000)}`);
  };
  const reader: EventReader = {
    status: reply.statusCode ?? 0,
    get body() {
      return text;
    },
    headers: reply.headers,
    events,
    isOver: () => over,
    until: (find, ms = 5000) => waitFor(() => events.find(find), ms, 'no such event came'),
    end: (ms = 5000) =>
      waitFor(() => (over ? true : undefined), ms, 'the stream did not end').then(() => undefined),
    pause() {
      reply.pause();
    },
    resume() {
      reply.resume();
    },
    close() {
      sent.destroy();
    },
  };
  if (reader.status !== 200) await reader.end();
  return reader;
};
