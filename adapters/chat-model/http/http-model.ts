// Asks a model over HTTP, by any wire: attempts, bounds, faults, and no secret of the target in what is told.
import { isFailure } from '#ports/failure';
import type {
  ChatChunk,
  ChatFault,
  ChatModel,
  ChatPiece,
  ChatRequest,
  ChatTarget,
} from '#ports/chat-model';
import type { Outgoing, OutgoingReply, OutgoingStreamRequest } from '#ports/outgoing';
import { parse } from './reading.js';
import { dataOf } from './server-events.js';
import {
  errorIn,
  isFault,
  Unsupported,
  type StreamReader,
  type Wire,
  type WireFault,
} from './wire.js';

export interface ChatLimits {
  /** How long a request may take that is answered at once, all attempts together. */
  readonly limitMs: number;
  /** How long a stream may go on, and its provider be silent. */
  readonly streamMs: number;
  readonly silenceMs: number;
  /** Bytes of an answer that is given at once, of a stream, and of one event in it. */
  readonly mostBytes: number;
  readonly mostStreamBytes: number;
  readonly mostEventBytes: number;
  readonly attempts: number;
  /** The wait before the second attempt, which doubles before each further one. */
  readonly baseDelayMs: number;
  /** Who asks to be left alone for longer is not waited for: the client is told. */
  readonly longestDelayMs: number;
}
export const usualLimits: ChatLimits = {
  limitMs: 60_000,
  streamMs: 600_000,
  silenceMs: 60_000,
  mostBytes: 8 * 1024 * 1024,
  mostStreamBytes: 128 * 1024 * 1024,
  mostEventBytes: 4 * 1024 * 1024,
  attempts: 3,
  baseDelayMs: 500,
  longestDelayMs: 2000,
};

export interface HttpModelNeeds {
  readonly outgoing: Outgoing;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly limits?: Partial<ChatLimits>;
}

const longestMessage = 1000;
/** What is searched for secrets of what a provider says. */
const mostSearched = 100_000;
/** Secrets that are shorter would be found in any text. */
const shortestSecret = 4;

/** A text in which nothing is left of what opens the target: providers repeat a wrong key. */
const withoutSecrets = (text: string, { key = '', headers }: ChatTarget): string => {
  const secrets = [key, ...Object.values(headers)]
    .filter((secret) => secret.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  // The end of a text that is cut may be the beginning of a secret.
  const searched =
    text.length <= mostSearched
      ? text
      : text.slice(0, Math.max(0, mostSearched - (secrets[0]?.length ?? 0)));
  return secrets
    .reduce((left, secret) => left.replaceAll(secret, '…'), searched)
    .slice(0, longestMessage);
};

const tooMany = (status: number | undefined): boolean =>
  status === 429 || status === 408 || (status ?? 0) >= 500;

/** A fault that the provider told of in its own words. */
const told = ({ status, message }: WireFault, target: ChatTarget): ChatFault => ({
  status,
  message: withoutSecrets(message, target),
  retry: tooMany(status),
});
const nonsense: ChatFault = {
  status: undefined,
  message: 'the model gave an answer that is none of its wire',
  retry: false,
};
const unfinished: ChatFault = {
  status: undefined,
  message: 'the model ended its answer before it was whole',
  retry: true,
};

/** Why a request was not answered with success. */
const faultOf = (reply: OutgoingReply, target: ChatTarget): ChatFault => {
  const { status, text, retry, retryAfter, error = 'the target did not answer' } = reply;
  const said = errorIn(parse(text))?.message;
  return {
    status,
    message: withoutSecrets(said === undefined || said === '' ? error : said, target),
    retry,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
};

/** Resolves after so long, or at once when the signal aborts. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });

export const httpModel = (
  wire: Wire,
  { outgoing, now, limits: given }: HttpModelNeeds,
): ChatModel => {
  const limits = { ...usualLimits, ...given };
  const needsOf = (request: ChatRequest) => ({ request, now: Math.floor(now() / 1000) });

  /** Tries until something else comes of it than a fault that may go better, as long as there is time. */
  const trying = async <T extends object>(
    once: (leftMs: number) => Promise<T | { readonly fault: ChatFault }>,
    signal: AbortSignal,
  ): Promise<T | { readonly fault: ChatFault }> => {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      const leftMs = limits.limitMs - (performance.now() - began);
      const got = await once(Math.max(1, leftMs));
      if (!('fault' in got) || !got.fault.retry || attempt >= limits.attempts || signal.aborted)
        return got;
      const asked = (got.fault.retryAfter ?? 0) * 1000;
      const delay = Math.max(limits.baseDelayMs * 2 ** (attempt - 1), asked);
      if (delay > limits.longestDelayMs || delay >= limits.limitMs - (performance.now() - began))
        return got;
      await wait(delay, signal);
    }
  };

  /** The request; a fault where this wire has no words for it. */
  const written = (
    request: ChatRequest,
    target: ChatTarget,
    streams: boolean,
  ): Omit<OutgoingStreamRequest, 'silenceMs'> | { readonly fault: ChatFault } => {
    try {
      const { url, headers, body } = wire.write(request, target, streams);
      return {
        method: 'POST',
        url,
        headers: {
          ...headers,
          ...target.headers,
          'Content-Type': 'application/json',
          Accept: streams ? 'text/event-stream' : 'application/json',
        },
        body: JSON.stringify(body),
        mostBytes: limits.mostBytes,
      };
    } catch (thrown) {
      if (!(thrown instanceof Unsupported)) throw thrown;
      return { fault: { status: 400, message: thrown.message, retry: false } };
    }
  };

  /** Chunks as they come; whoever stops reading ends the request. */
  async function* piecesOf(
    bytes: AsyncIterable<Uint8Array>,
    reader: StreamReader,
    target: ChatTarget,
  ): AsyncGenerator<ChatPiece> {
    const pieces = (chunks: readonly ChatChunk[]) => chunks.map((chunk) => ({ chunk }));
    try {
      for await (const data of dataOf(bytes, limits.mostEventBytes)) {
        if (data.trim() === '[DONE]') break;
        const event = parse(data);
        const read = event === undefined ? undefined : reader.read(event);
        if (read === undefined || isFault(read)) {
          yield { fault: read === undefined ? nonsense : told(read, target) };
          return;
        }
        yield* pieces(read);
      }
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown;
      yield { fault: { status: undefined, message: thrown.message, retry: true } };
      return;
    }
    if (!reader.isDone()) yield { fault: unfinished };
    else yield* pieces(reader.finish());
  }

  return {
    wire: wire.name,
    async complete(request, target, signal) {
      const asked = written(request, target, false);
      if ('fault' in asked) return asked;
      return trying(async (limitMs) => {
        const reply = await outgoing.send({ ...asked, limitMs }, signal);
        if (reply.error !== undefined) return { fault: faultOf(reply, target) };
        const answer = parse(reply.text);
        const read = answer === undefined ? undefined : wire.read(answer, needsOf(request));
        if (read === undefined) return { fault: nonsense };
        return isFault(read) ? { fault: told(read, target) } : { completion: read };
      }, signal);
    },
    async stream(request, target, signal) {
      const asked = written(request, target, true);
      if ('fault' in asked) return asked;
      return trying(async (leftMs) => {
        const { pieces, ...reply } = await outgoing.stream(
          {
            ...asked,
            limitMs: limits.streamMs,
            mostBytes: limits.mostStreamBytes,
            silenceMs: Math.min(limits.silenceMs, leftMs),
          },
          signal,
        );
        if (pieces === undefined) return { fault: faultOf(reply, target) };
        return { pieces: piecesOf(pieces, wire.reader(needsOf(request)), target) };
      }, signal);
    },
  };
};
