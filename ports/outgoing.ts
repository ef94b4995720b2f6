import { port } from './port.js';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How many bytes of a reply are wanted; 2 KiB where nothing is said. */
  readonly mostBytes?: number;
  /** How long it may take in all, in ms; 10 s where nothing is said. */
  readonly limitMs?: number;
}

/** A request whose reply is read as it comes: more bytes of it than are wanted are a fault. */
export interface OutgoingStreamRequest extends OutgoingRequest {
  /** How long the receiver may say nothing, before its reply and between pieces of it, in ms. */
  readonly silenceMs: number;
}

/** What came of a request. */
export interface OutgoingReply {
  /** Absent when nothing was answered. */
  readonly status?: number;
  readonly durationMs: number;
  /** The beginning of the reply, as many bytes as were wanted. */
  readonly text: string;
  /** Seconds that the receiver asks to be left alone. */
  readonly retryAfter?: number;
  /** What went wrong, in one sentence; absent when there is a status of 200 to 299. */
  readonly error?: string;
  /** Whether another attempt may go better: a fault of the network, or 408, 425, 429 and 500 upwards. */
  readonly retry: boolean;
}

/** What came of a request whose reply is read as it comes. */
export interface OutgoingStream extends OutgoingReply {
  /**
   * The reply, where its status is 200 to 299; `text` is empty then. Iterated once; whoever stops reading closes the connection. Rejects with
   * `unavailable`, in a sentence, where the rest does not come: the connection broke, the signal aborted, or a bound of the request was reached.
   */
  readonly pieces?: AsyncIterable<Uint8Array>;
}

/**
 * Requests to addresses that users give. Each is judged when it is called, after its name was resolved, and the connection goes to the very
 * address that was judged: loopback, link-local and private ones are refused unless `ORRERY_ALLOW_PRIVATE_TARGETS` lists them, those of cloud
 * metadata always. No redirect is followed, nothing takes longer than it is given.
 */
export interface Outgoing {
  /** Refuses with `invalid`, in a sentence, what cannot be an address or is a refused one as it stands. Resolves no names. */
  check(url: string): void;
  /** Does not reject. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<OutgoingReply>;
  /** The same, for a reply that is read as it comes. Does not reject. */
  stream(request: OutgoingStreamRequest, signal: AbortSignal): Promise<OutgoingStream>;
}
export const Outgoing = port<Outgoing>('outgoing');
