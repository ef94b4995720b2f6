/** Bytes that arrive over time. Reading it is the only way to make more arrive; leaving the loop early gives the source up. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** First and last byte, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One part of a multipart body, to be read or skipped before the next is asked for. */
export interface Part {
  readonly name: string;
  /** As sent; never a path to write to. Absent on plain fields, and on byte parts of clients that send no file name. */
  readonly fileName: string | undefined;
  /** Media type of the part, as sent. */
  readonly type: string | undefined;
  readonly content: ByteStream;
  /** The whole part as UTF-8. Rejects with `tooLarge` above `limit` bytes. */
  text(limit: number): Promise<string>;
}

/** The parts of a multipart body in the order they were sent. */
export type Upload = AsyncIterable<Part>;

/** A reply of bytes. */
export interface Download {
  /** Made by the server itself, so that a browser may show it and run what is in it. Never set for what users have stored. */
  readonly ownPage?: true;
  /** A page that a user stored, shown in a frame of ours: it has its own styles and pictures, runs nothing and fetches nothing. */
  readonly framed?: true;
  /** Of an own page: other sites may show it in a frame. Only for pages that read without a session and change nothing. */
  readonly embeddable?: true;
  /** Of an own page: it has styles in itself, which pages may not have otherwise. */
  readonly inlineStyles?: true;
  /** How the bytes are packed already; the handler asks first whether the client takes that. */
  readonly packed?: 'gzip';
  /** Whether another form would be sent to who takes another type. */
  readonly byAccept?: true;
  readonly type: string;
  /** Total size in bytes, when known; only then are ranges honoured. */
  readonly size?: number;
  /** A browser saves it, whatever its type. */
  readonly attached?: true;
  /** Suggested name of the file; any text. */
  readonly fileName?: string;
  open(range?: ByteRange): ByteStream | Promise<ByteStream>;
}
