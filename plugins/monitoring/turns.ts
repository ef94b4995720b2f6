// Long work on the one thread of a server, in pieces.
const pieceMs = 4;

/** Lets others have their turn from time to time. */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  /** Work that has a signal ends when that aborts. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether a piece is over. */
  isOver(): boolean {
    return performance.now() - this.#began >= pieceMs;
  }

  /** Gives up the turn. Throws when the signal has aborted. */
  async pass(): Promise<void> {
    await new Promise((next) => setImmediate(next));
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }

  /** Gives up the turn where a piece is over. */
  async offer(): Promise<void> {
    if (this.isOver()) await this.pass();
  }
}
