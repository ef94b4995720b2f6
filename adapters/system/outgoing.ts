// Requests to addresses that users give: judged, pinned, without redirects, bounded in time and size.
import { Agent as PlainAgent, request as requestPlain, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import { isIP } from 'node:net';
import { Failure, isFailure } from '#ports/failure';
import type {
  Outgoing,
  OutgoingReply,
  OutgoingRequest,
  OutgoingStreamRequest,
} from '#ports/outgoing';
import type { Target, Targets } from './targets.js';

const usualLimitMs = 10_000;
const replyBytes = 2048;

const isRetried = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/** Seconds of a `Retry-After`, which is a number of them or a date. */
export const readRetryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined || header.trim() === '') return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
};

/** The beginning of a reply; what comes after it, or not in time, is left alone. */
const readText = async (reply: IncomingMessage, mostBytes: number): Promise<string> => {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of reply as AsyncIterable<Buffer>) {
      // no encoding is set on it
      pieces.push(piece);
      size += piece.length;
      if (size >= mostBytes) break;
    }
  } catch {
    /* what has come is what there is: the status is known already */
  }
  reply.destroy();
  return Buffer.concat(pieces).subarray(0, mostBytes).toString('utf8').replaceAll('\0', '\ufffd');
};

/** Connections are kept for a moment. They are known by the address that was judged and by the name that its certificate was for, so none leads elsewhere. */
const kept = { keepAlive: true, maxFreeSockets: 64, timeout: 4000 } as const;
const [plain, secure] = [new PlainAgent(kept), new SecureAgent(kept)];

class Stale extends Error {}

/** Headers that say how a request is framed or routed: no user's header stands in for them, whoever sends it along. */
const framing = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);
const withoutFraming = (
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.has(name.toLowerCase())));

const exchange = (
  { url, address }: Target,
  { method, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isSecure = url.protocol === 'https:';
    // Connects to the address that was judged; the name goes into `Host` and, for a secure connection, is what the certificate must be for.
    const sent = (isSecure ? requestSecure : requestPlain)(
      {
        method,
        host: address,
        port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
        path: `${url.pathname}${url.search}`,
        agent: isSecure ? secure : plain,
        signal,
        ...(isSecure && isIP(host) === 0 ? { servername: host } : {}),
        headers: {
          ...withoutFraming(headers),
          Host: url.host,
          ...(bytes === undefined ? {} : { 'Content-Length': String(bytes.length) }),
        },
      },
      resolve,
    );
    sent.on('error', (fault) => {
      reject(
        sent.reusedSocket && !signal.aborted
          ? new Stale('the connection that was kept is closed', { cause: fault })
          : fault,
      );
    });
    sent.end(bytes);
  });

/** A receiver may close a kept connection just as it is used again: then, and only then, the request goes out on another. */
const exchangeAgain = (...all: Parameters<typeof exchange>): ReturnType<typeof exchange> =>
  exchange(...all).catch((thrown: unknown) => {
    if (thrown instanceof Stale) return exchangeAgain(...all);
    throw thrown;
  });

/** How long a request may take, and its receiver be silent. */
interface Bounds {
  /** Aborts with the signal of the caller, and once the time has passed. */
  readonly signal: AbortSignal;
  /** Begins the time of silence anew. */
  heard(): void;
  /** What took too long, in a sentence. */
  passed(): string | undefined;
  /** No time counts any more. */
  end(): void;
}

const boundsOf = (
  { limitMs = usualLimitMs, silenceMs }: OutgoingRequest & Partial<OutgoingStreamRequest>,
  signal: AbortSignal,
): Bounds => {
  const late = new AbortController();
  let sentence: string | undefined;
  const passing = (ms: number, says: string): NodeJS.Timeout =>
    setTimeout(() => {
      sentence ??= says;
      late.abort();
    }, ms).unref();
  const limit = passing(limitMs, `the target did not answer within ${limitMs / 1000} s`);
  const silence =
    silenceMs === undefined
      ? undefined
      : passing(silenceMs, `the target said nothing for ${silenceMs / 1000} s`);
  return {
    signal: AbortSignal.any([signal, late.signal]),
    heard: () => void silence?.refresh(),
    passed: () => sentence,
    end() {
      clearTimeout(limit);
      clearTimeout(silence);
    },
  };
};

/** Faults of the network in words that tell nothing of this machine. */
const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host of the target is not known',
  EAI_AGAIN: 'the host of the target cannot be looked up at the moment',
  ECONNREFUSED: 'the target refused the connection',
  ECONNRESET: 'the target closed the connection',
  EPIPE: 'the target closed the connection',
  EHOSTUNREACH: 'the target cannot be reached',
  ENETUNREACH: 'the target cannot be reached',
  ETIMEDOUT: 'the target did not answer in time',
  HPE_INVALID_CONSTANT: 'the target does not speak HTTP',
};
const faultOf = (thrown: unknown, { passed }: Bounds): string => {
  const tooLong = passed();
  if (tooLong !== undefined) return tooLong;
  const { code } = thrown as { code?: unknown }; // any thrown value can be asked for members, which may be absent
  const word = typeof code === 'string' ? code : 'unknown';
  return (
    sentences[word] ??
    (/^(CERT|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL)/.test(word)
      ? `the certificate of the target is not accepted (${word})`
      : `the target could not be called (${word})`)
  );
};

const tell = (
  reply: IncomingMessage,
  text: string,
  durationMs: number,
  now: number,
): OutgoingReply => {
  const status = reply.statusCode ?? 0;
  const retryAfter = readRetryAfter(reply.headers['retry-after'], now);
  const error =
    status >= 200 && status < 300
      ? undefined
      : status >= 300 && status < 400
        ? `the target redirects (${status}), which is not followed`
        : `the target answered ${status}`;
  return {
    status,
    durationMs,
    text,
    retry: isRetried(status),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(error === undefined ? {} : { error }),
  };
};

const raced = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = () => {
      reject(new Error('aborted'));
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', end);
    });
  });

/** A reply as it comes. Iterated once. */
async function* piecesOf(
  reply: IncomingMessage,
  mostBytes: number,
  bounds: Bounds,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of reply as AsyncIterable<Buffer>) {
      // no encoding is set on it
      size += piece.length;
      if (size > mostBytes)
        throw new Failure('unavailable', `the target answered with more than ${mostBytes} bytes`);
      bounds.heard();
      yield piece;
      bounds.heard();
    }
  } catch (thrown) {
    throw isFailure(thrown)
      ? thrown
      : new Failure('unavailable', faultOf(thrown, bounds), { cause: thrown });
  } finally {
    bounds.end();
    reply.destroy();
  }
}

export const createOutgoing = (targets: Targets): Outgoing => {
  const begin = async (request: OutgoingRequest, bounds: Bounds): Promise<IncomingMessage> => {
    const target = await raced(targets.resolve(request.url), bounds.signal);
    return exchangeAgain(target, request, bounds.signal);
  };
  const failed = (thrown: unknown, durationMs: number, bounds: Bounds): OutgoingReply =>
    isFailure(thrown)
      ? { durationMs, text: '', error: thrown.message, retry: false }
      : { durationMs, text: '', error: faultOf(thrown, bounds), retry: true };
  return {
    check(url) {
      targets.check(url);
    },
    async send(request, signal) {
      const began = performance.now();
      const took = () => Math.round(performance.now() - began);
      const bounds = boundsOf(request, signal);
      try {
        const reply = await begin(request, bounds);
        const text = await readText(reply, request.mostBytes ?? replyBytes);
        return tell(reply, text, took(), Date.now());
      } catch (thrown) {
        return failed(thrown, took(), bounds);
      } finally {
        bounds.end();
      }
    },
    async stream(request, signal) {
      const began = performance.now();
      const took = () => Math.round(performance.now() - began);
      const bounds = boundsOf(request, signal);
      const mostBytes = request.mostBytes ?? replyBytes;
      try {
        const reply = await begin(request, bounds);
        bounds.heard();
        const told = tell(reply, '', took(), Date.now());
        if (told.error === undefined)
          return { ...told, pieces: piecesOf(reply, mostBytes, bounds) };
        const text = await readText(reply, mostBytes);
        bounds.end();
        return { ...told, text };
      } catch (thrown) {
        bounds.end();
        return failed(thrown, took(), bounds);
      }
    },
  };
};
