// Long work on the one thread of a server, in pieces.
const pieceMs = 15;

/** Lets others have their turn from time to time. */
export class Turns {
  readonly #signal: AbortSignal;
  #began = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** To be awaited often; it takes time only when a piece is over. Throws when the signal has aborted. */
  async offer(): Promise<void> {
    if (performance.now() - this.#began < pieceMs) return;
    await new Promise((next) => setImmediate(next));
    this.#signal.throwIfAborted();
    this.#began = performance.now();
  }
}
