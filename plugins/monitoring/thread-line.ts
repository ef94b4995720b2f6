// Calls between two threads: each may call what the other serves, and gets its answer, or what it failed with.
import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { Failure, isFailure, type FailureDetail, type FailureKind } from '#ports/failure';

/** One end of what connects two threads. */
type End = Worker | MessagePort;

/** Something thrown, as it goes to the other thread. */
interface Thrown {
  readonly message: string;
  /** Of a failure. */
  readonly kind?: FailureKind;
  readonly detail?: FailureDetail;
}
type Message =
  | { readonly call: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly answer: number; readonly value: unknown }
  | { readonly refusal: number; readonly thrown: Thrown };

/** A value that goes to the other thread with memory that it needs no more here. */
export class Handed {
  constructor(
    readonly value: unknown,
    readonly memory: readonly Transferable[],
  ) {}
}

const toThrown = (thrown: unknown): Thrown => {
  if (!isFailure(thrown)) return { message: thrown instanceof Error ? thrown.message : 'failed' };
  const { kind, message, reason, word, rules, retryAfter } = thrown;
  return {
    kind,
    message,
    detail: {
      ...(reason === undefined ? {} : { reason }),
      ...(word === undefined ? {} : { word }),
      ...(rules === undefined ? {} : { rules }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    },
  };
};
const fromThrown = ({ message, kind, detail }: Thrown): Error =>
  kind === undefined ? new Error(message) : new Failure(kind, message, detail);

/** What a thread serves, by name. */
export type Served = Readonly<Record<string, (...args: never[]) => unknown>>;

export class Line {
  readonly #end: End;
  readonly #waiting = new Map<
    number,
    { readonly done: (value: unknown) => void; readonly failed: (why: Error) => void }
  >();
  #last = 0;
  #over: Error | undefined;
  /** Whether the other thread has said anything. */
  isUp = false;

  constructor(end: End, served: Served) {
    this.#end = end;
    end.on('message', (message: Message) => {
      this.isUp = true;
      if ('call' in message) void this.#serve(served, message);
      else this.#settle(message);
    });
  }

  /** Calls what the other thread serves under a name. */
  call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const memory = args.flatMap((arg) => (arg instanceof Handed ? arg.memory : []));
    const plain = args.map((arg) => (arg instanceof Handed ? arg.value : arg));
    const call = ++this.#last;
    return new Promise((done, failed) => {
      this.#waiting.set(call, { done, failed });
      this.#post({ call, name, args: plain }, memory);
    });
  }

  /** There is nobody at the other end any more: whoever waits for an answer gets this. */
  end(why: Error): void {
    this.#over = why;
    for (const { failed } of this.#waiting.values()) failed(why);
    this.#waiting.clear();
  }

  #post(message: Message, memory: readonly Transferable[] = []): void {
    this.#end.postMessage(message, memory);
  }

  async #serve(
    served: Served,
    { call, name, args }: Extract<Message, { readonly call: number }>,
  ): Promise<void> {
    try {
      const value: unknown = await served[name]?.(...(args as never[])); // both threads are of one build
      if (value instanceof Handed) this.#post({ answer: call, value: value.value }, value.memory);
      else this.#post({ answer: call, value });
    } catch (thrown) {
      this.#post({ refusal: call, thrown: toThrown(thrown) });
    }
  }

  #settle(message: Exclude<Message, { readonly call: number }>): void {
    const call = 'answer' in message ? message.answer : message.refusal;
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    if ('answer' in message) waiting?.done(message.value);
    else waiting?.failed(fromThrown(message.thrown));
  }
}
