// Requests to addresses that users give: judged, pinned, without redirects, bounded in time and size.
import { Agent as PlainAgent, request as requestPlain, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import { isIP } from 'node:net';
import { isFailure } from '#ports/failure';
import type { Outgoing, OutgoingReply, OutgoingRequest } from '#ports/outgoing';
import type { Target, Targets } from './targets.js';

const limitMs = 10_000;
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
  { method, headers, body, mostBytes = replyBytes }: OutgoingRequest,
  signal: AbortSignal,
): Promise<{ readonly reply: IncomingMessage; readonly text: string }> =>
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
      (reply) => {
        readText(reply, mostBytes).then((text) => {
          resolve({ reply, text });
        }, reject);
      },
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
const faultOf = (thrown: unknown, timeout: AbortSignal): string => {
  if (timeout.aborted) return `the target did not answer within ${limitMs / 1000} s`;
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

export const createOutgoing = (targets: Targets): Outgoing => ({
  check(url) {
    targets.check(url);
  },
  async send(request, signal) {
    const began = performance.now();
    const took = () => Math.round(performance.now() - began);
    const timeout = AbortSignal.timeout(limitMs);
    const ended = AbortSignal.any([signal, timeout]);
    try {
      const target = await raced(targets.resolve(request.url), ended);
      // A receiver may close a kept connection just as it is used again: then, and only then, the request goes out on another.
      const again = (thrown: unknown): ReturnType<typeof exchange> => {
        if (thrown instanceof Stale) return exchange(target, request, ended).catch(again);
        throw thrown;
      };
      const { reply, text } = await exchange(target, request, ended).catch(again);
      return tell(reply, text, took(), Date.now());
    } catch (thrown) {
      return isFailure(thrown)
        ? { durationMs: took(), text: '', error: thrown.message, retry: false }
        : { durationMs: took(), text: '', error: faultOf(thrown, timeout), retry: true };
    }
  },
});
